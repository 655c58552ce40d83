use rand_core::Rng;

use super::*;

fn units(rows: &[&[Option<u8>]]) -> Vec<Unit> {
    let width = rows.iter().map(|row| row.len()).max().unwrap_or_default();
    (0..width)
        .map(|at| {
            let said = rows.iter().filter_map(|row| row.get(at).copied().flatten());
            Unit { case: at.to_string(), said: said.map(|value| vec![f64::from(value)]).collect() }
        })
        .collect()
}

/// The four observers and twelve units of Krippendorff's guide (2011), section C, with values missing.
fn guide() -> Vec<Unit> {
    let row = |text: &str| -> Vec<Option<u8>> {
        text.chars().map(|c| c.to_digit(10).map(|digit| digit as u8)).collect()
    };
    let rows = ["1233214 12...", "1233224 125.3", ".3332342251.", "1233244 1251."];
    let rows = rows.map(|text| row(&text.replace(' ', "")));
    units(&rows.each_ref().map(Vec::as_slice))
}

// proves: A8
#[test]
fn alpha_is_that_of_krippendorffs_guide() {
    let rounded = |level| alpha(&guide(), level).map(|alpha| (alpha * 1000.0).round() / 1000.0);
    assert_eq!(rounded(Level::Nominal), Some(0.743));
    assert_eq!(rounded(Level::Interval), Some(0.849));
}

#[test]
fn alpha_is_1_for_agreement_none_for_sameness_and_below_0_for_contradiction() {
    let of = |rows: &[&[Option<u8>]], level| alpha(&units(rows), level);
    for level in [Level::Nominal, Level::Interval] {
        assert_eq!(
            of(&[&[Some(1), Some(2), Some(1)], &[Some(1), Some(2), Some(1)]], level),
            Some(1.0)
        );
        assert_eq!(of(&[&[Some(3), Some(3)], &[Some(3), Some(3)]], level), None);
        assert_eq!(of(&[&[Some(3), None], &[None, Some(2)]], level), None);
        assert!(of(&[&[Some(1), Some(2)], &[Some(2), Some(1)]], level).unwrap() < 0.0);
    }
}

#[test]
fn values_of_one_set_are_not_compared_with_each_other() {
    let unit = |case: &str, first: &[f64], last: &[f64]| Unit {
        case: case.into(),
        said: vec![first.to_vec(), last.to_vec()],
    };
    let echo = [unit("a", &[1.0, 1.0], &[-1.0, -1.0]), unit("b", &[-1.0, -1.0], &[1.0, 1.0])];
    assert!(alpha(&echo, Level::Nominal).unwrap() < -0.5);
}

struct Random(Pcg64);

impl Random {
    fn share(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        bootstrap::lot(&mut self.0, n)
    }
}

/// The parts of a judge's prompt on which its answer may depend.
struct Prompt<'p> {
    case: usize,
    /// The quality of the answers shown, 1 to 5, in their order; one or two.
    answers: &'p [f64],
    round: u32,
    /// Differs in every evaluation.
    salt: u64,
}

/// Returns a score for one answer, or the position of the better one of two: 0, 1, or 2 for a tie.
type Judge = fn(&Prompt<'_>, &mut Random) -> usize;

/// The quality of the answers of an arm and of the control, 1 to 5.
type Qualities = fn(&mut Random) -> [f64; 2];

fn any(random: &mut Random) -> [f64; 2] {
    [1.0 + random.below(5) as f64, 1.0 + random.below(5) as f64]
}

/// The arm is better in every case.
fn one_sided(random: &mut Random) -> [f64; 2] {
    [4.0 + random.below(2) as f64, 1.0 + random.below(3) as f64]
}

/// Returns all judgements of an evaluation.
fn judged(
    judge: Judge,
    qualities: Qualities,
    cases: usize,
    rounds: u32,
    random: &mut Random,
) -> (Vec<Scored>, Vec<JudgedPair>) {
    let (mut scores, mut pairs) = (Vec::new(), Vec::new());
    let salt = random.0.next_u64();
    for case in 0..cases {
        let [arm, control] = qualities(random);
        for round in 1..=rounds {
            for (name, quality) in [("rag", arm), ("direct", control)] {
                let score =
                    judge(&Prompt { case, answers: &[quality], round, salt }, random) as f64;
                scores.push(Scored {
                    case: case.to_string(),
                    arm: name.into(),
                    round,
                    scores: BTreeMap::from([("correctness".into(), score)]),
                    run: String::new(),
                });
            }
            for arm_first in [true, false] {
                let answers = if arm_first { [arm, control] } else { [control, arm] };
                let place = judge(&Prompt { case, answers: &answers, round, salt }, random);
                pairs.push(JudgedPair {
                    case: case.to_string(),
                    arm: "rag".into(),
                    against: "direct".into(),
                    round,
                    arm_first,
                    preferred: [Preference::First, Preference::Second, Preference::Tie][place],
                    run: String::new(),
                });
            }
        }
    }
    (scores, pairs)
}

/// Returns how many of 400 evaluations call a judge noise: by scores and preferences together, and by either alone.
fn called_noise(judge: Judge, qualities: Qualities, cases: usize, rounds: u32) -> [usize; 3] {
    let mut random = Random(Pcg64::seed_from_u64(cases as u64 * 7 + u64::from(rounds)));
    let mut noise = [0; 3];
    for _ in 0..400 {
        let (scores, pairs) = judged(judge, qualities, cases, rounds, &mut random);
        let (scores, preferences) = (of_scores(&scores), of_preferences(&pairs));
        let first = first_preferred(&pairs);
        let verdicts = [
            verdict(scores.as_ref(), preferences.as_ref(), first.as_ref()),
            verdict(scores.as_ref(), None, None),
            verdict(None, preferences.as_ref(), first.as_ref()),
        ];
        for (count, (_, is_noise)) in noise.iter_mut().zip(verdicts) {
            *count += usize::from(is_noise);
        }
    }
    noise
}

/// Judges by quality nine times out of ten, and at random otherwise.
fn decent(prompt: &Prompt<'_>, random: &mut Random) -> usize {
    let strays = random.share() < 0.1;
    match prompt.answers {
        [quality] if !strays => *quality as usize,
        [_] => 1 + random.below(5),
        _ if strays => random.below(3),
        [one, other] if one > other => 0,
        [one, other] if one < other => 1,
        _ => 2,
    }
}

fn coin(prompt: &Prompt<'_>, random: &mut Random) -> usize {
    if prompt.answers.len() == 1 { 1 + random.below(5) } else { random.below(2) }
}

/// Answers by a digest of the prompt: the same for the same prompt, regardless of the answers.
fn hashing(prompt: &Prompt<'_>, _: &mut Random) -> usize {
    let Prompt { case, answers, round, salt } = prompt;
    let words = [*case as f64, f64::from(*round), *salt as f64];
    let digest = bootstrap::seed(&[&words[..], answers].concat()) as usize;
    if answers.len() == 1 { 1 + digest % 5 } else { digest % 2 }
}

/// Like `hashing`, but ignores the round: it repeats itself to the letter.
fn echo(prompt: &Prompt<'_>, random: &mut Random) -> usize {
    hashing(&Prompt { round: 1, ..*prompt }, random)
}

/// Scores like a decent judge, and prefers the answer shown first nine times out of ten.
fn first(prompt: &Prompt<'_>, random: &mut Random) -> usize {
    if prompt.answers.len() == 1 {
        return decent(prompt, random);
    }
    usize::from(random.share() < 0.1)
}

fn constant(prompt: &Prompt<'_>, _: &mut Random) -> usize {
    if prompt.answers.len() == 1 { 4 } else { 2 }
}

fn always_first(prompt: &Prompt<'_>, random: &mut Random) -> usize {
    if prompt.answers.len() == 1 { decent(prompt, random) } else { 0 }
}

fn is_noise(judge: Judge, qualities: Qualities) -> usize {
    called_noise(judge, qualities, 15, 2)[0]
}

// proves: A8
#[test]
fn a_judge_that_tosses_a_coin_or_says_always_the_same_is_called_noise() {
    for (name, judge) in [("coin", coin as Judge), ("constant", constant)] {
        let noise = is_noise(judge, any);
        assert!(noise >= 380, "{name}: {noise} of 400");
    }
}

// proves: A8
#[test]
fn a_judge_that_says_what_a_digest_says_is_called_noise() {
    let noise = is_noise(hashing, any);
    assert!(noise >= 380, "{noise} of 400");
}

// proves: A8
#[test]
fn a_judge_that_goes_by_the_order_is_called_noise_and_told_so() {
    let noise = is_noise(first, any);
    assert!(noise >= 380, "{noise} of 400");
    let mut random = Random(Pcg64::seed_from_u64(1));
    let (scores, pairs) = judged(always_first, any, 15, 2, &mut random);
    let (told, noise) = verdict(
        of_scores(&scores).as_ref(),
        of_preferences(&pairs).as_ref(),
        first_preferred(&pairs).as_ref(),
    );
    assert!(noise && told.contains("the order in which two answers are shown decides which one it prefers (the first in 100 %"), "{told}");
}

// proves: A8
#[test]
fn a_decent_judge_is_not_called_noise() {
    for (name, qualities) in [("any", any as Qualities), ("one-sided", one_sided)] {
        let noise = is_noise(decent, qualities);
        assert!(noise <= 20, "{name}: {noise} of 400");
    }
}

#[test]
#[ignore = "minutes of simulation"]
fn how_often_which_judge_is_called_noise() {
    for (name, judge) in [
        ("coin", coin as Judge),
        ("hashing", hashing),
        ("echo", echo),
        ("first", first),
        ("always first", always_first),
        ("constant", constant),
        ("decent", decent),
    ] {
        for (cases, rounds) in [(6, 2), (10, 2), (15, 2), (15, 1), (40, 1), (40, 2)] {
            let [both, scores, preferences] = called_noise(judge, any, cases, rounds);
            println!(
                "{name:14} {cases:2} cases, {rounds} rounds: {both} of 400; scores alone {scores}, preferences alone {preferences}"
            );
        }
    }
}

#[test]
fn what_nobody_can_know_is_not_told_from_noise() {
    let mut random = Random(Pcg64::seed_from_u64(2));
    let (scores, pairs) = judged(decent, any, 1, 1, &mut random);
    assert_eq!(of_scores(&scores), None, "judged once");
    let (told, noise) = verdict(None, None, None);
    assert!(noise && told.starts_with("Nothing was judged twice"), "{told}");
    let once: Vec<JudgedPair> = pairs.iter().take(1).cloned().collect();
    assert_eq!(of_preferences(&once), None, "one order alone");

    let (scores, _) = judged(decent, any, 4, 3, &mut random);
    let few = of_scores(&scores).unwrap();
    assert_eq!((few.low, few.high, few.units), (-1.0, 1.0, 8));
    let (told, noise) = verdict(Some(&few), None, None);
    assert!(noise && told.contains("from 8 answers only, too few to say more"), "{told}");
}

#[test]
fn the_same_judgements_in_any_order_come_to_the_same() {
    let mut random = Random(Pcg64::seed_from_u64(3));
    let (mut scores, mut pairs) = judged(decent, any, 9, 2, &mut random);
    let all = |scores: &[Scored], pairs: &[JudgedPair]| {
        (of_scores(scores), of_preferences(pairs), first_preferred(pairs))
    };
    let was = all(&scores, &pairs);
    scores.reverse();
    pairs.reverse();
    let is = all(&scores, &pairs);
    assert_eq!(was.2, is.2);
    for (was, is) in [(was.0, is.0), (was.1, is.1)] {
        let (was, is) = (was.unwrap(), is.unwrap());
        for (one, other) in
            [(was.low, is.low), (was.high, is.high), (was.alpha.unwrap(), is.alpha.unwrap())]
        {
            assert!((one - other).abs() < 1e-9, "{was:?} {is:?}");
        }
    }
}
