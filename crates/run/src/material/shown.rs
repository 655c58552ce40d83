//! Quotes as they are shown to a reader who does not have their source at hand.
//!
//! Before the words of a quote stands what they need to be understood as they were meant: the headings that they are under, and what leads
//! into them (`Guests may not: keep dogs`). A citation of the quote then reaches from what leads into it to its end.

use ::grounding::marks::set_apart;
use ::grounding::statement::{Form, TERM};
use text::words;

use super::{Material, Piece, Place, row_with_heads};

/// The indices of the first and the last statement of a place.
type Run = (usize, usize);

impl<'a> Material<'a> {
    /// Returns places, each after the places of what leads into it, outermost first; of many, the first and those nearest to it.
    pub fn with_leads(&self, places: &[Place]) -> Vec<Place> {
        const MOST: usize = 8;
        let mut found: Vec<Place> = vec![];
        for place in places {
            if let Some(piece) = self.piece(place.evidence).filter(|_| !place.is_figure()) {
                let mut leads = piece.source.leads(piece.indices(*place).0);
                if leads.len() > MOST {
                    leads.drain(1..=leads.len() - MOST);
                }
                let leads = leads.into_iter().map(|lead| self.at(piece, lead, lead));
                let new: Vec<Place> = leads.filter(|lead| !found.contains(lead)).collect();
                found.extend(new);
            }
            found.push(*place);
        }
        found
    }

    /// Returns places for their citations: one that leads into another is a single place with it and with what stands between them.
    pub fn joined(&self, places: &[Place]) -> Vec<Place> {
        let join = |chain: &[Place]| {
            let (first, last) = (chain.first()?, chain.last()?);
            Some(Place { last: last.last.max(first.last), ..*first })
        };
        self.chains(places).into_iter().filter_map(join).collect()
    }

    /// Returns places for a reader without the source: each with the headings that it is under and with what leads into it; cells with
    /// their column heads, code and lists on lines of their own. References of the sources' own are set apart from marks.
    pub fn shown(&self, places: &[Place]) -> String {
        self.shown_after(places, &mut String::new())
    }

    /// Returns the same, without the headings that stand before the quote above already; `under` keeps those of the last quote.
    pub fn shown_after(&self, places: &[Place], under: &mut String) -> String {
        let mut shown = String::new();
        for chain in self.chains(places) {
            let Some(one) = self.shown_chain(chain, under) else { continue };
            shown.push_str(match shown.as_str() {
                "" => "",
                before if before.contains('\n') => "\n\n",
                _ => " ",
            });
            shown.push_str(&one);
        }
        shown
    }

    /// Splits places where the next one is not led into by one of those before it.
    fn chains<'p>(&self, places: &'p [Place]) -> Vec<&'p [Place]> {
        let mut chains = Vec::new();
        let mut start = 0;
        for index in 1..=places.len() {
            let chain = places.get(start..index).unwrap_or_default();
            if !places.get(index).is_some_and(|next| self.leads_from(chain, *next)) {
                chains.push(chain);
                start = index;
            }
        }
        chains.retain(|chain| !chain.is_empty());
        chains
    }

    /// Returns whether what leads into a place is one of these places, which stand before it.
    fn leads_from(&self, places: &[Place], next: Place) -> bool {
        let Some(piece) = self.piece(next.evidence) else { return false };
        let lead = piece.source.statements.get(piece.indices(next).0).and_then(|one| one.lead);
        let lead = lead.map(|lead| self.at(piece, lead, lead));
        let is_before = places.last().is_some_and(|last| last.last < next.first);
        is_before && lead.is_some_and(|lead| places.contains(&lead))
    }

    fn shown_chain(&self, chain: &[Place], under: &mut String) -> Option<String> {
        let piece = self.piece(chain.first()?.evidence)?;
        let runs: Vec<Run> = chain.iter().map(|place| piece.indices(*place)).collect();
        let leads = piece.source.leads(runs.last()?.0);
        let own: Vec<Run> =
            runs.iter().copied().filter(|run| run.0 != run.1 || !leads.contains(&run.0)).collect();
        let (first, _) = *own.first()?;
        let said = match own.as_slice() {
            [(first, last)] => piece.shown_run(*first, *last)?,
            items => piece.shown_items(items),
        };
        let quoted = piece.source.statements.get(first).is_some_and(|one| one.is_quoted);
        let leads = piece.leads_of(first);
        let said = match quoted && !leads.iter().any(|lead| lead.ends_with([':', '：'])) {
            true => join("(quoted)", &said),
            false => said,
        };
        let said = leads.iter().rev().fold(said, |said, lead| join(lead, &said));
        let labels = self.labels(piece, first, &said).join(" > ");
        let place = format!("{}\n{labels}", piece.numbered.evidence.source_uri);
        let is_known = *under == place;
        *under = place;
        Some(if labels.is_empty() || is_known { said } else { join(&labels, &said) })
    }

    /// Returns the headings that a statement is shown with, outermost first: those two nearest to it below the document's title that say
    /// something which it does not. A term that it defines stands alone. A statement that is unclear on its own is shown with the title if
    /// it is under nothing else.
    fn labels(&self, piece: &Piece<'a>, index: usize, shown: &str) -> Vec<&'a str> {
        /// The most characters of a heading, and of two together.
        const LONGEST: usize = 100;
        const LONGEST_PAIR: usize = 60;
        let Some(statement) = piece.source.statements.get(index) else { return vec![] };
        let heading = statement.heading.and_then(|heading| piece.source.statements.get(heading));
        let title = piece.numbered.evidence.provenance.place.title.as_str();
        let path = piece.headings(index);
        let tidy = |label: &&'a str| label.trim().trim_end_matches(['.', ':', '：']);
        let adds = |label: &&'a str| {
            !label.is_empty() && label.chars().count() <= LONGEST && !says_all(shown, label)
        };
        if heading.is_some_and(|heading| heading.form == Form::Heading(TERM)) {
            return path.last().map(tidy).filter(|label| adds(label)).into_iter().collect();
        }
        let below = path.split_first().filter(|(first, _)| **first == title);
        let below = below.map_or(path.as_slice(), |(_, below)| below);
        let mut labels: Vec<&str> = Vec::new();
        for label in below.iter().rev().map(tidy).filter(|label| adds(label)) {
            let length = |label: &&str| label.chars().count();
            let pair = length(&label) + labels.iter().map(length).sum::<usize>();
            if labels.len() == 2 || !labels.is_empty() && pair > LONGEST_PAIR {
                break;
            }
            labels.insert(0, label);
        }
        if labels.is_empty() && piece.is_unclear(index, shown) {
            labels.extend(path.last().map(tidy).filter(|label| adds(label)));
        }
        labels
    }
}

impl<'a> Piece<'a> {
    /// Returns the headings above a statement, outermost first: those above the passage, then those within it.
    pub(super) fn headings(&self, index: usize) -> Vec<&'a str> {
        let mut path = self.above.headings.clone();
        for heading in self.source.headings(index) {
            if !path.contains(&heading) {
                path.push(heading);
            }
        }
        path
    }

    /// Returns what leads into a statement, outermost first, each on one line.
    fn leads_of(&self, index: usize) -> Vec<String> {
        let above = self.above.leads(index).iter().map(|lead| (*lead).to_owned());
        let within = self.source.leads(index).into_iter();
        let within = within.filter_map(|lead| Some(one_line(self.source.run(lead, lead)?)));
        above.chain(within).map(|lead| set_apart(&lead)).collect()
    }

    fn shown_run(&self, first: usize, last: usize) -> Option<String> {
        let mut shown = String::new();
        for index in first..=last {
            let statement = self.source.statements.get(index)?;
            let written = self.source.run(index, index)?;
            let words = set_apart(&one_line(written));
            let is_first = index == first;
            match statement.form {
                Form::Code => {
                    shown.push_str(if is_first { "" } else { "\n\n" });
                    shown.push_str(&format!("```\n{written}\n```"));
                }
                Form::Item if !is_first => {
                    let is_list = shown.contains("\n- ");
                    shown.push_str(if is_list { "\n- " } else { "\n\n- " });
                    shown.push_str(&words);
                }
                Form::Row => {
                    shown.push_str(if is_first { "" } else { "; " });
                    shown.push_str(&set_apart(&row_with_heads(
                        self.source.head(index),
                        &one_line(written),
                    )));
                }
                Form::Sentence | Form::Item | Form::Heading(_) => {
                    shown.push_str(if is_first { "" } else { " " });
                    shown.push_str(&words);
                }
            }
        }
        Some(shown)
    }

    /// Returns what one lead leads into as a list.
    fn shown_items(&self, runs: &[Run]) -> String {
        let items = runs.iter().filter_map(|(first, last)| self.shown_run(*first, *last));
        items.map(|item| format!("\n- {item}")).collect::<String>()
    }

    /// Returns whether a statement, as it is `shown`, leaves out its subject: it points back to something, has few words, or is part of a
    /// list that nothing but a heading leads into.
    fn is_unclear(&self, index: usize, shown: &str) -> bool {
        /// A statement with fewer words leaves out its subject.
        const FEW_WORDS: usize = 8;
        const POINTING: &str =
            "it its he his she her they their this these those such default defaults";
        let Some(statement) = self.source.statements.get(index) else { return false };
        let said = self.source.run(index, index).unwrap_or_default();
        let leans = said.split_whitespace().take(2).any(|word| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
            POINTING.split_whitespace().any(|pointing| pointing == word)
        });
        let is_short = shown.split_whitespace().nth(FEW_WORDS - 1).is_none()
            && !shown.chars().any(text::is_unspaced);
        match statement.form {
            Form::Code | Form::Row => false,
            Form::Item => leans || is_short || statement.lead.is_none(),
            Form::Sentence | Form::Heading(_) => leans || is_short,
        }
    }
}

/// Returns a text on one line, without the `>` of a quotation before its lines.
fn one_line(text: &str) -> String {
    let lines = text.lines().map(|line| line.trim_start_matches(['>', ' ']));
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// Puts a heading or what leads into a text before it.
fn join(lead: &str, said: &str) -> String {
    let bare = lead.trim_end_matches(['*', '_', '"', '”', '’', '»', '›', ')', ' ']);
    let ends =
        bare.ends_with([':', '：', '.', '!', '?', '…', '。', '！', '？']) || lead == "(quoted)";
    let colon = if ends { "" } else { ":" };
    let gap = match said {
        said if said.starts_with("```") => "\n\n",
        said if said.starts_with("\n- ") => "\n",
        _ => " ",
    };
    format!("{lead}{colon}{gap}{said}")
}

/// Returns whether a text has all words of a heading.
fn says_all(said: &str, heading: &str) -> bool {
    let said = said.to_lowercase();
    let heading = heading.to_lowercase();
    let is_said = |word: &str| words(&said).any(|(_, known)| known == word);
    match heading.contains(text::is_unspaced) {
        true => said.contains(&heading),
        false => words(&heading).all(|(_, word)| is_said(word)),
    }
}

#[cfg(test)]
mod tests {
    use crate::evidence::tests::evidence;
    use crate::ledger::Verdict;

    use super::*;

    /// Checks how a statement is shown, and the quote of its citation.
    fn check(section: &str, text: &str, words: &str, shown: &str, quote: &str) {
        let evidence = [evidence(1, "Manual", section, text)];
        let material = Material::of(&evidence);
        let start = text.find(words).unwrap();
        let place = material.touched(1, &(start..start + words.len())).unwrap();
        let places = material.with_leads(&[place]);
        assert_eq!(material.shown(&places), shown, "{words:?} of {text:?}");
        assert_eq!(material.shown(&[place]), shown, "of the place alone");
        let cited = material.joined(&places);
        let quotes =
            cited.iter().filter_map(|place| material.citation(*place, None, Verdict::Quoted));
        assert_eq!(quotes.map(|one| one.quote).collect::<Vec<_>>(), [quote]);
    }

    // proves: C10
    #[test]
    fn what_is_shown_is_understood_without_its_source() {
        let text = "gc.auto\n: The default value is 6700.\n\n| Port | Metres |\n|---|---|\n| Brest | 6.9 |\n\nTo undo a commit that was made in haste, run:\n\n```\ngit revert\n```\n\nThe tides of this coast come twice a day, and they follow the moon.\n\n- twice daily";
        let evidence = [evidence(1, "Manual", "Tides", text)];
        let material = Material::of(&evidence);
        let shown = |first, last| material.shown(&[Place { evidence: 1, first, last }]);
        assert_eq!(shown(2, 2), "gc.auto: The default value is 6700.");
        assert_eq!(shown(3, 3), "Tides: Port: Brest; Metres: 6.9");
        assert_eq!(
            shown(4, 5),
            "Tides: To undo a commit that was made in haste, run:\n\n```\ngit revert\n```"
        );
        assert_eq!(
            shown(6, 6),
            "The tides of this coast come twice a day, and they follow the moon."
        );
        assert_eq!(
            shown(7, 7),
            "The tides of this coast come twice a day, and they follow the moon. twice daily"
        );
    }

    // proves: C10
    #[test]
    fn an_item_is_shown_and_cited_with_what_leads_into_it() {
        let rules = "Guests may not:\n\n- light fires\n- keep dogs";
        check("Guests", rules, "keep dogs", "Guests may not: keep dogs", rules);
        let nested = "Not allowed\n\n1. Pets\n   - dogs\n   - cats";
        check("Rules", nested, "cats", "Rules: Not allowed: Pets: cats", nested);
        let labelled = "- **Forbidden.** To run. To shout.";
        check("Rules", labelled, "shout", "Rules: **Forbidden.** To shout.", &labelled[2..]);
        let code = "Never run:\n\n```\nrm\n```";
        let quote = "Never run:\n\n```\nrm";
        check("Run", code, "rm", "Never run:\n\n```\nrm\n```", quote);
        check(
            "Not allowed",
            "- keep the dogs of your friends overnight in one of the rooms",
            "dogs",
            "Not allowed: keep the dogs of your friends overnight in one of the rooms",
            "keep the dogs of your friends overnight in one of the rooms",
        );
        check(
            "Rules > Guests may not:",
            "- keep dogs\n\nBreakfast is served at eight every day in the hall.",
            "dogs",
            "Rules: Guests may not: keep dogs",
            "keep dogs",
        );
        check(
            "Rules > Guests may not:",
            "- keep dogs\n\nBreakfast is served at eight every day in the hall.",
            "hall",
            "Rules: Breakfast is served at eight every day in the hall.",
            "Breakfast is served at eight every day in the hall.",
        );
    }

    // proves: C10
    #[test]
    fn items_of_one_lead_are_shown_under_it_once() {
        let text = "Guests may not:\n\n- light fires\n- sing\n- keep dogs\n\nHe sings.";
        let evidence = [evidence(1, "Inn", "Guests", text)];
        let material = Material::of(&evidence);
        let at = |number| Place { evidence: 1, first: number, last: number };
        let places = [at(1), at(2), at(4), at(5)];
        assert_eq!(
            material.shown(&places),
            "Guests may not:\n\n- light fires\n- keep dogs\n\nGuests: He sings."
        );
        let joined = material.joined(&places);
        assert_eq!(joined, [Place { evidence: 1, first: 1, last: 4 }, at(5)]);
    }

    // proves: C10
    #[test]
    fn quotes_under_one_heading_have_it_once() {
        let text = "Snow met the board on the evening of a Thursday.\n\nHe spoke for an hour to all who were there.";
        let evidence =
            [evidence(1, "Cholera", "The pump", text), evidence(2, "Inns", "The pump", text)];
        let material = Material::of(&evidence);
        let mut under = String::new();
        let mut shown = |evidence, number| {
            let place = Place { evidence, first: number, last: number };
            material.shown_after(&[place], &mut under)
        };
        assert_eq!(shown(1, 1), "The pump: Snow met the board on the evening of a Thursday.");
        assert_eq!(shown(1, 2), "He spoke for an hour to all who were there.");
        assert_eq!(shown(2, 2), "The pump: He spoke for an hour to all who were there.");
    }

    // proves: A6
    #[test]
    fn a_row_of_a_form_is_a_name_and_its_value() {
        let text = "|  |  |\n|---|---|\n| Tenant | Mara Quint |";
        check("", text, "Mara", "Tenant: Mara Quint", "| Tenant | Mara Quint |");
    }

    // proves: C10
    #[test]
    fn a_statement_is_shown_with_the_headings_that_say_what_it_does_not() {
        let said = "The bridge will be built in 2030, and nobody will have to pay for it.";
        check("Rejected proposals", said, "bridge", &format!("Rejected proposals: {said}"), said);
        check(
            "Rejected proposals > Bridge",
            said,
            "bridge",
            &format!("Rejected proposals: {said}"),
            said,
        );
        check("Myths > North > Roads", said, "bridge", &format!("North > Roads: {said}"), said);
        check("The bridge", said, "bridge", said, said);
    }

    // proves: C10
    #[test]
    fn what_a_source_quotes_is_shown_as_quoted() {
        let mail = "Ann wrote:\n\n> We meet at noon\n> in the hall.\n\nNo, at one.";
        check(
            "Meeting",
            mail,
            "noon",
            "Meeting: Ann wrote: We meet at noon in the hall.",
            "Ann wrote:\n\n> We meet at noon\n> in the hall.",
        );
        check(
            "Meeting",
            "No.\n\n> We meet at noon.",
            "noon",
            "Meeting: (quoted) We meet at noon.",
            "We meet at noon.",
        );
    }

    // proves: C10, C4
    #[test]
    fn references_of_a_source_are_no_marks() {
        let said =
            "Gulls that live in the towns of the coast eat fish,[2] crabs [12, 13] and waste.";
        check(
            "Gulls",
            said,
            "fish",
            "Gulls that live in the towns of the coast eat fish,‹2› crabs ‹12, 13› and waste.",
            said,
        );
    }
}
