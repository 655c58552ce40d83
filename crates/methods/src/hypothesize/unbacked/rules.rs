//! The forms in which a source is named.

use run::analysis::{Language, is_stop_word};

use super::identifiers::{address, doi, identifier};
use super::words::{Word, is_year};

/// Tells whether a source is named at the word `at`.
pub(super) type Rule = fn(&[Word], usize) -> bool;

pub(super) const ALL: &[Rule] = &[
    address,
    doi,
    identifier,
    and_others,
    author_then_year,
    author_and_year_in_brackets,
    two_authors_and_year,
    citation_key,
    volume_and_page,
    journal,
    page_numbers,
    study_of_a_year,
    somebodys_study,
    study_by_somebody,
    according_to_somebody,
    as_somebody_said,
    two_who_said,
    titled,
    numbered_reference,
    named_before,
    private_word,
];

pub(super) fn get<'a, 'b>(words: &'b [Word<'a>], at: usize) -> Option<&'b Word<'a>> {
    words.get(at)
}

fn before<'a, 'b>(words: &'b [Word<'a>], at: usize, by: usize) -> Option<&'b Word<'a>> {
    at.checked_sub(by).and_then(|at| words.get(at))
}

/// `et al.`, `Smith and colleagues`.
fn and_others(words: &[Word], at: usize) -> bool {
    let Some(word) = get(words, at) else { return false };
    if word.is("et") {
        return word.runs_on()
            && get(words, at + 1).is_some_and(|next| {
                next.is("al")
                    || next.core.eq_ignore_ascii_case("al.'s")
                    || next.core.starts_with("al.")
            });
    }
    const PEOPLE: &str = "colleagues coworkers co-workers collaborators coauthors co-authors";
    word.is_one_of(PEOPLE)
        && before(words, at, 1).is_some_and(|and| and.is("and") || and.is("her") || and.is("his"))
        && (before(words, at, 2).is_some_and(is_surname)
            || before(words, at, 1).is_some_and(|and| !and.is("and"))
                && before(words, at, 2).is_some_and(|and| and.is("and"))
                && before(words, at, 3).is_some_and(is_surname))
}

/// A name, and at the beginning of a sentence none that is a kind of people.
fn is_surname(word: &Word) -> bool {
    const KINDS: &str = "doctors physicians nurses researchers scientists students teachers patients friends family families \
        parents peers managers engineers experts employees workers authors others";
    word.is_name() && !(word.first && word.is_one_of(KINDS))
}

/// `Smith (2019)`, `Smith, J. (2019)`, `Smith's (2019) model`.
fn author_then_year(words: &[Word], at: usize) -> bool {
    let Some(year) = get(words, at).filter(|word| word.is_bracketed_year()) else { return false };
    let Some(name) = before(words, at, 1) else { return false };
    let acronym = name.core.len() >= 2
        && name.core.chars().all(|c| c.is_ascii_uppercase())
        && INSTITUTIONS.contains(&name.core);
    let initials = name.is_initial()
        && before(words, at, 2).is_some_and(|it| it.is_name() || it.is_initial() || it.is("and"));
    let apart = !name.behind.contains([')', ']', ';', ':', '"', '”']);
    let event =
        (1..=4).any(|by| before(words, at, by + 1).is_some_and(|word| word.is_one_of(EVENTS)));
    apart && !year.behind.is_empty() && (name.is_name() && !event || acronym || initials)
}

/// Behind these a name with a year is a place or an event.
const EVENTS: &str = "eruption eruptions earthquake tsunami hurricane typhoon cyclone storm war treaty agreement accident \
    disaster pandemic outbreak epidemic mission landing mount mt lake city river crater comet";

/// `(Smith, 2019)`, `[Smith 2019]`, `(see Smith and Lee, 2020; Müller, n.d.)`.
fn author_and_year_in_brackets(words: &[Word], at: usize) -> bool {
    let Some(year) = get(words, at).filter(|word| word.bracketed) else { return false };
    let Some(name) = before(words, at, 1).filter(|word| word.bracketed) else { return false };
    let unpublished = || {
        let next = get(words, at + 1);
        year.core.eq_ignore_ascii_case("n.d")
            || year.is_one_of("forthcoming unpublished")
            || year.is("in") && next.is_some_and(|next| next.is_one_of("press preparation review"))
    };
    let dated = {
        let first = year.core.split([',', ';', ':', '/']).next().unwrap_or_default();
        year.before.is_empty() && is_year(first)
    };
    let acronym = INSTITUTIONS.contains(&name.core);
    let near = matches!(name.behind, "" | "," | "." | ".," | ":");
    let event = before(words, at, 2).is_some_and(|word| word.is_one_of(EVENTS));
    near && (name.is_name() && !event || name.is_initial() || acronym) && (dated || unpublished())
}

/// `Smith and Lee, 2020`, `Smith & Lee 2020` without brackets.
fn two_authors_and_year(words: &[Word], at: usize) -> bool {
    let Some(and) = get(words, at) else { return false };
    let ampersand = and.before.contains('&');
    let (one, other, year) = if ampersand {
        (before(words, at, 1), Some(and), get(words, at + 1))
    } else if and.is("and") {
        (before(words, at, 1), get(words, at + 1), get(words, at + 2))
    } else {
        return false;
    };
    one.is_some_and(Word::is_name)
        && other.is_some_and(|other| other.is_name() && matches!(other.behind, "" | ","))
        && year.is_some_and(Word::is_year)
}

/// `[Smi19]`, `[Smith2019]`, `[SLM+19]`.
fn citation_key(words: &[Word], at: usize) -> bool {
    let Some(word) = get(words, at) else { return false };
    if !word.before.ends_with('[') || !word.behind.starts_with([']', ',', ';']) {
        return false;
    }
    let letters = word.core.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = word.core.len() - letters.len();
    let small = letters.chars().filter(|c| c.is_lowercase()).count();
    let capital = letters.starts_with(char::is_uppercase);
    (digits == 2 || digits == 4)
        && capital
        && (small >= 2 && letters.chars().all(char::is_alphabetic) || letters.ends_with('+'))
}

/// `521, 436 (2015)`, `Nature 521, 436`, `2015;349:1234`, `12(3):45–67`.
fn volume_and_page(words: &[Word], at: usize) -> bool {
    let Some(word) = get(words, at) else { return false };
    if let Some((year, rest)) = word.core.split_once(';')
        && is_year(year)
        && rest.starts_with(|c: char| c.is_ascii_digit())
        && rest.contains(':')
    {
        return true;
    }
    if let Some((volume, rest)) = word.core.split_once('(')
        && let Some((issue, rest)) = rest.split_once(')')
        && [volume, issue].iter().all(|it| !it.is_empty() && it.bytes().all(|b| b.is_ascii_digit()))
        && rest
            .strip_prefix([':', ','])
            .is_some_and(|page| page.starts_with(|c: char| c.is_ascii_digit()))
    {
        return true;
    }
    let volume = word.is_count() && word.behind == ",";
    let Some(page) = get(words, at + 1).filter(|page| volume && page.is_count()) else {
        return false;
    };
    let dated = page.runs_on()
        && get(words, at + 2).is_some_and(|year| {
            year.before == "(" && year.is_year() && year.behind.starts_with(')')
        });
    let numbered = before(words, at, 1)
        .is_some_and(|word| word.is_one_of("figure figures fig figs table tables section sections eq eqs equations chapter chapters"));
    let known = before(words, at, 1).is_some_and(|name| {
        ["Nature", "Science", "Cell", "Lancet"].contains(&name.core) && name.runs_on()
    });
    dated && !numbered || known
}

/// `Phys. Rev. Lett.`, `Proc. Natl. Acad. Sci.`, `PNAS 113`.
fn journal(words: &[Word], at: usize) -> bool {
    const SHORT: [&str; 12] = [
        "Proc",
        "Natl",
        "Acad",
        "Lett",
        "Sci",
        "Phys",
        "Commun",
        "Biol",
        "Chem",
        "Geophys",
        "Astrophys",
        "Biochem",
    ];
    const TITLES: [&str; 7] = ["PNAS", "JAMA", "BMJ", "PRL", "NEJM", "ApJ", "MNRAS"];
    let Some(word) = get(words, at) else { return false };
    let short = SHORT.contains(&word.core) && word.behind.starts_with('.');
    let titled = TITLES.contains(&word.core) && get(words, at + 1).is_some_and(Word::is_count);
    short || titled
}

/// `pp. 12–34`, `vol. 7`.
fn page_numbers(words: &[Word], at: usize) -> bool {
    let Some(word) = get(words, at) else { return false };
    word.is_one_of("pp vol")
        && word.behind == "."
        && get(words, at + 1)
            .is_some_and(|next| next.core.starts_with(|c: char| c.is_ascii_digit()))
}

const STUDIES: &str = "study studies paper papers article articles report reports review reviews meta-analysis meta-analyses \
    metaanalysis preprint preprints monograph book books thesis dissertation";

/// `a 2019 study`, `the large 2020 randomised meta-analysis`.
fn study_of_a_year(words: &[Word], at: usize) -> bool {
    let Some(year) = get(words, at).filter(|word| word.is_year() && word.runs_on()) else {
        return false;
    };
    let told = |by: usize| {
        before(words, at, by).is_some_and(|word| {
            word.runs_on()
                && (word.is_one_of("a an the one this that their his her another")
                    || word.owner().is_some())
        })
    };
    let between = |upto: usize| (1..upto).all(|by| get(words, at + by).is_some_and(Word::runs_on));
    year.before.is_empty()
        && (1..=3).any(told)
        && (1..=3).any(|by| {
            between(by) && get(words, at + by).is_some_and(|word| word.is_one_of(STUDIES))
        })
}

/// `Smith's study`, `Lee's 2019 results`.
fn somebodys_study(words: &[Word], at: usize) -> bool {
    let Some(name) = get(words, at) else { return false };
    if name.owner().is_none() || !name.is_name() {
        return false;
    }
    let year = get(words, at + 1).is_some_and(|word| word.is_year() && word.runs_on());
    (1..=3).any(|by| {
        let word = get(words, at + by);
        word.is_some_and(|word| word.is_one_of(STUDIES))
            || year
                && word.is_some_and(|word| {
                    word.is_one_of(
                        "work results findings trial experiment experiments survey analysis data",
                    )
                })
    })
}

/// `a study by Smith`, `work by Lee and Müller`.
fn study_by_somebody(words: &[Word], at: usize) -> bool {
    const METHODS: &str = "monte western northern southern raman fourier bayesian gaussian mendelian doppler mössbauer sanger";
    let Some(by) = get(words, at).filter(|word| word.is("by")) else { return false };
    let study = before(words, at, 1).is_some_and(|word| {
        word.runs_on() && (word.is_one_of(STUDIES) || word.is_one_of("work works survey"))
    });
    let name = get(words, at + 1);
    let institution =
        (1..=2).any(|by| get(words, at + by).is_some_and(|it| INSTITUTIONS.contains(&it.core)));
    by.runs_on()
        && study
        && (institution
            || name.is_some_and(|name| {
                (name.is_name() || name.is_initial()) && !name.is_one_of(METHODS)
            }))
}

const INSTITUTIONS: [&str; 22] = [
    "WHO", "NASA", "IPCC", "CDC", "NIH", "FDA", "EPA", "ESA", "NOAA", "OECD", "UN", "FAO", "IEA",
    "EMA", "UNESCO", "UNICEF", "USGS", "NICE", "ECDC", "NREL", "CERN", "IUCN",
];

/// `according to Smith,`, `according to the World Health Organization`, `according to WHO`.
fn according_to_somebody(words: &[Word], at: usize) -> bool {
    const BODIES: &str = "organization organisation institute agency university panel bank society association commission ministry \
        council academy department";
    if !get(words, at).is_some_and(|word| word.is("according"))
        || !get(words, at + 1).is_some_and(|word| word.is("to"))
    {
        return false;
    }
    let mut at = at + 2;
    let article = get(words, at).is_some_and(|word| word.is("the"));
    at += usize::from(article);
    let Some(name) = get(words, at) else { return false };
    if INSTITUTIONS.contains(&name.core) {
        return true;
    }
    if article {
        return (1..=4).any(|by| {
            get(words, at + by).is_some_and(|word| word.is_name() && word.is_one_of(BODIES))
        });
    }
    if name.is_initial() {
        return true;
    }
    if !name.is_name() || name.owner().is_some() {
        return false;
    }
    let next = get(words, at + 1);
    !name.runs_on()
        || next.is_none_or(|next| {
            next.is_name()
                || next.before.contains('(')
                || is_stop_word(next.core, Language::English)
        })
}

const SAID: &str = "showed shows show shown found finds find reported reports report argued argues argue demonstrated demonstrates \
    proposed proposes propose observed observes noted notes note suggested suggests suggest claimed claims claim concluded \
    concludes described describes hypothesised hypothesized postulated pointed wrote discovered established";

/// `as Müller showed`, `as Smith and Lee have argued`.
fn as_somebody_said(words: &[Word], at: usize) -> bool {
    if !get(words, at).is_some_and(|word| word.is("as")) {
        return false;
    }
    let mut names = 0;
    let mut next = at + 1;
    while let Some(word) = get(words, next).filter(|_| next < at + 6) {
        if word.is_name() || word.is_initial() {
            names += 1;
        } else if !word.is_one_of("and & has have had first already once van von de der") {
            return names > 0 && word.is_one_of(SAID);
        }
        next += 1;
    }
    false
}

/// `Smith and Lee found that`.
fn two_who_said(words: &[Word], at: usize) -> bool {
    let Some(and) = get(words, at) else { return false };
    let next = if and.before.contains('&') { at } else { at + 1 };
    if next > at && !and.is("and") {
        return false;
    }
    let said = get(words, next + 1).is_some_and(|word| {
        word.is_one_of("argued argue proposed propose reported claimed claim concluded conclude hypothesised hypothesized postulated")
            || word.is_one_of("found showed demonstrated observed noted suggested")
                && get(words, next + 2).is_some_and(|that| that.is("that"))
    });
    said && before(words, at, 1).is_some_and(|one| one.is_name() && one.runs_on())
        && get(words, next).is_some_and(|other| other.is_name() && other.runs_on())
}

/// `a paper entitled "…"`, `the study "…"`.
fn titled(words: &[Word], at: usize) -> bool {
    let Some(word) = get(words, at) else { return false };
    word.runs_on()
        && (word.is_one_of("entitled titled")
            || word.is_one_of("paper article book preprint thesis monograph"))
        && get(words, at + 1)
            .is_some_and(|next| next.before.starts_with(['"', '“', '‘', '„', '«', '\'', '*', '_']))
}

/// `Ref. 12`, `refs. 3 and 4`, `evidence 1 shows`.
fn numbered_reference(words: &[Word], at: usize) -> bool {
    let Some(word) = get(words, at) else { return false };
    let Some(number) = get(words, at + 1)
        .filter(|next| next.is_count() && next.before.is_empty() && next.core.len() <= 3)
    else {
        return false;
    };
    let reference =
        word.is_one_of("ref refs reference references") && matches!(word.behind, "" | ".");
    // The evidence of a prompt has numbers; what is counted has a noun behind it: "such evidence 3 months later".
    let counts = number.runs_on()
        && get(words, at + 2).is_some_and(|next| {
            !is_stop_word(next.core, Language::English)
                && !next.is_one_of(SAID)
                && !next.is_one_of(SHOWS)
        });
    let evidence = word.is_one_of("evidence passage citation excerpt snippet") && word.runs_on();
    reference || evidence && !counts
}

const SHOWS: &str =
    "says states indicates supports confirms reveals implies points tells documents";

/// `ibid.`, `op. cit.`, `loc. cit.`: the source that was named before.
fn named_before(words: &[Word], at: usize) -> bool {
    let Some(word) = get(words, at) else { return false };
    word.is_one_of("ibid ibidem op.cit loc.cit")
        || word.is_one_of("op loc") && get(words, at + 1).is_some_and(|next| next.is("cit"))
}

/// `personal communication`, `[citation needed]`.
fn private_word(words: &[Word], at: usize) -> bool {
    let pair = |one: &str, other: &str| {
        get(words, at).is_some_and(|word| word.is(one))
            && get(words, at + 1).is_some_and(|word| word.is(other))
    };
    pair("personal", "communication") || pair("pers", "comm") || pair("citation", "needed")
}
