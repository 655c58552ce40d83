//! Recorded replies, from the directory in QUAESTIO_TEST_DATA.

#![expect(
    clippy::unwrap_used,
    reason = "clippy does not see that a module with two conditions is one of tests"
)]

use std::path::PathBuf;

use serde_json::Value;

use crate::service::Reply;

/// A recorded reply.
pub(crate) struct Recorded {
    pub(crate) name: String,
    pub(crate) url: String,
    pub(crate) reply: Reply,
}

/// Returns the replies in a directory, in order of file name.
pub(crate) fn replies(folder: &str) -> Vec<Recorded> {
    let data = std::env::var("QUAESTIO_TEST_DATA").expect("QUAESTIO_TEST_DATA names the folder");
    let folder = PathBuf::from(data).join("api").join(folder);
    let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut metas: Vec<String> = names.filter(|name| name.ends_with(".meta.json")).collect();
    metas.sort();
    assert!(!metas.is_empty(), "no recordings in {folder:?}");
    metas
        .iter()
        .map(|meta| {
            let meta = std::fs::read(folder.join(meta)).unwrap();
            let meta: Value = serde_json::from_slice(&meta).unwrap();
            let name = meta["body_file"].as_str().unwrap().to_owned();
            let body = std::fs::read(folder.join(&name)).unwrap();
            let media_type = meta["headers"]["content-type"].as_str().unwrap_or("application/json");
            let media_type = media_type.split(';').next().unwrap_or_default().trim().to_owned();
            let status = meta["status"].as_u64().and_then(|status| u16::try_from(status).ok());
            let status = status.unwrap_or(200);
            let url = meta["url"].as_str().unwrap_or_default().to_owned();
            Recorded { name, url, reply: Reply { status, media_type, body } }
        })
        .collect()
}
