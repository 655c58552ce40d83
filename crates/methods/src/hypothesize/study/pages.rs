//! What was gathered, as shown to agents.

use std::fmt::Write as _;

use run::ledger;

use super::Study;
use crate::hypothesize::candidates::Candidate;
use crate::hypothesize::diversity;
use crate::hypothesize::replies::Framing;

impl Study<'_> {
    /// Returns the framing of the problem, as shown to agents.
    pub(in crate::hypothesize) fn framed(&self) -> String {
        let Framing { restatement, key_terms, constraints, assumptions, .. } = &self.framing;
        let mut page = ledger::one_line(&run::grounding::clean(restatement));
        for (heading, items) in
            [("Terms", key_terms), ("Constraints", constraints), ("Assumed", assumptions)]
        {
            for item in items {
                let item = ledger::one_line(&run::grounding::clean(item));
                let _ = write!(page, "\n{heading}: {item}");
            }
        }
        page
    }

    /// Returns the findings of the literature, as shown to agents.
    pub(in crate::hypothesize) fn findings(&self) -> String {
        let Some((findings, gaps)) = &self.survey else { return String::new() };
        let mut page = String::new();
        for claim in findings.iter().filter(|claim| claim.verdict.holds()) {
            let _ = writeln!(page, "- {}{}", claim.text, self.marks(claim));
        }
        for gap in gaps {
            let _ = writeln!(page, "- open: {gap}");
        }
        page
    }

    /// Returns hypotheses, as shown to agents.
    pub(in crate::hypothesize) fn described(&self, candidates: &[Candidate]) -> String {
        let mut page = String::new();
        for candidate in candidates {
            let Candidate { id, title, statement, mechanism, .. } = candidate;
            let _ = writeln!(page, "{id}: {title}\nStatement: {statement}\nMechanism: {mechanism}");
            for (heading, texts) in
                [("Prediction", &candidate.predictions), ("Test", &candidate.experiments)]
            {
                for text in texts {
                    let _ = writeln!(page, "{heading}: {text}");
                }
            }
            for claim in candidate.support.iter().filter(|one| one.verdict.holds()) {
                let _ = writeln!(page, "Borne out by: {}{}", claim.text, self.marks(claim));
            }
            for (index, contest) in candidate.contests.iter().enumerate() {
                let number = index + 1;
                let _ = writeln!(
                    page,
                    "Objection {number}: {}\nReply {number}: {}",
                    contest.objection, contest.reply
                );
            }
            page.push('\n');
        }
        page
    }

    /// Returns the outline of each block, as shown to the composer.
    pub(in crate::hypothesize) fn outlined(&self) -> String {
        let mut page = String::new();
        for (index, candidate) in self.candidates.iter().take(self.top()).enumerate() {
            let _ = writeln!(page, "Block {}", index + 1);
            page.push_str(&self.described(std::slice::from_ref(candidate)));
            match self.rival(index) {
                Some(rival) => {
                    let _ = writeln!(
                        page,
                        "On the contrary speaks {}: {}\n",
                        rival.id, rival.statement
                    );
                }
                None => page.push_str("On the contrary speaks the strongest objection.\n\n"),
            }
        }
        page
    }

    /// Returns the faults of the hypotheses by the last measurement, for the agent's second call.
    pub(in crate::hypothesize) fn too_close(&self) -> String {
        self.diversity.last().map(diversity::told).unwrap_or_default()
    }

    /// Returns how many hypotheses there are and are needed, for the generator; empty if there are enough.
    pub(in crate::hypothesize) fn too_few(&self) -> String {
        let (there, fewest) = (self.candidates.len(), self.fewest());
        if there >= fewest {
            return String::new();
        }
        format!("There are {there} of them; {fewest} are needed at least.\n")
    }
}
