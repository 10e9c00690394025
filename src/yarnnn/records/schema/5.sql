-- What reviewers did with the single operations of a proposal, in order.
CREATE TABLE proposal_reviews (
  proposal_id TEXT NOT NULL REFERENCES proposals (id), number BIGINT NOT NULL,
  operation_index BIGINT NOT NULL, action TEXT NOT NULL, replaced TEXT, notes TEXT,
  by_user TEXT NOT NULL, source_host TEXT NOT NULL, at BIGINT NOT NULL,
  PRIMARY KEY (proposal_id, number),
  CONSTRAINT review_action CHECK (action IN ('approved', 'edited', 'rejected')));

-- Who is signed in to the review page, by the SHA-256 of the cookie.
CREATE TABLE review_sessions (
  cookie_hash TEXT PRIMARY KEY, user_id TEXT NOT NULL,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id), token_hash TEXT, expires_at BIGINT NOT NULL);

CREATE INDEX timeline_by_record ON timeline_events (ref_id);

-- The text of a rejected proposal is no longer recalled.
INSERT INTO substrate_tombstones
  (target_id, workspace_id, basket_id, kind, how, reason, content_fingerprint, at, by_user)
SELECT d.id, d.workspace_id, d.basket_id, 'raw_dump', 'archived', 'rejected', d.content_hash,
  max(coalesce(p.reviewed_at, p.created_at)), max(coalesce(p.reviewed_by, p.user_id))
FROM proposals p JOIN raw_dumps d ON d.id = p.raw_dump_id
WHERE p.status = 'REJECTED'
  AND NOT EXISTS (SELECT 1 FROM substrate_tombstones t WHERE t.target_id = d.id)
GROUP BY d.id, d.workspace_id, d.basket_id, d.content_hash;
UPDATE baskets SET revision = revision + 1, dumps = dumps - (
    SELECT count(*) FROM substrate_tombstones t
    WHERE t.basket_id = baskets.id AND t.how = 'archived' AND t.reason = 'rejected')
WHERE id IN (SELECT basket_id FROM substrate_tombstones WHERE how = 'archived' AND reason = 'rejected');
-- Words of rejected texts go with the next refresh.
UPDATE basket_signatures SET misrouted = TRUE
WHERE basket_id IN
  (SELECT basket_id FROM substrate_tombstones WHERE how = 'archived' AND reason = 'rejected');
-- What was rejected before is no example of its basket.
DELETE FROM dump_vectors WHERE dump_id IN
  (SELECT target_id FROM substrate_tombstones WHERE how = 'archived' AND reason = 'rejected');
