CREATE TABLE workspaces (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT NOT NULL, name TEXT NOT NULL, owner_id TEXT NOT NULL,
  dims BIGINT, embedding_model TEXT, created_at BIGINT NOT NULL);
CREATE UNIQUE INDEX workspaces_id ON workspaces (id);
CREATE UNIQUE INDEX workspaces_name ON workspaces (name);

CREATE TABLE workspace_memberships (
  user_id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  role TEXT NOT NULL, created_at BIGINT NOT NULL,
  CONSTRAINT membership_role CHECK (role IN ('owner', 'admin', 'member')));

CREATE TABLE workspace_governance_settings (
  workspace_id TEXT PRIMARY KEY REFERENCES workspaces (id),
  governance_enabled BOOLEAN NOT NULL, validator_required BOOLEAN NOT NULL,
  direct_substrate_writes BOOLEAN NOT NULL, ep_onboarding_dump TEXT NOT NULL,
  ep_manual_edit TEXT NOT NULL, ep_graph_action TEXT NOT NULL, ep_timeline_restore TEXT NOT NULL,
  default_blast_radius TEXT NOT NULL, updated_at BIGINT NOT NULL, updated_by TEXT NOT NULL);

CREATE TABLE integration_tokens (
  id TEXT PRIMARY KEY, token_hash TEXT NOT NULL, user_id TEXT NOT NULL,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id), description TEXT NOT NULL,
  created_at BIGINT NOT NULL, revoked_at BIGINT, last_used_at BIGINT);
CREATE UNIQUE INDEX integration_tokens_hash ON integration_tokens (token_hash);

CREATE TABLE baskets (
  id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL REFERENCES workspaces (id), name TEXT NOT NULL,
  status TEXT NOT NULL, mode TEXT NOT NULL, user_id TEXT NOT NULL, created_at BIGINT NOT NULL,
  revision BIGINT NOT NULL, blocks BIGINT NOT NULL, items BIGINT NOT NULL, dumps BIGINT NOT NULL,
  proposed BIGINT NOT NULL, source_host TEXT NOT NULL, source_session TEXT,
  CONSTRAINT basket_status CHECK (status IN ('INIT', 'ACTIVE', 'ARCHIVED', 'DEPRECATED')));
CREATE INDEX baskets_by_workspace ON baskets (workspace_id, revision, blocks, items, dumps, proposed);

CREATE TABLE basket_anchors (
  basket_id TEXT NOT NULL REFERENCES baskets (id), anchor_key TEXT NOT NULL, label TEXT NOT NULL,
  scope TEXT NOT NULL, linked_substrate_id TEXT, PRIMARY KEY (basket_id, anchor_key));

CREATE TABLE basket_signatures (
  basket_id TEXT PRIMARY KEY REFERENCES baskets (id), workspace_id TEXT NOT NULL,
  revision BIGINT NOT NULL, active BOOLEAN NOT NULL, summary TEXT NOT NULL, anchors TEXT NOT NULL,
  entities TEXT NOT NULL, keywords TEXT NOT NULL, centroid BYTEA NOT NULL, weight DOUBLE PRECISION NOT NULL,
  weighed_at BIGINT NOT NULL, embedding BYTEA, last_refreshed BIGINT, mutations BIGINT NOT NULL,
  misrouted BOOLEAN NOT NULL, ttl_hours BIGINT NOT NULL, source_reflection_id TEXT);
CREATE INDEX basket_signatures_by_workspace ON basket_signatures (workspace_id, revision);

CREATE TABLE raw_dumps (
  id TEXT PRIMARY KEY, basket_id TEXT NOT NULL REFERENCES baskets (id), workspace_id TEXT NOT NULL,
  body_md TEXT NOT NULL, content_hash TEXT NOT NULL, dump_request_id TEXT NOT NULL,
  source_meta TEXT NOT NULL, fingerprint TEXT NOT NULL, embedding BYTEA NOT NULL,
  user_id TEXT NOT NULL, source_host TEXT NOT NULL, source_session TEXT,
  created_at BIGINT NOT NULL);
CREATE UNIQUE INDEX raw_dumps_request ON raw_dumps (basket_id, dump_request_id);

CREATE TABLE substrate_tombstones (
  target_id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL, basket_id TEXT NOT NULL,
  kind TEXT NOT NULL, how TEXT NOT NULL, reason TEXT NOT NULL, content_fingerprint TEXT NOT NULL,
  at BIGINT NOT NULL, by_user TEXT NOT NULL,
  CONSTRAINT tombstone_how CHECK (how IN ('archived', 'redacted', 'deleted')));

CREATE FUNCTION raw_dumps_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    RAISE EXCEPTION 'raw dumps are immutable' USING ERRCODE = 'check_violation';
  END IF;
  IF NOT EXISTS (SELECT 1 FROM substrate_tombstones t WHERE t.target_id = OLD.id AND t.how <> 'archived') THEN
    RAISE EXCEPTION 'a raw dump is deleted by tombstone only' USING ERRCODE = 'check_violation';
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER raw_dumps_are_immutable BEFORE UPDATE OR DELETE ON raw_dumps
  FOR EACH ROW EXECUTE FUNCTION raw_dumps_guard();

CREATE TABLE proposals (
  id TEXT PRIMARY KEY, basket_id TEXT NOT NULL REFERENCES baskets (id), workspace_id TEXT NOT NULL,
  proposal_kind TEXT NOT NULL, origin TEXT NOT NULL, raw_dump_id TEXT NOT NULL, ops TEXT NOT NULL,
  validator_report TEXT NOT NULL, extractor TEXT NOT NULL, status TEXT NOT NULL, mode TEXT NOT NULL,
  reasons TEXT NOT NULL, confidence DOUBLE PRECISION NOT NULL, blast_radius TEXT NOT NULL,
  user_id TEXT NOT NULL, created_at BIGINT NOT NULL, reviewed_by TEXT, reviewed_at BIGINT,
  review_notes TEXT, executed_at BIGINT, source_host TEXT NOT NULL, source_session TEXT,
  CONSTRAINT proposal_status CHECK (status IN
    ('DRAFT', 'PROPOSED', 'UNDER_REVIEW', 'APPROVED', 'REJECTED', 'SUPERSEDED', 'MERGED')));
CREATE INDEX proposals_by_workspace ON proposals (workspace_id, status, created_at, id);
CREATE INDEX proposals_by_dump ON proposals (raw_dump_id);

CREATE TABLE proposal_executions (
  proposal_id TEXT NOT NULL REFERENCES proposals (id), operation_index BIGINT NOT NULL,
  operation_type TEXT NOT NULL, success BOOLEAN NOT NULL, substrate_id TEXT, note TEXT,
  PRIMARY KEY (proposal_id, operation_index));

CREATE TABLE blocks (
  id TEXT PRIMARY KEY, basket_id TEXT NOT NULL REFERENCES baskets (id), workspace_id TEXT NOT NULL,
  parent_block_id TEXT, semantic_type TEXT NOT NULL, title TEXT NOT NULL, content TEXT NOT NULL,
  version BIGINT NOT NULL, state TEXT NOT NULL, scope TEXT NOT NULL, confidence_score DOUBLE PRECISION NOT NULL,
  text_key TEXT NOT NULL, anchor_role TEXT, raw_dump_id TEXT NOT NULL, proposal_id TEXT NOT NULL,
  spans TEXT NOT NULL, metadata TEXT NOT NULL, approved_at BIGINT NOT NULL,
  approved_by TEXT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL,
  source_host TEXT NOT NULL,
  CONSTRAINT block_state CHECK (state IN
    ('PROPOSED', 'ACCEPTED', 'LOCKED', 'CONSTANT', 'SUPERSEDED', 'REJECTED')));
CREATE INDEX blocks_latest ON blocks (basket_id, created_at);
CREATE INDEX blocks_by_text ON blocks (basket_id, text_key);
CREATE INDEX blocks_by_dump ON blocks (raw_dump_id);

CREATE TABLE block_bands (
  basket_id TEXT NOT NULL, band BIGINT NOT NULL, block_id TEXT NOT NULL,
  PRIMARY KEY (basket_id, band, block_id));

CREATE TABLE context_items (
  id TEXT PRIMARY KEY, basket_id TEXT NOT NULL REFERENCES baskets (id), workspace_id TEXT NOT NULL,
  type TEXT NOT NULL, title TEXT NOT NULL, normalized_label TEXT NOT NULL, synonyms TEXT NOT NULL,
  state TEXT NOT NULL, confidence_score DOUBLE PRECISION NOT NULL, raw_dump_id TEXT NOT NULL,
  proposal_id TEXT NOT NULL, spans TEXT NOT NULL, created_at BIGINT NOT NULL,
  source_host TEXT NOT NULL,
  CONSTRAINT item_state CHECK (state IN
    ('PROVISIONAL', 'PROPOSED', 'UNDER_REVIEW', 'ACTIVE', 'DEPRECATED', 'MERGED', 'REJECTED')));
CREATE UNIQUE INDEX context_items_label ON context_items (basket_id, normalized_label);
CREATE INDEX context_items_by_dump ON context_items (raw_dump_id);

CREATE TABLE substrate_relationships (
  from_type TEXT NOT NULL, from_id TEXT NOT NULL, to_type TEXT NOT NULL, to_id TEXT NOT NULL,
  relationship_type TEXT NOT NULL, basket_id TEXT NOT NULL, strength DOUBLE PRECISION NOT NULL,
  description TEXT NOT NULL, created_at BIGINT NOT NULL,
  PRIMARY KEY (from_id, to_id, relationship_type));

CREATE TABLE reflections_artifact (
  id TEXT PRIMARY KEY, basket_id TEXT NOT NULL REFERENCES baskets (id), headline TEXT NOT NULL,
  body TEXT NOT NULL, created_at BIGINT NOT NULL);
CREATE INDEX reflections_by_basket ON reflections_artifact (basket_id, created_at);

CREATE TABLE substrate (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, workspace_id TEXT NOT NULL, basket_id TEXT NOT NULL,
  kind TEXT NOT NULL, ref_id TEXT NOT NULL, anchor TEXT, at BIGINT NOT NULL,
  words TSVECTOR NOT NULL);
CREATE UNIQUE INDEX substrate_ref ON substrate (ref_id);
CREATE INDEX substrate_of_workspace ON substrate (workspace_id, at);
CREATE INDEX substrate_of_basket ON substrate (basket_id, at);
CREATE INDEX substrate_anchored ON substrate (workspace_id, anchor) WHERE anchor IS NOT NULL;
CREATE INDEX substrate_words ON substrate USING GIN (words);

CREATE TABLE timeline_events (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, workspace_id TEXT NOT NULL, basket_id TEXT,
  ts BIGINT NOT NULL, kind TEXT NOT NULL, ref_id TEXT NOT NULL, preview TEXT NOT NULL,
  payload TEXT NOT NULL, user_id TEXT NOT NULL, source_host TEXT NOT NULL, source_session TEXT);
CREATE INDEX timeline_by_workspace ON timeline_events (workspace_id, number);
CREATE FUNCTION timeline_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'the timeline is append-only' USING ERRCODE = 'check_violation'; END $$;
CREATE TRIGGER timeline_is_append_only BEFORE UPDATE OR DELETE ON timeline_events
  FOR EACH ROW EXECUTE FUNCTION timeline_guard();

CREATE TABLE mcp_unassigned_captures (
  id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL, requested_by TEXT NOT NULL, tool TEXT NOT NULL,
  purpose TEXT NOT NULL, summary TEXT NOT NULL, payload TEXT NOT NULL, content_hash TEXT NOT NULL,
  embedding BYTEA NOT NULL, candidates TEXT NOT NULL, status TEXT NOT NULL,
  assigned_basket_id TEXT, raw_dump_id TEXT, created_at BIGINT NOT NULL, resolved_at BIGINT,
  resolved_by TEXT, source_host TEXT NOT NULL, source_session TEXT,
  CONSTRAINT capture_status CHECK (status IN ('pending', 'assigned', 'dismissed')));
CREATE INDEX captures_by_workspace ON mcp_unassigned_captures (workspace_id, status, created_at, id);

CREATE TABLE basket_signals (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, workspace_id TEXT NOT NULL, user_id TEXT NOT NULL,
  basket_id TEXT NOT NULL, at BIGINT NOT NULL, sign BIGINT NOT NULL, embedding BYTEA);
CREATE INDEX basket_signals_by_user ON basket_signals (workspace_id, user_id, at);

CREATE TABLE write_requests (
  workspace_id TEXT NOT NULL, request_key TEXT NOT NULL, content_hash TEXT NOT NULL,
  answer TEXT NOT NULL, at BIGINT NOT NULL, derived BOOLEAN NOT NULL,
  PRIMARY KEY (workspace_id, request_key));
CREATE INDEX write_requests_by_age ON write_requests (at) WHERE derived;

CREATE TABLE mcp_activity_logs (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, workspace_id TEXT, user_id TEXT, tool TEXT NOT NULL,
  host TEXT NOT NULL, result TEXT NOT NULL, latency_ms BIGINT NOT NULL, basket_id TEXT,
  selection_decision TEXT, selection_score DOUBLE PRECISION, error_code TEXT, session_id TEXT,
  fingerprint_summary TEXT, fingerprint_hash TEXT, created_at BIGINT NOT NULL);
CREATE INDEX activity_by_workspace ON mcp_activity_logs (workspace_id, created_at);
CREATE VIEW mcp_activity_host_recent AS
  WITH recent AS (
    SELECT *, CAST(extract(epoch FROM now()) * 1000 AS BIGINT) - created_at AS age
    FROM mcp_activity_logs
    WHERE created_at > CAST(extract(epoch FROM now()) * 1000 AS BIGINT) - 604800000)
  SELECT workspace_id, host, max(created_at) AS last_seen_at,
    count(*) FILTER (WHERE age < 3600000) AS calls_last_hour,
    count(*) FILTER (WHERE age < 3600000 AND result = 'error') AS errors_last_hour,
    percentile_disc(0.95) WITHIN GROUP (ORDER BY latency_ms) AS p95_latency_ms
  FROM recent GROUP BY workspace_id, host;
