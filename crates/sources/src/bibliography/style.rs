//! The archived styles, changed so that names stay as deposited.

use std::sync::{Arc, OnceLock};

use hayagriva::archive::{ArchivedStyle, LOCALES};
use hayagriva::citationberg::taxonomy::{
    NumberOrPageVariable, NumberVariable, StandardVariable, Variable,
};
use hayagriva::citationberg::{
    Choose, IndependentStyle, LayoutRenderingElement, Locale, Name, NamesChild, Style, TextCase,
    TextTarget,
};

/// The language of references, whatever language a style was made for.
const LANGUAGE: &str = "en-US";

/// A citation layout under which two works are alike, and need letters after their years, if all of their authors and the year agree.
///
/// It replaces a style's own citation layout, which distinguishes works by their first authors, and adds names if those agree. But a
/// run's lists are numbered, and the engine panics when it adds names to works of many authors.
const LIKENESS: &str = r#"
<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0">
  <info><title>Likeness</title><id>likeness</id><updated>2026-01-01T00:00:00+00:00</updated></info>
  <citation>
    <layout delimiter="; ">
      <names variable="author">
        <name form="long" initialize-with=". " et-al-min="10000" et-al-use-first="9999"/>
        <substitute><names variable="editor"/><text variable="title"/></substitute>
      </names>
      <date variable="issued" prefix=" "><date-part name="year"/></date>
    </layout>
  </citation>
</style>"#;

/// An archived style, unpacked on first use.
#[derive(Clone)]
pub(super) struct Named {
    pub(super) name: &'static str,
    archived: ArchivedStyle,
    unpacked: Arc<OnceLock<IndependentStyle>>,
}

/// The error for an unknown style name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no citation style '{name}'. {}", hint(near))]
pub struct NoStyle {
    pub name: String,
    /// Similar style names, the nearest first.
    pub near: Vec<&'static str>,
}

fn hint(near: &[&str]) -> String {
    match near {
        [] => "Examples are apa, ieee, vancouver and chicago-author-date".to_owned(),
        near => format!("Did you mean {}?", near.join(", ")),
    }
}

/// Returns the names of all styles, each style once, in alphabetical order.
pub fn styles() -> Vec<&'static str> {
    let mut names: Vec<&str> = list_archived().filter_map(name_of).collect();
    names.sort_unstable();
    names
}

/// Lists every style except the one that has labels but no references.
fn list_archived() -> impl Iterator<Item = ArchivedStyle> {
    let all = ArchivedStyle::all().iter().copied();
    all.filter(|style| *style != ArchivedStyle::Alphanumeric)
}

/// Returns the shortest of a style's names.
fn name_of(style: ArchivedStyle) -> Option<&'static str> {
    style.names().iter().copied().min_by_key(|name| name.len())
}

/// Returns the style with that name.
pub(super) fn named(name: &str) -> Result<Named, NoStyle> {
    let wanted = name.trim().to_lowercase();
    let archived = list_archived().find(|style| style.names().contains(&&*wanted));
    let found = archived.and_then(|archived| {
        let name = name_of(archived)?;
        Some(Named { name, archived, unpacked: Arc::default() })
    });
    let no_style = || NoStyle { name: name.trim().chars().take(60).collect(), near: near(&wanted) };
    found.ok_or_else(no_style)
}

impl Named {
    /// Returns the changed style; the first call takes some milliseconds.
    pub(super) fn style(&self) -> &IndependentStyle {
        self.unpacked.get_or_init(|| {
            let changed = match self.archived.get() {
                Style::Independent(mut style) => change(&mut style).map(|()| style),
                Style::Dependent(_) => None,
            };
            changed.expect("a test unpacks every style: each is whole and has a list of references")
        })
    }
}

/// Returns the terms and date formats of [`LANGUAGE`].
pub(super) fn locales() -> &'static [Locale] {
    static READ: OnceLock<Vec<Locale>> = OnceLock::new();
    READ.get_or_init(|| {
        // Each begins with its language, and reading all of them takes a tenth of a second in a debug build.
        let ours = |bytes: &&&[u8]| {
            let start = bytes.get(..64).unwrap_or(bytes);
            start.windows(LANGUAGE.len()).any(|window| window == LANGUAGE.as_bytes())
        };
        let read = |bytes: &&[u8]| ciborium::from_reader::<Locale, &[u8]>(bytes).ok();
        let is_ours = |locale: &Locale| locale.lang.as_ref().is_some_and(|lang| lang.0 == LANGUAGE);
        LOCALES.iter().filter(ours).filter_map(read).filter(is_ours).collect()
    })
}

pub(super) fn language() -> hayagriva::citationberg::LocaleCode {
    hayagriva::citationberg::LocaleCode(LANGUAGE.to_owned())
}

/// Returns up to three names that contain the wanted one or are a typing error away from it.
fn near(wanted: &str) -> Vec<&'static str> {
    let all = list_archived().flat_map(|style| style.names().iter().copied());
    let wanted: String = wanted.chars().take(60).collect();
    let mut near: Vec<(usize, &str)> = all
        .filter_map(|name| {
            let words = name.split('-').any(|word| wanted.len() > 2 && word.starts_with(&wanted));
            let far = steps(&wanted, name);
            (words || far <= 1 + wanted.chars().count() / 4).then_some((far, name))
        })
        .collect();
    near.sort_unstable();
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

/// Returns the Levenshtein distance between two words.
fn steps(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.chars().count()).collect();
    for (above, letter) in from.chars().enumerate() {
        let mut last = above + 1;
        let mut next = vec![last];
        for (pair, other) in row.windows(2).zip(to.chars()) {
            let [diagonal, up] = pair else { continue };
            last = (diagonal + usize::from(letter != other)).min(up + 1).min(last + 1);
            next.push(last);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

/// Keeps journal names as deposited, leaves the numbering of a list to the caller, and distinguishes works by [`LIKENESS`].
fn change(style: &mut IndependentStyle) -> Option<()> {
    for part in &mut style.macros {
        part.children.iter_mut().for_each(change_element);
    }
    let bibliography = style.bibliography.as_mut()?;
    bibliography.layout.elements.iter_mut().for_each(change_element);
    // A dash for "the same authors as above" makes no sense in a list with another order.
    bibliography.subsequent_author_substitute = None;
    bibliography.second_field_align = None;
    let years_have_letters = style.citation.disambiguate_add_year_suffix;
    style.citation = IndependentStyle::from_xml(LIKENESS).ok()?.citation;
    style.citation.disambiguate_add_year_suffix = years_have_letters;
    Some(())
}

fn change_element(element: &mut LayoutRenderingElement) {
    match element {
        LayoutRenderingElement::Text(text) => {
            let TextTarget::Variable { var, .. } = &mut text.target else { return };
            if is_number_of_list(*var) {
                // Emptied, not removed, so that the brackets around it disappear too.
                *var = Variable::Standard(StandardVariable::Annote);
            } else if is_deposited(*var) && text.text_case != Some(TextCase::Lowercase) {
                text.text_case = None;
            }
        }
        LayoutRenderingElement::Number(number) => {
            if is_number_of_list(number.variable.into()) {
                number.variable =
                    NumberOrPageVariable::Number(NumberVariable::FirstReferenceNoteNumber);
            }
        }
        LayoutRenderingElement::Names(names) => {
            // Without a name element, but with a label or a substitute, the engine omits the names.
            let has_name = names.children.iter().any(|child| matches!(child, NamesChild::Name(_)));
            if !has_name && !names.children.is_empty() {
                names.children.insert(0, NamesChild::Name(Name::default()));
            }
            for child in &mut names.children {
                if let NamesChild::Substitute(substitute) = child {
                    substitute.children.iter_mut().for_each(change_element);
                }
            }
        }
        LayoutRenderingElement::Group(group) => group.children.iter_mut().for_each(change_element),
        LayoutRenderingElement::Choose(choose) => change_choose(choose),
        LayoutRenderingElement::Date(_) | LayoutRenderingElement::Label(_) => {}
    }
}

fn change_choose(choose: &mut Choose) {
    let branches = std::iter::once(&mut choose.if_).chain(&mut choose.else_if);
    let branches = branches.map(|branch| &mut branch.children);
    let otherwise = choose.otherwise.iter_mut().map(|branch| &mut branch.children);
    branches.chain(otherwise).flatten().for_each(change_element);
}

fn is_number_of_list(variable: Variable) -> bool {
    matches!(
        variable,
        Variable::Number(NumberVariable::CitationNumber)
            | Variable::Standard(StandardVariable::CitationLabel)
    )
}

/// Returns whether a variable stays as deposited: names of journals and series, and numbers such as `arXiv:…`.
fn is_deposited(variable: Variable) -> bool {
    matches!(
        variable,
        Variable::Standard(StandardVariable::ContainerTitle | StandardVariable::CollectionTitle)
            | Variable::Number(NumberVariable::Number)
    )
}
