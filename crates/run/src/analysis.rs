//! How text is cut up: sentences, words, and the terms that are compared.
//!
//! Retrieval, coverage and the citation check all read text through this file, so a word that counts in one counts in the
//! others. [`sentences`] finds where sentences stand, [`terms`] gives what is compared, [`tokens`] estimates what a model pays.
//!
//! ```
//! use run::analysis::{Language, sentences, terms};
//!
//! let text = "Dr. Tinbergen watched the gulls. They fed 3.5 times an hour.";
//! let cut: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
//! assert_eq!(cut, ["Dr. Tinbergen watched the gulls.", "They fed 3.5 times an hour."]);
//! assert_eq!(terms("The gulls were feeding", Language::English), ["gull", "feed"]);
//! ```

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use rust_stemmers::{Algorithm, Stemmer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;
use unicode_script::{Script, UnicodeScript};
use unicode_segmentation::UnicodeSegmentation;

/// The language a text is read in: it decides the stop words and the stemmer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    #[default]
    English,
    German,
    French,
    Spanish,
    Italian,
    Portuguese,
    Dutch,
    Russian,
    Swedish,
    /// Any other: words are compared as they are written, none is left out.
    Other,
}

impl Language {
    fn stemmer(self) -> Option<Stemmer> {
        let algorithm = match self {
            Language::English => Algorithm::English,
            Language::German => Algorithm::German,
            Language::French => Algorithm::French,
            Language::Spanish => Algorithm::Spanish,
            Language::Italian => Algorithm::Italian,
            Language::Portuguese => Algorithm::Portuguese,
            Language::Dutch => Algorithm::Dutch,
            Language::Russian => Algorithm::Russian,
            Language::Swedish => Algorithm::Swedish,
            Language::Other => return None,
        };
        Some(Stemmer::create(algorithm))
    }

    fn stop_words(self) -> &'static HashSet<&'static str> {
        static SETS: [OnceLock<HashSet<&'static str>>; 10] = [const { OnceLock::new() }; 10];
        let code = match self {
            Language::English => {
                return SETS[self as usize].get_or_init(|| ENGLISH.split_whitespace().collect());
            }
            Language::German => "de",
            Language::French => "fr",
            Language::Spanish => "es",
            Language::Italian => "it",
            Language::Portuguese => "pt",
            Language::Dutch => "nl",
            Language::Russian => "ru",
            Language::Swedish => "sv",
            Language::Other => "",
        };
        SETS[self as usize]
            .get_or_init(|| stop_words::lookup(code).unwrap_or_default().iter().copied().collect())
    }
}

/// The English function words. The ISO list has 1,298 entries, among them `research`, `computer`, `information` and every
/// two-letter country code, and a question made of those would find nothing.
const ENGLISH: &str = "a about above after again against all also although always am among an and another any anybody anyone \
    anything are aren't around as at away be became because become becomes been before behind being below beside besides \
    between beyond both but by can can't cannot could couldn't despite did didn't do does doesn't doing don't down during each \
    either else etc even ever every everybody everyone everything few for from further had hadn't has hasn't have haven't \
    having he he'd he'll he's hence her here here's hers herself him himself his how how's however i i'd i'll i'm i've if in \
    indeed instead into is isn't it it'd it'll it's its itself just let's many may me might more moreover most much must \
    mustn't my myself neither never nevertheless no nobody none nor not nothing now of off often on once only onto or other \
    others otherwise ought our ours ourselves out over own per perhaps quite rather same shall shan't she she'd she'll she's \
    should shouldn't since so some somebody someone something still such than that that'll that's the their theirs them \
    themselves then there there's thereby therefore these they they'd they'll they're they've this those though through \
    throughout thus to together too toward towards under unless until up upon us very via was wasn't we we'd we'll we're we've \
    were weren't what what's when when's where where's whereas wherever whether which while who who'd who'll who's whoever whom \
    whose why why's will with within without won't would wouldn't yet you you'd you'll you're you've your yours yourself \
    yourselves";

/// Returns the words of `text` with the byte each starts at, by Unicode's word boundaries.
///
/// `3.5`, `can't` and `e.g` are one word each; punctuation is none; a Han character is a word of its own.
pub fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.unicode_word_indices()
}

/// Tells whether `word`, in any case, carries grammar rather than content.
pub fn is_stop_word(word: &str, language: Language) -> bool {
    let set = language.stop_words();
    set.contains(word) || set.contains(word.to_lowercase().replace('’', "'").as_str())
}

/// Returns the terms of `text` in reading order: folded, lower case, stemmed, without stop words.
///
/// Scripts that put no spaces between words (Han, kana, Hangul, Thai and its neighbours) give overlapping pairs of characters.
/// Numbers are kept; `1,000` and `1000` are the same term.
pub fn terms(text: &str, language: Language) -> Vec<String> {
    Analyzer::new(language).terms(text)
}

/// The analysis behind [`terms`] for many texts of one language: a word that was seen before is not stemmed again.
pub struct Analyzer {
    language: Language,
    stop_words: &'static HashSet<&'static str>,
    stemmer: Option<Stemmer>,
    /// The term of each word seen so far; none for a stop word.
    known: HashMap<String, Option<String>>,
}

/// Words that an analyzer remembers, at most.
const MOST_KNOWN: usize = 1 << 16;

impl Analyzer {
    pub fn new(language: Language) -> Analyzer {
        Analyzer {
            language,
            stop_words: language.stop_words(),
            stemmer: language.stemmer(),
            known: HashMap::new(),
        }
    }

    /// Returns the terms of `text`, as [`terms`] does.
    pub fn terms(&mut self, text: &str) -> Vec<String> {
        let folded: String = if text.is_ascii() {
            text.to_ascii_lowercase()
        } else {
            text.nfkc().flat_map(char::to_lowercase).collect()
        };
        let mut found = Vec::new();
        let mut run: Option<Range<usize>> = None;
        for (start, word) in words(&folded) {
            let end = start + word.len();
            if word.chars().all(is_unspaced) {
                match &mut run {
                    Some(open) if open.end == start => open.end = end,
                    _ => {
                        pairs(&folded, run.replace(start..end), &mut found);
                    }
                }
                continue;
            }
            pairs(&folded, run.take(), &mut found);
            if let Some(term) = self.known.get(word) {
                found.extend(term.clone());
                continue;
            }
            let term = self.term(word);
            found.extend(term.clone());
            if self.known.len() < MOST_KNOWN {
                self.known.insert(word.to_owned(), term);
            }
        }
        pairs(&folded, run, &mut found);
        found
    }

    /// Returns the term of a folded word, none for a stop word.
    fn term(&self, word: &str) -> Option<String> {
        let word = word.replace('’', "'");
        if self.stop_words.contains(word.as_str()) {
            return None;
        }
        let word = without_article(&word, self.language);
        if self.stop_words.contains(word) {
            return None;
        }
        Some(match &self.stemmer {
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => without_separators(word),
            Some(stemmer) => stemmer.stem(word).into_owned(),
            None => word.to_owned(),
        })
    }
}

/// Estimates how many tokens a model counts for `text`: a quarter of its characters, and one for each character of a script
/// without spaces.
pub fn tokens(text: &str) -> usize {
    let characters = text.chars().count();
    let unspaced =
        if text.is_ascii() { 0 } else { text.chars().filter(|c| is_unspaced(*c)).count() };
    (characters - unspaced).div_ceil(4) + unspaced
}

/// Tells whether `character` belongs to a script that is written without spaces between words.
pub(crate) fn is_unspaced(character: char) -> bool {
    use Script::{Han, Hangul, Hiragana, Katakana, Khmer, Lao, Myanmar, Thai};
    !character.is_ascii()
        && matches!(
            character.script(),
            Han | Hangul | Hiragana | Katakana | Khmer | Lao | Myanmar | Thai
        )
}

fn pairs(text: &str, run: Option<Range<usize>>, found: &mut Vec<String>) {
    let Some(run) = run.and_then(|range| text.get(range)) else { return };
    if run.chars().nth(1).is_none() {
        found.push(run.to_owned());
        return;
    }
    for ((start, _), (next, second)) in run.char_indices().zip(run.char_indices().skip(1)) {
        found.extend(run.get(start..next + second.len_utf8()).map(str::to_owned));
    }
}

/// Cuts the elided article: `l'homme` and `dell'acqua` are about `homme` and `acqua`.
fn without_article(word: &str, language: Language) -> &str {
    match word.split_once('\'') {
        Some((article, rest))
            if matches!(language, Language::French | Language::Italian)
                && article.len() <= 5
                && !rest.is_empty() =>
        {
            rest
        }
        _ => word,
    }
}

fn without_separators(number: &str) -> String {
    let mut groups = number.split(',');
    let first = groups.next().unwrap_or_default();
    let grouped = first.len() <= 3
        && groups.all(|group| group.split('.').next().is_some_and(|digits| digits.len() == 3));
    if grouped { number.replace(',', "") } else { number.to_owned() }
}

/// Returns where the sentences of `text` stand, in bytes, without the white space and list marks around them.
///
/// A heading, a list item, a table row and a blank line each end a sentence; a single line break inside a paragraph does not.
/// Stretches without a letter or digit (rules, table borders) are no sentences.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for block in blocks(text) {
        cut(text, block, &mut found);
    }
    found
}

/// Returns the paragraphs, headings, list items and table rows of a Markdown text.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open: Option<Range<usize>> = None;
    let mut fenced = false;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        let from = start + (line.len() - line.trim_start().len());
        let to = from + trimmed.len();
        start += line.len();
        let fence = trimmed.starts_with("```") || trimmed.starts_with("~~~");
        fenced ^= fence;
        let rule = !trimmed.chars().any(char::is_alphanumeric)
            && trimmed.chars().any(|c| "-=*_|~`#".contains(c));
        if trimmed.is_empty() || fence || rule {
            found.extend(open.take());
        } else if let Some(mark) = list_mark(trimmed) {
            found.extend(open.replace(from + mark..to));
        } else if let Some(mark) = heading_mark(trimmed) {
            found.extend(open.take());
            found.push(from + mark..to);
        } else if fenced || trimmed.starts_with('|') {
            found.extend(open.take());
            found.push(from..to);
        } else {
            open = Some(open.map_or(from, |block| block.start)..to);
        }
    }
    found.extend(open);
    found
}

/// Returns the length of `- `, `* `, `+ `, `• `, `1. ` or `1) ` at the start of a line.
fn list_mark(line: &str) -> Option<usize> {
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    let mark = line.get(digits..)?.chars().next()?;
    let bullet = digits == 0 && matches!(mark, '-' | '*' | '+' | '•');
    let number = (1..=3).contains(&digits) && matches!(mark, '.' | ')');
    let rest = line.get(digits + mark.len_utf8()..)?;
    let content = rest.trim_start();
    ((bullet || number) && content.len() < rest.len()).then(|| line.len() - content.len())
}

fn heading_mark(line: &str) -> Option<usize> {
    let rest = line.trim_start_matches('#');
    let marks = line.len() - rest.len();
    ((1..=6).contains(&marks) && rest.starts_with([' ', '\t']))
        .then(|| line.len() - rest.trim_start().len())
}

/// Adds the sentences of one block.
fn cut(text: &str, block: Range<usize>, found: &mut Vec<Range<usize>>) {
    let Some(body) = text.get(block.clone()) else { return };
    let mut from = 0;
    let mut characters = body.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let full_width = matches!(character, '。' | '！' | '？' | '｡');
        if !full_width && !matches!(character, '.' | '!' | '?' | '…') {
            continue;
        }
        let mut end = at + character.len_utf8();
        while let Some((next, stop)) = characters.next_if(|(_, c)| ".!?…。！？".contains(*c)) {
            end = next + stop.len_utf8();
        }
        let stops = body.get(at..end).unwrap_or_default();
        end += closers(body.get(end..).unwrap_or_default());
        while characters.next_if(|(next, _)| *next < end).is_some() {}
        let after = body.get(end..).unwrap_or_default();
        let before = body.get(from..at).unwrap_or_default();
        if full_width || ends_here(before, stops, after) {
            push(text, block.start + from..block.start + end, found);
            from = end;
        }
    }
    push(text, block.start + from..block.end, found);
}

/// Returns the length of the quotation marks, brackets, emphasis and reference numbers (`[3]`) that close a sentence.
fn closers(after: &str) -> usize {
    let mut rest = after;
    loop {
        rest = rest.trim_start_matches([
            '"', '\'', '”', '’', '»', ')', ']', '」', '』', '）', '*', '_', '`',
        ]);
        let reference = rest.strip_prefix('[').and_then(|inner| {
            let (numbers, rest) = inner.split_once(']')?;
            let plain = !numbers.is_empty()
                && numbers.chars().all(|c| c.is_ascii_digit() || ", -–".contains(c));
            plain.then_some(rest)
        });
        match reference {
            Some(shorter) => rest = shorter,
            None => return after.len() - rest.len(),
        }
    }
}

/// Abbreviations that something always follows.
const LEADING: &str = " dr mr mrs ms prof st fig figs eq eqs vs cf e.g i.e approx ca viz gen rep sen gov capt rev hon mt bzw vgl \
    z.b d.h u.a sog bspw mme mlle sra eds sp spp ";

/// Abbreviations that a number follows; without one they are words.
const NUMBERED: &str = " no nos nr art ch col ed p pp ref refs sec vol ";

/// Abbreviations that may also close a sentence.
const TRAILING: &str = " al etc inc ltd corp co jr sr dept univ est jan feb mar apr jun jul aug sep sept oct nov dec usw max min ";

const GERMAN_MONTHS: &str = " januar februar märz april mai juni juli august september oktober november dezember jahrhundert ";

fn ends_here(before: &str, stops: &str, after: &str) -> bool {
    let next =
        after.trim_start_matches(|c: char| c.is_whitespace() || "\"'“‘„«([*_`¿¡".contains(c));
    if !after.is_empty() && !after.starts_with(char::is_whitespace)
        || next.starts_with(char::is_lowercase)
    {
        return false;
    }
    if stops != "." || next.is_empty() {
        return true;
    }
    let word = before
        .rsplit(|c: char| c.is_whitespace() || "([\"'“‘„«—–/".contains(c))
        .next()
        .unwrap_or_default();
    let listed = |list: &str, word: &str| list.contains(&format!(" {} ", word.to_lowercase()));
    let next_word = next
        .split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’')
        .next()
        .unwrap_or_default();
    let initials = word
        .split('.')
        .all(|part| part.chars().count() == 1 && part.chars().all(char::is_alphabetic));
    if listed(LEADING, word) {
        false
    } else if listed(NUMBERED, word) {
        !next.starts_with(|c: char| c.is_ascii_digit())
    } else if initials || listed(TRAILING, word) {
        is_stop_word(next_word, Language::English)
    } else {
        let ordinal =
            word.len() <= 2 && !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
        !(ordinal && listed(GERMAN_MONTHS, next_word))
    }
}

fn push(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let Some(sentence) = text.get(range.clone()) else { return };
    let lead = sentence.len() - sentence.trim_start().len();
    let trimmed = sentence.trim();
    if trimmed.chars().any(char::is_alphanumeric) {
        found.push(range.start + lead..range.start + lead + trimmed.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: &[&str]) {
        let cut: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(cut, expected, "{text:?}");
    }

    #[test]
    fn abbreviations_initials_and_decimals_do_not_end_a_sentence() {
        check(
            "Dr. Who met J. R. Smith. It was 3.5 m away.",
            &["Dr. Who met J. R. Smith.", "It was 3.5 m away."],
        );
        check(
            "See e.g. Fig. 3 for Smith et al. (2010). Done.",
            &["See e.g. Fig. 3 for Smith et al. (2010).", "Done."],
        );
        check(
            "The U.S. Army left. In the U.S. The rest stayed.",
            &["The U.S. Army left.", "In the U.S.", "The rest stayed."],
        );
        check("Am 3. März kam er. Dann ging er.", &["Am 3. März kam er.", "Dann ging er."]);
        check(
            "It waited ... then left. Why… Nobody knew!",
            &["It waited ... then left.", "Why…", "Nobody knew!"],
        );
    }

    #[test]
    fn closing_marks_and_reference_numbers_belong_to_the_sentence_before() {
        check(
            "He said “stop.” Then (it ended.) So.[12] Next",
            &["He said “stop.”", "Then (it ended.)", "So.[12]", "Next"],
        );
        check("**Bold end.** Really?! Yes.", &["**Bold end.**", "Really?!", "Yes."]);
    }

    #[test]
    fn markdown_blocks_end_a_sentence_and_a_line_break_does_not() {
        check(
            "# Title\nOne line\ngoes on.\n- first\n  still first\n- second\n\nLast",
            &["Title", "One line\ngoes on.", "first\n  still first", "second", "Last"],
        );
        check("| a | b |\n|---|---|\n| 1 | 2 |", &["| a | b |", "| 1 | 2 |"]);
        check("1. First thing.\n2) Second", &["First thing.", "Second"]);
    }

    #[test]
    fn chinese_and_japanese_stops_need_no_space() {
        check("鸥吃鱼。它们不吃草！对吗？", &["鸥吃鱼。", "它们不吃草！", "对吗？"]);
        check("彼は「行く。」と言った。終わり", &["彼は「行く。」", "と言った。", "終わり"]);
    }

    #[test]
    fn terms_are_folded_stemmed_and_free_of_stop_words() {
        let english = |text: &str| terms(text, Language::English);
        assert_eq!(english("The Gulls’ nests weren’t ﬁlling"), ["gull", "nest", "fill"]);
        assert_eq!(english("COVID-19 cost 1,000 or 3.5"), ["covid", "19", "cost", "1000", "3.5"]);
        assert_eq!(english("海鸥吃鱼 and 鱼"), ["海鸥", "鸥吃", "吃鱼", "鱼"]);
        assert_eq!(terms("l’homme et les maisons", Language::French), ["homm", "maison"]);
        assert_eq!(terms("The Gulls", Language::Other), ["the", "gulls"]);
    }

    #[test]
    fn the_token_estimate_counts_four_characters_or_one_ideograph() {
        assert_eq!([tokens(""), tokens("abc"), tokens("abcde"), tokens("海鸥ab")], [0, 1, 2, 3]);
    }

    #[test]
    fn every_language_has_its_stop_words() {
        for (word, language) in
            [("The", Language::English), ("und", Language::German), ("и", Language::Russian)]
        {
            assert!(is_stop_word(word, language));
        }
        assert!(!is_stop_word("und", Language::English) && !is_stop_word("the", Language::Other));
    }

    proptest! {
        #[test]
        fn any_text_can_be_cut_up(text in "(?s)(.|[.!? \n#|-]|[0-9a-z]){0,60}") {
            let mut last = 0;
            for range in sentences(&text) {
                prop_assert!(range.start >= last && text.get(range.clone()).is_some_and(|s| s.trim() == s && !s.is_empty()));
                last = range.end;
            }
            for language in [Language::English, Language::French, Language::Other] {
                terms(&text, language);
            }
            prop_assert!(tokens(&text) <= text.len());
        }
    }
}
