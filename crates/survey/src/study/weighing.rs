//! Notes on weights, which hold only for figures that use the weight.

use super::{Column, Study};
use crate::figure::Weighting;

impl Study {
    /// Returns the notes that hold for figures with this weighting.
    ///
    /// If another weight than the study's own is requested, or none, notes on the own weight are left out and those on
    /// the other one are added.
    pub fn notes_for(&self, weighting: Weighting) -> Vec<String> {
        let wished = match weighting {
            Weighting::Study => self.weight,
            Weighting::Nobody => None,
            Weighting::Column(place) => Some(place),
        };
        if wished == self.weight {
            return self.notes.clone();
        }
        let column = |place: Option<usize>| place.and_then(|place| self.columns.get(place));
        let mut notes = self.notes.clone();
        if let Some(own) = column(self.weight) {
            let left_out = format_unweighted_note(own, self.respondents);
            let guessed = format_guess_note(own);
            notes.retain(|note| Some(note) != left_out.as_ref() && !note.starts_with(&guessed));
        }
        notes.extend(
            column(wished).and_then(|column| format_unweighted_note(column, self.respondents)),
        );
        notes
    }
}

/// Returns how the note begins that a column was taken for the weight without being declared as one.
pub(crate) fn format_guess_note(column: &Column) -> String {
    format!("{} was read as the weight because of its name", column.name)
}

/// Returns a note on how many respondents have no usable weight; `None` if all have one.
pub(crate) fn format_unweighted_note(column: &Column, respondents: usize) -> Option<String> {
    let (mut none, mut zero, mut negative) = (0_usize, 0_usize, 0_usize);
    for row in 0..respondents {
        match column.answer(row) {
            None => none += 1,
            Some(0.0) => zero += 1,
            Some(weight) if weight < 0.0 || !weight.is_finite() => negative += 1,
            Some(_) => {}
        }
    }
    let parts: Vec<String> = [(none, "no"), (zero, "a zero"), (negative, "a negative or endless")]
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} with {what} weight"))
        .collect();
    let parts = parts.join(", ");
    (!parts.is_empty()).then(|| {
        format!(
            "left out of figures weighted by {}: {parts}, of {respondents} respondents",
            column.name
        )
    })
}
