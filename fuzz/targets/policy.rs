//! Policies, as YAML and as JSON.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lakegate_fuzz::policy(data));
