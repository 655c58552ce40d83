//! The *quaestio* of each of the best hypotheses, its parts in bold.

use methods::hypothesize::payload::{Hypothesis, Origin};
use methods::hypothesize::summa::{self, Block};

use super::{Page, block};

/// Writes the rendering, and says whose it is.
pub(super) fn section(page: &mut Page, written: &str, origin: Origin, best: &[&Hypothesis]) {
    page.heading("Summa");
    let by = match origin {
        Origin::Model => "",
        Origin::Extractive => {
            "Put together by the program from sentences of the papers; no model was asked. "
        }
        Origin::Fallback => {
            "Put together by the program from the ranked hypotheses, not by the composer. "
        }
    };
    page.paragraph(&format!(
        "{by}A sentence with a mark is checked against its quote; the rest is argument."
    ));
    match summa::read(written) {
        Ok(blocks) => {
            for (index, block) in blocks.iter().enumerate() {
                if let Some(hypothesis) = best.get(index) {
                    let (title, id) = (page.inline(&hypothesis.title), page.inline(&hypothesis.id));
                    page.subheading(&format!("{}. {title} ({id})", index + 1));
                }
                quaestio(page, block);
            }
        }
        Err(_) => {
            for line in written.lines().filter(|line| !line.trim().is_empty()) {
                page.paragraph(&block(line, page.marked));
            }
        }
    }
}

fn quaestio(page: &mut Page, block: &Block) {
    let Block { question, contrary, answer, contested } = block;
    page.paragraph(&format!("**Question:** {}", page.inline(question)));
    page.paragraph("**Objections:**");
    for (number, (objection, _)) in (1..).zip(contested) {
        page.paragraph(&format!("{number}\\. {}", page.marked(objection)));
    }
    page.paragraph(&format!("**On the contrary,** {}", page.marked(contrary)));
    page.paragraph(&format!("**I answer that** {}", page.marked(answer)));
    for (number, (_, reply)) in (1..).zip(contested) {
        page.paragraph(&format!("**Reply to Objection {number}.** {}", page.marked(reply)));
    }
}
