//! The *quaestio* of each of the best hypotheses, its parts in bold.

use render::{Document, Line};

use crate::hypothesize::payload::{Hypothesis, Origin};
use crate::hypothesize::summa::{self, Block};

/// Adds the rendering, and says whose it is.
pub(super) fn section(report: &mut Document, written: &str, origin: Origin, best: &[&Hypothesis]) {
    report.heading("Summa");
    let by = match origin {
        Origin::Model => "",
        Origin::Extractive => {
            "Assembled by the program from sentences of the sources; no model was asked. "
        }
        Origin::Fallback => {
            "Assembled by the program from the ranked hypotheses, not by the composer. "
        }
    };
    report.paragraph(format!(
        "{by}Sentences with a mark are checked against their quotes; the rest is argument."
    ));
    match summa::read(written) {
        Ok(blocks) => {
            for (index, block) in blocks.iter().enumerate() {
                if let Some(Hypothesis { title, id, .. }) = best.get(index) {
                    report.subheading(format!("{}. {title} ({id})", index + 1));
                }
                quaestio(report, block);
            }
        }
        Err(_) => {
            for line in written.lines() {
                report.paragraph(Line::new().marked(line));
            }
        }
    }
}

fn quaestio(report: &mut Document, block: &Block) {
    let part = |label: &str, text: &str| Line::new().strong(label).text(" ").marked(text);
    let Block { question, contrary, answer, contested } = block;
    report.paragraph(Line::new().strong("Question:").text(format!(" {question}")));
    report.paragraph(Line::new().strong("Objections:"));
    for (number, (objection, _)) in (1..).zip(contested) {
        report.paragraph(Line::from(format!("{number}. ")).marked(objection));
    }
    report.paragraph(part("On the contrary,", contrary));
    report.paragraph(part("I answer that", answer));
    for (number, (_, reply)) in (1..).zip(contested) {
        report.paragraph(part(&format!("Reply to Objection {number}."), reply));
    }
}
