//! Extends passages to the end of their sections, and merges those that touch.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::evidence::{Passage, Place};
use text::{Kind, split_blocks};

/// The maximum number of bytes by which a passage is extended.
const ON: usize = 1_500;
/// The maximum number of bytes of a merged passage.
const LONGEST: usize = 6_000;

/// A window on a document as logged, without the passage that it begins with, which is known already.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Window {
    /// The index of the passage that it begins with.
    of: usize,
    score: f64,
    /// The text after that passage.
    after: String,
}

/// Returns windows on the passages, best first, each extended through the rest of its section as long as that is short; windows of one
/// document that then touch are merged. `texts` holds the documents' texts by id. A passage stays as it is if its text is missing or
/// has pages, or if the rest of its section exceeds what is left of `room`, in bytes, after those before it.
pub(crate) fn read_on(
    passages: &[Passage],
    texts: &BTreeMap<String, String>,
    mut room: usize,
) -> Vec<Window> {
    let mut spans: Vec<Span> = Vec::new();
    for (of, passage) in passages.iter().enumerate() {
        let Place { document_id, start, end, .. } = &passage.place;
        let (start, mut end, score) = (*start as usize, *end as usize, passage.score);
        let text = texts.get(document_id).filter(|text| has(text, passage));
        if let Some(text) = text {
            let left = section_left(text.get(end..).unwrap_or_default());
            if left <= room {
                room -= left;
                end += left;
            }
        }
        let is_known = |known: &&mut Span| {
            known.is_of_text
                && passages.get(known.of).is_some_and(|one| is_of_same_document(one, passage))
                && known.touches(start, end)
        };
        match spans.iter_mut().find(is_known).filter(|_| text.is_some()) {
            Some(known) => {
                known.end = known.end.max(end);
                known.score = known.score.max(score);
                // The window takes the headings of the passage that begins first.
                if start < known.start {
                    (known.start, known.of) = (start, of);
                }
            }
            None => spans.push(Span { of, start, end, score, is_of_text: text.is_some() }),
        }
    }
    let window = |Span { of, end, score, .. }: Span| {
        let place = passages.get(of).map(|passage| &passage.place);
        let text = place.and_then(|place| texts.get(&place.document_id));
        let after = place.zip(text).and_then(|(place, text)| text.get(place.end as usize..end));
        Window { of, score, after: after.unwrap_or_default().to_owned() }
    };
    spans.into_iter().map(window).collect()
}

/// Returns the passages that the windows show.
pub(crate) fn through(windows: Vec<Window>, passages: &[Passage]) -> Vec<Passage> {
    let shown = |Window { of, score, after }: Window| {
        let mut passage = passages.get(of)?.clone();
        passage.score = score;
        passage.place.end += after.len() as u64;
        passage.text.push_str(&after);
        Some(passage)
    };
    windows.into_iter().filter_map(shown).collect()
}

/// The byte range of a window in its document.
struct Span {
    of: usize,
    start: usize,
    end: usize,
    score: f64,
    /// Whether the document's text is available.
    is_of_text: bool,
}

impl Span {
    fn touches(&self, start: usize, end: usize) -> bool {
        let (first, last) = (self.start.min(start), self.end.max(end));
        self.start <= end && start <= self.end && last - first <= LONGEST
    }
}

fn is_of_same_document(one: &Passage, other: &Passage) -> bool {
    one.source_uri == other.source_uri && one.place.document_id == other.place.document_id
}

/// Returns whether a passage is in a text at its stated place.
fn has(text: &str, passage: &Passage) -> bool {
    let (start, end) = (passage.place.start as usize, passage.place.end as usize);
    passage.place.pages.is_empty() && text.get(start..end) == Some(passage.text.as_str())
}

/// Returns the length of the whole blocks before the first heading of a text, up to a limit.
fn section_left(rest: &str) -> usize {
    let read = rest.get(..rest.floor_char_boundary(2 * ON)).unwrap_or_default();
    let is_all = read.len() == rest.len();
    let blocks = split_blocks(read);
    // The last block may continue beyond `read`.
    let whole = if is_all { blocks.len() } else { blocks.len().saturating_sub(1) };
    let before = blocks
        .iter()
        .take(whole)
        .take_while(|block| !matches!(block.kind, Kind::Heading(_)) && block.lines.end <= ON);
    before.last().map_or(0, |block| block.lines.end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::evidence::EvidenceKind;

    fn passage(text: &str, start: usize, end: usize) -> Passage {
        Passage {
            text: text[start..end].to_owned(),
            source_uri: "doc://kb/a".into(),
            kind: EvidenceKind::Rag,
            chunk_id: format!("{start}"),
            score: 1.0,
            metadata: BTreeMap::new(),
            work: None,
            place: Place {
                document_id: "a".into(),
                title: "A".into(),
                section: format!("from {start}"),
                start: start as u64,
                end: end as u64,
                source_sha256: String::new(),
                pages: vec![],
            },
        }
    }

    fn read_through(
        passages: &[Passage],
        texts: &BTreeMap<String, String>,
        room: usize,
    ) -> Vec<Passage> {
        through(read_on(passages, texts, room), passages)
    }

    fn windows(text: &str, ranges: &[(usize, usize)]) -> Vec<String> {
        let passages: Vec<Passage> =
            ranges.iter().map(|(start, end)| passage(text, *start, *end)).collect();
        let texts = BTreeMap::from([("a".to_owned(), text.to_owned())]);
        let read = read_through(&passages, &texts, usize::MAX);
        read.into_iter().map(|one| one.text).collect()
    }

    // proves: A10
    #[test]
    fn a_passage_that_breaks_off_before_its_list_is_read_on_to_the_next_heading() {
        let text =
            "# Modes\n\nThere are drawbacks:\n\n- One host.\n- More files.\n\n## Next\n\nOther.\n";
        let lead = "# Modes\n\nThere are drawbacks:".len();
        assert_eq!(
            windows(text, &[(0, lead)]),
            ["# Modes\n\nThere are drawbacks:\n\n- One host.\n- More files."]
        );
        let next = text.find("## Next").unwrap();
        assert_eq!(windows(text, &[(next, text.len() - 1)]), ["## Next\n\nOther."]);
        // Windows that touch are merged under the headings of the first.
        let item = text.find("- More").unwrap();
        let both = windows(text, &[(item, item + "- More files.".len()), (0, lead)]);
        assert_eq!(both, ["# Modes\n\nThere are drawbacks:\n\n- One host.\n- More files."]);
    }

    #[test]
    fn what_does_not_stand_there_or_is_long_stays_as_it_is() {
        let long = format!("Begun.\n\n{}\n\nEnd.", "word ".repeat(2_000));
        assert_eq!(windows(&long, &[(0, 6)]), ["Begun."]);
        let mut moved = passage("Begun. And more.", 0, 6);
        moved.place.start = 3;
        let texts = BTreeMap::from([("a".to_owned(), "Begun. And more.".to_owned())]);
        assert_eq!(read_through(&[moved.clone()], &texts, usize::MAX), [moved.clone()]);
        assert_eq!(read_through(&[moved.clone()], &BTreeMap::new(), usize::MAX), [moved]);
    }

    // proves: A10
    #[test]
    fn the_best_are_read_on_first_where_there_is_room_for_some() {
        let text = "# A\n\nOne.\n\nOn.\n\n# B\n\nTwo.\n\nOn.\n";
        let texts = BTreeMap::from([("a".to_owned(), text.to_owned())]);
        let (first, second) = (text.find("One.").unwrap(), text.find("Two.").unwrap());
        let found = || vec![passage(text, second, second + 4), passage(text, first, first + 4)];
        let of = |room: usize| -> Vec<String> {
            read_through(&found(), &texts, room).into_iter().map(|one| one.text).collect()
        };
        assert_eq!(of(0), ["Two.", "One."]);
        assert_eq!(of("\n\nOn.".len()), ["Two.\n\nOn.", "One."]);
        assert_eq!(of(usize::MAX), ["Two.\n\nOn.", "One.\n\nOn."]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: A10
        #[test]
        fn a_window_is_what_stands_there_and_holds_what_was_found(
            text in "(?s)(# |- |\n|\n\n|é|[a-z]{1,9}[. ]|\\| a \\|){0,200}",
            cuts in prop::collection::vec((0_usize..1_000, 0_usize..1_000), 0..5),
            room in 0_usize..2_000,
        ) {
            let cut = |at: usize| text.floor_char_boundary(at.min(text.len()));
            let ranges: Vec<(usize, usize)> =
                cuts.iter().map(|(a, b)| (cut(*a.min(b)), cut(*a.max(b)))).collect();
            let passages: Vec<Passage> =
                ranges.iter().map(|(start, end)| passage(&text, *start, *end)).collect();
            let texts = BTreeMap::from([("a".to_owned(), text.clone())]);
            let read = read_through(&passages, &texts, room);
            for one in &read {
                let (start, end) = (one.place.start as usize, one.place.end as usize);
                prop_assert_eq!(text.get(start..end), Some(one.text.as_str()));
            }
            for one in &passages {
                let held = |window: &Passage| {
                    window.place.start <= one.place.start && one.place.end <= window.place.end
                };
                prop_assert!(read.iter().any(held));
            }
        }
    }
}
