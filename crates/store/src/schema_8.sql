-- From layout 7, in which no files of documents were kept, to layout 8.
ALTER TABLE collections ADD COLUMN original_bytes INTEGER NOT NULL DEFAULT 0;
CREATE TABLE originals (
    user_id     TEXT NOT NULL,
    document_id TEXT NOT NULL,
    content     BLOB NOT NULL,
    PRIMARY KEY (user_id, document_id)
);
