//! The passages that the citations cite.

/// A passage with the headings above it.
#[derive(Clone, Copy)]
pub(crate) struct Passage<'a> {
    pub(crate) section: &'a str,
    pub(crate) text: &'a str,
}

pub(crate) const GULL: Passage<'static> = Passage {
    section: "Herring gull > Diet and breeding",
    text: "The herring gull (*Larus argentatus*) breeds across northern Europe. On Skomer, Niko Tinbergen counted 1,240 pairs in \
        1958, and by 12 March 1974 the colony had fallen to 310 pairs. Adults lay 2–4 eggs in May; incubation lasts 28–30 days.\n\n\
        Chicks are fed on **fish** and marine inverte-\nbrates, which made up 62.5 % of meals. Gulls do not eat grass, but they eat \
        earthworms after rain. Adults weigh about 1.05 kg and have a wingspan of 138 cm.",
};

pub(crate) const DRUG: Passage<'static> = Passage {
    section: "Velotril trial report > Results",
    text: "In the Velotril trial, 4,512 participants were followed for 3.5 years at 14 sites in Norway and Japan. Systolic pressure \
        decreased by 12 mmHg in the treated group. Velotril is not effective in all patients, and it has never been shown to \
        prevent stroke. Nausea occurred in 10–15 % of adults; 3 of them left the study. There was no evidence that a dose of \
        20 mg/day harmed the kidneys. The drug cost $2.4 million to develop, according to Dr. Ingrid Solberg of Oslo.",
};

pub(crate) const DAM: Passage<'static> = Passage {
    section: "Karun valley > Dam > Operation",
    text: "The Karun-3 dam is 205 m high and was completed in 2005. It stores 2.97 billion m³ of water and supplies 1,000 MW. \
        Between 2011-03-12 and 2011-04-02 the spillway was closed. Engineers from Zürich said “the risk is small”, and the \
        temperature of the lake never fell below -5 °C. Its flow rose from 10² to 10³ m³/s within 36 hours. Larger dams are older \
        than Karun-3 in Turkey. Only the eastern gate was opened in 2013.",
};

pub(crate) const PLANES: Passage<'static> = Passage {
    section: "Notes > Figures",
    text: "The A380 carries 525 people; the B747 carries 416. At 25 °C the yield was 80 %, at 35 °C it was 60 %. The company lost \
        $3 million in 2019 and gained $5 million in 2020. Of 200 patients, 120 improved and 80 worsened. The drug may reduce \
        fever, and is contraindicated in pregnancy. He denied that taxes rose in 2010. Once thought to cure colds, honey is food. \
        See [a report that it leans](http://x.org/it-does-not-lean) here. Is honey good for infants?\n\nNone of these helps:\n\
        - aspirin in adult patients\n- rest and sleep",
};
