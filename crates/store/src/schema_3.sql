-- From layout 2, which held the user's own files alone, to layout 3.
ALTER TABLE documents ADD COLUMN kind TEXT NOT NULL DEFAULT 'rag';
ALTER TABLE documents ADD COLUMN work TEXT;
