//! The languages: their comments, and the words that begin a definition.

use crate::writer::tidy;

/// How the nesting and the functions of a language are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    /// A definition begins with a word of its own.
    Words,
    /// Functions begin with their type: `int main(void) {`.
    Typed,
    /// As Python: docstrings within the definition.
    Python,
}

/// What is known of a language.
#[derive(Debug)]
pub(super) struct Language {
    /// Its name in Markdown.
    pub(super) name: &'static str,
    extensions: &'static [&'static str],
    /// What begins a comment up to the end of the line.
    pub(super) line: &'static [&'static str],
    /// What begins and ends a comment of more lines.
    pub(super) block: Option<(&'static str, &'static str)>,
    family: Family,
    /// Words that begin a definition in which others stand.
    containers: &'static [&'static str],
    /// Words that begin any other definition.
    others: &'static [&'static str],
}

const C_BLOCK: Option<(&str, &str)> = Some(("/*", "*/"));
const NONE: Language = Language {
    name: "",
    extensions: &[],
    line: &["//", "#"],
    block: C_BLOCK,
    family: Family::Words,
    containers: &[],
    others: &[],
};

const LANGUAGES: &[Language] = &[
    Language {
        name: "rust",
        extensions: &["rs"],
        line: &["//"],
        block: C_BLOCK,
        family: Family::Words,
        containers: &["impl", "trait", "mod"],
        others: &["fn", "struct", "enum", "union", "type", "macro_rules!"],
    },
    Language {
        name: "python",
        extensions: &["py", "pyi"],
        line: &["#"],
        block: None,
        family: Family::Python,
        containers: &["class"],
        others: &["def"],
    },
    Language {
        name: "c",
        extensions: &["c", "h"],
        line: &["//"],
        block: C_BLOCK,
        family: Family::Typed,
        containers: &[],
        others: &["struct", "enum", "union", "typedef"],
    },
    Language {
        name: "cpp",
        extensions: &["cc", "cpp", "cxx", "hh", "hpp"],
        line: &["//"],
        block: C_BLOCK,
        family: Family::Typed,
        containers: &["class", "struct", "namespace"],
        others: &["enum", "union", "typedef"],
    },
    Language {
        name: "csharp",
        extensions: &["cs"],
        line: &["//"],
        block: C_BLOCK,
        family: Family::Typed,
        containers: &["class", "struct", "namespace", "interface", "record"],
        others: &["enum", "delegate"],
    },
    Language {
        name: "java",
        extensions: &["java"],
        line: &["//"],
        block: C_BLOCK,
        family: Family::Typed,
        containers: &["class", "interface", "enum", "record", "@interface"],
        others: &[],
    },
    Language {
        name: "go",
        extensions: &["go"],
        line: &["//"],
        block: C_BLOCK,
        family: Family::Words,
        containers: &[],
        others: &["func", "type"],
    },
    Language {
        name: "javascript",
        extensions: &["js", "mjs", "cjs", "jsx"],
        line: &["//"],
        block: C_BLOCK,
        family: Family::Words,
        containers: &["class"],
        others: &["function", "function*"],
    },
    Language {
        name: "typescript",
        extensions: &["ts", "tsx"],
        line: &["//"],
        block: C_BLOCK,
        family: Family::Words,
        containers: &["class", "namespace", "module"],
        others: &["function", "function*", "interface", "type", "enum"],
    },
    Language {
        name: "kotlin",
        extensions: &["kt", "kts"],
        line: &["//"],
        block: C_BLOCK,
        family: Family::Words,
        containers: &["class", "interface", "object"],
        others: &["fun", "typealias"],
    },
    Language {
        name: "scala",
        extensions: &["scala"],
        line: &["//"],
        block: C_BLOCK,
        family: Family::Words,
        containers: &["class", "trait", "object"],
        others: &["def", "type"],
    },
    Language {
        name: "swift",
        extensions: &["swift"],
        line: &["//"],
        block: C_BLOCK,
        family: Family::Words,
        containers: &["class", "struct", "enum", "protocol", "extension", "actor"],
        others: &["func", "init", "typealias"],
    },
    Language {
        name: "php",
        extensions: &["php"],
        line: &["//", "#"],
        block: C_BLOCK,
        family: Family::Words,
        containers: &["class", "interface", "trait", "namespace"],
        others: &["function", "enum"],
    },
    Language {
        name: "ruby",
        extensions: &["rb"],
        line: &["#"],
        block: Some(("=begin", "=end")),
        family: Family::Words,
        containers: &["class", "module"],
        others: &["def"],
    },
    Language {
        name: "lua",
        extensions: &["lua"],
        line: &["--"],
        block: Some(("--[[", "]]")),
        family: Family::Words,
        containers: &[],
        others: &["function"],
    },
    Language {
        name: "julia",
        extensions: &["jl"],
        line: &["#"],
        block: Some(("#=", "=#")),
        family: Family::Words,
        containers: &["module", "baremodule"],
        others: &["function", "struct", "macro", "mutable struct", "abstract type"],
    },
    Language {
        name: "perl",
        extensions: &["pl", "pm"],
        line: &["#"],
        block: None,
        family: Family::Words,
        containers: &[],
        others: &["sub", "package"],
    },
    Language {
        name: "r",
        extensions: &["r"],
        line: &["#"],
        block: None,
        family: Family::Words,
        containers: &[],
        others: &[],
    },
    Language {
        name: "bash",
        extensions: &["sh", "bash"],
        line: &["#"],
        block: None,
        family: Family::Words,
        containers: &[],
        others: &["function"],
    },
    Language {
        name: "sql",
        extensions: &["sql"],
        line: &["--"],
        block: C_BLOCK,
        family: Family::Words,
        containers: &[],
        others: &["create"],
    },
    Language {
        name: "matlab",
        extensions: &["m"],
        line: &["%"],
        block: Some(("%{", "%}")),
        family: Family::Words,
        containers: &["classdef"],
        others: &["function"],
    },
    Language {
        name: "objectivec",
        extensions: &[],
        line: &["//"],
        block: C_BLOCK,
        family: Family::Typed,
        containers: &["@interface", "@implementation", "@protocol"],
        others: &["struct", "enum", "typedef"],
    },
];

/// Words before the one that says what is defined.
const MODIFIERS: &[&str] = &[
    "pub",
    "pub(crate)",
    "pub(super)",
    "pub(self)",
    "async",
    "const",
    "unsafe",
    "extern",
    "\"C\"",
    "default",
    "export",
    "public",
    "private",
    "protected",
    "internal",
    "static",
    "final",
    "abstract",
    "sealed",
    "override",
    "virtual",
    "open",
    "data",
    "inline",
    "suspend",
    "partial",
    "readonly",
    "declare",
    "local",
    "case",
    "implicit",
    "lazy",
    "tailrec",
    "operator",
    "infix",
    "fileprivate",
    "mutating",
    "constexpr",
    "friend",
    "explicit",
    "auto",
    "strictfp",
    "non-sealed",
    "annotation",
    "value",
    "inner",
    "companion",
    "@objc",
    "@discardableResult",
];

/// Words that begin a statement, not a function.
const STATEMENTS: &[&str] = &[
    "if", "for", "while", "switch", "return", "else", "do", "case", "throw", "new", "delete",
    "goto", "using", "sizeof", "catch", "try", "await", "yield", "assert", "typeof", "super",
    "this", "foreach", "lock", "package", "import",
];

impl Language {
    /// Returns the language of a file by its name, and where that is not enough by its text.
    pub(super) fn of(name: &str, text: &str) -> &'static Language {
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension).to_lowercase();
        let is_objective = extension == "m"
            && ["@interface", "@implementation", "#import", "@end"]
                .iter()
                .any(|word| text.contains(word));
        if is_objective {
            return LANGUAGES
                .iter()
                .find(|language| language.name == "objectivec")
                .unwrap_or(&NONE);
        }
        let is_cpp = extension == "h"
            && ["\nclass ", "\nnamespace ", "\ntemplate"].iter().any(|word| text.contains(word));
        let extension = if is_cpp { "hpp" } else { &extension };
        LANGUAGES.iter().find(|language| language.extensions.contains(&extension)).unwrap_or(&NONE)
    }

    /// Returns whether docstrings stand within definitions.
    pub(super) fn is_indented(&self) -> bool {
        self.family == Family::Python
    }

    /// Returns whether definitions that are indented need none around them.
    pub(super) fn is_nested_freely(&self) -> bool {
        matches!(self.name, "cpp" | "csharp" | "java" | "php" | "ruby" | "julia" | "objectivec")
    }
}

/// Returns the heading of the definition that lines begin with, and whether others stand in it.
pub(super) fn defined(language: &Language, lines: &[String]) -> Option<(String, bool)> {
    let line = lines.first()?.trim();
    let first = line.chars().next()?;
    if !(first.is_alphabetic() || "_@-+~".contains(first)) {
        return None;
    }
    if let Some(found) = by_word(language, line, lines) {
        return Some(found);
    }
    let found = match language.name {
        "r" => assigned(line, &["<- function", "= function", "<- \\("]),
        "javascript" | "typescript" => arrow(line).or_else(|| method(line)),
        "bash" => line.split_once("()").map(|(name, _)| name.trim()).filter(|name| is_name(name)),
        "objectivec"
            if line.starts_with(['-', '+']) && line.contains('(') && !line.ends_with(';') =>
        {
            return Some((tidy(line.trim_end_matches('{')), false));
        }
        _ if language.family == Family::Typed => typed(lines),
        _ => None,
    }?;
    Some((format!("{found}()"), false))
}

/// Returns the definition that begins with a word of the language, after modifiers.
fn by_word(language: &Language, line: &str, lines: &[String]) -> Option<(String, bool)> {
    let mut rest = line;
    let rest = loop {
        let word = rest.split([' ', '(']).next()?;
        let word = if rest.starts_with("pub(") { rest.split(' ').next()? } else { word };
        if !MODIFIERS.contains(&word) || rest.len() == word.len() {
            break rest;
        }
        let is_word_of_its_own =
            language.containers.contains(&word) || language.others.contains(&word);
        if is_word_of_its_own {
            break rest;
        }
        rest = rest[word.len()..].trim_start();
    };
    let found = |words: &&&str| {
        let begun = rest.get(..words.len()).is_some_and(|start| {
            if language.name == "sql" {
                start.eq_ignore_ascii_case(words)
            } else {
                start == **words
            }
        });
        begun
            && rest[words.len()..]
                .chars()
                .next()
                .is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != ':')
    };
    let container = language.containers.iter().find(found);
    let word = container.or_else(|| language.others.iter().find(found))?;
    let after = rest[word.len()..].trim_start();
    match language.name {
        "sql" => {
            let end = after.find('(').unwrap_or(after.len());
            let words: Vec<&str> = after[..end].split_whitespace().take(6).collect();
            return Some((format!("CREATE {}", words.join(" ").trim_end_matches(';')), false));
        }
        "c" | "cpp" | "objectivec"
            if matches!(
                *word,
                "struct" | "enum" | "union" | "typedef" | "class" | "@interface"
            ) =>
        {
            // A declaration, or the type of a function or variable, defines nothing of its own.
            let is_type = *word == "typedef" && !line.contains('{') && !line.ends_with(';');
            let head: String =
                lines.iter().take(2).map(|line| line.trim()).collect::<Vec<_>>().join(" ");
            let opens = head.find('{').is_some_and(|at| !head[..at].contains(['(', '=', ';']))
                || word.starts_with('@');
            if !opens || is_type {
                return None;
            }
        }
        "rust" if *word == "mod" && !line.ends_with('{') => return None,
        "rust" if *word == "impl" => {
            let head = line.split(" where").next().unwrap_or(line).trim_end_matches('{');
            return Some((tidy(head), true));
        }
        "go" if *word == "type" && after.starts_with('(') => return None,
        "python" if !line.contains('(') && !line.contains(':') => return None,
        _ => {}
    }
    // A method of Go states what it belongs to before its name.
    let (receiver, after) = match after
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'))
        .filter(|_| language.name == "go")
    {
        Some((receiver, rest)) => (format!("({receiver}) "), rest.trim_start()),
        None => (String::new(), after),
    };
    let after = after.strip_prefix("class ").unwrap_or(after);
    let end = after.find(|c: char| {
        !(c.is_alphanumeric()
            || "_$.:!?".contains(c)
            || c == '\\'
            || c == '-' && language.name == "bash")
    });
    let name = after[..end.unwrap_or(after.len())].trim_end_matches([':', '.']);
    let name = if name.is_empty() && *word == "typedef" { "" } else { name };
    if name.is_empty()
        && !matches!(
            *word,
            "init" | "function" | "typedef" | "enum" | "struct" | "namespace" | "object"
        )
    {
        return None;
    }
    // `function` without a name is an expression, and calls look like definitions without a body.
    if name.is_empty() && *word == "function" || after.starts_with('=') {
        return None;
    }
    Some((tidy(&format!("{word} {receiver}{name}")), container.is_some()))
}

/// Returns the name of the function that is assigned in a line.
fn assigned<'a>(line: &'a str, signs: &[&str]) -> Option<&'a str> {
    let name = signs.iter().find_map(|sign| line.split_once(sign)).map(|(name, _)| name.trim())?;
    is_name(name).then_some(name)
}

/// Returns the name of the function that an arrow or a function expression is assigned to.
fn arrow(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = rest.split_once('=').filter(|(_, value)| !value.starts_with(['=', '>']))?;
    let name = ["const ", "let ", "var "]
        .iter()
        .find_map(|start| name.strip_prefix(start))
        .or_else(|| name.contains('.').then_some(name))?;
    let name = name.split(':').next().unwrap_or(name).trim();
    let value = value.trim_start().trim_start_matches("async ");
    let is_function = value.starts_with("function")
        || value.starts_with('(') && (value.contains("=>") || value.ends_with('('))
        || value.split_once("=>").is_some_and(|(argument, _)| is_name(argument.trim()));
    (is_function && is_name(name)).then_some(name)
}

/// Returns the name of a method of JavaScript: `async load(x) {`.
fn method(line: &str) -> Option<&str> {
    let mut rest = line;
    for modifier in [
        "public ",
        "private ",
        "protected ",
        "static ",
        "async ",
        "get ",
        "set ",
        "*",
        "readonly ",
        "override ",
    ] {
        rest = rest.strip_prefix(modifier).unwrap_or(rest);
    }
    let (name, after) = rest.split_once('(')?;
    let is_method = line.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && after.trim_end().ends_with('{')
        && !after.contains("=>")
        && !after.contains("function");
    (is_method && is_name(name) && !STATEMENTS.contains(&name) && name != "function")
        .then_some(name)
}

/// Returns the name of a function that begins with its type; its body must follow.
fn typed(lines: &[String]) -> Option<&str> {
    let line = lines.first()?.trim();
    let word = line.split([' ', '(', '<']).next()?;
    if STATEMENTS.contains(&word) || line.ends_with(';') && !line.contains('{') {
        return None;
    }
    let (head, holder) = match line.split_once('(') {
        Some((head, _)) => (head, 0),
        // The type may stand on a line of its own.
        None if !line.contains([';', '=', '{', '}', ':', ',']) => {
            let next = lines.get(1)?;
            if next.starts_with(' ') {
                return None;
            }
            (next.trim().split_once('(')?.0, 1)
        }
        None => return None,
    };
    let head = head.trim_end();
    let start = head
        .rfind(|c: char| !(c.is_alphanumeric() || "_~:".contains(c)))
        .map_or(0, |at| at + head[at..].chars().next().map_or(1, char::len_utf8));
    let name = &head[start..];
    let has_type = start > 0 && !head[..start].trim().is_empty()
        || holder == 1
        || name.contains("::")
        || name.starts_with(char::is_uppercase);
    let is_value = head.contains(['=', '.', '"', '?', '#', '{', '}', '!'])
        || head[..start].contains("return ")
        || head[..start].contains("new ");
    if !has_type || is_value || !is_name(name) || STATEMENTS.contains(&name) {
        return None;
    }
    for line in lines.iter().skip(holder).take(12) {
        let brace = line.find('{');
        let end = line.find(';');
        match (brace, end) {
            (Some(brace), Some(end)) if end < brace => return None,
            (Some(_), _) => return Some(name),
            (None, Some(_)) => return None,
            _ => {}
        }
    }
    None
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|c| c.is_alphanumeric() || "_$.:~-#".contains(c))
        && !name.starts_with(|c: char| c.is_ascii_digit())
}
