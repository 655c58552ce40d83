//! Several studies together, and the questions that they share.

use crate::study::Study;

/// The studies of a project, in the order in which they were done.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Project {
    pub studies: Vec<Study>,
}

impl Project {
    /// Returns the place of a study that is called by its id, whatever its case.
    pub fn study(&self, id: &str) -> Option<usize> {
        self.studies
            .iter()
            .position(|study| study.id == id)
            .or_else(|| self.studies.iter().position(|one| one.id.eq_ignore_ascii_case(id)))
    }
}
