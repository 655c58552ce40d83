//! The *quaestio* of each of the best hypotheses, its parts in bold, whatever marks the composer gave them.

use methods::hypothesize::payload::Origin;

use super::Page;

/// The words with which a part begins, and whether they stand before a sentence without a stop between.
const PARTS: [(&str, bool); 18] = [
    ("question", false),
    ("quaestio", false),
    ("article", false),
    ("objections", false),
    ("objection", false),
    ("on the contrary", true),
    ("sed contra", true),
    ("i answer that", true),
    ("i respond that", true),
    ("respondeo dicendum quod", true),
    ("respondeo", true),
    ("replies to the objections", false),
    ("replies to objections", false),
    ("replies", false),
    ("reply to the objection", false),
    ("reply to objection", false),
    ("reply", false),
    ("ad", false),
];

/// Writes the rendering, and says whose it is.
pub(super) fn section(page: &mut Page, written: &str, origin: Origin) {
    page.heading("Summa");
    let by = match origin {
        Origin::Model => "",
        Origin::Extractive => {
            "Put together by the program from sentences of the papers; no model was asked. "
        }
        Origin::Fallback => {
            "Put together by the program from the ranked hypotheses, since what the composer wrote was no quaestio. "
        }
    };
    page.paragraph(&format!(
        "{by}A sentence with a mark is checked against its quote; the rest is argument."
    ));
    for paragraph in paragraphs(written) {
        let paragraph = match paragraph.as_str() {
            RULE => RULE.to_owned(),
            _ => written_out(page, &paragraph),
        };
        page.paragraph(&paragraph);
    }
}

/// What stands between two *quaestiones*.
const RULE: &str = "---";

/// Returns the paragraphs, each on one line: what an empty line, a heading, an item or the name of a part begins.
fn paragraphs(written: &str) -> Vec<String> {
    let mut paragraphs: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in written.lines() {
        let line = line.trim();
        if line.is_empty() || line.starts_with("```") {
            is_open = false;
            continue;
        }
        let is_rule = line.len() >= RULE.len() && line.chars().all(|c| c == '-');
        let bare = without_bullet(line);
        let digits = bare.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_item = matches!(bare.len() - digits.len(), 1 | 2) && digits.starts_with(['.', ')']);
        let begins = bare.len() < line.len()
            || is_item
            || bare.starts_with(['#', '*', '_'])
            || part(bare) > 0;
        match paragraphs.last_mut() {
            _ if is_rule => paragraphs.push(RULE.to_owned()),
            Some(last) if is_open && !begins => {
                last.push(' ');
                last.push_str(line);
            }
            _ => paragraphs.push(bare.to_owned()),
        }
        is_open = !is_rule;
    }
    // A rule parts what stands on both sides of it.
    if paragraphs.last().is_some_and(|last| last == RULE) {
        paragraphs.pop();
    }
    paragraphs
}

fn without_bullet(line: &str) -> &str {
    let bare = line.strip_prefix(['-', '+', '*', '>', '•']);
    bare.filter(|bare| bare.starts_with(' ')).map_or(line, str::trim_start)
}

/// Returns a paragraph with what it begins with in bold, where that is a heading or names a part.
fn written_out(page: &Page, line: &str) -> String {
    let heading = line.trim_start_matches('#');
    if heading.len() < line.len() {
        return bold(&page.inline(heading.trim_end_matches('#')));
    }
    let emphasised = ["**", "__", "*", "_"].into_iter().find_map(|mark| {
        let (label, rest) = line.strip_prefix(mark)?.split_once(mark)?;
        (mark == "**" || part(label) == label.len()).then_some((label, rest))
    });
    let (label, rest) = emphasised.unwrap_or_else(|| line.split_at(part(line)));
    let stop = rest.chars().next().filter(|c| !label.is_empty() && STOPS.contains(c));
    let rest = stop.and_then(|stop| rest.strip_prefix(stop)).unwrap_or(rest).trim_start();
    let label: String = label.chars().chain(stop).collect();
    match (bold(&page.inline(&label)), rest) {
        (label, _) if label.is_empty() => page.block(rest),
        (label, "") => label,
        (label, _) => format!("{label} {}", page.inline(rest)),
    }
}

fn bold(text: &str) -> String {
    // An asterisk of the text's own would end what is bold, or leave the marks standing.
    let text = text.replace("\\*", "").replace('*', "");
    let text = text.trim_end_matches('\\').trim();
    if text.is_empty() { String::new() } else { format!("**{text}**") }
}

const STOPS: [char; 5] = ['.', ':', ',', ')', '—'];

/// Returns how long the name of a part is with which a line begins, its number and stop included; 0 for none.
fn part(line: &str) -> usize {
    PARTS.iter().find_map(|(name, is_sentence)| named(line, name, *is_sentence)).unwrap_or(0)
}

fn named(line: &str, name: &str, is_sentence: bool) -> Option<usize> {
    let (begin, rest) = line.split_at_checked(name.len())?;
    if !begin.eq_ignore_ascii_case(name) || rest.starts_with(char::is_alphanumeric) {
        return None;
    }
    let number = rest.trim_start();
    let behind = number.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = if behind.len() < number.len() { behind } else { rest };
    match rest.chars().next() {
        None => Some(line.len()),
        Some(stop) if STOPS.contains(&stop) => Some(line.len() - rest.len() + stop.len_utf8()),
        Some(_) => is_sentence.then_some(line.len() - rest.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::plain::{disarmed, unmarked};

    fn shown(written: &str) -> Vec<String> {
        let page = Page::new(disarmed);
        paragraphs(written).iter().map(|line| written_out(&page, line)).collect()
    }

    // proves: H8
    #[test]
    fn the_parts_stand_out_in_whatever_layout() {
        let expected = [
            "**Question:** Whether it is?",
            "**Objections:**",
            "1\\. It fails.",
            "**Objection 2.** It fails again.",
            "**On the contrary,** it rose by 3.5 km [1].",
            "**I answer that** Objection 2 fails.",
            "**Reply to Objection 1.** It holds.",
            "**Ad 2.** It holds.",
        ];
        let plain = "Question: Whether it\nis?\n\nObjections:\n1. It fails.\nObjection 2. It fails\nagain.\n\n\
            On the contrary, it rose\nby 3.5 km [1].\n\nI answer that Objection 2 fails.\n\
            Reply to Objection 1. It holds.\nAd 2. It holds.\n";
        let marked = "```markdown\n**Question:** Whether it is?\n\n## Objections:\n1. It fails.\n- **Objection 2.** It fails again.\n\
            > **On the contrary**, it rose by 3.5 km [1].\n\n__I answer that__ Objection 2 fails.\n\
            *Reply to Objection 1.* It holds.\n**Ad 2**. It holds.\n---\n```\n";
        assert_eq!(shown(plain), expected);
        assert_eq!(shown(marked), expected);
    }

    #[test]
    fn what_only_looks_like_a_part_stays_a_sentence() {
        for line in
            ["Objection is pointless here.", "Replying helps.", "Add 2. more", "Quaestiones abound"]
        {
            assert_eq!((part(line), shown(line)), (0, vec![line.to_owned()]));
        }
        let page = Page::new(unmarked);
        assert_eq!(written_out(&page, "** **"), "");
        assert_eq!(written_out(&page, "**a*b** c"), "**ab** c");
        assert_eq!(paragraphs("a\n---\nb\n---\n"), ["a", RULE, "b"]);
    }
}
