-- Takes from a file of layout 6 what layout 5 did not have, and leaves everything that is stored.
PRAGMA foreign_keys = OFF;
DROP TABLE run_questions;
DROP INDEX runs_ended;
DROP INDEX runs_by_number;
DROP INDEX runs_by_status;
DROP INDEX runs_by_method;
DROP INDEX runs_by_method_and_status;
ALTER TABLE runs DROP COLUMN number;
CREATE INDEX runs_by_age ON runs (user_id, created_at, id);
ALTER TABLE collections DROP COLUMN documents;
CREATE TABLE documents_5 (
    id TEXT NOT NULL, user_id TEXT NOT NULL, collection_id INTEGER NOT NULL REFERENCES collections (id), path TEXT NOT NULL,
    title TEXT NOT NULL, format TEXT NOT NULL, file_sha256 TEXT NOT NULL, text_sha256 TEXT NOT NULL, metadata TEXT NOT NULL,
    text TEXT NOT NULL, ingested_at TEXT NOT NULL, kind TEXT NOT NULL DEFAULT 'rag', work TEXT,
    PRIMARY KEY (user_id, id), UNIQUE (collection_id, path));
INSERT INTO documents_5
SELECT id, user_id, collection_id, path, title, format, file_sha256, text_sha256, metadata, text, ingested_at, kind, work
  FROM documents;
DROP TABLE documents;
ALTER TABLE documents_5 RENAME TO documents;
CREATE TABLE entries_5 (
    user_id TEXT NOT NULL, run_id TEXT NOT NULL, seq INTEGER NOT NULL, hash BLOB NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (user_id, run_id, seq)) WITHOUT ROWID;
INSERT INTO entries_5 SELECT user_id, run_id, seq, hash, body FROM entries;
DROP TABLE entries;
ALTER TABLE entries_5 RENAME TO entries;
PRAGMA user_version = 5;
