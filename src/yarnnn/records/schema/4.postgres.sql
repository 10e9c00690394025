-- Vectors carry the name of their model; each is compared only with those of the same one.
CREATE TABLE basket_vectors (
  basket_id TEXT NOT NULL REFERENCES baskets (id), workspace_id TEXT NOT NULL, model TEXT NOT NULL,
  revision BIGINT NOT NULL, active BOOLEAN NOT NULL, last_refreshed BIGINT, centroid BYTEA NOT NULL,
  weight DOUBLE PRECISION NOT NULL, weighed_at BIGINT NOT NULL, embedding BYTEA,
  PRIMARY KEY (basket_id, model));
CREATE INDEX basket_vectors_by_model ON basket_vectors (workspace_id, model, revision);

-- What a basket's dumps were about. Apart from the dumps, which never change: their vectors are made
-- anew by another model.
CREATE TABLE dump_vectors (
  dump_id TEXT PRIMARY KEY REFERENCES raw_dumps (id) ON DELETE CASCADE, basket_id TEXT NOT NULL,
  workspace_id TEXT NOT NULL, model TEXT NOT NULL, embedding BYTEA NOT NULL, created_at BIGINT NOT NULL);
CREATE INDEX dump_vectors_by_basket ON dump_vectors (basket_id, model, created_at);
CREATE INDEX dump_vectors_by_workspace ON dump_vectors (workspace_id, model);

INSERT INTO basket_vectors
  SELECT s.basket_id, s.workspace_id,
    COALESCE(NULLIF(w.embedding_model, ''), 'host/' || (length(s.centroid) / 4)), s.revision,
    s.active, s.last_refreshed, s.centroid, s.weight, s.weighed_at, s.embedding
  FROM basket_signatures s JOIN workspaces w ON w.id = s.workspace_id WHERE length(s.centroid) > 0;
INSERT INTO dump_vectors
  SELECT d.id, d.basket_id, d.workspace_id,
    COALESCE(NULLIF(w.embedding_model, ''), 'host/' || (length(d.embedding) / 4)), d.embedding,
    d.created_at
  FROM raw_dumps d JOIN workspaces w ON w.id = d.workspace_id WHERE length(d.embedding) > 0
    AND NOT EXISTS (SELECT 1 FROM substrate_tombstones t WHERE t.target_id = d.id);

ALTER TABLE basket_signals ADD COLUMN model TEXT;
UPDATE basket_signals SET model = (SELECT
    COALESCE(NULLIF(w.embedding_model, ''), 'host/' || (length(basket_signals.embedding) / 4))
  FROM workspaces w WHERE w.id = basket_signals.workspace_id) WHERE embedding IS NOT NULL;
ALTER TABLE mcp_unassigned_captures ADD COLUMN model TEXT NOT NULL DEFAULT '';
UPDATE mcp_unassigned_captures SET model = (SELECT
    COALESCE(NULLIF(w.embedding_model, ''), 'host/' || (length(mcp_unassigned_captures.embedding) / 4))
  FROM workspaces w WHERE w.id = mcp_unassigned_captures.workspace_id);

ALTER TABLE raw_dumps DROP COLUMN embedding;
ALTER TABLE basket_signatures DROP COLUMN centroid;
ALTER TABLE basket_signatures DROP COLUMN weight;
ALTER TABLE basket_signatures DROP COLUMN weighed_at;
ALTER TABLE basket_signatures DROP COLUMN embedding;
ALTER TABLE workspaces DROP COLUMN dims;
ALTER TABLE workspaces DROP COLUMN embedding_model;
-- The columns of pgvector, where it is installed.
ALTER TABLE basket_signatures DROP COLUMN IF EXISTS embedding_vector;
ALTER TABLE basket_signatures DROP COLUMN IF EXISTS vector_revision;
