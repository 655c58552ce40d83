//! What `--help` shows below the options: examples that can be typed as they stand.

pub(super) const QUAESTIO: &str = "\
First steps:
  quaestio ask \"Who paid for the pump?\" --docs notes   # quote a folder, no model needed
  quaestio ask \"Why is the sky blue?\" --model ollama/qwen3:8b
  quaestio serve                                       # open http://127.0.0.1:8400
  quaestio ask --help                                  # all options of a command

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not enough evidence,
  4 partial result, 5 waiting for you, 6 cancelled";

pub(super) const ASK: &str = "\
Examples:
  quaestio ask \"Who paid for the pump?\" --docs notes
  quaestio ask \"What do we promise on uptime?\" --collection contracts --output answer.md
  quaestio ask \"Does coffee lower blood pressure?\" --strategy search --model openai/gpt-4.1-mini";

pub(super) const DEEP: &str = "\
Examples:
  quaestio deep \"How do cities cut traffic noise?\" --model openai/gpt-4.1-mini --output noise.html
  quaestio deep \"What changed in our contracts?\" --docs contracts --own-documents
  quaestio deep \"And what does it cost?\" --continue last";

pub(super) const HYPOTHESIZE: &str = "\
Examples:
  quaestio hypothesize \"Why do some batteries fail early in the cold?\" --domain \"materials science\"
  quaestio hypothesize \"What drives churn in our trials?\" --docs notes --own-documents --top 2";

pub(super) const MARKET: &str = "\
Examples:
  quaestio market \"Heat pumps for rented flats in Germany\" --max-cost 2
  quaestio market \"Software for dentists\" --yes --no-clarify --output market.docx
  quaestio market \"Repair cafes in Austria\" --docs notes --own-documents";

pub(super) const DEBATE: &str = "\
Examples:
  quaestio debate \"How can we detect drift in a sensor?\" --max-turns 2
  quaestio debate \"Which sorting algorithm suits nearly sorted data?\" --docs notes --own-documents";

pub(super) const BRIEF: &str = "\
Examples:
  quaestio brief \"What do customers want most?\" --data survey.sav
  quaestio brief \"Who is unhappy, and why?\" --data survey --tables tables.xlsx --output brief.docx";

pub(super) const CHECK: &str = "\
Examples:
  quaestio check report.md --docs notes
  quaestio check report.md --collection contracts --format json";

pub(super) const EVAL: &str = "\
Examples:
  quaestio eval questions.jsonl --docs notes --strategy rag --estimate
  quaestio eval questions.jsonl --docs notes --model openai/gpt-4.1-mini --max-cost 2
  quaestio eval show last";

pub(super) const INGEST: &str = "\
Examples:
  quaestio ingest notes
  quaestio ingest contracts --collection contracts --meta year=2026
  quaestio ingest arxiv:1706.03762 https://www.rfc-editor.org/rfc/rfc9110.html --collection reading";

pub(super) const SERVE: &str = "\
Examples:
  quaestio serve
  quaestio serve --listen 127.0.0.1:9000 --model ollama/qwen3:8b";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli;

    /// Splits a line at spaces outside quotation marks; two spaces begin a remark.
    fn split(line: &str) -> Vec<String> {
        let (mut words, mut word, mut is_quoted) = (vec![], String::new(), false);
        for letter in line.chars() {
            match letter {
                '"' => is_quoted = !is_quoted,
                ' ' if !is_quoted && word.is_empty() => break,
                ' ' if !is_quoted => words.push(std::mem::take(&mut word)),
                letter => word.push(letter),
            }
        }
        words.extend(Some(word).filter(|word| !word.is_empty()));
        words
    }

    // proves: F1
    #[test]
    fn every_example_of_the_help_is_a_command_that_is_understood() {
        let all =
            [QUAESTIO, ASK, DEEP, HYPOTHESIZE, MARKET, DEBATE, BRIEF, CHECK, EVAL, INGEST, SERVE];
        let methods = run::Methods::new(methods::all().iter().copied());
        for text in all {
            let lines = text.lines().filter(|line| line.starts_with("  quaestio "));
            let lines: Vec<&str> = lines.collect();
            assert!(lines.len() >= 2, "{text}");
            for line in lines {
                let args = split(line.trim()).into_iter().map(Into::into).collect();
                match cli::parse(args, &methods) {
                    Ok(_) => {}
                    Err(told) => assert!(!told.use_stderr(), "{line}: {told}"),
                }
            }
        }
    }
}
