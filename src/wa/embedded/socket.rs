//! The socket and the lock in the workspace's folder through which clients find the host.
//!
//! The host holds a lock on `host.pid` as long as it lives, so the kernel releases it whatever happens
//! to the host. The holder of the lock may replace the socket. Folder and socket belong to the user
//! alone, which excludes other users.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use toolwright_platform::lock::{FileLock, LockError, open_private};

const SOCKET: &str = "host.sock";
const FRESH_SOCKET: &str = "host.sock.new";
const PID: &str = "host.pid";
const LOG: &str = "host.log";
/// Longer paths do not fit into a socket's address.
const LONGEST_ADDRESS: usize = 100;

/// Connects to the host; none when no host listens.
pub(super) fn connect(folder: &Path) -> io::Result<Option<UnixStream>> {
    let metadata = match fs::symlink_metadata(folder.join(SOCKET)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other?,
    };
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "the socket belongs to another user",
        ));
    }
    let result = with_address(folder, SOCKET, |address| UnixStream::connect(address));
    match result {
        Ok(stream) => Ok(Some(stream)),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => Ok(None),
            _ => Err(error),
        },
    }
}

/// Listens, replacing an old socket. Only for the holder of the [`Lock`].
pub(super) fn listen(folder: &Path) -> io::Result<UnixListener> {
    let fresh = folder.join(FRESH_SOCKET);
    match fs::remove_file(&fresh) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = with_address(folder, FRESH_SOCKET, |address| UnixListener::bind(address))?;
    // Under its own name only when nobody else can use it any more.
    fs::set_permissions(&fresh, fs::Permissions::from_mode(0o600))?;
    fs::rename(&fresh, folder.join(SOCKET))?;
    Ok(listener)
}

/// Takes the socket away. Only for the holder of the [`Lock`].
pub(super) fn remove(folder: &Path) {
    let _ = fs::remove_file(folder.join(SOCKET));
}

fn with_address<T>(
    folder: &Path,
    name: &str,
    work: impl FnOnce(&Path) -> io::Result<T>,
) -> io::Result<T> {
    let path = folder.join(name);
    if path.as_os_str().len() <= LONGEST_ADDRESS {
        return work(&path);
    }
    let folder = File::open(folder)?;
    let short = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd())).join(name);
    work(&short)
}

/// Makes the folder, for the user alone.
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// The host's log, which restarts when it has grown long.
pub(super) fn log(folder: &Path) -> io::Result<File> {
    const LONG: u64 = 1 << 20;
    let path = folder.join(LOG);
    let mut options = OpenOptions::new();
    options.create(true).append(true).mode(0o600);
    let file = options.open(path)?;
    if file.metadata()?.len() > LONG {
        file.set_len(0)?;
    }
    Ok(file)
}

/// The last lines of the host's log.
pub(super) fn log_tail(folder: &Path) -> String {
    let text = fs::read(folder.join(LOG)).unwrap_or_default();
    let text = String::from_utf8_lossy(&text[text.len().saturating_sub(2000)..]).into_owned();
    text.trim().to_owned()
}

/// The right to be the workspace's host. `host.pid` says who has it and the last pane's number,
/// which continues from host to host so that a number never means another pane.
pub(super) struct Lock(FileLock);

impl Lock {
    /// None when another host has it.
    pub(super) fn take(folder: &Path) -> io::Result<Option<(Self, u64)>> {
        let lock = match FileLock::acquire(open_private(&folder.join(PID))?, Duration::ZERO) {
            Ok(lock) => lock,
            Err(LockError::TimedOut(_)) => return Ok(None),
            Err(LockError::Io(error)) => return Err(error),
        };
        let mut text = String::new();
        let _ = (&*lock).read_to_string(&mut text);
        let last = text.lines().nth(1).and_then(|number| number.trim().parse().ok()).unwrap_or(0);
        let mut lock = Self(lock);
        lock.note(last)?;
        Ok(Some((lock, last)))
    }

    /// Stores the last pane's number.
    pub(super) fn note(&mut self, last_pane: u64) -> io::Result<()> {
        let text = format!("{}\n{last_pane}\n", std::process::id());
        let mut file = &*self.0;
        file.rewind()?;
        file.write_all(text.as_bytes())?;
        file.set_len(text.len() as u64)
    }
}
