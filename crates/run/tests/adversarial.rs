//! Citations made to deceive the check, and honest ones: none of the first may be verified, all of the second must be.

use std::collections::HashSet;

use run::grounding::{Passage, check, locate};

const GULL: Passage<'static> = Passage {
    section: "Herring gull > Diet and breeding",
    text: "The herring gull (*Larus argentatus*) breeds across northern Europe. On Skomer, Niko Tinbergen counted 1,240 pairs in \
        1958, and by 12 March 1974 the colony had fallen to 310 pairs. Adults lay 2–4 eggs in May; incubation lasts 28–30 days.\n\n\
        Chicks are fed on **fish** and marine inverte-\nbrates, which made up 62.5 % of meals. Gulls do not eat grass, but they eat \
        earthworms after rain. Adults weigh about 1.05 kg and have a wingspan of 138 cm.",
};

const DRUG: Passage<'static> = Passage {
    section: "Velotril trial report > Results",
    text: "In the Velotril trial, 4,512 participants were followed for 3.5 years at 14 sites in Norway and Japan. Systolic pressure \
        decreased by 12 mmHg in the treated group. Velotril is not effective in all patients, and it has never been shown to \
        prevent stroke. Nausea occurred in 10–15 % of adults; 3 of them left the study. There was no evidence that a dose of \
        20 mg/day harmed the kidneys. The drug cost $2.4 million to develop, according to Dr. Ingrid Solberg of Oslo.",
};

const DAM: Passage<'static> = Passage {
    section: "Karun valley > Dam > Operation",
    text: "The Karun-3 dam is 205 m high and was completed in 2005. It stores 2.97 billion m³ of water and supplies 1,000 MW. \
        Between 2011-03-12 and 2011-04-02 the spillway was closed. Engineers from Zürich said “the risk is small”, and the \
        temperature of the lake never fell below -5 °C. Its flow rose from 10² to 10³ m³/s within 36 hours. Larger dams are older \
        than Karun-3 in Turkey. Only the eastern gate was opened in 2013.",
};

const PLANES: Passage<'static> = Passage {
    section: "Notes > Figures",
    text: "The A380 carries 525 people; the B747 carries 416. At 25 °C the yield was 80 %, at 35 °C it was 60 %. The company lost \
        $3 million in 2019 and gained $5 million in 2020. Of 200 patients, 120 improved and 80 worsened. The drug may reduce \
        fever, and is contraindicated in pregnancy. He denied that taxes rose in 2010. Once thought to cure colds, honey is food. \
        See [a report that it leans](http://x.org/it-does-not-lean) here. Is honey good for infants?\n\nNone of these helps:\n\
        - aspirin in adult patients\n- rest and sleep",
};

/// A claim, the passage it cites, and what it says stands there.
type Case = (&'static str, &'static str, Passage<'static>, &'static str);

const FAITHFUL: [(&str, Passage<'static>, &str); 14] = [
    ("Tinbergen counted 1,240 pairs in 1958.", GULL, "Niko Tinbergen counted 1,240 pairs in 1958"),
    (
        "The colony had fallen to 310 pairs by 12 March 1974.",
        GULL,
        "by 12 March 1974 the colony had fallen to 310 pairs",
    ),
    ("Adults lay 2–4 eggs in May.", GULL, "Adults lay 2–4 eggs in May"),
    ("Incubation lasts 28–30 days.", GULL, "incubation lasts 28–30 days"),
    ("Gulls do not eat grass.", GULL, "Gulls do not eat grass"),
    ("Adults weigh about 1.05 kg.", GULL, "Adults weigh about 1.05 kg"),
    (
        "The trial followed 4,512 participants for 3.5 years.",
        DRUG,
        "4,512 participants were followed for 3.5 years",
    ),
    ("Systolic pressure decreased by 12 mmHg.", DRUG, "Systolic pressure decreased by 12 mmHg"),
    (
        "Velotril is not effective in all patients.",
        DRUG,
        "Velotril is not effective in all patients",
    ),
    ("Nausea occurred in 10–15 % of adults.", DRUG, "Nausea occurred in 10–15 % of adults"),
    ("The dam is 205 m high.", DAM, "The Karun-3 dam is 205 m high"),
    ("It stores 2.97 billion m³ of water.", DAM, "It stores 2.97 billion m³ of water"),
    ("The lake never fell below -5 °C.", DAM, "the lake never fell below -5 °C"),
    ("It supplies 1,000 MW.", DAM, "supplies 1,000 MW"),
];

/// Pairs of wordings; each claim that contains the first is falsified by the second.
const FALSIFIED: &[(&str, &str, &str)] = &[
    ("invented number", "1,240", "1,420"),
    ("invented number", "1,240", "1.240"),
    ("invented number", "1,240", "240"),
    ("invented number", "1,240", "over 1,240"),
    ("invented number", "310", "three hundred"),
    ("invented number", "310", "3.10"),
    ("invented number", "2–4", "2"),
    ("invented number", "2–4", "four"),
    ("invented number", "2–4", "2–5"),
    ("invented number", "2–4", "two dozen"),
    ("invented number", "28–30", "29"),
    ("invented number", "28–30", "30"),
    ("invented number", "1.05", "1.5"),
    ("invented number", "1.05", "105"),
    ("invented number", "1.05", "-1.05"),
    ("invented number", "4,512", "4512.5"),
    ("invented number", "4,512", "45"),
    ("invented number", "4,512", "4,512 thousand"),
    ("invented number", "3.5", "5"),
    ("invented number", "3.5", "3½"),
    ("invented number", "3.5", "35"),
    ("invented number", "12 mmHg", "twelve point five mmHg"),
    ("invented number", "12 mmHg", "120 mmHg"),
    ("invented number", "12 mmHg", "12² mmHg"),
    ("invented number", "10–15", "15"),
    ("invented number", "10–15", "10"),
    ("invented number", "10–15", "at least 10"),
    ("invented number", "205", "250"),
    ("invented number", "205", "2005"),
    ("invented number", "205", "205⁵"),
    ("invented number", "205", "two hundred and six"),
    ("invented number", "2.97", "297"),
    ("invented number", "2.97", "more than 2.97"),
    ("invented number", "1,000", "1"),
    ("invented number", "1,000", "up to 1,000"),
    ("invented number", "-5", "5"),
    ("invented number", "-5", "-15"),
    ("changed unit", "pairs", "% of pairs"),
    ("changed unit", "28–30 days", "28–30 weeks"),
    ("changed unit", "28–30 days", "28–30 hours"),
    ("changed unit", "1.05 kg", "1.05 g"),
    ("changed unit", "1.05 kg", "1.05 lb"),
    ("changed unit", "1.05 kg", "1.05 tonnes"),
    ("changed unit", "3.5 years", "3.5 months"),
    ("changed unit", "3.5 years", "3.5 decades"),
    ("changed unit", "3.5 years", "3.5 million years"),
    ("changed unit", "12 mmHg", "12 %"),
    ("changed unit", "12 mmHg", "12 kPa"),
    ("changed unit", "10–15 %", "10–15"),
    ("changed unit", "10–15 %", "10–15 percentage points"),
    ("changed unit", "205 m", "205 km"),
    ("changed unit", "205 m", "205 ft"),
    ("changed unit", "205 m", "205 m²"),
    ("changed unit", "billion", "million"),
    ("changed unit", "billion", "trillion"),
    ("changed unit", "m³", "m²"),
    ("changed unit", "m³", "litres"),
    ("changed unit", "1,000 MW", "1,000 GW"),
    ("changed unit", "1,000 MW", "1,000 mW"),
    ("changed unit", "°C", "°F"),
    ("changed unit", "°C", "K"),
    ("changed date", "1958", "1985"),
    ("changed date", "1958", "March 1958"),
    ("changed date", "1958", "the 1958s"),
    ("changed date", "12 March 1974", "12 March 1975"),
    ("changed date", "12 March 1974", "12 May 1974"),
    ("changed date", "12 March 1974", "13 March 1974"),
    ("changed date", "12 March 1974", "1974-12-03"),
    ("changed date", "12 March 1974", "1974-03-21"),
    ("changed date", "12 March 1974", "April 1974"),
    ("changed date", "in May", "in June"),
    ("changed date", "in May", "on 4 May"),
    ("changed name", "Tinbergen", "Lorenz"),
    ("changed name", "Tinbergen", "Jan Tinbergen"),
    ("changed name", "Tinbergen", "Tinberger"),
    ("changed name", "Adults", "Lundy adults"),
    ("changed name", "Adults", "Icelandic gulls"),
    ("changed name", "Velotril", "Velotrex"),
    ("changed name", "Velotril", "Velotril-2"),
    ("changed name", "Systolic", "In Sweden systolic"),
    ("changed name", "The dam", "The Aswan dam"),
    ("changed name", "The lake", "Lake Mead"),
    ("changed name", "The trial", "The WHO trial"),
    ("changed name", "The trial", "The Oxford trial"),
    ("dropped negation", "do not eat", "eat"),
    ("dropped negation", "is not effective", "is effective"),
    ("dropped negation", "never fell", "fell"),
    ("added negation", "Adults lay", "Adults never lay"),
    ("added negation", "Adults lay", "Adults hardly lay"),
    ("added negation", "Adults weigh", "Adults don’t weigh"),
    ("added negation", "Adults weigh", "No adults weigh"),
    ("added negation", "counted", "failed to count"),
    ("added negation", "counted", "has not counted"),
    ("added negation", "Incubation lasts", "Incubation cannot last"),
    ("added negation", "trial followed", "trial neither treated nor followed"),
    ("added negation", "Nausea occurred", "It is false that nausea occurred"),
    ("added negation", "It stores", "It doesn't store"),
    ("added negation", "It supplies", "It is unable to supply"),
    ("added negation", "The dam is", "The dam isn't"),
    ("opposite direction", "had fallen", "had risen"),
    ("opposite direction", "decreased", "increased"),
    ("opposite direction", "decreased", "rose"),
    ("opposite direction", "below", "above"),
    ("opposite direction", "not effective", "not ineffective"),
    ("opposite direction", "Adults lay", "Only adults lay"),
    ("look-alike", "not", "nоt"),
    ("look-alike", "not", "nοt"),
    ("look-alike", "eat", "еat"),
    ("look-alike", "Adults lay", "Adults d\u{200b}on't lay"),
    ("look-alike", "Adults lay", "Adults n\u{200d}e\u{2060}v\u{ad}er lay"),
    ("look-alike", "Adults lay", "Adults nеver lay"),
    ("look-alike", "Adults lay", "Adults nẹver lay"),
    ("look-alike", "Adults lay", "Adults n\u{335}ever lay"),
    ("look-alike", "Adults lay", "Adults ｎｅｖｅｒ lay"),
    ("look-alike", "Adults lay", "Adults 𝐧𝐞𝐯𝐞𝐫 lay"),
    ("look-alike", "Adults lay", "Adults n e v e r lay"),
    ("look-alike", "Adults lay", "Adults ⓝⓔⓥⓔⓡ lay"),
    ("look-alike", "Tinbergen", "Тinbergen"),
    ("look-alike", "Tinbergen", "Tinbеrgen"),
    ("look-alike", "Tinbergen", "Τinbergen"),
    ("look-alike", "Velotril", "Velоtril"),
    ("look-alike", "205", "２0６"),
    ("look-alike", "205", "٢٠٥"),
    ("look-alike", "1,240", "1·240"),
    ("look-alike", "310", "3\u{200b}11"),
    ("look-alike", "310", "③10"),
    ("look-alike", "1.05", "1․5"),
    ("look-alike", "2.97", "²·97"),
    ("look-alike", "12 mmHg", "1₂ mmHg"),
    ("spelled number", "310 pairs", "THREE HUNDRED AND ELEVEN pairs"),
    ("spelled number", "205 m", "Two Hundred m"),
    ("spelled number", "205 m", "twice 205 m"),
    ("spelled number", "1,240 pairs", "half of 1,240 pairs"),
    ("spelled number", "4,512", "Four Thousand"),
    ("spelled number", "Incubation", "THE SECOND incubation"),
];

/// Quotes that do not stand in their passage as given, under a claim that would be true.
const MISQUOTED: &[Case] = &[
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

/// Quotes that stand in their passage, under a claim they do not bear out.
const MISUSED: &[Case] = &[
    ("negated clause", "The drug is effective in all patients.", DRUG, "effective in all patients"),
    ("negated clause", "Velotril prevents stroke.", DRUG, "been shown to prevent stroke"),
    ("negated clause", "Velotril was shown to stop stroke.", DRUG, "shown to prevent stroke"),
    (
        "negated clause",
        "A dose of 20 mg/day harmed the kidneys.",
        DRUG,
        "a dose of 20 mg/day harmed the kidneys",
    ),
    (
        "negated clause",
        "There is evidence of harm to the kidneys.",
        DRUG,
        "evidence that a dose of 20 mg/day harmed the kidneys",
    ),
    ("negated clause", "Gulls eat grass.", GULL, "eat grass, but they eat earthworms"),
    ("negated clause", "The lake fell below -5 °C.", DAM, "fell below -5 °C"),
    (
        "negated clause",
        "Gulls eat earthworms and grass.",
        GULL,
        "Gulls do not eat grass, but they eat earthworms after rain",
    ),
    (
        "negated clause",
        "Gulls eat grass but not earthworms.",
        GULL,
        "Gulls do not eat grass, but they eat earthworms after rain",
    ),
    (
        "reversed comparison",
        "Karun-3 is older than larger dams.",
        DAM,
        "Larger dams are older than Karun-3 in Turkey",
    ),
    (
        "reversed comparison",
        "Larger dams are younger than Karun-3.",
        DAM,
        "Larger dams are older than Karun-3 in Turkey",
    ),
    ("wrong index", "Adults lay 2–4 eggs in May.", GULL, "Gulls do not eat grass"),
    ("wrong index", "Tinbergen counted 1,240 pairs.", GULL, "Chicks are fed on fish"),
    ("wrong index", "Incubation lasts 28–30 days.", GULL, "Adults lay 2–4 eggs in May"),
    ("wrong index", "The wingspan is 138 cm.", GULL, "Adults weigh about 1.05 kg"),
    ("wrong index", "Gulls do not eat grass.", GULL, "they eat earthworms after rain"),
    ("wrong index", "Nausea occurred in 10–15 % of adults.", DRUG, "3 of them left the study"),
    ("wrong index", "The drug cost $2.4 million.", DRUG, "according to Dr. Ingrid Solberg of Oslo"),
    ("wrong index", "Three adults left the study.", DRUG, "Nausea occurred in 10–15 % of adults"),
    ("wrong index", "It was completed in 2005.", DAM, "It stores 2.97 billion m³ of water"),
    (
        "wrong index",
        "The spillway was closed.",
        DAM,
        "Engineers from Zürich said “the risk is small”",
    ),
    (
        "swapped counts",
        "The colony had fallen to 1,240 pairs.",
        GULL,
        "the colony had fallen to 310 pairs",
    ),
    (
        "swapped dates",
        "The count of 1,240 pairs was on 12 March 1958.",
        GULL,
        "1,240 pairs in 1958, and by 12 March 1974",
    ),
    (
        "swapped dates",
        "The spillway was closed on 2011-04-12.",
        DAM,
        "Between 2011-03-12 and 2011-04-02 the spillway was closed",
    ),
    (
        "wrong currency",
        "The drug cost €2.4 million.",
        DRUG,
        "The drug cost $2.4 million to develop",
    ),
    (
        "wrong currency",
        "The drug cost 2.4 million to develop.",
        DRUG,
        "The drug cost $2.4 million to develop",
    ),
    (
        "wrong currency",
        "The drug cost $2.4 billion.",
        DRUG,
        "The drug cost $2.4 million to develop",
    ),
    (
        "wrong name",
        "According to Dr. Ingrid Sandberg it cost much.",
        DRUG,
        "according to Dr. Ingrid Solberg of Oslo",
    ),
    (
        "wrong name",
        "Engineers from Geneva said the risk is small.",
        DAM,
        "Engineers from Zürich said “the risk is small”",
    ),
    (
        "wrong name",
        "Engineers from Zurich said the risk is small.",
        DAM,
        "Engineers from Zürich said “the risk is small”",
    ),
    ("wrong name", "Sites in Norway and China.", DRUG, "14 sites in Norway and Japan"),
    ("wrong name", "Sites in Norway and in the US.", DRUG, "14 sites in Norway and Japan"),
    ("wrong name", "Karun-4 is 205 m high.", DAM, "The Karun-3 dam is 205 m high"),
    (
        "wrong name",
        "The herring gull is Larus canus and breeds in Asia.",
        GULL,
        "breeds across northern Europe",
    ),
    ("vacuous claim", "It was so.", GULL, "Gulls do not eat grass"),
    ("vacuous claim", "That is all.", GULL, "they eat earthworms after rain"),
    ("vacuous claim", "", GULL, "they eat earthworms after rain"),
    ("vacuous claim", "[1]", GULL, "they eat earthworms after rain"),
    ("vacuous claim", "Taxes pay for roads.", GULL, "they eat earthworms after rain"),
    ("vacuous claim", "Coffee cures baldness quickly.", DRUG, "3 of them left the study"),
    ("powers", "Its flow rose from 102 to 103 m³/s.", DAM, "Its flow rose from 10² to 10³ m³/s"),
    ("powers", "Its flow rose from 10³ to 10² m³/s.", DAM, "Its flow rose from 10² to 10³ m³/s"),
    ("narrowed", "Only Norway had sites.", DRUG, "14 sites in Norway and Japan"),
    (
        "misjoined",
        "The B747 carries 525 people.",
        PLANES,
        "The A380 carries 525 people; the B747 carries 416",
    ),
    (
        "misjoined",
        "At 35 °C the yield was 80 %.",
        PLANES,
        "At 25 °C the yield was 80 %, at 35 °C it was 60 %",
    ),
    (
        "misjoined",
        "The company gained $3 million in 2019.",
        PLANES,
        "The company lost $3 million in 2019 and gained $5 million in 2020",
    ),
    (
        "misjoined",
        "The company lost $5 million in 2019.",
        PLANES,
        "The company lost $3 million in 2019 and gained $5 million in 2020",
    ),
    (
        "misjoined",
        "Of 200 patients, 80 improved.",
        PLANES,
        "Of 200 patients, 120 improved and 80 worsened",
    ),
    ("hedge dropped", "The drug reduces fever.", PLANES, "The drug may reduce fever"),
    ("hedge dropped", "The drug reduces fever.", PLANES, "reduce fever, and is contraindicated"),
    ("hedge dropped", "Honey cures colds.", PLANES, "to cure colds, honey is food"),
    (
        "negated clause",
        "The drug is indicated in pregnancy.",
        PLANES,
        "is contraindicated in pregnancy",
    ),
    ("negated clause", "Taxes rose in 2010.", PLANES, "that taxes rose in 2010"),
    ("negated clause", "Aspirin helps adult patients.", PLANES, "aspirin in adult patients"),
    ("off by one", "It does not lean.", PLANES, "it-does-not-lean"),
    ("question", "Honey is good for infants.", PLANES, "honey good for infants"),
    ("question", "Is the risk small?", DAM, "said “the risk is small”"),
];

const HONEST: &[Case] = &[
    (
        "joined",
        "The A380 carries 525 people.",
        PLANES,
        "The A380 carries 525 people; the B747 carries 416",
    ),
    (
        "joined",
        "In 2020 the company gained $5 million.",
        PLANES,
        "The company lost $3 million in 2019 and gained $5 million in 2020",
    ),
    (
        "joined",
        "Of 200 patients, 120 improved.",
        PLANES,
        "Of 200 patients, 120 improved and 80 worsened",
    ),
    ("hedge", "The drug may reduce fever.", PLANES, "The drug may reduce fever"),
    ("typographic", "The wingspan is 138 cm.", GULL, "have a wingspan of 138 cm"),
    ("typographic", "The wingspan is 138 cm.", GULL, "  \"have a wingspan of 138 cm.\"  "),
    ("typographic", "Adults lay 2-4 eggs.", GULL, "Adults lay 2-4 eggs in May"),
    (
        "typographic",
        "The risk is small, engineers said.",
        DAM,
        "Engineers from Zürich said \"the risk is small\"",
    ),
    ("typographic", "The risk is small, engineers said.", DAM, "said “the risk is small”"),
    (
        "typographic",
        "Engineers from Zürich called the risk small.",
        DAM,
        "Engineers from Zu\u{308}rich said “the risk is small”",
    ),
    (
        "typographic",
        "The lake's temperature never fell below −5 °C.",
        DAM,
        "temperature of the lake never fell below −5 °C",
    ),
    ("typographic", "Gulls don’t eat grass.", GULL, "Gulls do not\neat   grass"),
    (
        "hyphenation",
        "Fish and invertebrates are fed to them.",
        GULL,
        "fed on fish and marine invertebrates",
    ),
    (
        "hyphenation",
        "Invertebrates are part of the diet of chicks.",
        GULL,
        "Chicks are fed on fish and marine inverte-\nbrates",
    ),
    ("emphasis", "Chicks are fed on fish.", GULL, "Chicks are fed on fish and"),
    ("emphasis", "Chicks are fed on fish.", GULL, "Chicks are fed on **fish** and"),
    (
        "emphasis",
        "The herring gull is Larus argentatus.",
        GULL,
        "The herring gull (Larus argentatus) breeds",
    ),
    (
        "emphasis",
        "Larus argentatus breeds across Europe.",
        GULL,
        "(*Larus argentatus*) breeds across northern Europe",
    ),
    ("number", "That was 62.5% of meals.", GULL, "which made up 62.5 % of meals"),
    ("number", "62.5 percent of meals were made up so.", GULL, "which made up 62.5 % of meals"),
    (
        "number",
        "Tinbergen counted 1240 pairs in 1958.",
        GULL,
        "Niko Tinbergen counted 1,240 pairs in 1958",
    ),
    ("number", "Adults lay two to four eggs.", GULL, "Adults lay 2–4 eggs in May"),
    ("number", "Incubation lasts between 28 and 30 days.", GULL, "incubation lasts 28–30 days"),
    ("number", "Adults weigh 1.05 kilograms.", GULL, "Adults weigh about 1.05 kg"),
    ("number", "Three of them left the study.", DRUG, "3 of them left the study"),
    ("number", "The study had fourteen sites.", DRUG, "3.5 years at 14 sites in Norway"),
    ("number", "The drug cost $2,400,000.", DRUG, "The drug cost $2.4 million to develop"),
    ("number", "The drug cost 2.4 million dollars.", DRUG, "The drug cost $2.4 million to develop"),
    ("number", "The dam stores 2,970,000,000 m³.", DAM, "It stores 2.97 billion m³ of water"),
    ("number", "The dam supplies 1000 megawatts.", DAM, "and supplies 1,000 MW"),
    ("number", "It happened within thirty-six hours.", DAM, "within 36 hours"),
    ("number", "It is 205 metres high.", DAM, "dam is 205 m high"),
    (
        "date",
        "On March 12, 1974 the colony was down to 310 pairs.",
        GULL,
        "by 12 March 1974 the colony had fallen to 310 pairs",
    ),
    ("date", "In March 1974 the colony was small.", GULL, "by 12 March 1974 the colony had fallen"),
    (
        "date",
        "By 1974-03-12 the colony had fallen.",
        GULL,
        "by 12 March 1974 the colony had fallen",
    ),
    ("date", "Eggs are laid in May.", GULL, "Adults lay 2–4 eggs in May"),
    (
        "date",
        "The spillway was closed from 12 March 2011.",
        DAM,
        "Between 2011-03-12 and 2011-04-02 the spillway was closed",
    ),
    ("date", "It was completed in 2005.", DAM, "was completed in 2005"),
    ("name", "Tinbergen's count was 1,240 pairs.", GULL, "Niko Tinbergen counted 1,240 pairs"),
    ("name", "Herring gulls lay 2–4 eggs.", GULL, "Adults lay 2–4 eggs in May"),
    (
        "name",
        "Velotril lowered systolic pressure by 12 mmHg.",
        DRUG,
        "pressure decreased by 12 mmHg",
    ),
    ("name", "Researchers had sites in Japan and Norway.", DRUG, "14 sites in Norway and Japan"),
    (
        "name",
        "Solberg put the cost at $2.4 million.",
        DRUG,
        "The drug cost $2.4 million to develop, according to Dr. Ingrid Solberg of Oslo",
    ),
    ("name", "Karun-3's height is 205 m.", DAM, "The Karun-3 dam is 205 m high"),
    ("negation", "The gull doesn't eat grass.", GULL, "Gulls do not eat grass"),
    ("negation", "Gulls never eat grass.", GULL, "Gulls do not eat grass"),
    (
        "negation",
        "Velotril isn’t effective in all patients.",
        DRUG,
        "Velotril is not effective in all patients",
    ),
    ("negation", "Velotril is not effective in all patients.", DRUG, "effective in all patients"),
    (
        "negation",
        "No evidence was found that 20 mg/day harmed the kidneys.",
        DRUG,
        "no evidence that a dose of 20 mg/day harmed the kidneys",
    ),
    ("negation", "Gulls eat earthworms after rain.", GULL, "they eat earthworms after rain"),
    ("direction", "Pressure fell by 12 mmHg.", DRUG, "Systolic pressure decreased by 12 mmHg"),
    ("direction", "The colony declined to 310 pairs.", GULL, "the colony had fallen to 310 pairs"),
    (
        "direction",
        "Larger dams in Turkey are older than Karun-3.",
        DAM,
        "Larger dams are older than Karun-3 in Turkey",
    ),
    ("references", "Adults lay 2–4 eggs [1][2, 3].", GULL, "Adults lay 2–4 eggs in May"),
    ("references", "Adults lay 2–4 eggs [12] in May.", GULL, "Adults lay 2–4 eggs in May"),
    (
        "powers",
        "The flow rose from 10² to 10³ m³/s.",
        DAM,
        "Its flow rose from 10² to 10³ m³/s within 36 hours",
    ),
    (
        "whole sentence",
        "Only the eastern gate was opened in 2013.",
        DAM,
        "Only the eastern gate was opened in 2013.",
    ),
];

fn verified(case: &Case) -> bool {
    let (_, claim, passage, quote) = case;
    check(claim, passage, quote).verified()
}

fn falsified() -> Vec<(&'static str, String, Passage<'static>, &'static str)> {
    let mut cases = Vec::new();
    for (family, honest, changed) in FALSIFIED {
        for (claim, passage, quote) in FAITHFUL {
            if claim.contains(honest) {
                cases.push((*family, claim.replace(honest, changed), passage, quote));
            }
        }
    }
    cases
}

/// Every faithful quote, short of one character at either end, and long by one of its neighbours.
fn shifted() -> Vec<(&'static str, String, Passage<'static>, String)> {
    let mut cases = Vec::new();
    for (claim, passage, quote) in FAITHFUL {
        let span = locate(passage.text, quote).expect("a faithful quote stands in its passage");
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

// proves: C4, C13
#[test]
fn not_one_citation_made_to_deceive_is_verified() {
    let mut cases: Vec<(&str, String, Passage<'_>, String)> = shifted();
    cases.extend(
        falsified()
            .into_iter()
            .map(|(family, claim, passage, quote)| (family, claim, passage, quote.to_owned())),
    );
    let written = MISQUOTED.iter().chain(MISUSED);
    cases.extend(written.map(|(family, claim, passage, quote)| {
        (*family, (*claim).to_owned(), *passage, (*quote).to_owned())
    }));
    let distinct: HashSet<(&str, &str, &str)> = cases
        .iter()
        .map(|(_, claim, passage, quote)| (claim.as_str(), passage.section, quote.as_str()))
        .collect();
    assert!(distinct.len() >= 240, "{} distinct cases", distinct.len());
    let offenders: Vec<String> = cases
        .iter()
        .filter(|(_, claim, passage, quote)| check(claim, passage, quote).verified())
        .map(|(family, claim, _, quote)| format!("{family}: {claim:?} by {quote:?}"))
        .collect();
    assert!(offenders.is_empty(), "verified, and should not be:\n{}", offenders.join("\n"));
}

// proves: C4, C13
#[test]
fn every_honest_citation_is_verified() {
    let faithful =
        FAITHFUL.into_iter().map(|(claim, passage, quote)| ("faithful", claim, passage, quote));
    let cases: Vec<Case> = faithful.chain(HONEST.iter().copied()).collect();
    assert!(cases.len() >= 60, "{} cases", cases.len());
    let refused: Vec<String> = cases
        .iter()
        .filter(|case| !verified(case))
        .map(|(family, claim, passage, quote)| {
            format!("{family}: {claim:?} by {quote:?}: {:?}", check(claim, passage, quote).faults)
        })
        .collect();
    assert!(refused.is_empty(), "refused, and should not be:\n{}", refused.join("\n"));
}
