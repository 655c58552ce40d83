//! The figures of a run as statements: worded by the program, numbered in order of arrival, and cited by their addresses.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use ::grounding::address::{Address, cited};
use ::grounding::check::{Figure, Label};
use run::evidence::{EvidenceKind, Numbered, Passage};
use run::ledger::Claim;
use run::material::figures_metadata;
use run::{Result, Run};
use survey::expression::Unit;
use survey::statement::{Finding, Language};

use super::payload::{FigureTold, Worded};
use super::state::line;
use crate::grounded::docket::addresses_in;

/// A finding in words, with its figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Stated {
    pub(super) text: String,
    finding: Finding,
    /// The compared figures come before their difference.
    pub(super) figures: Vec<FigureTold>,
}

impl Stated {
    pub(super) fn of(finding: Finding, figures: Vec<FigureTold>, language: Language) -> Stated {
        Stated { text: finding.words(language), finding, figures }
    }

    /// Returns it as shown to agents: its address and text, with the expressions of its figures below.
    fn told(&self, number: u32) -> String {
        let mut told = format!("[F{number}] {}\n", self.text);
        for figure in &self.figures {
            let _ = writeln!(told, "    {}", line(figure));
        }
        told
    }
}

/// Returns a finding in words as evidence, with labels for each of its numbers.
pub fn passage(finding: &Finding, words: &str) -> Passage {
    let first = finding.figures.first();
    let name = first.map_or_else(String::new, |one| format!("{}/{}", one.study, one.question));
    let title = first.map_or_else(String::new, |one| one.wording.clone());
    let mut passage = Passage::whole(EvidenceKind::Survey, &name, title, words.to_owned());
    passage.place.section = finding.heading();
    let figures = finding.figures.iter().map(|one| Figure {
        value: one.shown.clone(),
        // A count is its own base.
        base: if one.unit == Unit::Count { String::new() } else { one.base.to_string() },
        labels: one
            .labels
            .iter()
            .map(|label| Label {
                names: label.names.clone(),
                parts: label.parts.clone(),
                others: label.others.clone(),
                in_time: label.in_time.clone(),
            })
            .collect(),
    });
    let mut figures: Vec<Figure> = figures.collect();
    // The program may have done the subtraction for the writer.
    figures.extend(finding.difference.iter().map(|one| Figure {
        value: one.shown.trim_start_matches(['+', '-', '−']).to_owned(),
        ..Figure::default()
    }));
    passage.metadata = figures_metadata(&figures);
    passage
}

/// Every statement of a run, by its number.
#[derive(Default)]
pub(super) struct Statements {
    pub(super) evidence: Vec<Numbered>,
    stated: BTreeMap<u32, Stated>,
}

impl Statements {
    /// Adds statements to the run; returns their numbers.
    pub(super) fn cite(&mut self, run: &Run, all: Vec<Stated>) -> Result<Vec<u32>> {
        let cited = run.cite(all.iter().map(|one| passage(&one.finding, &one.text)).collect())?;
        let mut numbers = Vec::new();
        for (stated, numbered) in all.into_iter().zip(cited) {
            numbers.push(numbered.number);
            if self.stated.insert(numbered.number, stated).is_none() {
                self.evidence.push(numbered);
            }
        }
        Ok(numbers)
    }

    /// Returns statements as shown to agents.
    pub(super) fn told(&self, numbers: &[u32]) -> String {
        let all = numbers.iter().filter_map(|number| Some((number, self.stated.get(number)?)));
        all.map(|(number, stated)| stated.told(*number)).collect()
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.stated.values().map(|stated| stated.text.as_str())
    }

    /// Returns the numbers of the statements that a claim cites.
    pub(super) fn numbers(&self, claim: &Claim) -> Vec<u32> {
        let addresses = claim.citations.iter().filter_map(|one| one.address.as_deref());
        addresses
            .flat_map(|address| Named::of("", &[address.to_owned()]).figures)
            .filter(|number| self.stated.contains_key(number))
            .collect()
    }

    /// Returns the statements that the marks of a ledger stand for.
    pub(super) fn cited(&self, ledger: &[Claim]) -> Vec<Worded> {
        let mut cited: BTreeMap<u32, Worded> = BTreeMap::new();
        for citation in ledger.iter().flat_map(|claim| &claim.citations) {
            let (Some(number), Some(address)) = (citation.number, &citation.address) else {
                continue;
            };
            let numbers = Named::of("", std::slice::from_ref(address)).figures;
            let stated = numbers.first().and_then(|number| self.stated.get(number));
            cited.extend(stated.map(|stated| {
                let worded = Worded {
                    number,
                    address: address.clone(),
                    text: stated.text.clone(),
                    question: citation.title.clone(),
                    figures: stated.figures.clone(),
                };
                (number, worded)
            }));
        }
        cited.into_values().collect()
    }

    /// Returns the figures in the cited statements that the claim states, or all of them if it states none.
    pub(super) fn figures(&self, claim: &Claim) -> Vec<FigureTold> {
        let numbers = self.numbers(claim);
        let stated = numbers.iter().filter_map(|number| self.stated.get(number));
        let mut all: Vec<FigureTold> = Vec::new();
        for figure in stated.flat_map(|stated| &stated.figures) {
            if !all.contains(figure) {
                all.push(figure.clone());
            }
        }
        let text = claim.text.replace(',', ".");
        let is_told = |figure: &FigureTold| {
            let digits = figure.shown.split_whitespace().next().unwrap_or_default();
            text.contains(digits.trim_start_matches(['+', '-', '−']))
        };
        let told: Vec<FigureTold> = all.iter().filter(|one| is_told(one)).cloned().collect();
        if told.is_empty() { all } else { told }
    }
}

/// What a sentence names: statements by their numbers, findings and gaps by their ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) figures: Vec<u32>,
    pub(super) findings: Vec<String>,
    pub(super) gaps: Vec<String>,
}

impl Named {
    /// Reads the addresses in a text, and those in `beside`.
    pub(super) fn of(text: &str, beside: &[String]) -> Named {
        let mut named = Named::default();
        for address in cited(text).into_iter().flat_map(|one| one.addresses) {
            named.add(address);
        }
        for one in beside {
            let bare = one.trim().trim_matches(['[', ']']);
            match bare.strip_prefix(['g', 'G']) {
                Some(number) => named.gaps.push(format!("g{number}")),
                None => {
                    addresses_in(&bare.to_uppercase()).into_iter().for_each(|one| named.add(one));
                }
            }
        }
        named
    }

    fn add(&mut self, address: Address) {
        match address {
            Address::Claim(number) => self.findings.push(format!("c{number}")),
            Address::Figure(number)
            | Address::Passage(number)
            | Address::Statements { passage: number, .. } => self.figures.push(number),
        }
    }

    /// Returns the addresses of its statements.
    pub(super) fn cites(&self) -> Vec<String> {
        self.figures.iter().map(|number| format!("F{number}")).collect()
    }
}
