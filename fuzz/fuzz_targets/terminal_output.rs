//! Hands `toolwright_fuzz::terminal_output` to libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolwright_fuzz::terminal_output::run(data));
