use std::fs;

use proptest::prelude::*;

use super::*;

fn parsed(text: &str) -> Result<(Vec<Case>, Vec<String>), DatasetError> {
    questions::parse("q.jsonl", text.as_bytes())
}

fn fault(text: &str) -> String {
    parsed(text).unwrap_err().to_string()
}

// proves: A8
#[test]
fn a_line_may_say_the_same_in_several_ways() {
    let (cases, notes) = parsed(
        "\u{feff}{\"id\":\"a\",\"question\":\" Why? \",\"answer\":\"tides\",\"relevant\":\"./a/b.md\",\"rubric\":\"names the moon\"}\r\n\
         \n  \r\n\
         {\"id\":7,\"question\":\"How many?\",\"answer\":[\"12\",\"twelve\",\"\"],\"relevant_documents\":[\"c.md\",\"d.md\"],\"answerable\":true}\n\
         {\"question\":\"Who?\",\"source\":{\"e.md\":3,\"f.md\":0},\"kind\":\"unanswered\",\"expects\":[\"x\"],\"topic\":1,\"hint\":null}\n\
         {\"question\":\"Which?\",\"kind\":\"half\",\"source\":\"\",\"topic\":2}",
    )
    .unwrap();
    let [first, second, third, fourth] = cases.as_slice() else { panic!("{cases:?}") };
    assert_eq!((&*first.id, &*first.question, &*first.rubric), ("a", "Why?", "names the moon"));
    assert_eq!(first.relevant, BTreeMap::from([("a/b.md".into(), 1)]));
    assert_eq!(
        (&*second.id, second.answers.as_slice()),
        ("7", ["12".into(), "twelve".into()].as_slice())
    );
    assert_eq!(second.relevant.keys().collect::<Vec<_>>(), ["c.md", "d.md"]);
    assert_eq!((&*third.id, third.answerable), ("line-5", Some(false)));
    assert_eq!(third.relevant, BTreeMap::from([("e.md".into(), 3)]));
    assert_eq!((fourth.answerable, fourth.relevant.len()), (Some(true), 0));
    assert_eq!(
        notes,
        [
            "the key `hint` is ignored (first on line 5)",
            "the key `topic` is ignored (first on line 5)",
            "2 of 4 cases have no `id` and are named after their lines; give ids to compare evaluations",
        ]
    );
}

// proves: A8
#[test]
fn what_is_wrong_is_told_with_file_line_and_a_way_out() {
    let good = "{\"id\":\"a\",\"question\":\"Why?\"}\n";
    for (text, told) in [
        ("", "q.jsonl contains no question. Write one JSON object per line"),
        (
            "[{\"question\":\"Why?\"}]",
            "q.jsonl, line 1: it contains a list, not an object; write one JSON object",
        ),
        ("{\n\"question\":\"Why?\"}", "q.jsonl, line 1: it is not JSON (EOF while parsing"),
        ("{\"id\":\"b\"}", "q.jsonl, line 2: `question` is missing or empty; give it a text"),
        ("{\"question\":\"  \"}", "line 2: `question` is missing or empty"),
        ("{\"question\":[1]}", "line 2: `question` is a list; give it a text"),
        (
            "{\"question\":\"W?\",\"answer\":{\"a\":1}}",
            "line 2: `answer` is an object; give it a text",
        ),
        (
            "{\"question\":\"W?\",\"answerable\":\"yes\"}",
            "line 2: `answerable` is a text; give it true or false",
        ),
        (
            "{\"question\":\"W?\",\"kind\":\"maybe\"}",
            "`kind` is 'maybe'; write answered, half or unanswered",
        ),
        (
            "{\"question\":\"W?\",\"relevant\":{\"a.md\":-1}}",
            "`relevant.a.md` is another number; give it a whole number",
        ),
        ("\n{\"id\":\"a\",\"question\":\"W?\"}", "line 3: the id 'a' is already used on line 1"),
    ] {
        let whole = if text.is_empty() || text.starts_with(['[']) || text.starts_with("{\n") {
            text.to_owned()
        } else {
            format!("{good}{text}")
        };
        let error = fault(&whole);
        assert!(error.contains(told), "{error:?} does not say {told:?}");
    }
    let error = questions::parse("q.jsonl", b"{\"question\":\"\xff\"}").unwrap_err();
    assert_eq!(error.to_string(), "q.jsonl, line 1: it is not UTF-8; save the file as UTF-8");
    let long = format!("{{\"question\":\"{}\"}}", "x".repeat(1 << 20));
    assert_eq!(fault(&long), "q.jsonl, line 1: it is longer than 1024 KiB; shorten it");
}

fn make_folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("qrels")).unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

const CORPUS: (&str, &str) = (
    "corpus.jsonl",
    "{\"_id\":\"1\",\"title\":\"Tides\",\"text\":\"The moon pulls.\",\"metadata\":{}}\n{\"_id\":\"2\",\"text\":\"Swell.\"}\n",
);
const QUERIES: (&str, &str) = (
    "queries.jsonl",
    "{\"_id\":\"q1\",\"text\":\"tides\"}\n{\"_id\":\"q2\",\"text\":\"swell\"}\n{\"_id\":\"q3\",\"text\":\"none\"}\n",
);

// proves: A8
#[test]
fn a_folder_in_beirs_layout_is_read_by_its_parts() {
    let folder = make_folder(&[
        CORPUS,
        QUERIES,
        ("qrels/train.tsv", "query-id\tcorpus-id\tscore\nq1\t1\t2\nq1\t2\t0\nq9\t1\t1\n"),
        ("qrels/test.tsv", "q2\t2\t1\r\nq2\t77\t1\r\nq1\t1\t1\r\n"),
    ]);
    let train = read(folder.path(), Split::Train).unwrap();
    assert_eq!(train.documents[0].title, "Tides");
    assert_eq!(train.cases.len(), 1);
    assert_eq!(train.cases[0].relevant, BTreeMap::from([("1".into(), 2)]));
    assert_eq!(
        train.notes,
        [
            "1 judged queries are not in queries.jsonl and are left out",
            "2 of 3 queries have no relevant document in qrels/train.tsv and are left out",
        ]
    );
    let all = read(folder.path(), "all".parse().unwrap()).unwrap();
    assert_eq!(all.cases.iter().map(|case| &*case.id).collect::<Vec<_>>(), ["q1", "q2"]);
    assert_eq!(all.cases[0].relevant["1"], 2, "the higher grade counts");
    assert!(
        all.notes[0].ends_with("has no header; its first line is read as a judgement"),
        "{:?}",
        all.notes
    );
    assert!(
        all.notes[2].starts_with("1 judged documents are not in the corpus"),
        "{:?}",
        all.notes
    );
    assert_ne!(train.digest, all.digest);
    let error = read(folder.path(), Split::Dev).unwrap_err().to_string();
    assert!(error.contains("has no qrels/dev.tsv. A folder in BEIR's layout contains"), "{error}");
}

#[test]
fn a_folder_that_is_none_says_what_is_missing_or_wrong() {
    let told = |files: &[(&str, &str)]| {
        read(make_folder(files).path(), Split::All).unwrap_err().to_string()
    };
    assert!(told(&[QUERIES]).contains("has no corpus.jsonl"));
    assert!(told(&[CORPUS]).contains("has no queries.jsonl"));
    assert!(told(&[CORPUS, QUERIES]).contains("has no qrels/*.tsv"));
    let header = "query-id\tcorpus-id\tscore\n";
    let trec = format!("{header}q1 0 1 1\n");
    let error = told(&[CORPUS, QUERIES, ("qrels/test.tsv", &trec)]);
    assert!(error.ends_with("test.tsv, line 2: it has 1 columns; write query-id, corpus-id and score with a tab between them"), "{error}");
    let high = format!("{header}q1\t1\thigh\n");
    let error = told(&[CORPUS, QUERIES, ("qrels/test.tsv", &high)]);
    assert!(error.contains("line 2: the score 'high' is not a whole number"), "{error}");
    let error = told(&[CORPUS, QUERIES, ("qrels/test.tsv", header)]);
    assert!(error.contains("no query in") && error.contains("qrels/test.tsv"), "{error}");
    let twice = ("corpus.jsonl", "{\"_id\":\"1\",\"text\":\"a\"}\n{\"_id\":1,\"text\":\"b\"}\n");
    let error = told(&[twice, QUERIES, ("qrels/test.tsv", header)]);
    assert!(
        error.contains("corpus.jsonl, line 2: the id '1' is already used on line 1"),
        "{error}"
    );
}

#[test]
fn a_file_has_no_parts_and_what_is_not_there_cannot_be_read() {
    let folder = make_folder(&[("questions.jsonl", "{\"question\":\"Why?\"}")]);
    let file = folder.path().join("questions.jsonl");
    assert_eq!(read(&file, Split::All).unwrap().name, "questions");
    let error = read(&file, Split::Test).unwrap_err().to_string();
    assert!(
        error.ends_with("is a single file and has no split 'test'; leave the split out"),
        "{error}"
    );
    let error = read(&folder.path().join("nowhere"), Split::All).unwrap_err().to_string();
    assert!(
        error.contains("could not read")
            && error.contains("nowhere")
            && error.contains("Name a file of questions"),
        "{error}"
    );
}

#[test]
fn the_digest_tells_content_and_not_order_or_place() {
    let [one, two] = [
        "{\"id\":\"a\",\"question\":\"A?\"}",
        "{\"id\":\"b\",\"question\":\"B?\",\"answer\":\"c\"}",
    ];
    let of = |text: String| {
        let (cases, notes) = parsed(&text).unwrap();
        Dataset::of("any".into(), cases, vec![], notes).digest
    };
    let digest = of(format!("{one}\n{two}"));
    assert_eq!(digest, of(format!("{two}\r\n\r\n{one}\n")));
    assert_ne!(digest, of(format!("{one}\n")));
    assert_ne!(digest, of(format!("{one}\n{}", two.replace("\"c\"", "\"d\""))));
    let document = Document { id: "a".into(), title: String::new(), text: "A".into() };
    let with = Dataset::of("any".into(), vec![], vec![document], vec![]);
    assert_ne!(with.digest, Dataset::of("any".into(), vec![], vec![], vec![]).digest);
}

fn text() -> impl Strategy<Value = String> {
    "[^\\s\\pC][^\\pC]{0,20}[^\\s\\pC]"
        .prop_filter("not read as a path from here", |text| !text.starts_with("./"))
}

fn any_case() -> impl Strategy<Value = Case> {
    (
        text(),
        text(),
        prop::collection::vec(text(), 0..3),
        prop::collection::vec(text(), 0..3),
        prop::collection::btree_map(text(), 1_u32.., 0..4),
        any::<Option<bool>>(),
        prop_oneof![Just(String::new()), text()],
    )
        .prop_map(|(id, question, answers, expects, relevant, answerable, rubric)| Case {
            id,
            question,
            answers,
            expects,
            relevant,
            answerable,
            rubric,
        })
}

proptest! {
    // proves: A8
    #[test]
    fn a_case_that_is_written_reads_back_as_it_was(case in any_case()) {
        let line = serde_json::to_string(&case).unwrap();
        let (read, notes) = parsed(&line).unwrap();
        prop_assert_eq!(read, [case]);
        prop_assert!(notes.is_empty());
    }

    #[test]
    fn no_bytes_break_the_reader(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = questions::parse("q.jsonl", &bytes);
        let _ = beir::judgements("q.tsv", &bytes, &mut beir::Judged::default());
    }

    #[test]
    fn no_json_breaks_the_reader(
        keys in prop::collection::vec(
            prop::sample::select(vec!["id", "question", "answer", "relevant", "expects", "answerable", "kind", "rubric", "x"]),
            1..6,
        ),
        values in prop::collection::vec("(null|true|-?[0-9]{1,25}|1e400|\"[^\"\\\\]{0,9}\"|\\[\\]|\\[1,\"a\",null\\]|\\{\"a\":2\\}|\\{)", 6),
    ) {
        let fields = keys.iter().zip(&values).map(|(key, value)| format!("\"{key}\":{value}"));
        let line = format!("{{{}}}", fields.collect::<Vec<_>>().join(","));
        if let Ok((cases, _)) = parsed(&line) {
            prop_assert!(cases.iter().all(|case| !case.question.is_empty() && !case.id.is_empty()));
        }
    }
}
