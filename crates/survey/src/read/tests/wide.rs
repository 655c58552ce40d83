//! Files with very many columns.

use super::*;
use crate::figure::{Rules, Weighting};
use crate::table::banners;

const WIDE: usize = 1200;

/// Returns a study with a column for each question, to which every respondent gave one of some answers.
fn wide(answers: [&str; 3]) -> Study {
    let name = |column: usize| format!("v{column}");
    let mut lines = vec![(0..WIDE).map(name).collect::<Vec<_>>().join(",")];
    for row in 0..60 {
        let cells: Vec<&str> =
            (0..WIDE).map(|column| answers[(row + row / 7 * column) % 3]).collect();
        lines.push(cells.join(","));
    }
    one(&[file("wide.csv", lines.join("\n"))])
}

// proves: B9
#[test]
fn where_nothing_says_what_divides_people_the_first_questions_with_named_answers_do() {
    let study = wide(["north", "south", "west"]);
    assert_eq!(study.questions.len(), WIDE);
    assert_eq!(study.segments, (0..10).collect::<Vec<_>>());
    assert_eq!(study.notes.len(), 1);
    let told = "the first 10 of 1200 possible ones are used: v0";
    assert!(study.notes[0].contains(told), "{:?}", study.notes);
    let (segments, questions) = (study.segments.clone(), (0..WIDE).collect::<Vec<_>>());
    let project = Project { studies: vec![study], ..Project::default() };
    let tables =
        banners(&project, 0, &questions, &segments, Weighting::Study, &Rules::default()).unwrap();
    assert_eq!(tables.len(), WIDE);
    assert!(tables.iter().all(|table| table.columns.len() == 1 + 10 * 3));
}

// proves: B9
#[test]
fn numbers_that_nothing_explains_divide_nobody() {
    let study = wide(["1", "2", "3"]);
    assert_eq!((study.questions.len(), study.segments.len()), (WIDE, 0));
    assert_eq!(study.notes, [""; 0]);
}
