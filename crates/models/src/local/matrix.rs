//! Products with the weights of a model, and attention: where nearly all the time goes.
//!
//! The weights are laid out once, in panels of as many columns as two registers hold. A tile of a few rows by
//! one panel stays in registers for the whole depth of the product, so that what follows (bias, activation,
//! residual) costs no further pass, and each number is the same sum in the same order whatever stands beside
//! it: a text's vector does not depend on its company.

use std::array;

use pulp::{Arch, Simd, WithSimd};

use super::lanes::{self, Activation, Aligned};

/// Registers side by side in a panel.
const REGISTERS: usize = 2;
/// Rows that go through all panels together: they and a panel fit the second-level cache.
const BLOCK: usize = 96;

/// The matrix of a linear layer, and what is added to its product.
pub(super) struct Linear {
    /// Columns of one panel.
    width: usize,
    inputs: usize,
    outputs: usize,
    /// Panel, input, column.
    panels: Aligned,
    /// One for each column of the panels, those past `outputs` zero.
    bias: Aligned,
}

/// What becomes of a product, the bias added.
#[derive(Clone, Copy)]
pub(super) enum Then {
    Store,
    Add,
    Activate(Activation),
}

impl Linear {
    /// Lays out parts of `weight` (outputs by `inputs`) and `bias`, which stand below each other.
    pub(super) fn new(inputs: usize, parts: &[(Vec<f32>, Vec<f32>)]) -> Linear {
        let width = panel_width();
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

    /// Writes the product of each row of `input` into the row of `output`.
    pub(super) fn apply(&self, input: &[f32], output: &mut [f32], then: Then) {
        let blocks = input.chunks(BLOCK * self.inputs).zip(output.chunks_mut(BLOCK * self.outputs));
        for (input, output) in blocks {
            Arch::new().dispatch(Product { linear: self, input, output, then });
        }
    }
}

/// Calls `visit` for blocks of rows that are best taken through several layers together.
pub(super) fn blocks(rows: &mut [f32], width: usize) -> impl Iterator<Item = &mut [f32]> {
    rows.chunks_mut(BLOCK * width)
}

/// The rows that such a block has at most.
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
    // Slices of the panel's own depth: the compiler drops every check inside the loop.
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
        match self.then {
            Then::Store => self.each::<S, ROWS>(simd, |product, _| product),
            Then::Add => self.each::<S, ROWS>(simd, |product, old| simd.add_f32s(product, old)),
            Then::Activate(Activation::Gelu) => {
                self.each::<S, ROWS>(simd, |product, _| Activation::Gelu.of(simd, product));
            }
            Then::Activate(activation) => {
                self.each::<S, ROWS>(simd, |product, _| activation.of(simd, product));
            }
        }
    }

    #[inline(always)]
    fn each<S: Simd, const ROWS: usize>(
        self,
        simd: S,
        finish: impl Fn(S::f32s, S::f32s) -> S::f32s,
    ) {
        let Linear { width, inputs, outputs, panels, bias } = self.linear;
        let (width, inputs, outputs) = (*width, *inputs, *outputs);
        let rows = self.input.len() / inputs;
        let panels = panels.get().chunks_exact(width * inputs).zip(bias.get().chunks_exact(width));
        for (index, (panel, bias)) in panels.enumerate() {
            let bias = S::as_simd_f32s(bias).0;
            let column = index * width;
            let columns = width.min(outputs - column);
            for first in (0..rows).step_by(ROWS) {
                // Past the last row the last one is computed again, and not stored.
                let given = array::from_fn(|row| {
                    &self.input[(first + row).min(rows - 1) * inputs..][..inputs]
                });
                let sums = tile::<S, ROWS>(simd, given, panel);
                for (row, sums) in (first..rows).zip(sums) {
                    let output = &mut self.output[row * outputs + column..][..columns];
                    for ((output, sum), bias) in output.chunks_mut(S::F32_LANES).zip(sums).zip(bias)
                    {
                        let sum = simd.add_f32s(sum, *bias);
                        update(simd, output, |old| finish(sum, old));
                    }
                }
            }
        }
    }
}

/// Replaces what stands in `place`, at most one register's worth.
#[inline(always)]
fn update<S: Simd>(simd: S, place: &mut [f32], new: impl FnOnce(S::f32s) -> S::f32s) {
    match S::as_mut_simd_f32s(place) {
        ([whole], _) => *whole = new(*whole),
        (_, part) => {
            let old = simd.partial_load_f32s(part);
            simd.partial_store_f32s(part, new(old));
        }
    }
}

/// Lets the tokens of one text look at each other (Vaswani et al. 2017, arXiv:1706.03762, 3.2).
pub(super) struct Attend<'a> {
    /// Query, key and value of each token, `3 * hidden` wide.
    pub(super) given: &'a [f32],
    /// One row of `hidden` numbers for each token.
    pub(super) output: &'a mut [f32],
    pub(super) hidden: usize,
    pub(super) heads: usize,
    pub(super) room: &'a mut Room,
}

/// Room for one head of one text; kept from text to text.
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
                            update(simd, place, |_| simd.mul_f32s(sum, share));
                        }
                    }
                }
            }
        }
    }
}
