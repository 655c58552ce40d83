//! Files on their way in: bounded, read whole or not at all, and nothing of them left behind.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures::channel::mpsc;
use futures::future::join_all;
use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::contract::{Contract, DELETE, POST, Set, Told};
use crate::patience::until;
use crate::stage::{Stage, Wanted, tree};

const TARGET: &str = "/api/collections/papers/documents";

async fn upload(set: &Set, name: &str, body: impl Into<reqwest::Body>) -> Told {
    send(&set.stage, &set.contract, name, body).await
}

async fn send(
    stage: &Stage,
    contract: &Contract,
    name: &str,
    body: impl Into<reqwest::Body>,
) -> Told {
    let request = stage.client.post(stage.url(TARGET)).query(&[("name", name)]);
    let request = request.header("content-type", "application/octet-stream").body(body);
    contract.send(POST, TARGET, request).await
}

/// Returns the files that are on their way in.
fn under_way(folder: &Path) -> Vec<PathBuf> {
    let uploads = folder.join("uploads");
    if !uploads.exists() {
        return vec![];
    }
    let files = tree(&uploads).into_iter().map(|path| uploads.join(path));
    files.filter(|path| path.is_file() && path.extension().is_none()).collect()
}

async fn until_under_way(set: &Set, wanted: usize) {
    until(&format!("{wanted} files are on their way in"), async || {
        let files = under_way(set.stage.folder.path());
        if files.len() == wanted { Ok(()) } else { Err(files) }
    })
    .await;
}

async fn documents(set: &Set) -> Vec<Value> {
    set.get(TARGET).await["documents"].as_array().unwrap().clone()
}

// proves: F2
#[tokio::test(flavor = "multi_thread")]
async fn an_upload_passes_through_the_disk_and_is_read_whole() {
    let set = Set::up().await;
    let (mut sender, receiver) = mpsc::channel::<Bytes>(1);
    let body = reqwest::Body::wrap_stream(receiver.map(Ok::<_, std::io::Error>));
    let sending = async {
        for number in 0..20 {
            sender.send(Bytes::from(format!("{number:<9}\n").repeat(1_000))).await.unwrap();
            // What was sent so far is on the disk, not in memory.
            until("it is on the disk", async || {
                let files = under_way(set.stage.folder.path());
                let written = files.first().and_then(|path| path.metadata().ok());
                match written.map(|file| file.len()) {
                    Some(length) if length >= (number + 1) * 10_000 => Ok(()),
                    length => Err(length),
                }
            })
            .await;
        }
        drop(sender);
    };
    let (told, ()) = tokio::join!(upload(&set, "long.txt", body), sending);
    assert_eq!((told.status, told.text("/put")), (201, "added".to_owned()));
    let document = told.text("/document/document_id");
    let window = set.get(&format!("/api/documents/{document}/text?around=0")).await;
    assert_eq!(window["length"], 200_000);
    assert_eq!(under_way(set.stage.folder.path()), Vec::<PathBuf>::new());
    let metrics = set.call(crate::contract::GET, "/metrics", None).await;
    let text = String::from_utf8(metrics.bytes).unwrap();
    assert!(text.contains("quaestio_uploaded_bytes_total 200000\n"), "{text}");
}

// proves: F2
#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_taken_is_refused_and_leaves_nothing() {
    let set = Set::up().await;
    let exact = upload(&set, "exact.txt", "x".repeat(1_000_000)).await;
    assert_eq!(exact.status, 201);
    let pieces = (0..500).map(|_| Ok::<_, std::io::Error>(Bytes::from(vec![b'x'; 10_000])));
    let endless = reqwest::Body::wrap_stream(futures::stream::iter(pieces));
    for (status, kind, body) in [
        (413, "too-large", reqwest::Body::from("x".repeat(1_000_001))),
        (413, "too-large", reqwest::Body::from("x".repeat(20_000_000))),
        (413, "too-large", endless),
        (422, "invalid", reqwest::Body::from("")),
        (422, "invalid", reqwest::Body::from(vec![0xff, 0xfe, 0x00])),
    ] {
        let told = upload(&set, "refused.txt", body).await;
        assert_eq!((told.status, told.kind()), (status, kind), "{}", told.body);
        assert_eq!(under_way(set.stage.folder.path()), Vec::<PathBuf>::new());
    }
    for given in ["application/json", "multipart/form-data", "text/plain", ""] {
        let request = set.stage.client.post(set.stage.url(TARGET)).query(&[("name", "a.txt")]);
        let request = request.header("content-type", given).body("text");
        let told = set.contract.send(POST, TARGET, request).await;
        assert_eq!((told.status, told.kind()), (415, "unsupported"), "{given}");
    }
    for query in ["", "?name=a&name=b", "?name=a&path=b", "?file=a"] {
        let target = format!("{TARGET}{query}");
        let request = set.stage.client.post(set.stage.url(&target)).body("text");
        let request = request.header("content-type", "application/octet-stream");
        let told = set.contract.send(POST, &target, request).await;
        assert_eq!((told.status, told.kind()), (422, "invalid"), "{query}");
    }
    let names: Vec<Value> =
        documents(&set).await.into_iter().map(|document| document["path"].clone()).collect();
    assert_eq!(names, ["exact.txt"]);
}

// proves: F2
#[tokio::test(flavor = "multi_thread")]
async fn an_upload_that_breaks_off_leaves_nothing() {
    let set = Set::up().await;
    upload(&set, "first.txt", "so that there is a collection").await;
    for length in ["Content-Length: 1000", "Transfer-Encoding: chunked"] {
        let mut stream = TcpStream::connect(set.stage.address).await.unwrap();
        let head = format!(
            "POST {TARGET}?name=half.txt HTTP/1.1\r\nHost: {}\r\nContent-Type: application/octet-stream\r\n{length}\r\n\r\n",
            set.stage.address
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let half: &[u8] = if length.ends_with("chunked") { b"5\r\nhalf \r\n" } else { b"half " };
        stream.write_all(half).await.unwrap();
        until_under_way(&set, 1).await;
        drop(stream);
        until_under_way(&set, 0).await;
    }
    assert_eq!(documents(&set).await.len(), 1);
}

// proves: F2
#[tokio::test(flavor = "multi_thread")]
async fn twenty_uploads_at_once_are_twenty_documents() {
    let set = Set::up().await;
    let all = (0..20).map(|number| {
        let text = format!("number {number} ").repeat(1_000);
        let set = &set;
        async move { upload(set, &format!("{number}.txt"), text).await }
    });
    for told in join_all(all).await {
        assert_eq!((told.status, told.text("/put")), (201, "added".to_owned()), "{}", told.body);
    }
    assert_eq!(documents(&set).await.len(), 20);
    assert_eq!(under_way(set.stage.folder.path()), Vec::<PathBuf>::new());
}

// proves: F2
#[tokio::test(flavor = "multi_thread")]
async fn the_same_name_again_replaces_the_document_or_leaves_it() {
    let set = Set::up().await;
    let first = upload(&set, "snow.txt", "the pump").await;
    let same = upload(&set, "snow.txt", "the pump").await;
    assert_eq!(same.text("/put"), "unchanged");
    assert_eq!(same.body["document"], first.body["document"]);
    let other = upload(&set, "snow.txt", "the handle of the pump").await;
    assert_eq!(other.text("/put"), "replaced");
    let list = documents(&set).await;
    assert_eq!(list, [other.body["document"].clone()]);
    let document = other.text("/document/document_id");
    let window = set.get(&format!("/api/documents/{document}/text")).await;
    assert_eq!(window["after"], "the handle of the pump");
    let told = set.call(DELETE, &format!("/api/documents/{document}"), None).await;
    assert_eq!(told.status, 204);
    assert_eq!(upload(&set, "snow.txt", "the pump").await.text("/put"), "added");
}

// proves: F2 S1
#[tokio::test(flavor = "multi_thread")]
async fn a_start_removes_what_the_dead_left_and_nothing_that_is_under_way_elsewhere() {
    let set = Set::up().await;
    let uploads = set.stage.folder.path().join("uploads");
    let (mut sender, receiver) = mpsc::channel::<Bytes>(1);
    let body = reqwest::Body::wrap_stream(receiver.map(Ok::<_, std::io::Error>));
    let meanwhile = async {
        sender.send(Bytes::from("begun before, ")).await.unwrap();
        until_under_way(&set, 1).await;
        let left = uploads.join("left-by-a-process-that-was-killed");
        std::fs::create_dir(&left).unwrap();
        std::fs::write(left.join("part"), "half").unwrap();
        std::fs::write(uploads.join("part-of-an-earlier-version"), "half").unwrap();
        let second = Stage::over(Arc::clone(&set.stage.folder), Wanted::default()).await;
        // It answers, so it has started.
        assert_eq!(second.get("/health/ready").await.0, 200);
        assert!(!left.exists() && !uploads.join("part-of-an-earlier-version").exists());
        sender.send(Bytes::from("ended after")).await.unwrap();
        drop(sender);
        second
    };
    let (told, second) = tokio::join!(upload(&set, "patient.txt", body), meanwhile);
    assert_eq!(told.status, 201, "{}", told.body);
    let document = told.text("/document/document_id");
    let (_, window) = second.get(&format!("/api/documents/{document}/text")).await;
    assert_eq!(window["after"], "begun before, ended after");
    assert_eq!(send(&second, &set.contract, "other.txt", "text").await.status, 201);
    let (_, list) = second.get("/api/collections").await;
    assert_eq!(list["collections"][0]["documents"], json!(2));
}
