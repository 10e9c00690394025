DELETE FROM substrate_words WHERE rowid IN (
  SELECT number FROM substrate s JOIN substrate_tombstones t ON t.target_id = s.ref_id
  WHERE t.how = 'archived' AND t.reason = 'rejected');
DELETE FROM substrate WHERE ref_id IN
  (SELECT target_id FROM substrate_tombstones WHERE how = 'archived' AND reason = 'rejected');
