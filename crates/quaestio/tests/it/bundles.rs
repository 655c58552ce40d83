//! Bundles: of every method, verified where nothing else is, and changed by accident and by people who know how they are made.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

use bundle::archive::{self, Member};
use bundle::{Contents, Extent, Outcome, Verification, name};
use ct_codecs::{Base64, Decoder as _, Encoder as _};
use fakes::scholar::scholar;
use fakes::{FakeModel, Judgement, Say, Seen, is_reader, readings};
use run::entry::{Entry, Event, Head};
use run::sources::Bibliography;
use serde_json::Value;

use crate::papers::Papers;
use crate::result_files::every_order;
use crate::stand::{QUESTION, Stand, examples, sentences};

/// A model whose sentences are its own, and a reader that lets them pass.
fn paraphraser(seen: &Seen) -> Say {
    if is_reader(seen) {
        return Say::json(&readings(seen, |_| Judgement::Supported));
    }
    let mut prose = String::new();
    for said in sentences(&seen.prompt()).iter().take(3) {
        prose.push_str(&format!("It is told that {} [{}]\n", said.text, said.address));
    }
    Say::text(prose)
}

/// Runs an order and returns its bundle.
fn bundle_of(stand: &Stand, order: &[&str]) -> Vec<u8> {
    let told = stand.run(order);
    assert!([0, 3].contains(&told.code), "{order:?}: {told:?}");
    let file = stand.path("run.quaestio.zip");
    export(stand, &file, &[]);
    std::fs::read(file).unwrap()
}

fn export(stand: &Stand, file: &std::path::Path, more: &[&str]) {
    let order =
        ["runs", "export", "last", "--format", "bundle", "--output", file.to_str().unwrap()];
    let told = stand.run(&[&order[..], more].concat());
    assert_eq!(told.code, 0, "{told:?}");
}

/// A bundle of every method, and of an answer and hypotheses with a model.
static BUNDLES: LazyLock<Vec<(String, Vec<u8>)>> = LazyLock::new(|| {
    let mut bundles = Vec::new();
    for order in every_order() {
        let order: Vec<&str> = order.iter().map(String::as_str).collect();
        bundles.push((order[0].to_owned(), bundle_of(&Stand::new(), &order)));
    }
    let model = FakeModel::start(paraphraser);
    let stand = Stand::with_model(&model.base_url());
    let docs = examples().display().to_string();
    let asked = bundle_of(&stand, &["ask", QUESTION, "--docs", &docs]);
    bundles.push(("ask with a model".to_owned(), asked));
    let papers = Papers::start();
    let model = FakeModel::start(scholar);
    let stand = papers.at(Stand::with_model(&model.base_url()));
    let found = bundle_of(&stand, &["hypothesize", crate::papers::QUESTION]);
    bundles.push(("hypothesize with a model".to_owned(), found));
    bundles
});

fn of(what: &str) -> &'static [u8] {
    &BUNDLES.iter().find(|(known, _)| known == what).unwrap().1
}

fn verify(bundle: &[u8], key: Option<&str>) -> Verification {
    futures::executor::block_on(bundle::verify(bundle, &methods::all(), key))
}

fn outcome(verification: &Verification, name: &str) -> Outcome {
    let check = verification.checks.iter().find(|check| check.name == name);
    check.unwrap_or_else(|| panic!("{name}: {verification}")).outcome
}

/// A place for a bundle where no run is.
fn put(bundle: &[u8]) -> (Stand, PathBuf) {
    let elsewhere = Stand::new();
    let file = elsewhere.file("run.quaestio.zip", bundle);
    (elsewhere, file)
}

// proves: C14, C15
#[test]
fn a_bundle_of_every_method_is_verified_and_replayed_where_nothing_else_is() {
    for (what, bundle) in BUNDLES.iter() {
        let (elsewhere, file) = put(bundle);
        let file = file.to_str().unwrap();
        let told = elsewhere.run(&["verify", file]);
        assert_eq!(told.code, 0, "{what}: {told:?}");
        assert!(told.out.contains("\nVerified: "), "{what}: {}", told.out);
        let verification = elsewhere.run(&["verify", file, "--format", "json"]).json();
        let checks = verification["checks"].as_array().unwrap();
        for check in ["container", "log", "result", "contract", "replay", "passages", "quotes"] {
            let found = checks.iter().find(|one| one["name"] == check);
            assert_eq!(found.unwrap()["outcome"], "held", "{what}: {check}");
        }
        let members = archive::read(bundle).unwrap();
        let report = members.iter().find(|member| member.name == name::MARKDOWN).unwrap();
        let replayed = elsewhere.run(&["replay", file]);
        assert_eq!(replayed.code, 0, "{what}: {replayed:?}");
        assert_eq!(replayed.out.as_bytes(), report.bytes, "{what}");
        assert!(!elsewhere.data().exists(), "{what}: nothing is kept");
    }
}

// proves: C14
#[test]
fn a_bundle_holds_what_its_result_rests_on() {
    let names = |what: &str| -> Vec<String> {
        archive::read(of(what)).unwrap().into_iter().map(|member| member.name).collect()
    };
    let asked = names("ask with a model");
    for wanted in ["log.jsonl", "report.html", "prompts/ask/writer.md", "prompts/ledger/reader.md"]
    {
        assert!(asked.iter().any(|name| name == wanted), "{wanted}: {asked:?}");
    }
    assert!(asked.iter().any(|name| name.starts_with("sources/")), "{asked:?}");
    let brief = names("brief");
    for wanted in ["figures.json", "schemas/brief.json", "schemas/result.json"] {
        assert!(brief.iter().any(|name| name == wanted), "{wanted}: {brief:?}");
    }
    let verification = verify(of("brief"), None);
    assert_eq!(outcome(&verification, "figures"), Outcome::Held, "{verification}");
    let verification = verify(of("ask with a model"), None);
    let told = verification.to_string();
    assert!(told.contains("the second reader ") && told.contains("not calibrated"), "{told}");
    assert_eq!(outcome(&verification, "prompts"), Outcome::Held);
    assert_eq!(outcome(&verification, "sources"), Outcome::Held);
}

// proves: C14
#[test]
fn the_same_run_gives_the_same_bundle_and_passages_alone_on_request() {
    let stand = Stand::new();
    let docs = examples().display().to_string();
    let bundle = bundle_of(&stand, &["ask", QUESTION, "--docs", &docs]);
    let again = stand.path("again.quaestio.zip");
    export(&stand, &again, &[]);
    assert_eq!(std::fs::read(&again).unwrap(), bundle);
    export(&stand, &again, &["--passages-only"]);
    let passages = std::fs::read(&again).unwrap();
    let sources = |bundle: &[u8]| {
        let members = archive::read(bundle).unwrap();
        members.iter().filter(|member| member.name.starts_with("sources/")).count()
    };
    assert!(sources(&bundle) > 0);
    assert_eq!(sources(&passages), 0);
    let verification = verify(&passages, None);
    assert!(verification.holds, "{verification}");
    assert_eq!(outcome(&verification, "sources"), Outcome::NotChecked);
    let told = verification.to_string();
    assert!(told.contains("if the texts of those sources are not in the bundle"), "{told}");
    // A source that is gone since is told, not passed over.
    assert_eq!(stand.run(&["ingest", &docs, "--collection", "soho"]).code, 0);
    bundle_of(&stand, &["ask", QUESTION, "--collection", "soho"]);
    assert_eq!(stand.run(&["collections", "remove", "soho", "--yes"]).code, 0);
    export(&stand, &again, &[]);
    let verification = verify(&std::fs::read(&again).unwrap(), None);
    assert!(verification.holds, "{verification}");
    assert_eq!(outcome(&verification, "sources"), Outcome::NotChecked);
}

// proves: C14
#[test]
fn a_run_that_has_not_ended_has_no_bundle_and_what_is_none_is_told() {
    let stand = Stand::new();
    let waiting = every_order().into_iter().find(|order| order[0] == "market").unwrap();
    let waiting: Vec<&str> =
        waiting.iter().map(String::as_str).filter(|arg| *arg != "--yes").collect();
    assert_eq!(stand.run(&waiting).code, 5);
    stand
        .run(&["runs", "export", "last", "--output", "x.quaestio.zip"])
        .fails(2, "has not finished yet; make the bundle when it has");
    let (elsewhere, file) = put(b"PK\x05\x06 and nothing");
    let file = file.to_str().unwrap();
    let told = elsewhere.run(&["verify", file]);
    assert_eq!((told.code, told.out.contains("it is not a zip archive")), (1, true), "{told:?}");
    elsewhere.run(&["replay", file]).fails(2, "it is not a zip archive");
    elsewhere.run(&["verify", "nowhere.zip"]).fails(2, "could not read nowhere.zip");
    elsewhere.run(&["attach", file]).fails(2, "--sign");
    elsewhere.run(&["verify", file, "--key", "RWQx"]).fails(2, "RWQx is neither a public key");
}

/// Returns the bytes at which each member of an archive begins and ends, and the parts between and behind them.
fn split(bundle: &[u8]) -> Vec<(String, std::ops::Range<usize>)> {
    let find = |needle: &[u8], from: usize| {
        let found = bundle[from..].windows(needle.len()).position(|one| one == needle);
        found.map_or(bundle.len(), |at| from + at)
    };
    let (mut parts, mut at) = (Vec::new(), 0);
    for Member { name, .. } in archive::read(bundle).unwrap() {
        let data = at + 30 + name.len();
        let packed = u32::from_le_bytes(bundle[at + 18..at + 22].try_into().unwrap()) as usize;
        parts.push((format!("header of {name}"), at..data));
        parts.push((name, data..data + packed));
        at = data + packed;
    }
    let end = find(b"PK\x05\x06", at);
    parts.push(("directory".into(), at..end));
    parts.push(("end".into(), end..bundle.len()));
    parts
}

// proves: C14
#[test]
fn a_thousand_changed_bytes_in_every_part_of_a_bundle_are_all_noticed() {
    let bundle = of("brief");
    let parts = split(bundle);
    let each = 1_000_usize.div_ceil(parts.len());
    let mut changes = 0;
    for (part, range) in parts {
        for index in 0..each.min(range.len()) {
            // Spread over the part, its first and last byte among them.
            let at = range.start
                + index * (range.len() - 1) / each.min(range.len()).max(2).saturating_sub(1);
            let mut changed = bundle.to_vec();
            changed[at] = changed[at].wrapping_add(1 + (index % 255) as u8);
            assert!(!verify(&changed, None).holds, "byte {at} of {part}");
            changes += 1;
        }
    }
    assert!(changes >= 1_000, "{changes}");
}

/// Writes titles alone.
struct Titles;

impl Bibliography for Titles {
    fn references(&self, works: &[&papers::Paper]) -> Vec<String> {
        works.iter().map(|work| work.title.clone()).collect()
    }
}

/// A bundle taken apart by somebody who knows how bundles are made.
struct Forger {
    run: String,
    entries: Vec<Value>,
    sources: BTreeMap<String, String>,
    prompts: BTreeMap<String, String>,
    figures: Option<Vec<survey::aggregate::Tabled>>,
}

impl Forger {
    fn of(bundle: &[u8]) -> Forger {
        let members = archive::read(bundle).unwrap();
        let text = |name: &str| {
            let member = members.iter().find(|member| member.name == name);
            member.map(|member| String::from_utf8(member.bytes.clone()).unwrap())
        };
        let folder = |folder: &str, end: &str| -> BTreeMap<String, String> {
            let named = members.iter().filter_map(|member| {
                let name = member.name.strip_prefix(folder)?.strip_suffix(end)?;
                Some((name.to_owned(), String::from_utf8(member.bytes.clone()).unwrap()))
            });
            named.collect()
        };
        let manifest: Value = serde_json::from_str(&text(name::MANIFEST).unwrap()).unwrap();
        let log = text(name::LOG).unwrap();
        Forger {
            run: manifest["run_id"].as_str().unwrap().to_owned(),
            entries: log.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
            sources: folder(name::SOURCES, ".txt"),
            prompts: folder(name::PROMPTS, ".md"),
            figures: text(name::FIGURES).map(|text| serde_json::from_str(&text).unwrap()),
        }
    }

    /// Returns the log with another chain; `None` if an entry cannot be read any more.
    fn sealed(&self) -> Option<Vec<Entry>> {
        let mut head = Head::default();
        let mut entries = Vec::new();
        for entry in &self.entries {
            let mut entry = entry.clone();
            let fields = entry.as_object_mut()?;
            fields.remove("hash");
            let at = serde_json::from_value(fields.remove("at")?).ok()?;
            fields.remove("seq");
            let event: Event = serde_json::from_value(entry).ok()?;
            let (sealed, _) = Entry::seal(&head, at, event);
            head = Head { seq: sealed.seq, hash: sealed.hash };
            entries.push(sealed);
        }
        Some(entries)
    }

    /// Packs everything anew, so that it holds together.
    fn pack(&self) -> Option<Vec<u8>> {
        let entries = self.sealed()?;
        let figures = self.figures.clone();
        let contents = Contents {
            run: &self.run,
            entries: &entries,
            methods: &methods::all(),
            bibliography: &Titles,
            extent: Extent::Sources,
            sources: self.sources.clone(),
            prompts: self.prompts.clone(),
            figures: figures.map(Ok),
        };
        bundle::pack(&contents).ok()
    }

    /// Replaces a text wherever it stands in the log, in texts alone.
    fn replace(&mut self, from: &str, to: &str) {
        fn walk(value: &mut Value, from: &str, to: &str) {
            match value {
                Value::String(text) => *text = text.replace(from, to),
                Value::Array(items) => items.iter_mut().for_each(|item| walk(item, from, to)),
                Value::Object(fields) => {
                    fields.values_mut().for_each(|field| walk(field, from, to));
                }
                _ => {}
            }
        }
        self.entries.iter_mut().for_each(|entry| walk(entry, from, to));
    }

    fn claims(&mut self) -> &mut Vec<Value> {
        let last =
            self.entries.iter_mut().rev().find(|entry| entry["event"] == "finished").unwrap();
        last["ledger"].as_array_mut().unwrap()
    }
}

/// Returns a text with its first digit changed, or its first letters if it has none.
fn otherwise(text: &str) -> String {
    match text.find(|c: char| c.is_ascii_digit()) {
        Some(at) => {
            let digit = (text.as_bytes()[at] - b'0' + 1) % 10;
            format!("{}{digit}{}", &text[..at], &text[at + 1..])
        }
        None => format!("Not {text}"),
    }
}

/// Returns forged bundles, each with what was changed in it.
fn forge(bundle: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut forged = Vec::new();
    let mut add = |what: String, forger: &Forger| {
        if let Some(packed) = forger.pack()
            && packed != bundle
        {
            forged.push((what, packed));
        }
    };
    let claims = Forger::of(bundle).claims().clone();
    for (index, claim) in claims.iter().enumerate().take(4) {
        let text = claim["text"].as_str().unwrap();
        let verdict = claim["verdict"].as_str().unwrap();
        if verdict == "unsupported" {
            continue;
        }
        // The claim alone, as the ledger tells it.
        let mut forger = Forger::of(bundle);
        forger.claims()[index]["text"] = otherwise(text).into();
        add(format!("claim {index} says something else"), &forger);
        for other in ["quoted", "supported", "inferred", "recomputed", "unsupported"] {
            if other != verdict {
                let mut forger = Forger::of(bundle);
                forger.claims()[index]["verdict"] = other.into();
                add(format!("claim {index} is {other}"), &forger);
            }
        }
        let mut forger = Forger::of(bundle);
        forger.claims().remove(index);
        add(format!("claim {index} is not there"), &forger);
        for (number, citation) in claim["citations"].as_array().unwrap().iter().enumerate().take(2)
        {
            // Everywhere in the log: the passage, the replies, the claim.
            let quote = citation["quote"].as_str().unwrap();
            let mut forger = Forger::of(bundle);
            forger.replace(quote, &otherwise(quote));
            add(format!("quote {number} of claim {index} is another one everywhere"), &forger);
            let mut forger = Forger::of(bundle);
            let at = &mut forger.claims()[index]["citations"][number];
            let moved = |at: &Value| Value::from(at.as_u64().unwrap_or_default() + 1);
            (at["start"], at["end"]) = (moved(&at["start"]), moved(&at["end"]));
            add(format!("quote {number} of claim {index} stands elsewhere"), &forger);
            let mut forger = Forger::of(bundle);
            let digest = citation["source_sha256"].as_str().unwrap();
            forger.replace(digest, &otherwise(digest));
            add(format!("the source of quote {number} of claim {index} is another one"), &forger);
        }
    }
    let figures = Forger::of(bundle).figures.map_or(0, |figures| figures.len());
    for index in 0..figures.min(25) {
        let mut forger = Forger::of(bundle);
        let table = &mut forger.figures.as_mut().unwrap()[index].tables[0];
        if let survey::aggregate::Counts::Cells(cells) = &mut table.counts {
            cells[0].count.weight += 7.0;
            add(format!("table {index} counts others"), &forger);
        }
        let mut forger = Forger::of(bundle);
        forger.figures.as_mut().unwrap().remove(index);
        add(format!("table {index} is not there"), &forger);
    }
    forged
}

// proves: C14
#[test]
fn two_hundred_changes_that_hold_together_are_noticed_where_they_contradict_a_source() {
    let mut changes = 0;
    for (what, bundle) in BUNDLES.iter() {
        assert!(verify(&Forger::of(bundle).pack().unwrap(), None).holds, "{what}: nothing changed");
        for (change, forged) in forge(bundle) {
            let verification = verify(&forged, None);
            assert!(!verification.holds, "{what}: {change}: {verification}");
            changes += 1;
        }
    }
    assert!(changes >= 200, "{changes}");
}

// proves: C14
#[test]
fn whatever_was_changed_has_no_signature_of_its_maker() {
    let pair = minisign::KeyPair::generate_unencrypted_keypair().unwrap();
    let secret = pair.sk.to_box(None).unwrap().into_string();
    let public = pair.pk.to_base64();
    let (stand, file) = put(of("ask with a model"));
    let key = stand.file("maker.key", &secret);
    let told = stand.run(&["attach", file.to_str().unwrap(), "--sign", key.to_str().unwrap()]);
    assert_eq!(told.code, 0, "{told:?}");
    let told = stand.run(&["verify", file.to_str().unwrap(), "--key", &public]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.out.contains("was signed with this key"), "{}", told.out);
    // The program minisign writes no checksum for a key without a password.
    let (head, key_text) = secret.split_once('\n').unwrap();
    let mut bytes = Base64::decode_to_vec(key_text.trim(), None).unwrap();
    let checksum = bytes.len() - 32;
    bytes[checksum..].fill(0);
    let unchecked = format!("{head}\n{}\n", Base64::encode_to_string(&bytes).unwrap());
    let key = stand.file("unchecked.key", unchecked);
    let told = stand.run(&["attach", file.to_str().unwrap(), "--sign", key.to_str().unwrap()]);
    assert_eq!(told.code, 0, "{told:?}");
    assert_eq!(stand.run(&["verify", file.to_str().unwrap(), "--key", &public]).code, 0);
    stand
        .run(&["attach", file.to_str().unwrap(), "--sign", file.to_str().unwrap()])
        .fails(2, "cannot use the secret key");
    let signed = std::fs::read(&file).unwrap();
    let unchecked = verify(&signed, None);
    assert_eq!((unchecked.holds, outcome(&unchecked, "signature")), (true, Outcome::NotChecked));
    let signature = |bundle: &[u8]| {
        let members = archive::read(bundle).unwrap();
        members.into_iter().find(|member| member.name == name::SIGNATURE).unwrap().bytes
    };
    let other = minisign::KeyPair::generate_unencrypted_keypair().unwrap().pk.to_base64();
    assert!(!verify(&signed, Some(&other)).holds);
    assert!(!verify(of("ask with a model"), Some(&public)).holds, "it is not signed");
    // What contradicts no source: another reply of the model, another time, another user.
    let mut forger = Forger::of(&signed);
    forger.replace("It is told that", "It is known that");
    let forged = forger.pack().unwrap();
    let forged = bundle::attach(&forged, name::SIGNATURE, signature(&signed)).unwrap();
    assert!(!verify(&forged, Some(&public)).holds);
    let mut changes = 0;
    for what in ["ask", "ask with a model", "hypothesize with a model", "brief", "deep"] {
        let bundle = of(what);
        let manifest = bundle::read_manifest(bundle).unwrap();
        let signed =
            minisign::sign(None, &pair.sk, &manifest[..], None, None).unwrap().into_string();
        let own = bundle::attach(bundle, name::SIGNATURE, signed.clone().into()).unwrap();
        assert_eq!(outcome(&verify(&own, Some(&public)), "signature"), Outcome::Held, "{what}");
        for (change, forged) in forge(bundle) {
            let forged = bundle::attach(&forged, name::SIGNATURE, signed.clone().into()).unwrap();
            let verification = verify(&forged, Some(&public));
            assert_eq!(outcome(&verification, "signature"), Outcome::Failed, "{what}: {change}");
            changes += 1;
        }
    }
    assert!(changes >= 200, "{changes}");
}

// proves: C14
#[test]
fn a_time_stamp_is_of_this_manifest_or_refused() {
    let (stand, file) = put(of("ask"));
    let manifest = bundle::read_manifest(of("ask")).unwrap();
    let digest = run::entry::Hash::of(&manifest).0;
    let token = stand.file(
        "token.tsr",
        [b"0\x82\x01\x02 an answer with ".as_slice(), &digest, b" in it"].concat(),
    );
    let attach = |token: &std::path::Path| {
        stand.run(&["attach", file.to_str().unwrap(), "--time-stamp", token.to_str().unwrap()])
    };
    assert_eq!(attach(&token).code, 0);
    let stamped = verify(&std::fs::read(&file).unwrap(), None);
    assert_eq!(
        (stamped.holds, outcome(&stamped, "time stamp")),
        (true, Outcome::NotChecked),
        "whether an authority made it is not ours to tell: {stamped}"
    );
    let other = stand.file("other.tsr", b"0\x82\x01\x02 of something else");
    attach(&other).fails(2, "is not for the SHA-256 of this manifest");
}

/// Changes a bundle's log, packs it anew, and returns what verifying it comes to; `None` if it cannot be packed.
fn change(what: &str, edit: impl FnOnce(&mut Forger)) -> Option<Verification> {
    let mut forger = Forger::of(of(what));
    edit(&mut forger);
    Some(verify(&forger.pack()?, None))
}

fn assert_refused(what: &str, edit: impl FnOnce(&mut Forger)) {
    if let Some(verification) = change(what, edit) {
        assert!(!verification.holds, "{what}: {verification}");
    }
}

// proves: C14, C15
#[test]
fn a_version_that_works_otherwise_is_not_taken_on_trust() {
    for what in ["ask", "brief", "market", "check"] {
        assert_refused(what, |forger| {
            forger.entries[0]["version"] = 99.into();
            let text = forger.claims()[0]["text"].as_str().unwrap().to_owned();
            forger.claims()[0]["text"] = otherwise(&text).into();
            forger.claims()[0]["verdict"] = "inferred".into();
        });
    }
}

// proves: C14
#[test]
fn a_log_has_one_beginning_and_one_end_and_searches_return_what_stands_in_sources() {
    assert_refused("ask", |forger| {
        let first = forger.entries[0].clone();
        forger.entries.insert(1, first);
    });
    assert_refused("ask", |forger| {
        let last = forger.entries.last().unwrap().clone();
        forger.entries.insert(2, last);
    });
    let mut edited = 0;
    assert_refused("ask", |forger| {
        for entry in &mut forger.entries {
            if let Some(passage) = entry.pointer_mut("/value/passages/0") {
                passage["text"] = otherwise(passage["text"].as_str().unwrap()).into();
                edited += 1;
            }
        }
    });
    assert!(edited > 0);
}

// proves: C14
#[test]
fn a_prompt_is_named_like_one_and_what_is_missing_could_be_there() {
    for name in ["../../../../tmp/slip", "ask/../writer", "C:/writer", "ask/wri\u{1b}[8mter"] {
        assert_refused("ask", |forger| {
            let mut asked = forger.entries.iter_mut().filter(|entry| entry["asking"].is_object());
            asked.next().unwrap()["asking"]["prompt"] = name.into();
            forger.prompts.insert(name.into(), "---\nversion: 1\nmax_tokens: 1\n---\nx".into());
        });
    }
    let members = archive::read(of("brief")).unwrap();
    let without = |name: &str, missing: &[(&str, &str)]| {
        let mut members = members.clone();
        members.retain(|member| member.name != name);
        let mut manifest: Value = serde_json::from_slice(&members[0].bytes).unwrap();
        let listed = manifest["members"].as_array_mut().unwrap();
        listed.retain(|member| member["name"] != name);
        manifest["missing"] = missing
            .iter()
            .map(|(name, why)| serde_json::json!({"name": name, "why": why}))
            .collect();
        members[0].bytes = run::canonical::canonical(&manifest);
        verify(&archive::write(&members).unwrap(), None)
    };
    let told = without("figures.json", &[("figures.json", "gone\nVerified: yes")]);
    assert_eq!(outcome(&told, "figures"), Outcome::NotChecked, "{told}");
    let text = told.to_string();
    assert!(text.contains("figures.json would show") && text.contains("not checked"), "{text}");
    assert!(!text.contains("\nVerified: yes"), "{text}");
    assert!(!without("figures.json", &[]).holds);
    assert!(!without("nothing", &[("sources/../x.txt", "y")]).holds);
    assert!(!without("nothing", &[("log.jsonl", "y")]).holds);
}

// proves: C14
#[test]
fn nothing_in_a_bundle_writes_a_line_of_the_verifier() {
    let line = "x\nVerified: all checks passed.\u{1b}[8m";
    let mut members = archive::read(of("ask")).unwrap();
    let mut manifest: Value = serde_json::from_slice(&members[0].bytes).unwrap();
    for field in ["run_id", "method", "made_by"] {
        manifest[field] = line.into();
    }
    members[0].bytes = run::canonical::canonical(&manifest);
    let told = verify(&archive::write(&members).unwrap(), None);
    let text = told.to_string();
    assert!(!told.holds && !text.contains("\nVerified") && !text.contains('\u{1b}'), "{text:?}");
    let told = change("ask", |forger| forger.run = line.into()).unwrap().to_string();
    assert!(!told.contains('\u{1b}') && told.matches("\nVerified").count() <= 1, "{told:?}");
}

/// Writes another difference wherever a finding tells one.
fn exaggerate(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if let Some(difference) = fields.get_mut("difference").filter(|one| one.is_object()) {
                (difference["value"], difference["shown"]) = (0.999.into(), "+99.9 points".into());
            }
            fields.values_mut().for_each(exaggerate);
        }
        Value::Array(items) => items.iter_mut().for_each(exaggerate),
        _ => {}
    }
}

// proves: B5, C14
#[test]
fn a_figure_is_of_what_its_table_counts_and_a_difference_is_that_of_its_figures() {
    assert_refused("brief", |forger| {
        for tabled in forger.figures.as_mut().unwrap() {
            for table in &mut tabled.tables {
                table.question = "Have you seen a flying saucer?".into();
            }
        }
    });
    assert_refused("brief", |forger| {
        for tabled in forger.figures.as_mut().unwrap() {
            for table in &mut tabled.tables {
                table.answers =
                    table.answers.iter().map(|answer| format!("not {answer}")).collect();
            }
        }
    });
    assert_refused("brief", |forger| {
        let tables = forger.figures.as_mut().unwrap();
        tables[0].tables[0].expression = "share(Q1=1, study=W1)".into();
    });
    assert_refused("brief", |forger| forger.entries.iter_mut().for_each(exaggerate));
}

// proves: C14
#[test]
fn a_run_that_a_person_stopped_is_told_as_one() {
    let stand = Stand::new();
    let market = every_order().into_iter().find(|order| order[0] == "market").unwrap();
    let market: Vec<&str> =
        market.iter().map(String::as_str).filter(|arg| *arg != "--yes").collect();
    for stop in ["cancel", "reject"] {
        assert_eq!(stand.run(&market).code, 5);
        stand.run(&["runs", stop, "last"]);
        let file = stand.path("stopped.quaestio.zip");
        export(&stand, &file, &[]);
        let told = stand.run(&["verify", file.to_str().unwrap()]);
        assert_eq!(told.code, 0, "{stop}: {told:?}");
        assert!(
            told.out.contains("a person stopped the run before its method finished"),
            "{}",
            told.out
        );
    }
}
