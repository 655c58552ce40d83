-- From layout 7, in which no files of documents were kept, a run was found by its question alone, and nobody else could be shown it,
-- to layout 8.
ALTER TABLE collections ADD COLUMN original_bytes INTEGER NOT NULL DEFAULT 0;
CREATE TABLE originals (
    user_id     TEXT NOT NULL,
    document_id TEXT NOT NULL,
    content     BLOB NOT NULL,
    PRIMARY KEY (user_id, document_id)
);
ALTER TABLE runs ADD COLUMN title TEXT;
ALTER TABLE runs ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN has_text INTEGER NOT NULL DEFAULT 0;
CREATE INDEX runs_pinned ON runs (user_id, number) WHERE pinned;
CREATE INDEX runs_without_text ON runs (number)
    WHERE NOT has_text AND (status = 'completed' OR status = 'partial' OR status = 'cancelled');
CREATE TABLE run_texts (
    number INTEGER PRIMARY KEY,
    text   TEXT    NOT NULL
);
CREATE TABLE shares (
    id         TEXT NOT NULL PRIMARY KEY,
    user_id    TEXT NOT NULL,
    run_id     TEXT NOT NULL,
    secret     BLOB NOT NULL,
    created_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX shares_by_run ON shares (user_id, run_id);
