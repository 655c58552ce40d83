//! The axes of charts: their range, and the round numbers at which they have ticks.

use eval::report::MetricUnit;

/// Steps of an axis, approximately at most.
const STEPS: f64 = 4.0;

/// An axis that covers all values that it was made for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axis {
    pub(super) low: f64,
    pub(super) high: f64,
    step: f64,
}

impl Axis {
    /// Returns the axis that covers zero and all finite values.
    pub(super) fn of(values: impl Iterator<Item = f64>) -> Axis {
        let (low, high) = values
            .filter(|value| value.is_finite())
            .fold((0.0_f64, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        let high = if high > low { high } else { low + 1.0 };
        let span = high - low;
        let step = round(span / STEPS);
        let low = (low / step).floor() * step;
        let high = (high / step).ceil() * step;
        if step > 0.0 && [low, high, step].iter().all(|end| end.is_finite()) {
            Axis { low, high, step }
        } else {
            // The numbers are too large or too small to draw.
            Axis { low: 0.0, high: 1.0, step: 1.0 }
        }
    }

    /// Returns the axis for this unit: its whole range if the unit is bounded, else one that covers zero and all values.
    pub(super) fn of_unit(unit: MetricUnit, values: impl Iterator<Item = f64>) -> Axis {
        match unit {
            MetricUnit::Share => Axis { low: 0.0, high: 1.0, step: 0.25 },
            MetricUnit::Score => Axis { low: 1.0, high: 5.0, step: 1.0 },
            _ => Axis::of(values),
        }
    }

    /// Returns the position of a value on the axis, 0 to 1, clamped to the ends.
    pub(super) fn share(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
    }

    /// Returns the round numbers on the axis.
    pub(super) fn ticks(&self) -> impl Iterator<Item = f64> {
        let (low, step) = (self.low, self.step);
        let steps = ((self.high - low) / step).round().clamp(0.0, 10.0) as u32;
        (0..=steps).map(move |tick| {
            let value = low + f64::from(tick) * step;
            // The rounding error of a sum that should be zero.
            if value.abs() < step / 1e6 { 0.0 } else { value }
        })
    }
}

/// Returns the next of 1, 2, 5, 10, 20 and so on.
fn round(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    let leading = [1.0, 2.0, 5.0].into_iter().find(|one| step / power <= one + 1e-9);
    leading.unwrap_or(10.0) * power
}

/// Rounds a coordinate to a tenth of a unit.
pub(super) fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_axis_is_marked_at_round_numbers() {
        let ticks = |values: &[f64]| {
            let axis = Axis::of(values.iter().copied());
            axis.ticks().map(|tick| (tick * 1e6).round() / 1e6).collect::<Vec<f64>>()
        };
        assert_eq!(ticks(&[-0.32, 0.71]), [-0.5, 0.0, 0.5, 1.0]);
        assert_eq!(ticks(&[130.0]), [0.0, 50.0, 100.0, 150.0]);
        assert_eq!(ticks(&[]), [0.0, 0.5, 1.0]);
        assert_eq!(ticks(&[f64::INFINITY, -2.0]), [-2.0, -1.5, -1.0, -0.5, 0.0]);
    }

    proptest! {
        #[test]
        fn everything_stands_on_its_axis(values in prop::collection::vec(any::<f64>(), 0..6)) {
            let axis = Axis::of(values.iter().copied());
            prop_assert!(axis.low < axis.high && axis.ticks().count() <= 11);
            for value in values {
                prop_assert!((0.0..=1.0).contains(&axis.share(value)));
            }
        }
    }
}
