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

-- What users make of their runs, beside the log, which nobody edits.
-- `folded` of a run holds its question and its title without their case.
ALTER TABLE runs
    ADD COLUMN title text,
    ADD COLUMN pinned boolean NOT NULL DEFAULT false,
    -- Whether the text is kept by which it is found.
    ADD COLUMN has_text boolean NOT NULL DEFAULT false;
CREATE INDEX runs_pinned ON runs (user_id, number DESC) WHERE pinned;
CREATE INDEX runs_without_text ON runs (number DESC) WHERE ended_at IS NOT NULL AND NOT has_text;

-- What a run came to, as plain text, and the same without its case.
CREATE TABLE run_texts (
    user_id text COLLATE "C" NOT NULL,
    run_id  text COLLATE "C" NOT NULL,
    text    text NOT NULL,
    folded  text NOT NULL,
    PRIMARY KEY (user_id, run_id),
    FOREIGN KEY (user_id, run_id) REFERENCES runs (user_id, id) ON DELETE CASCADE
);

-- Links by which others read a run. `secret` is the digest of what they know.
CREATE TABLE shares (
    id         text COLLATE "C" PRIMARY KEY,
    user_id    text COLLATE "C" NOT NULL,
    run_id     text COLLATE "C" NOT NULL,
    secret     bytea NOT NULL,
    created_at timestamptz NOT NULL,
    FOREIGN KEY (user_id, run_id) REFERENCES runs (user_id, id) ON DELETE CASCADE
);
CREATE INDEX shares_by_run ON shares (user_id, run_id);
