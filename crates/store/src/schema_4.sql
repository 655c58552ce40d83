-- From layout 3, which knew no keys of requests and looked through all runs for those to list or to take up, to layout 4.
ALTER TABLE runs ADD COLUMN request_key TEXT;
ALTER TABLE runs ADD COLUMN request_hash BLOB;
CREATE UNIQUE INDEX runs_by_key ON runs (user_id, request_key) WHERE request_key IS NOT NULL;
CREATE INDEX runs_by_age ON runs (user_id, created_at, id);
CREATE INDEX runs_unfinished ON runs (created_at) WHERE status IN ('queued', 'running');
