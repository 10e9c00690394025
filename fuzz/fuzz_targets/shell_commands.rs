//! Hands `toolwright_fuzz::shell_commands` to libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolwright_fuzz::shell_commands::run(data));
