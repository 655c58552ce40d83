//! What a reader sees for the numbers of citations: one number for each source, and a letter for each statement of it.

use std::collections::BTreeMap;
use std::fmt;

/// The labels of a report's citations: `7` for the only statement that is cited of a source, `7a`, `7b` for one of several.
///
/// Sources are counted from 1 in the order of the smallest number that cites them, statements in the order of their numbers.
///
/// ```
/// let labels = render::Labels::of([(1, "a.md"), (2, "b.md"), (3, "a.md")]);
/// assert_eq!([1, 2, 3].map(|number| labels.find(number).to_string()), ["1a", "2", "1b"]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Labels(BTreeMap<u32, Label>);

/// What a reader sees for a citation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label {
    /// The number of the source.
    pub source: u32,
    /// Which of the statements cited of it, from 0; `None` for the only one.
    pub statement: Option<u32>,
}

impl Labels {
    /// Returns the labels of citations, each given as its number and its source. Of two with one number the first counts.
    pub fn of<S: PartialEq>(cited: impl IntoIterator<Item = (u32, S)>) -> Labels {
        let mut by_number: BTreeMap<u32, S> = BTreeMap::new();
        for (number, source) in cited {
            by_number.entry(number).or_insert(source);
        }
        let mut sources: Vec<(S, Vec<u32>)> = Vec::new();
        for (number, source) in by_number {
            match sources.iter_mut().find(|(known, _)| *known == source) {
                Some((_, numbers)) => numbers.push(number),
                None => sources.push((source, vec![number])),
            }
        }
        let mut labels = BTreeMap::new();
        for (source, (_, numbers)) in (1..).zip(sources) {
            let is_only = numbers.len() == 1;
            for (index, number) in (0..).zip(numbers) {
                labels.insert(number, Label { source, statement: (!is_only).then_some(index) });
            }
        }
        Labels(labels)
    }

    /// Returns the label of a number; of one that cites nothing known, the number itself.
    pub fn find(&self, number: u32) -> Label {
        let unknown = Label { source: number, statement: None };
        self.0.get(&number).copied().unwrap_or(unknown)
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.source)?;
        f.write_str(&self.statement.map(name_statement).unwrap_or_default())
    }
}

/// Returns the letters of a statement counted from 0: `a` to `z`, then `aa`, `ab`.
fn name_statement(index: u32) -> String {
    let mut letters = Vec::new();
    let mut rest = index;
    loop {
        // Below 26, so it is a letter.
        letters.push(char::from(b'a' + (rest % 26) as u8));
        match (rest / 26).checked_sub(1) {
            Some(next) => rest = next,
            None => break,
        }
    }
    letters.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn letters_go_on_behind_z() {
        let named = [0, 1, 25, 26, 27, 51, 52, 701, 702].map(name_statement);
        assert_eq!(named, ["a", "b", "z", "aa", "ab", "az", "ba", "zz", "aaa"]);
        assert!(!name_statement(u32::MAX).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: F3
        #[test]
        fn every_number_has_a_label_of_its_own_in_order(
            cited in prop::collection::btree_map(1..500_u32, 0..12_u32, 0..120),
        ) {
            let labels = Labels::of(cited.clone());
            let all: Vec<(u32, Label)> =
                cited.keys().map(|number| (*number, labels.find(*number))).collect();
            let texts: BTreeSet<String> = all.iter().map(|(_, label)| label.to_string()).collect();
            prop_assert_eq!(texts.len(), cited.len(), "no two numbers have one label");

            let mut sources: Vec<u32> = vec![];
            for (number, label) in &all {
                let before = all.iter().take_while(|(other, _)| other < number);
                let of_source: Vec<Label> =
                    before.filter(|(other, _)| cited[other] == cited[number]).map(|(_, label)| *label).collect();
                match of_source.last() {
                    Some(last) => {
                        prop_assert_eq!(label.source, last.source, "one source, one number");
                        prop_assert!(label > last);
                        prop_assert_eq!(label.statement, Some(of_source.len() as u32));
                    }
                    None => {
                        sources.push(label.source);
                        prop_assert!(label.statement.is_none_or(|statement| statement == 0));
                    }
                }
                let count = cited.values().filter(|source| **source == cited[number]).count();
                prop_assert_eq!(label.statement.is_some(), count > 1);
            }
            prop_assert_eq!(sources.clone(), (1..=sources.len() as u32).collect::<Vec<u32>>());
        }

        // proves: F3
        #[test]
        fn labels_do_not_depend_on_the_order_of_what_is_given(
            cited in prop::collection::btree_map(1..100_u32, 0..6_u32, 0..40),
        ) {
            let reversed = Labels::of(cited.clone().into_iter().rev());
            prop_assert_eq!(Labels::of(cited), reversed);
        }
    }
}
