//! The examples: documents and survey data in the program, and a question over each.
//!
//! Somebody who has brought nothing yet sees with them what an answer looks like. They are answered without a model, so that they cost
//! nothing and nothing leaves the machine.

use include_dir::{Dir, File, include_dir};
use methods::order::Order;

static CHOLERA: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../examples/cholera");
static MARKET: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../examples/market");
static SURVEY: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../examples/survey");

/// The endings of the files of a survey; beside them lies what made them.
const SURVEY_FILES: [&str; 2] = ["csv", "toml"];

pub(crate) const ALL: [Example; 3] = [
    Example {
        name: "pump",
        title: "The Broad Street pump",
        shows: "An answer from eight documents on cholera, with a quote for each sentence.",
        method: "ask",
        question: "Why was the handle of the Broad Street pump removed, and did that end the outbreak?",
        material: Material::Documents("example-cholera"),
        folder: &CHOLERA,
    },
    Example {
        name: "bus",
        title: "A survey of bus passengers",
        shows: "A summary of two survey waves, with every figure computed from the data.",
        method: "brief",
        question: "How satisfied are passengers, and who is not?",
        material: Material::Survey("example-bus"),
        folder: &SURVEY,
    },
    Example {
        name: "contracts",
        title: "The market for contract review software",
        shows: "Market size, competitors and buyers from four notes. You approve the plan first.",
        method: "market",
        question: "I want to explore the market for contract review software",
        material: Material::Documents("example-market"),
        folder: &MARKET,
    },
];

/// A question over material in the program.
pub(crate) struct Example {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// What the example shows.
    pub(crate) shows: &'static str,
    pub(crate) method: &'static str,
    pub(crate) question: &'static str,
    pub(crate) material: Material,
    folder: &'static Dir<'static>,
}

/// The collection or the survey that the files of an example become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Material {
    Documents(&'static str),
    Survey(&'static str),
}

impl Example {
    pub(crate) fn find(name: &str) -> Option<&'static Example> {
        const { &ALL }.iter().find(|example| example.name == name)
    }

    /// Returns the order of its run.
    pub(crate) fn order(&self) -> Order {
        let order = Order {
            method: self.method.into(),
            question: self.question.into(),
            offline: true,
            ..Order::default()
        };
        match self.material {
            Material::Survey(survey) => Order { survey: Some(survey.into()), ..order },
            Material::Documents(collection) if self.method == "market" => Order {
                collection: Some(collection.into()),
                sources: Some(vec![]),
                clarify: Some(false),
                ..order
            },
            Material::Documents(collection) => {
                Order { collection: Some(collection.into()), ..order }
            }
        }
    }

    /// Returns its files by name, those of folders below among them.
    pub(crate) fn files(&self) -> Vec<(&'static str, &'static [u8])> {
        let mut files: Vec<&File<'static>> = Vec::new();
        let mut folders = vec![self.folder];
        while let Some(folder) = folders.pop() {
            files.extend(folder.files());
            folders.extend(folder.dirs());
        }
        let named = files.into_iter().filter_map(|file| {
            let ending = file.path().extension()?.to_str()?;
            let is_read = match self.material {
                Material::Documents(_) => true,
                Material::Survey(_) => SURVEY_FILES.contains(&ending),
            };
            Some((file.path().file_name()?.to_str()?, file.contents())).filter(|_| is_read)
        });
        let mut named: Vec<_> = named.collect();
        named.sort_unstable_by_key(|(name, _)| *name);
        named
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: F3
    #[test]
    fn every_example_has_its_files_and_asks_nobody() {
        for example in &ALL {
            let names: Vec<&str> = example.files().into_iter().map(|(name, _)| name).collect();
            match example.name {
                "pump" => assert_eq!(names.len(), 8, "{names:?}"),
                "bus" => assert_eq!(
                    names,
                    [
                        "survey.toml",
                        "wave1.codebook.csv",
                        "wave1.csv",
                        "wave2.codebook.csv",
                        "wave2.csv"
                    ]
                ),
                _ => assert_eq!(names, ["buyers.md", "law-firms.md", "risks.md", "vendors.md"]),
            }
            assert!(example.files().iter().all(|(_, bytes)| !bytes.is_empty()));
            assert!(example.order().offline);
        }
    }
}
