//! Hands `toolwright_fuzz::transcripts` to libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolwright_fuzz::transcripts::run(data));
