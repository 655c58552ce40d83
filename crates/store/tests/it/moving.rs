//! A database in a folder that can be moved: what every one must do.

use store::Store;

async fn open() -> (Store, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (Store::open(folder.path()).unwrap(), folder)
}

// proves: S2, C1, A6
conformance::moving_tests!(open);
