//! Questions and plans without a model: by rule, from the words of the request and the answers alone.

use run::Refined;
use text::{Language, is_stop_word, words};

use super::agents::{PlanDraft, Question, Questions};
use super::line;

/// Maximum number of words in a search term.
const LONGEST_TERM: usize = 8;
/// Maximum number of characters in a title.
const LONGEST_TITLE: usize = 120;

const WHERE: &str = "Which country or region should it be about?";

/// Words that express a wish rather than a subject.
const WISHES: &str = "want wants like explore understand analyse analyze analysis research study learn know find tell \
    look looking need help please market-analysis report";
/// Words by which a request names a place.
const PLACES: &str = "us usa uk eu global worldwide international europe european asia asian africa african america american \
    germany german france french spain spanish italy italian china chinese india indian japan japanese brazil brazilian canada \
    canadian mexico mexican texas california australia dach nordics switzerland austria poland netherlands country national";
/// Words by which a request names the buyers.
const BUYERS: &str = "b2b b2c enterprise enterprises business businesses company companies consumer consumers smb smbs sme smes \
    firms households patients students schools hospitals government governments retailers developers farmers lawyers";
/// Words by which a request names a time.
const TIMES: &str = "when recent recently current currently today now latest history historical century decade since until future trend trends";

/// Returns questions on what the request leaves open, most important first.
pub(super) fn questions(method: &str, request: &str, known: &Refined, most: usize) -> Questions {
    let startup = known.startup.as_deref();
    let place_known = names_one_of(request, PLACES)
        || names_a_place(request)
        || startup.is_some_and(|startup| !startup.geographical_scope.trim().is_empty());
    let of = |question: &str, context: &str| Question {
        question: question.into(),
        context: context.into(),
    };
    let place = || of(WHERE, "Sizes, competitors and rules differ from place to place.");
    let mut asked = Vec::new();
    if method == "market" {
        if !names_one_of(request, BUYERS) {
            asked.push(of(
                "Who is to buy it: businesses, consumers, or somebody else?",
                "It decides whose number and spending the market size is computed from.",
            ));
        }
        if startup.is_none() {
            asked.push(of(
                "Which product or part of the market is it about?",
                "The narrower the part, the closer the competitors found.",
            ));
        }
        if !place_known {
            asked.push(place());
        }
    } else {
        if !names_one_of(request, TIMES) && !request.contains(|c: char| c.is_ascii_digit()) {
            asked.push(of(
                "Which period should it be about?",
                "Older and newer sources may say different things.",
            ));
        }
        if !place_known {
            asked.push(place());
        }
        asked.push(of(
            "What will you use the answer for?",
            "It decides what is researched first, and how closely.",
        ));
    }
    asked.truncate(most);
    Questions { questions: asked }
}

/// Returns a plan in the words of the request and the answers.
pub(super) fn draft_plan(request: &str, refined: &Refined) -> PlanDraft {
    let startup = refined.startup.as_deref();
    let place = refined.answers.iter().find(|one| one.question == WHERE);
    let others: Vec<&str> = refined
        .answers
        .iter()
        .filter(|one| one.question != WHERE)
        .map(|one| one.answer.as_str())
        .collect();
    let subject = content(request);
    let industry = startup.map(|startup| content(&startup.industry)).unwrap_or_default();
    let mut terms = vec![term(&[&subject])];
    terms.extend(others.iter().map(|answer| term(&[&content(answer), &subject])));
    if let Some(startup) = startup {
        terms.extend(startup.search_terms.iter().map(|term| line(term)));
        terms.push(term(&[&industry, &subject]));
    }
    terms.extend(place.map(|place| term(&[&subject, &content(&place.answer)])));
    terms.retain(|term| !term.is_empty());
    if terms.is_empty() {
        terms.push(line(request));
    }
    let place = place.map(|place| line(&place.answer));
    let place = place.or_else(|| startup.map(|startup| line(&startup.geographical_scope)));
    PlanDraft {
        title: line(request).chars().take(LONGEST_TITLE).collect(),
        steps: vec![],
        search_terms: terms,
        geographical_scope: place.unwrap_or_default(),
        focus_areas: others.iter().map(|answer| line(answer)).collect(),
    }
}

/// Returns the content words of a text.
fn content(text: &str) -> Vec<&str> {
    let wish = |word: &str| WISHES.split_whitespace().any(|wish| word.eq_ignore_ascii_case(wish));
    // A word in capitals is a name: the US, the IT of a firm.
    let name = |word: &str| word.len() > 1 && word.chars().all(char::is_uppercase);
    let stop = |word: &str| is_stop_word(&word.to_lowercase(), Language::English) && !name(word);
    let names = |word: &&str| !stop(word) && !wish(word);
    words(text).map(|(_, word)| word).filter(names).collect()
}

/// Returns a search term made of words, without duplicates.
fn term(parts: &[&[&str]]) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for word in parts.iter().flat_map(|part| part.iter()) {
        if kept.len() < LONGEST_TERM && kept.iter().all(|known| !known.eq_ignore_ascii_case(word)) {
            kept.push(word);
        }
    }
    kept.join(" ")
}

fn names_one_of(text: &str, list: &str) -> bool {
    words(text).any(|(_, word)| list.split_whitespace().any(|one| word.eq_ignore_ascii_case(one)))
}

/// Returns whether a name follows "in" or a similar word: "in Bavaria", "across South America".
fn names_a_place(text: &str) -> bool {
    let all: Vec<&str> = words(text).map(|(_, word)| word).collect();
    all.windows(2).any(|pair| match pair {
        [before, name] => {
            matches!(
                before.to_lowercase().as_str(),
                "in" | "across" | "within" | "throughout" | "near"
            ) && name.chars().next().is_some_and(char::is_uppercase)
                && name.chars().any(char::is_lowercase)
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::refined::Answered;

    fn asked(method: &str, request: &str) -> Vec<String> {
        let asked = questions(method, request, &Refined::default(), 3);
        asked.questions.into_iter().map(|one| one.question).collect()
    }

    // proves: W2, C10
    #[test]
    fn what_a_request_says_is_not_asked() {
        assert_eq!(asked("market", "I want to explore the AI market").len(), 3);
        let narrow = asked("market", "Contract review software for law firms in Texas");
        assert_eq!(narrow, ["Which product or part of the market is it about?"]);
        assert!(
            asked("market", "B2B tools across Europe").iter().all(|question| question != WHERE)
        );
        assert_eq!(asked("ask", "What caused the 1854 outbreak in London?").len(), 1);
        assert_eq!(asked("ask", "Why do bees die?").len(), 3);
    }

    // proves: W3, C10
    #[test]
    fn a_plan_by_rule_searches_for_the_words_of_the_request_and_the_answers() {
        let answer = |question: &str, answer: &str| Answered {
            gate: String::new(),
            question: question.into(),
            answer: answer.into(),
        };
        let refined = Refined {
            answers: vec![
                answer("Who?", "B2B enterprise"),
                answer("Which product?", "Generative AI for legal"),
                answer(WHERE, "US market, starting in Texas"),
            ],
            ..Refined::default()
        };
        let plan = draft_plan("I want to explore the AI market", &refined);
        assert_eq!(
            plan.search_terms,
            [
                "AI market",
                "B2B enterprise AI market",
                "Generative AI legal market",
                "AI market US starting Texas"
            ]
        );
        assert_eq!(plan.geographical_scope, "US market, starting in Texas");
        assert_eq!(plan.focus_areas, ["B2B enterprise", "Generative AI for legal"]);
        assert_eq!(plan.title, "I want to explore the AI market");
        assert!(run::Reply::check(&plan).is_ok());
    }

    #[test]
    fn a_request_without_a_word_that_names_something_is_searched_for_as_it_stands() {
        let plan = draft_plan("What is it?", &Refined::default());
        assert_eq!(plan.search_terms, ["What is it?"]);
    }
}
