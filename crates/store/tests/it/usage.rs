//! What users use in a day, in a folder: what every store of it must do.

use store::Store;

async fn open() -> (Store, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (Store::open(folder.path()).unwrap(), folder)
}

// proves: C6, S1, F8
conformance::usage_tests!(open);
