//! The *quaestiones* built by rule, and the check that a composer's are the requested ones.

use super::Study;
use crate::hypothesize::candidates::Candidate;
use crate::hypothesize::diversity::similarity;
use crate::hypothesize::summa::Block;

impl Study<'_> {
    /// Returns the best hypotheses as *quaestiones*, built by rule. The second speaks against the first, and the first against every other;
    /// if there is only one, its strongest objection does.
    pub(in crate::hypothesize) fn blocks(&self) -> Vec<Block> {
        let best = self.candidates.iter().take(self.top()).enumerate();
        best.map(|(index, candidate)| self.block(candidate, self.rival(index))).collect()
    }

    pub(super) fn rival(&self, index: usize) -> Option<&Candidate> {
        self.candidates.get(usize::from(index == 0)).filter(|_| self.candidates.len() > 1)
    }

    fn block(&self, candidate: &Candidate, rival: Option<&Candidate>) -> Block {
        let borne_out = |one: &Candidate| {
            let claim = one.support.iter().find(|claim| claim.verdict.holds());
            match claim {
                Some(claim) if claim.text == one.statement => {
                    format!("{}{}", one.statement, self.marks(claim))
                }
                Some(claim) => {
                    format!("{} {}{}", closed(&one.statement), claim.text, self.marks(claim))
                }
                None => one.statement.clone(),
            }
        };
        let contrary = match (rival, candidate.contests.first()) {
            (Some(rival), _) => borne_out(rival),
            (None, Some(strongest)) => strongest.objection.clone(),
            (None, None) => "nothing was brought against it.".to_owned(),
        };
        let mechanism = if candidate.fallbacks.contains(&"mechanism") {
            String::new()
        } else {
            format!(" {}", closed(&candidate.mechanism))
        };
        let decides = candidate.experiments.first().map_or("", String::as_str);
        Block {
            question: format!(
                "Whether it holds that {}",
                lowered(candidate.statement.trim_end_matches('.'))
            ) + "?",
            contrary,
            answer: format!("{}{mechanism} {decides}", closed(&borne_out(candidate))),
            contested: candidate
                .contests
                .iter()
                .map(|contest| {
                    let marks = contest.backing.as_ref().map(|claim| self.marks(claim));
                    (contest.objection.clone() + &marks.unwrap_or_default(), contest.reply.clone())
                })
                .collect(),
        }
    }

    /// Returns which of a composer's blocks are clearly about another hypothesis than the one that belongs there.
    pub(in crate::hypothesize) fn misplaced(&self, blocks: &[Block]) -> Vec<String> {
        /// From this similarity on, a question is about a hypothesis; see docs/decisions/diversity.md.
        const ITS_OWN: f64 = 0.3;
        let mut told = Vec::new();
        for (index, (block, own)) in blocks.iter().zip(&self.candidates).enumerate() {
            // Only the question counts: the answer may mention rivals and cite their evidence.
            let shared = |one: &Candidate| similarity(&block.question, &one.statement);
            let others = self.candidates.iter().filter(|one| one.id != own.id);
            let nearest = others.max_by(|one, other| shared(one).total_cmp(&shared(other)));
            let is_its = |one: &&Candidate| shared(one) >= ITS_OWN && shared(own) < ITS_OWN / 2.0;
            if let Some(other) = nearest.filter(is_its) {
                let (number, own, other) = (index + 1, &own.id, &other.id);
                told.push(format!("block {number} is about {other}, where {own} belongs"));
            }
        }
        told
    }
}

/// Returns a text with the end of a sentence, so that another can follow.
fn closed(text: &str) -> String {
    let text = text.trim_end();
    let ends = text.ends_with(['.', '!', '?', '…', ']', '。', '！', '？']);
    if ends || text.is_empty() { text.to_owned() } else { format!("{text}.") }
}

/// Returns a sentence to follow "that": with a lower-case first letter, unless the first word looks like a name or an acronym.
fn lowered(sentence: &str) -> String {
    let mut letters = sentence.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(second))
            if first.is_uppercase() && (second.is_lowercase() || second == ' ') =>
        {
            first.to_lowercase().chain(sentence.chars().skip(1)).collect()
        }
        _ => sentence.to_owned(),
    }
}
