//! The order in which the shapes of a slide are read: from top to bottom, and from left to right where they stand side by side.

/// Where a shape stands, in any unit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) left: i64,
    pub(crate) top: i64,
    pub(crate) height: i64,
}

/// Returns shapes in reading order. Those with the same place keep their order.
///
/// A shape stands beside the first of a row if its top is above the middle of the lower of the two.
pub(crate) fn in_reading_order<T>(shapes: Vec<(Place, T)>) -> Vec<T> {
    let mut shapes = shapes;
    shapes.sort_by_key(|(place, _)| place.top);
    let mut order = Vec::with_capacity(shapes.len());
    let mut row: Vec<(Place, T)> = Vec::new();
    for shape in shapes {
        let beside = row.first().is_none_or(|(first, _)| {
            let half = first.height.min(shape.0.height).max(0) / 2;
            shape.0.top <= first.top.saturating_add(half)
        });
        if !beside {
            close(&mut row, &mut order);
        }
        row.push(shape);
    }
    close(&mut row, &mut order);
    order
}

fn close<T>(row: &mut Vec<(Place, T)>, order: &mut Vec<T>) {
    row.sort_by_key(|(place, _)| place.left);
    order.extend(row.drain(..).map(|(_, shape)| shape));
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A6
    #[test]
    fn columns_are_read_from_left_to_right_and_rows_from_top_to_bottom() {
        let at = |left, top, height, name| (Place { left, top, height }, name);
        let shapes = vec![
            at(0, 900, 100, "foot"),
            at(500, 195, 600, "right"),
            at(0, 200, 600, "left"),
            at(0, 0, 100, "title"),
        ];
        assert_eq!(in_reading_order(shapes), ["title", "left", "right", "foot"]);
        let far = vec![at(0, i64::MAX, i64::MAX, "b"), at(0, i64::MIN, i64::MIN, "a")];
        assert_eq!(in_reading_order(far), ["a", "b"]);
    }
}
