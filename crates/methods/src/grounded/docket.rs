//! Judges the sentences of structured replies like those of prose.
//!
//! A method enters a reply with an ordinary function that asks a [`Docket`] for the outcome of each sentence. The docket notes the
//! sentences that are not judged yet, judges them all at once, and has the reply entered again, until there is none to note. So a method's
//! handling of a reply is written once, from top to bottom, and knows nothing of batches.

use ::grounding::address::{Address, cited};
use ::grounding::check::Fault;
use run::ledger::{Citation, Claim, Quoted, Verdict, Written};
use run::material::{Material, Place};
use run::{Call, Mode, Result, Run};

use super::binding::{at_address, at_quote, gathered, hold_against};
use super::entry::{Entry, Form, Instead, Kind};
use super::printing::{shown_places, words_of};
use super::{mending, reading};

/// A sentence of a structured reply, to be judged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sentence {
    /// What it is said of, if it is not a sentence of its own: the row of a cell, what a figure measures.
    pub(crate) of: String,
    pub(crate) words: String,
    pub(crate) cites: Vec<String>,
    pub(crate) quotes: Vec<Quoted>,
    /// Claims that hold, from which it is concluded. If empty, it says what it cites, or concludes from that alone.
    pub(crate) basis: Vec<Claim>,
    /// Whether its writer marked it as a conclusion.
    pub(crate) is_conclusion: bool,
}

impl Sentence {
    /// Returns a sentence that cites. Addresses in its text count if none are given separately.
    pub(crate) fn of(written: &Written) -> Sentence {
        let mut cites = written.cites.clone();
        if cites.is_empty() && written.citations.is_empty() {
            let found = cited(&written.text).into_iter().flat_map(|one| one.addresses);
            cites = found.map(|address| address.to_string()).collect();
        }
        Sentence {
            words: plain(&written.text),
            cites,
            quotes: written.citations.clone(),
            ..Sentence::default()
        }
    }

    /// Returns a sentence that is concluded from claims.
    pub(crate) fn from_claims(words: &str, basis: Vec<Claim>) -> Sentence {
        Sentence { words: plain(words), basis, ..Sentence::default() }
    }

    /// Returns whether it is the writer's own conclusion, and not what a statement says.
    fn concludes(&self) -> bool {
        self.is_conclusion || !self.basis.is_empty()
    }

    fn form(&self) -> Form {
        if self.of.is_empty() { Form::Sentence } else { Form::Attribute }
    }

    fn claim(&self) -> String {
        if self.of.is_empty() { self.words.clone() } else { format!("{}: {}", self.of, self.words) }
    }
}

/// Returns an agent's text on one line, without citations, marks and invisible characters.
pub(crate) fn plain(text: &str) -> String {
    run::ledger::one_line(&super::without_citations(&run::grounding::clean(text)))
}

/// The outcome of a sentence.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Judged {
    pub(crate) claim: Claim,
    /// The words shown: for a cell, the cell alone; what its writer wrote instead if the first did not hold.
    pub(crate) words: String,
}

impl Judged {
    pub(crate) fn holds(&self) -> bool {
        self.claim.verdict.holds()
    }
}

/// The sentences of a reply, and their outcomes.
pub(crate) struct Docket<'a> {
    material: &'a Material<'a>,
    question: &'a str,
    mode: Mode,
    /// Claims that were judged elsewhere and are not judged again.
    known: Vec<Claim>,
    entries: Vec<Entry>,
    /// Each sentence with the index of its entry.
    sentences: Vec<(Sentence, usize)>,
    /// Entries from here on have not been judged.
    judged: usize,
}

impl<'a> Docket<'a> {
    pub(crate) fn new(material: &'a Material<'a>, question: &'a str, mode: Mode) -> Docket<'a> {
        let (known, entries, sentences) = (vec![], vec![], vec![]);
        Docket { material, question, mode, known, entries, sentences, judged: 0 }
    }

    /// Takes over claims that were judged before.
    #[must_use]
    pub(crate) fn knowing(self, known: Vec<Claim>) -> Docket<'a> {
        Docket { known, ..self }
    }

    /// Returns the outcome of a sentence; notes one that is not judged yet and returns `None`.
    pub(crate) fn judged(&mut self, sentence: &Sentence) -> Option<Judged> {
        if let Some(claim) = self.judged_before(sentence) {
            return Some(Judged { words: sentence.words.clone(), claim });
        }
        let known = self.sentences.iter().find(|(known, _)| known == sentence);
        let known = known.or_else(|| self.concluded_before(sentence));
        match known.map(|(_, index)| *index) {
            Some(index) => (index < self.judged).then(|| self.outcome(index)),
            None => {
                self.note(sentence);
                None
            }
        }
    }

    /// Returns the claim, judged elsewhere, that a sentence repeats: the same words over statements that it cites too.
    fn judged_before(&self, sentence: &Sentence) -> Option<Claim> {
        let text = sentence.claim();
        let mut same =
            self.known.iter().filter(|claim| claim.verdict.holds() && claim.text == text);
        let cited: Vec<Address> =
            sentence.cites.iter().flat_map(|cite| addresses_in(cite)).collect();
        let is_of = |claim: &&Claim| {
            let own = claim.citations.iter().filter_map(|one| one.address.as_deref());
            let mut own = own.flat_map(addresses_in);
            !sentence.concludes() && own.all(|address| cited.contains(&address))
        };
        same.find(is_of).cloned()
    }

    /// Returns the same conclusion if it already holds from fewer claims, so that more of them do not put it at risk.
    fn concluded_before(&self, sentence: &Sentence) -> Option<&(Sentence, usize)> {
        self.sentences.iter().find(|(known, index)| {
            let entry = self.entries.get(*index);
            (&known.of, &known.words, &known.cites)
                == (&sentence.of, &sentence.words, &sentence.cites)
                && !known.basis.is_empty()
                && known.basis.iter().all(|claim| sentence.basis.contains(claim))
                && entry.is_some_and(|entry| entry.holds() || entry.instead.is_some())
        })
    }

    fn note(&mut self, sentence: &Sentence) {
        let basis: Vec<usize> = sentence.basis.iter().map(|claim| self.holding(claim)).collect();
        let entry = if sentence.concludes() {
            // It rests on what it cites and on those claims alone, whatever statement is near to it.
            let (claim, words, form) = (sentence.claim(), sentence.words.clone(), sentence.form());
            let (places, faults) = places_cited(sentence, &claim, self.material);
            let kind = Kind::Conclusion;
            Entry { claim, words, form, kind, places, faults, basis, ..Entry::default() }
        } else {
            let mut entry = build_entry(sentence, self.material, self.mode);
            hold_against(&mut entry, self.material, self.question);
            entry
        };
        self.sentences.push((sentence.clone(), self.entries.len()));
        self.entries.push(entry);
    }

    /// Returns the index of the entry of a claim that holds already, added if there is none.
    fn holding(&mut self, claim: &Claim) -> usize {
        let places: Vec<Place> = places_of(&claim.citations);
        let same = |entry: &Entry| entry.claim == claim.text && entry.places == places;
        if let Some(index) = self.entries.iter().position(|entry| entry.holds() && same(entry)) {
            return index;
        }
        self.entries.push(Entry {
            claim: claim.text.clone(),
            words: claim.text.clone(),
            places,
            verdict: claim.verdict,
            ..Entry::default()
        });
        self.entries.len() - 1
    }

    /// Returns whether everything asked for has been judged.
    fn is_settled(&self) -> bool {
        self.judged == self.entries.len()
    }

    async fn judge(&mut self, run: &Run) -> Result<()> {
        if self.mode == Mode::Model {
            let from = self.judged;
            reading::read(run, &mut self.entries, from, self.material, self.question).await?;
        }
        self.judged = self.entries.len();
        Ok(())
    }

    /// Returns whether any sentence does not hold.
    pub(crate) fn fails(&self) -> bool {
        self.entries.iter().any(Entry::fails)
    }

    /// Lists what does not hold, each with the reason, for the writer.
    pub(crate) fn told(&self) -> String {
        let failed: Vec<usize> = self
            .entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.fails())
            .map(|(index, _)| index)
            .collect();
        mending::listed(&failed, &self.entries)
    }

    fn outcome(&self, index: usize) -> Judged {
        let Some(entry) = self.entries.get(index) else { return Judged::default() };
        match &entry.instead {
            Some(Instead::Mended(written)) => self.mended(written),
            _ => self.as_judged(entry),
        }
    }

    fn as_judged(&self, entry: &Entry) -> Judged {
        let holds = entry.holds();
        let verdict = if holds { entry.verdict } else { Verdict::Unsupported };
        let places = if holds { shown_places(entry, &self.entries) } else { entry.places.clone() };
        let quoted = || words_of(&entry.places, self.material);
        let words = if entry.words.is_empty() { quoted() } else { entry.words.clone() };
        let text = if entry.claim.is_empty() { words.clone() } else { entry.claim.clone() };
        let claim = Claim {
            text,
            verdict,
            citations: self.citations(&places, verdict),
            faults: entry.faults.clone(),
            derivations: entry.derivations.clone(),
            ..Claim::default()
        };
        Judged { claim, words }
    }

    /// Returns the replacement of a sentence as one claim, with the weakest verdict of its parts.
    fn mended(&self, written: &[Entry]) -> Judged {
        let parts: Vec<Judged> = written.iter().map(|entry| self.as_judged(entry)).collect();
        let of = |verdict| parts.iter().any(|part| part.claim.verdict == verdict);
        let verdict = [Verdict::Inferred, Verdict::Supported, Verdict::Recomputed]
            .into_iter()
            .find(|verdict| of(*verdict))
            .unwrap_or(Verdict::Quoted);
        let join = |texts: Vec<&str>| texts.join(" ");
        let words = join(parts.iter().map(|part| part.words.as_str()).collect());
        let text = join(parts.iter().map(|part| part.claim.text.as_str()).collect());
        let mut claim = Claim { text, verdict, ..Claim::default() };
        for part in parts {
            for citation in part.claim.citations {
                let citation = Citation { verdict, ..citation };
                if !claim.citations.contains(&citation) {
                    claim.citations.push(citation);
                }
            }
            claim.derivations.extend(part.claim.derivations);
        }
        Judged { claim, words }
    }

    fn citations(&self, places: &[Place], verdict: Verdict) -> Vec<Citation> {
        let cited = places.iter();
        cited.filter_map(|place| self.material.citation(*place, None, verdict)).collect()
    }
}

/// Enters a reply until every sentence of it is judged.
pub(crate) async fn settle<T>(
    run: &Run,
    docket: &mut Docket<'_>,
    enter: impl Fn(&mut Docket<'_>) -> T,
) -> Result<T> {
    // A conclusion can be judged only after what it rests on.
    const ROUNDS: usize = 4;
    let mut entered = enter(docket);
    for _ in 0..ROUNDS {
        if docket.is_settled() {
            break;
        }
        docket.judge(run).await?;
        entered = enter(docket);
    }
    Ok(entered)
}

/// Enters a reply with a reader that says yes to everything: what passes the hard checks holds.
#[cfg(test)]
pub(crate) fn settle_by_program<T>(
    docket: &mut Docket<'_>,
    enter: impl Fn(&mut Docket<'_>) -> T,
) -> T {
    let mut entered = enter(docket);
    while !docket.is_settled() {
        let all = docket.entries.clone();
        let passes = |entry: &&mut Entry| !entry.holds() && entry.faults.is_empty();
        for entry in docket.entries.iter_mut().skip(docket.judged).filter(passes) {
            if entry.kind == Kind::Conclusion {
                let (material, question) = (docket.material, docket.question);
                entry.faults = super::binding::conclusion_faults(entry, &all, material, question);
                entry.verdict = Verdict::Inferred;
            } else {
                entry.verdict = Verdict::Supported;
            }
            if !entry.faults.is_empty() {
                entry.verdict = Verdict::Unsupported;
            }
        }
        docket.judged = docket.entries.len();
        entered = enter(docket);
    }
    entered
}

/// Sends what does not hold back to its writer once; what then holds replaces it. `call` begins a call of the writer.
pub(crate) async fn mend<'c>(
    run: &Run,
    docket: &mut Docket<'_>,
    call: &(dyn Fn() -> Call<'c> + Sync),
) -> Result<()> {
    if docket.mode == Mode::Offline || !docket.fails() {
        return Ok(());
    }
    mending::mend(run, docket.question, call, &mut docket.entries, docket.material).await
}

/// Returns the places of a claim's citations.
fn places_of(citations: &[Citation]) -> Vec<Place> {
    let addresses = citations.iter().filter_map(|citation| citation.address.as_deref());
    let read = addresses.flat_map(addresses_in);
    read.filter_map(|address| match address {
        Address::Statements { passage, first, last } => {
            Some(Place { evidence: passage, first, last })
        }
        Address::Figure(number) => Some(Place::figure(number)),
        _ => None,
    })
    .collect()
}

/// Reads addresses as written in a list, with or without brackets.
pub(crate) fn addresses_in(text: &str) -> Vec<Address> {
    let bare = text.trim().trim_matches(['[', ']']);
    cited(&format!("[{bare}]")).into_iter().flat_map(|cited| cited.addresses).collect()
}

/// Returns the places that a sentence cites, or the faults of its citations if there is no place.
fn places_cited(
    sentence: &Sentence,
    claim: &str,
    material: &Material<'_>,
) -> (Vec<Place>, Vec<Fault>) {
    let mut found: Vec<std::result::Result<Vec<Place>, Fault>> = Vec::new();
    for cite in &sentence.cites {
        let addresses = addresses_in(cite);
        if addresses.is_empty() {
            found.push(Err(Fault::NoSuchStatement { address: run::ledger::one_line(cite) }));
        }
        let at = |address| at_address(address, &sentence.words, claim, material);
        found.extend(addresses.into_iter().map(at));
    }
    found.extend(sentence.quotes.iter().map(|quoted| at_quote(quoted, claim, material)));
    gathered(found)
}

fn build_entry(sentence: &Sentence, material: &Material<'_>, mode: Mode) -> Entry {
    let claim = sentence.claim();
    let (mut places, mut faults) = places_cited(sentence, &claim, material);
    let is_silent = sentence.cites.is_empty() && sentence.quotes.is_empty();
    let kind = if is_silent { Kind::Uncited } else { Kind::Cited };
    if is_silent {
        places.extend(material.nearest(&claim, None));
    }
    if places.is_empty() && faults.is_empty() {
        faults.push(Fault::CitesNothing);
    }
    let form = sentence.form();
    // Without a model, only statements are quoted, whatever was made of them.
    let quotes = mode == Mode::Offline && !places.is_empty();
    let words = if quotes { String::new() } else { sentence.words.clone() };
    let claim = if quotes { String::new() } else { claim };
    Entry { claim, words, kind, form, places, faults, ..Entry::default() }
}
