//! A model that plays every agent of a market analysis over the documents of `examples/market`.

use serde_json::json;

use crate::{Judgement, Say, Seen, Statement, is_reader, readings, statements};

const USED: &str = "In 2025, 3,840 firms in Texas used contract review software.";
const PRICE: &str = "A licence for contract review software cost $5,200 per firm in 2025.";
const CHARGES: &str = "Lexfold charges $3,600 a year for each firm.";
const BUY: &str = "Small firms buy contract review software to answer clients on the same day.";
const SPEED: &str = "Speed matters to small firms.";
const ADVICE: &str = "Sell to small firms first.";
const BARRIER: &str =
    "Client confidentiality is the main barrier to software that runs outside the firm.";

/// Asks one question, plans, and states what the documents say; its one product is wrong, so that the program must correct it.
pub fn crew(seen: &Seen) -> Say {
    let prompt = seen.prompt();
    if is_reader(seen) {
        return Say::json(&readings(seen, |_| Judgement::Supported));
    }
    let shown = statements(&prompt);
    let wants = seen.body["response_format"]["json_schema"]["name"].as_str().unwrap_or_default();
    let cited =
        |text: &str, quote: &str| json!({"text": text, "cites": find_address(&shown, quote)});
    let claim = |words: &str| cited(words, words);
    let input = |name: &str, described: &str, value: &str, unit: &str, quote: &str| {
        json!({"name": name, "description": described, "value": value, "unit": unit,
            "cites": find_address(&shown, quote), "why": ""})
    };
    let said = match wants {
        "Questions" => {
            json!({"questions": [{"question": "Who buys?", "context": "It sizes the market."}]})
        }
        "PlanDraft" => json!({
            "title": "Contract review in Texas",
            "search_terms": ["contract review software Texas"],
            "geographical_scope": "Texas",
            "focus_areas": ["law firms"],
        }),
        "SizingReply" => json!({
            "prose": spoken(&shown, USED),
            "top_down": {"inputs": [], "steps": [], "why_not": "no source says it"},
            "bottom_up": {
                "inputs": [
                    input("firms", "firms", "3,840", "firms", USED),
                    input("price", "licence for each firm", "$5,200", "USD/firm", PRICE),
                ],
                "steps": [{"name": "spending", "expression": "firms * price", "unit": "USD", "value": "$25 million"}],
                "why_not": "",
            },
        }),
        "Compared" => json!({"prose": spoken(&shown, CHARGES), "competitors": [{
            "name": cited("Lexfold", CHARGES),
            "pricing": cited("charges $3,600 a year for each firm", CHARGES),
        }]}),
        "Described" => {
            json!({
                "prose": format!("{}\n\n→ {SPEED}", spoken(&shown, BUY)),
                "segments": [{"name": "Small firms", "claims": [claim(BUY)], "needs": []}],
            })
        }
        "Advised" => json!({
            "prose": spoken(&shown, BARRIER),
            "recommendations": [{"text": ADVICE, "rests_on": [named(&prompt, BUY)]}],
            "risks": [claim(BARRIER)],
        }),
        "Edited" => json!({
            "title": "Contract review in Texas", "summary": [], "open_questions": ["Who renews?"],
        }),
        other => return Say::error(400, &format!("the crew knows nothing of '{other}'")),
    };
    Say::json(&said)
}

/// Returns the name that a prompt gives a claim of an earlier section, as in `c7: It grows.`; empty if it has none.
fn named(prompt: &str, words: &str) -> String {
    let mut lines = prompt.lines().filter_map(|line| line.split_once(": "));
    lines.find(|(_, said)| *said == words).map(|(name, _)| name.to_owned()).unwrap_or_default()
}

/// Returns a sentence of the documents as prose, followed by its address.
fn spoken(shown: &[Statement], words: &str) -> String {
    let addresses = find_address(shown, words).join(", ");
    if addresses.is_empty() { words.to_owned() } else { format!("{words} [{addresses}]") }
}

/// Returns the address of the statement that contains the words; empty if there is none.
fn find_address(shown: &[Statement], words: &str) -> Vec<String> {
    let saying = shown.iter().find(|statement| statement.text.contains(words));
    saying.map(|statement| statement.address.clone()).into_iter().collect()
}
