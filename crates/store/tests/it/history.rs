//! What users make of their runs, in a folder: what every store of it must do.

use store::Store;

async fn open() -> (Store, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (Store::open(folder.path()).unwrap(), folder)
}

// proves: F3, S1, F8
conformance::history_tests!(open);
