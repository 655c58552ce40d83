//! What stands above a passage in its document.

use super::{Form, Source};

/// The headings above a passage, and what leads into the list that it begins within.
///
/// A passage may begin in the middle of a list. What leads into that list then stands at the end of the path of its section, with a colon
/// behind each part; it leads into the items that the passage begins with, and into nothing else.
///
/// ```
/// use grounding::statement::{Above, Source};
///
/// let source = Source::of("- light fires\n- keep dogs\n\nBreakfast is at 8.");
/// let above = Above::of("Inn > Rules > Guests may not:", &source);
/// assert_eq!(above.headings, ["Inn", "Rules"]);
/// assert_eq!(above.leads(1), ["Guests may not:"]);
/// assert!(above.leads(2).is_empty());
/// ```
#[derive(Debug, Clone)]
pub struct Above<'a> {
    /// Outermost first; of a document in a collection, the first is its title.
    pub headings: Vec<&'a str>,
    leads: Vec<&'a str>,
    /// The number of statements at the beginning that they lead into.
    led: usize,
}

impl<'a> Above<'a> {
    /// Reads the path of a section: headings, outermost first, joined by ` > `.
    pub fn of(section: &'a str, source: &Source<'_>) -> Above<'a> {
        let mut headings: Vec<&str> =
            section.split(" > ").map(str::trim).filter(|part| !part.is_empty()).collect();
        let ends = |one: &&super::Statement| one.form == Form::Item || one.lead.is_some();
        let begins_with_item = source.statements.first().is_some_and(|one| one.form == Form::Item);
        let led = source.statements.iter().take_while(ends).count();
        let led = if begins_with_item { led } else { 0 };
        let count = headings.iter().rev().take_while(|part| part.ends_with([':', '：'])).count();
        let leads = headings.split_off(headings.len() - if led > 0 { count } else { 0 });
        Above { headings, leads, led }
    }

    /// Returns what leads into a statement and stands above the passage, outermost first.
    pub fn leads(&self, index: usize) -> &[&'a str] {
        if index < self.led { &self.leads } else { &[] }
    }
}
