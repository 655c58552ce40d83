//! The hard checks: what a program can establish exactly about a claim and what it cites, in any language.
//!
//! Every number, date, time, percentage and unit of the claim must occur in what it cites, in the headings above or in the table's head
//! row; the same quantity in another unit, or the value that it is rounded from, also counts. Every name must occur there too, in the
//! surrounding text, or in the question. No letter may disguise the text. Anything that needs *reading*, such as negation, hedges, causes
//! and roles, is left to a reader.
//!
//! ```
//! use grounding::check::{Context, Gazetteer, check};
//! use grounding::statement::Source;
//!
//! let source = Source::of("# Herring gull\n\nThey lay two to four eggs. They do so in May.");
//! let cited = source.ground(1, 1).unwrap();
//! let context = Context { grounds: &[cited], question: "", gazetteer: &Gazetteer::default() };
//! assert!(check("Herring gulls lay 2–4 eggs.", &context).holds());
//! assert!(check("They lay two to four eggs.", &context).is_verbatim);
//! assert!(!check("Herring gulls lay five eggs.", &context).holds());
//! ```

mod enumeration;
mod labels;
mod lookalike;

pub use crate::names::Gazetteer;
pub use labels::{Figure, Label};

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::disguise::disguised;
use crate::fold::{LineEnd, fold};
use crate::names::{self, Capitals};
use crate::quantity::{self, Borne, Quantity, Reading};
use crate::statement::Source;
pub use crate::verbatim::is_verbatim;

/// What a claim rests on: consecutive statements and their context.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ground {
    /// The statements' own words, in order.
    pub statements: Vec<Cited>,
    /// What leads into the first of them, such as the sentence before a list, starting with the outermost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leads: Vec<String>,
    /// Their paragraph, with the statements before and after.
    pub around: String,
    /// The headings above them, starting with the document's title.
    pub headings: Vec<String>,
    /// The first lines of the document, which say who and what it is about. Names may come from here.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub opening: String,
    /// Whether it is a claim that already holds: its numbers repeat those of its statements.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_claim: bool,
    /// The figures in statements that a program computed, with their labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<Figure>,
}

/// A cited statement.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cited {
    pub text: String,
    /// The head row of its table; empty if it is not a table row.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub head: String,
}

impl Ground {
    /// Returns the text of the statements, joined by spaces.
    pub fn text(&self) -> String {
        self.statements.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join(" ")
    }
}

impl Source<'_> {
    /// Returns the ground from the `first` to the `last` statement, both counted from 0, or `None` if there are no such statements.
    pub fn ground(&self, first: usize, last: usize) -> Option<Ground> {
        let run = self.statements.get(first..=last).filter(|run| !run.is_empty())?;
        let cited = run.iter().enumerate().map(|(away, statement)| {
            let head = self.head(first + away).unwrap_or_default();
            let text = self.text.get(statement.span.clone()).unwrap_or_default();
            Cited { text: text.to_owned(), head: head.to_owned() }
        });
        let text = |index: usize| self.run(index, index).map(str::to_owned);
        Some(Ground {
            statements: cited.collect(),
            leads: self.leads(first).into_iter().filter_map(text).collect(),
            around: self.around(first, last).to_owned(),
            headings: self.headings(first).into_iter().map(str::to_owned).collect(),
            opening: self.text.get(self.opening()).unwrap_or_default().to_owned(),
            is_claim: false,
            figures: vec![],
        })
    }
}

/// What a claim is checked against.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    pub grounds: &'a [Ground],
    /// Names may be taken from here.
    pub question: &'a str,
    /// The gazetteer of everything that could have been cited.
    pub gazetteer: &'a Gazetteer,
}

/// Why a claim does not hold as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum Fault {
    #[error("there is no statement {address}")]
    NoSuchStatement { address: String },
    #[error("it cites nothing")]
    CitesNothing,
    #[error("the quote is not in {document}")]
    QuoteAbsent { document: String },
    #[error("there is no document \"{document}\"")]
    NoSuchDocument { document: String },
    #[error("what it cites does not say \"{number}\"")]
    NumberAbsent { number: String },
    #[error("what it cites says this of \"{found}\", not of \"{name}\"")]
    NumberOfAnother { number: String, name: String, found: String },
    #[error("\"{number}\" has a different unit there: {found}")]
    UnitDiffers { number: String, found: String },
    #[error("what it cites does not name \"{name}\"")]
    NameAbsent { name: String },
    #[error("\"{word}\" is not spelt like this in the source")]
    Disguised { word: String },
    #[error("\"{expression}\" gives {result}, not \"{number}\"")]
    WrongArithmetic { number: String, expression: String, result: String },
    #[error("it says more than what it cites: \"{words}\"")]
    GoesBeyond { words: String },
    #[error("what it cites says otherwise: {words}")]
    Contradicted { words: String },
    #[error("what it cites is about something else")]
    Unrelated,
    #[error("it does not follow from what it rests on: {words}")]
    DoesNotFollow { words: String },
    #[error("what it rests on failed the check")]
    RestsOnNothing,
    #[error("no second reader checked it: {why}")]
    Unread { why: String },
}

impl Fault {
    /// Returns the number that a reader may still derive, or `None` for any other fault.
    pub fn missing(&self) -> Option<&str> {
        match self {
            Fault::NumberAbsent { number } => Some(number),
            _ => None,
        }
    }
}

/// The result of the hard checks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checked {
    /// Whether the claim repeats its statements word for word.
    pub is_verbatim: bool,
    pub faults: Vec<Fault>,
}

impl Checked {
    pub fn holds(&self) -> bool {
        self.faults.is_empty()
    }
}

/// Checks a claim against what it cites.
pub fn check(claim: &str, context: &Context<'_>) -> Checked {
    let is_verbatim = context.grounds.iter().any(|ground| repeats(claim, ground));
    let held = Held::of(context);
    let mut faults: Vec<Fault> =
        disguised(claim, &held.text).map(|word| Fault::Disguised { word }).into_iter().collect();
    if !is_verbatim {
        let claim = fold_text(claim);
        let quantities = quantity::scan(&claim);
        let told = number_faults(&claim, &quantities, &held.numbers);
        // A number from the question has its unit from there, and a reader may account for it.
        faults.extend(told.into_iter().map(|fault| match fault {
            Fault::UnitDiffers { number, .. } if held.asked.tells(&number) => {
                Fault::NumberAbsent { number }
            }
            fault => fault,
        }));
        let capitals = Capitals::of(&claim, &fold_text(&held.text));
        for name in names::absent(&claim, &quantities, &held.names, context.gazetteer, capitals) {
            faults.push(Fault::NameAbsent { name: name.to_owned() });
        }
        faults.extend(unit_faults(&claim, &quantities, &held));
        let figures: Vec<&Figure> =
            context.grounds.iter().flat_map(|ground| &ground.figures).collect();
        // A figure has labels that say what it is of, and "53.1 % now" need not name its study.
        if figures.is_empty() {
            faults.extend(lookalike::number_of_another(&claim, &quantities, &held.statements));
        } else {
            faults.extend(labels::faults(&claim, &quantities, &figures, &held.statements));
        }
    }
    Checked { is_verbatim: is_verbatim && faults.is_empty(), faults }
}

/// Returns whether a claim is a statement of a ground, or all of them, word for word.
///
/// What leads into a statement may turn its meaning (`It is not true that:`), so that the claim must have that too. A row says something
/// only together with its head row.
fn repeats(claim: &str, ground: &Ground) -> bool {
    if !ground.leads.is_empty() {
        return is_verbatim(claim, &format!("{} {}", ground.leads.join(" "), ground.text()));
    }
    let mut sentences = ground.statements.iter().filter(|one| one.head.is_empty());
    sentences.any(|one| is_verbatim(claim, &one.text))
        || ground.statements.len() > 1 && is_verbatim(claim, &ground.text())
}

/// The names in a question, read once.
///
/// ```
/// use grounding::check::Naming;
///
/// let asked = Naming::of("How many people died in New York in 1866?");
/// assert!(!asked.is_in("The last epidemic in London came in 1866."));
/// assert!(asked.is_in("New York counted its dead."));
/// assert!(Naming::of("how many people died?").is_in("It is not known."));
/// ```
#[derive(Debug)]
pub struct Naming {
    question: String,
    quantities: Vec<Quantity>,
    gazetteer: Gazetteer,
}

impl Naming {
    pub fn of(question: &str) -> Naming {
        let question = fold_text(question);
        let quantities = quantity::scan(&question);
        Naming { question, quantities, gazetteer: Gazetteer::default() }
    }

    /// Returns whether a text has one of the names; true if the question names nothing.
    pub fn is_in(&self, text: &str) -> bool {
        let text = fold_text(text);
        let capitals = Capitals::of(&self.question, &text);
        let lacking = |known: &names::Known| {
            let Naming { question, quantities, gazetteer } = self;
            names::absent(question, quantities, known, gazetteer, capitals).len()
        };
        let mut known = names::Known::default();
        let all = lacking(&known);
        known.add(&text);
        all == 0 || lacking(&known) < all
    }
}

/// The numbers of everything that a writer was shown, read once: words without a citation may take their numbers from here.
///
/// ```
/// use grounding::check::Shown;
///
/// let shown = Shown::of(["Mites were found in 31 of 96 hives in 2019."]);
/// assert!(shown.foreign_numbers("Two mechanisms fit 31 of the 96 hives in 2019.").is_empty());
/// assert_eq!(shown.foreign_numbers("Smith (2014) found 40 %."), ["2014", "40 %"]);
/// ```
#[derive(Debug, Default)]
pub struct Shown {
    numbers: quantity::Known,
}

impl Shown {
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Shown {
        let mut shown = Shown::default();
        for text in texts {
            shown.add(text);
        }
        shown
    }

    pub fn add(&mut self, text: &str) {
        let quantities = quantity::scan(&fold_text(text));
        self.numbers.add_years(&quantities);
        self.numbers.add(quantities);
    }

    /// Returns whether a number was shown.
    ///
    /// ```
    /// use grounding::check::Shown;
    ///
    /// let shown = Shown::of(["We run twelve databases."]);
    /// assert!(shown.tells("12") && !shown.tells("11") && !shown.tells("databases"));
    /// ```
    pub fn tells(&self, number: &str) -> bool {
        self.numbers.tells(&fold_text(number))
    }

    /// Returns the numbers written with digits that were not shown, as the text writes them.
    pub fn foreign_numbers(&self, text: &str) -> Vec<String> {
        let text = fold_text(text);
        let quantities = quantity::scan(&text);
        let faults = number_faults(&text, &quantities, &self.numbers);
        let number = |fault| match fault {
            Fault::NumberAbsent { number } | Fault::UnitDiffers { number, .. } => Some(number),
            _ => None,
        };
        let foreign = faults.into_iter().filter_map(number);
        foreign.filter(|number| number.contains(char::is_numeric)).collect()
    }
}

fn number_faults(claim: &str, quantities: &[Quantity], known: &quantity::Known) -> Vec<Fault> {
    let told = quantities.iter().filter(|quantity| quantity.is_told);
    told.filter_map(|quantity| {
        let number = claim.get(quantity.at.clone()).unwrap_or_default().trim().to_owned();
        match known.bears_out(quantity) {
            Borne::Out => None,
            Borne::Absent if enumeration::counts_its_own(claim, quantity) => None,
            Borne::UnitDiffers(found) => Some(Fault::UnitDiffers { number, found }),
            Borne::Absent => Some(Fault::NumberAbsent { number }),
        }
    })
    .collect()
}

/// Finds a unit that the claim names without a number, if its source names only other units of that kind: "given in kibibytes".
fn unit_faults(claim: &str, quantities: &[Quantity], held: &Held) -> Option<Fault> {
    let mut bare = claim.to_owned();
    for quantity in quantities {
        let blank = " ".repeat(quantity.at.len());
        bare.replace_range(quantity.at.clone(), &blank);
    }
    let known = quantity::named_units(&fold_text(&held.text));
    quantity::named_units(&bare).into_iter().find_map(|unit| {
        let mut alike = known.iter().filter(|other| other.dimension == unit.dimension).peekable();
        let found = alike.peek()?.name.clone();
        let is_there = alike.any(|other| other.factor == unit.factor);
        (!is_there).then_some(Fault::UnitDiffers { number: unit.name, found })
    })
}

pub(crate) fn fold_text(text: &str) -> String {
    fold(text, LineEnd::Joined).text
}

/// The cited material, read once.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) numbers: quantity::Known,
    /// The numbers that expressions may use; of a computed figure, only its value.
    pub(crate) operands: quantity::Known,
    /// The numbers of cited statements and those of cited claims, each statement and each claim once.
    once: [quantity::Known; 2],
    /// The numbers of the question.
    pub(crate) asked: quantity::Known,
    names: names::Known,
    /// The cited text and its surroundings, unfolded.
    text: String,
    /// Each cited statement, folded, with its quantities.
    statements: Vec<(String, Vec<Quantity>)>,
}

impl Held {
    /// Returns whether a statement contains these lower-case words.
    pub(crate) fn says(&self, words: &str) -> bool {
        words.chars().any(char::is_alphanumeric)
            && self.statements.iter().any(|(text, _)| text.to_lowercase().contains(words))
    }

    /// Counts the occurrences of a number. A number that a claim took from its statements does not count twice.
    pub(crate) fn count(&self, reading: &Reading) -> usize {
        self.once.iter().map(|known| known.count(reading)).max().unwrap_or_default()
    }

    pub(crate) fn of(context: &Context<'_>) -> Held {
        let mut numbers = quantity::Known::default();
        let mut operands = quantity::Known::default();
        let (mut stated, mut claimed) = (quantity::Known::default(), quantity::Known::default());
        let mut told: HashSet<(bool, &str)> = HashSet::new();
        let mut known = names::Known::default();
        let mut text = String::new();
        let mut statements = Vec::new();
        let mut seen: HashSet<&str> = HashSet::new();
        let mut place = |words: &'_ str| {
            text.push_str(words);
            text.push('\n');
            known.add(&fold_text(words));
        };
        for ground in context.grounds {
            for Cited { text, head } in &ground.statements {
                let row = fold_text(text);
                let quantities = if head.is_empty() {
                    quantity::scan(&row)
                } else {
                    quantity::scan_row(&row, &fold_text(head))
                };
                numbers.add(quantities.clone());
                let values = || {
                    let values = ground.figures.iter().map(|figure| fold_text(&figure.value));
                    values.flat_map(|value| quantity::scan(&value)).collect()
                };
                let reckoned: Vec<Quantity> =
                    if ground.figures.is_empty() { quantities.clone() } else { values() };
                operands.add(reckoned.clone());
                if told.insert((ground.is_claim, text)) {
                    let own = if ground.is_claim { &mut claimed } else { &mut stated };
                    own.add(reckoned);
                }
                statements.push((row, quantities));
                place(text);
                place(head);
                if seen.insert(head) {
                    let quantities = quantity::scan(&fold_text(head));
                    stated.add(quantities.clone());
                    operands.add(quantities.clone());
                    numbers.add(quantities);
                }
            }
            let around = quantity::scan(&fold_text(&ground.around));
            numbers.add_years(&around);
            place(&ground.around);
            place(&ground.opening);
            for heading in ground.headings.iter().chain(&ground.leads) {
                place(heading);
                if seen.insert(heading) {
                    let quantities = quantity::scan(&fold_text(heading));
                    numbers.add_years(&quantities);
                    if ground.figures.is_empty() {
                        stated.add(quantities.clone());
                        operands.add(quantities.clone());
                    }
                    numbers.add(quantities);
                }
            }
        }
        let question = fold_text(context.question);
        known.add(&question);
        let mut asked = quantity::Known::default();
        asked.add(quantity::scan(&question));
        let once = [stated, claimed];
        Held { numbers, operands, once, asked, names: known, text, statements }
    }
}
