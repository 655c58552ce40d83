//! What every step of a run goes through: `cargo bench -p run`.

use divan::{Bencher, black_box};
use grounding::check::{Context, Gazetteer, check};
use grounding::locate::Finder;
use grounding::statement::Source;
use run::canonical::canonical;
use serde_json::json;
use text::tolerant;
use text::{Analyzer, Language, sentences};

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

/// One citation, from quote to what the hard checks find.
#[divan::bench]
fn check_a_citation(bencher: Bencher) {
    let claim = "The handle of the Broad Street pump was removed on 8 September 1854.";
    let quote =
        "The handle of the Broad Street pump was removed on the following day, 8 September 1854.";
    bencher.bench(|| {
        let source = Source::of(TEXT);
        let run = Finder::of(&source).locate(quote).into_iter().next();
        let ground = run.and_then(|(first, last)| source.ground(first, last));
        let gazetteer = Gazetteer::default();
        let context = Context { grounds: ground.as_slice(), question: "", gazetteer: &gazetteer };
        check(black_box(claim), &context)
    });
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
