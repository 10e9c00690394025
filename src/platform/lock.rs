//! Locks between processes: advisory `flock`s, which the kernel frees when their holder dies.
//!
//! A lock file is never removed by this module; it may hold a note about its holder, for those who wait.
//! A holder may remove its own: who waited for it must then ask [`FileLock::is_at`].
//! Knows no surface and no error codes.

use std::fs::File;
use std::io::{self, Read, Seek as _, Write as _};
use std::ops::Deref;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, Stat, flock, fstat, stat};
use rustix::io::Errno;

/// The pause between two attempts is doubled from here …
const FIRST_PAUSE: Duration = Duration::from_millis(1);
/// … up to here.
const LONGEST_PAUSE: Duration = Duration::from_millis(25);
/// Longer notes are cut when read.
const MAX_NOTE: u64 = 4096;

/// Why a lock was not acquired.
#[derive(Debug)]
pub enum LockError<F> {
    /// Another holder still has it. The file is handed back, for its note.
    TimedOut(F),
    /// The lock failed for another reason.
    Io(io::Error),
}

/// Opens a lock file. One that does not exist is made for this user alone.
///
/// # Errors
/// When the file system refuses.
pub fn open_private(path: &Path) -> io::Result<File> {
    File::options().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)
}

/// An exclusive lock on an open file or directory. Freed when dropped.
#[derive(Debug)]
pub struct FileLock<F: AsFd = File>(F);

impl<F: AsFd> FileLock<F> {
    /// Locks `file`. Tries at least once, and again until `wait` is over.
    ///
    /// # Errors
    /// When another holder has it for all that time, or the file system refuses.
    pub fn acquire(file: F, wait: Duration) -> Result<Self, LockError<F>> {
        let started = Instant::now();
        let mut pause = FIRST_PAUSE;
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Self(file)),
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(error) => return Err(LockError::Io(error.into())),
            }
            if started.elapsed() >= wait {
                return Err(LockError::TimedOut(file));
            }
            std::thread::sleep(pause.min(wait));
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Whether the locked file is what others find at `path`. A lock on a file that was removed or
    /// replaced meanwhile keeps nobody out.
    pub fn is_at(&self, path: &Path) -> bool {
        let id = |stat: Stat| (stat.st_dev, stat.st_ino);
        let locked = fstat(&self.0).ok().map(id);
        locked.is_some() && locked == stat(path).ok().map(id)
    }
}

impl FileLock<File> {
    /// Replaces the note in the lock file. Best effort: a lock without a note still locks.
    pub fn set_note(&mut self, note: &str) {
        let mut file = &self.0;
        let _ = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(note.as_bytes()));
    }
}

impl<F: AsFd> Deref for FileLock<F> {
    type Target = F;

    fn deref(&self) -> &F {
        &self.0
    }
}

impl<F: AsFd> Drop for FileLock<F> {
    fn drop(&mut self) {
        unlock(self.0.as_fd());
    }
}

/// The note in a lock file; empty if there is none.
pub fn read_note(file: &mut File) -> String {
    let mut note = Vec::new();
    let _ = file.rewind().and_then(|()| Read::by_ref(file).take(MAX_NOTE).read_to_end(&mut note));
    String::from_utf8_lossy(&note).trim().to_owned()
}

/// Whether an exclusive lock is held on this file now.
pub fn is_held(file: impl AsFd) -> bool {
    match flock(&file, FlockOperation::NonBlockingLockShared) {
        Ok(()) => {
            unlock(file.as_fd());
            false
        }
        Err(error) => error == Errno::AGAIN,
    }
}

/// Process id of the holder of a `flock` on an inode, where the kernel reports it (Linux).
pub fn holder_pid(inode: u64) -> Option<u32> {
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    holder_in(&locks, inode)
}

fn holder_in(locks: &str, inode: u64) -> Option<u32> {
    let suffix = format!(":{inode}");
    locks.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let ["FLOCK", _, _, pid, file, ..] = words.get(1..)? else { return None };
        file.ends_with(&suffix).then(|| pid.parse().ok()).flatten().filter(|pid| *pid > 0)
    })
}

/// Closing is not enough: a child that this process is just starting has the file open as well,
/// until it runs its program.
fn unlock(file: BorrowedFd<'_>) {
    let _ = flock(file, FlockOperation::Unlock);
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;

    fn open(path: &Path) -> File {
        open_private(path).unwrap()
    }

    fn acquire(path: &Path, wait: Duration) -> Result<FileLock, LockError<File>> {
        FileLock::acquire(open(path), wait)
    }

    #[test]
    fn one_holder_at_a_time_and_the_next_reads_the_note() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let mut held = acquire(&path, Duration::ZERO).unwrap();
        held.set_note("a longer note");
        held.set_note("process 7");
        assert!(is_held(open(&path)));
        let Err(LockError::TimedOut(mut file)) = acquire(&path, Duration::from_millis(5)) else {
            panic!("locked twice")
        };
        assert_eq!(read_note(&mut file), "process 7");
        drop(held);
        assert!(!is_held(open(&path)));
        assert!(acquire(&path, Duration::ZERO).is_ok());
        assert_eq!(read_note(&mut open(&path)), "process 7", "the note stays");
    }

    #[test]
    fn a_waiting_process_gets_the_lock_when_it_is_freed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = acquire(&path, Duration::ZERO).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| acquire(&path, Duration::from_secs(60)).is_ok());
            std::thread::sleep(Duration::from_millis(20));
            drop(held);
            assert!(waiting.join().unwrap());
        });
    }

    #[test]
    fn a_lock_on_a_removed_or_replaced_file_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = acquire(&path, Duration::ZERO).unwrap();
        assert!(held.is_at(&path));
        std::fs::remove_file(&path).unwrap();
        assert!(!held.is_at(&path));
        let other = acquire(&path, Duration::ZERO).unwrap();
        assert!(other.is_at(&path) && !held.is_at(&path));
    }

    #[test]
    fn a_directory_can_be_locked() {
        let folder = tempfile::tempdir().unwrap();
        let open = || File::open(folder.path()).unwrap();
        let held = FileLock::acquire(open(), Duration::ZERO).unwrap();
        assert!(matches!(FileLock::acquire(open(), Duration::ZERO), Err(LockError::TimedOut(_))));
        drop(held);
        assert!(FileLock::acquire(open(), Duration::ZERO).is_ok());
    }

    /// Holds the lock in a process of its own.
    fn holder(path: &Path) -> Child {
        let mut command = Command::new("cat");
        command.stdin(Stdio::piped()).stdout(Stdio::null());
        // The child inherits the locked description as its standard error.
        let file = open(path);
        flock(&file, FlockOperation::NonBlockingLockExclusive).unwrap();
        command.stderr(Stdio::from(file)).spawn().unwrap()
    }

    #[test]
    fn the_lock_of_a_killed_process_is_free() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let mut child = holder(&path);
        assert!(matches!(acquire(&path, Duration::ZERO), Err(LockError::TimedOut(_))));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(acquire(&path, Duration::from_secs(60)).is_ok());
    }

    #[test]
    fn the_kernel_reports_the_holder() {
        let locks = "1: POSIX  ADVISORY  WRITE 7 fd:01:42 0 EOF\n\
                     2: FLOCK  ADVISORY  WRITE 812 fd:01:42 0 EOF\n\
                     2: -> FLOCK  ADVISORY  WRITE 9 fd:01:42 0 EOF\n";
        assert_eq!(holder_in(locks, 42), Some(812));
        assert_eq!(holder_in(locks, 2), None);
    }
}
