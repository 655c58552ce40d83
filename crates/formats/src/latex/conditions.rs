//! Conditions, of which one branch shows: flags, numbers and words that are known here; what is not known does not hold.

use super::Page;
use super::reader::Reader;

/// The most flags that a file may define.
const MOST_FLAGS: usize = 5000;

/// Tests with two branches in braces, and the number of arguments that say what is tested.
const TESTS: &[(&str, usize)] = &[
    ("ifthenelse", 1),
    ("ifbool", 1),
    ("iftoggle", 1),
    ("notbool", 1),
    ("nottoggle", 1),
    ("ifstrempty", 1),
    ("ifblank", 1),
    ("notblank", 1),
    ("ifstrequal", 2),
    ("ifdef", 1),
    ("ifcsdef", 1),
    ("ifundef", 1),
    ("ifcsundef", 1),
    ("ifdefempty", 1),
    ("ifcsempty", 1),
    ("ifdefvoid", 1),
    ("ifdefstring", 2),
    ("ifcsstring", 2),
    ("IfFileExists", 1),
    ("IfBooleanTF", 1),
    ("IfNoValueTF", 1),
    ("IfValueTF", 1),
];

/// Returns whether a command begins a condition that ends at `\fi`.
pub(super) fn is_condition(name: &str) -> bool {
    name.starts_with("if") && name != "iff" && !TESTS.iter().any(|(known, _)| *known == name)
}

impl Page {
    /// Takes in a flag that is defined or set; returns whether `name` does so.
    pub(super) fn flag(&mut self, name: &str, reader: &mut Reader) -> bool {
        let (flag, holds) = match name {
            "newif" => {
                let condition = reader.argument();
                let flag = condition.trim().trim_start_matches('\\');
                (flag.strip_prefix("if").unwrap_or(flag).to_owned(), false)
            }
            "newboolean" | "provideboolean" | "newbool" | "providebool" | "newtoggle"
            | "providetoggle" | "boolfalse" | "togglefalse" => (reader.argument(), false),
            "booltrue" | "toggletrue" => (reader.argument(), true),
            "setboolean" | "setbool" | "settoggle" => {
                (reader.argument(), reader.argument().trim() == "true")
            }
            name => {
                let holds = name.ends_with("true");
                let flag = name.strip_suffix(if holds { "true" } else { "false" });
                match flag.filter(|flag| self.flags.contains_key(*flag)) {
                    Some(flag) => (flag.to_owned(), holds),
                    None => return false,
                }
            }
        };
        if self.flags.len() < MOST_FLAGS {
            self.flags.insert(flag.trim().to_owned(), holds);
        }
        true
    }

    /// Reads the branch of a condition that holds; returns whether `name` is one.
    pub(super) fn choose(&mut self, name: &str, reader: &mut Reader) -> bool {
        if let Some((_, count)) = TESTS.iter().find(|(known, _)| *known == name) {
            let tested: Vec<String> = (0..*count).map(|_| reader.argument()).collect();
            let (first, second) = (reader.argument(), reader.argument());
            let branch = if self.holds(name, &tested) { first } else { second };
            self.insert(&branch, reader);
            return true;
        }
        if !is_condition(name) || self.expanded == 0 {
            return false;
        }
        let Some((first, second)) = reader.branches() else {
            self.expanded = 0;
            return true;
        };
        let flag = name.strip_prefix("if").and_then(|flag| self.flags.get(flag));
        let holds = match (name, flag) {
            (_, Some(holds)) => holds.then_some(first.as_str()),
            ("iftrue", None) => Some(first.as_str()),
            ("ifnum", None) => compared(&first),
            _ => None,
        };
        self.insert(holds.unwrap_or(&second), reader);
        true
    }

    /// Returns whether what a test with branches in braces asks is so.
    fn holds(&self, name: &str, tested: &[String]) -> bool {
        let of = |index: usize| tested.get(index).map_or("", |it| it.trim());
        let flag = |name: &str| self.flags.get(name.trim()).copied();
        let defined = self.macros.contains_key(of(0).trim_start_matches('\\'));
        match name {
            "ifthenelse" => self.asked(of(0)),
            "ifbool" | "iftoggle" => flag(of(0)).unwrap_or(false),
            "notbool" | "nottoggle" => !flag(of(0)).unwrap_or(false),
            "ifstrempty" | "ifblank" | "IfNoValueTF" => of(0).is_empty(),
            "notblank" | "IfValueTF" => !of(0).is_empty(),
            "ifstrequal" => of(0) == of(1),
            "ifdef" | "ifcsdef" => defined,
            "ifundef" | "ifcsundef" => !defined,
            _ => false,
        }
    }

    /// Returns whether what `\ifthenelse` asks is so: one flag, or whether two words or numbers are the same.
    fn asked(&self, test: &str) -> bool {
        let negated = test.strip_prefix("\\not").or_else(|| test.strip_prefix("\\NOT"));
        if let Some(rest) = negated.filter(|rest| rest.trim_start().starts_with('\\')) {
            return !self.asked_once(rest.trim());
        }
        self.asked_once(test)
    }

    fn asked_once(&self, test: &str) -> bool {
        let mut reader = Reader::new(test);
        if reader.skip("\\boolean") {
            return self.flags.get(reader.argument().trim()).copied().unwrap_or(false);
        }
        if reader.skip("\\equal") {
            let (one, other) = (reader.argument(), reader.argument());
            return one.trim() == other.trim();
        }
        compared(test).is_some()
    }
}

/// Returns what follows a comparison of two numbers, if it holds: `1<2 yes`.
fn compared(text: &str) -> Option<&str> {
    let (one, rest) = number(text)?;
    let relation = rest.chars().next()?;
    let (other, rest) = number(&rest[relation.len_utf8()..])?;
    let holds = match relation {
        '<' => one < other,
        '=' => one == other,
        '>' => one > other,
        _ => false,
    };
    holds.then_some(rest)
}

/// Reads a number and the blanks around it.
fn number(text: &str) -> Option<(i64, &str)> {
    let text = text.trim_start();
    let signed = text.strip_prefix('-').unwrap_or(text);
    let digits = signed.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(text.len() - signed.len() + digits);
    Some((number.parse().ok()?, rest.trim_start()))
}

impl Reader<'_> {
    /// Returns the two branches of the condition whose name was read, up to its `\fi`; `None` if that is missing, with nothing read.
    pub(super) fn branches(&mut self) -> Option<(String, String)> {
        let (mut first, mut second) = (String::new(), String::new());
        let (mut depth, mut is_second) = (0_usize, false);
        while let Some(c) = self.next() {
            let part = if is_second { &mut second } else { &mut first };
            part.push(c);
            if c != '\\' {
                continue;
            }
            let mut name = String::new();
            while let Some(letter) = self.peek().filter(char::is_ascii_alphabetic) {
                name.push(letter);
                self.next();
            }
            match name.as_str() {
                "fi" if depth == 0 => {
                    part.pop();
                    return Some((first, second));
                }
                "else" if depth == 0 => {
                    part.pop();
                    is_second = true;
                    self.skip_blanks();
                    continue;
                }
                "fi" => depth -= 1,
                "" => part.extend(self.next()),
                name if is_condition(name) => depth += 1,
                _ => {}
            }
            part.push_str(&name);
        }
        self.push(&second);
        self.push(&first);
        None
    }
}
