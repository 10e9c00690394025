//! Reading one file through its open directory.

use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{FileType, Mode, OFlags, Stat, fstat};
use rustix::io::Errno;

use super::MAX_FILE_BYTES;
use super::dirs::{Directory, outside};
use super::errors::storage;
use crate::failure::{Result, malformed};
use crate::hash;

/// A file's bytes and metadata.
#[derive(Debug, Clone)]
pub(crate) struct RawFile {
    pub(crate) bytes: Vec<u8>,
    pub(crate) mode: u32,
    seconds: i64,
    nanoseconds: i32,
}

impl RawFile {
    /// SHA-256 of the bytes.
    pub(crate) fn hash(&self) -> String {
        hash::of_bytes(&self.bytes)
    }

    /// Modification time, RFC 3339 in UTC, cut to milliseconds.
    pub(crate) fn updated_at(&self) -> String {
        rfc3339(self.seconds, self.nanoseconds)
    }
}

/// Reads a file of an open directory; none if there is none. Follows no link, waits for no pipe.
pub(crate) fn read_file(directory: &Directory, name: &str) -> Result<Option<RawFile>> {
    let path = || directory.path.join(name);
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let fd = match rustix::fs::openat(&directory.fd, name, flags, Mode::empty()) {
        Ok(fd) => fd,
        Err(Errno::NOENT) => return Ok(None),
        Err(Errno::LOOP) if directory.is_link(name) => return Err(outside(&path())),
        Err(error) => return Err(storage("open", &path(), error)),
    };
    let stat = fstat(&fd).map_err(|error| storage("examine", &path(), error))?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(malformed(&path(), "it is not a regular file."));
    }
    let size = u64::try_from(stat.st_size).unwrap_or(0);
    if size > MAX_FILE_BYTES {
        return Err(malformed(
            &path(),
            format!("it has {size} bytes; {MAX_FILE_BYTES} are the limit."),
        ));
    }
    let bytes = read_to_end(fd.as_fd(), usize::try_from(size).unwrap_or(0))
        .map_err(|error| storage("read", &path(), error))?;
    let (seconds, nanoseconds) = modified(&stat);
    Ok(Some(RawFile { bytes, mode: stat.st_mode & 0o7777, seconds, nanoseconds }))
}

/// One call where the size is right, as it nearly always is.
fn read_to_end(fd: BorrowedFd<'_>, size: usize) -> rustix::io::Result<Vec<u8>> {
    let mut bytes = vec![0; size + 1];
    let mut filled = 0;
    loop {
        match rustix::io::read(fd, &mut bytes[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error),
        }
        if filled == size {
            break;
        }
        if filled == bytes.len() {
            bytes.resize(bytes.len() * 2, 0);
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

fn modified(stat: &Stat) -> (i64, i32) {
    (stat.st_mtime, i32::try_from(stat.st_mtime_nsec).unwrap_or(0))
}

fn rfc3339(seconds: i64, nanoseconds: i32) -> String {
    let moment = jiff::Timestamp::new(seconds, nanoseconds).unwrap_or_default();
    let civil = jiff::tz::Offset::UTC.to_datetime(moment);
    let (date, time) = (civil.date(), civil.time());
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
        date.year(),
        date.month(),
        date.day(),
        time.hour(),
        time.minute(),
        time.second(),
        time.millisecond()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_cut_to_milliseconds() {
        assert_eq!(rfc3339(1_767_225_599, 999_999_999), "2025-12-31T23:59:59.999Z");
        assert_eq!(rfc3339(0, 0), "1970-01-01T00:00:00.000Z");
    }
}
