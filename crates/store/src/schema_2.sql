-- From layout 1, which had neither vectors nor pages, to layout 2.
ALTER TABLE collections ADD COLUMN chunks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE collections ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chunks ADD COLUMN pages TEXT NOT NULL DEFAULT '[]';
UPDATE collections SET
    manifest = json_remove(json_set(manifest, '$.embedder', NULL), '$.dimensions'),
    chunks = (SELECT count(*) FROM chunks k JOIN documents d ON d.user_id = k.user_id AND d.id = k.document_id
               WHERE d.collection_id = collections.id);
