use super::*;
use proptest::prelude::*;

fn rules(measure: Choice) -> Rules {
    Rules { measure, shingles_threshold: 0.5, embeddings_threshold: 0.8 }
}

fn strings<const N: usize>(list: [&str; N]) -> Vec<String> {
    list.map(str::to_owned).to_vec()
}

// proves: H4
#[test]
fn pairs_that_are_too_close_are_named_closest_first() {
    let ids = strings(["H1", "H2", "H3", "H4"]);
    let texts = strings([
        "Gulls feed when the tide exposes mussels.",
        "Gulls feed when the tide exposes the mussels and crabs.",
        "Light at night draws insects to the nests.",
        "Gulls feed when the tides exposed mussels.",
    ]);
    let found = measured("critic", &ids, &texts, None, &rules(Choice::Embeddings));
    let pairs: Vec<(&str, &str)> = found
        .too_close
        .iter()
        .map(|pair| (pair.hypothesis_a_id.as_str(), pair.hypothesis_b_id.as_str()))
        .collect();
    assert_eq!(pairs, [("H1", "H4"), ("H1", "H2"), ("H2", "H4")]);
    assert_eq!(
        (found.stage.as_str(), found.measure, found.highest),
        ("critic", Measure::Shingles, 1.0)
    );
    assert!(!found.retried);
    assert_eq!(
        told(&found).lines().next(),
        Some("- H1 and H4 say nearly the same: similarity 1.00, and it must stay below 0.50")
    );
    assert_eq!(told(&found).lines().count(), 3);
    let alone = measured("critic", &ids[2..3], &texts[2..3], None, &rules(Choice::Embeddings));
    assert_eq!((alone.highest, told(&alone).as_str()), (0.0, ""));
}

// proves: H4
#[test]
fn cosines_are_compared_where_there_are_any_that_fit() {
    let ids = strings(["H1", "H2", "H3"]);
    let texts = strings(["one", "two", "three"]);
    let cosines = [vec![1.0, 0.9, -0.4], vec![0.9, 1.0, 0.1], vec![-0.4, 0.1, 1.0]];
    let found = measured("ranker", &ids, &texts, Some(&cosines), &rules(Choice::Embeddings));
    assert_eq!((found.measure, found.threshold), (Measure::Embeddings, 0.8));
    assert_eq!((found.too_close.len(), found.highest), (1, 0.9));
    for rows in [&cosines[..2], &[vec![1.0], vec![1.0, 0.0], vec![1.0]], &[vec![], vec![], vec![]]]
    {
        let found = measured("ranker", &ids, &texts, Some(rows), &rules(Choice::Embeddings));
        assert_eq!(found.measure, Measure::Shingles, "cosines that do not fit are not compared");
    }
    let found = measured("ranker", &ids, &texts, Some(&cosines), &rules(Choice::Shingles));
    assert_eq!(found.measure, Measure::Shingles);
}

/// Twelve hypotheses on four questions, each with a rewording.
const HYPOTHESES: &str = include_str!("hypotheses.txt");

// proves: H4
#[test]
fn rewordings_are_told_from_other_mechanisms_on_the_same_question() {
    const THRESHOLD: f64 = 0.30;
    let (mut found, mut reworded, mut overlooked, mut pairs) = (0, 0, 0, 0);
    for question in HYPOTHESES.split("\n\n").skip(1) {
        let lines: Vec<(&str, &str)> =
            question.lines().filter_map(|line| line.split_once(' ')).collect();
        for pair in lines.chunks(2) {
            let close = similarity(pair[0].1, pair[1].1) >= THRESHOLD;
            if pair[1].0 == "~" {
                reworded += 1;
                found += u32::from(close);
            } else {
                overlooked += u32::from(!close);
            }
        }
        for (index, one) in lines.iter().enumerate() {
            for other in lines.iter().skip(index / 2 * 2 + 2) {
                pairs += 1;
                let similar = similarity(one.1, other.1);
                assert!(similar < THRESHOLD - 0.1, "{similar}: {} / {}", one.1, other.1);
            }
        }
    }
    assert_eq!((found, reworded, pairs), (8, 8, 48));
    assert_eq!(overlooked, 4, "words cannot tell a hypothesis that shares none with its rewording");
}

proptest! {
    #[test]
    fn similarity_is_bounded_and_symmetric(one in "(?s)([a-e ]{0,20}|.{0,20})", other in "(?s)([a-e ]{0,20}|.{0,20})") {
        let similar = similarity(&one, &other);
        prop_assert!((0.0..=1.0).contains(&similar));
        prop_assert_eq!(similar, similarity(&other, &one));
        let same = similarity(&one, &one);
        prop_assert!(same == 0.0 || (same - 1.0).abs() < 1e-12);
    }

    #[test]
    fn other_names_and_another_order_change_no_similarity(texts in proptest::collection::vec("[a-d ]{0,16}", 2..6)) {
        let ids: Vec<String> = (0..texts.len()).map(|index| format!("H{index}")).collect();
        let pairs = |ids: &[String], texts: &[String]| {
            let found = measured("x", ids, texts, None, &rules(Choice::Embeddings));
            let mut pairs: Vec<(String, String, u64)> = found
                .too_close
                .into_iter()
                .map(|pair| {
                    let (a, b) = (pair.hypothesis_a_id, pair.hypothesis_b_id);
                    (a.clone().min(b.clone()), a.max(b), pair.similarity.to_bits())
                })
                .collect();
            pairs.sort();
            (pairs, found.highest.to_bits())
        };
        let (mut turned_ids, mut turned) = (ids.clone(), texts.clone());
        turned_ids.reverse();
        turned.reverse();
        prop_assert_eq!(pairs(&ids, &texts), pairs(&turned_ids, &turned));
    }
}
