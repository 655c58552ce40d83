//! Several studies together, and the questions they share.

use std::collections::{BTreeSet, HashMap};

use crate::figure::alike::same_scale;
use crate::study::{Kind, Question, Study};

/// The studies of a project, in the order in which they were conducted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Project {
    pub studies: Vec<Study>,
    /// Whether that order was declared or shows in the file names. Otherwise it is unknown which study was first.
    pub is_ordered: bool,
}

impl Project {
    /// Returns the place of a study by its id, ignoring case.
    pub fn study(&self, id: &str) -> Option<usize> {
        self.studies
            .iter()
            .position(|study| study.id == id)
            .or_else(|| self.studies.iter().position(|one| one.id.eq_ignore_ascii_case(id)))
    }

    /// Returns the questions that two or more studies asked, in the order in which they were first asked.
    ///
    /// Questions of two studies are the same if they are of one kind and share either their id and at least half of
    /// their words or, whatever their ids, every word of a text of three words or more. Scales must also have the same
    /// scores and top.
    pub fn shared(&self) -> Vec<Shared> {
        let mut groups: Vec<Shared> = Vec::new();
        // The candidate groups: those that begin with a question of this id, or of these words.
        let mut of_id: HashMap<String, Vec<usize>> = HashMap::new();
        let mut of_words: HashMap<BTreeSet<String>, Vec<usize>> = HashMap::new();
        for (study, one) in self.studies.iter().enumerate() {
            for (question, asked) in one.questions.iter().enumerate() {
                let (id, words) = (asked.id.to_ascii_lowercase(), words(asked));
                let near = of_id.get(&id).into_iter().chain(of_words.get(&words)).flatten();
                let known = near.copied().collect::<BTreeSet<usize>>().into_iter().find(|place| {
                    groups.get(*place).is_some_and(|group| {
                        let first = group.members.first().and_then(|at| self.question_at(*at));
                        let is_new = group.members.iter().all(|(other, _)| *other != study);
                        is_new && first.is_some_and(|first| is_same(first, asked))
                    })
                });
                if let Some(group) = known.and_then(|place| groups.get_mut(place)) {
                    group.members.push((study, question));
                    continue;
                }
                of_id.entry(id).or_default().push(groups.len());
                of_words.entry(words).or_default().push(groups.len());
                groups.push(Shared {
                    id: asked.id.clone(),
                    text: asked.text.clone(),
                    members: vec![(study, question)],
                });
            }
        }
        groups.retain(|group| group.members.len() > 1);
        groups
    }

    /// Returns a question by the place of its study and its own.
    pub fn question_at(&self, (study, question): (usize, usize)) -> Option<&Question> {
        self.studies.get(study)?.questions.get(question)
    }
}

/// A question that several studies asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    /// The id in the first study.
    pub id: String,
    pub text: String,
    /// For each study, its place and the place of the question in it.
    pub members: Vec<(usize, usize)>,
}

/// The share of the words of two texts that both must have if their ids are the same.
const ALIKE: f64 = 0.5;
/// The number of words that a text must have to identify a question by itself.
const TELLING: usize = 3;

fn is_same(one: &Question, other: &Question) -> bool {
    if one.kind != other.kind || (one.kind == Kind::Scale && !same_scale(one, other)) {
        return false;
    }
    let (words, others) = (words(one), words(other));
    let both = words.intersection(&others).count();
    let all = words.union(&others).count();
    if one.id.eq_ignore_ascii_case(&other.id) {
        return all == 0 || both as f64 >= ALIKE * all as f64;
    }
    both == all && all >= TELLING
}

/// Returns the words of a question and of its grid.
fn words(question: &Question) -> BTreeSet<String> {
    let grid = question.grid.as_ref().map_or("", |grid| grid.text.as_str());
    format!("{} {grid}", question.text)
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::{Answer, Format, Given, Kind, Origin, Top, Value};

    fn build_study(id: &str, questions: &[(&str, &str, Kind)]) -> Study {
        let question = |(id, text, kind): &(&str, &str, Kind)| Question {
            id: (*id).into(),
            text: (*text).into(),
            kind: *kind,
            columns: vec![],
            answers: vec![],
            nets: vec![],
            grid: None,
            top: Top::Highest,
        };
        Study {
            id: id.into(),
            title: id.into(),
            origin: Origin { file: id.into(), format: Format::Csv, sha256: String::new() },
            respondents: 0,
            columns: vec![],
            questions: questions.iter().map(question).collect(),
            weight: None,
            segments: vec![],
            notes: vec![],
        }
    }

    // proves: B9
    #[test]
    fn a_question_is_found_again_by_its_id_and_text_or_by_its_whole_text() {
        use Kind::{Scale, Single};
        let project = Project {
            studies: vec![
                build_study(
                    "W1",
                    &[
                        ("Q1", "How satisfied are you with the service?", Scale),
                        ("Q2", "Which shop do you visit?", Single),
                        ("Q3", "How old are you?", Single),
                    ],
                ),
                build_study(
                    "W2",
                    &[
                        ("q1", "How satisfied are you with our service overall?", Scale),
                        ("Q2", "Do you own a car?", Single),
                        ("age", "how old are you", Single),
                        ("Q9", "How satisfied are you with the service?", Single),
                    ],
                ),
            ],
            ..Project::default()
        };
        let shared = project.shared();
        let told: Vec<(&str, &[(usize, usize)])> =
            shared.iter().map(|one| (one.id.as_str(), one.members.as_slice())).collect();
        assert_eq!(told, [("Q1", &[(0, 0), (1, 0)][..]), ("Q3", &[(0, 2), (1, 2)][..])]);
    }

    // proves: B9
    #[test]
    fn scales_are_shared_only_where_their_scores_and_their_top_are_the_same() {
        let wave = |id: &str, points: i32, top: Top| {
            let mut study =
                build_study(id, &[("Q1", "How satisfied are you with the service?", Kind::Scale)]);
            study.questions[0].top = top;
            study.questions[0].answers = (1..=points)
                .map(|point| Answer {
                    code: point.to_string(),
                    label: String::new(),
                    score: Some(f64::from(point)),
                    given: Given::Is(Value::Number(f64::from(point))),
                })
                .collect();
            study
        };
        let studies = vec![
            wave("W1", 5, Top::Highest),
            wave("W2", 7, Top::Highest),
            wave("W3", 5, Top::Lowest),
            wave("W4", 5, Top::Highest),
        ];
        let shared = Project { studies, ..Project::default() }.shared();
        let members: Vec<_> = shared.into_iter().map(|one| one.members).collect();
        assert_eq!(members, [[(0, 0), (3, 0)]]);
    }
}
