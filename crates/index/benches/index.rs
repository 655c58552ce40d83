//! The loops of the in-memory indexes: `cargo bench -p index`.

use divan::{Bencher, black_box};
use index::{Dense, Feedback, IndexError, Lexical, RRF_K, Scratch, fuse, rm3};

const DIMENSIONS: usize = 384;

fn main() {
    divan::main();
}

/// Numbers that look like chance and are the same each time.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }

    /// -1 to 1.
    fn number(&mut self) -> f32 {
        (self.next() as f64 / (1u64 << 52) as f64 - 1.0) as f32
    }

    fn unit(&mut self) -> Vec<f32> {
        let vector: Vec<f32> = (0..DIMENSIONS).map(|_| self.number()).collect();
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        vector.into_iter().map(|value| value / length).collect()
    }

    /// A word whose rank is drawn so that few words stand nearly everywhere and most are rare.
    fn word(&mut self) -> String {
        let share = self.next() as f64 / (1u64 << 53) as f64;
        format!("w{}", (30_000f64.powf(share)) as u64)
    }

    fn text(&mut self, words: usize) -> String {
        (0..words).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }
}

#[divan::bench(args = [10_000, 100_000])]
fn dense(bencher: Bencher, rows: i64) {
    let mut chance = Chance(1);
    let vectors: Vec<Vec<f32>> = (0..rows).map(|_| chance.unit()).collect();
    let index = (0..).zip(&vectors).map(|(id, vector)| (id, 0, vector));
    let index = Dense::build(DIMENSIONS, index).expect("all have one length");
    let query = chance.unit();
    bencher.bench_local(|| {
        let exact = |ids: &[i64]| {
            Ok::<_, IndexError>(ids.iter().map(|id| vectors[*id as usize].clone()).collect())
        };
        index.search(black_box(&query), 10, |_| true, exact)
    });
}

#[divan::bench(args = [10_000, 100_000])]
fn lexical(bencher: Bencher, rows: i64) {
    let mut chance = Chance(2);
    let index = Lexical::build((0..rows).map(|id| (id, 0, chance.text(100))));
    let query: Vec<(String, f32)> = (0..8).map(|_| (chance.word(), 1.0)).collect();
    let mut scratch = Scratch::default();
    bencher.bench_local(|| index.search(black_box(&query), 10, |_| true, &mut scratch));
}

#[divan::bench]
fn relevance_feedback(bencher: Bencher) {
    let mut chance = Chance(3);
    let texts: Vec<String> = (0..10).map(|_| chance.text(100)).collect();
    let documents: Vec<(f64, &str)> =
        texts.iter().enumerate().map(|(rank, text)| (20.0 - rank as f64, text.as_str())).collect();
    let terms: Vec<(String, f32)> = (0..8).map(|_| (chance.word(), 1.0)).collect();
    let feedback = Feedback::default();
    let common = |words: &[&str]| words.iter().map(|word| *word == "w1").collect();
    bencher.bench_local(|| rm3(black_box(&terms), &documents, &feedback, common));
}

#[divan::bench]
fn fusion(bencher: Bencher) {
    let mut chance = Chance(4);
    let mut ranking = || (0..100).map(|_| (chance.next() % 100_000) as i64).collect::<Vec<i64>>();
    let (first, second) = (ranking(), ranking());
    bencher.bench_local(|| fuse(black_box(&[&first, &second]), RRF_K, 100));
}
