//! Products with the weights of a model, and attention, which take nearly all the time.
//!
//! The weights are laid out once, in panels of as many columns as two registers hold. A tile of a few rows by one panel stays in
//! registers for the whole depth of the product. So what follows (bias, activation, residual) costs no further pass, and each number
//! is the same sum in the same order whatever the neighbouring rows: a text's vector does not depend on the other texts.

use std::array;

use pulp::{Arch, Simd, WithSimd};

use super::lanes::{self, Activation, Aligned};

/// Registers side by side in a panel.
const REGISTERS: usize = 2;
/// Rows that go through all panels together: they and a panel fit the second-level cache.
const BLOCK: usize = 96;

/// The matrix and bias of a linear layer.
pub(super) struct Linear {
    /// The number of columns in a panel.
    width: usize,
    inputs: usize,
    outputs: usize,
    /// Ordered by panel, input, column.
    panels: Aligned,
    /// One for each column of the panels; zero beyond `outputs`.
    bias: Aligned,
}

/// What happens to a product after the bias is added.
#[derive(Clone, Copy)]
pub(super) enum Then {
    Store,
    Add,
    Activate(Activation),
}

impl Linear {
    /// Lays out the parts of a layer, each a `weight` (outputs by `inputs`) and a `bias`, one below the other.
    pub(super) fn new(inputs: usize, parts: &[(Vec<f32>, Vec<f32>)]) -> Linear {
        Linear::in_panels(panel_width(), inputs, parts)
    }

    fn in_panels(width: usize, inputs: usize, parts: &[(Vec<f32>, Vec<f32>)]) -> Linear {
        let outputs: usize = parts.iter().map(|(_, bias)| bias.len()).sum();
        let columns = outputs.div_ceil(width) * width;
        let mut panels = Aligned::zeros(columns * inputs);
        let mut biases = Aligned::zeros(columns);
        let rows = parts
            .iter()
            .flat_map(|(weight, bias)| weight.chunks_exact(inputs.max(1)).zip(bias))
            .enumerate();
        for (output, (row, bias)) in rows {
            let panel = output / width * width * inputs + output % width;
            let column = panels.get_mut()[panel..].iter_mut().step_by(width);
            for (to, from) in column.zip(row) {
                *to = *from;
            }
            biases.get_mut()[output] = *bias;
        }
        Linear { width, inputs, outputs, panels, bias: biases }
    }

    pub(super) fn outputs(&self) -> usize {
        self.outputs
    }

    /// Writes the product of each row of `input` to the corresponding row of `output`.
    pub(super) fn apply(&self, input: &[f32], output: &mut [f32], then: Then) {
        let blocks = input.chunks(BLOCK * self.inputs).zip(output.chunks_mut(BLOCK * self.outputs));
        for (input, output) in blocks {
            Arch::new().dispatch(Product { linear: self, input, output, then });
        }
    }
}

/// Returns blocks of rows that are best taken through several layers together.
pub(super) fn blocks(rows: &mut [f32], width: usize) -> impl Iterator<Item = &mut [f32]> {
    rows.chunks_mut(BLOCK * width)
}

/// Returns the maximum number of rows in such a block.
pub(super) const fn block_rows() -> usize {
    BLOCK
}

fn panel_width() -> usize {
    struct Width;
    impl WithSimd for Width {
        type Output = usize;

        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) -> usize {
            REGISTERS * S::F32_LANES
        }
    }
    Arch::new().dispatch(Width)
}

type Tile<S, const ROWS: usize> = [[<S as Simd>::f32s; REGISTERS]; ROWS];

/// Returns the products of `rows` with the columns of `panel`.
#[inline(always)]
fn tile<S: Simd, const ROWS: usize>(simd: S, rows: [&[f32]; ROWS], panel: &[f32]) -> Tile<S, ROWS> {
    let panel = S::as_simd_f32s(panel).0.as_chunks::<REGISTERS>().0;
    // Slices of the panel's own depth let the compiler drop every check inside the loop.
    let rows: [&[f32]; ROWS] = array::from_fn(|row| &rows[row][..panel.len()]);
    let mut sums = [[simd.splat_f32s(0.0); REGISTERS]; ROWS];
    for (depth, columns) in panel.iter().enumerate() {
        for (row, sums) in rows.iter().zip(&mut sums) {
            let factor = simd.splat_f32s(row[depth]);
            for (sum, column) in sums.iter_mut().zip(columns) {
                *sum = simd.mul_add_e_f32s(factor, *column, *sum);
            }
        }
    }
    sums
}

/// Runs `$body` with `$rows` as the number of rows for which a tile fits the machine's registers.
macro_rules! by_registers {
    ($simd:ty, $rows:ident => $body:expr) => {
        match <$simd>::F32_LANES {
            16.. => {
                const $rows: usize = 8;
                $body
            }
            8 => {
                const $rows: usize = 6;
                $body
            }
            _ => {
                const $rows: usize = 4;
                $body
            }
        }
    };
}

struct Product<'a> {
    linear: &'a Linear,
    input: &'a [f32],
    output: &'a mut [f32],
    then: Then,
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        by_registers!(S, ROWS => self.run::<S, ROWS>(simd));
    }
}

impl Product<'_> {
    #[inline(always)]
    fn run<S: Simd, const ROWS: usize>(self, simd: S) {
        let Linear { width, inputs, outputs, panels, bias } = self.linear;
        let (width, inputs, outputs) = (*width, *inputs, *outputs);
        let rows = self.input.len() / inputs;
        let panels = panels.get().chunks_exact(width * inputs).zip(bias.get().chunks_exact(width));
        for (index, (panel, bias)) in panels.enumerate() {
            let bias = S::as_simd_f32s(bias).0;
            let column = index * width;
            let columns = width.min(outputs - column);
            for first in (0..rows).step_by(ROWS) {
                // Rows past the last repeat the last row and are not stored.
                let given = array::from_fn(|row| {
                    &self.input[(first + row).min(rows - 1) * inputs..][..inputs]
                });
                let sums = tile::<S, ROWS>(simd, given, panel);
                for (row, sums) in (first..rows).zip(sums) {
                    let output = &mut self.output[row * outputs + column..][..columns];
                    for ((output, sum), bias) in output.chunks_mut(S::F32_LANES).zip(sums).zip(bias)
                    {
                        put(simd, output, simd.add_f32s(sum, *bias), self.then);
                    }
                }
            }
        }
    }
}

/// Stores numbers in their `place`, which has room for at most one register's worth.
///
/// `then` is not a closure: a closure that the compiler does not inline is compiled for the
/// oldest machine, and gelu was twenty times slower that way.
#[inline(always)]
fn put<S: Simd>(simd: S, place: &mut [f32], numbers: S::f32s, then: Then) {
    if let ([whole], _) = S::as_mut_simd_f32s(place) {
        *whole = become_of(simd, numbers, *whole, then);
    } else {
        let old = simd.partial_load_f32s(place);
        simd.partial_store_f32s(place, become_of(simd, numbers, old, then));
    }
}

#[inline(always)]
fn become_of<S: Simd>(simd: S, new: S::f32s, old: S::f32s, then: Then) -> S::f32s {
    match then {
        Then::Store => new,
        Then::Add => simd.add_f32s(new, old),
        Then::Activate(activation) => activation.of(simd, new),
    }
}

/// Computes attention among the tokens of one text (Vaswani et al. 2017, arXiv:1706.03762, 3.2).
pub(super) struct Attend<'a> {
    /// Query, key and value of each token, `3 * hidden` wide.
    pub(super) given: &'a [f32],
    /// One row of `hidden` numbers for each token.
    pub(super) output: &'a mut [f32],
    pub(super) hidden: usize,
    pub(super) heads: usize,
    pub(super) room: &'a mut Room,
}

/// Scratch space for one head of one text, reused between texts.
#[derive(Default)]
pub(super) struct Room {
    keys: Aligned,
    values: Aligned,
    scores: Aligned,
}

impl WithSimd for Attend<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        by_registers!(S, ROWS => self.run::<S, ROWS>(simd));
    }
}

impl Attend<'_> {
    #[inline(always)]
    fn run<S: Simd, const ROWS: usize>(self, simd: S) {
        let Attend { given, output, hidden, heads, room } = self;
        let width = REGISTERS * S::F32_LANES;
        let size = hidden / heads;
        let tokens = given.len() / (3 * hidden);
        let padded = tokens.div_ceil(width) * width;
        let value_panels = size.div_ceil(width);
        room.keys.reserve(padded * size);
        room.values.reserve(value_panels * tokens * width);
        room.scores.reserve(ROWS * padded);
        let keys = &mut room.keys.get_mut()[..padded * size];
        let values = &mut room.values.get_mut()[..value_panels * tokens * width];
        let scores = &mut room.scores.get_mut()[..ROWS * padded];
        keys.fill(0.0);
        values.fill(0.0);
        let scale = std::f32::consts::LOG2_E / (size as f32).sqrt();
        for head in 0..heads {
            let token = |row: usize| &given[row * 3 * hidden..][..3 * hidden];
            for row in 0..tokens {
                let key = &token(row)[hidden + head * size..][..size];
                let column = keys[row / width * width * size + row % width..].iter_mut();
                for (to, from) in column.step_by(width).zip(key) {
                    *to = *from;
                }
                let value = &token(row)[2 * hidden + head * size..][..size];
                for (panel, part) in value.chunks(width).enumerate() {
                    values[(panel * tokens + row) * width..][..part.len()].copy_from_slice(part);
                }
            }
            for first in (0..tokens).step_by(ROWS) {
                let queries = array::from_fn(|row| {
                    &token((first + row).min(tokens - 1))[head * size..][..size]
                });
                for (index, panel) in keys.chunks_exact(width * size).enumerate() {
                    let sums = tile::<S, ROWS>(simd, queries, panel);
                    for (row, sums) in scores.chunks_exact_mut(padded).zip(sums) {
                        let place = S::as_mut_simd_f32s(&mut row[index * width..][..width]).0;
                        for (place, sum) in place.iter_mut().zip(sums) {
                            *place = sum;
                        }
                    }
                }
                let mut shares = [0.0; ROWS];
                for (row, share) in scores.chunks_exact_mut(padded).zip(&mut shares) {
                    row[tokens..].fill(f32::NEG_INFINITY);
                    *share = 1.0 / lanes::weigh(simd, row, scale);
                }
                let weights = array::from_fn(|row| &scores[row * padded..][..tokens]);
                for (index, panel) in values.chunks_exact(width * tokens).enumerate() {
                    let sums = tile::<S, ROWS>(simd, weights, panel);
                    let column = index * width;
                    let columns = width.min(size - column);
                    for ((row, sums), share) in (first..tokens).zip(sums).zip(shares) {
                        let share = simd.splat_f32s(share);
                        let place = row * hidden + head * size + column;
                        let place = output[place..][..columns].chunks_mut(S::F32_LANES);
                        for (place, sum) in place.zip(sums) {
                            put(simd, place, simd.mul_f32s(sum, share), Then::Store);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use pulp::Scalar;

    use super::*;

    /// Returns pseudo-random numbers between -0.5 and 0.5.
    fn numbers(count: usize, salt: usize) -> Vec<f32> {
        let number = |n: usize| ((n * 7919 + salt * 104_729) % 1009) as f32 / 1009.0 - 0.5;
        (0..count).map(number).collect()
    }

    fn near(got: &[f32], right: impl Iterator<Item = f64>) {
        let mut count = 0;
        for (got, right) in got.iter().zip(right) {
            assert!((f64::from(*got) - right).abs() < 1e-5, "{got} instead of {right}");
            count += 1;
        }
        assert_eq!(count, got.len());
    }

    fn products<S: Simd>(simd: S) {
        for (rows, inputs, outputs) in [(1, 1, 1), (5, 3, 31), (8, 40, 32), (13, 33, 70)] {
            let (input, old) = (numbers(rows * inputs, 1), numbers(rows * outputs, 2));
            let (weight, bias) = (numbers(inputs * outputs, 3), numbers(outputs, 4));
            let parts = [(weight.clone(), bias.clone())];
            let linear = Linear::in_panels(REGISTERS * S::F32_LANES, inputs, &parts);
            for then in [Then::Store, Then::Add, Then::Activate(Activation::Relu)] {
                let mut output = old.clone();
                let product = Product { linear: &linear, input: &input, output: &mut output, then };
                simd.vectorize(product);
                let right = (0..rows * outputs).map(|place| {
                    let (row, column) = (place / outputs, place % outputs);
                    let sum: f64 = (0..inputs)
                        .map(|n| {
                            f64::from(input[row * inputs + n])
                                * f64::from(weight[column * inputs + n])
                        })
                        .sum();
                    let sum = sum + f64::from(bias[column]);
                    match then {
                        Then::Store => sum,
                        Then::Add => sum + f64::from(old[place]),
                        Then::Activate(_) => sum.max(0.0),
                    }
                });
                near(&output, right);
            }
        }
    }

    fn attention<S: Simd>(simd: S) {
        let mut room = Room::default();
        // The longest first, so that the room holds leftover data for the others.
        for (tokens, hidden, heads) in [(70, 66, 2), (1, 4, 1), (9, 32, 1), (33, 15, 5)] {
            let given = numbers(tokens * 3 * hidden, tokens);
            let mut output = vec![9.0; tokens * hidden];
            let attend =
                Attend { given: &given, output: &mut output, hidden, heads, room: &mut room };
            simd.vectorize(attend);
            let size = hidden / heads;
            let at = |row: usize, column: usize| f64::from(given[row * 3 * hidden + column]);
            let right = (0..tokens * hidden).map(|place| {
                let (row, column) = (place / hidden, place % hidden);
                let head = column / size * size;
                let score = |key: usize| -> f64 {
                    let products = (head..head + size).map(|n| at(row, n) * at(key, hidden + n));
                    (products.sum::<f64>() / (size as f64).sqrt()).exp()
                };
                let all: f64 = (0..tokens).map(score).sum();
                (0..tokens).map(|key| score(key) / all * at(key, 2 * hidden + column)).sum()
            });
            near(&output, right);
        }
    }

    #[test]
    fn products_and_attention_are_right_on_every_kind_of_register_this_machine_has() {
        products(Scalar);
        attention(Scalar);
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(simd) = pulp::x86::V3::try_new() {
                products(simd);
                attention(simd);
            }
            if let Some(simd) = pulp::x86::V4::try_new() {
                products(simd);
                attention(simd);
            }
        }
        #[cfg(target_arch = "aarch64")]
        if let Some(simd) = pulp::aarch64::Neon::try_new() {
            products(simd);
            attention(simd);
        }
    }
}
