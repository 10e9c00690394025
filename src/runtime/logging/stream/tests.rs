//! Lines are written whole and in order, or counted as dropped; logging never blocks.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use super::{LogStream, QUEUE_BYTES};

/// As long as an ordinary log line.
fn line(number: u64) -> String {
    format!("{number} {}\n", "x".repeat(200))
}

fn stream(descriptor: impl Into<OwnedFd>) -> LogStream {
    LogStream::new(descriptor.into(), |count| format!("dropped {count}\n"))
}

fn log(stream: &LogStream, numbers: std::ops::Range<u64>) {
    for number in numbers {
        stream.clone().write_all(line(number).as_bytes()).unwrap();
    }
}

/// Reads what 0..count became: `(written, dropped)`. Every line is there or counted, in its place.
fn account(reader: impl Read, count: u64) -> (u64, u64) {
    let (mut next, mut dropped) = (0, 0);
    for text in BufReader::new(reader).lines() {
        let text = text.unwrap();
        match text.strip_prefix("dropped ") {
            Some(lost) => {
                let lost: u64 = lost.parse().unwrap();
                (next, dropped) = (next + lost, dropped + lost);
            }
            None => {
                assert_eq!(format!("{text}\n"), line(next));
                next += 1;
            }
        }
        if next == count {
            break;
        }
    }
    assert_eq!(next, count, "lines are missing and not counted");
    (count - dropped, dropped)
}

fn check_unread(reader: impl Read, writer: impl Into<OwnedFd>) {
    const LINES: u64 = 20_000;
    let stream = stream(writer);
    log(&stream, 0..LINES);
    stream.flush_within(Duration::from_millis(1));
    let (written, dropped) = account(reader, LINES);
    assert!(written * line(0).len() as u64 > QUEUE_BYTES as u64, "only {written} were kept");
    assert!(dropped > 0, "nothing was dropped: the test logs too little");
}

#[test]
fn an_unread_pipe() {
    let (reader, writer) = std::io::pipe().unwrap();
    check_unread(reader, writer);
}

/// What some hosts hand over.
#[test]
fn an_unread_socket() {
    let (reader, writer) = UnixStream::pair().unwrap();
    check_unread(reader, writer);
}

/// Somebody who shares the pipe may have set the flag for everybody.
#[test]
fn a_pipe_that_does_not_block() {
    let (reader, writer) = std::io::pipe().unwrap();
    let flags = rustix::fs::fcntl_getfl(&writer).unwrap();
    rustix::fs::fcntl_setfl(&writer, flags | rustix::fs::OFlags::NONBLOCK).unwrap();
    check_unread(reader, writer);
}

#[test]
fn the_flags_of_a_shared_pipe_are_unchanged() {
    let (_reader, writer) = std::io::pipe().unwrap();
    let shared = writer.try_clone().unwrap();
    let before = rustix::fs::fcntl_getfl(&shared).unwrap();
    log(&stream(writer), 0..2000);
    assert_eq!(rustix::fs::fcntl_getfl(&shared).unwrap(), before);
}

#[test]
fn a_burst_loses_nothing() {
    const LINES: u64 = 2000;
    let (reader, writer) = std::io::pipe().unwrap();
    let stream = stream(writer);
    log(&stream, 0..LINES);
    assert_eq!(account(reader, LINES), (LINES, 0));
}

#[test]
fn logging_goes_on_after_a_loss() {
    let (reader, writer) = std::io::pipe().unwrap();
    let mut reader = BufReader::new(reader);
    let stream = stream(writer);
    log(&stream, 0..20_000);
    let (_, dropped) = account(&mut reader, 20_000);
    assert!(dropped > 0);
    // The account is settled: what follows is not behind another count.
    log(&stream, 0..10);
    assert_eq!(account(&mut reader, 10), (10, 0));
}

#[test]
fn a_long_line_stays_whole() {
    let (reader, writer) = std::io::pipe().unwrap();
    let stream = stream(writer);
    let long = format!("{}\n", "y".repeat(300_000));
    stream.clone().write_all(long.as_bytes()).unwrap();
    log(&stream, 0..1);
    let mut lines = BufReader::new(reader).lines();
    assert_eq!(lines.next().unwrap().unwrap().len(), 300_000);
    assert_eq!(format!("{}\n", lines.next().unwrap().unwrap()), line(0));
}

#[test]
fn a_reader_that_goes_away_stops_nothing() {
    let (reader, writer) = std::io::pipe().unwrap();
    let stream = stream(writer);
    log(&stream, 0..2000);
    drop(reader);
    log(&stream, 0..20_000);
    stream.flush_within(Duration::from_secs(60));
}

#[test]
fn a_file_has_every_line_at_once() {
    let mut file = tempfile::tempfile().unwrap();
    let stream = stream(file.try_clone().unwrap());
    log(&stream, 0..20_000);
    rewind(&mut file);
    assert_eq!(account(file, 20_000), (20_000, 0));
}

fn rewind(file: &mut File) {
    std::io::Seek::rewind(file).unwrap();
}
