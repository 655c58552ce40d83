-- From layout 8, which did not know what had read a file, to layout 9. The table is made anew because its text has to be its last column.
CREATE TABLE documents_9 (
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
    reader_version INTEGER NOT NULL DEFAULT 0,
    text          TEXT    NOT NULL,
    PRIMARY KEY (user_id, id),
    UNIQUE (collection_id, path)
);
INSERT INTO documents_9
SELECT id, user_id, collection_id, path, title, format, file_sha256, text_sha256, metadata, ingested_at, kind, work, chunks, 0, text
  FROM documents;
DROP TABLE documents;
ALTER TABLE documents_9 RENAME TO documents;
