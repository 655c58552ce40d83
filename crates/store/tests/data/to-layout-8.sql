-- Takes from a new file what layout 8 did not have.
ALTER TABLE documents DROP COLUMN reader_version;
PRAGMA user_version = 8;
