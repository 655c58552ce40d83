//! A figure through several studies.

use super::{Comparison, Correction, Figure, FigureError, Rules, Spec};
use crate::adjust::adjusted;
use crate::project::Project;

/// A figure of a trend.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The id of the study.
    pub study: String,
    pub figure: Figure,
    /// This figure minus the previous one; `None` for the first.
    pub change: Option<Comparison>,
}

impl Project {
    /// Returns a figure for each of several studies, in their order, and the change from each to the next.
    ///
    /// The family of [`Rules::correction`] is all these changes.
    ///
    /// # Errors
    ///
    /// Fails if a figure or a comparison does.
    pub fn trend(&self, specs: &[Spec], rules: &Rules) -> Result<Vec<Point>, FigureError> {
        let mut points: Vec<Point> = vec![];
        for (number, spec) in specs.iter().enumerate() {
            let before = number.checked_sub(1).and_then(|before| specs.get(before));
            points.push(Point {
                study: self
                    .studies
                    .get(spec.study)
                    .map_or_else(String::new, |study| study.id.clone()),
                figure: self.figure(spec, rules)?,
                change: before.map(|before| self.compare(spec, before, rules)).transpose()?,
            });
        }
        let p_values: Vec<Option<f64>> =
            points.iter().map(|point| point.change.as_ref().and_then(|change| change.p)).collect();
        let tested = p_values.iter().flatten().count();
        for (point, p) in points.iter_mut().zip(adjusted(rules.correction, &p_values)) {
            let Some(change) = point.change.as_mut().filter(|change| change.p.is_some()) else {
                continue;
            };
            change.p = p;
            change.significant = p.is_some_and(|p| p < rules.alpha);
            let name = match rules.correction {
                Correction::None => continue,
                Correction::Holm => "Holm",
                Correction::BenjaminiHochberg => "Benjamini and Hochberg",
            };
            change.told = format!("{}, corrected by {name} over {tested} changes", change.told);
        }
        Ok(points)
    }
}
