//! The statements that answer a question, and how probable it is that they do.

use std::ops::Range;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::asked::{Asked, Kind};
use super::candidates::{Candidate, candidates};
use super::definition::{Definition, find_definition};
use super::features::{Known, Reader, Signs, compare, compute_signs, measure_absent};
use super::forest::Forest;
use super::{Bm25, Text, compute_cosine};
use text::Language;

/// A question, and what is known about its words.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    pub text: &'a str,
    pub language: Language,
    /// Its terms with their IDF; empty if unknown.
    pub weights: &'a [(String, f64)],
}

/// A statement with the signs that it answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The index of the passage.
    pub passage: usize,
    /// Its position in the passage, in bytes.
    pub span: Range<usize>,
    /// The part that is quoted: the span, preceded by the sentence before it if it points back to that.
    pub quote: Range<usize>,
    /// The innermost heading above it, or the term that it defines; empty if there is none.
    pub label: String,
    /// Whether its source quotes it, so that it may be somebody else's.
    pub is_quoted: bool,
    /// How surely it says what the subject of the question is.
    pub definition: Option<Definition>,
    pub signs: Signs,
    terms: Vec<String>,
}

impl Measured {
    fn overlaps(&self, other: &Measured) -> bool {
        self.passage == other.passage
            && self.quote.start < other.quote.end
            && other.quote.start < self.quote.end
    }
}

/// Statements ordered by how well they answer a question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ranked {
    /// Best first, each with its score. A difference of scores is a log ratio of the odds of answering.
    statements: Vec<(f64, Measured)>,
    said_together: f64,
}

/// The inputs for the probability of an answer, besides the signs of the best statement: its score, how far the second and the fifth lie
/// below it, the share of the odds of the best one and of the statements shown, the number of statements, and the coverage by one passage.
pub const SURE: [&str; 7] =
    ["top", "second_below", "fifth_below", "odds", "odds_shown", "statements", "said_together"];

/// What was learned about signs from questions with known answers; `bench/answers.py` writes `extract/ranker.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ranker {
    /// Over the signs of a statement: the higher the sum, the better it answers.
    pub order: Forest,
    /// Over [`SURE`] and the signs of the best statement: the log odds that an answer is among those shown.
    pub sure: Forest,
}

impl Ranker {
    /// Returns the built-in ranker.
    pub fn own() -> &'static Ranker {
        static OWN: OnceLock<Ranker> = OnceLock::new();
        OWN.get_or_init(|| {
            serde_json::from_str(include_str!("ranker.json"))
                .expect("the file is written by a program and read by a test")
        })
    }
}

/// Returns every statement of the passages with its signs. Passages come best first.
pub fn measured(question: &Question<'_>, passages: &[Text<'_>]) -> Vec<Measured> {
    /// The most bytes of a question that are read: a longer one is a text, and each of its words would be compared with every statement.
    const MOST_READ: usize = 2_000;
    let read = question.text.floor_char_boundary(MOST_READ);
    let question = Question { text: question.text.get(..read).unwrap_or_default(), ..*question };
    let mut reader = Reader::new(question.language);
    let found = candidates(passages);
    let own: Vec<Vec<String>> = found.iter().map(|one| reader.terms(one.words)).collect();
    let around: Vec<Vec<String>> = found
        .iter()
        .zip(&own)
        .map(|(one, own)| {
            let beside = one.before.iter().chain([&one.label]).flat_map(|text| reader.terms(text));
            beside.chain(own.iter().cloned()).collect()
        })
        .collect();
    let [own_index, around_index] = [&own, &around].map(|terms| Bm25::new(terms));
    let asked_terms = reader.terms(question.text);
    let weights = match question.weights {
        [] => asked_terms.iter().map(|term| (term.clone(), own_index.idf(term))).collect(),
        weights => weights.to_vec(),
    };
    let asked = Asked::read(question.text, question.language, &weights);
    let about: Vec<String> = asked.topics.iter().map(|topic| topic.term.clone()).collect();
    let known = describe_passages(passages);
    let mut measured = Vec::new();
    let mut kept = Vec::new();
    for (index, candidate) in found.into_iter().enumerate() {
        let (Some(passage), Some(known)) =
            (passages.get(candidate.passage), known.get(candidate.passage))
        else {
            continue;
        };
        let terms = own.get(index).cloned().unwrap_or_default();
        // A statement that adds nothing to its heading and the question answers nothing, unless it says that it is so, or not.
        let label = reader.terms(candidate.label);
        let is_question = candidate.words.trim_end().ends_with(['?', '？', '؟']);
        let is_reply = terms.is_empty() && candidate.label.trim_end().ends_with(['?', '？', '؟']);
        let affirms = asked.kind == Kind::YesNo && !is_question && (!terms.is_empty() || is_reply);
        if !affirms && terms.iter().all(|term| label.contains(term) || asked_terms.contains(term)) {
            continue;
        }
        let signs = compute_signs(&asked, &candidate, passage, known, &mut reader);
        let definition = find_definition(&asked, &candidate);
        let Candidate { passage, span, quote, label, is_quoted, .. } = candidate;
        let label = label.to_owned();
        let one = Measured { passage, span, quote, label, is_quoted, definition, signs, terms };
        measured.push(one);
        kept.push(index);
    }
    let scores = |index: &Bm25| -> Vec<f64> {
        let all = index.scores(&about);
        kept.iter().map(|at| all.get(*at).copied().unwrap_or_default()).collect()
    };
    let mut all: Vec<Signs> = measured.iter().map(|one| one.signs).collect();
    let absent = measure_absent(&asked, passages, &mut reader);
    compare(&mut all, &scores(&own_index), &scores(&around_index), absent);
    for (one, signs) in measured.iter_mut().zip(all) {
        one.signs = signs;
    }
    measured
}

/// Returns what is known about each passage besides its words.
fn describe_passages<'a>(passages: &[Text<'a>]) -> Vec<Known<'a>> {
    let all: f64 = passages.iter().map(|one| one.score.max(0.0)).sum();
    let top = passages.iter().map(|one| one.score).fold(f64::MIN_POSITIVE, f64::max);
    let of = |(rank, one): (usize, &Text<'a>)| {
        let is_same = |other: &&Text<'a>| (other.name, other.title) == (one.name, one.title);
        let document: f64 = passages.iter().filter(is_same).map(|one| one.score.max(0.0)).sum();
        Known {
            rank,
            score: one.score / top,
            document: if all > 0.0 { document / all } else { 0.0 },
            is_first_document: passages.first().as_ref().is_some_and(is_same),
            beside: passages.iter().filter(is_same).map(|other| other.text).collect(),
        }
    };
    passages.iter().enumerate().map(of).collect()
}

impl Ranked {
    /// Ranks measured statements with a trained ranker.
    pub fn of(measured: Vec<Measured>, ranker: &Ranker) -> Ranked {
        let said_together =
            measured.iter().map(|one| one.signs.said_in_passage).fold(0.0, f64::max);
        /// What an author quotes counts for less than words of equal worth of the author's own.
        const QUOTED: f64 = 0.7;
        /// What says what a thing is counts for more than what else is said of it.
        const DEFINES: f64 = 3.0;
        const MAY_DEFINE: f64 = 0.5;
        let less = |one: &Measured| if one.is_quoted { QUOTED } else { 0.0 };
        let more = |one: &Measured| match one.definition {
            Some(Definition::Sure) => DEFINES,
            Some(Definition::Likely) => MAY_DEFINE,
            None => 0.0,
        };
        let sum = |one: &Measured| ranker.order.sum(&one.signs.values()) + more(one) - less(one);
        let score = |one: Measured| (sum(&one), one);
        let statements = measured.into_iter().map(score).collect();
        Ranked { statements, said_together }.sorted()
    }

    fn sorted(mut self) -> Ranked {
        self.statements.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        self
    }

    /// Returns the statements worth comparing by meaning, best first.
    pub fn foremost(&self) -> impl Iterator<Item = &Measured> {
        /// The answer is seldom below these.
        const COMPARED: usize = 12;
        self.statements.iter().take(COMPARED).map(|(_, one)| one)
    }

    /// Ranks the foremost statements by meaning as well; `cosine` returns a statement's similarity to the question.
    ///
    /// Embedders differ in their range of cosines, so each cosine counts by its distance above their mean, as a share of the distance to 1.
    pub fn by_meaning(mut self, cosine: impl Fn(&Measured) -> Option<f64>) -> Ranked {
        /// The weight of a share of 1.
        const WORTH: f64 = 4.0;
        let cosines: Vec<Option<f64>> = self.foremost().map(cosine).collect();
        let known: Vec<f64> = cosines.iter().copied().flatten().collect();
        let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
        let room = (1.0 - mean).max(f64::EPSILON);
        for ((score, _), cosine) in self.statements.iter_mut().zip(cosines) {
            *score += cosine.map_or(0.0, |cosine| WORTH * (cosine - mean) / room);
        }
        self.sorted()
    }

    /// Removes those of the foremost statements that may not answer; the others are seldom shown.
    pub fn retain(&mut self, may_answer: impl Fn(&Measured) -> bool) {
        /// How many are checked: checking one costs more than ranking it.
        const LOOKED_AT: usize = 24;
        let mut index = 0;
        self.statements.retain(|(_, one)| {
            index += 1;
            index > LOOKED_AT || may_answer(one)
        });
    }

    /// Returns the best statements, at most `limit`: no two overlap or say the same, and none is much worse than the first.
    pub fn best(&self, limit: usize) -> Vec<&Measured> {
        /// The largest distance from the best score at which a statement still adds something.
        const BESIDE_THE_BEST: f64 = 2.5;
        /// The cosine from which two statements say the same.
        const SAME: f64 = 0.85;
        let mut best: Vec<&Measured> = Vec::new();
        let top = self.top();
        for (_, one) in
            self.statements.iter().take_while(|(score, _)| top - score <= BESIDE_THE_BEST)
        {
            if best.len() == limit {
                break;
            }
            let is_said = |known: &&Measured| {
                known.overlaps(one) || compute_cosine(&known.terms, &one.terms) >= SAME
            };
            if !best.iter().any(is_said) {
                best.push(one);
            }
        }
        best
    }

    /// Returns the probability, 0 to 1, that one of the best statements answers.
    pub fn sureness(&self, ranker: &Ranker, limit: usize) -> f64 {
        match self.told_by(limit).as_slice() {
            [] => 0.0,
            told_by => 1.0 / (1.0 + (-ranker.sure.sum(told_by)).exp()),
        }
    }

    /// Returns the inputs for that probability: those of [`SURE`] in order, then the signs of the best statement. Empty without statements.
    pub fn told_by(&self, limit: usize) -> Vec<f64> {
        /// The assumed distance of a missing statement from the best one.
        const ABSENT: f64 = 5.0;
        let Some((top, first)) = self.statements.first() else { return vec![] };
        let below =
            |rank: usize| self.statements.get(rank).map_or(ABSENT, |(score, _)| top - score);
        let best = self.best(limit);
        let (mut all, mut shown) = (0.0, 0.0);
        for (score, one) in &self.statements {
            let odds = (score - top).exp();
            all += odds;
            if best.iter().any(|known| known.overlaps(one)) {
                shown += odds;
            }
        }
        let statements = self.statements.len() as f64;
        let mut told_by = vec![
            *top,
            below(1),
            below(4),
            1.0 / all,
            shown / all,
            (1.0 + statements).ln(),
            self.said_together,
        ];
        told_by.extend(first.signs.values());
        told_by
    }

    fn top(&self) -> f64 {
        self.statements.first().map_or(0.0, |(score, _)| *score)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // proves: C10
    #[test]
    fn what_was_learned_is_of_signs_that_there_are() {
        let Ranker { order, sure } = Ranker::own();
        assert_eq!(order.names, Signs::NAMES);
        let told_by: Vec<&str> = SURE.iter().chain(Signs::NAMES).copied().collect();
        assert_eq!(sure.names, told_by);
        assert_eq!((order.broken(), sure.broken()), (None, None));
        assert!(order.trees.len() > 10 && sure.trees.len() > 10);
    }

    fn answer(question: &str, texts: &[(&str, &str)]) -> (String, f64) {
        let passages: Vec<Text<'_>> = texts
            .iter()
            .enumerate()
            .map(|(rank, (section, text))| Text {
                name: "",
                title: "",
                section,
                text,
                score: 10.0 - rank as f64,
            })
            .collect();
        let sample: String = texts.iter().map(|(_, text)| *text).collect();
        let language = text::guess(&format!("{question}\n{sample}"));
        let asked = Question { text: question, language, weights: &[] };
        let ranked = Ranked::of(measured(&asked, &passages), Ranker::own());
        let first = ranked.best(1).first().copied();
        let words = first.map(|one| texts[one.passage].1[one.span.clone()].to_owned());
        (words.unwrap_or_default(), ranked.sureness(Ranker::own(), 1))
    }

    // proves: C10
    #[test]
    fn what_answers_is_chosen_by_what_is_asked_and_not_by_shared_words() {
        let gc = "gc.auto\n: When there are approximately more than this many loose objects in the repository, git gc --auto will pack them. The \
                  default value is 6700.\n\n  Setting this to 0 disables automatic packing, but the value of gc.auto still matters to porcelain commands.\n\n\
                  gc.log\n: The default value is 1 day.";
        let (words, sure) = answer("What is the default value of gc.auto?", &[("git-config", gc)]);
        assert_eq!(words, "The default value is 6700.");
        assert!(sure > 0.3, "{sure}");
        let dam = "青山水库建于1958年，库容为三千二百万立方米。水库位于青山县城以北。游客可以在大坝上散步。";
        assert!(answer("青山水库是哪一年建的？", &[("青山水库", dam)]).0.contains("1958"));
        let notes =
            "Rent: 900 a month\nLandlord: Ms Okafor\nNotice: three months to the end of a quarter";
        assert_eq!(answer("Who is the landlord?", &[("Lease", notes)]).0, "Landlord: Ms Okafor");
        assert!(answer("How much is the rent?", &[("Lease", notes)]).0.contains("900"));
    }

    // proves: C10
    #[test]
    fn what_a_thing_is_comes_before_what_else_is_said_of_it() {
        let english = "During a checkpoint the disk is busy. A checkpoint that takes too long is logged. Every checkpoint writes pages. \
             The checkpoint is expected to run every hour.";
        let german = "Beim Einbau muss das Pleuel geölt werden. Das Pleuel wird mit Schrauben befestigt. Ein gebrochenes Pleuel zerstört den \
             Motor. Das Pleuel ist heute gebrochen.";
        let french = "Pendant la marée basse, le port est fermé. La marée est attendue à midi. Chaque marée déplace le sable du chenal.";
        let spanish = "Durante la marea baja el puerto está cerrado. La marea es esperada a las doce. Cada marea mueve la arena del canal.";
        for (question, mentions, definition) in [
            (
                "What is a checkpoint?",
                english,
                "A checkpoint is a point in the log at which all files were updated.",
            ),
            (
                "What does checkpoint mean?",
                english,
                "The term “checkpoint” refers to a point in the log.",
            ),
            ("What are checkpoints?", english, "Checkpoint (see above): a point in the log."),
            (
                "Define checkpoint.",
                english,
                "A point in the log at which all files were updated is called a checkpoint.",
            ),
            (
                "Was ist ein Pleuel?",
                german,
                "Ein Pleuel ist die Stange, die Kolben und Kurbelwelle verbindet.",
            ),
            (
                "Was versteht man unter einem Pleuel?",
                german,
                "Pleuel bezeichnet eine Stange am Kolben.",
            ),
            (
                "Qu'est-ce que la marée ?",
                french,
                "La marée est le mouvement de la mer sous la Lune.",
            ),
            (
                "Qu'est-ce qu'une marée ?",
                french,
                "Une marée est un mouvement de la mer sous la Lune.",
            ),
            ("¿Qué es la marea?", spanish, "La marea es el movimiento del mar bajo la Luna."),
        ] {
            let text = format!("{mentions} {definition}");
            assert_eq!(answer(question, &[("Log", &text)]).0, definition, "{question}");
        }
    }

    // proves: C10
    #[test]
    fn what_stands_first_under_a_heading_says_what_it_is() {
        let text = "## Checkpoint\n\nA saved state of the stream from which processing resumes.\n\nThe checkpoint is the concern of \
             everybody. Checkpoints are written every 90 seconds.";
        let said = answer("What is a checkpoint?", &[("", text)]).0;
        assert_eq!(said, "A saved state of the stream from which processing resumes.");
    }

    // proves: C10
    #[test]
    fn a_reply_of_a_word_is_not_cut_off() {
        let text = "## Is the water safe to drink?\n\nNo. Many people drink the water every day and enjoy it.";
        let passages = [Text { name: "", title: "", section: "", text, score: 1.0 }];
        let question = "Is the water safe to drink?";
        let asked = Question { text: question, language: Language::English, weights: &[] };
        let ranked = Ranked::of(measured(&asked, &passages), Ranker::own());
        assert!(ranked.best(3).iter().all(|one| text[one.quote.clone()].starts_with("No.")));
        let alone = "## Do you deliver on Sundays?\n\nNo.";
        assert_eq!(answer("Do you deliver on Sundays?", &[("", alone)]).0, "No.");
    }

    // proves: C10
    #[test]
    fn what_is_quoted_gives_way_to_the_authors_own_words() {
        for text in [
            "> The meeting is on Monday.\n\nThe meeting is on Tuesday.",
            "The meeting is on Tuesday.\n\nAnn wrote:\n\n> The meeting is on Monday.",
        ] {
            let said = answer("When is the meeting?", &[("", text)]).0;
            assert_eq!(said, "The meeting is on Tuesday.", "{text:?}");
        }
    }

    // proves: C10
    #[test]
    fn what_means_the_same_comes_first_among_the_foremost() {
        let text = "The pump was mended in April 1854. The pump was built by the guild of Hull. The pump was mended again later.";
        let passages = [Text { name: "", title: "", section: "", text, score: 1.0 }];
        let asked = Question {
            text: "When was the pump mended?",
            language: Language::English,
            weights: &[],
        };
        let ranked = Ranked::of(measured(&asked, &passages), Ranker::own());
        let words = |ranked: &Ranked| text[ranked.best(1)[0].span.clone()].to_owned();
        assert_eq!(words(&ranked), "The pump was mended in April 1854.");
        let near = |one: &Measured| {
            Some(if text[one.span.clone()].contains("guild") { 0.99 } else { 0.1 })
        };
        assert_eq!(
            words(&ranked.clone().by_meaning(near)),
            "The pump was built by the guild of Hull."
        );
        assert_eq!(ranked.clone().by_meaning(|_| None), ranked);
        let alike = ranked.clone().by_meaning(|_| Some(0.7));
        assert_eq!(alike.best(3), ranked.best(3));
    }

    // proves: C10
    #[test]
    fn where_nothing_answers_it_is_not_sure() {
        let text = "The reactor was shut down in spring. Its pump had failed twice.";
        assert!(answer("Which composer wrote an opera about gulls?", &[("", text)]).1 < 0.3);
        assert_eq!(answer("What?", &[]).1, 0.0);
    }

    // proves: C10
    #[test]
    fn whether_something_is_so_is_said_by_what_repeats_the_question() {
        for (question, text, said) in [
            (
                "Is the vaccine safe for horses?",
                "The vaccine is not safe for horses. The vaccine is safe for children.",
                "The vaccine is not safe for horses.",
            ),
            (
                "Is the bridge open?",
                "The bridge is not open. The ferry is open.",
                "The bridge is not open.",
            ),
            (
                "May dogs enter the park?",
                "Horses may enter the park. Dogs may not enter the park.",
                "Dogs may not enter the park.",
            ),
            (
                "Does the patient smoke?",
                "The patient drinks. The patient smokes.",
                "The patient smokes.",
            ),
        ] {
            assert_eq!(answer(question, &[("", text)]).0, said, "{question}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        // proves: C10
        #[test]
        fn whatever_is_asked_of_whatever_text_comes_out_in_order(
            question in "(what|when|Who|how many|wann|いつ|哪|gc.auto|--x|É|ﬁ| |[?？'’.]){0,8}|.{0,20}",
            texts in prop::collection::vec("([A-Z]?(gc.auto|: |gull|ß|é|海の|12 €|\\| |- |# |```|[.?\n ]){1,2}){0,30}|.{0,60}", 0..4),
        ) {
            let text = |text| Text { name: "a/b_c.md", title: "Gulls", section: "A > ß", text, score: 1.0 };
            let passages: Vec<Text<'_>> = texts.iter().map(|one| text(one.as_str())).collect();
            for language in [Language::English, Language::German, Language::Other] {
                let asked = Question { text: &question, language, weights: &[] };
                let ranked = Ranked::of(measured(&asked, &passages), Ranker::own());
                prop_assert!((0.0..=1.0).contains(&ranked.sureness(Ranker::own(), 3)));
                prop_assert!(ranked.statements.windows(2).all(|two| two[0].0 >= two[1].0));
                for (score, one) in &ranked.statements {
                    prop_assert!(score.is_finite() && one.signs.values().iter().all(|sign| sign.is_finite()));
                    let text = passages[one.passage].text;
                    prop_assert!(text.get(one.span.clone()).is_some() && text.get(one.quote.clone()).is_some());
                }
                prop_assert!(ranked.best(3).len() <= 3);
            }
        }
    }
}
