//! Detection of a text's language, by its trigrams or its function words.

use std::collections::HashSet;
use std::sync::OnceLock;

use unicode_script::{Script, UnicodeScript};
use whatlang::{Detector, Lang};

use crate::{Language, is_stop_word, words};

/// The bytes of a text that are looked at.
const SAMPLE: usize = 20_000;
/// From so many letters on, trigrams are believed: of real texts of this length 99.7 % were told rightly, of sentences with 60 to 160
/// letters 95 %, and of shorter ones 82 % (`docs/decisions/languages.md`).
const TELLING: usize = 200;
/// Fewer letters tell nothing, unless the script does.
const FEWEST: usize = 12;

/// Languages that are told from those of [`Language`], because their texts would be taken for one of them.
const NEIGHBOURS: [(Lang, &str); 6] = [
    (Lang::Hrv, "hr"),
    (Lang::Srp, "sr"),
    (Lang::Slk, "sk"),
    (Lang::Cat, "ca"),
    (Lang::Mar, "mr"),
    (Lang::Tam, "ta"),
];

/// Returns the first 20,000 bytes of a text, which are enough to tell its language.
pub(crate) fn sample(text: &str) -> &str {
    text.get(..text.floor_char_boundary(SAMPLE)).unwrap_or_default()
}

/// Returns the code (ISO 639-1) of the language that a text is in; `None` if it does not show.
///
/// Only the first 20,000 bytes count. A text of fewer than 200 Latin letters, such as a title or a row, is told if its function words say
/// the same as its trigrams, and either are sure of it. A longer one without function words (code, a table of names) has no language.
pub fn detect(text: &str) -> Option<&'static str> {
    let text = sample(text);
    let code = read(text)?;
    let is_short = text.chars().filter(|c| c.is_alphabetic()).nth(TELLING).is_none();
    let is_sure = || {
        let found = detector().detect(text)?;
        let best = by_function_words(text);
        let agrees = best.contains(&Language::of_code(code));
        let is_latin = found.script() == whatlang::Script::Latin;
        Some(!is_latin || agrees && (best.len() == 1 || found.is_reliable()))
    };
    (!is_short || code == "ja" || is_sure().unwrap_or(false)).then_some(code)
}

/// Returns whether languages that are hard to tell apart are written in a script.
fn shares_script(script: whatlang::Script) -> bool {
    use whatlang::Script::{Arabic, Cyrillic, Devanagari, Latin};
    matches!(script, Latin | Cyrillic | Arabic | Devanagari)
}

/// Returns the code of the language that a long text is surely in, if that is another than the `declared` one.
///
/// Its beginning, middle and end have to say the same, each with 1,000 letters at least, and with twice as many function words of that
/// language as of the declared one. A declared language that is never detected is not contradicted.
pub fn contradicts(text: &str, declared: Language) -> Option<&'static str> {
    if declared == Language::Other {
        return None;
    }
    let middle = text.floor_char_boundary((text.len() / 2).saturating_sub(SAMPLE / 2));
    let end = text.floor_char_boundary(text.len().saturating_sub(SAMPLE));
    let parts: &[usize] = if text.len() > SAMPLE { &[0, middle, end] } else { &[0] };
    let mut told = parts.iter().map(|start| told_surely(sample(&text[*start..]), declared));
    let first = told.next().flatten()?;
    told.all(|code| code == Some(first)).then_some(first)
}

/// Returns the code of the language that a text is surely in, if that is another than the `declared` one.
fn told_surely(text: &str, declared: Language) -> Option<&'static str> {
    /// Below, names and quotations count for too much.
    const FEWEST: usize = 1_000;
    if text.chars().filter(|c| c.is_alphabetic()).count() < FEWEST {
        return None;
    }
    let code = read(text).filter(|code| Language::of_code(code) != declared)?;
    let said: Vec<String> = words(text).map(|(_, word)| word.to_lowercase()).collect();
    let count = |one: Language| said.iter().filter(|word| is_stop_word(word, one)).count();
    let is_reliable = code == "ja" || detector().detect(text).is_some_and(|it| it.is_reliable());
    let is_clear = match Language::of_code(code) {
        Language::Other => count(declared) * 20 <= said.len(),
        language => count(declared) * 2 <= count(language),
    };
    (is_reliable && is_clear).then_some(code)
}

/// Returns the code of the language that a text shows.
fn read(sample: &str) -> Option<&'static str> {
    if is_japanese(sample) {
        return Some("ja");
    }
    let letters = sample.chars().filter(|c| c.is_alphabetic()).count();
    let found = detector().detect(sample)?;
    let code = code_of(found.lang())?;
    if !shares_script(found.script()) {
        return Some(code);
    }
    let agrees = || by_function_words(sample).contains(&Language::of_code(code));
    let is_told = if letters >= TELLING {
        // Code is in Latin letters.
        found.script() != whatlang::Script::Latin || has_function_words(sample, code)
    } else {
        letters >= FEWEST && (found.is_reliable() || agrees())
    };
    is_told.then_some(code)
}

/// Returns whether a text has the function words that sentences in a language have: of several kinds, one in twelve words at least, and
/// hardly fewer than of any other language. A language without a list of them passes.
fn has_function_words(text: &str, code: &str) -> bool {
    /// Prose has one in two to six words, code and lists of names hardly any.
    const ONE_IN: usize = 12;
    /// Code may repeat a few that are its key words.
    const KINDS: usize = 4;
    let language = Language::of_code(code);
    if language == Language::Other {
        return true;
    }
    let said: Vec<String> = words(text).map(|(_, word)| word.to_lowercase()).collect();
    let count = |one: Language| said.iter().filter(|word| is_stop_word(word, one)).count();
    let is_of_it = |word: &&String| is_stop_word(word, language);
    let is_word = |word: &&String| word.chars().nth(1).is_some();
    let kinds: HashSet<&String> = said.iter().filter(is_of_it).filter(is_word).collect();
    let found = count(language);
    let most = Language::known().map(count).max().unwrap_or_default();
    kinds.len() >= KINDS && found * ONE_IN >= said.len() && found * 4 >= most * 3
}

/// Returns the language that a question is in, whatever its length; `None` if nothing shows it.
///
/// One `among` the expected is taken if no language has more of its function words; then trigrams and function words decide.
pub fn asked_in(question: &str, among: &[Language]) -> Option<Language> {
    let best = by_function_words(question);
    let mut expected = among.iter().filter(|one| best.contains(one));
    if let (Some(only), None) = (expected.next(), expected.next()) {
        return Some(*only);
    }
    if let Some(code) = read(sample(question)) {
        return Some(Language::of_code(code));
    }
    if let [only] = best.as_slice() {
        return Some(*only);
    }
    let by_trigrams = detector().detect(question).and_then(|found| code_of(found.lang()));
    let by_trigrams = by_trigrams.map(Language::of_code).filter(|one| best.contains(one));
    by_trigrams.or_else(|| best.first().copied())
}

/// Returns the languages with the most function words in a text; none if there are no such words.
fn by_function_words(text: &str) -> Vec<Language> {
    let said: Vec<String> = words(text).map(|(_, word)| word.to_lowercase()).collect();
    let count =
        |language: Language| said.iter().filter(|word| is_stop_word(word, language)).count();
    let counted: Vec<(usize, Language)> =
        Language::known().map(|language| (count(language), language)).collect();
    let most = counted.iter().map(|(count, _)| *count).max().unwrap_or_default();
    let best = counted.iter().filter(|(count, _)| *count == most && most > 0);
    best.map(|(_, language)| *language).collect()
}

fn detector() -> &'static Detector {
    static DETECTOR: OnceLock<Detector> = OnceLock::new();
    DETECTOR.get_or_init(|| {
        let known = Language::known().filter_map(Language::code).filter_map(lang_of);
        let others = NEIGHBOURS.iter().map(|(lang, _)| *lang);
        Detector::with_allowlist(known.chain(others).collect())
    })
}

fn lang_of(code: &str) -> Option<Lang> {
    let three = match code {
        "en" => "eng",
        "de" => "deu",
        "fr" => "fra",
        "es" => "spa",
        "it" => "ita",
        "pt" => "por",
        "nl" => "nld",
        "ru" => "rus",
        "sv" => "swe",
        "da" => "dan",
        "no" => "nob",
        "fi" => "fin",
        "hu" => "hun",
        "ro" => "ron",
        "tr" => "tur",
        "el" => "ell",
        "ar" => "ara",
        "pl" => "pol",
        "cs" => "ces",
        "uk" => "ukr",
        "bg" => "bul",
        "he" => "heb",
        "fa" => "pes",
        "ur" => "urd",
        "hi" => "hin",
        "bn" => "ben",
        "vi" => "vie",
        "id" => "ind",
        "th" => "tha",
        "zh" => "cmn",
        "ja" => "jpn",
        "ko" => "kor",
        _ => return None,
    };
    Lang::from_code(three)
}

fn code_of(lang: Lang) -> Option<&'static str> {
    let neighbour = NEIGHBOURS.iter().find(|(known, _)| *known == lang).map(|(_, code)| *code);
    neighbour.or_else(|| {
        Language::known().filter_map(Language::code).find(|code| lang_of(code) == Some(lang))
    })
}

/// Returns whether a text is Japanese although most of its letters are Latin or Han: a quarter of its letters are kana or Han, each
/// counted as three because it says as much, and there are kana among them.
fn is_japanese(text: &str) -> bool {
    let (mut kana, mut han, mut others) = (0, 0, 0);
    for letter in text.chars().filter(|c| c.is_alphabetic()) {
        match letter.script() {
            Script::Hiragana | Script::Katakana => kana += 1,
            Script::Han => han += 1,
            _ => others += 1,
        }
    }
    kana * 10 >= han + kana && kana > 0 && (kana + han) * 3 * 3 >= others
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A6
    #[test]
    fn a_text_shows_its_language() {
        for (code, text) in [
            (
                "en",
                "The handle of the pump was removed on the following day, and the outbreak came to an end.",
            ),
            (
                "de",
                "Der Griff der Pumpe wurde am folgenden Tag entfernt, und der Ausbruch ging zu Ende.",
            ),
            (
                "fr",
                "La poignée de la pompe a été retirée le lendemain, et l’épidémie prit fin aussitôt.",
            ),
            (
                "pl",
                "Następnego dnia usunięto rączkę pompy, a epidemia wkrótce dobiegła końca w całej dzielnicy.",
            ),
            (
                "uk",
                "Наступного дня ручку насоса зняли, і спалах хвороби невдовзі припинився в усьому районі.",
            ),
            ("fa", "دستهٔ پمپ روز بعد برداشته شد و شیوع بیماری در سراسر محله به پایان رسید."),
            ("ar", "أزيل مقبض المضخة في اليوم التالي وانتهى تفشي المرض في الحي كله."),
            ("ja", "ポンプの取っ手は翌日取り外され、流行は終わった。"),
            ("ja", "PostgreSQL の pg_dump コマンドでデータベースを保存します。"),
            ("zh", "第二天水泵的手柄被取下，疫情随即结束。"),
            ("ko", "다음 날 펌프 손잡이가 제거되었고 발병은 끝났다."),
            ("th", "วันรุ่งขึ้นด้ามปั๊มถูกถอดออกและการระบาดก็สิ้นสุดลง"),
            ("hi", "अगले दिन पंप का हैंडल हटा दिया गया और पूरे इलाके में प्रकोप समाप्त हो गया।"),
            ("el", "Την επόμενη μέρα αφαιρέθηκε η λαβή της αντλίας."),
        ] {
            assert_eq!(detect(text), Some(code), "{text}");
        }
        // English titles, some of which their trigrams take for Danish, German, French or Norwegian.
        for nothing in [
            "",
            "x = 3",
            "4 5 6",
            "pump",
            "Cluster Scheduling for Data Centers",
            "CVMFS: Stratum 0 in Kubernetes",
            "BioContainers on Purdue Clusters",
            "Redis Enterprise for Kubernetes",
        ] {
            assert_eq!(detect(nothing), None, "{nothing}");
        }
    }

    // proves: A6
    #[test]
    fn a_paragraph_shows_its_language_among_its_neighbours() {
        for (code, text) in [
            (
                "no",
                "Dagen etter ble håndtaket på pumpen fjernet, og utbruddet tok slutt kort tid senere. Legen hadde gått fra dør til dør og \
                 spurt hvor folk hentet vannet sitt, og nesten alle som var blitt syke, hadde drukket av den samme brønnen i gaten.",
            ),
            (
                "fi",
                "Seuraavana päivänä pumpun kahva poistettiin, ja epidemia päättyi pian sen jälkeen. Lääkäri oli kulkenut ovelta ovelle ja \
                 kysynyt, mistä ihmiset hakivat vetensä, ja melkein kaikki sairastuneet olivat juoneet samasta kaivosta.",
            ),
            (
                "hu",
                "Másnap eltávolították a szivattyú karját, és a járvány nem sokkal később véget ért. Az orvos házról házra járt, és \
                 megkérdezte, honnan hozzák az emberek a vizet, és szinte mindenki, aki megbetegedett, ugyanabból a kútból ivott.",
            ),
            (
                "ro",
                "A doua zi, mânerul pompei a fost îndepărtat, iar epidemia s-a încheiat la scurt timp după aceea. Doctorul mersese din \
                 ușă în ușă și întrebase de unde iau oamenii apa, și aproape toți cei bolnavi băuseră din aceeași fântână.",
            ),
        ] {
            assert_eq!(detect(text), Some(code), "{text}");
        }
    }

    // proves: A6
    #[test]
    fn only_a_long_text_in_another_language_contradicts_what_it_declares() {
        const ENGLISH: &str = "The handle of the pump was removed on the following day, and the outbreak came to an end. ";
        const GERMAN: &str = "Der Griff der Pumpe wurde am folgenden Tag entfernt, und der Ausbruch ging zu Ende. Niemand hatte zuvor geglaubt, dass die \
             Krankheit aus dem Wasser kam; die meisten Leute hielten schlechte Luft für die Ursache. Erst als man jedes Haus auf einer Karte \
             eingetragen hatte, sah man, wie nahe die Toten bei dem Brunnen gewohnt hatten. ";
        const DANISH: &str = "Dagen efter blev pumpens håndtag fjernet, og udbruddet ophørte kort tid efter, da folk ikke længere drak af brønden. ";
        const GREEK: &str =
            "Την επόμενη μέρα αφαιρέθηκε η λαβή της αντλίας, και η επιδημία τελείωσε. ";
        let check = |text: &str, declared, expected| {
            assert_eq!(contradicts(text, declared), expected, "{declared} {text:.20}");
        };
        check(&GERMAN.repeat(5), Language::English, Some("de"));
        check(&GERMAN.repeat(150), Language::English, Some("de"));
        check(&GREEK.repeat(20), Language::English, Some("el"));
        check(&GERMAN.repeat(20), Language::German, None);
        check(&DANISH.repeat(20), Language::Danish, None);
        check(&DANISH.repeat(20), Language::Norwegian, None);
        // A language that is never detected.
        check(&GERMAN.repeat(20), Language::Other, None);
        for short in [GERMAN, "Les Misérables", "Die Wahlverwandtschaften: Ein Roman", ""] {
            check(short, Language::English, None);
        }
        check(&[ENGLISH.repeat(10), GERMAN.repeat(3)].concat(), Language::English, None);
        check(&[GERMAN.repeat(100), ENGLISH.repeat(300)].concat(), Language::English, None);
    }

    // proves: A6
    #[test]
    fn code_and_tables_have_no_language() {
        let code = "let mut at = 0;\nwhile at < end {\n    match bytes[at] {\n        b'x' => at += width,\n        _ => return Err(Fault::Byte(at)),\n    }\n}\n";
        let names = "Lindqvist,Halvard,Uppsala,4711\nOkonkwo,Chidi,Enugu,4712\nMoreau,Sylvie,Nantes,4713\nTanaka,Haruki,Osaka,4714\n";
        let numbers = "1849\t0.31\tkg\n1850\t0.33\tkg\n";
        let keys = "[server]\nport = 8080\nhost = \"localhost\"\ntimeout_ms = 500\nworkers = 4\n";
        for text in [code, names, numbers, keys] {
            assert_eq!(detect(&text.repeat(20)), None, "{text}");
        }
    }

    // proves: A6
    #[test]
    fn a_short_question_shows_its_language_by_its_function_words() {
        let among = [Language::German, Language::English];
        for (language, question) in [
            (Language::English, "What is the notice period?"),
            (Language::German, "Wie lang ist die Kündigungsfrist?"),
            (Language::French, "Quel est le délai de préavis ?"),
            (Language::Spanish, "¿Cuál es el plazo de preaviso?"),
            (Language::Japanese, "解約の通知期間は？"),
        ] {
            assert_eq!(asked_in(question, &among), Some(language), "{question}");
        }
        assert_eq!(asked_in("Kubernetes", &among), None);
    }
}
