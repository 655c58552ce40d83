//! The names of sheets.

use std::collections::HashSet;

use crate::table::Table;

/// The longest name that spreadsheet programs allow, in UTF-16 units.
const LONGEST: usize = 31;
/// The index, and a name that one program reserves.
const TAKEN: [&str; 2] = ["index", "history"];

/// The name of the index.
pub(super) const INDEX: &str = "Index";

/// Returns a name for the sheet of each table: study and question, unique regardless of case.
pub(super) fn of(tables: &[Table]) -> Vec<String> {
    let mut taken: HashSet<String> = TAKEN.map(str::to_owned).into();
    tables
        .iter()
        .map(|table| {
            let wished = plain(&format!("{} {}", table.study, table.question));
            let mut name = cut(&wished, LONGEST);
            let mut number = 2;
            while !taken.insert(name.to_lowercase()) {
                let more = format!(" ({number})");
                name = format!("{}{more}", cut(&wished, LONGEST - more.len()));
                number += 1;
            }
            name
        })
        .collect()
}

/// Returns a text of letters, digits and little else: names are part of links, where other characters have a meaning.
fn plain(text: &str) -> String {
    let allowed = |c: char| c.is_alphanumeric() || " -_.()".contains(c);
    let plain: String = text.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    plain.trim().to_owned()
}

fn cut(text: &str, most: usize) -> String {
    let mut units = 0;
    let fits = |c: &char| {
        units += c.len_utf16();
        units <= most
    };
    text.chars().take_while(fits).collect::<String>().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::example;

    fn named(questions: &[&str]) -> Vec<String> {
        let table = |question: &&str| Table {
            study: "W1".into(),
            question: (*question).into(),
            ..example::table()
        };
        of(&questions.iter().map(table).collect::<Vec<_>>())
    }

    #[test]
    fn names_are_short_plain_and_each_its_own() {
        let long = "satisfaction_with_the_ticket_machines_at_the_stations";
        assert_eq!(
            named(&["Q5", "q5", "Q1[a]/b", long, long, "Q5"]),
            [
                "W1 Q5",
                "W1 q5 (2)",
                "W1 Q1_a__b",
                "W1 satisfaction_with_the_ticket",
                "W1 satisfaction_with_the_ti (2)",
                "W1 Q5 (3)"
            ]
        );
    }

    proptest! {
        #[test]
        fn any_ids_give_names_that_a_workbook_takes(ids in prop::collection::vec(any::<String>(), 0..20)) {
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            let names = named(&ids);
            let mut seen = HashSet::new();
            for name in &names {
                prop_assert!(name.encode_utf16().count() <= LONGEST && !name.is_empty());
                prop_assert!(!name.contains(['[', ']', ':', '*', '?', '/', '\\', '\'']), "{}", name);
                prop_assert!(seen.insert(name.to_lowercase()));
            }
        }
    }
}
