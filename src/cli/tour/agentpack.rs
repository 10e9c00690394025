//! The chapter about agentpack: a config repo is planned, confirmed and deployed; an edit is
//! proposed back and rolled back.

use serde_json::{Value, json};

use super::session::{Error, TourSession, text};

const REPO: &str = "home/.agentpack/repo";
const AGENTS: &str = "home/.codex/AGENTS.md";
const CONFIG: &str = "version: 1
profiles:
  default: {include_tags: [daily]}
targets:
  codex: {mode: files, scope: user}
  cursor: {mode: files, scope: project}
modules:
  - {id: 'instructions:base', type: instructions, tags: [daily], source: {local_path: {path: modules/base}}}
  - {id: 'prompt:review', type: prompt, tags: [daily], source: {local_path: {path: modules/review.md}}}
  - {id: 'skill:greet', type: skill, tags: [daily], source: {local_path: {path: modules/greet}}}
";

/// Runs the chapter.
pub(super) fn run(session: &mut TourSession) -> Result<(), Error> {
    if std::process::Command::new("git").arg("--version").output().is_err() {
        session.step("This chapter is skipped: it needs git, which is not on PATH.");
        return Ok(());
    }
    set_up(session)?;

    session.step("A config repo, three modules, two assistants. What would a deploy do?");
    let plan = session.call("plan", json!({}))?;
    list(session, &plan["data"]["changes"], "op");

    session.step(
        "`deploy` writes nothing. It shows the plan and issues a token for exactly that plan.",
    );
    let token = review(session)?;

    session.step("The token alone is not enough: the user has to agree.");
    session.expect_error("deploy_apply", json!({"confirm_token": token}), "E_CONFIRM_REQUIRED")?;

    session.step("With both, the reviewed plan is applied, all or nothing.");
    let first = apply(session, &token)?;
    session.expect_error(
        "deploy_apply",
        json!({"yes": true, "confirm_token": token}),
        "E_CONFIRM_TOKEN_MISMATCH",
    )?;

    session.step("A user edits a deployed file. `status` reports the drift and its origin.");
    let edited = session.read(AGENTS)?.replace("Be brief.", "Be brief. Show the command you ran.");
    session.write(AGENTS, &edited)?;
    let status = session.call("status", json!({}))?;
    list(session, &status["data"]["drift"], "cause");

    session.step("The edit becomes a branch of the repo for review; the checkout is not touched.");
    let proposal = session.call("evolve_propose", json!({"yes": true, "branch": "from-codex"}))?;
    let branch = text(&proposal["data"]["branch"]);
    session.show(&format!("branch {branch}: {}", text(&proposal["data"]["files"][0])));
    let change = session.run(REPO, &["git", "show", "--format=%s", "--stat", branch])?;
    session.show(&quoted(&change));

    session.step("After the merge, the next deploy updates the cursor rule of the same module.");
    session.run(REPO, &["git", "merge", "--quiet", branch])?;
    let token = review(session)?;
    apply(session, &token)?;
    let status = session.call("status", json!({}))?;
    session.show(&format!("drift: {}", status["data"]["drift"]));

    session.step("A rollback restores the first deploy, byte for byte.");
    let back = session.call("rollback", json!({"to": first, "yes": true}))?;
    session.show(&format!("{} files written or removed", back["data"]["files"]));
    if session.read(AGENTS)?.contains("Show the command") {
        return Err("the rollback left the newer text".into());
    }
    Ok(())
}

/// A separate home, config repo and project; no files of the user are read.
fn set_up(session: &mut TourSession) -> Result<(), Error> {
    for (name, folder) in [
        ("HOME", "home"),
        ("AGENTPACK_HOME", "home/.agentpack"),
        ("AGENTPACK_PROJECT_DIR", "project"),
        ("CODEX_HOME", "home/.codex"),
    ] {
        let path = session.path(folder).display().to_string();
        session.set(name, path);
    }
    for (name, value) in [
        ("AGENTPACK_MACHINE_ID", "tour"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_AUTHOR_NAME", "Tour"),
        ("GIT_AUTHOR_EMAIL", "tour@example.com"),
        ("GIT_COMMITTER_NAME", "Tour"),
        ("GIT_COMMITTER_EMAIL", "tour@example.com"),
    ] {
        session.set(name, value);
    }
    session.start_in("project");
    session.write("project/.gitignore", ".agentpack.manifest*.json\n")?;
    session.write(&format!("{REPO}/agentpack.yaml"), CONFIG)?;
    session.write(&format!("{REPO}/modules/base/AGENTS.md"), "# House rules\n\nBe brief.\n")?;
    session.write(&format!("{REPO}/modules/review.md"), "Review the diff and name the risks.\n")?;
    session.write(
        &format!("{REPO}/modules/greet/SKILL.md"),
        "---\nname: greet\ndescription: Greets a newcomer\n---\nSay hello.\n",
    )?;
    for words in [
        &["git", "init", "--quiet", "--initial-branch=main"][..],
        &["git", "add", "--all"],
        &["git", "commit", "--quiet", "--message=First modules"],
    ] {
        session.run(REPO, words)?;
    }
    Ok(())
}

fn review(session: &mut TourSession) -> Result<String, Error> {
    let reviewed = session.call("deploy", json!({}))?;
    let data = &reviewed["data"];
    session.show(&format!(
        "{}; plan {}…, good until {}",
        counts(&data["summary"]),
        text(&data["confirm_plan_hash"]).get(..12).unwrap_or_default(),
        text(&data["confirm_token_expires_at"]),
    ));
    Ok(text(&data["confirm_token"]).to_owned())
}

fn apply(session: &mut TourSession, token: &str) -> Result<String, Error> {
    let applied = session.call("deploy_apply", json!({"yes": true, "confirm_token": token}))?;
    let snapshot = text(&applied["data"]["snapshot_id"]);
    session.show(&format!("{}; snapshot {snapshot}", counts(&applied["data"]["summary"])));
    Ok(snapshot.to_owned())
}

fn counts(summary: &Value) -> String {
    format!(
        "{} to create, {} to update, {} to delete",
        summary["create"], summary["update"], summary["delete"]
    )
}

/// One line per file: its status, its target, its path.
fn list(session: &TourSession, files: &Value, word: &str) {
    let base = format!("{}/", session.path("").display());
    for file in files.as_array().into_iter().flatten() {
        let path = text(&file["path"]);
        let path = path.strip_prefix(base.trim_end_matches('/')).unwrap_or(path);
        let (word, target) = (text(&file[word]), text(&file["target"]));
        session.show(&format!("{word:<8} {target:<8} …{path}"));
    }
}

fn quoted(text: &str) -> String {
    text.lines().map(|line| format!("| {line}\n")).collect()
}
