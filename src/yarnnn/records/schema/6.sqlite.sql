-- The vectors of current blocks and dumps, by model. Numbers are never used again: copies in memory go by them.
CREATE TABLE substrate_vectors (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id TEXT NOT NULL, model TEXT NOT NULL, ref_id TEXT NOT NULL, basket_id TEXT NOT NULL,
  vector BLOB NOT NULL);
CREATE UNIQUE INDEX substrate_vectors_ref ON substrate_vectors (ref_id, model);
CREATE INDEX substrate_vectors_by_model ON substrate_vectors (workspace_id, model, number);
