use proptest::prelude::*;

use super::*;

const SIGNED: Bounds = Bounds { low: f64::NEG_INFINITY, high: f64::INFINITY };

fn near(value: f64, expected: f64, within: f64) -> bool {
    (value - expected).abs() <= within
}

#[test]
fn the_distributions_are_those_of_the_tables() {
    for (degrees, t) in [(5.0, 2.5706), (9.0, 2.2622), (19.0, 2.0930), (99.0, 1.9842)] {
        assert!(near(student(degrees), t, 3e-3), "{degrees}: {}", student(degrees));
    }
    for (x, below) in [(-1.959_964, 0.025), (0.0, 0.5), (1.0, 0.841_344_7), (-3.0, 0.001_349_9)] {
        assert!(near(normal(x), below, 2e-7), "{x}: {}", normal(x));
    }
    // Hesterberg's table: 0.0086 for ten cases instead of 0.025.
    assert!(near(expanded(10), 0.0086, 5e-4), "{}", expanded(10));
    assert!(near(expanded(100_000), 0.025, 1e-4));
}

// proves: A8
#[test]
fn an_interval_is_about_as_wide_as_theory_has_it() {
    // 0.00, 0.01, …, 0.99: standard deviation 0.2901, so 1.984 * 0.02901 = 0.0576 to either side.
    let values: Vec<f64> = (0..100).map(|value| f64::from(value) / 100.0).collect();
    let Mean { value, low, high, of } = mean(&values, Bounds::SHARE).unwrap();
    assert!(near(value, 0.495, 1e-12) && of == 100);
    assert!(near(low, 0.495 - 0.0576, 0.004) && near(high, 0.495 + 0.0576, 0.004), "{low} {high}");
}

// proves: A8
#[test]
fn few_cases_and_cases_all_alike_say_how_little_they_say() {
    let of = |values: &[f64], bounds| mean(values, bounds).map(|mean| (mean.low, mean.high));
    assert_eq!(of(&[], Bounds::SHARE), None);
    assert_eq!(of(&[f64::NAN], Bounds::SHARE), None);
    // One right answer: any share from 0.025 on would bring it in more than one of forty tries.
    let (low, high) = of(&[1.0], Bounds::SHARE).unwrap();
    assert!(near(low, 0.025, 1e-12) && high == 1.0);
    // Ten of ten, after Clopper and Pearson.
    let (low, high) = of(&[1.0; 10], Bounds::SHARE).unwrap();
    assert!(near(low, 0.6915, 1e-4) && high == 1.0);
    // The next one may take any time.
    let unbounded = Bounds::of(MetricUnit::Milliseconds);
    let (low, high) = of(&[900.0, 1_100.0], unbounded).unwrap();
    assert!(low > 0.0 && low < 900.0 && high == f64::INFINITY, "{low} {high}");
    assert_eq!(of(&[2.0; 8], unbounded), Some((2.0, 2.0)));
}

// proves: A8
#[test]
fn a_difference_is_told_apart_only_where_a_coin_would_seldom_bring_it() {
    let pairs = |better: usize, same: usize| {
        let mut pairs = vec![(1.0, 0.0); better];
        pairs.extend(vec![(1.0, 1.0); same]);
        difference(&pairs, Bounds::SHARE).unwrap()
    };
    // Two-sided, a coin gives five of five in 6.25 % and six of six in 3.1 %.
    for (better, same, apart) in
        [(1, 0, false), (5, 0, false), (6, 0, true), (5, 10, false), (0, 30, false), (8, 10, true)]
    {
        let told = pairs(better, same);
        assert_eq!(told.is_told_apart(), apart, "{better} better, {same} same: {told:?}");
        assert_eq!(told.of, (better + same) as u64);
    }
    let one = difference(&[(4_000.0, 1_000.0)], Bounds::of(MetricUnit::Milliseconds)).unwrap();
    assert_eq!((one.value, one.low, one.high), (3_000.0, f64::NEG_INFINITY, f64::INFINITY));
    assert_eq!(difference(&[], Bounds::SHARE), None);
}

// proves: A8
#[test]
fn pairs_tell_apart_what_means_alone_do_not() {
    // Hard and easy questions differ far more than the arms do on each.
    let pairs: Vec<(f64, f64)> = (0..20)
        .map(|case| {
            let ease = f64::from(case) / 25.0;
            (ease + 0.08 + 0.02 * f64::from(case % 3), ease)
        })
        .collect();
    let [one, other] = [
        mean(&pairs.iter().map(|pair| pair.0).collect::<Vec<_>>(), Bounds::SHARE).unwrap(),
        mean(&pairs.iter().map(|pair| pair.1).collect::<Vec<_>>(), Bounds::SHARE).unwrap(),
    ];
    assert!(one.low < other.high, "their intervals overlap");
    assert!(difference(&pairs, Bounds::SHARE).unwrap().is_told_apart());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    // proves: A8
    #[test]
    fn the_order_of_cases_does_not_matter_and_the_interval_holds_the_mean(
        values in prop::collection::vec(0.0_f64..=1.0, 1..25),
        turn in any::<prop::sample::Index>(),
    ) {
        let one = mean(&values, Bounds::SHARE).unwrap();
        prop_assert!(one.low >= 0.0 && one.low <= one.value && one.value <= one.high && one.high <= 1.0, "{:?}", one);
        let mut turned = values.clone();
        turned.rotate_left(turn.index(values.len()));
        prop_assert_eq!(mean(&turned, Bounds::SHARE).unwrap(), one);
    }

    #[test]
    fn a_difference_the_other_way_round_has_its_sign_turned(
        pairs in prop::collection::vec((0_u8..4, 0_u8..4), 1..20),
    ) {
        let pairs: Vec<(f64, f64)> = pairs.into_iter().map(|(a, b)| (f64::from(a) / 4.0, f64::from(b) / 4.0)).collect();
        let back: Vec<(f64, f64)> = pairs.iter().rev().map(|(a, b)| (*b, *a)).collect();
        let (one, other) = (difference(&pairs, Bounds::SHARE).unwrap(), difference(&back, Bounds::SHARE).unwrap());
        prop_assert_eq!([one.value, one.low, one.high], [-other.value, -other.high, -other.low]);
        prop_assert!(one.low <= one.value && one.value <= one.high);
        prop_assert!(!one.is_told_apart() || one.of >= 6);
    }

    #[test]
    fn no_numbers_break_it(values in prop::collection::vec(any::<f64>(), 0..12)) {
        for bounds in [SIGNED, Bounds::of(MetricUnit::Tokens)] {
            let _ = mean(&values, bounds);
        }
    }
}

/// How often an interval covers the truth, and its mean length.
fn coverage(
    n: usize,
    truth: f64,
    bounds: Bounds,
    draw: impl Fn(&mut Pcg64) -> f64,
    interval: impl Fn(&[f64], f64, Bounds) -> (f64, f64),
) -> (f64, f64) {
    const TIMES: u32 = 1_000;
    let mut random = Pcg64::seed_from_u64(7 + n as u64);
    let (mut held, mut long) = (0_u32, 0.0);
    for _ in 0..TIMES {
        let values = sorted((0..n).map(|_| draw(&mut random)));
        let mean = crate::metrics::mean(&values).unwrap();
        let (low, high) = interval(&values, mean, bounds);
        held += u32::from(low <= truth && truth <= high);
        long += (high - low).min(99.0);
    }
    (f64::from(held) / f64::from(TIMES), long / f64::from(TIMES))
}

fn unit(random: &mut Pcg64) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// A draw from the standard normal distribution, after Box and Muller.
fn gauss(random: &mut Pcg64) -> f64 {
    let (one, other) = (1.0 - unit(random), unit(random));
    (-2.0 * one.ln()).sqrt() * (2.0 * std::f64::consts::PI * other).cos()
}

fn plain(sorted: &[f64], mean: f64, _: Bounds) -> (f64, f64) {
    if sorted.first() == sorted.last() {
        return (mean, mean);
    }
    let mut means = drawn(sorted);
    means.sort_by(f64::total_cmp);
    (percentile(&means, TAIL), percentile(&means, 1.0 - TAIL))
}

/// Bias-corrected and accelerated: Efron and Tibshirani, chapter 14.
fn bca(sorted: &[f64], mean: f64, _: Bounds) -> (f64, f64) {
    if sorted.first() == sorted.last() {
        return (mean, mean);
    }
    let mut means = drawn(sorted);
    means.sort_by(f64::total_cmp);
    let inverse = |share: f64| {
        let (mut low, mut high) = (-6.0, 6.0);
        for _ in 0..50 {
            let middle = (low + high) / 2.0;
            if normal(middle) < share { low = middle } else { high = middle }
        }
        (low + high) / 2.0
    };
    let below = means.iter().filter(|one| **one < mean - 1e-12).count() as f64;
    let even = means.iter().filter(|one| near(**one, mean, 1e-12)).count() as f64;
    let bias = inverse((below + even / 2.0) / means.len() as f64);
    let cubes: f64 = sorted.iter().map(|value| (value - mean).powi(3)).sum();
    let squares: f64 = sorted.iter().map(|value| (value - mean).powi(2)).sum();
    let skew = cubes / (6.0 * squares.powf(1.5));
    let at = |z: f64| {
        let z = bias + (bias + z) / (1.0 - skew * (bias + z));
        percentile(&means, normal(z))
    };
    (at(-1.959_964), at(1.959_964))
}

// The source of the figures in the module's documentation.
#[test]
#[ignore = "half a minute of simulation"]
fn coverage_of_the_three_kinds_of_interval() {
    type Draw = fn(&mut Pcg64) -> f64;
    type Lots = Box<dyn Fn(&mut Pcg64) -> f64>;
    let open = Bounds { low: 0.0, high: f64::INFINITY };
    let signed = Bounds::SHARE.of_differences();
    let coin = |p: f64| move |random: &mut Pcg64| f64::from(u8::from(unit(random) < p));
    let kinds: [(&str, f64, Bounds, Lots); 7] = [
        ("right or wrong, 0.5", 0.5, Bounds::SHARE, Box::new(coin(0.5))),
        ("right or wrong, 0.8", 0.8, Bounds::SHARE, Box::new(coin(0.8))),
        ("right or wrong, 0.95", 0.95, Bounds::SHARE, Box::new(coin(0.95))),
        ("evenly 0 to 1", 0.5, Bounds::SHARE, Box::new(unit as Draw)),
        ("log-normal", 0.5_f64.exp(), open, Box::new(|random: &mut Pcg64| gauss(random).exp())),
        (
            "+1, 0, -1 with 0.2, 0.6, 0.2",
            0.0,
            signed,
            Box::new(|random: &mut Pcg64| {
                let lot = unit(random);
                if lot < 0.2 {
                    1.0
                } else if lot < 0.4 {
                    -1.0
                } else {
                    0.0
                }
            }),
        ),
        ("normal", 0.0, SIGNED, Box::new(gauss as Draw)),
    ];
    let differences = |sorted: &[f64], _: f64, _: Bounds| {
        let pairs: Vec<(f64, f64)> = sorted.iter().map(|value| (*value, 0.0)).collect();
        let told = difference(&pairs, Bounds::SHARE).unwrap();
        (told.low, told.high)
    };
    for (name, truth, bounds, draw) in &kinds {
        for n in [3, 5, 6, 10, 15, 20, 50] {
            let all = [interval, plain, bca].map(|kind: fn(&[f64], f64, Bounds) -> (f64, f64)| {
                let (held, long) = coverage(n, *truth, *bounds, draw, kind);
                format!("{held:.3} ({long:.2})")
            });
            let paired = if name.starts_with('+') {
                format!("{:.3}", coverage(n, *truth, *bounds, draw, differences).0)
            } else {
                String::new()
            };
            println!(
                "{name:30} n={n:<3} ours {} plain {} bca {} paired {paired}",
                all[0], all[1], all[2]
            );
        }
    }
}
