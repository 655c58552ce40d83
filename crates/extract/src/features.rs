//! The signs that a statement answers a question.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use grounding::{Of, statement};

use super::asked::{Asked, Kind, Topic};
use super::candidates::{Candidate, leans};
use super::form::Form;
use super::lexicon::{self, Folded};
use super::{Text, topic};
use text::{Analyzer, Language};

/// Declares the signs, in index order.
macro_rules! signs {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The signs of a statement, each roughly 0 to 1.
        #[derive(Debug, Clone, Copy, Default, PartialEq)]
        pub struct Signs {
            $($(#[$doc])* pub $name: f64,)*
        }

        impl Signs {
            /// Their names, in index order.
            pub const NAMES: &[&str] = &[$(stringify!($name)),*];

            /// Returns their values, in index order.
            pub fn values(&self) -> Vec<f64> {
                vec![$(self.$name),*]
            }
        }
    };
}

signs! {
    /// The share of the question that it covers itself; the next ones each include more of the text around it.
    said,
    said_or_labelled,
    said_around,
    said_in_paragraph,
    said_below_label,
    said_in_passage,
    /// Including the name of the document.
    said_or_named,
    said_with_neighbours,
    said_before,
    said_behind,
    said_in_document,
    /// The share of what title and headings do not cover.
    said_beyond_title,
    /// The unweighted share of the question's words.
    words_said,
    words_around,
    /// The weight of the heaviest question word that the passage lacks.
    missing,
    missing_around,
    /// The share of the question that occurs in no passage at all, by weight and by words.
    absent,
    words_absent,
    named,
    named_around,
    called,
    called_itself,
    label_is_asked_for,
    title_is_asked_for,
    label_is_said,
    /// Okapi BM25, as a share of the best statement's: of the statement itself, and with the text around it.
    bm25,
    bm25_around,
    /// The shares covered, relative to the best statement's.
    said_of_best,
    around_of_best,
    passage_of_best,
    document_of_best,
    beyond_of_best,
    neighbours,
    /// How close together the question's words stand.
    dense,
    rank,
    score,
    document,
    document_first,
    place,
    opens_passage,
    length,
    is_short,
    adds,
    leans,
    news,
    row,
    item,
    code,
    term,
    fits,
    fits_and_said,
    amount_fits,
    has_number,
    has_new_number,
    has_date,
    has_year,
    has_time,
    has_money,
    has_duration,
    has_share,
    has_data,
    has_measure,
    has_contact,
    has_code,
    has_path,
    has_name,
    has_reason,
    has_place,
    has_rule,
    has_denial,
    has_default,
    defines,
    instructs,
    is_step,
    has_several,
    asks_default,
    asks_date,
    asks_number,
    asks_who,
    asks_where,
    asks_why,
    asks_how,
    asks_definition,
    asks_whether,
    asks_which,
    wants_amount,
    wants_money,
    wants_duration,
    wants_contact,
    wants_code,
    wants_several,
    /// How many words the question is about.
    topics,
    has_names,
    unspaced,
    english,
}

/// The words of a text, in the form in which they are compared.
#[derive(Default)]
pub(super) struct Read {
    terms: HashSet<String>,
    /// In lower case, for scripts without spaces and for names.
    folded: String,
    order: Vec<String>,
    /// How far it mentions each topic of the one question that its reader serves.
    spoken: OnceCell<Vec<f64>>,
}

impl Read {
    fn of(text: &str, analyzer: &mut Analyzer) -> Read {
        let order = analyzer.terms(text);
        let mut terms: HashSet<String> = order.iter().cloned().collect();
        // `retention_days` mentions days.
        if let Some(parts) = split_identifiers(text) {
            terms.extend(analyzer.terms(&parts));
        }
        Read { terms, folded: text.to_lowercase(), order, spoken: OnceCell::new() }
    }

    /// Returns how far the text mentions a topic, 0 to 1.
    fn speaks_of(&self, topic: &Topic, language: Language) -> f64 {
        /// The weight of a near-synonym.
        const ALIKE: f64 = 0.6;
        if self.terms.contains(&topic.term) {
            return 1.0;
        }
        if topic.is_unspaced {
            return if self.folded.contains(&topic.term) { 1.0 } else { 0.0 };
        }
        if self.terms.iter().any(|other| topic::are_near(&topic.term, other)) {
            return topic::NEAR;
        }
        let is_alike = topic.alike.iter().any(|alike| self.terms.contains(alike));
        let is_part = language == Language::German
            && self.terms.iter().any(|other| topic::is_part(&topic.term, other));
        if is_alike || is_part { ALIKE } else { 0.0 }
    }

    fn speaks_of_each(&self, asked: &Asked) -> &[f64] {
        let of = |topic: &Topic| self.speaks_of(topic, asked.language);
        self.spoken.get_or_init(|| asked.topics.iter().map(of).collect())
    }

    fn names(&self, name: &str) -> bool {
        self.folded.match_indices(name).any(|(at, _)| {
            let joins = |c: char| c.is_alphanumeric() || c == '_';
            let before = self.folded[..at].chars().next_back();
            let behind = self.folded[at + name.len()..].chars().next();
            !before.is_some_and(joins) && !behind.is_some_and(joins)
        })
    }
}

/// Returns the words that make up the names of programs, settings and files in a text; `None` if it has no such name.
fn split_identifiers(text: &str) -> Option<String> {
    let is_joined = |word: &&str| {
        let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
        let humps = inner.chars().zip(inner.chars().skip(1));
        inner.contains(['_', '.', '/', '-', '='])
            || humps.clone().any(|(one, next)| one.is_lowercase() && next.is_uppercase())
    };
    let mut found = String::new();
    for word in text.split_whitespace().filter(is_joined) {
        let mut before = ' ';
        for c in word.chars() {
            if !c.is_alphanumeric() || before.is_lowercase() && c.is_uppercase() {
                found.push(' ');
            }
            if c.is_alphanumeric() {
                found.push(c);
            }
            before = c;
        }
        found.push(' ');
    }
    (!found.is_empty()).then_some(found)
}

/// Texts read for one question, each once.
pub(super) struct Reader<'a> {
    analyzer: Analyzer,
    known: HashMap<&'a str, Rc<Read>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(language: Language) -> Reader<'a> {
        Reader { analyzer: Analyzer::new(language), known: HashMap::new() }
    }

    pub(super) fn read(&mut self, text: &'a str) -> Rc<Read> {
        let analyzer = &mut self.analyzer;
        Rc::clone(self.known.entry(text).or_insert_with(|| Rc::new(Read::of(text, analyzer))))
    }

    fn all(&mut self, texts: &[&'a str]) -> Vec<Rc<Read>> {
        texts.iter().map(|text| self.read(text)).collect()
    }

    pub(super) fn terms(&mut self, text: &'a str) -> Vec<String> {
        self.read(text).order.clone()
    }
}

/// What is known about a candidate besides its words.
#[derive(Debug, Clone, Default)]
pub(super) struct Known<'a> {
    /// 0 is the best passage.
    pub(super) rank: usize,
    /// The score of its passage as a share of the best one's.
    pub(super) score: f64,
    /// The share of the total score of all passages that its document's passages have.
    pub(super) document: f64,
    /// Whether its document is the one with the best passage.
    pub(super) is_first_document: bool,
    /// The texts of all passages of its document.
    pub(super) beside: Vec<&'a str>,
}

fn flag(is: bool) -> f64 {
    if is { 1.0 } else { 0.0 }
}

/// Returns how far any of the texts mentions each topic, 0 to 1.
fn spoken(asked: &Asked, texts: &[Rc<Read>]) -> Vec<f64> {
    let mut spoken = vec![0.0; asked.topics.len()];
    for read in texts {
        for (most, of) in spoken.iter_mut().zip(read.speaks_of_each(asked)) {
            *most = f64::max(*most, *of);
        }
    }
    spoken
}

fn most(one: &[f64], other: &[f64], share: f64) -> Vec<f64> {
    one.iter().zip(other).map(|(one, other)| one.max(share * other)).collect()
}

/// Returns the signs of a candidate, except those that compare it with the others.
pub(super) fn compute_signs<'a>(
    asked: &Asked,
    candidate: &Candidate<'a>,
    passage: &Text<'a>,
    known: &Known<'a>,
    reader: &mut Reader<'a>,
) -> Signs {
    let own = [reader.read(candidate.words)];
    let label = [reader.read(candidate.label)];
    let before = reader.all(&candidate.before);
    let above = reader.all(&candidate.headings);
    let title = [reader.read(passage.title)];
    let name = [reader.read(passage.name)];
    let next = [reader.read(candidate.next)];
    let paragraph = [reader.read(candidate.block)];
    let below = [reader.read(candidate.section)];
    let whole = [reader.read(passage.text), reader.read(passage.section)];
    let document = reader.all(&known.beside);
    let share = |of: &[f64]| -> f64 {
        asked.topics.iter().zip(of).map(|(topic, of)| topic.weight * of).sum::<f64>().min(1.0)
    };

    let in_own = spoken(asked, &own);
    let in_title = spoken(asked, &title);
    let in_above = spoken(asked, &above);
    let in_before = spoken(asked, &before);
    let in_name = spoken(asked, &name);
    let labelled = most(&in_own, &spoken(asked, &label), 0.95);
    let around = most(&most(&most(&labelled, &in_above, 0.8), &in_before, 0.8), &in_title, 0.8);
    let or_named = most(&around, &in_name, 0.8);
    let in_next = spoken(asked, &next);
    let with_neighbours = most(&most(&labelled, &in_before, 0.9), &in_next, 0.7);
    let in_document = most(&or_named, &spoken(asked, &document), 0.8);
    let in_passage = most(&or_named, &spoken(asked, &whole), 0.6);

    let heaviest = |of: &[f64]| {
        let unsaid = asked.topics.iter().zip(of).filter(|(_, of)| **of == 0.0);
        unsaid.map(|(topic, _)| topic.weight).fold(0.0, f64::max)
    };
    let words = |of: &[f64]| of.iter().sum::<f64>() / of.len().max(1) as f64;
    // What the title already says does not distinguish the document's statements.
    let (mut beyond, mut all_beyond) = (0.0, 0.0);
    for (index, topic) in asked.topics.iter().enumerate() {
        let at = |of: &[f64]| of.get(index).copied().unwrap_or_default();
        if at(&in_title) + at(&in_above) + at(&in_name) == 0.0 {
            all_beyond += topic.weight;
            beyond += topic.weight * at(&labelled);
        }
    }
    let said = share(&in_own);
    let said_around = share(&around);

    let asked_for = |read: &Read| {
        let of = |term: &&String| {
            let is_topic = asked
                .topics
                .iter()
                .any(|topic| topic.term == **term || topic::are_near(&topic.term, term));
            is_topic || asked.names.contains(term)
        };
        read.terms.iter().filter(of).count() as f64 / read.terms.len().max(1) as f64
    };
    let are_named = |names: &[String], reads: &[&[Rc<Read>]]| {
        let has =
            |name: &&String| reads.iter().any(|reads| reads.iter().any(|read| read.names(name)));
        match names.len() {
            0 => 0.5,
            all => names.iter().filter(has).count() as f64 / all as f64,
        }
    };
    let around_it: [&[Rc<Read>]; 6] = [&own, &label, &above, &before, &title, &name];
    let [own, label] = [&own[0], &label[0]];
    let pairs = asked.topics.windows(2).filter(|pair| {
        let is_pair = |two: &[String]| two.iter().eq(pair.iter().map(|topic| &topic.term));
        own.order.windows(2).any(is_pair)
    });
    let is_topic = |term: &String| asked.topics.iter().any(|topic| topic.term == *term);
    let new = own.terms.iter().filter(|term| !is_topic(term)).count();
    let places: Vec<usize> = own
        .order
        .iter()
        .enumerate()
        .filter(|(_, term)| is_topic(term))
        .map(|(index, _)| index)
        .collect();
    let dense = match (places.first(), places.last()) {
        (Some(first), Some(last)) if last > first => {
            places.len() as f64 / (last - first + 1) as f64
        }
        _ => 0.0,
    };
    let form = Form::of(asked, candidate);
    let fits = form.fits(asked, candidate);
    let has = |of: Of| flag(form.amounts.contains(&of));
    let is_news = [candidate.label, passage.title]
        .iter()
        .chain(&candidate.headings)
        .any(|head| lexicon::NEWS.stand_in(&Folded::of(head)));
    let asks = |kind: Kind| flag(asked.kind == kind);
    let length = own.order.len() as f64;
    Signs {
        said,
        said_or_labelled: share(&labelled),
        said_around,
        said_in_paragraph: share(&most(&labelled, &spoken(asked, &paragraph), 1.0)),
        said_below_label: share(&most(&labelled, &spoken(asked, &below), 1.0)),
        said_in_passage: share(&in_passage),
        said_or_named: share(&or_named),
        said_with_neighbours: share(&with_neighbours),
        said_before: share(&in_before),
        said_behind: share(&in_next),
        said_in_document: share(&in_document),
        said_beyond_title: if all_beyond > 0.0 { beyond / all_beyond } else { said },
        words_said: words(&in_own),
        words_around: words(&or_named),
        missing: heaviest(&in_passage),
        missing_around: heaviest(&or_named),
        named: are_named(&asked.names, &around_it[..1]),
        named_around: are_named(&asked.names, &around_it),
        called: are_named(&asked.called, &around_it),
        called_itself: are_named(&asked.called, &around_it[..2]),
        label_is_asked_for: asked_for(label),
        title_is_asked_for: asked_for(&title[0]),
        label_is_said: share(&spoken(asked, std::slice::from_ref(label))),
        neighbours: pairs.count() as f64 / (asked.topics.len().max(2) - 1) as f64,
        dense,
        rank: 1.0 / (known.rank as f64 + 2.0).log2(),
        score: known.score,
        document: known.document,
        document_first: flag(known.is_first_document),
        place: 1.0 / (candidate.place as f64 + 1.0),
        opens_passage: flag(candidate.span.start == 0),
        length: (length / 40.0).min(2.0),
        is_short: flag(length < 4.0),
        adds: (new as f64 / 5.0).min(1.0),
        leans: flag(leans(candidate.words)),
        news: flag(is_news),
        row: flag(candidate.form == statement::Form::Row),
        item: flag(candidate.form == statement::Form::Item),
        code: flag(candidate.form == statement::Form::Code),
        term: flag(candidate.defines),
        fits,
        fits_and_said: fits * said_around,
        amount_fits: form.amount_fits(asked),
        has_number: flag(form.has_number),
        has_new_number: flag(form.has_new_number),
        has_date: flag(form.has_date),
        has_year: flag(form.has_year),
        has_time: has(Of::TimeOfDay),
        has_money: has(Of::Money),
        has_duration: has(Of::Duration),
        has_share: has(Of::Share),
        has_data: has(Of::Data),
        has_measure: has(Of::Measure),
        has_contact: flag(form.has_contact),
        has_code: flag(form.has_code),
        has_path: flag(form.has_path),
        has_name: form.has_name,
        has_reason: flag(form.has_reason),
        has_place: flag(form.has_place),
        has_rule: flag(form.has_rule),
        has_denial: flag(form.has_denial),
        has_default: flag(form.has_default),
        defines: flag(form.defines),
        instructs: flag(form.instructs),
        is_step: flag(form.is_step),
        has_several: flag(form.has_several),
        asks_default: asks(Kind::Default),
        asks_date: asks(Kind::Date),
        asks_number: asks(Kind::Number),
        asks_who: asks(Kind::Who),
        asks_where: asks(Kind::Where),
        asks_why: asks(Kind::Why),
        asks_how: asks(Kind::How),
        asks_definition: asks(Kind::Definition),
        asks_whether: asks(Kind::YesNo),
        asks_which: asks(Kind::Which),
        wants_amount: flag(!asked.amounts.is_empty()),
        wants_money: flag(asked.amounts.contains(&Of::Money)),
        wants_duration: flag(asked.amounts.contains(&Of::Duration)),
        wants_contact: flag(asked.wants_contact),
        wants_code: flag(asked.wants_code),
        wants_several: flag(asked.wants_several),
        topics: (asked.topics.len() as f64 / 12.0).min(2.0),
        has_names: flag(!asked.names.is_empty()),
        unspaced: flag(asked.topics.iter().any(|topic| topic.is_unspaced)),
        english: flag(asked.language == Language::English),
        ..Signs::default()
    }
}

/// Returns the share of the question, by weight and by words, that occurs in no passage at all.
pub(super) fn measure_absent<'a>(
    asked: &Asked,
    passages: &[Text<'a>],
    reader: &mut Reader<'a>,
) -> (f64, f64) {
    let texts = passages.iter().flat_map(|one| [one.text, one.section, one.title, one.name]);
    let texts: Vec<Rc<Read>> = texts.map(|text| reader.read(text)).collect();
    let there = spoken(asked, &texts);
    let absent = asked.topics.iter().zip(&there).filter(|(_, there)| **there == 0.0);
    let weights: Vec<f64> = absent.map(|(topic, _)| topic.weight).collect();
    (weights.iter().sum(), weights.len() as f64 / there.len().max(1) as f64)
}

/// Fills in the signs that compare statements with each other or describe all of them.
pub(super) fn compare(
    all: &mut [Signs],
    bm25: &[f64],
    bm25_around: &[f64],
    (absent, words_absent): (f64, f64),
) {
    let best = |of: &dyn Fn(&Signs) -> f64, all: &[Signs]| all.iter().map(of).fold(0.0, f64::max);
    let most = |scores: &[f64]| scores.iter().copied().fold(0.0, f64::max);
    let share = |value: f64, best: f64| if best > 0.0 { value / best } else { 0.0 };
    let said = best(&|one| one.said_or_labelled, all);
    let around = best(&|one| one.said_or_named, all);
    let passage = best(&|one| one.said_in_passage, all);
    let document = best(&|one| one.said_in_document, all);
    let beyond = best(&|one| one.said_beyond_title, all);
    let [own_most, around_most] = [bm25, bm25_around].map(most);
    for (index, one) in all.iter_mut().enumerate() {
        let at = |scores: &[f64]| scores.get(index).copied().unwrap_or_default();
        (one.absent, one.words_absent) = (absent, words_absent);
        one.bm25 = share(at(bm25), own_most);
        one.bm25_around = share(at(bm25_around), around_most);
        one.said_of_best = share(one.said_or_labelled, said);
        one.around_of_best = share(one.said_or_named, around);
        one.passage_of_best = share(one.said_in_passage, passage);
        one.document_of_best = share(one.said_in_document, document);
        one.beyond_of_best = share(one.said_beyond_title, beyond);
    }
}
