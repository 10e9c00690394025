//! Spec files of a git revision, read with the `git` program. Nothing is checked out.

use std::path::{Path, PathBuf};
use std::time::Duration;

use toolwright_codegen::diff::ACCEPTED_FILE;
use toolwright_codegen::{Files, is_read};

use super::Problem;
use toolwright_platform::process::{self, Program};

/// Time limit of a git command.
const LIMIT: Duration = Duration::from_secs(30);

/// Mode of a symbolic link in a tree.
const LINK: &str = "120000";

/// The specs of a revision.
pub(super) struct Found {
    pub(super) revision: String,
    /// Folder within the revision.
    pub(super) folder: String,
    pub(super) files: Files,
    pub(super) accepted: Option<Vec<u8>>,
}

/// Reads `REVISION` (of the folder `specs`) or `REVISION:FOLDER`.
pub(super) fn read(name: &str, specs: &str) -> Result<Found, Problem> {
    let git = Git::beside(specs);
    let (revision, folder, tree) = match name.split_once(':') {
        Some((revision, folder)) => {
            let folder = folder.trim_end_matches('/');
            (revision, folder.to_owned(), format!("{revision}:{folder}"))
        }
        // `./` is where git is run: beside the folder.
        None => (name, specs.to_owned(), format!("{name}:./{}", git.leaf)),
    };
    git.known(name, revision)?;
    let Some(tree) = git.line(&["rev-parse", "--verify", "--quiet", &tree]) else {
        return Err(Problem::Said(format!(
            "revision `{revision}` has no folder `{folder}`; use `--specs FOLDER` or \
             `{revision}:FOLDER`"
        )));
    };
    let listing = git.run(&["ls-tree", "-r", "-z", "--full-tree", &tree], b"")?;
    let listing = String::from_utf8_lossy(&listing).into_owned();
    let blobs: Vec<Blob<'_>> = listing.split('\0').filter_map(Blob::parse).collect();
    let mut contents = git.contents(&blobs)?;
    let accepted = blobs
        .iter()
        .position(|blob| blob.path == ACCEPTED_FILE)
        .and_then(|index| contents.get(index).cloned()?.ok());
    let files = blobs
        .iter()
        .zip(contents.drain(..))
        .filter(|(blob, _)| is_read(blob.path))
        .map(|(blob, content)| (blob.path.to_owned(), content))
        .collect();
    Ok(Found { revision: revision.to_owned(), folder, files, accepted })
}

/// The commit date of a revision: `2026-01-31`.
pub(super) fn day(specs: &str, revision: &str) -> Option<String> {
    let plain = ["-c", "log.showSignature=false", "log", "-1", "--date=short", "--format=%cd"];
    Git::beside(specs).line(&[&plain[..], &[revision, "--"]].concat())
}

/// A file of a tree.
struct Blob<'l> {
    mode: &'l str,
    id: &'l str,
    path: &'l str,
}

impl<'l> Blob<'l> {
    /// `<mode> blob <id>\t<path>`
    fn parse(line: &'l str) -> Option<Self> {
        let (about, path) = line.split_once('\t')?;
        let mut about = about.split(' ');
        let (mode, kind, id) = (about.next()?, about.next()?, about.next()?);
        let counts = kind == "blob" && (is_read(path) || path == ACCEPTED_FILE);
        counts.then_some(Self { mode, id, path })
    }
}

/// The program, run beside the specs.
struct Git {
    folder: PathBuf,
    /// Name of the specs folder there.
    leaf: String,
}

impl Git {
    fn beside(specs: &str) -> Self {
        let path = Path::new(specs);
        let Some(leaf) = path.file_name() else {
            return Self { folder: path.to_owned(), leaf: String::new() };
        };
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let folder = parent.unwrap_or(Path::new(".")).to_owned();
        Self { folder, leaf: leaf.to_string_lossy().into_owned() }
    }

    /// Explains why a revision is not available.
    fn known(&self, name: &str, revision: &str) -> Result<(), Problem> {
        if self.line(&["rev-parse", "--git-dir"]).is_none() {
            return Err(Problem::NoHistory(format!(
                "`{name}` is not a folder, and there is no git repository here for a revision; name two \
                 folders of specs"
            )));
        }
        let commit = format!("{revision}^{{commit}}");
        let plain = !revision.starts_with('-') && !revision.is_empty();
        if plain && self.line(&["rev-parse", "--verify", "--quiet", &commit]).is_some() {
            return Ok(());
        }
        let shallow = self.line(&["rev-parse", "--is-shallow-repository"]);
        if shallow.as_deref() == Some("true") {
            return Err(Problem::NoHistory(format!(
                "revision `{revision}` is not in this shallow clone; run `git fetch --unshallow`"
            )));
        }
        Err(Problem::Said(format!(
            "`{name}` is neither a folder nor a revision of this repository; name a folder of \
             specs, or a branch, tag or commit that `git log` shows (try `git fetch`)"
        )))
    }

    /// The first line of the output; none if git fails.
    fn line(&self, arguments: &[&str]) -> Option<String> {
        let answer = self.run(arguments, b"").ok()?;
        Some(String::from_utf8_lossy(&answer).lines().next()?.to_owned())
    }

    fn run(&self, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>, Problem> {
        let failed = |why: String| Problem::Said(format!("git {}: {why}", arguments.join(" ")));
        let program =
            Program { path: Path::new("git"), cwd: Some(&self.folder), vars: None, timeout: LIMIT };
        match program.run(arguments, input) {
            Ok(finished) if finished.success() => Ok(finished.stdout),
            Ok(finished) => Err(failed(finished.how())),
            Err(process::Error::Io(error)) => Err(failed(error.to_string())),
            Err(process::Error::TimedOut(said)) => Err(failed(format!("took too long {said}"))),
        }
    }

    /// Contents of the blobs, in order.
    fn contents(&self, blobs: &[Blob<'_>]) -> Result<Vec<toolwright_codegen::Content>, Problem> {
        let ids: String = blobs.iter().map(|blob| format!("{}\n", blob.id)).collect();
        let answer = self.run(&["cat-file", "--batch"], ids.as_bytes())?;
        let mut bytes = answer.as_slice();
        let contents = blobs.iter().map(|blob| {
            let content = next_object(&mut bytes)?;
            Some(match blob.mode {
                LINK => Err("symbolic links in a revision are not followed".to_owned()),
                _ => Ok(content),
            })
        });
        contents
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| Problem::Said("git cat-file: unexpected output".to_owned()))
    }
}

/// `<id> blob <size>\n<bytes>\n`
fn next_object(bytes: &mut &[u8]) -> Option<Vec<u8>> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let (head, rest) = (bytes.get(..end)?, bytes.get(end + 1..)?);
    let size: usize = std::str::from_utf8(head).ok()?.rsplit(' ').next()?.parse().ok()?;
    let content = rest.get(..size)?.to_vec();
    *bytes = rest.get(size + 1..)?;
    Some(content)
}
