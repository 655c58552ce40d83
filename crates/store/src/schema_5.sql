-- From layout 4, which kept no startup contexts, to layout 5.
CREATE TABLE contexts (
    user_id TEXT NOT NULL,
    id      TEXT NOT NULL,
    -- JSON: the whole context.
    body    TEXT NOT NULL,
    PRIMARY KEY (user_id, id)
) WITHOUT ROWID;
