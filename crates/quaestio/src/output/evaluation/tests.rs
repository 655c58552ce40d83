//! Reports of evaluations with a judge, with one that is noise, and without a model.

mod sample;

use std::sync::OnceLock;

use eval::compare::{ComparedReports, compare};
use eval::report::Report;

use self::sample::{judged, report, sample_dataset};
use super::*;
use fakes::hostile::{Written, keeps_its_form};

/// Returns the reports, which are made once because that takes a while.
fn reports() -> [(&'static str, Report); 3] {
    static REPORTS: OnceLock<[(&str, Report); 3]> = OnceLock::new();
    let made = || {
        let dataset = sample_dataset();
        [
            ("judged", report("e1", "model", Some(&judged(&dataset, true)), 2)),
            ("noise", report("e2", "model", Some(&judged(&dataset, false)), 1)),
            ("offline", report("e3", "offline", None, 1)),
        ]
    };
    REPORTS.get_or_init(made).clone()
}

fn sample_comparison() -> ComparedReports {
    static COMPARED: OnceLock<ComparedReports> = OnceLock::new();
    let made = || {
        let [(_, first), _, (_, second)] = reports();
        compare(&second, &first, None).unwrap()
    };
    COMPARED.get_or_init(made).clone()
}

// proves: A8, C18
#[test]
fn a_report_holds_all_there_is() {
    for (name, report) in reports() {
        insta::assert_snapshot!(format!("{name}_md"), markdown(&report));
    }
    insta::assert_snapshot!("compared_md", comparison_markdown(&sample_comparison()));
}

// proves: A8
#[test]
fn a_judge_that_is_noise_is_told_as_noise_wherever_it_speaks() {
    let [_, (_, report), _] = reports();
    assert!(report.judge.as_ref().unwrap().is_noise);
    for page in [markdown(&report), page(&report)] {
        let summary = page.split("Arms").next().unwrap();
        assert!(
            summary.contains("The judge's scores cannot be distinguished from noise"),
            "{summary}"
        );
        assert!(!summary.contains("the judge preferred it"), "{summary}");
        assert!(!summary.contains("judge:"), "what it said is told as a difference: {summary}");
        assert!(
            page.contains("Judge (not told from noise)")
                || page.contains("Judge \\(not told from noise\\)")
        );
        assert!(page.contains("the judge is not told from noise"));
    }
    let [(_, sensible), ..] = reports();
    let page = markdown(&sensible);
    assert!(
        !page.contains("not told from noise") && page.contains("the judge preferred it in"),
        "{page}"
    );
}

/// Returns the content of every tag of a page, without its brackets.
fn tags(html: &str) -> Vec<&str> {
    html.split('<').skip(1).map(|tag| tag.split('>').next().unwrap()).collect()
}

// proves: A8
#[test]
fn the_page_fetches_nothing_runs_nothing_and_is_well_formed() {
    let pages = reports().map(|(_, report)| page(&report));
    for html in pages.into_iter().chain([comparison_page(&sample_comparison())]) {
        assert_eq!(html.matches("<h1>").count(), 1);
        assert!(html.contains("default-src 'none'; style-src 'unsafe-inline'"));
        for forbidden in [
            "http://",
            "https://",
            "url(",
            "@import",
            "src=",
            "href=",
            "javascript:",
            " on",
            "NaN",
            "inf ",
        ] {
            let within = tags(&html).into_iter().find(|tag| tag.contains(forbidden));
            assert_eq!(within, None, "{forbidden}");
        }
        const VOID: [&str; 5] = ["meta", "br", "hr", "!doctype", "path"];
        let mut open: Vec<&str> = Vec::new();
        for tag in tags(&html) {
            let name = tag.trim_end_matches('/').split_whitespace().next().unwrap();
            assert!(
                !["script", "img", "a", "iframe", "link", "object", "form", "base", "use", "image"]
                    .contains(&name),
                "{tag}"
            );
            if let Some(name) = name.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name), "{tag}");
            } else if !tag.ends_with('/') && !VOID.contains(&name) {
                open.push(name);
            }
        }
        assert_eq!(open, Vec::<&str>::new());
    }
}

// proves: A8
#[test]
fn every_difference_is_drawn_and_what_may_be_chance_is_hollow() {
    let [(_, report), ..] = reports();
    let html = page(&report);
    let drawn = report.comparisons.iter().map(|one| one.differences.len()).sum::<usize>();
    let worth = report.arms.len() * 2;
    assert_eq!(html.matches("<circle").count(), drawn + worth);
    let chance = report
        .comparisons
        .iter()
        .flat_map(|one| one.differences.values())
        .filter(|difference| !difference.is_told_apart());
    assert_eq!(html.matches("r=\"4\" fill=\"none\"").count(), chance.count());
    assert!(html.contains("better to the left") && html.contains("better to the right"));
}

/// Returns a report with `text` everywhere a dataset, a model or a user may put one.
fn filled(text: &str) -> Report {
    let [(_, mut report), ..] = reports();
    let put = || text.to_owned();
    (report.id, report.dataset.name) = (put(), put());
    report.parameters = [(put(), put())].into();
    let named = |name: &mut String| *name = format!("{text}{name}");
    report.arms.iter_mut().for_each(|arm| named(&mut arm.name));
    for comparison in &mut report.comparisons {
        named(&mut comparison.arm);
        named(&mut comparison.against);
    }
    report.metrics.iter_mut().for_each(|line| (line.name, line.meaning) = (put(), put()));
    report.notes = vec![put(), put()];
    if let Some(judge) = &mut report.judge {
        (judge.model, judge.rubric, judge.verdict) = (put(), put(), put());
    }
    if let Some(of_reports) = &mut report.report_judge {
        let judge = &mut of_reports.judge;
        (judge.model, judge.rubric, judge.verdict) = (put(), put(), put());
        of_reports.criteria = put();
    }
    for line in &mut report.cases {
        for pair in &mut line.reports {
            named(&mut pair.arm);
            named(&mut pair.against);
            for score in &mut pair.scores {
                (score.criterion, score.dimension, score.reason) = (put(), put(), put());
            }
        }
        let case = &mut line.case;
        (case.id, case.question, case.rubric) = (put(), put(), put());
        (case.answers, case.expects) = (vec![put(), put()], vec![put()]);
        case.relevant = [(put(), 2)].into();
        for arm in &mut line.arms {
            let one = &mut arm.observation;
            named(&mut one.arm);
            (one.run, one.answer) = (put(), put());
            (one.cited, one.error) = (vec![put()], one.error.as_ref().map(|_| put()));
        }
    }
    report
}

fn written(page: String, markdown: String) -> Written {
    Written { page, fragment: String::new(), markdown }
}

// proves: A8, F6
#[test]
fn no_text_of_a_dataset_or_an_answer_is_more_than_a_text() {
    keeps_its_form(|text| {
        let report = filled(text);
        written(page(&report), markdown(&report))
    });
}

// proves: A8, F6
#[test]
fn no_text_of_a_comparison_is_more_than_a_text() {
    keeps_its_form(|text| {
        let report = filled(text);
        let mut compared = sample_comparison();
        (compared.first.id, compared.second.id) = (text.to_owned(), text.to_owned());
        (compared.first.mode, compared.first.dataset.name) = (text.to_owned(), text.to_owned());
        compared.notes = vec![text.to_owned()];
        compared.changed = [(text.to_owned(), [Some(text.to_owned()), None])].into();
        for arms in &mut compared.arms {
            (arms.first, arms.second) = (format!("{text}a"), format!("{text}b"));
        }
        let lines = report.cases.into_iter();
        for (one, line) in compared.cases.iter_mut().zip(lines) {
            one.case = line.case;
            for (pair, arm) in one.arms.iter_mut().zip(line.arms) {
                *pair = [arm.clone(), arm];
            }
        }
        written(comparison_page(&compared), comparison_markdown(&compared))
    });
}

/// Writes the pages to the folder that the variable names, for a person to inspect.
#[test]
#[ignore = "writes files to look at"]
fn pages_to_look_at() {
    let Ok(folder) = std::env::var("QUAESTIO_PAGES") else { return };
    for (name, report) in reports() {
        std::fs::write(format!("{folder}/{name}.html"), page(&report)).unwrap();
    }
    std::fs::write(format!("{folder}/compared.html"), comparison_page(&sample_comparison()))
        .unwrap();
}
