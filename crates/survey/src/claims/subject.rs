//! A sentence is about the question of its figures, and names what they are of.
//!
//! - It shares a word with the question, its answers or its id, and no other question of the project has more of its words.
//! - It names every segment of its figures, each answer where they are not points of a scale, and no segment, study or answer that no figure is of.
//! - A figure of a study before the latest is said to be of that study.

use std::collections::{BTreeMap, BTreeSet};

use super::mentions::Mention;
use super::parts::{Dimension, Measured, key};
use super::sentence::{Sentence, everybody};
use super::tokens::{Token, akin, tokens};
use crate::expression::Unit;
use crate::figure::Measure;
use crate::project::Project;
use crate::study::{Kind, Question};

/// Words that say nothing of what a sentence is about: those of grammar, and those of anybody who reports a survey.
const PLAIN: &str = " a an the and or but nor so yet of in on at by to for from with without within into onto over under above below between among amongst across per \
than then that this these those there here it its they them their we our us you your yours i he she his her who whom whose which what when where how why \
is are was were be been being am has have had do does did will would can could may might shall should must not no nor only just even also still again already \
as if while whereas although though however meanwhile overall both each every all any some most more less least many much few fewer several other others another same \
say says said saying state states stated report reports reported reporting show shows showed shown indicate indicates indicated give gives gave given giving \
tell tells told mention mentions mentioned mentioning name names named naming cite cites cited citing choose chose chosen select selected selecting answer answers answered \
respond responds respondents respondent participants participant people persons person adults adult customers customer consumers consumer sample survey surveys study studies \
wave waves tracker data figure figures result results finding findings share shares proportion percentage percent per cent point points level levels score scores scored scoring \
rate rates rating ratings rated mean median average averages averaged standard deviation base bases weighted unweighted effective confidence interall interval margin error \
significant significantly significance statistically statistical difference differences different differ differs differed gap gaps compared comparison compare relative versus vs against \
higher highest lower lowest high low greater greatest larger largest smaller smallest bigger biggest top bottom box lead leads leading led ahead behind trail trails lag lags \
rose risen rise rises rising increase increased increases increasing grew grown grow grows growing growth climb climbs climbed gain gains gained improve improved improvement jumped jump \
fell fallen fall falls falling decline declined declines declining decrease decreased decreases drop dropped drops slipped down up change changed changes unchanged stable steady flat \
double doubled doubles twice triple tripled half halved third quarter times time stand stands standing stood stay stayed stays remain remains remained reach reaches reached reaching hold holds held \
come comes came coming go goes went going move moves moved now currently latest last previous prior earlier later first second since year years month months week today \
around about roughly approximately nearly almost exactly well far slightly somewhat clearly markedly notably strongly considerably sharply directionally respectively \
group groups segment segments subgroup subgroups category categories part parts one two three four five six seven eight nine ten twelve majority minority follow followed follows following \
common commonly often frequently frequent popular reason reasons option options list rank ranks ranked place puts put make makes made women men woman man females males female male \
asked asking ask question questions total everyone everybody nobody none like net combined together either altogether count counts counted account accounts accounted accounting \
n p vs set note noted get gets got found find finds see sees saw seen seem appears appear turn turns turned overall least say ci nps promoter promoters detractors index \
aged age ages old older younger young region regions gender genders users user way ways further farther contrast instead similar similarly alike equal equally par term terms case cases \
directional pattern lies lie sit sits range ranges ranging plus minus new record fully quite rather very too as such because due driven drives caused cause \
respectively show report recorded record records post posts posted register registers registered put express expressed express expresses describe describes describe agree consider \
widest narrow wide slim large small vast overwhelming clear strong stronger weak weaker good better best worse worst big little bit sizeable substantial \
outnumber exceed exceeds exceeded outperform outscore outscores short degree degrees olds living live lives extent more than equals equal corresponds translates amounts amount represents representing representative ";

fn topical(stems: &[Token]) -> BTreeSet<String> {
    let words = stems.iter().filter(|token| token.is_word() && token.word.len() > 2);
    words.filter(|token| !plain(&token.word)).map(|token| token.stem.clone()).collect()
}

pub(super) fn plain(word: &str) -> bool {
    PLAIN.contains(&format!(" {word} "))
}

fn topic(question: &Question) -> BTreeSet<String> {
    let mut stems = topical(&tokens(&question.text));
    stems.extend(question.answers.iter().flat_map(|answer| topical(&tokens(&answer.label))));
    stems.extend(question.nets.iter().flat_map(|net| topical(&tokens(&net.label))));
    stems.extend(question.grid.iter().flat_map(|grid| topical(&tokens(&grid.text))));
    stems.insert(question.id.to_lowercase());
    stems
}

/// The stems of the words of the figures' questions.
pub(super) fn asked_words(parts: &[Measured<'_>]) -> BTreeSet<String> {
    let words = parts.iter().flat_map(|part| tokens(&part.question.text));
    words.map(|token| token.stem).collect()
}

/// Names of questions by the words that one has and the others lack.
pub(super) fn distinctive(
    parts: &[Measured<'_>],
    tokens: &[Token],
    named: &[bool],
) -> Vec<Mention> {
    let topics: BTreeMap<String, BTreeSet<String>> =
        parts.iter().map(|part| (part.question.id.to_lowercase(), topic(part.question))).collect();
    let mut mentions = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if named.get(at).copied().unwrap_or_default() || !token.is_word() || plain(&token.word) {
            continue;
        }
        let of: Vec<&String> = topics
            .iter()
            .filter(|(_, topic)| topic.iter().any(|known| akin(known, &token.stem)))
            .map(|(id, _)| id)
            .collect();
        if let [id] = of.as_slice() {
            mentions.push(Mention {
                from: at,
                to: at + 1,
                means: BTreeMap::from([(Dimension::Question, BTreeSet::from([(*id).clone()]))]),
                joint: false,
                quoted: false,
                told: token.word.clone(),
            });
        }
    }
    mentions
}

/// Appends what is wrong with what the sentence is about.
pub(super) fn check(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    about(sentence, faults);
    named_and_used(sentence, faults);
    used_and_named(sentence, faults);
    unknown_ids(sentence.project, &sentence.tokens, &sentence.named, faults);
}

fn about(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    let label_of = |at: usize, dimension: &Dimension| {
        let mut over = sentence.mentions.iter().filter(|one| (one.from..one.to).contains(&at));
        over.any(|one| one.means.contains_key(dimension))
    };
    let words: Vec<&Token> = sentence
        .tokens
        .iter()
        .enumerate()
        .filter(|(at, token)| {
            let free = sentence.free(*at)
                || label_of(*at, &Dimension::Answers)
                || label_of(*at, &Dimension::Question);
            token.is_word() && free
        })
        .map(|(_, token)| token)
        .collect();
    let shared = |topic: &BTreeSet<String>| -> usize {
        let stems: BTreeSet<&String> = words.iter().map(|token| &token.stem).collect();
        stems.into_iter().filter(|stem| topic.iter().any(|known| akin(known, stem))).count()
    };
    let mut topics: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for part in &sentence.parts {
        let own = topics.entry(part.question.id.as_str()).or_insert_with(|| topic(part.question));
        if part.part.unit == Unit::Nps {
            own.extend(["nps", "promot", "net", "detractor", "advoc"].map(str::to_owned));
        }
    }
    let all: BTreeSet<String> = topics.values().flatten().cloned().collect();
    let unknown: BTreeSet<&str> = words
        .iter()
        .filter(|token| token.word.len() > 2 && !plain(&token.word))
        .filter(|token| !all.iter().any(|known| akin(known, &token.stem)))
        .map(|token| token.word.as_str())
        .collect();
    for (id, topic) in &topics {
        let own = shared(topic);
        let question = sentence.parts.iter().find(|part| part.question.id == *id);
        let text = question.map(|part| part.question.text.as_str()).unwrap_or_default();
        let net_promoter = topic.contains("promot")
            && sentence.tokens.iter().any(|one| one.is(&["nps", "promoter", "promoters"]));
        if net_promoter {
            continue;
        }
        if own == 0 {
            faults.push(format!("the sentence is not about {id} ('{text}'): use its words."));
            continue;
        }
        // Answers are a list: however many are named, they speak of one thing.
        let text_words = topical(&tokens(text));
        let from_text = shared(&text_words);
        let own_words = from_text + usize::from(own > from_text);
        if unknown.len() >= 2 && unknown.len() >= 2 * own_words {
            let words: Vec<&str> = unknown.iter().copied().collect();
            faults.push(format!(
                "the sentence speaks of what {id} ('{text}') does not ask: {}; keep to the words of the question.",
                words.join(", ")
            ));
        }
        let others = sentence.project.studies.iter().flat_map(|study| &study.questions);
        let rival = others.filter(|other| !topics.contains_key(other.id.as_str())).find(|other| {
            let theirs: BTreeSet<String> =
                topical(&tokens(&other.text)).difference(&all).cloned().collect();
            shared(&theirs) > own
        });
        if let Some(rival) = rival {
            faults.push(format!(
                "the sentence is about {} ('{}'), and its figures are of {id}: give the figures of that question, or use the words of this one.",
                rival.id, rival.text
            ));
        }
    }
}

/// What is named must be used.
fn named_and_used(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    let shares: Vec<&Measured<'_>> = sentence
        .parts
        .iter()
        .filter(|part| matches!(part.asked.spec.measure, Measure::Share(_)))
        .collect();
    for mention in sentence.mentions.iter().filter(|mention| !mention.quoted) {
        let used = mention.means.iter().any(|(dimension, labels)| match dimension {
            Dimension::Answers if shares.is_empty() => true,
            Dimension::Segment(_) if everybody(labels) => true,
            _ => sentence
                .parts
                .iter()
                .any(|part| part.of.get(dimension).is_some_and(|own| !own.is_disjoint(labels))),
        });
        if used {
            continue;
        }
        if mention.means.contains_key(&Dimension::Answers) && passing(sentence, mention) {
            continue;
        }
        let what = match mention.means.keys().next() {
            Some(Dimension::Study) => "study",
            Some(Dimension::Segment(_)) => "segment",
            Some(Dimension::Answers) => "answer",
            Some(Dimension::Question) | None => "question",
        };
        faults.push(format!(
            "the {what} '{}' is named, and no figure is of it: give its figure, or leave it out.",
            mention.told
        ));
    }
}

/// A word that is an answer's label, in passing: "how satisfied", "more satisfied", or a word of the question itself.
fn passing(sentence: &Sentence<'_>, mention: &Mention) -> bool {
    if mention.joint || mention.to - mention.from > 1 {
        return false;
    }
    let before = sentence.back(mention.from, 1);
    let degree = matches!(
        before,
        "how"
            | "more"
            | "less"
            | "most"
            | "least"
            | "as"
            | "significantly"
            | "equally"
            | "similarly"
    );
    let stem =
        sentence.tokens.get(mention.from).map(|token| token.stem.as_str()).unwrap_or_default();
    let asked = sentence.parts.iter().any(|part| {
        part.question.kind != Kind::Scale
            && tokens(&part.question.text).iter().any(|token| token.stem == stem)
    });
    degree || asked
}

/// What is used must be named.
fn used_and_named(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    let says = |dimension: &Dimension, labels: &BTreeSet<String>| {
        sentence
            .mentions
            .iter()
            .any(|one| one.means.get(dimension).is_some_and(|own| !own.is_disjoint(labels)))
    };
    let mut missing: BTreeSet<String> = BTreeSet::new();
    let latest = sentence.project.studies.last().map(|study| study.id.as_str());
    let studies = sentence.labels(&Dimension::Study);
    let words = ["waves", "wave", "since", "previous", "year", "time", "trend"];
    let in_time = sentence.tokens.iter().any(|token| token.is(&words)) && sentence.order.len() > 1;
    let from_to =
        sentence.order.len() > 1 && sentence.tokens.iter().any(|token| token.is(&["from"]));
    for part in &sentence.parts {
        for (dimension, labels) in &part.of {
            match dimension {
                Dimension::Segment(_) if everybody(labels) => {
                    let alone = !sentence.varying.contains(dimension);
                    if !alone && !says(dimension, labels) {
                        missing.insert("everybody: say 'overall' with its figure".to_owned());
                    }
                }
                Dimension::Segment(_) => {
                    for label in labels {
                        if !says(dimension, &BTreeSet::from([label.clone()])) {
                            missing.insert(part.part.segment.join(", "));
                        }
                    }
                }
                Dimension::Study => {
                    let one = sentence.order.len() == 1;
                    let old = Some(part.study.id.as_str()) != latest;
                    let known = !studies.at.is_empty() || in_time || from_to;
                    if (one && old && !says(dimension, labels)) || (!one && !known) {
                        missing.insert(format!("study {}", part.study.id));
                    }
                }
                Dimension::Answers => answers(sentence, part, &mut missing),
                Dimension::Question => {}
            }
        }
    }
    for one in missing {
        faults.push(format!("the sentence does not name what a figure is of: {one}."));
    }
}

/// The answers of a share are named: all, or their net or box; of a scale, the weakest one of a box will do.
fn answers(sentence: &Sentence<'_>, part: &Measured<'_>, missing: &mut BTreeSet<String>) {
    let Some(own) = part.of.get(&Dimension::Answers) else { return };
    let joint =
        sentence.mentions.iter().filter(|mention| mention.joint).any(|mention| {
            mention.means.get(&Dimension::Answers).is_some_and(|labels| labels == own)
        });
    if joint {
        return;
    }
    let single = sentence.mentions.iter().filter(|mention| !mention.joint);
    let told: BTreeSet<&String> = single
        .filter_map(|mention| mention.means.get(&Dimension::Answers))
        .flatten()
        .filter(|label| own.contains(*label))
        .collect();
    let of_another = |label: &String| {
        sentence.parts.iter().any(|other| {
            other
                .of
                .get(&Dimension::Answers)
                .is_some_and(|labels| labels.len() == 1 && labels.contains(label))
        })
    };
    if part.question.kind == Kind::Scale {
        let weakest = weakest(part);
        let extremes = !told.is_empty() && told.len() < own.len();
        // "Rather or very likely" says both.
        let both = weakest.as_ref().is_some_and(|label| {
            let said: BTreeSet<&str> = told.iter().flat_map(|one| one.split(' ')).collect();
            let mut own = label.split(' ').filter(|stem| !said.contains(stem)).peekable();
            own.peek().is_some()
                && own.all(|stem| sentence.tokens.iter().any(|token| token.stem == stem))
        });
        if extremes
            && !both
            && !weakest.is_some_and(|label| told.contains(&label))
            && !told.iter().all(|label| of_another(label))
        {
            missing.insert(format!(
                "{}, not {} alone",
                part.part.answers.join(" or "),
                told.into_iter().cloned().collect::<Vec<_>>().join(" or ")
            ));
        }
        return;
    }
    let words: Vec<&str> = sentence.tokens.iter().map(|token| token.stem.as_str()).collect();
    for label in &part.part.answers {
        let stems = topical(&tokens(label));
        let short = stems.is_empty();
        let said = short
            || told.contains(&key(label))
            || stems.iter().any(|stem| words.iter().any(|word| akin(stem, word)));
        if !said {
            missing.insert(format!("the answer '{label}'"));
        }
    }
}

/// The answer of a box that is nearest to the middle of the scale.
fn weakest(part: &Measured<'_>) -> Option<String> {
    let Measure::Share(places) = &part.asked.spec.measure else { return None };
    let scores = part.question.answers.iter().filter_map(|answer| answer.score);
    let (least, most) = scores.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), score| {
        (least.min(score), most.max(score))
    });
    let middle = f64::midpoint(least, most);
    let answers = places.iter().filter_map(|place| part.question.answers.get(*place));
    let far = |score: Option<f64>| score.map_or(f64::INFINITY, |score| (score - middle).abs());
    let nearest = answers.min_by(|one, other| far(one.score).total_cmp(&far(other.score)))?;
    Some(key(&nearest.label))
}

/// What looks like the id of a question or a study must be one.
pub(super) fn unknown_ids(
    project: &Project,
    tokens: &[Token],
    named: &[bool],
    faults: &mut Vec<String>,
) {
    let known = |word: &str| {
        project.studies.iter().any(|study| {
            study.id.eq_ignore_ascii_case(word)
                || study.question(word).is_some()
                || study.column(word).is_some()
                || study
                    .questions
                    .iter()
                    .flat_map(|one| &one.answers)
                    .any(|one| one.code.eq_ignore_ascii_case(word))
        })
    };
    for (at, token) in tokens.iter().enumerate() {
        if named.get(at).copied().unwrap_or_default() || !token.is_word() {
            continue;
        }
        let letters = token.word.chars().take_while(|sign| sign.is_alphabetic()).count();
        let rest: String = token.word.chars().skip(letters).collect();
        let id = (1..=3).contains(&letters)
            && rest.chars().next().is_some_and(|sign| sign.is_ascii_digit())
            && rest.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_');
        if id && !known(&token.word) {
            faults.push(format!(
                "there is no question or study '{}': name one that the project has.",
                token.word
            ));
        }
        let next = tokens.get(at + 1).filter(|next| next.number().is_some());
        if let Some(next) = next
            && token.is(&["wave", "question"])
            && !named.get(at + 1).copied().unwrap_or_default()
            && !known(&format!("q{}", next.word))
            && !known(&next.word)
        {
            faults.push(format!(
                "there is no {} {}: name one that the project has.",
                token.word, next.word
            ));
        }
    }
}
