-- Answers of users to questions that were used up, so that no replica accepts one again.
CREATE TABLE used_consents (consent TEXT PRIMARY KEY, expires_at BIGINT NOT NULL);
