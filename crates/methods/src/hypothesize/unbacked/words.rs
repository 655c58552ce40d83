//! The words of a sentence with the punctuation around them.

/// A word, and what stands before and behind it up to the next white space.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'a> {
    /// Brackets and quotation marks that open.
    pub(super) before: &'a str,
    pub(super) core: &'a str,
    /// Stops, commas, and brackets that close.
    pub(super) behind: &'a str,
    /// Whether a round or square bracket is open around it.
    pub(super) bracketed: bool,
    /// Whether it begins the sentence, where every word has a capital.
    pub(super) first: bool,
}

/// Cuts a sentence at white space, and at the dashes and semicolons between words.
pub(super) fn words(sentence: &str) -> Vec<Word<'_>> {
    let mut found: Vec<Word> = Vec::new();
    let mut depth = 0_usize;
    for token in sentence.split_whitespace() {
        let start = token.trim_start_matches(|c: char| !c.is_alphanumeric());
        let core = start.trim_end_matches(|c: char| !c.is_alphanumeric());
        let before = token.get(..token.len() - start.len()).unwrap_or_default();
        let behind = start.get(core.len()..).unwrap_or_default();
        let opened = |text: &str| text.matches(['(', '[']).count();
        let closed = |text: &str| text.matches([')', ']']).count();
        depth = (depth + opened(before)).saturating_sub(closed(before));
        if core.is_empty() {
            continue;
        }
        let first = found.is_empty();
        found.push(Word { before, core, behind, bracketed: depth > 0, first });
        depth =
            (depth + opened(core) + opened(behind)).saturating_sub(closed(core) + closed(behind));
    }
    found
}

impl<'a> Word<'a> {
    pub(super) fn is(&self, word: &str) -> bool {
        self.core.eq_ignore_ascii_case(word)
    }

    pub(super) fn is_one_of(&self, list: &str) -> bool {
        list.split(' ').any(|word| self.is(word))
    }

    /// The core without `'s`, if it has one.
    pub(super) fn owner(&self) -> Option<&'a str> {
        let core = self.core;
        core.strip_suffix("'s").or_else(|| core.strip_suffix("’s")).or_else(|| {
            (core.ends_with('s') && self.behind.starts_with(['\'', '’'])).then_some(core)
        })
    }

    /// Whether it is a year, `2019` or `2019a`, and nothing else.
    pub(super) fn is_year(&self) -> bool {
        is_year(self.core)
    }

    /// Whether it is a year in brackets, as it stands behind an author's name: `(2019)`, `(2019a,`, `(2019:`.
    pub(super) fn is_bracketed_year(&self) -> bool {
        let first = self.core.split([',', ';', ':', '/', ')']).next().unwrap_or_default();
        self.before.ends_with(['(', '[']) && is_year(first)
    }

    /// Whether nothing but white space stands between it and the next word.
    pub(super) fn runs_on(&self) -> bool {
        self.behind.is_empty()
    }

    /// Whether it may be somebody's name: a capital and small letters, no digit, and no word that is capital for another reason.
    pub(super) fn is_name(&self) -> bool {
        let core = self.owner().unwrap_or(self.core);
        is_name(core)
    }

    /// Whether it is an initial: `J.`, `J.-P.`.
    pub(super) fn is_initial(&self) -> bool {
        let letters = self.core.split(['.', '-']).filter(|part| !part.is_empty());
        self.behind.starts_with('.')
            && letters.clone().count() > 0
            && letters
                .into_iter()
                .all(|part| part.chars().count() == 1 && part.chars().all(char::is_uppercase))
    }

    /// Whether it is a whole number of at most seven digits; a range such as `436–441` counts.
    pub(super) fn is_count(&self) -> bool {
        let parts = self.core.split(['-', '–']);
        parts.into_iter().all(|part| {
            (1..=7).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        })
    }
}

pub(super) fn is_year(text: &str) -> bool {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_lowercase());
    digits.len() == 4
        && text.len() <= 5
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && ["15", "16", "17", "18", "19", "20"].iter().any(|century| digits.starts_with(century))
}

fn is_name(core: &str) -> bool {
    let mut characters = core.chars();
    characters.next().is_some_and(char::is_uppercase)
        && characters.clone().any(char::is_lowercase)
        && characters.all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '’' | '‐'))
        && !NO_NAMES.contains(&format!(" {} ", core.to_lowercase()))
        && !run::analysis::is_stop_word(core, run::analysis::Language::English)
}

/// Words with a capital that a year may follow and that are nobody's name.
const NO_NAMES: &str = " january february march april may june july august september october november december jan feb mar apr \
    jun jul aug sep sept oct nov dec spring summer autumn fall winter monday tuesday wednesday thursday friday saturday sunday \
    figure fig table section chapter equation eq appendix supplement box panel version release edition part step phase stage \
    year years circa around approximately nearly until since before after early mid late today \
    hypothesis hypotheses objection reply question prediction experiment model models test sample dataset group class type \
    africa america asia australia europe antarctica germany france england britain italy spain greece russia china japan india brazil \
    canada mexico chile peru argentina kenya egypt israel iran iraq turkey ukraine poland sweden norway denmark finland iceland \
    netherlands belgium switzerland austria ireland scotland wales hungary portugal indonesia vietnam korea taiwan \
    london paris berlin tokyo rome madrid vienna moscow beijing shanghai delhi kyoto geneva rio oslo stockholm copenhagen \
    chernobyl fukushima hiroshima pinatubo krakatoa krakatau tambora vesuvius katrina sputnik voyager hubble kepler gaia planck \
    covid sars mers ebola zika apollo windows horizon agenda vision world united states kingdom union atlantic pacific arctic ";
