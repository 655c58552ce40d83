//! `--output`: results as files and folders, of every method.

use std::fs;
use std::path::Path;

use fakes::FakeModel;

use crate::stand::{QUESTION, Stand, Told, examples, honest};

fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        names.map(|one| one.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn documents(name: &str) -> String {
    examples().with_file_name(name).to_string_lossy().into_owned()
}

fn ask(stand: &Stand, more: &[&str]) -> Told {
    stand.run(&[&["ask", QUESTION, "--docs", &documents("cholera")], more].concat())
}

// proves: F6
#[test]
fn every_method_writes_to_a_folder_what_belongs_together() {
    let stand = Stand::new();
    let text = stand.file("text.md", "The handle was removed on 8 September 1854.\n");
    let (cholera, market) = (documents("cholera"), documents("market"));
    let survey = documents("survey");
    let own = ["--docs", &cholera, "--own-documents"];
    let orders: [(&str, Vec<&str>, &[&str]); 7] = [
        ("ask", vec![QUESTION, "--docs", &cholera], &[]),
        ("deep", [&[QUESTION], &own[..], &["--yes"]].concat(), &[]),
        ("hypothesize", [&["Why did cholera spread?"], &own[..]].concat(), &[]),
        (
            "market",
            vec!["Legal AI", "--docs", &market, "--own-documents", "--yes", "--no-clarify"],
            &[],
        ),
        ("debate", [&["What spread cholera?"], &own[..]].concat(), &[]),
        (
            "brief",
            vec!["All in all, how satisfied are you with the city buses?", "--data", &survey],
            &["tables.xlsx"],
        ),
        ("check", vec![text.to_str().unwrap(), "--docs", &cholera], &["sentences.jsonl"]),
    ];
    for (method, order, more) in orders {
        let place = format!("results/{method}");
        let order = [&[method], &order[..], &["--output", &place]].concat();
        let told = stand.run(&order);
        assert!(matches!(told.code, 0 | 3 | 4), "{told:?}");
        assert_eq!(told.out, "", "{method}");
        assert!(told.err.contains(&format!("written to {place}: report.md, ")), "{told:?}");
        let written = names(&stand.path(&place));
        let known = ["report.html", "report.md", "result.json"];
        for name in known.iter().chain(more) {
            assert!(
                written.iter().any(|one| one == name),
                "{method}: {name} is not in {written:?}"
            );
        }
        assert!(written.iter().all(|one| !one.starts_with('.')), "{written:?}");
        let exported = |format| stand.run(&["runs", "export", "last", "--format", format]).out;
        for (name, format) in
            [("report.md", "md"), ("report.html", "html"), ("result.json", "json")]
        {
            let file = fs::read_to_string(stand.path(&place).join(name)).unwrap();
            assert_eq!(file, exported(format), "{method}: {name}");
        }
        // The same set, of the run that is there.
        assert_eq!(stand.run(&["runs", "export", "last", "--output", "again/"]).code, 0);
        assert_eq!(names(&stand.path("again")), written, "{method}");
        fs::remove_dir_all(stand.path("again")).unwrap();
    }
}

// proves: F6
#[test]
fn a_file_gets_the_format_of_its_name() {
    let stand = Stand::new();
    let told = ask(&stand, &["--output", "report.HTML"]);
    assert_eq!((told.code, told.out.as_str()), (0, ""), "{told:?}");
    assert!(told.err.ends_with("written: report.HTML\n"), "{told:?}");
    assert!(fs::read_to_string(stand.path("report.HTML")).unwrap().starts_with("<!doctype html>"));
    // It is replaced, and nothing else is written.
    assert_eq!(ask(&stand, &["--output", "report.HTML", "--quiet"]).err, "");
    assert_eq!(names(&stand.path("")), ["data", "report.HTML"]);
    let export = |args: &[&str]| stand.run(&[&["runs", "export", "last"], args].concat());
    for (name, begins) in
        [("a.md", ""), ("a.txt", ""), ("a.json", "{"), ("a.bib", ""), ("a.csl.json", "[")]
    {
        assert_eq!(export(&["-o", name]).code, 0, "{name}");
        assert!(fs::read_to_string(stand.path(name)).unwrap().starts_with(begins), "{name}");
    }
    // A format that is named holds for a file whose name does not say one.
    assert_eq!(export(&["--format", "json", "-o", "bare"]).code, 0);
    assert_eq!(fs::read(stand.path("bare")).unwrap(), fs::read(stand.path("a.json")).unwrap());
    assert_eq!(export(&["--format", "md", "-o", "-"]).out, export(&["--format", "md"]).out);
    assert_eq!(ask(&stand, &["-o", "-"]).out.lines().next(), ask(&stand, &[]).out.lines().next());
}

// proves: F6
#[test]
fn what_cannot_be_written_is_told_before_anything_is_begun() {
    let stand = Stand::new();
    let earlier = stand.file("earlier", "mine");
    for (args, why) in [
        (&["-o", "a.zzz"][..], "cannot write a.zzz: its ending is not a known format"),
        (&["-o", "nowhere/a.md"], "its folder is not there"),
        (&["-o", "earlier/a.md"], "its folder is not there"),
        (&["-o", "earlier/out/"], "is not a folder"),
        (&["-o", "a.xlsx"], "a result of ask has no format xlsx"),
        (&["-o", "a.jsonl"], "a result of ask has no format jsonl"),
        (&["-o", "a.md", "--format", "json"], "its ending is md, but --format is json"),
        (&["-o", "a/", "--format", "json"], "a folder receives every format"),
    ] {
        ask(&stand, args).fails(2, why);
    }
    assert_eq!(names(&stand.path("")), ["earlier"], "there is no run, and no file");
    assert_eq!(fs::read_to_string(earlier).unwrap(), "mine");
    ask(&stand, &["--quiet"]);
    stand.run(&["runs", "export", "last", "-o", "a.xlsx"]).fails(2, "has no format xlsx");
}

// proves: F6
#[test]
fn of_a_run_that_waits_nothing_is_written_and_once_it_is_answered_all_is() {
    let stand = Stand::new();
    let market = documents("market");
    let order = ["market", "Legal AI", "--docs", &market, "--own-documents", "--no-clarify"];
    let told = stand.run(&[&order[..], &["--output", "report.md"]].concat());
    assert_eq!((told.code, told.out.as_str()), (5, ""), "{told:?}");
    assert!(told.err.contains("nothing is written, because run "), "{told:?}");
    assert!(!stand.path("report.md").exists());
    let approved = stand.run(&["runs", "approve", "last", "--output", "report.md"]);
    assert!(matches!(approved.code, 0 | 3 | 4) && approved.out.is_empty(), "{approved:?}");
    assert!(fs::read_to_string(stand.path("report.md")).unwrap().starts_with("# "));
}

// proves: F6
#[test]
fn a_folder_keeps_what_is_not_of_the_run_and_says_so() {
    let stand = Stand::new();
    fs::create_dir(stand.path("out")).unwrap();
    fs::write(stand.path("out/notes.md"), "mine").unwrap();
    fs::write(stand.path("out/references.bib"), "earlier").unwrap();
    fs::write(stand.path("out/report.md"), "earlier").unwrap();
    let told = ask(&stand, &["-o", "out"]);
    assert!(
        told.err.contains("note: not of this run, and left as found: references.bib"),
        "{told:?}"
    );
    let read = |name: &str| fs::read_to_string(stand.path("out").join(name)).unwrap();
    assert_eq!((read("notes.md"), read("references.bib")), ("mine".into(), "earlier".into()));
    assert_ne!(read("report.md"), "earlier");
}

// proves: M11
#[test]
fn two_runs_and_their_files_are_compared() {
    let model = FakeModel::start(honest);
    let stand = Stand::with_model(&model.base_url());
    assert_eq!(ask(&stand, &["--no-model", "-o", "first.json"]).code, 0);
    let first =
        stand.run(&["runs", "export", "last"]).json()["run_id"].as_str().unwrap().to_owned();
    assert_eq!(ask(&stand, &["--set", "ask.top_k=3", "-o", "second.json"]).code, 0);
    let diff = |args: &[&str]| stand.run(&[&["runs", "diff"], args].concat());

    let told = diff(&[&first, "last"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.out.contains("mode: offline → model"), "{told:?}");
    assert!(told.out.contains("top_k: "), "{told:?}");
    let json = diff(&[&first, "last", "--json"]).json();
    assert_eq!(json["from"]["run_id"], first.as_str());
    assert_eq!(json["remarks"].as_array().unwrap().len(), 0);
    let same = diff(&["last", "last"]);
    assert!(same.out.contains("Nothing else differs."), "{same:?}");

    // Of files as of runs, but for what only a log says.
    let mixed = diff(&["first.json", "last", "--json"]).json();
    assert_eq!(mixed["claims"], json["claims"]);
    assert_eq!(mixed["sources"], json["sources"]);
    assert!(mixed["remarks"][0].as_str().unwrap().contains("a result file does not contain them"));
    let elsewhere = Stand::new();
    let [one, two] = ["first.json", "second.json"].map(|name| stand.path(name));
    let files =
        elsewhere.run(&["runs", "diff", one.to_str().unwrap(), two.to_str().unwrap(), "--json"]);
    assert_eq!(files.json()["claims"], json["claims"]);
    assert!(!elsewhere.data().exists(), "files need no data folder");

    diff(&["nowhere.json", "last"]).fails(2, "could not read nowhere.json");
    diff(&["-", "-"]).fails(2, "only one of the results can come from standard input");
    diff(&["19990101", "last"]).fails(1, "there is no run '19990101'");
    stand.file("other.json", "{\"a\": 1}");
    diff(&["other.json", "last"]).fails(2, "it is not a result of Quaestio");
}
