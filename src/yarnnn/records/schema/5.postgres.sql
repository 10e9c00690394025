-- The vectors of current blocks, by model. Numbers are never used again: copies in memory go by them.
CREATE TABLE block_vectors (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace_id TEXT NOT NULL, model TEXT NOT NULL, block_id TEXT NOT NULL, basket_id TEXT NOT NULL,
  vector BYTEA NOT NULL);
CREATE UNIQUE INDEX block_vectors_of_block ON block_vectors (block_id, model);
CREATE INDEX block_vectors_by_model ON block_vectors (workspace_id, model, number);
