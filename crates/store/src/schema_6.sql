-- From layout 5, in which lists of runs and documents were looked for among all there are, to layout 6.
ALTER TABLE runs ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
UPDATE runs SET number = numbered.number
  FROM (SELECT user_id, id, (dense_rank() OVER (ORDER BY user_id) << 40)
                            + row_number() OVER (PARTITION BY user_id ORDER BY created_at, id) AS number FROM runs) AS numbered
 WHERE runs.user_id = numbered.user_id AND runs.id = numbered.id;
DROP INDEX runs_by_age;
CREATE UNIQUE INDEX runs_by_number ON runs (number);
CREATE INDEX runs_by_status ON runs (user_id, status, number);
CREATE INDEX runs_by_method ON runs (user_id, method, number);
CREATE INDEX runs_by_method_and_status ON runs (user_id, method, status, number);
CREATE INDEX runs_ended ON runs (updated_at) WHERE status = 'completed' OR status = 'partial' OR status = 'cancelled';
CREATE VIRTUAL TABLE run_questions
    USING fts5(folded, tokenize = 'trigram case_sensitive 1', content = '', contentless_delete = 1);
INSERT INTO run_questions (rowid, folded) SELECT number, fold(question) FROM runs;

CREATE TABLE documents_6 (
    id            TEXT    NOT NULL,
    user_id       TEXT    NOT NULL,
    collection_id INTEGER NOT NULL REFERENCES collections (id),
    path          TEXT    NOT NULL,
    title         TEXT    NOT NULL,
    format        TEXT    NOT NULL,
    file_sha256   TEXT    NOT NULL,
    text_sha256   TEXT    NOT NULL,
    metadata      TEXT    NOT NULL,
    ingested_at   TEXT    NOT NULL,
    kind          TEXT    NOT NULL,
    work          TEXT,
    chunks        INTEGER NOT NULL,
    text          TEXT    NOT NULL,
    PRIMARY KEY (user_id, id),
    UNIQUE (collection_id, path)
);
INSERT INTO documents_6
SELECT id, user_id, collection_id, path, title, format, file_sha256, text_sha256, metadata, ingested_at, kind, work,
       (SELECT count(*) FROM chunks k WHERE k.user_id = d.user_id AND k.document_id = d.id), text
  FROM documents d;
DROP TABLE documents;
ALTER TABLE documents_6 RENAME TO documents;
ALTER TABLE collections ADD COLUMN documents INTEGER NOT NULL DEFAULT 0;
UPDATE collections SET documents = (SELECT count(*) FROM documents d WHERE d.collection_id = collections.id);

CREATE TABLE entries_6 (
    user_id TEXT    NOT NULL,
    run_id  TEXT    NOT NULL,
    seq     INTEGER NOT NULL,
    hash    BLOB    NOT NULL,
    body    TEXT    NOT NULL,
    PRIMARY KEY (user_id, run_id, seq)
);
INSERT INTO entries_6 (user_id, run_id, seq, hash, body)
SELECT user_id, run_id, seq, hash, body FROM entries ORDER BY user_id, run_id, seq;
DROP TABLE entries;
ALTER TABLE entries_6 RENAME TO entries;
