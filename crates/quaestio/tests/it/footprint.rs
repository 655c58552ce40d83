//! What a server needs: memory for an upload, for a run that waits for its model, and room on disk. Sizes, not times: they are the same
//! on a slow machine.

use std::time::{Duration, Instant};

use fakes::{FakeModel, Say};
use serde_json::json;

use crate::serve::Served;
use crate::stand::{Stand, examples};

/// Prose of about so many bytes, in which words come again as they do in a language.
fn prose(bytes: usize) -> String {
    let letters = b"etaoinshrdlucmfw";
    let word = |number: usize| -> String {
        let mut seed = number * number % 20_011;
        let length = 2 + seed % 8;
        (0..length)
            .map(|_| {
                seed = (seed * 31 + 17) % 65_521;
                char::from(letters[seed % letters.len()])
            })
            .collect()
    };
    let mut text = String::with_capacity(bytes + 16);
    let mut number = 0;
    while text.len() < bytes {
        number += 1;
        text.push_str(&word(number));
        text.push_str(match number {
            number if number % 120 == 0 => ".\n\n",
            number if number % 12 == 0 => ". ",
            _ => " ",
        });
    }
    text
}

/// Returns the bytes that everything in the database takes.
fn room(stand: &Stand) -> usize {
    let told = stand.rows("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size");
    told[0].trim_matches(|sign: char| !sign.is_ascii_digit()).parse().unwrap()
}

fn upload(served: &Served, name: &str, text: &str) {
    let head = format!("POST /api/collections/notes/documents?name={name}");
    let (status, told) = served.text(&head, "application/octet-stream", text.as_bytes());
    assert_eq!(status, 201, "{told}");
}

// proves: A6
#[test]
fn an_upload_takes_a_small_multiple_of_its_size_in_memory() {
    const SIZE: usize = 8 << 20;
    let stand = Stand::new();
    let served = Served::on(&stand, &["--no-model"]);
    // What is needed once for all documents.
    upload(&served, "first.txt", &prose(200_000));
    let before = served.memory("VmHWM:");
    upload(&served, "large.txt", &prose(SIZE));
    let taken = served.memory("VmHWM:").saturating_sub(before);
    // The file, which is kept, its text, its terms, and what is under way: four times its size; a list of terms alone would be ten times.
    assert!(2 * taken < 9 * SIZE, "{} times its size", taken as f64 / SIZE as f64);
    // It is stored whole.
    let found = served.get("/api/collections/notes/documents");
    assert_eq!(found["total"], 2, "{found}");
}

// proves: S3
#[test]
fn a_run_that_waits_for_its_model_takes_little_memory_and_little_room() {
    const RUNS: usize = 100;
    let fake = FakeModel::start(|_| Say::Hang);
    let stand = Stand::with_model(&fake.base_url())
        .variable("QUAESTIO_SERVER__MAX_RUNNING", "1000")
        .variable("QUAESTIO_SERVER__MAX_QUEUED", "1000")
        .variable("QUAESTIO_SERVER__REQUESTS_PER_SECOND", "10000");
    let served = Served::on(&stand, &[]);
    for file in ["broad-street-outbreak-1854.md", "great-stink-and-sewers.md"] {
        let text = std::fs::read_to_string(examples().join("history").join(file)).unwrap();
        upload(&served, file, &text);
    }
    let waiting = |runs: usize| {
        let until = Instant::now() + Duration::from_secs(120);
        while fake.seen().len() < runs && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(fake.seen().len(), runs, "runs that wait for the model");
    };
    let begin = |from: usize, to: usize| {
        for number in from..to {
            let question = format!("When was the handle of the pump removed, case {number}?");
            let order = json!({"method": "ask", "question": question, "collection": "notes"});
            let (status, told) = served.post("/api/runs", &order);
            assert_eq!(status, 201, "{told}");
        }
        waiting(to);
    };
    begin(0, 20);
    let (memory, bytes) = (served.memory("VmRSS:"), room(&stand));
    begin(20, 20 + RUNS);
    let each = served.memory("VmRSS:").saturating_sub(memory) / RUNS;
    assert!(each < 120_000, "{each} bytes of memory for each run");
    let each = room(&stand).saturating_sub(bytes) / RUNS;
    assert!(each < 24_000, "{each} bytes in the database for each run");
    assert!(!stand.data().join("artifacts").exists());
}
