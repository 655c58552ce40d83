-- Takes from a file of layout 7 what layout 6 did not have.
DROP TABLE daily_usage;
DROP INDEX runs_waiting;
DROP INDEX runs_by_creation;
PRAGMA user_version = 6;
