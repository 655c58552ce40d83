-- Takes from a file of layout 8 what layout 7 did not have.
DROP TABLE originals;
ALTER TABLE collections DROP COLUMN original_bytes;
DROP TABLE shares;
DROP TABLE run_texts;
DROP INDEX runs_pinned;
DROP INDEX runs_without_text;
ALTER TABLE runs DROP COLUMN title;
ALTER TABLE runs DROP COLUMN pinned;
ALTER TABLE runs DROP COLUMN has_text;
PRAGMA user_version = 7;
