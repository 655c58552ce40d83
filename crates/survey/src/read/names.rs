//! What the names and labels of columns reveal.

use std::collections::HashSet;

use super::raw::{Member, Raw, Set, Told};
use crate::study::{Code, Column, Data, Grid, Kind, NO_TEXT, Question, Value};

/// The longest text that names an answer instead of being a respondent's own words, in characters.
const LONGEST_MARK: usize = 80;

/// Names of columns that number respondents.
const IDS: [&str; 17] = [
    "id",
    "serial",
    "respid",
    "respondentid",
    "respondent",
    "responseid",
    "caseid",
    "case",
    "record",
    "recordno",
    "recordnumber",
    "uuid",
    "guid",
    "interviewid",
    "resprid",
    "uniqueid",
    "index",
];

/// Words in the names and labels of questions that divide people.
const DEMOGRAPHIC: [&str; 32] = [
    "gender",
    "sex",
    "age",
    "agegroup",
    "ageband",
    "region",
    "area",
    "country",
    "state",
    "county",
    "city",
    "urban",
    "education",
    "educational",
    "income",
    "household",
    "employment",
    "employed",
    "occupation",
    "marital",
    "ethnicity",
    "religion",
    "generation",
    "segment",
    "wave",
    "locality",
    "geschlecht",
    "alter",
    "altersgruppe",
    "bildung",
    "einkommen",
    "children",
];

/// Returns the words of a name or label in lower case: `age` and `group` for `Age_Group`.
fn words(text: &str) -> Vec<String> {
    let mut spaced = String::with_capacity(text.len() + 8);
    let mut small = false;
    for letter in text.chars() {
        if letter.is_uppercase() && small {
            spaced.push(' ');
        }
        small = letter.is_lowercase();
        spaced.push(if letter.is_alphanumeric() { letter } else { ' ' });
    }
    spaced.split_whitespace().map(str::to_lowercase).collect()
}

/// Returns whether a column's name or label says that it numbers the respondents.
pub(super) fn is_id(name: &str, label: &str) -> bool {
    let joined: String = words(name).concat();
    let last_is_id = words(name).last().is_some_and(|word| word == "id");
    IDS.contains(&joined.as_str()) || last_is_id || words(label).concat().ends_with("respondentid")
}

/// Returns whether a question divides people: by gender, age, region and the like.
pub(super) fn is_demographic(question: &Question) -> bool {
    let name = words(&question.id);
    let text = words(&question.text);
    let known = |word: &String| DEMOGRAPHIC.contains(&word.as_str());
    // A long question may mention age without asking for it.
    name.iter().any(known) || (text.len() <= 8 && text.iter().any(known))
}

/// Returns the beginning that all labels share, up to and including a mark that divides a question from its rows.
pub(super) fn shared_beginning(labels: &[&str]) -> String {
    let Some((first, rest)) = labels.split_first().filter(|(_, rest)| !rest.is_empty()) else {
        return String::new();
    };
    let mut length = first.len();
    for label in rest {
        let same = first.bytes().zip(label.bytes()).take_while(|(one, other)| one == other).count();
        length = length.min(same);
    }
    let shared = first.get(..first.floor_char_boundary(length)).unwrap_or_default();
    let ends = [": ", " - ", " – ", "? ", "| ", "... ", "… ", " ("];
    let end = ends.iter().filter_map(|mark| Some(shared.rfind(mark)? + mark.len())).max();
    shared.get(..end.unwrap_or(0)).unwrap_or_default().to_owned()
}

/// Returns a name without its last part: `Q8` for `Q8_1`, `Q8a` and `Q8.x`; `None` if there is no such part.
fn stem(name: &str) -> Option<&str> {
    let marks = ['_', '.', '-', '#'];
    if let Some((stem, last)) = name.rsplit_once(marks) {
        return (!stem.is_empty() && !last.is_empty()).then_some(stem.trim_end_matches(marks));
    }
    let digits = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    if digits.len() < name.len()
        && digits.ends_with(|letter: char| letter.is_ascii_alphabetic())
        && digits.len() > 1
    {
        return Some(digits);
    }
    let bare = name.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    (name.len() == bare.len() + 1 && bare.ends_with(|letter: char| letter.is_ascii_digit()))
        .then_some(bare)
}

/// Returns neighbouring columns that form one question with several answers: their names are alike, and they hold only 0 and 1.
pub(super) fn inferred_sets(raw: &Raw, taken: &HashSet<usize>) -> Vec<Set> {
    let marked = |place: usize, told: &Told| {
        let Some(column) = raw.columns.get(place) else { return false };
        let Data::Few { values, .. } = &column.data else { return false };
        let free =
            !taken.contains(&place) && !told.part && told.role.is_none() && told.grid.is_none();
        let binary = |value: &f64| column.is_missing(*value) || matches!(value, 0.0 | 1.0);
        let explained =
            column.codes.iter().all(|code| matches!(code.value, Value::Number(0.0 | 1.0)));
        let open = told.kind.is_none_or(|kind| kind == Kind::Multi);
        free && open && explained && !values.is_empty() && values.iter().all(binary)
    };
    let chosen = |place: usize| {
        let data = raw.columns.get(place).map(|column| &column.data);
        matches!(data, Some(Data::Few { values, .. }) if values.contains(&1.0))
    };
    let places: Vec<usize> = (0..raw.columns.len()).collect();
    let set_stem = |place: usize| {
        let told = raw.told.get(place).filter(|told| marked(place, told));
        told.and(raw.columns.get(place)).and_then(|column| stem(&column.name))
    };
    let alike =
        |one: &usize, other: &usize| set_stem(*one).is_some() && set_stem(*one) == set_stem(*other);
    places
        .chunk_by(alike)
        .filter(|run| run.len() >= 2 && run.iter().any(|place| chosen(*place)))
        .filter_map(|run| {
            let id = set_stem(*run.first()?)?.to_owned();
            let members = run.iter().map(|place| Member::of(*place)).collect();
            Some(Set { id, text: String::new(), members, counted: Some(Value::Number(1.0)) })
        })
        .collect()
}

/// Returns neighbouring columns that form one question with several answers: their names are alike, and each holds one
/// text or nothing, such as the name of the answer or a mark.
///
/// Columns without any text are skipped. The texts must occur twice or more on average, because respondents' own words seldom do.
pub(super) fn marked_sets(raw: &Raw, taken: &HashSet<usize>) -> Vec<Set> {
    let stem_of = |place: &usize| {
        let (column, told) = (raw.columns.get(*place)?, raw.told.get(*place)?);
        let free = !taken.contains(place)
            && !told.part
            && told.role.is_none()
            && told.grid.is_none()
            && told.kind.is_none_or(|kind| kind == Kind::Multi);
        mark(column).filter(|_| free).and(stem(&column.name))
    };
    let is_empty = |place: &usize| {
        raw.columns.get(*place).is_none_or(|column| match &column.data {
            Data::Few { values, .. } => values.is_empty(),
            Data::Numbers(_) => false,
            Data::Texts { texts, .. } => texts.is_empty(),
        })
    };
    let places: Vec<usize> = (0..raw.columns.len()).filter(|place| !is_empty(place)).collect();
    let runs =
        places.chunk_by(|one, other| stem_of(one).is_some() && stem_of(one) == stem_of(other));
    runs.filter_map(|run| {
        let marks: Vec<(usize, &str, usize)> = run
            .iter()
            .filter_map(|place| {
                let (text, times) = mark(raw.columns.get(*place)?)?;
                Some((*place, text, times))
            })
            .collect();
        let (_, first, _) = *marks.first()?;
        let times: usize = marks.iter().map(|(_, _, times)| times).sum();
        if run.len() < 2 || times < 2 * run.len() {
            return None;
        }
        // A mark that all columns share says nothing of the answers.
        let named = marks.iter().any(|(_, text, _)| *text != first);
        let member = |(place, text, _): &(usize, &str, usize)| Member {
            label: named.then(|| (*text).to_owned()),
            counted: Some(Value::Text((*text).to_owned())),
            ..Member::of(*place)
        };
        Some(Set {
            id: stem_of(run.first()?)?.to_owned(),
            text: String::new(),
            members: marks.iter().map(member).collect(),
            counted: Some(Value::Text(first.to_owned())),
        })
    })
    .collect()
}

/// Returns the only text of a column, and how many respondents have it; `None` if there are more texts, or if all respondents have it.
fn mark(column: &Column) -> Option<(&str, usize)> {
    let Data::Texts { texts, index } = &column.data else { return None };
    let [text] = texts.as_slice() else { return None };
    let times = index.iter().filter(|place| **place != NO_TEXT).count();
    let is_name = column.codes.is_empty() && text.chars().count() <= LONGEST_MARK;
    (is_name && times < index.len() && !column.is_missing_text(text)).then_some((text, times))
}

/// Makes grids of neighbours with the same answers and similar names or labels, unless they are in a declared grid.
pub(super) fn infer_grids(raw: &Raw, questions: &mut [Question]) {
    let codes = |question: &Question| -> Option<&Vec<Code>> {
        let [column] = question.columns.as_slice() else { return None };
        raw.columns.get(*column).map(|column| &column.codes).filter(|codes| codes.len() > 1)
    };
    let asked = |question: &Question| {
        matches!(question.kind, Kind::Single | Kind::Scale) && question.grid.is_none()
    };
    let mut grids: Vec<(usize, usize, Grid)> = Vec::new();
    let mut start = 0;
    for run in questions.chunk_by(|one, other| {
        asked(one)
            && asked(other)
            && codes(one).is_some()
            && codes(one) == codes(other)
            && stem(&one.id).is_some()
            && stem(&one.id) == stem(&other.id)
    }) {
        let end = start + run.len();
        if let (Some(first), true) = (run.first(), run.len() >= 2) {
            let labels: Vec<&str> = run.iter().map(|question| question.text.as_str()).collect();
            let text = shared_beginning(&labels);
            let text = text.trim_end_matches([':', '-', '–', '|', ' ']).trim().to_owned();
            if !text.is_empty() {
                let id = stem(&first.id).unwrap_or_default().to_owned();
                grids.push((start, end, Grid { id, text }));
            }
        }
        start = end;
    }
    for (start, end, grid) in grids {
        for question in questions.get_mut(start..end).unwrap_or_default() {
            question.grid = Some(grid.clone());
        }
    }
}

/// Returns whether file names are alike except for one number, and the numbers increase: `wave1.csv`, `wave2.csv`.
pub(super) fn count_up(files: &[&str]) -> bool {
    let numbered = |file: &&str| -> Option<(String, u64)> {
        let name = super::stem(file).to_lowercase();
        let from = name.find(|sign: char| sign.is_ascii_digit())?;
        let (before, rest) = name.split_at(from);
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let after = rest.get(digits.len()..)?;
        Some((format!("{before}#{after}"), digits.parse().ok()?))
    };
    let all: Option<Vec<(String, u64)>> = files.iter().map(numbered).collect();
    all.is_some_and(|all| {
        all.windows(2).all(|pair| match pair {
            [(one, first), (other, second)] => one == other && first < second,
            _ => true,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart_at_their_last_part() {
        for (name, expected) in [
            ("Q8_1", Some("Q8")),
            ("q14r01c03", Some("q14r01c")),
            ("Q7a", Some("Q7")),
            ("brand.x", Some("brand")),
            ("age", None),
            ("Q5", None),
            ("visit__2", Some("visit")),
            ("_1", None),
        ] {
            assert_eq!(stem(name), expected, "{name}");
        }
    }

    #[test]
    fn labels_share_a_beginning_up_to_a_mark() {
        assert_eq!(shared_beginning(&["Rate: price", "Rate: place"]), "Rate: ");
        assert_eq!(shared_beginning(&["Rate price", "Rate place"]), "");
        assert_eq!(shared_beginning(&["Rate: price"]), "");
        assert_eq!(shared_beginning(&["Größe – ä", "Größe – ö"]), "Größe – ");
    }

    #[test]
    fn columns_that_number_respondents_are_known_by_name() {
        for name in ["id", "RespondentID", "resp_id", "record_number", "CaseID", "uuid"] {
            assert!(is_id(name, ""), "{name}");
        }
        for name in ["paid", "idea", "video", "age"] {
            assert!(!is_id(name, ""), "{name}");
        }
    }

    // proves: B9
    #[test]
    fn files_have_an_order_where_their_names_count_up() {
        assert!(count_up(&["wave1.csv", "Wave2.sav", "wave10.csv"]));
        assert!(count_up(&["bus_2024_final.sav", "bus_2025_final.sav"]));
        assert!(!count_up(&["wave2.csv", "wave1.csv"]));
        assert!(!count_up(&["wave1.csv", "wave1.sav"]));
        assert!(!count_up(&["austria.csv", "germany.csv"]));
        assert!(!count_up(&["april1.csv", "may2.csv"]));
    }
}
