//! An equation as a line of text: fractions with a slash, powers with `^`, indices with `_`.

use crate::script::goes_on;
use crate::xml::Element;

/// Appends the equation in `parent` (`m:oMath` or a part of one) to `words`.
pub(crate) fn write(parent: &Element, words: &mut String) {
    for element in parent.elements() {
        match &*element.name {
            "t" => {
                let text = element.text();
                words.push_str(if goes_on(words, &text) { " " } else { "" });
                words.push_str(&text);
            }
            "f" => {
                group(&element.child("num").map(line).unwrap_or_default(), words);
                words.push('/');
                group(&element.child("den").map(line).unwrap_or_default(), words);
            }
            "sSup" => scripts(element, &[("^", "sup")], words),
            "sSub" => scripts(element, &[("_", "sub")], words),
            "sSubSup" => scripts(element, &[("_", "sub"), ("^", "sup")], words),
            "sPre" => scripts(element, &[("_", "sub"), ("^", "sup")], words),
            "rad" => {
                let degree = element.child("deg").map(line).unwrap_or_default();
                match degree.trim() {
                    "" | "2" => words.push('√'),
                    "3" => words.push('∛'),
                    "4" => words.push('∜'),
                    other => {
                        words.push_str(other);
                        words.push('√');
                    }
                }
                group(&element.child("e").map(line).unwrap_or_default(), words);
            }
            "nary" => nary(element, words),
            "d" => delimited(element, words),
            "m" => {
                let rows = element.elements().filter(|it| &*it.name == "mr").map(|row| {
                    let cells = row.elements().filter(|it| &*it.name == "e").map(line);
                    cells.collect::<Vec<_>>().join(", ")
                });
                words.push('[');
                words.push_str(&rows.collect::<Vec<_>>().join("; "));
                words.push(']');
            }
            "func" => {
                if let Some(name) = element.child("fName") {
                    write(name, words);
                }
                if let Some(of) = element.child("e") {
                    words.push(' ');
                    write(of, words);
                }
            }
            "limLow" => scripts(element, &[("_", "lim")], words),
            "limUpp" => scripts(element, &[("^", "lim")], words),
            "eqArr" => {
                let lines = element.elements().filter(|it| &*it.name == "e").map(line);
                words.push_str(&lines.collect::<Vec<_>>().join("; "));
            }
            "acc" => {
                if let Some(base) = element.child("e") {
                    write(base, words);
                }
                words.push_str(property(element, "accPr", "chr").unwrap_or("\u{302}"));
            }
            // Properties, and what was deleted.
            name if name.ends_with("Pr") => {}
            "del" | "moveFrom" | "delText" | "instrText" => {}
            _ => write(element, words),
        }
    }
}

/// Returns an equation on one line.
fn line(element: &Element) -> String {
    let mut words = String::new();
    write(element, &mut words);
    words
}

/// Appends a part of an equation, in parentheses unless it is one number, word or sign.
fn group(part: &str, words: &mut String) {
    let part = part.trim();
    let single = part.chars().all(char::is_alphanumeric) || part.chars().count() == 1;
    if single {
        words.push_str(part);
    } else {
        words.push('(');
        words.push_str(part);
        words.push(')');
    }
}

/// Appends a base and the scripts that stand at it.
fn scripts(element: &Element, parts: &[(&str, &str)], words: &mut String) {
    if let Some(base) = element.child("e") {
        write(base, words);
    }
    for (sign, name) in parts {
        script(element, sign, name, words);
    }
}

/// Appends the script called `name` after its sign, unless it is blank.
fn script(element: &Element, sign: &str, name: &str, words: &mut String) {
    let part = element.child(name).map(line).unwrap_or_default();
    if !part.trim().is_empty() {
        words.push_str(sign);
        group(&part, words);
    }
}

/// Appends a sum, an integral and the like.
fn nary(element: &Element, words: &mut String) {
    words.push_str(property(element, "naryPr", "chr").unwrap_or("∫"));
    script(element, "_", "sub", words);
    script(element, "^", "sup", words);
    if let Some(of) = element.child("e") {
        words.push(' ');
        write(of, words);
    }
}

/// Appends what stands in brackets.
fn delimited(element: &Element, words: &mut String) {
    let sign = |name: &str, usual: &'static str| property(element, "dPr", name).unwrap_or(usual);
    let parts = element.elements().filter(|it| &*it.name == "e").map(line);
    let parts: Vec<String> = parts.collect();
    words.push_str(sign("begChr", "("));
    words.push_str(&parts.join(sign("sepChr", "|")));
    words.push_str(sign("endChr", ")"));
}

fn property<'a>(element: &'a Element, own: &str, name: &str) -> Option<&'a str> {
    element.child(own)?.child(name)?.attribute("val")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xml::parse;

    fn check(xml: &str, expected: &str) {
        assert_eq!(line(&parse(xml.as_bytes(), "DOCX").unwrap()), expected, "{xml}");
    }

    // proves: A6
    #[test]
    fn an_equation_reads_on_one_line() {
        let run = |words: &str| format!("<m:r><m:t>{words}</m:t></m:r>");
        let (a, b) = (run("a+b"), run("2"));
        check(
            &format!("<m:oMath><m:f><m:num>{a}</m:num><m:den>{b}</m:den></m:f></m:oMath>"),
            "(a+b)/2",
        );
        check(
            &format!("<m:oMath><m:sSup><m:e>{b}</m:e><m:sup>{a}</m:sup></m:sSup></m:oMath>"),
            "2^(a+b)",
        );
        check(
            &format!(
                r#"<m:oMath><m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>{a}</m:sub><m:sup>{b}</m:sup><m:e>{b}</m:e></m:nary></m:oMath>"#
            ),
            "∑_(a+b)^2 2",
        );
        check(
            &format!(
                "<m:oMath><m:rad><m:deg/><m:e>{a}</m:e></m:rad><m:d><m:e>{b}</m:e></m:d></m:oMath>"
            ),
            "√(a+b)(2)",
        );
        check(
            &format!("<m:oMath><m:m><m:mr><m:e>{b}</m:e><m:e>{b}</m:e></m:mr></m:m></m:oMath>"),
            "[2, 2]",
        );
    }
}
