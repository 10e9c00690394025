//! The context of an operation: the file, its content and the prompt's descriptor.

use std::path::PathBuf;
use std::sync::Arc;

use toolwright_runtime::{ErrorKind, Failure};

use super::warning::{Warning, WarningCode};
use super::{Engine, Guards, Mode, Outcome, Target};
use crate::descriptor::{DESCRIPTOR_VERSION, Lookup, Prompt, from_seeded_file};
use crate::descriptor::{assess_section, assess_tool};
use crate::failure::Result;
use crate::generated::Error;
use crate::ids::PromptRef;
use crate::override_file::{EntryStatus, Format, OverrideFile};
use crate::store::{Change, Snapshot, Store, Updated};
use crate::suggest;

/// What an operation needs besides the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// A descriptor: writing without one would be guessing.
    Write,
    /// A descriptor or a file.
    Read,
    /// Nothing: the file is enough.
    Delete,
}

/// The start of every operation on one prompt.
#[derive(Debug)]
pub(super) struct Context<'a> {
    pub(super) store: &'a Store,
    pub(super) prompt: PromptRef,
    pub(super) path: PathBuf,
    pub(super) snapshot: Option<Snapshot>,
    pub(super) described: Option<Arc<Prompt>>,
    pub(super) warnings: Vec<Warning>,
    new_format: Format,
}

impl Engine {
    /// Reads file and descriptor; failures name the prompt.
    pub(super) fn context(&self, target: &Target, need: Need) -> Result<Context<'_>> {
        let store = self.store()?;
        let prompt = PromptRef::parse(&target.ns, &target.prompt, target.tag.as_deref())?;
        let gather = || {
            let snapshot = store.read(&prompt)?;
            let path = store.file_path(&prompt);
            let mut warnings = Vec::new();
            let described = self.describe(&prompt, snapshot.as_ref(), need, &mut warnings)?;
            let exported = described.as_ref().and_then(|described| described.format);
            Ok(Context {
                store,
                path,
                snapshot,
                described,
                warnings,
                new_format: exported.or(self.default_format).unwrap_or(Format::Two),
                prompt: prompt.clone(),
            })
        };
        gather().map_err(|failure| name(failure, &prompt))
    }

    fn describe(
        &self,
        prompt: &PromptRef,
        snapshot: Option<&Snapshot>,
        need: Need,
        warnings: &mut Vec<Warning>,
    ) -> Result<Option<Arc<Prompt>>> {
        let id = format!("{}/{}", prompt.ns.as_str(), prompt.prompt.as_str());
        match self.descriptors.lookup(&prompt.ns, &prompt.prompt) {
            Ok(Lookup::Found(described)) => Ok(Some(described)),
            Ok(Lookup::NotFound(near)) => {
                let readable = need == Need::Read && snapshot.is_some();
                if need == Need::Write || (need == Need::Read && !readable) {
                    return Err(prompt_not_found(&id, &near));
                }
                let question = suggest::question(&near);
                warnings.push(WarningCode::PromptNotExported.because(format!(
                    "No descriptor export has the prompt {id}, so it is not known whether its \
                     overrides apply.{question}"
                )));
                Ok(None)
            }
            Ok(Lookup::NoSource) => match snapshot {
                Some(snapshot) => {
                    warnings.push(WarningCode::StalenessUnknown.because(
                        "There is no descriptor export, so it is not known whether overrides are \
                         stale. Export the descriptors to find out.",
                    ));
                    let origin = self.store()?.file_path(prompt).display().to_string();
                    Ok(Some(Arc::new(from_seeded_file(prompt, &snapshot.file, &origin))))
                }
                None if need == Need::Delete => Ok(None),
                None => Err(self.no_descriptor(format!(
                    "Nothing describes the prompt {id}: there is no descriptor export and no override \
                     file."
                ))),
            },
            Err(failure) if need == Need::Delete => {
                let message = failure.message();
                warnings.push(WarningCode::DescriptorUnavailable.because(message));
                Ok(None)
            }
            Err(failure) => Err(failure),
        }
    }

    /// A failure with instructions for exporting descriptors.
    pub(super) fn no_descriptor(&self, message: impl Into<String>) -> Failure<Error> {
        let place = self.descriptors.default_file();
        let place = place.map_or_else(
            || "a file and set WINK_DESCRIPTORS to it".to_owned(),
            |place| format!("`{}`", place.display()),
        );
        Error::NoDescriptor
            .because(message)
            .hint(format!(
                "Export the descriptors of the application's prompts to {place} (`wink \
                 export-helper` prints the Python exporter), or set `descriptor_command` or \
                 `prompt_registry_modules`."
            ))
            .with("descriptors", self.descriptors.default_file())
    }
}

impl Context<'_> {
    /// The descriptor, if there is one.
    pub(super) fn describer(&self) -> Option<&Prompt> {
        self.described.as_deref()
    }

    /// Checks the guards that do not concern one entry.
    pub(super) fn check_guards(&self, guards: &Guards) -> Result<()> {
        if let Some(received) = guards.descriptor_version
            && received != DESCRIPTOR_VERSION
        {
            return Err(Error::DescriptorVersionMismatch
                .because(format!(
                    "Descriptor version mismatch. Expected {DESCRIPTOR_VERSION}, received {received}."
                ))
                .hint("Leave `descriptor_version` out, or use `descriptor_hash`, which detects drift.")
                .with("field", "descriptor_version")
                .with("expected", DESCRIPTOR_VERSION)
                .with("received", received));
        }
        let Some(received) = guards.descriptor_hash.as_deref() else { return Ok(()) };
        match self.describer().and_then(Prompt::hash) {
            Some(current) if current == received => Ok(()),
            Some(current) => Err(mismatch("descriptor_hash", "the descriptor", &current, received)),
            None => Err(mismatch("descriptor_hash", "the descriptor", "none to be had", received)),
        }
    }

    /// Applies a change, or only computes it.
    pub(super) fn update<T>(
        &self,
        guards: &Guards,
        mode: Mode,
        edit: impl FnMut(&mut OverrideFile) -> Result<T>,
    ) -> Result<Updated<T>> {
        let if_content_hash = guards.if_content_hash.as_deref();
        let change = Change { if_content_hash, new_format: self.new_format, mode };
        let updated = self.store.update(&self.prompt, change, edit)?;
        tracing::debug!(
            event = "prompt_override_persisted",
            ns = self.prompt.ns.as_str(),
            prompt_key = self.prompt.prompt.as_str(),
            tag = self.prompt.tag.as_str(),
            changed = updated.changed,
            deleted = updated.deleted,
            rehearsed = mode == Mode::DryRun,
        );
        Ok(updated)
    }

    /// Warnings about the file as a whole.
    pub(super) fn file_warnings(&self, snapshot: Option<&Snapshot>) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let Some(snapshot) = snapshot else { return warnings };
        let prompt = self.describer();
        let format = snapshot.file.format();
        if let Some(reads) =
            prompt.and_then(|prompt| prompt.format).filter(|reads| *reads != format)
        {
            warnings.push(WarningCode::FormatDisagrees.because(format!(
                "The file has format {}, but the application reads format {} and fails on it; \
                 library releases {} read the file.",
                format.number(),
                reads.number(),
                format.releases()
            )));
        }
        let sections = snapshot
            .file
            .sections()
            .map(|entry| (format!("section `{}`", entry.key()), assess_section(entry, prompt)));
        let tools = snapshot
            .file
            .tools()
            .map(|entry| (format!("tool `{}`", entry.name()), assess_tool(entry, prompt)));
        for (what, verdict) in sections.chain(tools) {
            if verdict.status == EntryStatus::Invalid {
                warnings.push(WarningCode::FileRejected.because(format!(
                    "The library rejects the whole file because of {what}: {}",
                    verdict.problem.unwrap_or_default()
                )));
                break;
            }
        }
        warnings
    }

    /// Warnings after a delete.
    pub(super) fn delete_warnings<T>(&self, updated: &Updated<T>) -> Vec<Warning> {
        let Some(after) = &updated.after else {
            let dropped = self.snapshot.as_ref().map(|before| before.file.extra_keys());
            return match dropped {
                Some(keys) if updated.deleted && !keys.is_empty() => {
                    vec![WarningCode::ExtraKeysDropped.because(format!(
                        "The file was deleted together with keys that the library does not know: `{}`.",
                        keys.join("`, `")
                    ))]
                }
                _ => Vec::new(),
            };
        };
        let mut warnings = self.file_warnings(Some(after));
        let Some(prompt) = self.describer().filter(|prompt| prompt.is_authoritative()) else {
            return warnings;
        };
        let sections =
            after.file.sections().map(|entry| assess_section(entry, Some(prompt)).status);
        let tools = after.file.tools().map(|entry| assess_tool(entry, Some(prompt)).status);
        let ignored = |status| {
            matches!(status, EntryStatus::Stale | EntryStatus::Unknown | EntryStatus::Locked)
        };
        if sections.chain(tools).all(ignored) && after.file.task_examples() == 0 {
            warnings.push(WarningCode::OnlyIgnoredRemain.because(
                "Only overrides that the application ignores are left in the file. An application \
                 that calls `seed` will fail on it; delete or rewrite them.",
            ));
        }
        warnings
    }

    /// The report of a finished change.
    pub(super) fn outcome<T>(
        &self,
        updated: &Updated<T>,
        mode: Mode,
        previous: Option<EntryStatus>,
    ) -> Outcome {
        Outcome {
            changed: updated.changed,
            file_deleted: updated.deleted,
            dry_run: mode == Mode::DryRun,
            previous,
        }
    }
}

/// Adds the prompt's name to a failure.
pub(super) fn name(failure: Failure<Error>, prompt: &PromptRef) -> Failure<Error> {
    failure
        .with_default("ns", prompt.ns.as_str())
        .with_default("prompt", prompt.prompt.as_str())
        .with_default("tag", prompt.tag.as_str())
}

fn prompt_not_found(id: &str, near: &[String]) -> Failure<Error> {
    Error::PromptNotFound
        .because(format!("Prompt not found: {id}.{}", suggest::question(near)))
        .hint(
            "Check `ns` and `prompt`; if the prompt is new in code, export the descriptors again.",
        )
        .with("suggestions", near)
}

/// A guard's hash is not the current one.
pub(super) fn mismatch(field: &str, what: &str, current: &str, received: &str) -> Failure<Error> {
    Error::HashMismatch
        .because(format!("Hash mismatch for {what}. Expected {current}, received {received}."))
        .hint(
            "The code changed since you read it: get the override again, review the current \
             default, and retry with the current hash.",
        )
        .with("field", field)
        .with("expected", current)
        .with("received", received)
}
