//! The scanner, on any text.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lakegate_fuzz::scanner(data));
