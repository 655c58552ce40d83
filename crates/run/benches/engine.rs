//! What every step of a run goes through: `cargo bench -p run`.

use divan::{Bencher, black_box};
use run::analysis::{Analyzer, Language, sentences};
use run::canonical::canonical;
use run::grounding::{Passage, check};
use run::tolerant;
use serde_json::json;

fn main() {
    divan::main();
}

const TEXT: &str = "The handle of the Broad Street pump was removed on the following day, 8 September 1854. Snow wrote that the \
    attacks had so far diminished before the use of the water was stopped that it is impossible to decide whether the well still \
    contained the cholera poison in an active state. In all, 616 people died; most of them in the first ten days of the month.";

/// Terms of about 30 kB of prose.
#[divan::bench]
fn terms(bencher: Bencher) {
    let text = TEXT.repeat(80);
    bencher.bench(|| Analyzer::new(Language::English).terms(black_box(&text)));
}

/// Sentences of about 30 kB of prose.
#[divan::bench]
fn cut_into_sentences(bencher: Bencher) {
    let text = TEXT.repeat(80);
    bencher.bench(|| sentences(black_box(&text)));
}

/// One citation, from quote to verdict.
#[divan::bench]
fn check_a_citation(bencher: Bencher) {
    let section = "The Broad Street outbreak of 1854 > The pump handle";
    let passage = Passage { text: TEXT, section, is_title: false };
    let claim = "The handle of the Broad Street pump was removed on 8 September 1854.";
    let quote =
        "The handle of the Broad Street pump was removed on the following day, 8 September 1854.";
    bencher.bench(|| check(black_box(claim), &passage, quote));
}

/// A reply of a model, fenced and with prose around it.
#[divan::bench]
fn read_a_reply(bencher: Bencher) {
    let claims: Vec<_> = (0..20)
        .map(|n| json!({"text": TEXT, "citations": [{"evidence": n, "quote": TEXT}]}))
        .collect();
    let reply = format!("Here it is:\n```json\n{}\n```\n", json!({ "claims": claims }));
    bencher.bench(|| tolerant::read(black_box(&reply)));
}

/// The canonical form of an entry's value.
#[divan::bench]
fn write_canonically(bencher: Bencher) {
    let value = json!({"step": "writer #1", "value": {"claims": [{"text": TEXT, "n": 3.5}, {"text": TEXT, "n": 616}]}});
    bencher.bench(|| canonical(black_box(&value)));
}
