//! A thousand who follow one run: those who read slowly, not at all, or vanish cost the others nothing.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::contract::Told;
use crate::patience::{until, within};
use crate::stage::Stage;

const READERS: usize = 800;
const IDLERS: usize = 100;
const VANISHING: usize = 100;
const STEPS: u32 = 20;

/// Opens a stream and waits until it has begun; `window` is how much the other end may send unread.
async fn open(address: SocketAddr, run: &str, window: Option<u32>) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    if let Some(window) = window {
        socket.set_recv_buffer_size(window).unwrap();
    }
    let mut stream = socket.connect(address).await.unwrap();
    let head = format!("GET /api/runs/{run}/events HTTP/1.1\r\nHost: {address}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

/// Reads a stream until there is `enough` of it; returns its text without the marks of its chunks.
async fn read(stream: &mut TcpStream, seen: &AtomicUsize, enough: impl Fn(&str) -> bool) -> String {
    let (mut bytes, mut text) = (Vec::new(), String::new());
    let mut is_head = true;
    loop {
        if is_head && let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8(bytes.drain(..end + 4).collect()).unwrap();
            assert!(
                head.starts_with("HTTP/1.1 200 ") && head.contains("transfer-encoding: chunked")
            );
            is_head = false;
            seen.fetch_add(1, Ordering::SeqCst);
        }
        while !is_head && let Some(end) = bytes.windows(2).position(|two| two == b"\r\n") {
            let length = std::str::from_utf8(&bytes[..end]).unwrap();
            let length = usize::from_str_radix(length, 16).unwrap();
            if bytes.len() < end + length + 4 {
                break;
            }
            text.push_str(std::str::from_utf8(&bytes[end + 2..end + 2 + length]).unwrap());
            bytes.drain(..end + length + 4);
        }
        if enough(&text) {
            return text;
        }
        let read = stream.read_buf(&mut bytes).await.unwrap();
        assert_ne!(read, 0, "the stream broke off after: {text}");
    }
}

fn numbers(text: &str) -> Vec<u64> {
    let ids = text.lines().filter_map(|line| line.strip_prefix("id: "));
    ids.map(|id| id.parse().unwrap()).collect()
}

async fn streams(stage: &Stage) -> u64 {
    let told = Told::by(stage.client.get(stage.url("/metrics"))).await;
    let text = String::from_utf8(told.bytes).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("quaestio_streams "));
    line.unwrap().parse().unwrap()
}

/// Waits until so many streams are open.
async fn until_streams(stage: &Stage, wanted: u64) {
    until(&format!("{wanted} streams are open"), async || {
        let open = streams(stage).await;
        if open == wanted { Ok(()) } else { Err(open) }
    })
    .await;
}

// proves: C5
#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_follow_one_run_and_those_who_read_see_every_entry_once() {
    let stage = Stage::open().await;
    stage.go(0);
    let run = stage.start("steps", &STEPS.to_string()).await;
    stage.until_step(&run, 1).await;
    let address = stage.address;
    let begun = Arc::<AtomicUsize>::default();
    let idlers = join_all((0..IDLERS).map(|_| open(address, &run, Some(1_024)))).await;
    let follow = |is_whole: bool| {
        let (run, begun) = (run.clone(), Arc::clone(&begun));
        tokio::spawn(async move {
            let mut stream = open(address, &run, None).await;
            let enough = |text: &str| match is_whole {
                true => text.ends_with("event: end\ndata: {\"status\":\"completed\"}\n\n"),
                false => numbers(text).len() > 9,
            };
            numbers(&read(&mut stream, &begun, enough).await)
        })
    };
    let vanishing: Vec<_> = (0..VANISHING).map(|_| follow(false)).collect();
    let readers: Vec<_> = (0..READERS).map(|_| follow(true)).collect();
    until("all have begun to read", async || {
        let count = begun.load(Ordering::SeqCst);
        if count == READERS + VANISHING { Ok(()) } else { Err(count) }
    })
    .await;
    until_streams(&stage, (READERS + IDLERS + VANISHING) as u64).await;
    stage.go(5);
    for seen in within("those who vanish have read", join_all(vanishing)).await {
        assert!(seen.unwrap().len() > 9);
    }
    // Those who are gone are noticed while the run still goes on.
    until_streams(&stage, (READERS + IDLERS) as u64).await;
    stage.go(STEPS);
    let state = stage.until_status(&run, "completed").await;
    let all: Vec<u64> = (1..=state["entries"].as_u64().unwrap()).collect();
    for seen in within("those who read have seen the end", join_all(readers)).await {
        assert_eq!(seen.unwrap(), all);
    }
    drop(idlers);
    until_streams(&stage, 0).await;
    stage.stop().await;
}
