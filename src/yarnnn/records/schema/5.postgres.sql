DELETE FROM substrate WHERE ref_id IN
  (SELECT target_id FROM substrate_tombstones WHERE how = 'archived' AND reason = 'rejected');
