-- The version of what read a document's file; 0 if it is unknown.
ALTER TABLE documents ADD COLUMN reader_version bigint NOT NULL DEFAULT 0;
