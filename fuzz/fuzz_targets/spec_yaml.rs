//! Hands `toolwright_fuzz::spec_yaml` to libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolwright_fuzz::spec_yaml::run(data));
