use proptest::prelude::*;

use super::*;
use crate::Fault;

fn json(text: &str) -> String {
    json::parse(text.as_bytes(), &Bounds::default()).unwrap().text
}

fn yaml(text: &str) -> String {
    yaml::parse(text.as_bytes(), &Bounds::default()).unwrap().text
}

const PORTS: &str = r#"{"title": "Ports", "depth": 6.90, "none": null, "author": {"name": "Ada", "age": 36}, "tags": ["sea", "tide"],
 "ports": [{"name": "Brest", "metres": 6.9}, {"name": "Dover", "metres": 5.1, "note": "steep"}],
 "about": {"long": "First paragraph.\n\nSecond paragraph.", "a": {"b": 1, "c": 2, "d": 3, "e": 4, "f": [[1, 2], [3, 4]]}}}"#;

// proves: A6
#[test]
fn json_reads_as_items_headings_and_tables() {
    assert_eq!(
        json(PORTS),
        "- title: Ports\n- depth: 6.90\n- author.name: Ada\n- author.age: 36\n- tags: sea, tide\n\n\
         # ports\n\n| name | metres | note |\n| --- | --- | --- |\n| Brest | 6.9 |  |\n| Dover | 5.1 | steep |\n\n\
         # about\n\n## long\n\nFirst paragraph.\n\nSecond paragraph.\n\n\
         ## a\n\n- b: 1\n- c: 2\n- d: 3\n- e: 4\n- f: [1, 2], [3, 4]"
    );
    assert_eq!(
        json(r#"{"a": 123456789012345678901234567890, "b": [1e5, -2.50, "\\\"1.0"]}"#),
        "- a: 123456789012345678901234567890\n- b: 1e5, -2.50, \\\"1.0"
    );
    let parsed = json::parse(PORTS.as_bytes(), &Bounds::default()).unwrap();
    assert_eq!(parsed.title.as_deref(), Some("Ports"));
}

// proves: A6
#[test]
fn settings_with_comments_are_json_too() {
    assert_eq!(
        json("{// a port\n\"a\": \"http://x\", /* b */ \"c\": [1, 2,],\n}"),
        "- a: http://x\n- c: 1, 2"
    );
    assert!(matches!(json::parse(b"{\"a\": ", &Bounds::default()), Err(Fault::Damaged { .. })));
}

// proves: A6
#[test]
fn records_with_long_texts_are_sections_under_their_names() {
    let long = "It rose. ".repeat(60);
    let lines = format!(
        "{{\"title\": \"High\", \"text\": \"{long}\"}}\n{{\"id\": 7, \"text\": \"{long}\"}}\n"
    );
    let text = json::parse_lines(lines.as_bytes(), &Bounds::default()).unwrap().text;
    let long = long.trim();
    assert_eq!(text, format!("# High\n\n## text\n\n{long}\n\n# id: 7\n\n## text\n\n{long}"));
    let lines = "{\"a\": 1, \"b\": \"x\"}\n{\"a\": 2, \"b\": \"y\"}\n{broken\n";
    let text = json::parse_lines(lines.as_bytes(), &Bounds::default()).unwrap().text;
    assert_eq!(text, "| a | b |\n| --- | --- |\n| 1 | x |\n| 2 | y |\n\n1 line could not be read.");
}

// proves: A6
#[test]
fn a_list_of_many_records_is_cut_and_says_so() {
    let records: Vec<String> =
        (0..5_000).map(|at| format!("{{\"id\": {at}, \"kind\": \"k{}\"}}", at % 3)).collect();
    let text = json(&format!("[{}]", records.join(",")));
    assert!(text.starts_with("Of this table, 5,000 rows and 2 columns were read. Only the first 2,000 rows follow below; the other 3,000 rows are left out."), "{}", &text[..200]);
    assert!(text.contains("- id: 5,000 numbers, 0 blank, 5,000 distinct; from 0 to 4999\n- kind: 5,000 texts, 0 blank, 3 distinct; most often k0 (1,667), k1 (1,667), k2 (1,666)"));
    assert!(text.contains("| 1999 | k1 |") && !text.contains("| 2000 |"));
}

// proves: A6
#[test]
fn yaml_reads_brackets_and_quotes_that_end_at_the_indent_of_their_key() {
    assert_eq!(yaml("a:\n  e: {\n  }\n  f: 1\n"), yaml("a: {e: {}, f: 1}\n"));
    assert_eq!(
        yaml("a:\n  e: {\n    \"80/tcp\": {\"x\": 1}\n  }\n  f: [\n \"y\"\n]\ng: é\n"),
        yaml("a: {e: {80/tcp: {x: 1}}, f: [y]}\ng: é\n"),
    );
    assert_eq!(
        yaml("é:\n    msg: \"one \\\" #\n    two\n\n  three\"\n    b: 'it''s\n    c'\n"),
        yaml("é:\n  msg: \"one \\\" # two\\nthree\"\n  b: it's c\n"),
    );
    for text in ["a:\n  e: {\n  ]\n", "a:\n  \"b\n c", "a: 1\n}\n"] {
        assert!(yaml::parse(text.as_bytes(), &Bounds::default()).is_err(), "{text}");
    }
}

// proves: A6
#[test]
fn yaml_with_many_lines_too_far_out_is_read_or_refused_soon() {
    for (start, line, count) in [("a:\n  b: [\n", "1,\n", 50_000), ("a:\n  b: \"\n", "1\n", 50_000)]
    {
        let before = std::time::Instant::now();
        let text = format!("{start}{}", line.repeat(count));
        let _ = yaml::parse(text.as_bytes(), &Bounds::default());
        let text = format!("{text}{}", if line.contains(',') { "]" } else { "\"" });
        let _ = yaml::parse(text.as_bytes(), &Bounds::default());
        assert!(before.elapsed().as_secs() < 30, "{start}");
    }
}

// proves: A6
#[test]
fn yaml_reads_with_anchors_merges_and_documents() {
    let text = "base: &base\n  port: Brest\n  metres: 6.90\nother:\n  <<: *base\n  metres: 5\nlist:\n- a\n- b\ntext: |\n  One.\n\n  Two.\n";
    assert_eq!(
        yaml(text),
        "- base.port: Brest\n- base.metres: 6.90\n- other.port: Brest\n- other.metres: 5\n- list: a, b\n\n# text\n\nOne.\n\nTwo."
    );
    assert_eq!(
        yaml("a: 1\n---\na: 2\nb: {c: [1, {d: 2}]}\n"),
        "# Document 1\n\n- a: 1\n\n# Document 2\n\n- a: 2\n\n## b\n\n### c\n\n- 1\n- d: 2"
    );
}

// proves: A6
#[test]
fn aliases_that_multiply_are_refused() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let names = vec![format!("*a{}", level - 1); 10].join(", ");
        text.push_str(&format!("a{level}: &a{level} [{names}]\n"));
    }
    let refused = yaml::parse(text.as_bytes(), &Bounds::default());
    assert!(matches!(refused, Err(Fault::TooComplex { .. })), "{refused:?}");
    let long =
        format!("a: &a {}\nb: [{}]\n", "x".repeat(1_000_000), vec!["*a"; 100_000].join(", "));
    assert!(matches!(
        yaml::parse(long.as_bytes(), &Bounds::default()),
        Err(Fault::TooComplex { .. })
    ));
    let deep = "[".repeat(100_000);
    assert!(yaml::parse(deep.as_bytes(), &Bounds::default()).is_err());
    assert!(json::parse(deep.as_bytes(), &Bounds::default()).is_err());
    assert!(toml::parse(format!("a = {deep}").as_bytes(), &Bounds::default()).is_err());
}

// proves: A6
#[test]
fn toml_keeps_the_order_of_its_tables() {
    let text = "title = \"Ports\"\nseen = 2024-01-31\n[zone]\nname = \"west\"\n[[port]]\nname = \"Brest\"\nmetres = 6.9\n[[port]]\nname = \"Dover\"\nmetres = 5.1\n";
    assert_eq!(
        toml::parse(text.as_bytes(), &Bounds::default()).unwrap().text,
        "- title: Ports\n- seen: 2024-01-31\n- zone.name: west\n\n# port\n\n| name | metres |\n| --- | --- |\n| Brest | 6.9 |\n| Dover | 5.1 |"
    );
}

// proves: A6
#[test]
fn a_simple_record_never_falls_under_the_heading_of_the_one_before() {
    let steps = "steps:\n  - name: Test\n    run: npm test\n    env: {A: 1, B: [{c: 2}]}\n  - name: Publish\n    run: npm publish\n";
    let text = yaml(steps);
    assert!(text.contains("## Publish\n\n- run: npm publish"), "{text}");
    let documents = "note: |\n  a\n\n  b\nname: one\n---\nreplicas: 9\n";
    let text = yaml(documents);
    assert!(text.contains("# Document 2\n\n- replicas: 9"), "{text}");
    let deep = r#"{"a":{"b":{"c":{"d":{"containers":[{"name":"app","env":[{"name":"A","value":"1"}],"image":"x"}]}}}}}"#;
    let text = json(deep);
    assert!(text.contains("containers: app"), "{text}");
}

// proves: A6
#[test]
fn only_structures_are_recognized() {
    assert!(json::recognize(PORTS) && json::recognize("[{\"a\": 1}]") && json::recognize("{}"));
    assert!(json::recognize_lines("{\"a\": 1}\n{\"a\": 2}\n"));
    for text in [
        "[1] A note.",
        "[link](x)",
        "{\"a\": 1} is JSON",
        "\"a\"",
        "12",
        "[x]\n[y]",
        "{% tag %}",
        "",
    ] {
        assert!(!json::recognize(text) && !json::recognize_lines(text), "{text}");
    }
    assert!(!json::recognize_lines("{\"a\": 1}\nand prose\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_are_read_or_refused(
        format in 0..3_usize,
        cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 1..12),
    ) {
        let yaml = "a: &x [1, {b: c}]\nd: *x\ne: |\n  text\n? f\n: g\n";
        let toml = "a = 1\n[b]\nc = [1, \"d\"]\n[[e]]\nf = 1979-05-27\n";
        let mut bytes = [PORTS, yaml, toml][format].as_bytes().to_vec();
        for (at, byte, what) in cuts {
            let at = at.index(bytes.len());
            match what {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => if bytes.len() > 1 { bytes.remove(at); },
                _ => { let part = bytes[at..(at + 20).min(bytes.len())].to_vec(); bytes.splice(at..at, part); }
            }
        }
        let bounds = Bounds::default();
        let _ = (json::parse(&bytes, &bounds), json::parse_lines(&bytes, &bounds));
        let _ = (yaml::parse(&bytes, &bounds), toml::parse(&bytes, &bounds));
    }
}

// proves: A6
#[test]
fn a_comment_belongs_to_the_key_that_it_stands_at() {
    let text = "# Settings of the port.\n# ----\n\n# Seconds before the next attempt.\nbackoff: 3\nname: Brest # in the west\nurl: http://x/#a\nscript: |\n  # part of the text\n  run\n\n# Where ships lie.\nports:\n  # The first.\n  a: {x: 1, y: [1, 2]}\n  b: [[{z: 2}]]\n";
    assert_eq!(
        yaml(text),
        "- backoff: 3 # Settings of the port. Seconds before the next attempt.\n- name: Brest # in the west\n- url: http://x/#a\n\n\
         # script\n\n\\# part of the text\nrun\n\n# ports\n\nWhere ships lie.\n\n## a\n\nThe first.\n\n- x: 1\n- y: 1, 2\n\n## b\n\n- z: 2"
    );
    let text = "# Seconds before the next attempt.\nbackoff = 3 # at least\n\n# Where ships lie.\n[ports]\n# The first.\na = 1\nb = \"x # y\"\n[[list]]\nq = 1\n# second\nr = 2\n";
    let read = toml::parse(text.as_bytes(), &Bounds::default()).unwrap().text;
    assert_eq!(
        read,
        "- backoff: 3 # Seconds before the next attempt. at least\n\nWhere ships lie.\n\n- ports.a: 1 # The first.\n- ports.b: x # y\n\n# list\n\n- q: 1\n- r: 2 # second"
    );
    // A key may look like a comment.
    assert_eq!(json(r##"{"#": 1, "b": 2}"##), "- #: 1\n- b: 2");
}

/// JSON in one line. Some structures in it are made large by blanks, so that those around them are read piece by piece.
fn any_json() -> impl Strategy<Value = String> {
    let single = prop_oneof![
        prop::sample::select(vec![
            "null",
            "true",
            "-0",
            "7",
            "1.50",
            "1e5",
            "123456789012345678901"
        ])
        .prop_map(str::to_owned),
        prop::sample::select(vec!["", "sea", "a \"b\"", "x\n\ny", "\u{ad}", "# no heading", "10"])
            .prop_map(|text| serde_json::to_string(text).unwrap()),
        (150..350_usize).prop_map(|size| format!("\"{}\"", "it ".repeat(size / 3))),
        (300..500_usize).prop_map(|size| format!("\"{} y\"", "x".repeat(size))),
    ];
    single.prop_recursive(5, 48, 8, |inner| {
        let keys = vec!["title", "name", "id", "a", "b", "c", "\\u0061", ""];
        let blanks = || {
            prop::bool::weighted(0.06)
                .prop_map(|is_large| " ".repeat(70_000 * usize::from(is_large)))
        };
        let elements = prop::collection::vec(inner.clone(), 0..6);
        let entries = prop::collection::vec((prop::sample::select(keys), inner), 0..6);
        prop_oneof![
            (elements, blanks())
                .prop_map(|(elements, blanks)| format!("[{blanks}{}]", elements.join(", "))),
            (entries, blanks()).prop_map(|(entries, blanks)| {
                let entries: Vec<_> =
                    entries.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
                format!("{{{blanks}{}}}", entries.join(","))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 200, ..ProptestConfig::default() })]

    // proves: A6
    #[test]
    fn json_that_is_read_piece_by_piece_reads_as_the_whole_does(lines in prop::collection::vec(any_json(), 1..5)) {
        let bounds = Bounds::default();
        let read = json::parse(lines[0].as_bytes(), &bounds).unwrap();
        let expected = parsed(&[json::whole(&lines[0])], "Entry", &bounds);
        prop_assert_eq!((read.text, read.title, read.metadata), (expected.text, expected.title, expected.metadata));
        let values: Vec<Value> = lines.iter().map(|line| json::whole(line)).collect();
        let mut page = Writer::new(bounds.text_bytes);
        records(&mut page, 1, "", &values, "Record");
        let read = json::parse_lines(lines.join("\n").as_bytes(), &bounds).unwrap();
        prop_assert_eq!(read.text, page.finish());
    }
}

// proves: A6
#[test]
fn records_are_not_in_memory_before_they_are_written() {
    let record = "{\"id\": 1, \"note\": \"It rose.\"}";
    let text = format!("{{\"all\": [{}]}}", vec![record; 5_000].join(","));
    let Value::Map(entries) = json::unfold(&text) else { panic!("no map") };
    let [(_, Value::List(records))] = &entries[..] else { panic!("no list") };
    assert!(records.iter().all(|one| *one == Value::Folded(record)));
    assert_eq!(json::whole(record), *records[0].opened());
    // A number that no program could hold is no JSON, wherever it stands.
    assert!(json::parse(text.replace("1,", "1e999,").as_bytes(), &Bounds::default()).is_err());
}
