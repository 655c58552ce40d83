//! Users' files in a folder: what every store of them must do.

use store::FileStore;

async fn open() -> (FileStore, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (FileStore::new(folder.path().join("data")), folder)
}

// proves: B9
conformance::file_tests!(open);
