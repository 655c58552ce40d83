//! A share on a scale is told from its side of the middle.
//!
//! - Those who are satisfied are no share of those who are dissatisfied: a word of the other half's labels, of its family (*dis-*, *un-*), or of the opposite attitude
//!   (*hate*, *complain*) is a fault.
//! - The share is worded by its box, by its answers, or by a word of its side; one answer alone by its box or its label.
//! - *Not satisfied* is everybody who is not: the share of all other answers.

use std::collections::{BTreeMap, BTreeSet};

use super::families;
use super::mentions::Mention;
use super::negations::denied;
use super::parts::{Dimension, Measured, key};
use super::sentence::Sentence;
use super::tokens::{Token, akin, tokens};
use crate::figure::Measure;
use crate::study::Kind;

/// Words of labels that are on no side.
const DEGREES: &str = " not no at all a an the very rather somewhat extremely completely highly fully totally absolutely slightly fairly quite partly moderately \
strongly entirely mostly neither nor to with of in and or i it is am are don't know ";
/// Attitudes of those on the upper side.
const FOR: &str = " happy happily happiness pleased content contented positive positively favourable favourably favorable favorably approve approves approved approval \
approving good love loves loved loving enjoy enjoys enjoyed praise praises praised appreciate appreciates appreciated delighted thrilled glad ";
/// Attitudes of those on the lower side.
const AGAINST: &str = " hate hates hated hating dislike dislikes disliked disliking complain complains complained complaining complaint complaints disapprove disapproves \
disapproved disapproval disapproving unhappy unhappily unhappiness displeased displeasure discontent discontented critical criticise criticises criticised criticize criticizes \
criticized reject rejects rejected poor poorly bad badly negative negatively unfavourable unfavourably unfavorable unfavorably angry annoyed frustrated frustration \
disappointed disappointment upset resent resents detest detests loathe loathes despise unimpressed fed ";
/// Which of these say no more than satisfied and dissatisfied do.
const MILD: &str = " happy happily happiness pleased content contented positive positively favourable favourably favorable favorably \
unhappy unhappily unhappiness displeased displeasure discontent discontented negative negatively unfavourable unfavourably unfavorable unfavorably ";
/// What those say who are likely to do something.
const INTENT: &str =
    " likelihood intend intends intended intention intentions intent willing willingness inclined ";

fn listed(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

/// A word that is on a side of a scale.
pub(super) struct Side {
    pub(super) at: usize,
    /// The answers that it stands for.
    labels: BTreeSet<String>,
    /// Whether it stands for all of them together alone: *not satisfied*.
    whole: bool,
}

/// The halves of a scale, in labels and in words.
struct Halves {
    question: String,
    upper: BTreeSet<String>,
    lower: BTreeSet<String>,
    all: BTreeSet<String>,
    for_it: BTreeSet<String>,
    against_it: BTreeSet<String>,
    asked: BTreeSet<String>,
    /// What one does who is likely to: *recommend*.
    deeds: BTreeSet<String>,
}

impl Halves {
    fn of(part: &Measured<'_>) -> Option<Halves> {
        let question = part.question;
        if question.kind != Kind::Scale || !matches!(part.asked.spec.measure, Measure::Share(_)) {
            return None;
        }
        let scored = question.answers.iter().filter(|answer| answer.score.is_some()).count();
        let half = |top: bool| -> Vec<&str> {
            let places = question.boxed(scored / 2, top);
            let answers = places.into_iter().filter_map(|place| question.answers.get(place));
            answers.map(|answer| answer.label.as_str()).collect()
        };
        let (upper, lower) = (half(true), half(false));
        let words = |label: &str| -> BTreeSet<String> {
            let words = tokens(label).into_iter().filter(Token::is_word);
            words.map(|token| token.word).filter(|word| !listed(DEGREES, word)).collect()
        };
        let denies = |label: &str| tokens(label).iter().any(|token| token.is(&["not", "no"]));
        let mut for_it: BTreeSet<String> = upper.iter().flat_map(|label| words(label)).collect();
        let mut against_it: BTreeSet<String> =
            lower.iter().filter(|label| !denies(label)).flat_map(|label| words(label)).collect();
        let both: BTreeSet<String> = for_it.intersection(&against_it).cloned().collect();
        for_it.retain(|word| !both.contains(word));
        against_it.retain(|word| !both.contains(word));
        // "Not at all likely": likely is on the upper side, unlikely on the lower one.
        let opposed: Vec<String> = for_it
            .iter()
            .flat_map(|word| ["dis", "un", "in", "non"].map(|before| format!("{before}{word}")))
            .collect();
        let denied: Vec<String> = against_it
            .iter()
            .filter_map(|word| word.strip_prefix("dis").or_else(|| word.strip_prefix("un")))
            .filter(|word| word.len() > 3)
            .map(str::to_owned)
            .collect();
        against_it.extend(opposed);
        for_it.extend(denied);
        let asked = tokens(&question.words());
        let deeds = asked
            .iter()
            .skip_while(|token| token.word != "likely")
            .skip_while(|token| token.word != "to")
            .nth(1)
            .map(|token| token.stem.clone());
        let keys = |labels: Vec<&str>| labels.into_iter().map(key).collect();
        Some(Halves {
            question: question.id.clone(),
            upper: keys(upper),
            lower: keys(lower),
            all: question
                .answers
                .iter()
                .filter(|answer| answer.score.is_some())
                .map(|answer| key(&answer.label))
                .collect(),
            for_it,
            against_it,
            asked: asked.into_iter().map(|token| token.stem).collect(),
            deeds: deeds.into_iter().collect(),
        })
    }

    fn likely(&self) -> bool {
        self.for_it.contains("likely")
    }

    fn satisfied(&self) -> bool {
        self.for_it.iter().any(|word| {
            listed(MILD, word) || word.starts_with("satisf") || word.starts_with("positiv")
        })
    }

    /// Whether a token is on the upper side, or on the lower; none where it is on neither.
    fn side(&self, all: &[Token], at: usize) -> Option<bool> {
        let token = all.get(at).filter(|token| token.is_word())?;
        let word = token.word.as_str();
        let before = at.checked_sub(1).and_then(|at| all.get(at));
        let next = all.get(at + 1);
        if before.is_some_and(|one| one.word == "how") {
            return None;
        }
        let kin = |known: &String| {
            known == word
                || tokens(known).iter().any(|one| families::kin(&one.stem, &token.stem))
                || (word.len() > 6 && known.len() > 6 && akin(known, word))
                || (word.len() > 5
                    && known.len() > 5
                    && tokens(known).iter().any(|one| one.stem == token.stem))
        };
        if self.against_it.iter().any(kin) {
            return Some(false);
        }
        if self.for_it.iter().any(kin) {
            return Some(true);
        }
        if self.likely() && (listed(INTENT, word) || self.deeds.contains(&token.stem)) {
            return Some(true);
        }
        // A scale from often to never, or from easy to bad, has its own words.
        let turned = self.for_it.iter().any(|word| listed(AGAINST, word));
        let amount = next.is_some_and(|next| {
            next.number().is_some() || next.is(&["half", "third", "majority", "deal", "share"])
        });
        if turned || (word == "good" && amount) {
            return None;
        }
        if word == "fed" {
            return next.is_some_and(|next| next.word == "up").then_some(false);
        }
        if matches!(word, "like" | "likes" | "liked") {
            let who = before.is_some_and(|one| {
                one.is(&["%", "percent", "cent", "who", "they", "respondents", "people", "them"])
            });
            return who.then_some(true);
        }
        match (listed(FOR, word), listed(AGAINST, word)) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }
}

/// The words of a sentence that are on a side of a scale, with what they stand for.
pub(super) fn sides(
    parts: &[Measured<'_>],
    tokens: &[Token],
    named: &[bool],
) -> (Vec<Side>, Vec<Mention>) {
    let halves: Vec<Halves> = parts.iter().filter_map(Halves::of).collect();
    let (mut sides, mut mentions) = (Vec::new(), Vec::new());
    for (at, token) in tokens.iter().enumerate() {
        if named.get(at).copied().unwrap_or(true) {
            continue;
        }
        let (mut labels, mut whole) = (BTreeSet::new(), false);
        for half in &halves {
            let Some(upper) = half.side(tokens, at) else { continue };
            // "Satisfaction" is what is asked, also where the figures are of those who are not satisfied.
            let noun = upper && token.word.starts_with("satisf") && token.word.ends_with("tion");
            let only_lower =
                parts.iter().filter(|part| part.question.id == half.question).all(|part| {
                    part.of.get(&Dimension::Answers).is_some_and(|own| own.is_subset(&half.lower))
                });
            let is_denied = denied(tokens, at);
            if noun && only_lower && !is_denied {
                continue;
            }
            let own = if upper { &half.upper } else { &half.lower };
            if is_denied {
                whole = true;
                labels.extend(half.all.difference(own).cloned());
            } else {
                labels.extend(own.iter().cloned());
            }
        }
        if labels.is_empty() {
            continue;
        }
        mentions.push(Mention {
            from: at,
            to: at + 1,
            means: BTreeMap::from([(Dimension::Answers, labels.clone())]),
            joint: false,
            quoted: false,
            told: token.word.clone(),
        });
        sides.push(Side { at, labels, whole });
    }
    (sides, mentions)
}

/// Words that a sentence may use of a share on a scale besides those of the question.
pub(super) fn own_words(part: &Measured<'_>) -> BTreeSet<String> {
    let Some(halves) = Halves::of(part) else { return BTreeSet::new() };
    let mut words: BTreeSet<String> = halves.for_it.union(&halves.against_it).cloned().collect();
    if halves.satisfied() {
        words.extend(MILD.split_whitespace().map(str::to_owned));
    }
    if halves.likely() {
        words.extend(INTENT.split_whitespace().map(str::to_owned));
    }
    words
}

/// Appends what is told from the wrong side.
pub(super) fn check(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    let fits = |side: &Side, part: &Measured<'_>| {
        let Some(own) = part.of.get(&Dimension::Answers) else { return false };
        let alone = own.len() == 1 && side.labels.len() > 1;
        if side.whole { side.labels == *own } else { own.is_subset(&side.labels) && !alone }
    };
    let scales: Vec<(&Measured<'_>, Halves)> =
        sentence.parts.iter().filter_map(|part| Some((part, Halves::of(part)?))).collect();
    let told = |own: &BTreeSet<String>| {
        sentence.mentions.iter().filter(|mention| !mention.quoted).any(|mention| {
            let side = sentence.sides.iter().any(|side| side.at == mention.from);
            let labels = mention.means.get(&Dimension::Answers);
            !side
                && labels.is_some_and(|labels| {
                    if mention.joint { labels == own } else { !labels.is_disjoint(own) }
                })
        })
    };
    let worded = |part: &Measured<'_>| part.of.get(&Dimension::Answers).is_some_and(&told);
    for side in &sentence.sides {
        let all_of = |part: &Measured<'_>| {
            // "Satisfied" beside "very satisfied" says what is asked.
            let own = part.of.get(&Dimension::Answers);
            worded(part) && own.is_some_and(|own| own.is_subset(&side.labels)) && !side.whole
        };
        if !scales.iter().any(|(part, _)| fits(side, part) || all_of(part)) {
            let known: BTreeSet<String> =
                scales.iter().map(|(part, _)| part.part.answers.join(" or ")).collect();
            faults.push(format!(
                "'{}' is not what the figure is of, which is {}: use a word of these answers, or give the figure of the others.",
                sentence.word(side.at),
                known.into_iter().collect::<Vec<_>>().join("; ")
            ));
        }
    }
    for (part, halves) in &scales {
        let own_words = halves.likely()
            || halves.for_it.iter().any(|word| {
                tokens(word).iter().any(|one| {
                    halves.asked.iter().any(|asked| asked == &one.stem || akin(asked, &one.stem))
                })
            });
        let upper =
            part.of.get(&Dimension::Answers).is_some_and(|own| own.is_subset(&halves.upper));
        let needed = own_words || !upper;
        if needed && !worded(part) && !sentence.sides.iter().any(|side| fits(side, part)) {
            faults.push(format!(
                "the sentence does not say that a figure is of {}: name its answers, its box, or a word of their side.",
                part.part.answers.join(" or ")
            ));
        }
    }
}
