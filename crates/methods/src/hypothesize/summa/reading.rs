//! Parses a rendering in any layout and lists what it lacks.

use super::label::{Label, Part, label, without_lead};
use super::{Block, FEWEST_OBJECTIONS, on_one_line};

/// Maximum number of faults reported; a text with more is better rewritten.
const MOST_FAULTS: usize = 20;

/// Returns why `rendering` is structurally invalid, in words that a writer can act on; empty if it is valid.
///
/// `blocks` is the requested number.
pub(in super::super) fn faults(rendering: &str, blocks: usize) -> Vec<String> {
    let (read, mut faults) = examined(rendering);
    if read.len() != blocks {
        let told = format!(
            "there must be {blocks} blocks, parted by lines `---`, and there are {}",
            read.len()
        );
        faults.insert(0, told);
    }
    faults
}

/// Returns the blocks of a rendering, each text on one line without its mark.
///
/// Accepts Markdown around the marks, Latin marks, code fences around the whole, and texts of several paragraphs.
///
/// # Errors
/// Lists what is missing, empty, duplicated or out of order, in words for the writer.
pub fn read(rendering: &str) -> Result<Vec<Block>, Vec<String>> {
    let (blocks, mut faults) = examined(rendering);
    if blocks.is_empty() && faults.is_empty() {
        faults.push("there is no block: begin with `Question: Whether …?`".to_owned());
    }
    if faults.is_empty() { Ok(blocks) } else { Err(faults) }
}

fn examined(rendering: &str) -> (Vec<Block>, Vec<String>) {
    let mut reader = Reader::default();
    for line in rendering.trim_start_matches('\u{feff}').lines() {
        reader.line(line);
    }
    let mut faults = Vec::new();
    if reader.outside {
        faults.push(
            "text stands before, between or behind the blocks: leave it out, and begin each block with `Question:`"
                .to_owned(),
        );
    }
    for (index, draft) in reader.drafts.iter().enumerate() {
        draft.examine(index + 1, &mut faults);
    }
    if faults.len() > MOST_FAULTS {
        let left = faults.len() - MOST_FAULTS;
        faults.truncate(MOST_FAULTS);
        faults.push(format!("and {left} more faults"));
    }
    (reader.drafts.into_iter().map(Draft::block).collect(), faults)
}

/// The reader's position in a block, in the order of the parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Place {
    #[default]
    Outside,
    Question,
    Objections,
    Contrary,
    Answer,
    Replies,
}

/// A block as read so far.
#[derive(Debug, Default)]
struct Draft {
    question: Option<String>,
    objections: Vec<(u32, String)>,
    contrary: Option<String>,
    answer: Option<String>,
    replies: Vec<(u32, String)>,
    /// Parts that occur twice, or after one that should follow them.
    misplaced: Vec<&'static str>,
}

#[derive(Debug, Default)]
struct Reader {
    drafts: Vec<Draft>,
    place: Place,
    /// Whether a code fence was opened outside any block.
    fenced: bool,
    /// Whether there is text outside any block.
    outside: bool,
}

impl Reader {
    fn line(&mut self, line: &str) {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            return;
        }
        if is_rule(trimmed) {
            if self.place == Place::Replies {
                self.place = Place::Outside;
            }
            return;
        }
        if is_fence(trimmed) {
            if self.place == Place::Outside {
                self.fenced = !self.fenced;
            } else if std::mem::take(&mut self.fenced) {
                self.place = Place::Outside;
            }
            return;
        }
        match label(trimmed).and_then(|found| Some((self.resolved(&found)?, found))) {
            Some((part, found)) => {
                let text = trimmed.get(found.text).unwrap_or_default();
                self.open(part);
                // `Objections: 1. …` and `Replies: Ad 1. …` on one line.
                let listed = matches!(part, Part::Objections | Part::Replies);
                let counted = |next: &Label| {
                    matches!(next.part, Part::Item(_) | Part::Objection(_) | Part::Reply(_))
                };
                match label(text).filter(|next| listed && counted(next)) {
                    Some(next) if self.resolved(&next).is_some() => self.line(text),
                    _ => self.push(text),
                }
            }
            None => self.text(trimmed),
        }
    }

    fn text(&mut self, line: &str) {
        if self.place != Place::Outside {
            self.push(line);
            return;
        }
        let bare = without_lead(line).trim_start_matches(['*', '_']).to_lowercase();
        if bare.starts_with("whether ") || bare.starts_with("utrum ") {
            self.open(Part::Question);
            self.push(line);
        } else if !line.starts_with('#') {
            self.outside = true;
        }
    }

    /// Returns the part that a mark opens at this place; `None` if it is not a mark here.
    fn resolved(&self, found: &Label) -> Option<Part> {
        let draft = self.drafts.last();
        let next = |list: fn(&Draft) -> &Vec<(u32, String)>| {
            draft.and_then(|draft| list(draft).last()).map_or(1, |(number, _)| number + 1)
        };
        let part = match (found.part, self.place) {
            (Part::Item(number), Place::Objections) => Part::Objection(number),
            (Part::Item(number) | Part::Objection(number), Place::Replies) => Part::Reply(number),
            (Part::Item(_), _) => return None,
            (part, _) => part,
        };
        let here = match part {
            Part::Objections => self.place == Place::Question,
            Part::Objection(number) => {
                self.place <= Place::Objections && number == next(|draft| &draft.objections)
            }
            Part::Reply(number) => {
                self.place >= Place::Answer && number == next(|draft| &draft.replies)
            }
            _ => false,
        };
        (found.sure || here).then_some(part)
    }

    fn open(&mut self, part: Part) {
        let (place, name) = match part {
            Part::Question => (Place::Question, "Question:"),
            Part::Objections | Part::Objection(_) | Part::Item(_) => {
                (Place::Objections, "Objections:")
            }
            Part::Contrary => (Place::Contrary, "On the contrary,"),
            Part::Answer => (Place::Answer, "I answer that"),
            Part::Replies | Part::Reply(_) => (Place::Replies, "Replies to objections:"),
        };
        let asked = |draft: &Draft| draft.question.as_ref().is_some_and(|text| !text.is_empty());
        let anew = match place {
            Place::Question => {
                self.place != Place::Question || self.drafts.last().is_none_or(asked)
            }
            _ => self.place == Place::Outside,
        };
        if anew {
            self.drafts.push(Draft::default());
            self.place = Place::Outside;
        }
        let Some(draft) = self.drafts.last_mut() else { return };
        let doubled = match place {
            Place::Contrary => draft.contrary.is_some(),
            Place::Answer => draft.answer.is_some(),
            _ => false,
        };
        if (place < self.place || doubled) && !draft.misplaced.contains(&name) {
            draft.misplaced.push(name);
        }
        match part {
            Part::Question => {
                draft.question.get_or_insert_default();
            }
            Part::Contrary => {
                draft.contrary.get_or_insert_default();
            }
            Part::Answer => {
                draft.answer.get_or_insert_default();
            }
            Part::Objection(number) => draft.objections.push((number, String::new())),
            Part::Reply(number) => draft.replies.push((number, String::new())),
            Part::Objections | Part::Replies | Part::Item(_) => {}
        }
        self.place = place;
    }

    /// Adds a line to the open part. An introduction to the list of objections or replies belongs to none of them.
    fn push(&mut self, line: &str) {
        let Some(draft) = self.drafts.last_mut() else { return };
        let text = match self.place {
            Place::Outside => None,
            Place::Question => draft.question.as_mut(),
            Place::Objections => draft.objections.last_mut().map(|(_, text)| text),
            Place::Contrary => draft.contrary.as_mut(),
            Place::Answer => draft.answer.as_mut(),
            Place::Replies => draft.replies.last_mut().map(|(_, text)| text),
        };
        let Some(text) = text else { return };
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(line);
    }
}

impl Draft {
    fn examine(&self, number: usize, faults: &mut Vec<String>) {
        let mut say = |fault: String| faults.push(format!("block {number}: {fault}"));
        let parts = [
            (&self.question, "Question:"),
            (&self.contrary, "On the contrary,"),
            (&self.answer, "I answer that"),
        ];
        for (text, name) in parts {
            match text {
                None => say(format!("`{name}` is missing")),
                Some(text) if text.is_empty() => say(format!("nothing stands behind `{name}`")),
                Some(_) => {}
            }
        }
        for name in &self.misplaced {
            say(format!(
                "`{name}` stands twice or in the wrong place; the order is question, objections, on the contrary, I answer that, replies"
            ));
        }
        if self.objections.len() < FEWEST_OBJECTIONS {
            say(format!(
                "it has {} objections and needs at least {FEWEST_OBJECTIONS}, each on a line that begins with its number, below `Objections:`",
                self.objections.len()
            ));
        }
        if !in_order(&self.objections) {
            say(format!(
                "the objections are numbered {}; number them from 1 without a gap",
                numbers(&self.objections)
            ));
        }
        if self.replies.is_empty() {
            say("the replies are missing; write `Reply to Objection 1.` and so on below `Replies to objections:`".to_owned());
        } else if self.replies.len() != self.objections.len() || !in_order(&self.replies) {
            say(format!(
                "there are {} objections and replies to {}; write one `Reply to Objection N.` for each objection, in their order",
                self.objections.len(),
                numbers(&self.replies)
            ));
        }
        for (number, _) in self.objections.iter().filter(|(_, text)| text.is_empty()) {
            say(format!("objection {number} is empty"));
        }
        for (number, _) in self.replies.iter().filter(|(_, text)| text.is_empty()) {
            say(format!("the reply to objection {number} is empty"));
        }
    }

    fn block(self) -> Block {
        let text = |text: Option<String>| on_one_line(&text.unwrap_or_default());
        let pairs = self.objections.into_iter().zip(self.replies);
        Block {
            question: text(self.question),
            contrary: text(self.contrary),
            answer: text(self.answer),
            contested: pairs
                .map(|((_, objection), (_, reply))| (on_one_line(&objection), on_one_line(&reply)))
                .collect(),
        }
    }
}

fn in_order(list: &[(u32, String)]) -> bool {
    list.iter().zip(1..).all(|((number, _), index)| *number == index)
}

fn numbers(list: &[(u32, String)]) -> String {
    const TOLD: usize = 12;
    let told: Vec<String> = list.iter().take(TOLD).map(|(number, _)| number.to_string()).collect();
    let more = if list.len() > TOLD { " …" } else { "" };
    told.join(", ") + more
}

/// Returns whether a line consists of nothing but dashes, stars or underscores.
pub(super) fn is_rule(line: &str) -> bool {
    let strokes = line.chars().filter(|c| !c.is_whitespace());
    line.chars().all(|c| c.is_whitespace() || matches!(c, '-' | '*' | '_' | '–' | '—'))
        && strokes.count() >= 3
}

pub(super) fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}
