//! Quotes that do not stand in their passage as given.

use run::grounding::{Passage, check};

use crate::Case;
use crate::honest::FAITHFUL;
use crate::passages::{DAM, DRUG, GULL};

/// Every faithful quote, short of one character at either end, and long by one of its neighbours.
pub(crate) fn shifted() -> Vec<(&'static str, String, Passage<'static>, String)> {
    let mut cases = Vec::new();
    for (claim, passage, quote) in FAITHFUL {
        let span =
            check(claim, &passage, quote).span.expect("a faithful quote stands in its passage");
        let (before, after) = (&passage.text[..span.start], &passage.text[span.end..]);
        let inner: Vec<char> = quote.chars().collect();
        let shorter = [inner[1..].iter().collect(), inner[..inner.len() - 1].iter().collect()];
        let neighbours = (
            before.chars().rfind(|c| c.is_alphabetic()),
            after.chars().find(|c| c.is_alphabetic()),
        );
        let longer = [
            neighbours.0.map(|c| format!("{c} {quote}")),
            neighbours.1.map(|c| format!("{quote} {c}")),
        ];
        for quote in shorter.into_iter().chain(longer.into_iter().flatten()) {
            cases.push(("off by one", claim.to_owned(), passage, quote));
        }
    }
    cases
}

/// Quotes made up, changed or cut wrongly, under a claim that would be true.
pub(crate) const MISQUOTED: &[Case] = &[
    ("paraphrase as quote", "Gulls do not eat grass.", GULL, "Gulls never eat any grass"),
    ("paraphrase as quote", "Gulls do not eat grass.", GULL, "Gulls don't eat grass"),
    ("paraphrase as quote", "Gulls eat earthworms.", GULL, "gulls eat earthworms after rain"),
    (
        "paraphrase as quote",
        "Gulls eat earthworms.",
        GULL,
        "but they eat earthworms after the rain",
    ),
    ("paraphrase as quote", "Chicks are fed on fish.", GULL, "Chicks are fed fish"),
    ("paraphrase as quote", "Chicks are fed on fish.", GULL, "Chicks are fed … invertebrates"),
    ("paraphrase as quote", "Chicks are fed on fish.", GULL, "Chicks are fed on fish..."),
    ("paraphrase as quote", "Adults lay 2–4 eggs.", GULL, "Adults lay two to four eggs"),
    ("paraphrase as quote", "Pressure decreased.", DRUG, "pressure decreased by twelve mmHg"),
    (
        "paraphrase as quote",
        "Pressure decreased.",
        DRUG,
        "Systolic pressure [was] decreased by 12 mmHg",
    ),
    ("paraphrase as quote", "The dam is 205 m high.", DAM, "The dam is 205 m high"),
    ("paraphrase as quote", "The dam is high.", DAM, "The Karun-3 Dam is 205 m high"),
    ("case changed", "Gulls do not eat grass.", GULL, "GULLS DO NOT EAT GRASS"),
    ("case changed", "Gulls do not eat grass.", GULL, "gulls do not eat grass"),
    ("case changed", "The dam supplies 1,000 MW.", DAM, "supplies 1,000 mw"),
    ("changed digit in quote", "Adults lay 2–4 eggs.", GULL, "Adults lay 2–5 eggs in May"),
    ("changed digit in quote", "Tinbergen counted pairs.", GULL, "Tinbergen counted 1,241 pairs"),
    ("changed digit in quote", "Tinbergen counted pairs.", GULL, "Tinbergen counted 1240 pairs"),
    ("changed digit in quote", "Tinbergen counted pairs.", GULL, "Tinbergen counted ¹,240 pairs"),
    ("changed digit in quote", "Its flow rose.", DAM, "Its flow rose from 102 to 103 m³/s"),
    ("changed digit in quote", "Its flow rose.", DAM, "Its flow rose from 10² to 10² m³/s"),
    ("changed digit in quote", "It stores water.", DAM, "It stores 2.97 billion m3 of water"),
    ("look-alike in quote", "Gulls do not eat grass.", GULL, "Gulls do nоt eat grass"),
    ("look-alike in quote", "Gulls do not eat grass.", GULL, "Gulls do not eаt grass"),
    ("look-alike in quote", "Gulls do not eat grass.", GULL, "Gullѕ do not eat grass"),
    ("look-alike in quote", "Adults lay 2–4 eggs.", GULL, "Adults lay 2–④ eggs in May"),
    ("off by one", "Gulls do not eat grass.", GULL, "ulls do not eat grass"),
    ("off by one", "Gulls do not eat grass.", GULL, "Gulls do not eat gras"),
    ("off by one", "Adults weigh about 1.05 kg.", GULL, "Adults weigh about 1.05 k"),
    ("off by one", "Adults weigh about 1.05 kg.", GULL, "dults weigh about 1.05 kg"),
    ("off by one", "Adults weigh about 1 kg.", GULL, "Adults weigh about 1"),
    ("off by one", "Adults weigh about 1.0 kg.", GULL, "Adults weigh about 1.0"),
    ("off by one", "It made up 5 % of meals.", GULL, "5 % of meals"),
    ("off by one", "It made up 2.5 % of meals.", GULL, "2.5 % of meals"),
    ("off by one", "Tinbergen counted 1 pair.", GULL, "Niko Tinbergen counted 1"),
    ("off by one", "240 pairs in 1958.", GULL, "240 pairs in 1958"),
    ("off by one", "Adults lay 4 eggs in May.", GULL, "4 eggs in May"),
    ("off by one", "Incubation lasts 28 days.", GULL, "incubation lasts 28"),
    ("off by one", "Nausea occurred in 10 adults.", DRUG, "Nausea occurred in 10"),
    ("off by one", "15 % of adults left.", DRUG, "15 % of adults"),
    ("off by one", "Participants were followed for 5 years.", DRUG, "5 years at 14 sites"),
    ("off by one", "512 participants were followed.", DRUG, "512 participants were followed"),
    ("off by one", "The drug cost 2.4 million.", DRUG, "2.4 million to develop"),
    ("off by one", "The drug cost $2.4.", DRUG, "The drug cost $2.4"),
    ("off by one", "The drug cost $2.", DRUG, "The drug cost $2."),
    ("off by one", "A dose of 20 mg.", DRUG, "a dose of 20 mg"),
    ("off by one", "A dose of 20.", DRUG, "that a dose of 20"),
    ("off by one", "It fell to 5 °C.", DAM, "5 °C. Its flow"),
    ("off by one", "It stores 2.97 m³ of water.", DAM, "It stores 2.97"),
    ("off by one", "It stores 97 billion m³ of water.", DAM, "97 billion m³ of water"),
    ("off by one", "Its flow rose from 10.", DAM, "Its flow rose from 10"),
    ("off by one", "The dam is 3 m.", DAM, "3 dam is 205 m high"),
    ("off by one", "It was in 2011.", DAM, "Between 2011-03-12 and 2011"),
    ("off by one", "Invertebrates are marine.", GULL, "fish and marine inverte"),
    ("too short", "Gulls eat earthworms.", GULL, "eat earthworms"),
    ("too short", "Gulls eat.", GULL, "eat"),
    ("too short", "Gulls eat.", GULL, "\" \""),
    ("too short", "Gulls eat.", GULL, ""),
    ("too short", "Gulls eat.", GULL, "…"),
    ("wrong passage", "Gulls do not eat grass.", DRUG, "Gulls do not eat grass"),
    ("wrong passage", "Gulls do not eat grass.", DAM, "Gulls do not eat grass"),
    ("wrong passage", "The dam is 205 m high.", GULL, "The Karun-3 dam is 205 m high"),
    ("wrong passage", "The dam is 205 m high.", DRUG, "The Karun-3 dam is 205 m high"),
    (
        "wrong passage",
        "Pressure decreased by 12 mmHg.",
        GULL,
        "Systolic pressure decreased by 12 mmHg",
    ),
    (
        "wrong passage",
        "Pressure decreased by 12 mmHg.",
        DAM,
        "Systolic pressure decreased by 12 mmHg",
    ),
];
