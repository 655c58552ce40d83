//! The second reader: an agent that is shown claims and what they cite, and nothing else.
//!
//! It can only refuse a claim or pass it, whatever the claim or a statement says. Batches of claims are read concurrently; conclusions are
//! read once it is known which of the claims that they rest on hold. A claim that was not read does not hold.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use futures::future::join_all;
use grounding::check::{Context, Fault, Ground, Shown};
use grounding::derive::{Derivation, evaluate};
use run::ledger::Verdict;
use run::material::Material;
use run::settings::Calibration;
use run::{Agent, Reply, Result, Run, Stop};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::binding::conclusion_faults;
use super::counted;
use super::entry::{Entry, Kind};
use crate::Calls;

pub(crate) const READER: Agent = Agent {
    name: "reader",
    prompt: "ledger/reader",
    text: include_str!("../../prompts/ledger/reader.md"),
};

/// Maximum claims in one call.
const BATCH: usize = 15;
/// Approximate bytes of claims and statements in one call.
const BATCH_BYTES: usize = 24_000;

/// What a reader says of some claims.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Readings {
    /// One for each claim, in order.
    #[schemars(length(max = 2 * BATCH))]
    readings: Vec<ReadingOfClaim>,
}

/// What a reader says of one claim.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct ReadingOfClaim {
    /// The number of the claim.
    claim: u32,
    /// What decides it, in one short sentence.
    #[schemars(length(max = 300))]
    reason: String,
    /// How the numbers come about that stand in the claim and not in its statements.
    derivations: Vec<Derivation>,
    /// The words of the claim that go beyond its statements.
    beyond: String,
    verdict: Judgement,
}

/// Whether a claim is borne out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Judgement {
    Supported,
    Follows,
    Partly,
    Contradicted,
    #[default]
    Unrelated,
}

impl Reply for Readings {
    fn check(&self) -> std::result::Result<(), String> {
        if self.readings.is_empty() { Err("`readings` is empty".into()) } else { Ok(()) }
    }
}

/// A claim as shown to a reader.
#[derive(Debug, Clone)]
pub(crate) struct Exhibit {
    pub(crate) claim: String,
    pub(crate) kind: Kind,
    pub(crate) is_cell: bool,
    pub(crate) grounds: Vec<Ground>,
    /// Claims that it rests on.
    pub(crate) basis: Vec<String>,
    /// The faults that the program found.
    pub(crate) faults: Vec<Fault>,
    /// Numbers missing from its statements that the asker gave.
    pub(crate) asked: Vec<String>,
}

impl Exhibit {
    /// Returns the numbers that a reader has to account for, each once.
    fn missing(&self) -> Vec<&str> {
        collect_missing(&self.faults)
    }
}

/// The outcome of reading a claim.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) verdict: Verdict,
    pub(crate) faults: Vec<Fault>,
    pub(crate) derivations: Vec<Derivation>,
}

/// Has the claims from the entry `from` on read, and then the conclusions and headings.
pub(crate) async fn read(
    run: &Run,
    entries: &mut [Entry],
    from: usize,
    material: &Material<'_>,
    question: &str,
) -> Result<()> {
    let of = |entries: &[Entry], chosen: &dyn Fn(&Entry) -> bool| -> Vec<usize> {
        let chosen = entries.iter().enumerate().skip(from).filter(|(_, entry)| chosen(entry));
        chosen.map(|(index, _)| index).collect()
    };
    let cited = of(entries, &|entry| {
        matches!(entry.kind, Kind::Cited | Kind::Uncited)
            && !entry.holds()
            && !entry.places.is_empty()
            && may_be_read(&entry.faults)
    });
    read_round(run, "claims", &cited, entries, material, question).await?;
    // A claim that cites nothing, or lacks only a number, may still follow from what stands around it.
    for entry in entries.iter_mut().skip(from).filter(|entry| !entry.holds()) {
        let lacks_a_number = !entry.faults.is_empty() && may_be_read(&entry.faults);
        if entry.kind == Kind::Uncited && !entry.basis.is_empty() {
            entry.places.clear();
        } else if entry.kind == Kind::Cited && lacks_a_number && !entry.around.is_empty() {
            entry.basis.extend(std::mem::take(&mut entry.around));
        } else {
            continue;
        }
        entry.kind = Kind::Conclusion;
        entry.faults.clear();
    }
    let concluded = of(entries, &|entry| {
        matches!(entry.kind, Kind::Conclusion | Kind::Heading) && !entry.holds()
    });
    settle_bases(&concluded, entries, material, question);
    let to_read: Vec<usize> = concluded
        .into_iter()
        .filter(|index| entries.get(*index).is_some_and(|entry| may_be_read(&entry.faults)))
        .collect();
    read_round(run, "conclusions", &to_read, entries, material, question).await
}

fn collect_missing(faults: &[Fault]) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    faults.iter().filter_map(Fault::missing).filter(|number| seen.insert(*number)).collect()
}

/// Returns whether a reader could make a claim with these faults hold: numbers can be derived; reading mends nothing else.
pub(crate) fn may_be_read(faults: &[Fault]) -> bool {
    faults.iter().all(|fault| fault.missing().is_some())
}

/// Limits the basis of conclusions to claims that hold, and checks them against these by program.
fn settle_bases(
    concluded: &[usize],
    entries: &mut [Entry],
    material: &Material<'_>,
    question: &str,
) {
    let holding: Vec<bool> = entries.iter().map(Entry::holds).collect();
    for index in concluded {
        let Some(entry) = entries.get(*index) else { continue };
        let mut entry = entry.clone();
        entry.basis.retain(|basis| holding.get(*basis).copied().unwrap_or_default());
        entry.faults = conclusion_faults(&entry, entries, material, question);
        if let Some(place) = entries.get_mut(*index) {
            *place = entry;
        }
    }
}

async fn read_round(
    run: &Run,
    round: &str,
    chosen: &[usize],
    entries: &mut [Entry],
    material: &Material<'_>,
    question: &str,
) -> Result<()> {
    /// This many of the claims under a heading show whether it asserts more.
    const MOST_BASIS: usize = 12;
    let given = Shown::of([question]);
    let exhibits: Vec<Exhibit> = chosen
        .iter()
        .filter_map(|index| entries.get(*index))
        .map(|entry| {
            let missing = collect_missing(&entry.faults).into_iter();
            let basis = entry.basis.iter().filter_map(|index| entries.get(*index));
            Exhibit {
                claim: entry.claim.clone(),
                kind: entry.kind,
                is_cell: entry.form.is_cell(),
                grounds: entry.grounds(entries, material),
                basis: basis.map(|basis| basis.claim.clone()).take(MOST_BASIS).collect(),
                faults: entry.faults.clone(),
                asked: missing.filter(|number| given.tells(number)).map(str::to_owned).collect(),
            }
        })
        .collect();
    let outcomes = judge(run, round, &exhibits, question, &material.gazetteer).await?;
    for (index, outcome) in chosen.iter().zip(outcomes) {
        if let Some(entry) = entries.get_mut(*index) {
            entry.verdict = outcome.verdict;
            entry.faults = outcome.faults;
            entry.derivations = outcome.derivations;
        }
    }
    Ok(())
}

/// Has claims read in concurrent batches; returns the outcome of each, in order.
pub(crate) async fn judge(
    run: &Run,
    round: &str,
    exhibits: &[Exhibit],
    question: &str,
    gazetteer: &grounding::check::Gazetteer,
) -> Result<Vec<Outcome>> {
    if exhibits.is_empty() {
        return Ok(vec![]);
    }
    let readers = match asked(run) {
        Ok(readers) => readers,
        Err(why) => return Ok(exhibits.iter().map(|_| unread(&why)).collect()),
    };
    let batches = size_batches(exhibits);
    let (claims, calls) = (exhibits.len(), batches.len() * readers.len());
    let calls = counted(calls, "call", "calls");
    run.say(format!("the second reader checks {claims} {round} in {calls}"));
    let mut start = 0;
    let ranges: Vec<(usize, usize)> = batches
        .iter()
        .map(|count| {
            let range = (start, start + count);
            start = range.1;
            range
        })
        .collect();
    let of_each = join_all(readers.into_iter().map(async |reader| {
        let read = join_all(ranges.iter().enumerate().map(async |(number, (from, to))| {
            let batch = exhibits.get(*from..*to).unwrap_or_default();
            let mut scoped = run.scope(&format!("{round}-{}", number + 1));
            if reader > 0 {
                scoped = scoped.scope(&format!("by-{}", reader + 1));
            }
            scoped
                .agent_apart(&READER)
                .showing("Claims and what they cite", page(batch))
                .as_part_of_synthesis()
                .by_reader(reader)
                .reply::<Readings>()
                .await
        }))
        .await;
        outcomes(run, exhibits, ranges.iter().copied().zip(read), question, gazetteer)
    }))
    .await;
    let mut of_each = of_each.into_iter().collect::<Result<Vec<Vec<Outcome>>>>()?;
    Ok(match of_each.len() {
        1 => of_each.pop().unwrap_or_default(),
        _ => (0..exhibits.len())
            .map(|index| {
                let votes = of_each.iter().filter_map(|outcomes| outcomes.get(index));
                majority(&votes.collect::<Vec<_>>())
            })
            .collect(),
    })
}

/// The second readers that are asked, by index, and the names of those that are not: those measured to read no better than chance.
struct Readers<'a> {
    asked: Vec<usize>,
    refused: Vec<&'a str>,
}

impl Readers<'_> {
    fn of(run: &Run) -> Readers<'_> {
        let Some(models) = run.settings().models.as_ref() else {
            return Readers { asked: vec![0], refused: vec![] };
        };
        let reads = |name: &str| models.calibrations.get(name).is_none_or(Calibration::reads);
        let all = models.all_readers();
        let (asked, refused): (Vec<_>, Vec<_>) =
            all.into_iter().enumerate().partition(|(_, name)| reads(name));
        Readers {
            asked: asked.into_iter().map(|(place, _)| place).collect(),
            refused: refused.into_iter().map(|(_, name)| name).collect(),
        }
    }
}

/// Returns the indices of the readers to ask, or why there are none.
fn asked(run: &Run) -> std::result::Result<Vec<usize>, String> {
    let Readers { asked, refused } = Readers::of(run);
    if !refused.is_empty() {
        let verb = if refused.len() == 1 { "reads" } else { "read" };
        let why = format!(
            "{} {verb} no better than chance (quaestio models test --reader)",
            refused.join(", ")
        );
        if asked.is_empty() {
            run.warn(format!("no second reader checked the sentences: {why}"));
            return Err(why);
        }
        run.warn(format!("not asked as a second reader: {why}"));
    }
    Ok(asked)
}

fn unread(why: &str) -> Outcome {
    let faults = vec![Fault::Unread { why: why.to_owned() }];
    Outcome { verdict: Verdict::Unread, faults, derivations: vec![] }
}

/// Returns the outcome of a vote of all readers asked. The claim holds if more than half pass it; else it is refused if any of them refused
/// it, and unread otherwise.
fn majority(votes: &[&Outcome]) -> Outcome {
    let holding: Vec<&&Outcome> = votes.iter().filter(|vote| vote.verdict.holds()).collect();
    let of = |verdict| votes.iter().filter(|vote| vote.verdict == verdict).count();
    let chosen = if holding.len() * 2 > votes.len() {
        // It is a conclusion if at least half of those that pass it say so.
        let is_inferred = of(Verdict::Inferred) * 2 >= holding.len();
        let verdict = if is_inferred { Verdict::Inferred } else { Verdict::Supported };
        holding.iter().find(|vote| vote.verdict == verdict).or(holding.first()).map(|vote| **vote)
    } else {
        let refusing = votes.iter().find(|vote| vote.verdict == Verdict::Unsupported);
        refusing.or(votes.iter().find(|vote| !vote.verdict.holds())).copied()
    };
    chosen.cloned().unwrap_or_default()
}

/// Returns the outcomes of the batches that one reader was given.
fn outcomes(
    run: &Run,
    exhibits: &[Exhibit],
    read: impl Iterator<Item = ((usize, usize), Result<Readings>)>,
    question: &str,
    gazetteer: &grounding::check::Gazetteer,
) -> Result<Vec<Outcome>> {
    let mut outcomes = Vec::with_capacity(exhibits.len());
    for ((from, to), readings) in read {
        let batch = exhibits.get(from..to).unwrap_or_default();
        match readings {
            Ok(readings) => {
                outcomes.extend(of_batch(readings, batch, question, gazetteer));
            }
            Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) => {
                run.warn(format!(
                    "{} not checked by a second reader: {stop}",
                    counted(batch.len(), "claim was", "claims were")
                ));
                let why = match &stop {
                    Stop::Budget { .. } => "the budget is used up",
                    _ => "the reader did not answer",
                };
                outcomes.extend(batch.iter().map(|_| unread(why)));
            }
            Err(stop) => return Err(stop),
        }
    }
    Ok(outcomes)
}

/// Returns the outcomes for the claims of a batch from a reply, in order.
pub(crate) fn of_batch(
    readings: Readings,
    batch: &[Exhibit],
    question: &str,
    gazetteer: &grounding::check::Gazetteer,
) -> Vec<Outcome> {
    let found = by_claim(readings, batch.len());
    let of = |(exhibit, place)| outcome(exhibit, found.get(&place), question, gazetteer);
    batch.iter().zip(1..).map(of).collect()
}

/// Returns the sizes of the batches, in order.
pub(crate) fn size_batches(exhibits: &[Exhibit]) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    let mut bytes = 0;
    for exhibit in exhibits {
        let size = page(std::slice::from_ref(exhibit)).len();
        match found.last_mut() {
            Some(count) if *count < BATCH && bytes + size <= BATCH_BYTES => {
                *count += 1;
                bytes += size;
            }
            _ => {
                found.push(1);
                bytes = size;
            }
        }
    }
    found
}

/// Formats claims as shown to a reader.
pub(crate) fn page(exhibits: &[Exhibit]) -> String {
    let mut page = String::new();
    for (index, exhibit) in exhibits.iter().enumerate() {
        let what = match (exhibit.kind, exhibit.is_cell) {
            (Kind::Conclusion, _) => " (a conclusion)",
            (Kind::Heading, _) => " (a heading)",
            (_, true) => " (in a table)",
            _ => "",
        };
        let _ = writeln!(page, "### Claim {}{what}\n{}", index + 1, line(&exhibit.claim));
        let missing = exhibit.missing();
        if !missing.is_empty() {
            let _ = writeln!(page, "Numbers to account for: {}", missing.join("; "));
        }
        if !exhibit.asked.is_empty() {
            let _ = writeln!(page, "The asker gave: {}", exhibit.asked.join("; "));
        }
        if !exhibit.basis.is_empty() {
            page.push_str("It rests on these claims, which hold:\n");
            for basis in &exhibit.basis {
                let _ = writeln!(page, "- {}", line(basis));
            }
        }
        if exhibit.kind != Kind::Heading {
            for ground in exhibit
                .grounds
                .iter()
                .filter(|ground| !ground.headings.is_empty() || exhibit.basis.is_empty())
            {
                put_ground(&mut page, ground);
            }
        }
        page.push('\n');
    }
    page
}

fn put_ground(page: &mut String, ground: &Ground) {
    let _ = writeln!(page, "It cites, under \"{}\":", line(&ground.headings.join(" > ")));
    for lead in &ground.leads {
        let _ = writeln!(page, "  led into by: {}", line(lead));
    }
    let mut head = "";
    for statement in &ground.statements {
        if statement.head != head {
            head = &statement.head;
            let _ = writeln!(page, "  heads: {}", line(head));
        }
        let _ = writeln!(page, "  « {} »", line(&statement.text));
    }
    let around = line(&ground.around);
    if around.len() > line(&ground.text()).len() {
        let _ = writeln!(page, "  (around it: {around})");
    }
}

/// Returns a text on one line, cut to what a reader is shown.
fn line(text: &str) -> String {
    const LONGEST: usize = 2_000;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(LONGEST).collect()
}

/// Returns the readings by claim. If two for one claim differ, neither counts.
fn by_claim(readings: Readings, count: usize) -> BTreeMap<usize, Option<ReadingOfClaim>> {
    let mut found: BTreeMap<usize, Option<ReadingOfClaim>> = BTreeMap::new();
    for reading in readings.readings {
        let Ok(number) = usize::try_from(reading.claim) else { continue };
        if !(1..=count).contains(&number) {
            continue;
        }
        match found.get(&number) {
            Some(Some(known)) if known.verdict != reading.verdict => {
                found.insert(number, None);
            }
            Some(_) => {}
            None => {
                found.insert(number, Some(reading));
            }
        }
    }
    found
}

/// Returns the outcome of a reading: the reader's verdict, and the program's check of the arithmetic.
fn outcome(
    exhibit: &Exhibit,
    reading: Option<&Option<ReadingOfClaim>>,
    question: &str,
    gazetteer: &grounding::check::Gazetteer,
) -> Outcome {
    let Some(Some(reading)) = reading else {
        return unread("the reader left it out");
    };
    let reason = || line(&run::grounding::clean(&reading.reason));
    let is_conclusion = matches!(exhibit.kind, Kind::Conclusion | Kind::Heading);
    let refused = match reading.verdict {
        Judgement::Supported | Judgement::Follows => None,
        _ if is_conclusion => Some(Fault::DoesNotFollow { words: reason() }),
        Judgement::Partly => {
            let beyond = line(&run::grounding::clean(&reading.beyond));
            Some(Fault::GoesBeyond { words: if beyond.is_empty() { reason() } else { beyond } })
        }
        Judgement::Contradicted => Some(Fault::Contradicted { words: reason() }),
        Judgement::Unrelated => Some(Fault::Unrelated),
    };
    let context = Context { grounds: &exhibit.grounds, question, gazetteer };
    let mut faults: Vec<Fault> = refused.into_iter().collect();
    let mut derivations = Vec::new();
    for number in exhibit.missing() {
        let same = |one: &&Derivation| one.number.trim().eq_ignore_ascii_case(number);
        match reading.derivations.iter().find(same) {
            None => faults.push(Fault::NumberAbsent { number: number.to_owned() }),
            Some(derivation) => match evaluate(derivation, &exhibit.claim, &context) {
                Ok(()) => derivations.push(derivation.clone()),
                Err(fault) => faults.push(fault),
            },
        }
    }
    // A claim about the asker's own case is in no statement: it is inferred.
    let is_of_case = derivations.iter().any(Derivation::takes_from_question);
    let verdict = if !faults.is_empty() {
        Verdict::Unsupported
    } else if is_conclusion || is_of_case || reading.verdict == Judgement::Follows {
        Verdict::Inferred
    } else {
        Verdict::Supported
    };
    Outcome { verdict, faults, derivations }
}

/// Returns the number of claims in a reply of `reply_tokens` tokens, at most and as a rule.
fn claims_in(reply_tokens: u32) -> (u32, u32) {
    const SHORTEST_SENTENCE: u32 = 25;
    const USUAL_SENTENCE: u32 = 45;
    (reply_tokens / SHORTEST_SENTENCE, reply_tokens / USUAL_SENTENCE)
}

/// Returns the bytes of the longest prompt that a reader usually gets.
fn prompt_bytes() -> usize {
    READER.text.len() + BATCH_BYTES / 2
}

/// Bytes of a usual claim with its statements.
const CLAIM_BYTES: usize = 450;

/// The share held back for reading the synthesis while the stages before it are read.
const OF_SYNTHESIS: &str = "reader of the synthesis";

/// Holds back enough of the budget to have a reply of `reply_tokens` tokens read.
///
/// Call it before asking for the reply: one that can no longer be read is better made without a model.
pub(crate) fn hold_back(run: &Run, reply_tokens: u32) -> Result<()> {
    let (prompt_bytes, models) = usual_calls(run, reply_tokens);
    run.hold_back_calls(READER.name, &READER, prompt_bytes, &models, models.len())
}

/// Holds back enough of the budget to have a synthesis of `reply_tokens` tokens read, until [`hold_back_now`] makes it the reader's own.
pub(crate) fn hold_back_for_synthesis(run: &Run, reply_tokens: u32) -> Result<()> {
    let (prompt_bytes, models) = usual_calls(run, reply_tokens);
    // It holds back no steps: with a low cap, none would be left for the stages.
    run.hold_back_calls(OF_SYNTHESIS, &READER, prompt_bytes, &models, 0)
}

/// Makes what was held back for reading the synthesis the reader's own share.
pub(crate) fn hold_back_now(run: &Run, reply_tokens: u32) -> Result<()> {
    run.release_share(OF_SYNTHESIS);
    hold_back(run, reply_tokens)
}

/// Returns the bytes of each prompt, and the model of each call, for a usual reading of a reply of `reply_tokens` tokens.
fn usual_calls(run: &Run, reply_tokens: u32) -> (usize, Vec<usize>) {
    let (_, claims) = claims_in(reply_tokens);
    let calls = claims.div_ceil(BATCH as u32).max(1);
    let readers = Readers::of(run).asked;
    let models: Vec<usize> = (0..calls).flat_map(|_| readers.iter().copied()).collect();
    let claims_bytes = claims as usize * CLAIM_BYTES / calls as usize;
    (READER.text.len() + claims_bytes, models)
}

/// Returns an estimate of a reader's calls over a reply of `reply_tokens` tokens.
pub(crate) fn calls(reply_tokens: u32, usual_tokens: u32, tries: u32) -> Calls {
    /// A verdict with its reason.
    const USUAL_READING: u32 = 400;
    let (most, _) = claims_in(reply_tokens);
    let (_, usual) = claims_in(usual_tokens);
    // Claims, conclusions, and what was mended.
    let most = most.div_ceil(BATCH as u32) + 2;
    Calls {
        agent: READER,
        prompt_bytes: prompt_bytes(),
        evidence_tokens: 0,
        reply_tokens: USUAL_READING,
        usual: usual.div_ceil(BATCH as u32).max(1),
        most: most * tries,
    }
}
