//! The memory in a folder: what every memory of services must do.
#![expect(clippy::unwrap_used, reason = "what a test relies on fails it")]

use sources::FolderMemory;

async fn open() -> (FolderMemory, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (FolderMemory::open(folder.path()).unwrap(), folder)
}

// proves: A2
conformance::memory_tests!(open);
