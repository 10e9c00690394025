//! Hands `toolwright_fuzz::arguments` to libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolwright_fuzz::arguments::run(data));
