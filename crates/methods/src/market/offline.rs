//! What the agents reply without a model: sentences of the evidence, word for word, and the figures in them. Nothing is judged.

use std::collections::BTreeSet;
use std::ops::Range;

use extract::answer_sentences;
use run::evidence::{EvidenceKind, Numbered};
use run::ledger::{Quoted, Written};
use text::{Language, is_stop_word, sentences, terms, words};

use super::clerk::SectionInput;
use super::figures::{self, Figure as Read, Kind};
use super::payload::Section;
use super::replies::{
    Advised, Compared, Computed, Described, Edited, Estimated, Figure, Group, Row, SizingReply,
};

/// Maximum number of sentences in a section.
const SENTENCES: usize = 6;
/// Maximum number of sentences to inspect.
const LOOKED_AT: usize = 60;

const OF_SIZE: &str =
    "market revenue sales spending industry worth valued billion million growth forecast";
const OF_WORTH: &str = "worth valued value reached reach size sized generated total totalled totaled amounted was is estimated revenue";
const OF_FUNDING: &str = "raised raise funding funded investment invested round acquired acquisition valuation fine fined";
const OF_COMPETITORS: &str = "vendor vendors company companies startup startups competitor competitors provider providers firm";
const OF_OFFERS: &str =
    "offers offer provides provide sells sell develops develop builds build makes launched";
const OF_PRICES: &str = "charge charges charged cost costs price prices priced pricing licence licences license licenses fee fees \
    subscription subscriptions";
const OF_POSITIONS: &str = "share shares leader leaders leading leads largest biggest dominates dominant fastest second third";
const WHAT_IT_IS: [&str; 4] = ["vendor of", "provider of", "supplier of", "maker of"];
const SOLD_TO: [&str; 4] = ["sells to", "sold to", "used by", "serves"];
/// Words by which a sentence continues about the subject of the previous one.
const GOING_ON: [&str; 6] = ["it", "its", "they", "their", "the company", "the vendor"];
const OF_CUSTOMERS: &str =
    "customer customers buyer buyers user users client clients segment segments adoption adopt";
const OF_NEEDS: &str =
    "need needs needed want wants require requires required demand demands expect expects ask asks";
const OF_RISKS: &str = "risk risks barrier barriers regulation regulations regulatory challenge challenges threat threats \
    concern concerns threaten threatens privacy confidentiality liability compliance";

/// A sentence of the evidence.
#[derive(Clone, Copy)]
struct Sentence<'a> {
    source: &'a Numbered,
    text: &'a str,
}

impl<'a> Sentence<'a> {
    fn quoted(self) -> Vec<Quoted> {
        vec![Quoted { evidence: self.source.number, quote: self.text.to_owned() }]
    }

    fn written(self) -> Written {
        Written { text: self.text.to_owned(), citations: self.quoted(), ..Written::default() }
    }

    fn says_one_of(self, list: &str) -> bool {
        words(self.text).any(|(_, word)| holds(list, word))
    }

    fn figures(self) -> Vec<(Read, Range<usize>)> {
        figures::scan(self.text)
    }

    fn has_year(self) -> bool {
        words(self.text).any(|(_, word)| {
            word.len() == 4
                && (word.starts_with("19") || word.starts_with("20"))
                && word.bytes().all(|byte| byte.is_ascii_digit())
        })
    }

    fn between(self, span: &Range<usize>) -> &'a str {
        self.text.get(span.clone()).unwrap_or_default()
    }

    fn behind(self, span: &Range<usize>) -> &'a str {
        self.text.get(span.end..).unwrap_or_default()
    }
}

fn holds(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|one| word.eq_ignore_ascii_case(one))
}

/// Returns the sentences on the subject that are nearest to the section's words, nearest first.
fn nearest<'a>(
    section_input: &SectionInput<'a>,
    section: Section,
    list: &str,
) -> Vec<Sentence<'a>> {
    let asked = format!("{} {} {list}", section_input.subject.join(" "), section.words().join(" "));
    let subject: BTreeSet<String> =
        section_input.subject.iter().flat_map(|word| terms(word, Language::English)).collect();
    // The user's own answers are left out: the user knows them.
    let read: Vec<&Numbered> = section_input
        .evidence
        .iter()
        .filter(|one| one.evidence.kind != EvidenceKind::User)
        .collect();
    let texts: Vec<&str> = read.iter().map(|one| one.evidence.text.as_str()).collect();
    let picked = answer_sentences(&asked, &texts, Language::English, LOOKED_AT);
    let sentences = picked.into_iter().filter_map(|pick| {
        let source = *read.get(pick.passage)?;
        let text = source.evidence.text.get(pick.span)?;
        let place = &source.evidence.provenance.place;
        let said = terms(&format!("{text} {} {}", place.section, place.title), Language::English);
        let on_subject = subject.is_empty() || said.iter().any(|term| subject.contains(term));
        on_subject.then_some(Sentence { source, text })
    });
    sentences.filter(|sentence| sentence.says_one_of(list)).collect()
}

/// Returns the sentences of all passages on the subject, in the order of the passages.
fn find_sentences<'a>(section_input: &SectionInput<'a>) -> impl Iterator<Item = Sentence<'a>> {
    let subject: BTreeSet<String> =
        section_input.subject.iter().flat_map(|word| terms(word, Language::English)).collect();
    let on_subject = move |one: &&Numbered| {
        let section = &one.evidence.provenance.place.section;
        let said = terms(&format!("{section} {}", one.evidence.text), Language::English);
        one.evidence.kind != EvidenceKind::User && said.iter().any(|term| subject.contains(term))
    };
    section_input.evidence.iter().filter(on_subject).flat_map(|source| {
        let text = source.evidence.text.as_str();
        sentences(text)
            .into_iter()
            .filter_map(move |span| text.get(span))
            .map(move |text| Sentence { source, text: text.trim() })
    })
}

fn written(sentences: &[Sentence<'_>]) -> Vec<Written> {
    sentences.iter().take(SENTENCES).map(|sentence| sentence.written()).collect()
}

/// Returns what sources say of the market's size, with the estimates that can be computed from it.
pub(super) fn sized(section_input: &SectionInput<'_>) -> SizingReply {
    let near = nearest(section_input, Section::MarketSizing, OF_SIZE);
    let near: Vec<Sentence<'_>> =
        near.into_iter().filter(|sentence| !sentence.figures().is_empty()).collect();
    let dated: Vec<Sentence<'_>> =
        find_sentences(section_input).filter(|sentence| sentence.has_year()).collect();
    SizingReply {
        claims: written(&near),
        top_down: top_down(&near).unwrap_or_default(),
        bottom_up: bottom_up(&dated).unwrap_or_default(),
        ..SizingReply::default()
    }
}

/// Takes the size of a market from a source that states it with a year.
fn top_down(near: &[Sentence<'_>]) -> Option<Estimated> {
    let (sentence, span, code) = near.iter().find_map(|sentence| {
        let stated = sentence.has_year()
            && sentence.says_one_of("market industry")
            && sentence.says_one_of(OF_WORTH)
            && !sentence.says_one_of(OF_FUNDING);
        let mut money = sentence.figures().into_iter().filter_map(|(read, span)| match read.kind {
            Kind::Money(code) => Some((span, code)),
            _ => None,
        });
        // With two amounts, it is unclear which is the market's size.
        let (span, code) = money.next().filter(|_| stated && money.next().is_none())?;
        Some((*sentence, span, code))
    })?;
    let size = Figure {
        name: "market_size".into(),
        description: "market".into(),
        value: sentence.between(&span).to_owned(),
        unit: code.to_owned(),
        evidence: sentence.source.number,
        quote: sentence.text.to_owned(),
        ..Figure::default()
    };
    Some(Estimated {
        inputs: vec![size],
        steps: vec![Computed {
            name: "market_as_stated".into(),
            expression: "market_size".into(),
            unit: code.to_owned(),
            value: String::new(),
        }],
        why_not: String::new(),
    })
}

/// Multiplies the number of customers by the price each pays, if one source states both.
fn bottom_up(dated: &[Sentence<'_>]) -> Option<Estimated> {
    let (price, price_span, code, payer) = dated.iter().find_map(|sentence| {
        sentence.figures().into_iter().find_map(|(read, span)| {
            let Kind::Money(code) = read.kind else { return None };
            let payer = sentence.behind(&span).trim_start().strip_prefix("per ")?;
            Some((*sentence, span, code, words(payer).next()?.1.to_lowercase()))
        })
    })?;
    let stem = terms(&payer, Language::English);
    let source = &price.source.evidence.source_uri;
    let from_there = |one: &&Sentence<'_>| one.source.evidence.source_uri == *source;
    let (count, count_span, noun) = dated.iter().filter(from_there).find_map(|sentence| {
        sentence.figures().into_iter().find_map(|(read, span)| {
            let written = sentence.between(&span);
            let is_year = written.len() == 4 && !written.contains([',', '.']);
            if read.kind != Kind::Plain || read.value < 2.0 || is_year {
                return None;
            }
            // "120,000 lawyers", "120,000 licensed lawyers".
            let counted = words(sentence.behind(&span)).map(|(_, word)| word.to_lowercase());
            let mut counted = counted.take(2).take_while(|word| {
                !is_stop_word(word, Language::English) && !word.contains(char::is_numeric)
            });
            let noun = counted.find(|word| terms(word, Language::English) == stem)?;
            Some((*sentence, span, noun))
        })
    })?;
    let figure =
        |name: &str, description: &str, sentence: Sentence<'_>, span: &Range<usize>, unit: &str| {
            Figure {
                name: name.into(),
                description: description.to_owned(),
                value: sentence.between(span).to_owned(),
                unit: unit.to_owned(),
                evidence: sentence.source.number,
                quote: sentence.text.to_owned(),
                ..Figure::default()
            }
        };
    let whole_price = price_span.start..price_span.end + " per ".len() + payer.len();
    Some(Estimated {
        inputs: vec![
            figure("customers", &noun, count, &count_span, &noun),
            figure(
                "price",
                &format!("for each {payer}"),
                price,
                &whole_price,
                &format!("{code}/{payer}"),
            ),
        ],
        steps: vec![Computed {
            name: "spending".into(),
            expression: "customers * price".into(),
            unit: code.to_owned(),
            value: String::new(),
        }],
        why_not: String::new(),
    })
}

/// Lists the companies named, with sentences on what they offer, to whom, at what price, and their position.
pub(super) fn compared(section_input: &SectionInput<'_>) -> Compared {
    let mut competitors: Vec<Row> = Vec::new();
    let near = nearest(section_input, Section::Competitors, OF_COMPETITORS);
    for sentence in near.into_iter().chain(find_sentences(section_input)) {
        for name in named(sentence.text) {
            let known = |row: &Row| row.name.text.eq_ignore_ascii_case(&name);
            if competitors.len() >= section_input.most || competitors.iter().any(known) {
                continue;
            }
            let offers = sentence.says_one_of(OF_OFFERS);
            let offering = if offers { sentence.written() } else { Written::default() };
            let name = Written { text: name, citations: sentence.quoted(), ..Written::default() };
            competitors.push(Row { name, offering, ..Row::default() });
        }
    }
    let names: Vec<String> = competitors.iter().map(|row| row.name.text.clone()).collect();
    let all: Vec<Sentence<'_>> = find_sentences(section_input).collect();
    for row in &mut competitors {
        fill(row, &names, &all);
    }
    Compared { competitors, ..Compared::default() }
}

/// Fills each empty cell of a row with the first fitting sentence that is about its company and no other in the table.
fn fill(row: &mut Row, names: &[String], all: &[Sentence<'_>]) {
    let name = row.name.text.clone();
    // The passage of the previous sentence, if that was about the company.
    let mut goes_on = None;
    for sentence in all {
        let named = |name: &String| mentions(sentence.text, name);
        let of_another = names.iter().any(|other| *other != name && named(other));
        let passage = Some(sentence.source.number);
        let is_about =
            !of_another && (named(&name) || goes_on == passage && follows(sentence.text));
        goes_on = passage.filter(|_| is_about);
        if !is_about {
            continue;
        }
        let lower = sentence.text.to_lowercase();
        let has_one_of = |phrases: [&str; 4]| phrases.iter().any(|one| mentions(&lower, one));
        let is_money = |(read, _): &(Read, Range<usize>)| matches!(read.kind, Kind::Money(_));
        let says = |list| sentence.says_one_of(list);
        let has_price =
            says(OF_PRICES) && !says(OF_FUNDING) && sentence.figures().iter().any(is_money);
        for (cell, fits) in [
            (&mut row.offering, says(OF_OFFERS) || has_one_of(WHAT_IT_IS)),
            (&mut row.customers, says(OF_CUSTOMERS) || has_one_of(SOLD_TO)),
            (&mut row.pricing, has_price),
            (&mut row.position, says(OF_POSITIONS)),
        ] {
            if fits && cell.text.is_empty() {
                *cell = sentence.written();
            }
        }
    }
}

/// Returns whether a text contains this name as whole words.
fn mentions(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric();
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let behind = text.get(at + name.len()..).and_then(|behind| behind.chars().next());
        !before.is_some_and(is_word) && !behind.is_some_and(is_word)
    })
}

/// Returns whether a sentence begins with a word that refers to the subject of the previous one.
fn follows(sentence: &str) -> bool {
    let begins = |word: &&str| {
        let (begins, behind) = sentence.split_at_checked(word.len()).unwrap_or_default();
        begins.eq_ignore_ascii_case(word) && !behind.starts_with(char::is_alphanumeric)
    };
    GOING_ON.iter().any(begins)
}

/// Returns the company names in a sentence: "vendors such as A, B and C", "the startup A", "A, a provider of".
fn named(sentence: &str) -> Vec<String> {
    let tokens: Vec<(usize, &str)> = words(sentence).collect();
    let is_name =
        |word: &str| word.starts_with(char::is_uppercase) && !is_stop_word(word, Language::English);
    // The text between two words of the sentence.
    let gap = |one: usize, other: usize| {
        let from = tokens.get(one).map(|(at, word)| at + word.len());
        let to = tokens.get(other).map(|(at, _)| *at);
        from.zip(to).and_then(|(from, to)| sentence.get(from..to)).unwrap_or_default()
    };
    let word = |at: usize| tokens.get(at).map(|(_, word)| *word);
    // Returns the name that begins at a word, and the position of the word after it.
    let name_at = |start: usize| {
        let mut end = start;
        while word(end).is_some_and(is_name) && (end == start || gap(end - 1, end) == " ") {
            end += 1;
        }
        let from = tokens.get(start).map(|(at, _)| *at)?;
        let to = tokens.get(end.checked_sub(1)?).map(|(at, word)| at + word.len())?;
        (end > start).then(|| Some((sentence.get(from..to)?.to_owned(), end))).flatten()
    };
    let mut names = Vec::new();
    for (at, (_, cue)) in
        tokens.iter().enumerate().filter(|(_, (_, one))| holds(OF_COMPETITORS, one))
    {
        // "vendors such as", "vendors of legal software such as".
        let lists = |from: usize| match (word(from), word(from + 1)) {
            (Some("such"), Some("as")) => Some(from + 2),
            (Some("including"), _) => Some(from + 1),
            (Some("like" | "named" | "called"), _) if from == at + 1 => Some(from + 1),
            _ => None,
        };
        let between = (at + 1..at + 6).take_while(|one| {
            gap(one - 1, *one) == " " && word(*one).is_some_and(|word| !is_name(word))
        });
        let behind = between.filter_map(lists).next();
        let (mut next, listed) = (behind.unwrap_or(at + 1), behind.is_some());
        let direct = gap(at, at + 1) == " " || listed;
        while let Some((name, end)) = name_at(next).filter(|_| direct) {
            names.push(name);
            let joined = matches!(gap(end - 1, end), ", " | " ") && listed;
            next = match word(end) {
                Some("and" | "or") if listed => end + 1,
                Some(_) if joined && gap(end - 1, end) == ", " => end,
                _ => break,
            };
        }
        // "A, a Texas startup", "A is a startup": the name comes before "a" or "an".
        let article =
            (at.saturating_sub(3)..at).rev().find(|back| matches!(word(*back), Some("a" | "an")));
        if let Some(article) = article.filter(|article| *article > 0 && !cue.ends_with('s'))
            && let is = matches!(word(article - 1), Some("is" | "was"))
            && (is || matches!(gap(article - 1, article), ", "))
        {
            let behind = if is { article - 1 } else { article };
            let mut start = behind;
            while start > 0
                && word(start - 1).is_some_and(is_name)
                && (start == behind || gap(start - 1, start) == " ")
            {
                start -= 1;
            }
            names.extend(name_at(start).map(|(name, _)| name));
        }
    }
    names
}

/// Quotes sentences on customers and their needs.
pub(super) fn described(section_input: &SectionInput<'_>) -> Described {
    let near = nearest(section_input, Section::Customers, OF_CUSTOMERS);
    let (needs, claims): (Vec<Sentence<'_>>, Vec<Sentence<'_>>) =
        near.into_iter().partition(|sentence| sentence.says_one_of(OF_NEEDS));
    let segments = vec![Group {
        name: "What the sources say about customers".into(),
        claims: written(&claims),
        needs: written(&needs),
    }];
    Described { segments, ..Described::default() }
}

/// Quotes the risks and barriers that sources state.
pub(super) fn advised(section_input: &SectionInput<'_>) -> Advised {
    let risks = written(&nearest(section_input, Section::Strategy, OF_RISKS));
    let gaps =
        vec!["Recommendations need a model. Choose one to have the evidence judged.".to_owned()];
    Advised { risks, gaps, ..Advised::default() }
}

/// Returns an empty summary, which the program replaces by one made by rule.
pub(super) fn edited() -> Edited {
    Edited::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_about_a_company_that_it_names_or_goes_on_about() {
        assert!(mentions("In 2025 Lexi's price rose.", "Lexi") && !mentions("Lexicon", "Lexi"));
        assert!(follows("Its customers are lawyers.") && follows("The company charges $5."));
        assert!(!follows("Itself it is small.") && !follows("") && !follows("Ît"));
    }

    #[test]
    fn companies_are_those_that_a_sentence_names_as_such() {
        for (sentence, names) in [
            (
                "Vendors such as Harvey, Robin AI and Spellbook sell to firms.",
                vec!["Harvey", "Robin AI", "Spellbook"],
            ),
            ("In Texas the startup Lexi reads contracts.", vec!["Lexi"]),
            ("Lexi, a Texas startup, reads contracts.", vec!["Lexi"]),
            ("Clausewright is a vendor of software.", vec!["Clausewright"]),
            (
                "## Lexfold\n\nLexfold, a vendor of contract review software from Austin, sells to firms with fewer than ten lawyers.",
                vec!["Lexfold"],
            ),
            ("Redline Harbor, a startup from Houston, reads leases.", vec!["Redline Harbor"]),
            ("Many companies in Texas buy software.", vec![]),
            ("Vendors of legal software such as Harvey sell it.", vec!["Harvey"]),
            ("Companies that like Texas are Texan.", vec![]),
            ("Most of the companies are European.", vec![]),
            ("Texas has 120,000 lawyers.", vec![]),
            ("The company said that Monday was fine.", vec![]),
        ] {
            assert_eq!(named(sentence), names, "{sentence}");
        }
    }
}
