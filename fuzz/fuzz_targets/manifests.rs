//! Hands `toolwright_fuzz::manifests` to libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolwright_fuzz::manifests::run(data));
