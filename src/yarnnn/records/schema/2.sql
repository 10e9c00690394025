-- By which version of the index the words and keys of all entries were made; 1 before there was one.
CREATE TABLE index_version (version BIGINT NOT NULL);
INSERT INTO index_version (version) VALUES (1);
