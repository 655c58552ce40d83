//! Pages of documentation, and the commands that they show.
//!
//! A block is a fence marked `sh` (a script) or `console` (lines after `$ `, each with what it prints). An HTML comment on a line
//! before the fence says how it is run:
//!
//! - `<!-- needs: model -->` runs it beside a model, `<!-- needs: server -->` beside a server at [`SERVER`]. Anything else that is
//!   needed (`network`, `docker`, …) cannot be had in a test: the block is only read, and its commands must be valid.
//! - `<!-- continues -->` runs it in the folder, and with the variables, of the block before.
//! - `<!-- exits: 3 -->` names the exit code that it ends with, 0 otherwise.

use std::path::{Path, PathBuf};

/// The address of a server in a block that needs one.
pub const SERVER: &str = "127.0.0.1:8400";

/// What can be had in a test.
const AT_HAND: [&str; 2] = ["model", "server"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Script,
    Session,
}

/// A fenced block of commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The page, below the root, and the line of the fence in it, from 1.
    pub page: String,
    pub line: usize,
    pub kind: Kind,
    pub text: String,
    pub needs: Vec<String>,
    pub continues: bool,
    pub exits: i32,
}

impl Block {
    /// Returns whether a test has all that the block needs.
    pub fn can_run(&self) -> bool {
        self.needs.iter().all(|need| AT_HAND.contains(&need.as_str()))
    }

    pub fn needs(&self, what: &str) -> bool {
        self.needs.iter().any(|need| need == what)
    }

    /// Returns the commands of a session, each with the lines that it prints; those of a script are one.
    pub fn commands(&self) -> Vec<(String, Vec<String>)> {
        if self.kind == Kind::Script {
            return vec![(self.text.clone(), vec![])];
        }
        let mut commands: Vec<(String, Vec<String>)> = Vec::new();
        let mut goes_on = false;
        for line in self.text.lines() {
            if let Some(command) = line.strip_prefix("$ ") {
                goes_on = command.ends_with('\\');
                commands.push((command.to_owned(), vec![]));
            } else if let Some((command, printed)) = commands.last_mut() {
                if goes_on {
                    goes_on = line.ends_with('\\');
                    command.push('\n');
                    command.push_str(line.strip_prefix("> ").unwrap_or(line));
                } else {
                    printed.push(line.to_owned());
                }
            }
        }
        commands
    }
}

/// Returns the pages below `root` that show commands: the README, that of the examples, and the manual.
pub fn pages(root: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut pages = vec![];
    for page in std::fs::read_dir(root.join("docs/manual"))? {
        let path = page?.path();
        if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
    pages.sort();
    Ok(["README.md", "examples/README.md"]
        .map(|page| root.join(page))
        .into_iter()
        .chain(pages)
        .collect())
}

/// Returns the blocks of commands in a page. An error names a mark that means nothing.
pub fn blocks(page: &str, text: &str) -> Result<Vec<Block>, String> {
    let mut blocks = Vec::new();
    let mut marks: Vec<(usize, &str)> = Vec::new();
    let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    while let Some((line, content)) = lines.next() {
        let trimmed = content.trim();
        if let Some(mark) = trimmed.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->")) {
            marks.push((line, mark.trim()));
            continue;
        }
        let fence = trimmed.len() - trimmed.trim_start_matches('`').len();
        if fence < 3 {
            if !trimmed.is_empty() {
                marks.clear();
            }
            continue;
        }
        let indent = content.len() - content.trim_start().len();
        let is_end = |content: &str| {
            let ticks = content.trim();
            ticks.len() >= fence && ticks.bytes().all(|byte| byte == b'`')
        };
        let inside: Vec<&str> = lines
            .by_ref()
            .map(|(_, content)| content)
            .take_while(|content| !is_end(content))
            .map(|content| content.get(indent..).unwrap_or_else(|| content.trim_start()))
            .collect();
        let marks = std::mem::take(&mut marks);
        let kind = match trimmed[fence..].split_whitespace().next() {
            Some("sh" | "bash" | "shell") => Kind::Script,
            Some("console") => Kind::Session,
            _ => continue,
        };
        let mut block = Block {
            page: page.to_owned(),
            line,
            kind,
            text: inside.join("\n"),
            needs: vec![],
            continues: false,
            exits: 0,
        };
        for (line, mark) in marks {
            read_mark(&mut block, mark)
                .ok_or_else(|| format!("{page}:{line}: nothing is known of '{mark}'"))?;
        }
        blocks.push(block);
    }
    Ok(blocks)
}

fn read_mark(block: &mut Block, mark: &str) -> Option<()> {
    match mark.split_once(':').map_or((mark, ""), |(name, value)| (name.trim(), value.trim())) {
        ("continues", "") => block.continues = true,
        ("exits", code) => block.exits = code.parse().ok()?,
        ("needs", needs) if !needs.is_empty() => {
            block.needs.extend(needs.split(',').map(|need| need.trim().to_owned()));
        }
        _ => return None,
    }
    Some(())
}

/// Returns the calls of `program` in some lines of a shell, each as its arguments, the program's name first.
pub fn calls(script: &str, program: &str) -> Vec<Vec<String>> {
    let mut calls = Vec::new();
    for words in simple_commands(script) {
        let is_before = |word: &String| {
            let is_assignment = word.split_once('=').is_some_and(|(name, _)| {
                !name.is_empty()
                    && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            });
            is_assignment
                || ["sudo", "exec", "time", "nohup", "uvx", "npx", "if", "while"]
                    .contains(&word.as_str())
        };
        let words: Vec<String> = words.into_iter().skip_while(is_before).collect();
        if words.first().is_some_and(|word| word.rsplit('/').next() == Some(program)) {
            calls.push(words);
        }
    }
    calls
}

/// Splits lines of a shell into simple commands, and these into words. Redirections are left out.
fn simple_commands(script: &str) -> Vec<Vec<String>> {
    let (mut commands, mut words): (Vec<Vec<String>>, Vec<String>) = (vec![], vec![]);
    let mut word: Option<String> = None;
    let mut is_target = false;
    let mut chars = script.chars().peekable();
    let end_word = |word: &mut Option<String>, words: &mut Vec<String>, is_target: &mut bool| {
        if let Some(word) = word.take()
            && !std::mem::take(is_target)
        {
            words.push(word);
        }
    };
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some(next) => word.get_or_insert_default().push(next),
            },
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                while let Some(inside) = chars.next().filter(|inside| *inside != c) {
                    match inside {
                        '\\' if c == '"' => word.extend(chars.next()),
                        inside => word.push(inside),
                    }
                }
            }
            '#' if word.is_none() => while chars.next_if(|next| *next != '\n').is_some() {},
            '>' | '<' => {
                // A number before it is that of a stream.
                if !word.as_ref().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
                {
                    end_word(&mut word, &mut words, &mut is_target);
                }
                word = None;
                while chars.next_if(|next| ['>', '<', '&'].contains(next)).is_some() {}
                is_target = true;
            }
            ' ' | '\t' => end_word(&mut word, &mut words, &mut is_target),
            '\n' | ';' | '|' | '&' | '(' | ')' | '`' => {
                // What stands within a word is taken for a call of its own: $(quaestio …).
                end_word(&mut word, &mut words, &mut is_target);
                is_target = false;
                commands.push(std::mem::take(&mut words));
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    end_word(&mut word, &mut words, &mut is_target);
    commands.push(words);
    commands.retain(|words| !words.is_empty());
    commands
}

/// Returns whether what was printed is what a page shows. `…` stands for any text within a line, and alone on a line for any
/// lines.
pub fn is_shown(shown: &[String], printed: &[&str]) -> bool {
    let Some((first, rest)) = shown.split_first() else {
        return printed.iter().all(|line| line.trim().is_empty());
    };
    if first.trim() == "…" {
        return (0..=printed.len()).any(|skipped| is_shown(rest, &printed[skipped..]));
    }
    match printed.split_first() {
        Some((line, after)) => is_line(first.trim_end(), line.trim_end()) && is_shown(rest, after),
        None => first.trim().is_empty() && is_shown(rest, printed),
    }
}

fn is_line(shown: &str, printed: &str) -> bool {
    let Some((start, rest)) = shown.split_once('…') else { return shown == printed };
    let Some(mut left) = printed.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split('…').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    left.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read_with_their_marks() {
        let page = "text\n<!-- needs: model, network -->\n<!-- continues -->\n\n```sh\na\n\nb\n```\n\n- item\n  ```console\n  $ c \\\n      d\n  out\n  ```\n```toml\nx\n```\n<!-- exits: 3 -->\nno\n````sh\n```\n````\n";
        let found = blocks("p.md", page).unwrap();
        assert_eq!(found.len(), 3);
        assert_eq!((found[0].line, found[0].text.as_str()), (5, "a\n\nb"));
        assert!(found[0].continues && !found[0].can_run() && found[0].needs("model"));
        let (command, printed) = found[1].commands().remove(0);
        assert_eq!((command.as_str(), printed), ("c \\\n    d", vec!["out".to_owned()]));
        assert_eq!((found[2].text.as_str(), found[2].exits), ("```", 0));
        assert!(
            blocks("p.md", "<!-- neds: model -->\n```sh\n```\n").unwrap_err().contains("p.md:1")
        );
    }

    #[test]
    fn calls_are_found_in_a_shell() {
        let script = "export A=1 # quaestio no\nA=b quaestio ask \"a \\\"b\\\" c\" --docs x > out 2>&1 | uvx quaestio render - \\\n  --format=md\necho $(./quaestio runs list); cat quaestio";
        let found = calls(script, "quaestio");
        let words: Vec<Vec<&str>> =
            found.iter().map(|call| call.iter().map(String::as_str).collect()).collect();
        assert_eq!(
            words,
            [
                vec!["quaestio", "ask", "a \"b\" c", "--docs", "x"],
                vec!["quaestio", "render", "-", "--format=md"],
                vec!["./quaestio", "runs", "list"],
            ]
        );
    }

    #[test]
    fn an_ellipsis_stands_for_what_differs() {
        let shown = |lines: &str| lines.lines().map(str::to_owned).collect::<Vec<_>>();
        assert!(is_shown(&shown("a\n…\nrun-… done (…)"), &["a", "b", "c", "run-1 done (2 s)", ""]));
        assert!(is_shown(&shown("…"), &[]));
        assert!(!is_shown(&shown("a"), &["a", "b"]));
        assert!(!is_shown(&shown("a…b"), &["ab c"]));
        assert!(!is_shown(&shown("a\nb"), &["a"]));
    }
}
