//! Hands `toolwright_fuzz::json_rpc` to libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolwright_fuzz::json_rpc::run(data));
