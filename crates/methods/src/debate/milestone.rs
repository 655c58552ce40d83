//! The documented milestones of a debate: status lines with a fixed form.
//!
//! Only the method writes status lines to a log, so a milestone is recognised by its form. Text by a model or a paper can occur only in the
//! query.

use std::fmt;

use super::payload::{Ingested, Scientist};

/// A milestone of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Milestone {
    Query(Scientist, String),
    Ingested(Scientist, Ingested),
    Retrieved(Scientist, u32),
}

impl fmt::Display for Milestone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Milestone::Query(who, query) => write!(f, "{} Search Query: {query}", who.title()),
            Milestone::Ingested(who, Ingested { arxiv, crossref }) => {
                write!(f, "{} Ingested: arXiv={arxiv}, Crossref={crossref}", who.title())
            }
            Milestone::Retrieved(who, count) => {
                write!(f, "{} Retrieved chunks from vector DB: {count}", who.title())
            }
        }
    }
}

impl Milestone {
    /// Reads a status line; `None` if it is not a milestone.
    pub fn read(line: &str) -> Option<Milestone> {
        let (who, rest) = [Scientist::Optimist, Scientist::Pessimist]
            .into_iter()
            .find_map(|who| Some((who, line.strip_prefix(who.title())?.strip_prefix(' ')?)))?;
        if let Some(query) = rest.strip_prefix("Search Query: ") {
            return Some(Milestone::Query(who, query.to_owned()));
        }
        if let Some(count) = rest.strip_prefix("Retrieved chunks from vector DB: ") {
            return Some(Milestone::Retrieved(who, count.parse().ok()?));
        }
        let (arxiv, crossref) = rest.strip_prefix("Ingested: arXiv=")?.split_once(", Crossref=")?;
        let ingested = Ingested { arxiv: arxiv.parse().ok()?, crossref: crossref.parse().ok()? };
        Some(Milestone::Ingested(who, ingested))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn milestone() -> impl Strategy<Value = Milestone> {
        let who = prop_oneof![Just(Scientist::Optimist), Just(Scientist::Pessimist)];
        let count = any::<u32>;
        prop_oneof![
            (who.clone(), "[^\\n\\r]{0,60}").prop_map(|(who, query)| Milestone::Query(who, query)),
            (who.clone(), count(), count()).prop_map(|(who, arxiv, crossref)| {
                Milestone::Ingested(who, Ingested { arxiv, crossref })
            }),
            (who, count()).prop_map(|(who, count)| Milestone::Retrieved(who, count)),
        ]
    }

    proptest! {
        // proves: D5
        #[test]
        fn a_milestone_reads_back_as_it_was_said(milestone in milestone()) {
            prop_assert_eq!(Milestone::read(&milestone.to_string()), Some(milestone));
        }

        #[test]
        fn any_line_is_read_or_is_none(line in any::<String>()) {
            let _ = Milestone::read(&line);
        }
    }

    #[test]
    fn other_lines_are_none() {
        for line in [
            "",
            "reading up",
            "Research Scientist 3 Search Query: x",
            "Research Scientist 1 Ingested: arXiv=many, Crossref=1",
        ] {
            assert_eq!(Milestone::read(line), None, "{line}");
        }
    }
}
