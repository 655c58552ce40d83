-- Takes from a new file what layout 7 did not have.
DROP TABLE originals;
ALTER TABLE collections DROP COLUMN original_bytes;
PRAGMA user_version = 7;
