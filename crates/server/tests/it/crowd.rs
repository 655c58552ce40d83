//! A thousand who follow one run: those who read slowly, not at all, or vanish cost the others nothing.
//!
//! What they cost in memory is measured by the benchmark; here is seen what everybody gets.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::join_all;
use socket2::SockRef;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpSocket, TcpStream};

use crate::contract::Told;
use crate::patience::{until, within};
use crate::stage::{Stage, WEIGHT};
use crate::stream::follow;

const READERS: usize = 800;
const IDLERS: usize = 100;
/// Idlers who read after all, when the run has ended.
const LATE: usize = 10;
const VANISHING: usize = 100;
/// So many that an idler lacks more than the sockets, the connection and the feed hold together.
const STEPS: u32 = 40;
/// The longest piece of a stream: an entry of a step that returned, with what is around its value.
const PIECE: usize = WEIGHT + 4_096;

/// Opens a stream; one `is_narrow` if the systems at its two ends are to hold as little as can be.
async fn open(address: SocketAddr, run: &str, is_narrow: bool) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    if is_narrow {
        socket.set_recv_buffer_size(1_024).unwrap();
        // The other end holds as many segments as it thinks will soon be on their way.
        SockRef::from(&socket).set_tcp_mss(536).unwrap();
    }
    let mut stream = socket.connect(address).await.unwrap();
    let head = format!("GET /api/runs/{run}/events HTTP/1.1\r\nHost: {address}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

/// What somebody got of a stream.
#[derive(Debug, Default, PartialEq)]
struct Got {
    /// The number of each entry, and its bytes.
    entries: Vec<(u64, usize)>,
    has_end: bool,
}

/// Reads a stream until there is `enough` of it; `begun` counts those that have begun.
async fn read(stream: TcpStream, begun: &AtomicUsize, enough: impl Fn(&Got) -> bool) -> Got {
    let mut stream = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(stream.read_line(&mut head).await.unwrap(), 0, "half a head: {head}");
    }
    assert!(head.starts_with("HTTP/1.1 200 ") && head.contains("transfer-encoding: chunked"));
    begun.fetch_add(1, Ordering::SeqCst);
    let mut got = Got::default();
    // A thousand streams are too much to look at every byte; each event comes as one piece, and its beginning says what it is.
    let mut piece = vec![0; PIECE];
    while !enough(&got) {
        let mut line = String::new();
        stream.read_line(&mut line).await.unwrap();
        let length = usize::from_str_radix(line.trim_end(), 16);
        let length = length.unwrap_or_else(|_| panic!("'{line}' is no length, after {got:?}"));
        assert_ne!(length, 0, "the stream ended after {got:?}");
        let piece = &mut piece[..length + 2];
        stream.read_exact(piece).await.unwrap();
        assert!(piece.ends_with(b"\n\n\r\n"), "half an event, after {got:?}");
        let begin = String::from_utf8_lossy(&piece[..length.min(100)]);
        if let Some(rest) = begin.strip_prefix("id: ") {
            let (id, rest) = rest.split_once('\n').unwrap();
            assert!(rest.starts_with("event: entry\ndata: {"), "{begin}");
            got.entries.push((id.parse().unwrap(), length));
        }
        got.has_end |= begin == "event: end\ndata: {\"status\":\"completed\"}\n\n";
    }
    got
}

async fn streams(stage: &Stage) -> usize {
    let told = Told::by(stage.client.get(stage.url("/metrics"))).await;
    let text = String::from_utf8(told.bytes).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("quaestio_streams "));
    line.unwrap().parse().unwrap()
}

async fn until_streams(stage: &Stage, wanted: usize) {
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
    let run = stage.start("weighty", &STEPS.to_string()).await;
    stage.until_step(&run, 1).await;
    let address = stage.address;
    let begun = Arc::<AtomicUsize>::default();
    let mut idlers = join_all((0..IDLERS).map(|_| open(address, &run, true))).await;
    let reading = |enough: fn(&Got) -> bool| {
        let (run, begun) = (run.clone(), Arc::clone(&begun));
        tokio::spawn(async move { read(open(address, &run, false).await, &begun, enough).await })
    };
    let vanishing: Vec<_> = (0..VANISHING).map(|_| reading(|got| got.entries.len() > 9)).collect();
    let readers: Vec<_> = (0..READERS).map(|_| reading(|got| got.has_end)).collect();
    until("all have begun to read", async || {
        let count = begun.load(Ordering::SeqCst);
        if count == READERS + VANISHING { Ok(()) } else { Err(count) }
    })
    .await;
    until_streams(&stage, READERS + IDLERS + VANISHING).await;
    stage.go(5);
    within("those who vanish have read", join_all(vanishing)).await;
    // Those who are gone are noticed while the run still goes on.
    until_streams(&stage, READERS + IDLERS).await;
    stage.go(STEPS);
    let seen = within("those who read have seen the end", join_all(readers)).await;
    // One who comes now reads everything, every byte of it.
    let (sent, ended) = follow(&stage, &run, None, |_| true).await;
    assert!(ended);
    let values = sent.iter().filter_map(|sent| sent.data["value"].as_str());
    let values: Vec<&str> = values.filter(|value| value.len() == WEIGHT).collect();
    let wanted: Vec<String> =
        (1..=STEPS).map(|number| format!("{number:>8}").repeat(WEIGHT / 8)).collect();
    assert!(values == wanted, "{} values", values.len());
    let count = sent.iter().filter_map(|sent| sent.id).max().unwrap();
    let first = seen[0].as_ref().unwrap();
    let numbers: Vec<u64> = first.entries.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, (1..=count).collect::<Vec<_>>());
    let heavy = first.entries.iter().filter(|(_, length)| *length > WEIGHT).count();
    assert_eq!(heavy, values.len());
    for got in &seen {
        assert_eq!(got.as_ref().unwrap(), first);
    }
    // All this time the idlers were stuck: whatever could be sent to them was, long ago, and it was not all.
    assert_eq!(streams(&stage).await, IDLERS);
    let late = idlers.drain(..LATE).map(async |stream| {
        SockRef::from(&stream).set_recv_buffer_size(1 << 20).unwrap();
        read(stream, &begun, |got| got.has_end).await
    });
    for got in within("those who come to it late have seen the end", join_all(late)).await {
        assert_eq!(&got, first, "they lack nothing");
    }
    until_streams(&stage, IDLERS - LATE).await;
    drop(idlers);
    until_streams(&stage, 0).await;
    within("the server stops", stage.stop()).await;
}
