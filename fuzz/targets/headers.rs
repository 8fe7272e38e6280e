//! The headers of a submission.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lakegate_fuzz::headers(data));
