//! Tools: get, write, delete.

use toolwright_runtime::{ErrorKind, Failure};

use super::context::{self, Context, Need};
use super::report::{self, ToolReport};
use super::warning::{Warning, WarningCode};
use super::{Engine, Guards, Mode, Target, ToolWrite, checks};
use crate::descriptor::{Prompt, Tool, assess_tool};
use crate::failure::Result;
use crate::generated::Error;
use crate::ids::ToolName;
use crate::override_file::{EntryStatus, OverrideFile};
use crate::suggest;

impl Engine {
    /// One tool with its override, defaults and what is in effect.
    pub fn get_tool(&self, target: &Target, tool_name: &str) -> Result<ToolReport> {
        let context = self.context(target, Need::Read)?;
        let get = || {
            let name = context.tool_name(tool_name)?;
            let mut report = context.tool(&name);
            if report.status.is_none() {
                let described = self.described_tool(&context, &name)?;
                if !described.is_open() {
                    report.warnings.push(
                        WarningCode::NotOverridable
                            .because(format!("Tool {name} does not accept overrides.")),
                    );
                }
            }
            report.warnings.extend(ignored(&report));
            report.warnings.extend(flawed(context.describer(), &name));
            report.warnings.extend(context.file_warnings(context.snapshot.as_ref()));
            Ok(report)
        };
        get().map_err(|failure| about(failure, &context, tool_name))
    }

    /// Writes one tool override, or only reports what it would do.
    pub fn write_tool(&self, write: &ToolWrite, mode: Mode) -> Result<ToolReport> {
        let name = ToolName::parse(&write.tool_name)?;
        let context = self.context(&write.target, Need::Write)?;
        let run = || {
            context.check_guards(&write.guards)?;
            let tool = self.writable_tool(&context, name.as_str())?;
            let Some(current) = tool.contract_hash.as_deref() else {
                return Err(locked(name.as_str()));
            };
            if let Some(received) = write.guards.expected_hash.as_deref()
                && received != current
            {
                let what = format!("tool {}", name.as_str());
                return Err(context::mismatch("expected_contract_hash", &what, current, received));
            }
            if let Some(description) = &write.description {
                checks::description(description)?;
            }
            let mut warnings = checks::parameters(tool, &write.param_descriptions)?;
            if write.description.is_none() && write.param_descriptions.is_empty() {
                warnings.push(WarningCode::NoEffect.because(
                    "The override has neither a description nor parameter texts, so it changes \
                     nothing. Delete it to return to the defaults.",
                ));
            }
            let seeded = context.describer().is_some_and(|prompt| !prompt.is_authoritative());
            let updated = context.update(&write.guards, mode, |file| {
                if seeded && file.tool(name.as_str()).is_none() {
                    return Err(self.tool_not_seeded(name.as_str()));
                }
                let description = write.description.as_deref();
                let previous = context.tool_status(file, name.as_str());
                file.set_tool(&name, current, description, &write.param_descriptions);
                Ok(previous)
            })?;
            let previous = updated.value;
            if previous == Some(EntryStatus::Stale) {
                warnings.push(WarningCode::Rebased.because(
                    "The override was made for an older contract; it is now based on the current one.",
                ));
            }
            let mut report = report::tool(&context, updated.after.as_ref(), name.as_str());
            report.warnings = context.warnings.clone();
            report.warnings.extend(warnings);
            report.warnings.extend(context.file_warnings(updated.after.as_ref()));
            report.outcome = Some(context.outcome(&updated, mode, previous));
            Ok(report)
        };
        run().map_err(|failure| about(failure, &context, name.as_str()))
    }

    /// Deletes one tool override, or only reports what it would do. Needs no descriptor.
    pub fn delete_tool(
        &self,
        target: &Target,
        tool_name: &str,
        guards: &Guards,
        mode: Mode,
    ) -> Result<ToolReport> {
        let context = self.context(target, Need::Delete)?;
        let run = || {
            let name = context.tool_name(tool_name)?;
            context.check_guards(guards)?;
            check_delete_guard(&context.tool(&name), guards)?;
            let updated = context.update(guards, mode, |file| {
                let previous = context.tool_status(file, &name);
                file.remove_tool(&name);
                Ok(previous)
            })?;
            let previous = updated.value;
            let mut report = report::tool(&context, updated.after.as_ref(), &name);
            report.warnings = context.warnings.clone();
            if previous.is_none() {
                report.warnings.push(nothing(&context, &name));
            }
            report.warnings.extend(context.delete_warnings(&updated));
            report.outcome = Some(context.outcome(&updated, mode, previous));
            Ok(report)
        };
        run().map_err(|failure| about(failure, &context, tool_name))
    }

    fn described_tool<'c>(&self, context: &'c Context<'_>, name: &str) -> Result<&'c Tool> {
        let Some(prompt) = context.describer() else {
            return Err(self.no_descriptor(format!(
                "The file has no override of tool {name}, and nothing describes the prompt, so it \
                 is not known whether there is such a tool."
            )));
        };
        match prompt.tool(name) {
            Some(tool) => Ok(tool),
            None if prompt.is_authoritative() => Err(not_found(prompt, name)),
            None => Err(self.tool_not_seeded(name)),
        }
    }

    fn writable_tool<'c>(&self, context: &'c Context<'_>, name: &str) -> Result<&'c Tool> {
        let tool = self.described_tool(context, name)?;
        if let Some(flaw) = &tool.flaw {
            let origin = context.describer().map_or("", |prompt| prompt.origin.as_str());
            return Err(Error::DescriptorInvalid
                .because(format!(
                    "The descriptor of tool {name} in `{origin}` cannot be trusted: {flaw}."
                ))
                .hint("Export the descriptors again from the application's current code."));
        }
        if tool.is_open() { Ok(tool) } else { Err(locked(name)) }
    }

    fn tool_not_seeded(&self, name: &str) -> Failure<Error> {
        self.no_descriptor(format!(
            "Tool {name} is not in the override file, and without a descriptor export only entries \
             of the file can be edited."
        ))
    }
}

impl Context<'_> {
    /// The name as the file has it, even if invalid, else a valid one.
    fn tool_name(&self, text: &str) -> Result<String> {
        let in_file = self.snapshot.as_ref().and_then(|snapshot| snapshot.file.tool(text));
        match in_file {
            Some(entry) => Ok(entry.name().to_owned()),
            None => ToolName::parse(text).map(|name| name.as_str().to_owned()),
        }
    }

    fn tool_status(&self, file: &OverrideFile, name: &str) -> Option<EntryStatus> {
        Some(assess_tool(file.tool(name)?, self.describer()).status)
    }

    fn tool(&self, name: &str) -> ToolReport {
        let mut report = report::tool(self, self.snapshot.as_ref(), name);
        report.warnings = self.warnings.clone();
        report
    }
}

/// A delete may be guarded by the hash that the entry records or by the current one.
fn check_delete_guard(report: &ToolReport, guards: &Guards) -> Result<()> {
    let Some(received) = guards.expected_hash.as_deref() else { return Ok(()) };
    let (recorded, current) = (&report.expected_contract_hash, &report.current_contract_hash);
    if [recorded, current].into_iter().flatten().any(|hash| hash == received) {
        return Ok(());
    }
    let what = format!("tool {}", report.tool_name);
    let expected = current.as_deref().or(recorded.as_deref()).unwrap_or("no override");
    Err(context::mismatch("expected_contract_hash", &what, expected, received))
}

fn ignored(report: &ToolReport) -> Option<Warning> {
    let status = report.status?;
    let problem = report.problem.as_deref().unwrap_or_default();
    matches!(status, EntryStatus::Stale | EntryStatus::Unknown | EntryStatus::Locked).then(|| {
        WarningCode::OverrideIgnored
            .because(format!("The application ignores this override: {problem}"))
    })
}

fn flawed(prompt: Option<&Prompt>, name: &str) -> Option<Warning> {
    let flaw = prompt?.tool(name)?.flaw.as_ref()?;
    Some(
        WarningCode::DescriptorFlawed
            .because(format!("The descriptor of tool {name} cannot be trusted: {flaw}.")),
    )
}

fn near(prompt: &Prompt, name: &str) -> Vec<String> {
    suggest::near(name, prompt.tools.iter().map(|tool| tool.name.as_str()))
}

fn nothing(context: &Context<'_>, name: &str) -> Warning {
    let unknown = context.describer().filter(|prompt| prompt.tool(name).is_none());
    let near = unknown.map(|prompt| near(prompt, name)).unwrap_or_default();
    WarningCode::NothingToRemove.because(format!(
        "No override found for tool {name}. Nothing to remove.{}",
        suggest::question(&near)
    ))
}

fn not_found(prompt: &Prompt, name: &str) -> Failure<Error> {
    let near = near(prompt, name);
    Error::ToolNotFound
        .because(format!(
            "Tool not found for {}/{}: {name}.{}",
            prompt.ns.as_str(),
            prompt.key.as_str(),
            suggest::question(&near)
        ))
        .hint("Check `tool_name`; if the tool is new in code, export the descriptors again.")
        .with("field", "tool_name")
        .with("suggestions", near)
}

fn locked(name: &str) -> Failure<Error> {
    Error::ToolLocked
        .because(format!(
            "Tool {name} does not accept overrides; the application would ignore one."
        ))
        .hint("Override another tool, or set `accepts_overrides` in code and export again.")
        .with("field", "tool_name")
}

fn about(failure: Failure<Error>, context: &Context<'_>, name: &str) -> Failure<Error> {
    context::name(failure.with_default("tool_name", name), &context.prompt)
}
