//! The paragraphs of a shape, with the bullets and numbers that its styles give them.

use crate::numeral::Numeral;
use crate::ooxml::math;
use crate::writer::tidy;
use crate::xml::Element;
use crate::{Script, Scripts, Writer};

use super::shapes::near;

/// Where the styles of paragraphs are, nearest first.
#[derive(Default)]
pub(super) struct Styles<'a>(pub(super) Vec<&'a Element>);

/// The mark of a paragraph.
#[derive(Clone, PartialEq)]
enum Bullet {
    None,
    Sign,
    /// Its kind, such as `alphaLcParenR`, and the first number.
    Numbered(String, u64),
}

impl Styles<'_> {
    fn bullet(&self, paragraph: &Element, level: usize) -> Bullet {
        const LEVELS: [&str; 9] = [
            "lvl1pPr", "lvl2pPr", "lvl3pPr", "lvl4pPr", "lvl5pPr", "lvl6pPr", "lvl7pPr", "lvl8pPr",
            "lvl9pPr",
        ];
        let name = LEVELS.get(level).copied().unwrap_or("lvl9pPr");
        let styles = self.0.iter().filter_map(|style| near(style, name));
        let found = paragraph.child("pPr").into_iter().chain(styles).find_map(bullet_of);
        found.unwrap_or(Bullet::None)
    }
}

fn bullet_of(properties: &Element) -> Option<Bullet> {
    properties.elements().find_map(|it| match &*it.name {
        "buNone" => Some(Bullet::None),
        "buChar" | "buBlip" => Some(Bullet::Sign),
        "buAutoNum" => {
            let kind = it.attribute("type").unwrap_or("arabicPeriod").to_owned();
            let first = it.attribute("startAt").and_then(|at| at.parse().ok()).unwrap_or(1);
            Some(Bullet::Numbered(kind, first))
        }
        _ => None,
    })
}

/// Returns a number as PowerPoint prints it for a kind of numbering.
fn label(kind: &str, number: u64) -> String {
    let numeral = [
        ("alphaLc", Numeral::LowerLetter),
        ("alphaUc", Numeral::UpperLetter),
        ("romanLc", Numeral::LowerRoman),
        ("romanUc", Numeral::UpperRoman),
    ];
    let numeral = numeral.into_iter().find(|(name, _)| kind.starts_with(name));
    let number = numeral.map_or(Numeral::Decimal, |(_, numeral)| numeral).write(number);
    match kind {
        _ if kind.ends_with("ParenBoth") => format!("({number})"),
        _ if kind.ends_with("ParenR") => format!("{number})"),
        _ if kind.ends_with("Plain") => number,
        _ => format!("{number}."),
    }
}

/// Writes the paragraphs of a text body.
pub(super) fn write(body: &Element, styles: &Styles, text: &mut Writer) {
    // The open numbering of each level.
    let mut counts: Vec<Option<(String, u64)>> = Vec::new();
    for paragraph in body.elements().filter(|it| &*it.name == "p") {
        let words = words_of(paragraph);
        if words.trim().is_empty() {
            continue;
        }
        let level = paragraph.child("pPr").and_then(|own| own.attribute("lvl")?.parse().ok());
        let level = level.unwrap_or(0_usize).min(8);
        counts.resize(level + 1, None);
        match styles.bullet(paragraph, level) {
            Bullet::None => {
                counts[level] = None;
                text.paragraph(&words);
            }
            Bullet::Sign => {
                counts[level] = None;
                text.item(level, "-", &words);
            }
            Bullet::Numbered(kind, first) => {
                let number = match counts[level].take() {
                    Some((before, number)) if before == kind => number.saturating_add(1),
                    _ => first,
                };
                text.labelled(level, &label(&kind, number), &words);
                counts[level] = Some((kind, number));
            }
        }
    }
}

/// Returns a text body on one line.
pub(super) fn line(body: &Element) -> String {
    let paragraphs = body.elements().filter(|it| &*it.name == "p").map(words_of);
    tidy(&paragraphs.collect::<Vec<_>>().join(" "))
}

fn words_of(paragraph: &Element) -> String {
    let (mut found, mut scripts) = (String::new(), Scripts::default());
    inline(paragraph, &mut found, &mut scripts);
    scripts.set(Script::Line, &mut found);
    found
}

/// Appends the text of a paragraph, a line break as a newline.
fn inline(parent: &Element, words: &mut String, scripts: &mut Scripts) {
    for element in parent.elements() {
        match &*element.name {
            "t" => {
                let said = element.text().replace(['\n', '\r'], " ");
                words.push_str(&said.replace('\u{b}', "\n"));
            }
            "br" => words.push('\n'),
            "oMath" | "oMathPara" => {
                scripts.set(Script::Line, words);
                math::write(element, words);
            }
            "r" | "fld" => {
                scripts.set(script_of(element), words);
                let start = words.len();
                inline(element, words, scripts);
                if is_struck(element) {
                    scripts.strike(words, start);
                }
            }
            "AlternateContent" => {
                let before = words.len();
                for option in ["Choice", "Fallback"] {
                    if let Some(option) = element.child(option)
                        && words.len() == before
                    {
                        inline(option, words, scripts);
                    }
                }
            }
            "pPr" | "rPr" | "endParaRPr" => {}
            _ => inline(element, words, scripts),
        }
    }
}

/// Returns whether a run is struck through.
fn is_struck(run: &Element) -> bool {
    let line = run.child("rPr").and_then(|own| own.attribute("strike"));
    line.is_some_and(|line| line != "noStrike")
}

/// Returns where a run stands: its base line is moved by thousandths of a per cent.
fn script_of(run: &Element) -> Script {
    let moved = run.child("rPr").and_then(|own| own.attribute("baseline"));
    let moved = moved.and_then(|it| it.trim_end_matches('%').parse::<i32>().ok()).unwrap_or(0);
    match moved.signum() {
        1 => Script::Super,
        -1 => Script::Sub,
        _ => Script::Line,
    }
}
