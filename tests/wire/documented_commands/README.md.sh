# A project of wink, a config repo of agentpack; panes of wa end with the shell.
cp -r "$ROOT/tests/golden/wink/v2" overrides
cp "$ROOT/tests/golden/wink/descriptors.json" .
export WINK_OVERRIDES_DIR="$PWD/overrides" WINK_DESCRIPTORS="$PWD/descriptors.json"
repo="$HOME/.agentpack/repo"
mkdir -p "$repo/modules/prompts"
echo 'Draft a reply.' > "$repo/modules/prompts/draft.md"
cat > "$repo/agentpack.yaml" <<'YAML'
version: 1
profiles:
  default: {include_tags: [all]}
targets:
  codex: {mode: files, scope: user}
modules:
  - {id: 'prompt:draft', type: prompt, tags: [all], source: {local_path: {path: modules/prompts/draft.md}}}
YAML
trap 'wa close "$pane" >"$HOME/closed" 2>&1' EXIT
