//! Hands `toolwright_fuzz::client_files` to libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolwright_fuzz::client_files::run(data));
