//! Hands `toolwright_fuzz::override_files` to libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolwright_fuzz::override_files::run(data));
