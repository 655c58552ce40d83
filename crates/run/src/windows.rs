//! Passages as they are read: on to where what they begin ends, and as one where they touch.

use std::collections::BTreeMap;

use crate::analysis::{Kind, blocks};
use crate::evidence::Passage;

/// Bytes that a passage is read on for, at most.
const ON: usize = 1_500;
/// Bytes of passages that are made one, at most.
const LONGEST: usize = 6_000;

/// Returns the passages, best first, each read on through the rest of its section, as far as it is short; of one document, those that
/// then touch are one. `texts` are those of the documents, by id; passages whose text is not there, or has pages, stay as they are.
pub(crate) fn read_on(passages: Vec<Passage>, texts: &BTreeMap<String, String>) -> Vec<Passage> {
    let mut windows: Vec<Passage> = Vec::new();
    for mut passage in passages {
        let Some(text) = texts.get(&passage.place.document_id).filter(|text| has(text, &passage))
        else {
            windows.push(passage);
            continue;
        };
        let end = passage.place.end as usize;
        let rest = text.get(end..).unwrap_or_default();
        set(&mut passage, text, end + section_left(rest));
        let touching = windows.iter_mut().find(|known| touch(known, &passage));
        match touching {
            Some(known) => join(known, &passage, text),
            None => windows.push(passage),
        }
    }
    windows
}

/// Tells whether a passage stands in a text where it says.
fn has(text: &str, passage: &Passage) -> bool {
    let (start, end) = (passage.place.start as usize, passage.place.end as usize);
    passage.place.pages.is_empty() && text.get(start..end) == Some(passage.text.as_str())
}

/// Returns how many bytes of a text are blocks before its first heading, whole ones and not too many.
fn section_left(rest: &str) -> usize {
    let read = rest.get(..rest.floor_char_boundary(2 * ON)).unwrap_or_default();
    let is_all = read.len() == rest.len();
    let blocks = blocks(read);
    // The last may go on behind what was read.
    let whole = if is_all { blocks.len() } else { blocks.len().saturating_sub(1) };
    let before = blocks
        .iter()
        .take(whole)
        .take_while(|block| !matches!(block.kind, Kind::Heading(_)) && block.lines.end <= ON);
    before.last().map_or(0, |block| block.lines.end)
}

fn touch(known: &Passage, passage: &Passage) -> bool {
    let (one, other) = (&known.place, &passage.place);
    let is_same = known.source_uri == passage.source_uri && one.document_id == other.document_id;
    let (start, end) = (one.start.min(other.start), one.end.max(other.end));
    let touches = one.start <= other.end && other.start <= one.end;
    is_same && touches && one.pages.is_empty() && (end - start) as usize <= LONGEST
}

/// Makes `known` reach over both, under the headings of the one that begins first.
fn join(known: &mut Passage, passage: &Passage, text: &str) {
    let end = known.place.end.max(passage.place.end) as usize;
    if passage.place.start < known.place.start {
        known.place.start = passage.place.start;
        known.place.section.clone_from(&passage.place.section);
        known.chunk_id.clone_from(&passage.chunk_id);
    }
    known.score = known.score.max(passage.score);
    set(known, text, end);
}

fn set(passage: &mut Passage, text: &str, end: usize) {
    let start = passage.place.start as usize;
    if let Some(window) = text.get(start..end) {
        window.clone_into(&mut passage.text);
        passage.place.end = end as u64;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::evidence::{EvidenceKind, Place};

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

    fn windows(text: &str, ranges: &[(usize, usize)]) -> Vec<String> {
        let passages = ranges.iter().map(|(start, end)| passage(text, *start, *end)).collect();
        let read = read_on(passages, &BTreeMap::from([("a".to_owned(), text.to_owned())]));
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
        // What then touches is one, under the headings of what begins first.
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
        assert_eq!(read_on(vec![moved.clone()], &texts), [moved.clone()]);
        assert_eq!(read_on(vec![moved.clone()], &BTreeMap::new()), [moved]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: A10
        #[test]
        fn a_window_is_what_stands_there_and_holds_what_was_found(
            text in "(?s)(# |- |\n|\n\n|é|[a-z]{1,9}[. ]|\\| a \\|){0,200}",
            cuts in prop::collection::vec((0_usize..1_000, 0_usize..1_000), 0..5),
        ) {
            let cut = |at: usize| text.floor_char_boundary(at.min(text.len()));
            let ranges: Vec<(usize, usize)> =
                cuts.iter().map(|(a, b)| (cut(*a.min(b)), cut(*a.max(b)))).collect();
            let passages: Vec<Passage> =
                ranges.iter().map(|(start, end)| passage(&text, *start, *end)).collect();
            let texts = BTreeMap::from([("a".to_owned(), text.clone())]);
            let read = read_on(passages.clone(), &texts);
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
