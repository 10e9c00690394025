//! Bytes of files: reading, hashing, and doing so for many files at once.
//!
//! Nothing here waits on a pipe or follows a link that the caller did not resolve: a file is opened
//! without blocking, and what is not a regular file is named instead of read.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::fs::OFlags;
use sha2::{Digest as _, Sha256};

use super::model::Content;

/// How much is read at a time.
const CHUNK: usize = 128 << 10;
/// More threads than this gain nothing on a disk.
const MAX_THREADS: usize = 8;
/// Items that are worth a thread of their own.
const ITEMS_PER_THREAD: usize = 16;

/// What a file holds, without holding it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    /// Lower-case hex.
    pub sha256: String,
    /// Bytes.
    pub size: u64,
    /// Permission bits.
    pub mode: u32,
}

/// What is at the path of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OnDisk {
    /// Nothing.
    Missing,
    /// A regular file.
    File(Fingerprint),
    /// A symbolic link, not followed; the hash is that of the text of the link.
    Link {
        /// Lower-case hex.
        sha256: String,
    },
    /// Something that can be neither compared nor replaced: "a folder", "a pipe or a device".
    Other(&'static str),
}

impl OnDisk {
    /// The hash that a plan records as "before".
    pub(crate) fn sha256(&self) -> Option<&str> {
        match self {
            Self::File(print) => Some(&print.sha256),
            Self::Link { sha256 } => Some(sha256),
            Self::Missing | Self::Other(_) => None,
        }
    }
}

/// The bytes of an output or of a module's file.
pub(crate) fn read(content: &Content) -> io::Result<Vec<u8>> {
    match content {
        Content::Bytes(bytes) => Ok(bytes.to_vec()),
        Content::File(path) => read_file(path, u64::MAX),
    }
}

/// Reads a regular file of at most `limit` bytes. Follows links, never waits.
pub(crate) fn read_file(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open(path, OFlags::empty())?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        let what = format!("it is {}", kind_of(&metadata));
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    if metadata.len() > limit {
        let size = metadata.len();
        return Err(io::Error::other(format!("it has {size} bytes, more than {limit}")));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Hashes an output or a module's file.
pub(crate) fn fingerprint(content: &Content) -> io::Result<Fingerprint> {
    match content {
        Content::Bytes(bytes) => {
            Ok(Fingerprint { sha256: sha256(bytes), size: bytes.len() as u64, mode: 0o644 })
        }
        Content::File(path) => {
            let file = open(path, OFlags::empty())?;
            let metadata = file.metadata()?;
            if !metadata.is_file() {
                let what = format!("it is {}", kind_of(&metadata));
                return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
            }
            hash(file, &metadata)
        }
    }
}

/// What is at the path of an output. A link is not followed.
pub(crate) fn on_disk(path: &Path) -> io::Result<OnDisk> {
    let file = match open(path, OFlags::NOFOLLOW) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(OnDisk::Missing),
        Err(error) if is_errno(&error, rustix::io::Errno::LOOP) => return link(path),
        // The error of opening a socket.
        Err(error) if is_errno(&error, rustix::io::Errno::NXIO) => {
            return Ok(OnDisk::Other("a socket"));
        }
        Err(error) => return Err(error),
    };
    let metadata = file.metadata()?;
    if metadata.is_file() {
        hash(file, &metadata).map(OnDisk::File)
    } else {
        Ok(OnDisk::Other(kind_of(&metadata)))
    }
}

fn link(path: &Path) -> io::Result<OnDisk> {
    use std::os::unix::ffi::OsStrExt as _;
    let target = std::fs::read_link(path)?;
    Ok(OnDisk::Link { sha256: sha256(target.as_os_str().as_bytes()) })
}

fn is_errno(error: &io::Error, errno: rustix::io::Errno) -> bool {
    error.raw_os_error() == Some(errno.raw_os_error())
}

fn kind_of(metadata: &std::fs::Metadata) -> &'static str {
    if metadata.is_dir() { "a folder" } else { "a pipe or a device" }
}

fn open(path: &Path, flags: OFlags) -> io::Result<File> {
    let flags = (flags | OFlags::NONBLOCK).bits().cast_signed();
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

fn hash(mut file: File, metadata: &std::fs::Metadata) -> io::Result<Fingerprint> {
    let expected = usize::try_from(metadata.len()).unwrap_or(CHUNK);
    let mut buffer = vec![0; expected.saturating_add(1).min(CHUNK)];
    let mut hasher = Sha256::new();
    let mut size = 0;
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => {
                hasher.update(&buffer[..count]);
                size += count as u64;
                // The whole file: saves the read that returns 0.
                if size == metadata.len() {
                    break;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Fingerprint { sha256: hex(&hasher.finalize()), size, mode: metadata.mode() & 0o7777 })
}

/// Lower-case hex of the SHA-256 of `bytes`.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        for nibble in [byte >> 4, byte & 15] {
            text.push(char::from(DIGITS[usize::from(nibble)]));
        }
    }
    text
}

/// Does `work` for every item on a few threads; the results are in the order of the items.
pub(crate) fn parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = cores.min(MAX_THREADS).min(items.len().div_ceil(ITEMS_PER_THREAD));
    if threads < 2 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let one = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return done };
            done.push((index, work(item)));
        }
    };
    let mut all: Vec<(usize, R)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(one)).collect();
        let mut all = one();
        for other in others {
            match other.join() {
                Ok(done) => all.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.sort_unstable_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    const HELLO: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

    #[test]
    fn kinds_on_disk_are_distinguished() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        std::fs::write(path("file"), "hello").unwrap();
        std::fs::create_dir(path("folder")).unwrap();
        symlink("file", path("link")).unwrap();
        let _listener = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            path("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();

        assert_eq!(on_disk(&path("none")).unwrap(), OnDisk::Missing);
        let OnDisk::File(print) = on_disk(&path("file")).unwrap() else { panic!() };
        assert_eq!((print.sha256.as_str(), print.size), (HELLO, 5));
        assert_eq!(on_disk(&path("folder")).unwrap(), OnDisk::Other("a folder"));
        assert_eq!(on_disk(&path("link")).unwrap().sha256(), Some(sha256(b"file").as_str()));
        // Would wait for a writer if it were opened the ordinary way.
        assert_eq!(on_disk(&path("pipe")).unwrap(), OnDisk::Other("a pipe or a device"));
        assert_eq!(on_disk(&path("socket")).unwrap(), OnDisk::Other("a socket"));
        assert!(on_disk(&path("file/below")).is_err());
    }

    #[test]
    fn hashes_are_the_same_for_files_and_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("big");
        let bytes: Vec<u8> = (0..CHUNK * 3 + 17).map(|i| (i % 251) as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        let file = fingerprint(&Content::File(path.clone())).unwrap();
        let memory = fingerprint(&Content::Bytes(bytes.clone().into())).unwrap();
        assert_eq!((&file.sha256, file.size), (&memory.sha256, memory.size));
        assert_eq!(read(&Content::File(path.clone())).unwrap(), bytes);
        assert!(read_file(&path, 10).unwrap_err().to_string().contains("more than 10"));
    }

    #[test]
    fn many_items_keep_their_order() {
        let items: Vec<usize> = (0..5_000).collect();
        let doubled = parallel(&items, |item| item * 2);
        assert_eq!(doubled, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        assert!(parallel(&[] as &[u8], |item| *item).is_empty());
    }
}
