//! What each step of a run does, in words for a person. The log keeps the names.

use run::stages::own_name;

/// The steps that reach outside or compute, by their own name.
const STEPS: &[(&str, &str)] = &[
    ("collection", "Preparing a collection for this run"),
    ("collections", "Looking up the collections"),
    ("consult", "Consulting the collection"),
    ("cosines", "Comparing what was found"),
    ("execute", "Running the proposed code"),
    ("lesson", "Keeping what was learned"),
    ("nearness", "Comparing what was found with the question"),
    ("pages", "Searching the web"),
    ("papers", "Searching for papers"),
    ("past runs", "Looking up earlier runs"),
    ("perform_analysis", "Analysing the survey data"),
    ("read", "Reading"),
    ("read_on", "Reading on in the documents"),
    ("references", "Writing the list of references"),
    ("response", "Recording the turn"),
    ("retrieve", "Searching the documents"),
    ("search_questions", "Searching the survey's questions"),
    ("segment_metadata", "Looking up the survey's segments"),
    ("startup", "Loading the startup context"),
    ("startups", "Looking up the startup contexts"),
    ("still_stand", "Checking whether earlier quotes still stand"),
    ("studies", "Reading the survey"),
    ("texts", "Searching the connected servers"),
];

/// The agents, by their name.
const AGENTS: &[(&str, &str)] = &[
    ("answerer", "Answering from the model alone"),
    ("clarifier", "Working out what to ask you"),
    ("competitors", "Describing the competitors"),
    ("coverage_judge", "Judging what is still open"),
    ("critic", "Criticising the hypotheses"),
    ("customers", "Describing the customers"),
    ("deep_planner", "Planning the research"),
    ("dialogue_manager", "Choosing what to ask you"),
    ("editor", "Writing the summary"),
    ("explore_critic", "Reviewing what was explored"),
    ("explore_worker", "Exploring the survey data"),
    ("feedback_critic", "Collecting feedback on the draft"),
    ("hypothesis_generator", "Proposing hypotheses"),
    ("judge", "Judging the answer"),
    ("literature_scout", "Reading the literature"),
    ("market_sizing", "Estimating the size of the market"),
    ("note_taker", "Taking notes"),
    ("optimist", "Research Scientist 1 proposes"),
    ("outliner", "Outlining the report"),
    ("pessimist", "Research Scientist 2 reviews"),
    ("planner", "Writing a plan"),
    ("problem_framer", "Framing the problem"),
    ("ranker", "Comparing two hypotheses"),
    ("reader", "Checking sentences against their sources"),
    ("refine_critic", "Reviewing the draft"),
    ("report_criteria", "Choosing criteria for the report"),
    ("report_editor", "Editing the report"),
    ("report_judge", "Judging the report"),
    ("rewriter", "Working out what the question refers to"),
    ("searcher", "Choosing what to search for"),
    ("section_writer", "Writing a section"),
    ("strategy", "Writing the strategy"),
    ("summa_composer", "Writing out the hypotheses"),
    ("synthesizer", "Writing up what was found"),
    ("writer", "Writing the answer"),
];

/// The numbered scopes that help a person to see how far a run is.
const SCOPES: &[(&str, &str)] = &[
    ("section-", "section"),
    ("round-", "round"),
    ("turn-", "turn"),
    ("question-", "question"),
    ("query-", "search"),
];

/// Returns what a step does: `Writing a section (section 2)` for `section-2/section_writer #1`.
pub(crate) fn describe(step: &str) -> String {
    let (own, scope) = parts(step);
    // Addresses hold slashes of their own.
    if own == "read" && !scope.is_empty() {
        let parts: Vec<&str> = scope.split('/').collect();
        let from = parts.iter().position(|part| part.contains(':'));
        let target = parts.get(from.unwrap_or(parts.len() - 1)..).unwrap_or_default().join("/");
        return format!("Reading {target}");
    }
    describe_in(own, scope, None)
}

/// Returns the same with the model that does it: `Writing a section (section 2, openai/gpt-4.1)`.
pub(crate) fn describe_with(step: &str, model: Option<&str>) -> String {
    let (own, scope) = parts(step);
    match model {
        Some(model) => describe_in(own, scope, Some(model)),
        None => describe(step),
    }
}

/// Returns a step's own name and the scopes around it.
fn parts(step: &str) -> (&str, &str) {
    let own = own_name(step);
    let path = step.rsplit_once(" #").map_or(step, |(path, _)| path);
    (own, path.strip_suffix(own).unwrap_or_default().trim_end_matches('/'))
}

fn describe_in(own: &str, scope: &str, model: Option<&str>) -> String {
    let words = known(own).map_or_else(|| spelled_out(own), str::to_owned);
    let about = scope.split('/').filter_map(numbered).chain(model.map(str::to_owned));
    let about: Vec<String> = about.collect();
    match about.as_slice() {
        [] => words,
        about => format!("{words} ({})", about.join(", ")),
    }
}

fn known(own: &str) -> Option<&'static str> {
    let all = STEPS.iter().chain(AGENTS);
    all.into_iter().find(|(name, _)| *name == own).map(|(_, words)| *words)
}

/// Returns `section 2` for the scope `section-2`, and `question 3` for `question-3-1`.
fn numbered(scope: &str) -> Option<String> {
    let (rest, word) =
        SCOPES.iter().find_map(|(start, word)| Some((scope.strip_prefix(start)?, word)))?;
    let number = rest.split('-').next()?;
    number.parse::<u32>().ok().map(|number| format!("{word} {number}"))
}

/// Returns the name of a step of somebody's own method as words: `Draw_map` for `draw_map` is `Draw map`.
fn spelled_out(own: &str) -> String {
    let words = own.replace(['_', '-'], " ");
    let mut rest = words.chars();
    rest.next().map(|first| first.to_uppercase().chain(rest).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

    /// Returns the files with an ending below a folder of the workspace.
    fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
        let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(folder)];
        let mut found = Vec::new();
        while let Some(path) = open.pop() {
            if path.is_dir() {
                open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
        assert!(!found.is_empty(), "{folder}");
        found
    }

    /// Returns the names that the sources give to steps as texts: `run.step("retrieve", …)`.
    fn named_steps() -> Vec<String> {
        let mut names = Vec::new();
        for file in [
            files("run/src/run", ".rs"),
            files("run/src/sandbox.rs", ".rs"),
            files("methods/src", ".rs"),
        ]
        .concat()
        {
            let text = fs::read_to_string(&file).unwrap();
            for (at, call) in text.match_indices(".step(") {
                let argument = text[at + call.len()..].trim_start();
                if let Some(name) = argument.strip_prefix('"') {
                    names.push(name.split('"').next().unwrap().to_owned());
                } else if let Some((name, _)) =
                    argument.split_once(|c: char| !c.is_ascii_uppercase() && c != '_')
                    && !name.is_empty()
                {
                    // A constant of the same file, or of one beside it.
                    let given = format!("const {name}: &str = \"");
                    let all = [files("run/src", ".rs"), files("methods/src", ".rs")].concat();
                    let values = all.iter().filter_map(|file| {
                        let text = fs::read_to_string(file).unwrap();
                        let (_, value) = text.split_once(&given)?;
                        Some(value.split(['"', ' ']).next().unwrap().to_owned())
                    });
                    let values: Vec<String> = values.collect();
                    assert!(!values.is_empty(), "{name} in {}", file.display());
                    names.extend(values);
                }
            }
        }
        names
    }

    // proves: F1
    #[test]
    fn every_step_of_every_method_is_told_in_words() {
        let mut names = named_steps();
        assert!(names.len() > 15, "{names:?}");
        // An agent's step has the name of its prompt.
        for prompt in [files("methods/prompts", ".md"), files("eval/prompts", ".md")].concat() {
            names.push(prompt.file_stem().unwrap().to_string_lossy().into_owned());
        }
        // What the stages of the methods name, under all options.
        for method in methods::all().iter() {
            for stage in (method.stages)(&serde_json::json!({})) {
                let steps = stage.steps.iter().filter(|step| **step != "*" && !step.ends_with('/'));
                names.extend(steps.map(|step| (*step).to_owned()));
            }
        }
        let missing: Vec<&String> = names.iter().filter(|name| known(name).is_none()).collect();
        assert!(missing.is_empty(), "say in words what these do: {missing:?}");
        for (name, words) in STEPS.iter().chain(AGENTS) {
            assert!(names.iter().any(|known| known == name), "no step is called {name}");
            assert!(
                words.starts_with(|c: char| c.is_uppercase()) && !words.contains('_'),
                "{words}"
            );
        }
    }

    #[test]
    fn a_step_says_where_it_is_and_what_it_reads() {
        for (step, words) in [
            ("retrieve #1", "Searching the documents"),
            ("section-2/section_writer #1", "Writing a section (section 2)"),
            ("explore_worker/round-2/perform_analysis #11", "Analysing the survey data (round 2)"),
            ("question-3-1/query-2/papers #1", "Searching for papers (question 3, search 2)"),
            ("arxiv:1706.03762/read #1", "Reading arxiv:1706.03762"),
            ("query-1/doi:10.1000/x/read #2", "Reading doi:10.1000/x"),
            ("query-1/https://a.example/x/y/read #2", "Reading https://a.example/x/y"),
            ("optimist/turn-1/response #1", "Recording the turn (turn 1)"),
            ("draw_map #1", "Draw map"),
            ("", ""),
        ] {
            assert_eq!(describe(step), words, "{step}");
        }
        let by = describe_with("round-2/explore_worker #1", Some("fake/model"));
        assert_eq!(by, "Exploring the survey data (round 2, fake/model)");
    }
}
