//! Statements that mostly parse: grown from the input's bytes, deep, long and wide.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lakegate_fuzz::generate::check(data));
