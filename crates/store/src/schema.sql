-- Every row that belongs to someone names the user, and every query asks for it.
CREATE TABLE runs (
    user_id         TEXT    NOT NULL,
    id              TEXT    NOT NULL,
    -- The order in which runs were made, whatever the clock said. A user's runs have a stretch of numbers of their own.
    number          INTEGER NOT NULL DEFAULT 0,
    method          TEXT    NOT NULL,
    question        TEXT    NOT NULL,
    status          TEXT    NOT NULL,
    owner           TEXT,
    lease_until_ms  INTEGER NOT NULL DEFAULT 0,
    attempt         INTEGER NOT NULL,
    last_seq        INTEGER NOT NULL,
    cancel_by       TEXT,
    tokens          INTEGER NOT NULL DEFAULT 0,
    cost_usd_micros INTEGER NOT NULL DEFAULT 0,
    created_at      TEXT    NOT NULL,
    updated_at      TEXT    NOT NULL,
    -- The name that the user gave the request which made the run, and the digest of that request.
    request_key     TEXT,
    request_hash    BLOB,
    -- What the user calls it, and whether they want it at hand.
    title           TEXT,
    pinned          INTEGER NOT NULL DEFAULT 0,
    -- Whether the text is kept by which it is found.
    has_text        INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;
CREATE INDEX runs_by_owner ON runs (owner) WHERE owner IS NOT NULL;
CREATE UNIQUE INDEX runs_by_key ON runs (user_id, request_key) WHERE request_key IS NOT NULL;
-- A list is read in the order in which it is shown, whatever it is narrowed down to.
CREATE UNIQUE INDEX runs_by_number ON runs (number);
CREATE INDEX runs_by_status ON runs (user_id, status, number);
CREATE INDEX runs_by_method ON runs (user_id, method, number);
CREATE INDEX runs_by_method_and_status ON runs (user_id, method, status, number);
-- What a worker may take up, for as long as there is something to do.
CREATE INDEX runs_unfinished ON runs (created_at) WHERE status IN ('queued', 'running');

-- What waits for a person, so that it can be counted.
CREATE INDEX runs_waiting ON runs (user_id) WHERE status = 'waiting';
-- What a user began in a day.
CREATE INDEX runs_by_creation ON runs (user_id, created_at);
-- What has ended, by its age. Not by `IN`: for a list of three every change of a run would make a table of them first.
CREATE INDEX runs_ended ON runs (updated_at) WHERE status = 'completed' OR status = 'partial' OR status = 'cancelled';
CREATE INDEX runs_pinned ON runs (user_id, number) WHERE pinned;
CREATE INDEX runs_without_text ON runs (number)
    WHERE NOT has_text AND (status = 'completed' OR status = 'partial' OR status = 'cancelled');
-- What a run came to, as plain text, by the run's number.
CREATE TABLE run_texts (
    number INTEGER PRIMARY KEY,
    text   TEXT    NOT NULL
);
-- Links by which others read a run. `secret` is the digest of what they know.
CREATE TABLE shares (
    id         TEXT NOT NULL PRIMARY KEY,
    user_id    TEXT NOT NULL,
    run_id     TEXT NOT NULL,
    secret     BLOB NOT NULL,
    created_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX shares_by_run ON shares (user_id, run_id);
-- The questions, titles and texts of runs without their case, by the run's number: which of them hold a text.
CREATE VIRTUAL TABLE run_questions
    USING fts5(folded, tokenize = 'trigram case_sensitive 1', content = '', contentless_delete = 1);

-- The log. `body` is the canonical JSON that `hash` covers together with the hash before it. Rows lie in the order in which they were
-- written, whatever run they are of: what is committed together is on few pages, and a long body needs none of its own.
CREATE TABLE entries (
    user_id TEXT    NOT NULL,
    run_id  TEXT    NOT NULL,
    seq     INTEGER NOT NULL,
    hash    BLOB    NOT NULL,
    body    TEXT    NOT NULL,
    PRIMARY KEY (user_id, run_id, seq)
);

-- A collection has an index of its own, `terms_<id>`, so that ranking knows nothing of its neighbours, and its vectors in
-- `vectors_<id>`. `changes` counts what was done to it: what was read of it at one count holds as long as that count.
-- Ids are never given again: a document of a removed collection is not found under another.
CREATE TABLE collections (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    TEXT NOT NULL,
    name       TEXT NOT NULL,
    manifest   TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    chunks     INTEGER NOT NULL DEFAULT 0,
    changes    INTEGER NOT NULL DEFAULT 0,
    documents  INTEGER NOT NULL DEFAULT 0,
    original_bytes INTEGER NOT NULL DEFAULT 0,
    UNIQUE (user_id, name)
);

-- The files that documents were read from, where they are kept.
CREATE TABLE originals (
    user_id     TEXT NOT NULL,
    document_id TEXT NOT NULL,
    content     BLOB NOT NULL,
    PRIMARY KEY (user_id, document_id)
);

CREATE TABLE documents (
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
    -- Where it came from, as evidence names it: a file of the user's is 'rag'.
    kind          TEXT    NOT NULL,
    -- JSON: what is known of the work.
    work          TEXT,
    chunks        INTEGER NOT NULL,
    -- Of what read the file; 0 if it is unknown.
    reader_version INTEGER NOT NULL DEFAULT 0,
    -- Last, so that whoever lists documents does not read their texts. A blob of UTF-8, which is written in pieces.
    text          TEXT    NOT NULL,
    PRIMARY KEY (user_id, id),
    UNIQUE (collection_id, path)
);

CREATE TABLE chunks (
    id          INTEGER PRIMARY KEY,
    user_id     TEXT    NOT NULL,
    document_id TEXT    NOT NULL,
    number      INTEGER NOT NULL,
    section     TEXT    NOT NULL,
    start_byte  INTEGER NOT NULL,
    end_byte    INTEGER NOT NULL,
    text        TEXT    NOT NULL,
    -- JSON: the pages it stands on.
    pages       TEXT    NOT NULL DEFAULT '[]',
    FOREIGN KEY (user_id, document_id) REFERENCES documents (user_id, id)
);
CREATE INDEX chunks_by_document ON chunks (user_id, document_id);

-- Startup contexts of users.
CREATE TABLE contexts (
    user_id TEXT NOT NULL,
    id      TEXT NOT NULL,
    -- JSON: the whole context.
    body    TEXT NOT NULL,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;

-- What a user used in a day of UTC and no row of a run tells: bytes that were uploaded, and what runs spent that were created on that
-- day and removed since.
CREATE TABLE daily_usage (
    user_id         TEXT    NOT NULL,
    day             TEXT    NOT NULL,
    runs            INTEGER NOT NULL DEFAULT 0,
    tokens          INTEGER NOT NULL DEFAULT 0,
    cost_usd_micros INTEGER NOT NULL DEFAULT 0,
    uploaded_bytes  INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, day)
) WITHOUT ROWID;
