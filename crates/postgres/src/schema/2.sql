-- The files that documents were read from, where they are kept.
ALTER TABLE collections ADD COLUMN original_bytes bigint NOT NULL DEFAULT 0;
CREATE TABLE originals (
    user_id     text COLLATE "C" NOT NULL,
    document_id text COLLATE "C" NOT NULL,
    content     bytea NOT NULL,
    PRIMARY KEY (user_id, document_id),
    FOREIGN KEY (user_id, document_id) REFERENCES documents (user_id, id) ON DELETE CASCADE
);
-- Such files are compressed already.
ALTER TABLE originals ALTER COLUMN content SET STORAGE EXTERNAL;
