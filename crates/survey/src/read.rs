//! Files as a project: which formats are read, which files belong together, and how a project is described.
//!
//! ```
//! use survey::read::{File, read_project};
//!
//! let data = File { name: "w1.csv".into(), bytes: b"gender,q5\n1,4\n2,5\n".to_vec() };
//! let codebook = "variable,label,values\ngender,Gender,1=Male|2=Female\nq5,Satisfied?,1=Very dissatisfied|5=Very satisfied\n";
//! let codebook = File { name: "w1.codebook.csv".into(), bytes: codebook.into() };
//! let project = read_project(&[data, codebook])?;
//! assert_eq!(project.studies[0].questions[1].kind, survey::study::Kind::Scale);
//! # Ok::<(), survey::read::ReadError>(())
//! ```
//!
//! # Formats
//!
//! | ending | format | its codebook |
//! |---|---|---|
//! | `.sav` `.zsav` | SPSS (feature `spss`) | in the file |
//! | `.csv` `.tsv` | CSV | `<stem>.codebook.csv`, `<stem>.codebook.json` or `<stem>.json` |
//! | `.xlsx` | the first sheet of an Excel file | its sheet `codebook`, or a file as for CSV |
//! | `.parquet` | Parquet, flat columns | a file as for CSV |
//! | `.sss` `.xml` | Triple-S, with `.asc`, `.dat`, `.csv` or `.txt` of the same stem | in the file |
//!
//! A codebook is a table as described in `read/codebook.rs`, or Quantipy's JSON metadata. If a file that describes
//! itself has a codebook too, the codebook is applied on top of what the file says.
//!
//! # survey.toml
//!
//! `docs/survey-files.md` describes this file and codebooks in more detail, for people who write them.
//!
//! Without it, every data file is a study with its stem as the id, in the order in which the files are given; if there
//! are two or more, a note says so. With it, only its entries are studies, in their order, which is the order of waves:
//!
//! ```toml
//! [[study]]
//! id = "W1"                          # needed: how expressions call it
//! title = "First wave, spring"
//! file = "wave1.csv"                 # needed; relative to survey.toml
//! codebook = "codebook.csv"          # else the one of its stem
//! weight = "wgt"                     # else as the data says; "none": nobody is weighed
//! segments = ["gender", "region"]    # ids of questions
//!
//! [study.questions.Q5]
//! text = "How satisfied are you with us?"
//! kind = "scale"                     # single, multi, scale, numeric, open
//! top = "lowest"                     # or "highest"
//! nets = [{ label = "Satisfied", answers = [1, 2] }]
//!
//! [[study.multi]]                    # a multiple-response set
//! id = "Q8"
//! text = "Brands known"
//! columns = ["q8_1", "q8_2"]
//! counted = 1                        # what stands where it was chosen; else found as a codebook's
//!
//! [[study.grid]]
//! id = "Q7"
//! text = "How important is …"
//! columns = ["q7_1", "q7_2"]
//! ```
//!
//! # Irregular data
//!
//! Files that cannot be read give a [`ReadError`]. Data that can be read but is irregular is handled as the module of
//! its format says, and reported in [`Study::notes`](crate::study::Study::notes).

mod cells;
mod codebook;
mod csv;
mod describe;
mod error;
mod files;
mod manifest;
mod names;
mod parquet;
mod quantipy;
mod questions;
mod rating;
mod raw;
#[cfg(feature = "spss")]
mod spss;
mod study;
mod text;
mod triple_s;
mod xlsx;

pub use error::ReadError;
pub use files::ENDINGS;

use crate::project::Project;

/// A file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its name, with its folders if it is in any: `data/wave1.sav`.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Reads files as a project: its studies, with their questions, weights and segments.
///
/// Studies are in the order of `files` unless `survey.toml` gives another.
///
/// Fails if a required file is missing, a file cannot be read, or a description is wrong.
pub fn read_project(files: &[File]) -> Result<Project, ReadError> {
    let plans = files::plans(files)?;
    let mut project = Project::default();
    let order: Vec<&str> = plans
        .iter()
        .filter(|plan| plan.wishes.is_none())
        .map(|plan| plan.data.name.as_str())
        .collect();
    for plan in &plans {
        for raw in files::raws(plan, files)? {
            let study = study::study(raw, plan)?;
            let same =
                project.studies.iter().find(|known| known.id.eq_ignore_ascii_case(&study.id));
            if let Some(known) = same {
                return Err(ReadError::SameId {
                    id: study.id,
                    first: known.origin.file.clone(),
                    second: study.origin.file,
                });
            }
            project.studies.push(study);
        }
    }
    project.is_ordered = order.is_empty() || names::count_up(&order);
    if let (2.., Some(first)) = (order.len(), project.studies.first_mut()) {
        first.notes.push(format!(
            "no survey.toml gives the order of the studies, so this order is used: {}",
            listed(&order)
        ));
    }
    Ok(project)
}

/// Returns a file name without folders and extension.
fn stem(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

/// Lists names for a note: the first five, and how many more there are.
fn listed(names: &[impl AsRef<str>]) -> String {
    let shown: Vec<&str> = names.iter().take(5).map(AsRef::as_ref).collect();
    let more = names.len().saturating_sub(shown.len());
    let shown = shown.join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

#[cfg(test)]
mod tests;
