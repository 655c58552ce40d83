//! What a claim says was done to whom: a verb of effect, and a kind of being, that the source does not have.
//!
//! A short claim needs few of its words in the quote, so that these few must not carry a "cures" or "kills" with them.

use super::lexicon::listed;
use super::polarity::direction;
use super::{A_FEW, Fault, Written};
use crate::analysis::{Language, terms, words};

/// Forms in which a claim says that something has an effect, and the stems of which its source must have one.
const EFFECTS: [(&[&str], &[&str]); 14] = [
    (&["cure cures cured curing heal heals healed healing"], &["cure curat heal"]),
    (
        &["kill kills killed killing murder murders murdered slay slays slew"],
        &["kill fatal lethal dead murder slew slain slay"],
    ),
    (
        &["prevent prevents prevented preventing avert averts averted"],
        &["prevent avert protect prophylaxi prophylact"],
    ),
    (&["protect protects protected protecting"], &["protect prevent shield guard prophylaxi"]),
    (
        &[
            "cause causes caused causing causal trigger triggers triggered induce induces induced provoke provokes provoked",
        ],
        &["caus causal trigger induc provok lead led due owe because bring brought produc"],
    ),
    (&["treat treats"], &["treat treatment therapi therapeut remedi medicin"]),
    (&["prove proves proved proven proof proofs"], &["prove proven proof"]),
    (&["explain explains explained"], &["explain explan account attribut because due"]),
    (
        &["destroy destroys destroyed ruin ruins ruined wreck wrecks wrecked"],
        &["destroy destruct ruin wreck"],
    ),
    (&["eradicate eradicates eradicated eliminate eliminates eliminated"], &["erad eradic elimin"]),
    (&["guarantee guarantees guaranteed ensure ensures ensured"], &["guarante ensur assur"]),
    (
        &[
            "harm harms harmed damage damages damaged injure injures injured poison poisons poisoned",
        ],
        &["harm damag injur injuri poison toxic advers hurt lesion"],
    ),
    (&["reverse reverses reversed restore restores restored"], &["revers restor"]),
    (&["determine determines determined dictate dictates"], &["determin dictat"]),
];

/// Verbs that say that something went up or down, got better or worse.
const CHANGES: &[&str] = &[
    "increase increases increased raise raises raised boost boosts boosted decrease decreases decreased reduce reduces reduced",
    "lower lowers lowered diminishes diminished improve improves improved worsen worsens worsened shrinks grows expands",
];

/// Words that also say that something went down, where the risk of it is spoken of.
const INVERSE: &[&str] = &["inverse inversely negative negatively protective protects"];

const PEOPLE: &[&str] = &[
    "human humans people person persons patient patients participant participants volunteer volunteers man men woman women",
    "adult adults child children infant infants boy boys girl girls individual individuals subject subjects cohort clinical nurses",
];

const ANIMALS: &[&str] = &[
    "mouse mice murine rat rats rodent rodents hamster hamsters zebrafish drosophila macaque macaques monkey monkeys primate primates",
    "vitro animal animals",
];

/// Returns a fault for a verb of effect, or a kind of being, that neither the quote nor its heading has.
pub(super) fn absent(claim: &str, written: &Written<'_>) -> Option<Fault> {
    let asked = lower(claim);
    let heading = if asks(written.section) { "" } else { written.section };
    let source = format!("{}. {heading}", written.quote);
    let given = lower(&source);
    let effect = unsaid(&asked, &given, &source).or_else(|| {
        let short = terms(claim, Language::English).len() <= A_FEW;
        asked.iter().filter(|_| short).find(|word| !is_change_said(word, &given)).cloned()
    });
    let effect = effect.or_else(|| died_of(&asked, &given));
    let being = || {
        transferred(
            &asked,
            &lower(&format!("{}. {}", written.quote, written.section)),
            &lower(written.passage),
        )
    };
    effect
        .map(|word| Fault::EffectAbsent { word })
        .or_else(|| being().map(|name| Fault::NameAbsent { name }))
}

fn lower(text: &str) -> Vec<String> {
    words(text).map(|(_, word)| word.to_lowercase()).collect()
}

/// Tells whether a heading only asks: "Does coffee prevent strokes?"
fn asks(heading: &str) -> bool {
    const ASKING: &[&str] =
        &["does do did can could is are was were will whether may might should"];
    let last = heading.rsplit('>').next().unwrap_or_default();
    heading.contains('?') || lower(last).first().is_some_and(|word| listed(ASKING, word))
}

/// Returns a verb of effect of the claim of whose row the source has no word.
fn unsaid(asked: &[String], given: &[String], source: &str) -> Option<String> {
    let rows = EFFECTS.iter().filter(|(forms, _)| asked.iter().any(|word| listed(forms, word)));
    let mut stems: Option<Vec<String>> = None;
    for (forms, licences) in rows {
        let stems = stems.get_or_insert_with(|| terms(source, Language::English));
        let said = given
            .iter()
            .any(|word| listed(forms, word) || word == "because" && listed(licences, word))
            || stems.iter().any(|stem| listed(licences, stem))
            || forms.iter().any(|row| row.starts_with("cause")) && results(given);
        if !said {
            return asked.iter().find(|word| listed(forms, word)).cloned();
        }
    }
    None
}

/// Tells whether something results in or from something; "the results" are only what was found.
fn results(words: &[String]) -> bool {
    words.windows(2).any(|pair| match pair {
        [word, next] => match word.as_str() {
            "result" | "results" => matches!(next.as_str(), "in" | "of" | "from"),
            "resulted" | "resulting" => true,
            _ => false,
        },
        _ => false,
    })
}

/// Tells whether a word of the claim is no verb of change, or the source has one of the same direction.
fn is_change_said(word: &str, given: &[String]) -> bool {
    if !listed(CHANGES, word) || given.iter().any(|other| other == word) {
        return true;
    }
    let side = direction(word);
    let down = side == direction("decreased");
    given
        .iter()
        .any(|other| side.is_some() && direction(other) == side || down && listed(INVERSE, other))
}

/// Returns the verb where the claim says that someone died of something and the source does not.
fn died_of(asked: &[String], given: &[String]) -> Option<String> {
    const DYING: &[&str] = &["die dies died dying death deaths"];
    const FATAL: &[&str] = &["kill kills killed fatal lethal deadly cause caused causes"];
    let of = |words: &[String]| {
        words.windows(2).find_map(|pair| match pair {
            [word, next] if listed(DYING, word) && listed(&["of from due by"], next) => {
                Some(word.clone())
            }
            _ => None,
        })
    };
    let found = of(asked)?;
    let said = of(given).is_some() || given.iter().any(|word| listed(FATAL, word));
    (!said).then_some(found)
}

/// Returns the word for people, or for animals, where the source speaks of the others only.
fn transferred(asked: &[String], given: &[String], passage: &[String]) -> Option<String> {
    let first =
        |words: &[String], rows: &[&str]| words.iter().find(|word| listed(rows, word)).cloned();
    let has = |words: &[String], rows: &[&str]| first(words, rows).is_some();
    let missing = |mine: &[&str], others: &[&str]| {
        let elsewhere = has(given, others) || has(passage, others);
        first(asked, mine).filter(|_| !has(given, mine) && elsewhere)
    };
    missing(PEOPLE, ANIMALS).or_else(|| missing(ANIMALS, PEOPLE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(claim: &str, quote: &str, section: &str, expected: Option<&str>) {
        let written = Written { quote, section, passage: quote };
        let found = absent(claim, &written).map(|fault| match fault {
            Fault::EffectAbsent { word } => word,
            Fault::NameAbsent { name } => name,
            other => other.to_string(),
        });
        assert_eq!(found.as_deref(), expected, "{claim:?} by {quote:?}");
    }

    // proves: C4, C13
    #[test]
    fn an_effect_must_be_said_by_the_quote_or_a_heading_that_states() {
        let quote = "Green tea was not associated with stroke; these results need care";
        check("Green tea cures stroke", quote, "", Some("cures"));
        check("Green tea causes stroke", quote, "", Some("causes"));
        check("Green tea lowers stroke", quote, "", Some("lowers"));
        check("Green tea prevents stroke", quote, "Does tea prevent stroke?", Some("prevents"));
        check("Green tea prevents stroke", quote, "Prevention", None);
        check("Patients die of tea", quote, "", Some("die"));
        check("Floods killed cattle", "fatal floods struck cattle", "", None);
        check("Floods caused famine", "Floods resulted in famine", "", None);
        check("Sales increased", "Sales rose in May", "", None);
    }

    // proves: C4, C13
    #[test]
    fn what_holds_for_animals_is_not_said_of_people() {
        check(
            "The diet lengthens life in humans",
            "The diet lengthened life in mice",
            "",
            Some("humans"),
        );
        check(
            "The diet lengthens life in mice",
            "The diet lengthened the life of women",
            "",
            Some("mice"),
        );
        check("The diet helps patients", "The diet helped women as it had mice", "", None);
    }
}
