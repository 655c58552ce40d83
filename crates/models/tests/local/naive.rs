//! BERT in plain loops over f64, one text at a time.

use run::embedding::Pooling;

use crate::tiny::{self, Tiny};

type Matrix = Vec<Vec<f64>>;

/// Returns the vectors that the model gives these texts behind that prefix.
pub(crate) fn vectors(tiny: &Tiny, texts: &[&str], prefix: &str) -> Vec<Vec<f64>> {
    texts.iter().map(|text| vector(tiny, &tiny::tokens(&format!("{prefix}{text}")))).collect()
}

fn vector(tiny: &Tiny, tokens: &[usize]) -> Vec<f64> {
    let bert = tiny.config["model_type"] == "bert";
    let first = if bert { 0 } else { tiny.size("pad_token_id") + 1 };
    let words = matrix(tiny, "embeddings.word_embeddings");
    let positions = matrix(tiny, "embeddings.position_embeddings");
    let kinds = matrix(tiny, "embeddings.token_type_embeddings");
    let mut rows: Matrix = tokens
        .iter()
        .enumerate()
        .map(|(index, token)| add(&add(&words[*token], &positions[first + index]), &kinds[0]))
        .map(|row| normalise(tiny, "embeddings.LayerNorm", &row))
        .collect();
    for layer in 0..tiny.size("num_hidden_layers") {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        let linear = |part: &str, rows: &Matrix| -> Matrix {
            let (weight, bias) = (matrix(tiny, &name(part)), numbers(tiny, &name(part), "bias"));
            rows.iter()
                .map(|row| {
                    let products = weight.iter().map(|weight| dot(weight, row));
                    products.zip(&bias).map(|(product, bias)| product + bias).collect()
                })
                .collect()
        };
        let queries = linear("attention.self.query", &rows);
        let keys = linear("attention.self.key", &rows);
        let values = linear("attention.self.value", &rows);
        let mixed = attend(&queries, &keys, &values, tiny.size("num_attention_heads"));
        let mixed = linear("attention.output.dense", &mixed);
        rows = sum_normalised(tiny, &name("attention.output.LayerNorm"), &rows, &mixed);
        let mut wide = linear("intermediate.dense", &rows);
        for x in wide.iter_mut().flatten() {
            *x = activate(tiny, *x);
        }
        let narrow = linear("output.dense", &wide);
        rows = sum_normalised(tiny, &name("output.LayerNorm"), &rows, &narrow);
    }
    let mut sum = match tiny.pooling {
        Some(Pooling::Cls) => rows[0].clone(),
        _ => rows.iter().skip(1).fold(rows[0].clone(), |sum, row| add(&sum, row)),
    };
    let length = dot(&sum, &sum).sqrt();
    sum.iter_mut().for_each(|x| *x /= length);
    sum
}

fn attend(queries: &Matrix, keys: &Matrix, values: &Matrix, heads: usize) -> Matrix {
    let hidden = queries[0].len();
    let size = hidden / heads;
    let mut mixed = vec![vec![0.0; hidden]; queries.len()];
    for (query, mixed) in queries.iter().zip(&mut mixed) {
        for head in 0..heads {
            let part = head * size..(head + 1) * size;
            let score = |key: &Vec<f64>| {
                dot(&query[part.clone()], &key[part.clone()]) / (size as f64).sqrt()
            };
            let weights: Vec<f64> = keys.iter().map(|key| score(key).exp()).collect();
            let all: f64 = weights.iter().sum();
            for (weight, value) in weights.iter().zip(values) {
                for (mixed, x) in mixed[part.clone()].iter_mut().zip(&value[part.clone()]) {
                    *mixed += weight / all * x;
                }
            }
        }
    }
    mixed
}

fn activate(tiny: &Tiny, x: f64) -> f64 {
    match tiny.config["hidden_act"].as_str().unwrap() {
        "relu" => x.max(0.0),
        "gelu_new" => {
            0.5 * x
                * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x.powi(3))).tanh())
        }
        _ => x * (0.5 + integral(x)),
    }
}

/// Returns the integral of the normal density from 0 to `x`, by Simpson's rule.
fn integral(x: f64) -> f64 {
    let density = |t: f64| (-t * t / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let (steps, x) = (400, x.clamp(-12.0, 12.0));
    let step = x / f64::from(steps);
    let inner: f64 =
        (1..steps).map(|n| density(f64::from(n) * step) * if n % 2 == 1 { 4.0 } else { 2.0 }).sum();
    (density(0.0) + inner + density(x)) * step / 3.0
}

fn sum_normalised(tiny: &Tiny, name: &str, left: &Matrix, right: &Matrix) -> Matrix {
    left.iter().zip(right).map(|(a, b)| normalise(tiny, name, &add(a, b))).collect()
}

fn normalise(tiny: &Tiny, name: &str, row: &[f64]) -> Vec<f64> {
    let count = row.len() as f64;
    let mean = row.iter().sum::<f64>() / count;
    let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
    let epsilon = tiny.config["layer_norm_eps"].as_f64().unwrap();
    let (weight, bias) = (numbers(tiny, name, "weight"), numbers(tiny, name, "bias"));
    let scaled = row.iter().map(|x| (x - mean) / (variance + epsilon).sqrt());
    scaled.zip(weight).zip(bias).map(|((x, weight), bias)| x * weight + bias).collect()
}

fn matrix(tiny: &Tiny, name: &str) -> Matrix {
    let columns = tiny.tensors[&format!("{name}.weight")].0[1];
    numbers(tiny, name, "weight").chunks(columns).map(<[f64]>::to_vec).collect()
}

fn numbers(tiny: &Tiny, name: &str, kind: &str) -> Vec<f64> {
    tiny.tensors[&format!("{name}.{kind}")].1.iter().map(|x| f64::from(*x)).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}
