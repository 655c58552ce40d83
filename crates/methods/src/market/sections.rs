//! Competitors, customers, strategy: entering what holds of an agent's reply.

use ::grounding::check::Shown;
use run::Mode;

use super::clerk::Clerk;
use super::payload::{Competitor, Competitors, Customers, Segment, Strategy};
use super::prose::paragraphs;
use super::replies::{Advised, Compared, Described, Group, Row};
use crate::grounded::docket::{Judged, Sentence, plain};

/// Maximum number of characters in a name.
const LONGEST_NAME: usize = 120;

/// The claim that a name in the table makes.
const A_COMPETITOR: &str = "A company or product in this market";

/// Enters the table: a row for each name that a source supports, and a cell for each text on it that holds.
pub(super) fn competitors(reply: &Compared, clerk: &mut Clerk<'_, '_>) -> Competitors {
    let prose = paragraphs(&reply.prose, clerk);
    let mut rows: Vec<Competitor> = Vec::new();
    for row in reply.competitors.iter().take(clerk.section_input().most) {
        let name = name_of(&row.name.text);
        if name.is_empty() || rows.iter().any(|known| known.name.text.eq_ignore_ascii_case(&name)) {
            continue;
        }
        let Row { name: written, offering, customers, pricing, position } = row;
        let named = clerk.holding(&Sentence { of: A_COMPETITOR.into(), ..Sentence::of(written) });
        // A mended name replaces the original; without a model, the cited sentence supports the name as it is.
        let is_written = clerk.section_input().mode == Mode::Model;
        let written = named.as_ref().filter(|_| is_written);
        let name = written.map_or(name, |judged| name_of(&judged.words));
        if rows.iter().any(|known| known.name.text.eq_ignore_ascii_case(&name)) {
            continue;
        }
        // The cells must be judged before it is known whether the row holds.
        let cells = [offering, customers, pricing, position]
            .map(|written| clerk.holding(&Sentence { of: name.clone(), ..Sentence::of(written) }));
        let Some(Judged { claim, .. }) = named else { continue };
        let name = clerk.admit(claim, &name);
        let [offering, customers, pricing, position] =
            cells.map(|cell| cell.map(|Judged { claim, words }| clerk.admit(claim, &words)));
        rows.push(Competitor { name, offering, customers, pricing, position });
    }
    Competitors { prose, rows, gaps: clerk.remarks(&reply.gaps) }
}

/// Enters the segments, except those of which nothing holds.
pub(super) fn customers(reply: &Described, clerk: &mut Clerk<'_, '_>) -> Customers {
    let prose = paragraphs(&reply.prose, clerk);
    let mut segments: Vec<Segment> = Vec::new();
    for Group { name, claims, needs } in reply.segments.iter().take(clerk.section_input().most) {
        let (claims, needs) = (clerk.states(claims), clerk.states(needs));
        if claims.is_empty() && needs.is_empty() {
            continue;
        }
        let name = name_of(name);
        let said = claims.iter().chain(&needs).map(|one| one.text.as_str());
        let named = !name.is_empty() && Shown::of(said).foreign_numbers(&name).is_empty();
        let number = segments.len() + 1;
        let name = if named { name } else { format!("Segment {number}") };
        segments.push(Segment { name, claims, needs });
    }
    Customers { prose, segments, gaps: clerk.remarks(&reply.gaps) }
}

/// Enters risks that sources state, and conclusions from statements.
pub(super) fn strategy(reply: &Advised, clerk: &mut Clerk<'_, '_>) -> Strategy {
    let prose = paragraphs(&reply.prose, clerk);
    let risks = clerk.states(&reply.risks);
    let recommendations = clerk.judgements(&reply.recommendations);
    let judged_risks = clerk.judgements(&reply.judged_risks);
    let gaps = clerk.remarks(&reply.gaps);
    Strategy { prose, recommendations, risks, judged_risks, gaps }
}

fn name_of(text: &str) -> String {
    plain(text).chars().take(LONGEST_NAME).collect::<String>().trim().to_owned()
}
