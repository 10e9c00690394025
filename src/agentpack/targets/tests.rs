//! Exact paths and bytes, as upstream writes them.

use super::*;
use crate::content::sha256;
use crate::testing::Sandbox;

const SKILL_TEXT: &str = "---\nname: hello\ndescription: d\n---\nbody\n";

/// One module of each type, two of instructions.
fn sandbox(targets: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.config(
        targets,
        &[
            ("instructions:base", "instructions", "modules/base"),
            ("instructions:more", "instructions", "modules/more"),
            ("skill:hello", "skill", "modules/hello"),
            ("prompt:ask", "prompt", "modules/ask.md"),
            ("command:go", "command", "modules/go.md"),
        ],
    );
    sandbox.repo("modules/base/AGENTS.md", "base text\n");
    sandbox.repo("modules/more/AGENTS.md", "more");
    sandbox.repo("modules/hello/SKILL.md", SKILL_TEXT);
    sandbox.repo("modules/hello/deep/run.sh", "#!/bin/sh\n");
    sandbox.repo("modules/ask.md", "prompt\n");
    sandbox.repo("modules/go.md", "---\ndescription: \"do\"\n---\ngo\n");
    sandbox
}

/// Outputs as (target, path below the sandbox, hash), roots as (target, path, extras).
fn rendered(sandbox: &Sandbox) -> (Vec<String>, Vec<String>) {
    let desired = sandbox.open(None).unwrap().render().unwrap();
    let below = |path: &Path| path.strip_prefix(sandbox.path("")).unwrap().display().to_string();
    let outputs =
        desired.outputs.values().map(|o| format!("{} {}", o.target.as_str(), below(&o.path)));
    let roots = desired.roots.iter().map(|root| {
        let extras = if root.scan_extras { " extras" } else { "" };
        format!("{} {}{extras}", root.target.as_str(), below(&root.path))
    });
    (outputs.collect(), roots.collect())
}

#[test]
fn every_target_gets_its_files_where_it_looks() {
    let sandbox = sandbox(&[
        ("codex", "both"),
        (
            "claude_code",
            "scope: both, options: {write_user_skills: true, write_repo_skills: 'yes'}",
        ),
        ("cursor", "both"),
        ("vscode", "project"),
    ]);
    let (outputs, roots) = rendered(&sandbox);
    assert_eq!(
        outputs,
        [
            "claude_code home/.claude/commands/go.md",
            "claude_code home/.claude/skills/hello/SKILL.md",
            "claude_code home/.claude/skills/hello/deep/run.sh",
            "claude_code project/.claude/commands/go.md",
            "claude_code project/.claude/skills/hello/SKILL.md",
            "claude_code project/.claude/skills/hello/deep/run.sh",
            "codex home/.codex/AGENTS.md",
            "codex home/.codex/prompts/ask.md",
            "codex home/.codex/skills/hello/SKILL.md",
            "codex home/.codex/skills/hello/deep/run.sh",
            "codex project/.codex/skills/hello/SKILL.md",
            "codex project/.codex/skills/hello/deep/run.sh",
            "codex project/AGENTS.md",
            "cursor project/.cursor/rules/instructions_base--d39861fff1.mdc",
            "cursor project/.cursor/rules/instructions_more--70789dbd2a.mdc",
            "vscode project/.github/copilot-instructions.md",
            "vscode project/.github/prompts/ask.prompt.md",
        ]
    );
    assert_eq!(
        roots,
        [
            "claude_code home/.claude/commands extras",
            "claude_code home/.claude/skills extras",
            "claude_code project/.claude/commands extras",
            "claude_code project/.claude/skills extras",
            "codex home/.codex",
            "codex home/.codex/prompts extras",
            "codex home/.codex/skills extras",
            "codex project",
            "codex project/.codex/skills extras",
            "cursor project/.cursor/rules extras",
            "vscode project/.github",
            "vscode project/.github/prompts extras",
        ]
    );
}

#[test]
fn bytes_equal_upstream() {
    let sandbox = sandbox(&[("codex", "project"), ("cursor", "project")]);
    let desired = sandbox.open(None).unwrap().render().unwrap();
    let text = |name: &str| {
        let output = desired.outputs.values().find(|o| o.path.ends_with(name)).unwrap();
        let bytes = read(&output.content).unwrap();
        assert_eq!((&output.sha256, output.size), (&sha256(&bytes), bytes.len() as u64));
        (String::from_utf8(bytes).unwrap(), output.sha256.clone())
    };
    let (agents, hash) = text("AGENTS.md");
    assert_eq!(
        agents,
        "<!-- agentpack:module=instructions:base -->\nbase text\n<!-- /agentpack -->\n\n---\n\n\
         <!-- agentpack:module=instructions:more -->\nmore\n<!-- /agentpack -->"
    );
    assert_eq!(hash, "b8997670b6eb5167bf2e4bd08966d4591979fc44aa07f231cd7c7df97586b07c");
    assert_eq!(
        text("instructions_more--70789dbd2a.mdc").0,
        "---\ndescription: \"agentpack: instructions:more\"\nglobs: []\nalwaysApply: true\n---\n\nmore\n"
    );
    let skill = text("SKILL.md").1;
    assert_eq!(skill, "6be09c62122e1ca2ff439ee87affb09cc10524ad20a5fae7d5d0a465203acac9");
}

#[test]
fn one_instructions_module_is_deployed_as_it_is() {
    let sandbox = Sandbox::new();
    sandbox.config(&[("codex", "project")], &[("instructions:more", "instructions", "more")]);
    let source = sandbox.repo("more/AGENTS.md", "more");
    let desired = sandbox.open(None).unwrap().render().unwrap();
    let output = desired.outputs.values().next().unwrap();
    assert!(matches!(&output.content, Content::File(path) if *path == source));
    assert!(output.module_ids.contains("instructions:more"));
}

#[test]
fn options_turn_outputs_off_and_move_them() {
    let off = "write_agents_global: false, write_user_prompts: 'no', write_agents_repo_root: false";
    let sandbox = sandbox(&[("codex", &format!("scope: both, options: {{{off}}}"))]);
    let (outputs, roots) = rendered(&sandbox);
    assert!(outputs.iter().all(|output| output.contains("skills/hello")), "{outputs:?}");
    assert_eq!(roots.len(), 2);

    sandbox.config(
        &[("codex", "scope: both, options: {codex_home: ~/mine, skills_dir: .agents/skills}")],
        &[("skill:hello", "skill", "modules/hello")],
    );
    let (outputs, roots) = rendered(&sandbox);
    assert!(outputs.contains(&"codex home/.agents/skills/hello/SKILL.md".to_owned()));
    assert!(outputs.contains(&"codex project/.agents/skills/hello/SKILL.md".to_owned()));
    assert!(roots.contains(&"codex home/mine".to_owned()), "{roots:?}");
}

#[test]
fn the_option_wins_over_codex_home() {
    let sandbox = sandbox(&[("codex", "user")]);
    let mut environment = sandbox.environment();
    environment.vars.insert("CODEX_HOME".to_owned(), "~/from-env".to_owned());
    let roots = |environment: &Environment| {
        let workspace = crate::workspace::Workspace::open(environment, Default::default()).unwrap();
        workspace.roots().unwrap()[0].path.clone()
    };
    assert_eq!(roots(&environment), sandbox.path("home/from-env"));
    sandbox.config(&[("codex", "scope: user, options: {codex_home: ~/from-option}")], &[]);
    assert_eq!(roots(&environment), sandbox.path("home/from-option"));
}

#[test]
fn without_a_home_only_user_scope_is_impossible() {
    let sandbox = sandbox(&[("claude_code", "user"), ("cursor", "project")]);
    let mut environment = sandbox.environment();
    environment.home = None;
    let open = |target| {
        let selection = crate::workspace::Selection { target, ..Default::default() };
        crate::workspace::Workspace::open(&environment, selection).unwrap()
    };
    assert_eq!(open(Some(Target::Cursor)).render().unwrap().outputs.len(), 2);
    let failure = open(None).render().unwrap_err();
    assert_eq!(failure.kind(), Error::RootUnusable);
    assert!(failure.message().contains("HOME is not set"), "{failure}");
}

#[test]
fn prompt_names_get_one_suffix() {
    assert_eq!(prompt_name("ask.md"), "ask.prompt.md");
    assert_eq!(prompt_name("ask.prompt.md"), "ask.prompt.md");
    assert_eq!(prompt_name("a.b.md"), "a.b.prompt.md");
}
