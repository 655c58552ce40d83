//! Questions on how likely a person is to recommend something, from 0 to 10.

use super::{Kind, Question, Top};

/// How words about recommending begin, in the most common languages of surveys.
const STEMS: [&str; 9] = [
    "recommend",
    "recommand",
    "recomend",
    "raccomand",
    "rekommend",
    "empfehl",
    "empfiehl",
    "anbefal",
    "aanbevel",
];
/// The names of such a question.
const NAMES: [&str; 2] = ["net promoter", "nps"];

impl Question {
    /// Returns whether a question asks how likely a person is to recommend something, so that its net promoter score is meaningful.
    ///
    /// Its scale goes from 0 to 10 ([`Question::is_nought_to_ten`]), and its words, or those of its grid, speak of recommending.
    pub fn is_nps(&self) -> bool {
        self.is_nought_to_ten() && self.speaks_of_recommending()
    }

    /// Returns whether a question is a scale of whole numbers from 0 to 10 whose top is 10.
    ///
    /// Points in between may be missing, and there may be answers without a number, such as "don't know".
    pub fn is_nought_to_ten(&self) -> bool {
        let scores = || self.answers.iter().filter_map(|answer| answer.score);
        self.kind == Kind::Scale
            && self.top == Top::Highest
            && scores().all(|score| score.fract() == 0.0 && (0.0..=10.0).contains(&score))
            && scores().any(|score| score == 0.0)
            && scores().any(|score| score == 10.0)
    }

    fn speaks_of_recommending(&self) -> bool {
        let grid = self.grid.as_ref().map_or("", |grid| grid.text.as_str());
        let words = format!("{} {grid}", self.text).to_lowercase();
        let plain: String =
            words.chars().map(|sign| if sign.is_alphanumeric() { sign } else { ' ' }).collect();
        let plain = format!(" {} ", plain.split_whitespace().collect::<Vec<_>>().join(" "));
        // Also within words: "weiterempfehlen".
        STEMS.iter().any(|stem| plain.contains(stem))
            || NAMES.iter().any(|name| plain.contains(&format!(" {name} ")))
    }
}

#[cfg(test)]
mod tests {
    use crate::study::{Answer, Given, Grid, Kind, Question, Top, Value};

    fn asked(text: &str, scores: impl IntoIterator<Item = Option<f64>>) -> Question {
        let answer = |(code, score): (usize, Option<f64>)| Answer {
            code: code.to_string(),
            label: String::new(),
            score,
            given: Given::Is(Value::Number(code as f64)),
        };
        Question {
            id: "Q9".into(),
            text: text.into(),
            kind: Kind::Scale,
            columns: vec![0],
            answers: scores.into_iter().enumerate().map(answer).collect(),
            nets: vec![],
            grid: None,
            top: Top::Highest,
        }
    }

    fn eleven() -> impl Iterator<Item = Option<f64>> {
        (0..=10).map(|score| Some(f64::from(score)))
    }

    // proves: B5
    #[test]
    fn only_a_question_of_recommending_from_0_to_10_has_a_net_promoter_score() {
        let likely = "How likely are you to recommend us to a friend?";
        for text in [
            likely,
            "Würden Sie uns weiterempfehlen?",
            "Recommanderiez-vous ce produit ?",
            "¿Recomendaría usted la tienda?",
            "Likelihood of recommendation",
            "Net-Promoter",
            "NPS (0-10)",
        ] {
            assert!(asked(text, eleven()).is_nps(), "{text}");
        }
        assert!(asked(likely, eleven().chain([None])).is_nps(), "beside: don't know");
        assert!(asked(likely, [0.0, 5.0, 10.0].map(Some)).is_nps(), "points between are missing");
        for text in ["How much do you trust the police?", "Attitude to Venpsy", ""] {
            assert!(asked(text, eleven()).is_nought_to_ten());
            assert!(!asked(text, eleven()).is_nps(), "{text}");
        }
        let unfit: [Vec<Option<f64>>; 5] = [
            (1..=10).map(|score| Some(f64::from(score))).collect(),
            (0..=9).map(|score| Some(f64::from(score))).collect(),
            eleven().chain([Some(11.0)]).collect(),
            eleven().chain([Some(9.5)]).collect(),
            vec![None; 11],
        ];
        for scores in unfit {
            assert!(!asked(likely, scores.clone()).is_nps(), "{scores:?}");
        }
        let turned = Question { top: Top::Lowest, ..asked(likely, eleven()) };
        let single = Question { kind: Kind::Single, ..asked(likely, eleven()) };
        assert!(!turned.is_nps() && !single.is_nps());
    }

    #[test]
    fn a_row_of_a_grid_is_told_by_the_words_of_the_grid() {
        let row = Question {
            grid: Some(Grid { id: "Q9".into(), text: "Would you recommend …?".into() }),
            ..asked("The hotel", eleven())
        };
        assert!(row.is_nps());
    }
}
