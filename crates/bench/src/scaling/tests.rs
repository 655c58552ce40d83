//! The simulation against what is known: measured figures, laws of queues, and what must hold whatever fails.

use clap::Parser;
use serde_json::Value;

use super::chance::Chance;
use super::database::{Database, Written};
use super::figures::Figures;
use super::provider::Provider;
use super::scenario::{Design, MILLISECOND, Micros, Outage, Pacing, SECOND, Scenario, sweep};
use super::simulation::simulate;

/// Returns a scenario of ten minutes in which nothing fails: one run a second, of twenty calls of five seconds.
fn calm() -> Scenario {
    Scenario {
        seed: 1,
        design: Design::Today,
        workers: 10,
        runs_at_once: 64,
        runs_per_day: 86_400.0,
        swing: 0.0,
        first_hour: 0.0,
        warm_up: 300 * SECOND,
        counted: 600 * SECOND,
        calls: (20, 20),
        reply_seconds: 5.0,
        reply_spread: 0.0,
        tokens_per_call: 4_000.0,
        providers: 1,
        requests_per_minute: 1e6,
        tokens_per_minute: 1e9,
        pacing: Pacing::Attempts,
        cores: 32.0,
        flush: MILLISECOND,
        wal_per_second: 200e6,
        max_connections: 5_000.0,
        outage: None,
        hasty: false,
        hours_to_crash: 0.0,
        hours_to_pause: 0.0,
    }
}

fn outage(seconds: u64) -> Option<Outage> {
    let from = 500 * SECOND;
    Some(Outage { from, until: from + seconds * SECOND })
}

#[track_caller]
fn assert_near(found: f64, expected: f64, share: f64) {
    assert!((found - expected).abs() <= expected * share, "{found} is not near {expected}");
}

fn used(figures: &Figures, name: &str) -> f64 {
    figures.used.iter().find(|(known, _)| *known == name).map_or(f64::NAN, |(_, share)| *share)
}

// proves: S3
#[test]
fn one_worker_does_as_many_runs_a_second_as_was_measured() {
    let measured = Scenario {
        workers: 1,
        runs_at_once: 1_000,
        runs_per_day: 400.0 * 86_400.0,
        warm_up: 30 * SECOND,
        counted: 30 * SECOND,
        calls: (12, 12),
        reply_seconds: 0.2,
        cores: 2.0,
        flush: 2_500,
        requests_per_minute: 1e9,
        tokens_per_minute: 1e12,
        ..calm()
    };
    let figures = simulate(measured);
    let runs = figures.rate("runs ended a second");
    assert!((300.0..=350.0).contains(&runs), "{runs} a second; measured were 319 to 351");
}

#[test]
fn as_many_runs_are_held_as_arrive_while_one_of_them_lasts() {
    let mut figures = simulate(calm());
    let lasts = figures.run_times.at(0.5);
    assert_near(lasts, 100.0, 0.02);
    assert_near(
        figures.rate("runs held on average"),
        figures.rate("runs ended a second") * lasts,
        0.1,
    );
    assert_near(figures.rate("calls a second"), 20.0, 0.1);
    assert_near(used(&figures, "workers: runs at once"), 100.0 / 640.0, 0.1);
    assert!(figures.rate("wait p99 s") < 0.1);
    assert_eq!((figures.repeated_calls, figures.partial), (0, 0));
}

#[test]
fn a_run_waits_where_all_workers_are_full() {
    let full = Scenario { workers: 1, ..calm() };
    let figures = simulate(full);
    assert_near(used(&figures, "workers: runs at once"), 1.0, 0.01);
    assert_near(figures.rate("runs ended a second"), 0.64, 0.05);
    assert!(figures.rate("wait p50 s") > 60.0);
    let unfinished = figures.queued_at_end + figures.held_at_end;
    assert!(unfinished > 250, "{unfinished}");
}

// With one core and work that always takes as long, the mean wait is ρ / (2 (1 − ρ)) times that.
#[test]
fn transactions_wait_for_a_core_as_the_law_says() {
    for load in [0.3, 0.5, 0.8] {
        let mut database = Database::new(&Scenario { cores: 1.0, ..calm() });
        let mut chance = Chance::new(7);
        let (mut now, mut waited) = (0, 0.0);
        let (count, takes) = (200_000, 1_000.0);
        for _ in 0..count {
            now += chance.draw_interval(load * 1_000.0);
            waited += (database.work(now, takes) - now) as f64 - takes;
        }
        let expected = load / (2.0 * (1.0 - load)) * takes;
        assert_near(waited / f64::from(count), expected, 0.05);
    }
}

#[test]
fn commits_of_one_moment_share_a_flush() {
    let mut database = Database::new(&calm());
    let durable: Vec<Micros> = (0..100).map(|_| database.make_durable(10, 1_000.0)).collect();
    assert_eq!((database.used.commits, database.used.flushes), (100, 2));
    assert!(durable.iter().all(|at| (1_010..=3_000).contains(at)), "{durable:?}");
    assert!(durable.is_sorted());
}

#[test]
fn a_writer_tries_again_for_a_minute() {
    let chance = &mut Chance::new(1);
    let mut short = Database::new(&Scenario { outage: outage(30), ..calm() });
    let before = short.write(499 * SECOND, 77.0, 3_000.0, chance);
    assert!(matches!(before, Written::At(at) if at < 500 * SECOND), "{before:?}");
    let cut_off = short.write(500 * SECOND - 100, 77.0, 3_000.0, chance);
    let away = short.write(510 * SECOND, 77.0, 3_000.0, chance);
    for written in [cut_off, away] {
        let Written::Again(at) = written else { panic!("{written:?}") };
        assert!((530 * SECOND..531 * SECOND).contains(&at));
    }
    let mut long = Database::new(&Scenario { outage: outage(90), ..calm() });
    let given_up = long.write(510 * SECOND, 77.0, 3_000.0, chance);
    assert_eq!(given_up, Written::GaveUp(570 * SECOND));
    assert!(matches!(long.write(540 * SECOND, 77.0, 3_000.0, chance), Written::Again(_)));
}

#[test]
fn a_provider_takes_what_its_limits_say() {
    let limits = Scenario { requests_per_minute: 6_000.0, ..calm() };
    let mut provider = Provider::new(&limits);
    // Two hundred a second for a minute, after what may come at once.
    let taken = (0..12_000).filter(|number| provider.ask(number * 5_000, 1.0).is_ok()).count();
    assert!((6_990..=7_001).contains(&taken), "{taken}");
    let few_tokens = Scenario { tokens_per_minute: 60_000.0, ..calm() };
    let mut provider = Provider::new(&few_tokens);
    assert!(provider.ask(0, 10_000.0).is_ok());
    assert_eq!(provider.ask(0, 3_500.0), Err(4 * SECOND));
    assert!(provider.ask(4 * SECOND, 3_500.0).is_ok());
}

// proves: S2
#[test]
fn throttled_runs_end_early_by_themselves_and_wait_in_a_line() {
    let throttled = Scenario { requests_per_minute: 600.0, counted: 1_200 * SECOND, ..calm() };
    let alone = simulate(throttled.clone());
    assert!(alone.partial > 0 && alone.rate("requests refused with 429") > 1_000.0);
    assert!(alone.rate("calls a second") <= 10.1);
    let in_line = simulate(Scenario { pacing: Pacing::Line, ..throttled.clone() });
    assert_eq!((in_line.partial, in_line.rate("requests refused with 429")), (0, 0.0));
    assert_near(in_line.rate("calls a second"), 9.5, 0.03);
    // The row lets one begin in two milliseconds at most, which is enough here and not beyond.
    let in_row = simulate(Scenario { pacing: Pacing::Row, ..throttled });
    assert_near(in_row.rate("calls a second"), in_line.rate("calls a second"), 0.01);
    let many = Scenario { runs_per_day: 30.0 * 86_400.0, workers: 100, ..calm() };
    let in_row = simulate(Scenario { pacing: Pacing::Row, ..many });
    assert_near(in_row.rate("calls a second"), 500.0, 0.05);
}

// proves: S2
#[test]
fn an_outage_loses_nothing_and_hasty_workers_take_each_other_s_runs_after_one_beyond_the_lease() {
    let away = |seconds, hasty| {
        let figures = simulate(Scenario { outage: outage(seconds), hasty, ..calm() });
        assert_eq!(figures.broken, Vec::<String>::new());
        assert!(figures.rate("oldest unfinished s") < 250.0, "{:?}", figures.rates);
        assert_eq!(figures.refused_submissions > 0, seconds > 60);
        figures
    };
    let short = away(10, true);
    assert_eq!((short.from_living, short.repeated_calls), (0, 0));
    let long = away(30, true);
    assert!(long.from_living > 20, "{}", long.from_living);
    assert!(long.refused_appends > 0 && long.repeated_calls > 0);
    let changed = away(30, false);
    assert_eq!((changed.from_living, changed.repeated_calls, changed.hindered), (0, 0, 0));
    let longer = away(90, false);
    assert!(longer.hindered > 0);
}

// proves: S2
#[test]
fn runs_of_a_dead_worker_go_on_elsewhere_and_one_that_wakes_up_is_refused() {
    let dying = Scenario { hours_to_crash: 0.2, ..calm() };
    let figures = simulate(dying);
    assert!(figures.crashes > 0 && figures.from_dead > 0 && figures.repeated_calls > 0);
    assert_eq!((figures.from_living, figures.refused_appends), (0, 0));
    let sleeping = Scenario { hours_to_pause: 0.2, ..calm() };
    let figures = simulate(sleeping);
    assert!(figures.pauses > 0 && figures.from_paused > 0 && figures.refused_appends > 0);
    assert_eq!((figures.from_living, figures.from_dead), (0, 0));
}

// proves: S2
#[test]
fn whatever_fails_nothing_is_lost_or_held_twice() {
    let mut chance = Chance::new(11);
    for seed in 0..40 {
        let figures = simulate(Scenario {
            seed,
            workers: 2 + chance.draw_index(30),
            runs_at_once: 1 + chance.draw_index(20),
            design: if chance.draw_index(2) == 0 { Design::Today } else { Design::Changed },
            runs_per_day: (1 + chance.draw_index(3)) as f64 * 20_000.0,
            calls: (1, 8),
            reply_spread: 1.0,
            reply_seconds: 1.0,
            requests_per_minute: [300.0, 3_000.0][chance.draw_index(2)],
            pacing: [Pacing::Attempts, Pacing::Row, Pacing::Line][chance.draw_index(3)],
            outage: outage([5, 30, 90][chance.draw_index(3)]),
            hasty: chance.draw_index(2) == 0,
            hours_to_crash: 0.1,
            hours_to_pause: 0.1,
            ..calm()
        });
        assert_eq!(figures.broken, Vec::<String>::new(), "seed {seed}");
        let done = figures.run_times.count() as u64 + figures.partial;
        assert!(done > 0 && done <= figures.submitted + 100, "seed {seed}: {done}");
    }
}

#[test]
fn the_same_seed_gives_the_same_figures() {
    let failing = Scenario { outage: outage(30), hours_to_crash: 0.5, ..calm() };
    let one = simulate(failing.clone());
    assert_eq!(one, simulate(failing.clone()));
    assert_ne!(one, simulate(Scenario { seed: 2, ..failing }));
}

#[test]
fn looks_into_the_queue_grow_with_workers_times_runs() {
    for (unfinished, measured) in [(1_000.0, 678.0), (5_000.0, 4_166.0), (20_000.0, 31_290.0)] {
        assert_near(sweep(unfinished), measured, 0.06);
    }
    let looks = |workers, design| {
        let many = Scenario { workers, design, ..calm() };
        used(&simulate(many), "database: looks into the queue")
    };
    assert_near(looks(1_000, Design::Today), 10.0 * looks(100, Design::Today), 0.3);
    assert!(looks(1_000, Design::Changed) < 0.05 * looks(1_000, Design::Today));
}

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: super::Args,
}

#[test]
fn the_command_prints_what_came_of_it() {
    let short = ["scaling", "--hours", "0.05", "--warm-up-minutes", "0", "--failover", "5"];
    let measure = |more: &[&str]| {
        let line = short.iter().chain(more);
        super::measure(&Line::try_parse_from(line).unwrap().args)
    };
    let one = measure(&["--workers", "3", "--runs-per-day", "20000", "--json"]).unwrap();
    let value: Value = serde_json::from_str(&one.report).unwrap();
    assert_eq!((&value["workers"], &value["broken"]), (&3.into(), &Value::Array(Vec::new())));
    assert_eq!(value["over_time"].as_array().map(Vec::len), Some(6));
    let text = measure(&["--workers", "3", "--runs-per-day", "20000"]).unwrap().report;
    assert!(text.contains("runs ended a second"), "{text}");
    let scales = measure(&["--scales"]).unwrap();
    assert_eq!((scales.report.lines().count(), scales.broken), (12, Vec::new()));
    assert!(measure(&["--fewest-calls", "9", "--most-calls", "8"]).is_err());
    assert!(measure(&["--workers", "0"]).is_err());
}
