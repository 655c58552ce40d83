//! What a person sees at a terminal, and what a program gets in its place.

use serde_json::{Value, json};

use crate::stand::{QUESTION, Stand, examples};
use crate::terminal::Terminal;

/// The program at a terminal with colours, that says nothing on the way.
const COLOURS: (&str, &str) = ("TERM", "xterm-256color");

fn ask(more: &[&'static str]) -> Vec<String> {
    let docs = examples().to_str().unwrap().to_owned();
    let mut args: Vec<String> =
        ["ask", QUESTION, "--docs", &docs, "--quiet"].map(str::to_owned).into();
    args.extend(more.iter().map(|arg| (*arg).to_owned()));
    args
}

fn borrowed(args: &[String]) -> Vec<&str> {
    args.iter().map(String::as_str).collect()
}

/// Returns what a terminal of so many columns shows of a command.
fn screen(stand: &Stand, args: &[&str], columns: u16, variables: &[(&str, &str)]) -> String {
    let mut command = stand.command(args);
    command.envs(variables.iter().copied());
    let mut terminal = Terminal::run_in(command, columns);
    terminal.end();
    terminal.screen.replace("\r\n", "\n")
}

/// Returns a screen without its escape sequences.
fn bare(screen: &str) -> String {
    let mut shown = String::new();
    let mut rest = screen;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        shown.push_str(before);
        rest = match after.strip_prefix("]8;;") {
            Some(link) => link.split_once("\u{1b}\\").unwrap().1,
            None => after.strip_prefix('[').unwrap().split_once('m').unwrap().1,
        };
    }
    shown + rest
}

// proves: F1
#[test]
fn a_result_is_wrapped_and_styled_at_a_terminal_and_is_markdown_anywhere_else() {
    let stand = Stand::new();
    let args = ask(&[]);
    let args = borrowed(&args);
    let shown = screen(&stand, &args, 60, &[COLOURS]);
    assert!(shown.contains("\u{1b}[1m\u{1b}[36mSources\u{1b}[0m"), "{shown:?}");
    assert!(shown.contains("\u{1b}[36m[1a]\u{1b}[0m"), "a mark is set off: {shown:?}");
    // The line of the quote, which a click opens.
    let file = examples().join("history/broad-street-outbreak-1854.md");
    let text = std::fs::read_to_string(&file).unwrap();
    let quote = "The handle of the Broad Street pump was removed on the following day";
    let line = text.lines().position(|line| line.contains(quote)).unwrap() + 1;
    let bare_screen = bare(&shown);
    assert!(shown.contains(&format!("\u{1b}]8;;file://{}\u{1b}\\", file.display())), "{shown:?}");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let at = format!("{}:{line}, bytes", file.display());
    assert!(words(&bare_screen).contains(&at), "{at} in {bare_screen}");
    for line in bare_screen.lines() {
        // An address stands on a line of its own, however long it is.
        let is_address = ["/", "doc://"].iter().any(|start| line.trim().starts_with(start));
        assert!(is_address || line.chars().count() <= 60, "{line:?}");
    }

    // Nowhere else is anything but what was always printed.
    let piped = stand.run(&args);
    let as_markdown = ask(&["--format", "md"]);
    let as_markdown = borrowed(&as_markdown);
    let without_ids = |text: &str| {
        let lines =
            text.lines().filter(|line| !line.contains("run-") && !line.starts_with("Run: "));
        lines.map(|line| format!("{line}\n")).collect::<String>()
    };
    assert!(piped.out.contains("## Sources\n") && !piped.out.contains('\u{1b}'), "{piped:?}");
    assert_eq!(without_ids(&piped.out), without_ids(&stand.run(&as_markdown).out));
    let told = screen(&stand, &as_markdown, 60, &[COLOURS]);
    assert_eq!(without_ids(&told), without_ids(&piped.out));
}

// proves: F1
#[test]
fn colours_are_off_and_on_as_the_environment_and_the_flag_say() {
    let stand = Stand::new();
    let args = ask(&[]);
    let args = borrowed(&args);
    for variables in [
        &[COLOURS, ("NO_COLOR", "1")][..],
        &[("TERM", "dumb")],
        &[("TERM", "dumb"), ("CLICOLOR", "0")],
    ] {
        let shown = screen(&stand, &args, 80, variables);
        assert!(!shown.contains('\u{1b}'), "{variables:?}: {shown:?}");
        assert!(shown.contains("Sources\n-------\n"), "it is wrapped all the same: {shown}");
    }
    let never = ask(&["--color", "never"]);
    assert!(!screen(&stand, &borrowed(&never), 80, &[COLOURS]).contains('\u{1b}'));
    let always = ask(&["--color=always"]);
    let piped = stand.run(&borrowed(&always));
    assert!(piped.out.contains("\u{1b}[1m"), "{piped:?}");
    let mut forced = stand.command(&args);
    let forced = forced.env("CLICOLOR_FORCE", "1").output().unwrap();
    assert!(String::from_utf8_lossy(&forced.stdout).contains("\u{1b}[1m"));
    stand.run(&["runs", "list", "--color", "sometimes"]).fails(2, "sometimes");
    let help = screen(&stand, &["--help"], 80, &[COLOURS]);
    assert!(help.contains("\u{1b}["), "help is styled: {help:?}");
    assert!(!stand.run(&["--help"]).out.contains('\u{1b}'));
    assert!(stand.run(&["--help", "--color", "always"]).out.contains('\u{1b}'));
}

// proves: F1
#[test]
fn the_steps_of_a_run_are_told_in_words_and_its_end_says_where_its_files_are() {
    let stand = Stand::new();
    let told = stand.ask(QUESTION, &[]);
    assert!(told.err.contains("\nSearching the documents\n"), "{told:?}");
    assert!(told.err.contains("\nWriting the answer (offline)\n"), "{told:?}");
    assert!(!told.err.contains('#') && !told.err.contains('\u{1b}'), "{told:?}");
    assert!(told.err.lines().count() <= 7, "a short run stays short: {}", told.err);
    assert_eq!(stand.ask(QUESTION, &["--quiet"]).err, "");

    let docs = examples();
    let args = ["ask", QUESTION, "--docs", docs.to_str().unwrap()];
    let shown = screen(&stand, &args, 100, &[("TERM", "dumb")]);
    let run = stand.run(&["runs", "list", "--json"]).json()[0]["run_id"].clone();
    let run = run.as_str().unwrap();
    let (_, end) = shown.rsplit_once(&format!("run {run}: completed after ")).unwrap();
    let folder = stand.data().join("artifacts/runs").join(run);
    assert!(end.contains(&format!("files: {}", folder.display())), "{end}");
    assert!(end.contains(&format!("quaestio runs export {run} -o report.html")), "{end}");
}

// proves: F1, W1
#[test]
fn at_a_question_enter_skips_one_and_the_whole_can_be_skipped_or_left() {
    let stand = Stand::new();
    let docs = examples();
    stand.run(&["ingest", docs.to_str().unwrap()]);
    let clarify = ["ask", QUESTION, "--clarify", "--no-model"];
    let mut asked = Terminal::run(stand.command(&clarify));
    asked.wait_for("Which country or region");
    asked.wait_for("press Enter to skip the question (1 more follows)");
    asked.wait_for("/skip: skip all of them. /later: answer later.");
    asked.type_line("");
    asked.wait_for("What will you use the answer for?");
    asked.wait_for("> ");
    asked.type_line("/later");
    asked.wait_for("answer with: quaestio runs answer");
    assert_eq!(asked.end().code(), Some(5), "{}", asked.screen);

    let mut again = Terminal::run(stand.command(&["runs", "resume", "last"]));
    again.wait_for("What will you use the answer for?");
    again.wait_for("> ");
    again.end_input();
    again.wait_for("answer with: quaestio runs answer");
    assert_eq!(again.end().code(), Some(5), "{}", again.screen);

    let mut all = Terminal::run(stand.command(&clarify));
    all.wait_for("Which country or region");
    all.wait_for("> ");
    all.type_line("/skip");
    all.wait_for("September 1854");
    assert!(all.end().success(), "{}", all.screen);
    assert_eq!(all.screen.matches("Enter to skip").count(), 1, "{}", all.screen);

    let mut planned = Terminal::run(stand.command(&["ask", QUESTION, "--plan", "--no-model"]));
    planned.wait_for(
        "y: approve the plan and start. n: reject it and end the run. Enter: decide later.",
    );
    planned.wait_for("> ");
    planned.type_line("");
    assert_eq!(planned.end().code(), Some(5), "{}", planned.screen);
}

// proves: F1
#[test]
fn lists_line_up_fit_the_terminal_and_leave_out_what_evaluations_made() {
    let stand = Stand::new();
    let docs = examples();
    let docs = docs.to_str().unwrap();
    stand.run(&["ingest", docs, "--collection", "cholera"]);
    let asked = stand.run(&["ask", QUESTION, "--collection", "cholera", "--format", "json"]).json();
    let run = asked["run_id"].as_str().unwrap();
    let line = r#"{"id": "1", "question": "Who was John Snow?", "kind": "answered", "expects": ["physician"]}"#;
    let dataset = stand.file("questions.jsonl", line);
    let evaluated = stand.run(&["eval", dataset.to_str().unwrap(), "--docs", docs, "--quiet"]);
    assert_eq!(evaluated.code, 0, "{evaluated:?}");

    let ids = |args: &[&str]| -> Vec<String> {
        let listed = stand.run(args).json();
        let ids = listed.as_array().unwrap().iter();
        ids.map(|one| one.get("run_id").unwrap_or(&one["name"]).as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(ids(&["runs", "list", "--json"]), [run]);
    let all = ids(&["runs", "list", "--all", "--json"]);
    assert!(all.len() > 1 && all[0].starts_with("eval-"), "{all:?}");
    assert_eq!(ids(&["collections", "list", "--json"]), ["cholera"]);
    assert!(ids(&["collections", "list", "--all", "--json"]).len() > 1);
    assert!(stand.run(&["runs", "show", "last"]).out.starts_with(&format!("run {run}\n")));

    for command in [
        &["runs", "list"][..],
        &["collections", "list"],
        &["documents", "list", "--collection", "cholera"],
    ] {
        let shown = screen(&stand, command, 80, &[COLOURS]);
        assert!(shown.starts_with("\u{1b}[1m"), "{shown:?}");
        for line in bare(&shown).lines() {
            assert!(line.chars().count() <= 80, "{line:?}");
        }
        let piped = stand.run(command).out;
        for text in [&shown, &piped] {
            assert!(!text.contains('Z') || !text.contains("T1"), "no nanoseconds: {text}");
        }
        let minutes = piped.lines().nth(1).unwrap().split_whitespace();
        let is_time = |word: &str| word.len() == 5 && word.as_bytes()[2] == b':';
        assert_eq!(minutes.filter(|word| is_time(word)).count(), 1, "{piped}");
    }
}

// proves: F1
#[test]
fn a_collection_is_removed_only_after_a_yes() {
    let stand = Stand::new();
    let docs = examples();
    stand.run(&["ingest", docs.to_str().unwrap(), "--collection", "cholera"]);
    let remove = ["collections", "remove", "cholera"];
    for (typed, is_kept) in [("n", true), ("", true), ("y", false)] {
        let mut terminal = Terminal::run(stand.command(&remove));
        terminal.wait_for("Remove the collection 'cholera' with its 8 documents?");
        terminal.wait_for("> ");
        terminal.type_line(typed);
        let code = terminal.end().code();
        assert_eq!(code, Some(if is_kept { 6 } else { 0 }), "{}", terminal.screen);
        let listed = stand.run(&["collections", "list", "--json"]).json();
        assert_eq!(listed == json!([]), !is_kept, "{listed}");
    }
}

// proves: F1
#[test]
fn every_command_that_prints_something_prints_json() {
    let stand = Stand::new();
    let docs = examples();
    let docs = docs.to_str().unwrap();
    let told = |args: &[&str]| -> Value {
        let told = stand.run(args);
        serde_json::from_str(&told.out)
            .unwrap_or_else(|error| panic!("{args:?}: {error}: {told:?}"))
    };
    let ingested = told(&["ingest", docs, "--collection", "cholera", "--format", "json"]);
    assert_eq!(
        (&ingested["collection"], &ingested["report"]["added"]),
        (&json!("cholera"), &json!(8))
    );
    told(&["ask", QUESTION, "--collection", "cholera", "--format", "json"]);
    let documents = told(&["documents", "list", "--collection", "cholera", "--format", "json"]);
    let document = documents[0]["document_id"].as_str().unwrap().to_owned();
    let result = stand.run(&["runs", "export", "last"]).out;
    let file = stand.file("result.json", result);
    let file = file.to_str().unwrap();
    stand.run(&["contexts", "add", "--name", "Legal AI"]);
    for args in [
        &["runs", "list"][..],
        &["runs", "show", "last"],
        &["runs", "artifacts", "last"],
        &["runs", "diff", "last", "last"],
        &["runs", "replay", "last"],
        &["runs", "export", "last"],
        &["collections", "list"],
        &["collections", "show", "cholera"],
        &["documents", "show", &document],
        &["documents", "show", &document, "--text"],
        &["documents", "show", &document, "--span", "0..9"],
        &["contexts", "list"],
        &["contexts", "show", "legal-ai"],
        &["survey", "list"],
        &["validate", file],
        &["render", file],
        &["db", "check"],
        &["eval", "list"],
        &["check", file, "--collection", "cholera"],
        &["runs", "remove", "last"],
        &["collections", "remove", "cholera", "--yes"],
    ] {
        told(&[args, &["--format", "json"]].concat());
    }
    stand.run(&["runs", "list", "--format", "xml"]).fails(2, "xml");
}
