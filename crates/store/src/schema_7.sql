-- From layout 6, which did not count what a user used in a day, to layout 7.
CREATE INDEX runs_waiting ON runs (user_id) WHERE status = 'waiting';
CREATE INDEX runs_by_creation ON runs (user_id, created_at);
CREATE TABLE daily_usage (
    user_id         TEXT    NOT NULL,
    day             TEXT    NOT NULL,
    runs            INTEGER NOT NULL DEFAULT 0,
    tokens          INTEGER NOT NULL DEFAULT 0,
    cost_usd_micros INTEGER NOT NULL DEFAULT 0,
    uploaded_bytes  INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, day)
) WITHOUT ROWID;
