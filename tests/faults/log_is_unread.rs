//! The client does not read standard error, and the pipe is full.

use std::io::{PipeWriter, Write as _};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use crate::stream::Stream;

crate::table::fault!("nobody reads the log, and its pipe is full" on Ordinary);

fn make(stream: &mut Stream) -> String {
    let (_unread, writer) = std::io::pipe().expect("a pipe");
    stream.restart_logging_to(writer.try_clone().expect("one more descriptor"));
    stream.writes(1);
    fill(writer);
    stream.writes(5);
    stream.recovers();
    "goes on".to_owned()
}

fn fill(mut pipe: PipeWriter) {
    let flags = fcntl_getfl(&pipe).expect("flags");
    fcntl_setfl(&pipe, flags | OFlags::NONBLOCK).expect("a pipe can do without waiting");
    // Byte by byte at the end, so that nothing fits any more.
    for size in [4096, 1] {
        while pipe.write(&b"\n".repeat(size)).is_ok() {}
    }
    fcntl_setfl(&pipe, flags).expect("and with waiting");
}
