//! Sections: get, write, delete.

use toolwright_runtime::{ErrorKind, Failure};

use super::context::{self, Context, Need};
use super::report::{self, SectionName, SectionReport};
use super::warning::{Warning, WarningCode};
use super::{Engine, Guards, Mode, SectionWrite, Target, checks};
use crate::descriptor::{Prompt, Section, assess_section};
use crate::failure::Result;
use crate::generated::Error;
use crate::ids::SectionPath;
use crate::override_file::{EntryStatus, OverrideFile};
use crate::suggest;

impl Engine {
    /// One section with its override, default and metadata.
    pub fn get_section(&self, target: &Target, section_path: &str) -> Result<SectionReport> {
        let context = self.context(target, Need::Read)?;
        let get = || {
            let file = context.snapshot.as_ref().map(|snapshot| &snapshot.file);
            let name = SectionName::find(section_path, file)?;
            let mut report = context.section(&name);
            if let Some(path) = name.path() {
                if report.status.is_none() && !self.described_section(&context, path)?.is_open() {
                    report.warnings.push(
                        WarningCode::NotOverridable.because(format!(
                            "Section {} does not accept overrides.",
                            path.as_str()
                        )),
                    );
                }
                report.warnings.extend(flawed(context.describer(), path));
            }
            report.warnings.extend(ignored(&report));
            report.warnings.extend(context.file_warnings(context.snapshot.as_ref()));
            Ok(report)
        };
        get().map_err(|failure| about(failure, &context, section_path))
    }

    /// Writes one section override, or only reports what it would do.
    pub fn write_section(&self, write: &SectionWrite, mode: Mode) -> Result<SectionReport> {
        let path = SectionPath::parse(&write.section_path)?;
        checks::storable("body", &write.body)?;
        let context = self.context(&write.target, Need::Write)?;
        let run = || {
            context.check_guards(&write.guards)?;
            let section = self.writable_section(&context, &path)?;
            let Some(current) = section.content_hash.as_deref() else {
                return Err(locked(&path));
            };
            if let Some(received) = write.guards.expected_hash.as_deref()
                && received != current
            {
                let what = format!("section {}", path.as_str());
                return Err(context::mismatch("expected_hash", &what, current, received));
            }
            let name = SectionName::Path(path.clone());
            let before = context.section(&name);
            let mut warnings = checks::body(section, before.override_body.as_deref(), &write.body)?;
            let seeded = context.describer().is_some_and(|prompt| !prompt.is_authoritative());
            let updated = context.update(&write.guards, mode, |file| {
                if seeded && file.section(&path).is_none() {
                    return Err(self.not_seeded(&path));
                }
                let previous = context.section_status(file, &name);
                file.set_section(&path, current, &write.body);
                Ok(previous)
            })?;
            let previous = updated.value;
            if previous == Some(EntryStatus::Stale) {
                warnings.push(WarningCode::Rebased.because(
                    "The override was made for an older default; it is now based on the current one.",
                ));
            }
            let mut report = report::section(&context, updated.after.as_ref(), &name);
            report.warnings = context.warnings.clone();
            report.warnings.extend(warnings);
            report.warnings.extend(context.file_warnings(updated.after.as_ref()));
            report.outcome = Some(context.outcome(&updated, mode, previous));
            Ok(report)
        };
        run().map_err(|failure| about(failure, &context, path.as_str()))
    }

    /// Deletes one section override, or only reports what it would do. Needs no descriptor.
    pub fn delete_section(
        &self,
        target: &Target,
        section_path: &str,
        guards: &Guards,
        mode: Mode,
    ) -> Result<SectionReport> {
        let context = self.context(target, Need::Delete)?;
        let run = || {
            let file = context.snapshot.as_ref().map(|snapshot| &snapshot.file);
            let name = SectionName::find(section_path, file)?;
            context.check_guards(guards)?;
            check_delete_guard(&context.section(&name), guards)?;
            let updated = context.update(guards, mode, |file| {
                let previous = context.section_status(file, &name);
                match &name {
                    SectionName::Path(path) => file.remove_section(path),
                    SectionName::Key(key) => file.remove_section_key(key),
                };
                Ok(previous)
            })?;
            let previous = updated.value;
            let mut report = report::section(&context, updated.after.as_ref(), &name);
            report.warnings = context.warnings.clone();
            if previous.is_none() {
                report.warnings.push(nothing(&context, &name));
            }
            report.warnings.extend(context.delete_warnings(&updated));
            report.outcome = Some(context.outcome(&updated, mode, previous));
            Ok(report)
        };
        run().map_err(|failure| about(failure, &context, section_path))
    }

    fn described_section<'c>(
        &self,
        context: &'c Context<'_>,
        path: &SectionPath,
    ) -> Result<&'c Section> {
        let Some(prompt) = context.describer() else {
            return Err(self.no_descriptor(format!(
                "The file has no override of section {}, and nothing describes the prompt, so it is \
                 not known whether there is such a section.",
                path.as_str()
            )));
        };
        match prompt.section(path) {
            Some(section) => Ok(section),
            None if prompt.is_authoritative() => Err(not_found(prompt, path)),
            None => Err(self.not_seeded(path)),
        }
    }

    fn writable_section<'c>(
        &self,
        context: &'c Context<'_>,
        path: &SectionPath,
    ) -> Result<&'c Section> {
        let section = self.described_section(context, path)?;
        if let Some(flaw) = &section.flaw {
            let origin = context.describer().map_or("", |prompt| prompt.origin.as_str());
            return Err(Error::DescriptorInvalid
                .because(format!(
                    "The descriptor of section {} in `{origin}` cannot be trusted: {flaw}.",
                    path.as_str()
                ))
                .hint("Export the descriptors again from the application's current code."));
        }
        if section.is_open() { Ok(section) } else { Err(locked(path)) }
    }

    fn not_seeded(&self, path: &SectionPath) -> Failure<Error> {
        self.no_descriptor(format!(
            "Section {} is not in the override file, and without a descriptor export only entries \
             of the file can be edited.",
            path.as_str()
        ))
    }
}

impl Context<'_> {
    fn section_status(&self, file: &OverrideFile, name: &SectionName) -> Option<EntryStatus> {
        let entry = match name {
            SectionName::Path(path) => file.section(path),
            SectionName::Key(key) => file.section_by_key(key),
        };
        Some(assess_section(entry?, self.describer()).status)
    }

    fn section(&self, name: &SectionName) -> SectionReport {
        let mut report = report::section(self, self.snapshot.as_ref(), name);
        report.warnings = self.warnings.clone();
        report
    }
}

/// A delete may be guarded by the hash that the entry records or by the current one.
fn check_delete_guard(report: &SectionReport, guards: &Guards) -> Result<()> {
    let Some(received) = guards.expected_hash.as_deref() else { return Ok(()) };
    let (recorded, current) = (&report.expected_hash, &report.current_hash);
    if [recorded, current].into_iter().flatten().any(|hash| hash == received) {
        return Ok(());
    }
    let what = format!("section {}", report.section_path);
    let expected = current.as_deref().or(recorded.as_deref()).unwrap_or("no override");
    Err(context::mismatch("expected_hash", &what, expected, received))
}

fn ignored(report: &SectionReport) -> Option<Warning> {
    let status = report.status?;
    let problem = report.problem.as_deref().unwrap_or_default();
    matches!(status, EntryStatus::Stale | EntryStatus::Unknown | EntryStatus::Locked).then(|| {
        WarningCode::OverrideIgnored
            .because(format!("The application ignores this override: {problem}"))
    })
}

fn flawed(prompt: Option<&Prompt>, path: &SectionPath) -> Option<Warning> {
    let flaw = prompt?.section(path)?.flaw.as_ref()?;
    Some(
        WarningCode::DescriptorFlawed.because(format!(
            "The descriptor of section {} cannot be trusted: {flaw}.",
            path.as_str()
        )),
    )
}

fn nothing(context: &Context<'_>, name: &SectionName) -> Warning {
    let unknown = |path| context.describer().filter(|prompt| prompt.section(path).is_none());
    let near = name.path().and_then(|path| Some(near(unknown(path)?, path))).unwrap_or_default();
    WarningCode::NothingToRemove.because(format!(
        "No override found for section {}. Nothing to remove.{}",
        name.as_str(),
        suggest::question(&near)
    ))
}

fn near(prompt: &Prompt, path: &SectionPath) -> Vec<String> {
    suggest::near(path.as_str(), prompt.sections.iter().map(|section| section.path.as_str()))
}

fn not_found(prompt: &Prompt, path: &SectionPath) -> Failure<Error> {
    let near = near(prompt, path);
    Error::SectionNotFound
        .because(format!(
            "Section not found for {}/{}: {}.{}",
            prompt.ns.as_str(),
            prompt.key.as_str(),
            path.as_str(),
            suggest::question(&near)
        ))
        .hint("Send the path with slashes; if the section is new in code, export again.")
        .with("field", "section_path")
        .with("suggestions", near)
}

fn locked(path: &SectionPath) -> Failure<Error> {
    Error::SectionLocked
        .because(format!(
            "Section {} does not accept overrides; the application would ignore one.",
            path.as_str()
        ))
        .hint("Override another section, or set `accepts_overrides` in code and export again.")
        .with("field", "section_path")
}

fn about(failure: Failure<Error>, context: &Context<'_>, path: &str) -> Failure<Error> {
    context::name(failure.with_default("section_path", path), &context.prompt)
}
