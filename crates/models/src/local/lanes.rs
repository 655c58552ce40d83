//! Vectorised functions: the steps between the matrix products of a model.
//!
//! Each uses the machine's widest registers, detected at run time.

use pulp::{Simd, WithSimd};

/// Floats aligned to a cache line, so that no wide load straddles two.
#[derive(Default)]
pub(super) struct Aligned {
    floats: Vec<f32>,
    start: usize,
    len: usize,
}

const LINE_BYTES: usize = 64;
const LINE: usize = LINE_BYTES / size_of::<f32>();

impl Aligned {
    /// Returns `len` zeros.
    pub(super) fn zeros(len: usize) -> Aligned {
        let floats = vec![0.0; len + LINE];
        let past = floats.as_ptr().addr() % LINE_BYTES / size_of::<f32>();
        Aligned { start: (LINE - past) % LINE, floats, len }
    }

    /// Makes room for at least `len` numbers; the contents may be lost.
    pub(super) fn reserve(&mut self, len: usize) {
        if self.len < len {
            *self = Aligned::zeros(len);
        }
    }

    pub(super) fn get(&self) -> &[f32] {
        &self.floats[self.start..][..self.len]
    }

    pub(super) fn get_mut(&mut self) -> &mut [f32] {
        &mut self.floats[self.start..][..self.len]
    }
}

/// The activation function of a model's feed-forward layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Activation {
    Gelu,
    /// Gelu in its tanh approximation.
    GeluTanh,
    Relu,
}

impl Activation {
    #[inline(always)]
    pub(super) fn of<S: Simd>(self, simd: S, x: S::f32s) -> S::f32s {
        match self {
            Activation::Gelu => gelu(simd, x),
            Activation::GeluTanh => gelu_tanh(simd, x),
            Activation::Relu => simd.max_f32s(x, simd.splat_f32s(0.0)),
        }
    }
}

/// Returns 2 to the power `x`, to about one part in 10⁷, but never less than 2⁻¹²⁶.
///
/// The polynomial is the minimax fit of 2^r over -0.5..0.5 with constant term 1.
#[inline(always)]
pub(super) fn exp2<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    /// Added to a number below 2²², it leaves the nearest integer in the low bits.
    const SHIFTER: f32 = 12_582_912.0;
    const POLYNOMIAL: [f32; 6] = [
        1.535_336_2e-4,
        1.339_887_5e-3,
        9.618_437e-3,
        5.550_332_4e-2,
        2.402_264_8e-1,
        std::f32::consts::LN_2,
    ];
    let x = simd.max_f32s(x, simd.splat_f32s(-126.0));
    let x = simd.min_f32s(x, simd.splat_f32s(127.0));
    let shifted = simd.add_f32s(x, simd.splat_f32s(SHIFTER));
    let rest = simd.sub_f32s(x, simd.sub_f32s(shifted, simd.splat_f32s(SHIFTER)));
    let power = polynomial(simd, rest, POLYNOMIAL);
    let power = simd.mul_add_e_f32s(power, rest, simd.splat_f32s(1.0));
    let exponent =
        simd.wrapping_dyn_shl_u32s(simd.transmute_u32s_f32s(shifted), simd.splat_u32s(23));
    let scale = simd.add_u32s(exponent, simd.splat_u32s(1.0_f32.to_bits()));
    simd.mul_f32s(power, simd.transmute_f32s_u32s(scale))
}

/// Returns the value at `x` of the polynomial with these coefficients, highest degree first.
#[inline(always)]
fn polynomial<S: Simd, const N: usize>(simd: S, x: S::f32s, coefficients: [f32; N]) -> S::f32s {
    let mut value = simd.splat_f32s(0.0);
    for coefficient in coefficients {
        value = simd.mul_add_e_f32s(value, x, simd.splat_f32s(coefficient));
    }
    value
}

/// Returns x Φ(x), the Gaussian error linear unit (Hendrycks and Gimpel 2016, arXiv:1606.08415), to 10⁻⁷.
///
/// x Φ(x) = max(x, 0) - |x| Φ(-|x|), and Φ(-a) = 2^(a P(a) - 1) with P the minimax fit over 0..6. Beyond 6
/// the last term is under 10⁻⁸.
#[inline(always)]
fn gelu<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    const POLYNOMIAL: [f32; 8] = [
        -1.902_065_8e-6,
        2.805_694_4e-5,
        -1.314_732_4e-4,
        -2.720_756_7e-4,
        7.245_421e-3,
        -5.262_761e-2,
        -4.591_621_5e-1,
        -1.151_111,
    ];
    let size = simd.min_f32s(simd.abs_f32s(x), simd.splat_f32s(6.0));
    let power = polynomial(simd, size, POLYNOMIAL);
    let tail = exp2(simd, simd.mul_add_e_f32s(power, size, simd.splat_f32s(-1.0)));
    simd.sub_f32s(simd.max_f32s(x, simd.splat_f32s(0.0)), simd.mul_f32s(size, tail))
}

/// Returns x σ(2u), u = √(2/π) (x + 0.044715 x³): the tanh form of gelu from the same paper.
#[inline(always)]
fn gelu_tanh<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    /// -2 √(2/π) log₂ e
    const SCALE: f32 = -2.302_208_2;
    let size = simd.abs_f32s(x);
    let square = simd.mul_f32s(x, x);
    let cubic = simd.mul_add_e_f32s(square, simd.splat_f32s(0.044_715), simd.splat_f32s(1.0));
    let power = exp2(simd, simd.mul_f32s(simd.mul_f32s(size, cubic), simd.splat_f32s(SCALE)));
    let tail = simd.div_f32s(
        simd.mul_f32s(simd.min_f32s(size, simd.splat_f32s(16.0)), power),
        simd.add_f32s(power, simd.splat_f32s(1.0)),
    );
    simd.sub_f32s(simd.max_f32s(x, simd.splat_f32s(0.0)), tail)
}

/// Turns scores into weights 2^((score - highest) `scale`) and returns their sum. `scores` fills whole registers.
#[inline(always)]
pub(super) fn weigh<S: Simd>(simd: S, scores: &mut [f32], scale: f32) -> f32 {
    let scores = S::as_mut_simd_f32s(scores).0;
    let mut highest = simd.splat_f32s(f32::NEG_INFINITY);
    for score in scores.iter() {
        highest = simd.max_f32s(highest, *score);
    }
    let highest = simd.splat_f32s(simd.reduce_max_f32s(highest));
    let scale = simd.splat_f32s(scale);
    let mut sum = simd.splat_f32s(0.0);
    for score in scores {
        *score = exp2(simd, simd.mul_f32s(simd.sub_f32s(*score, highest), scale));
        sum = simd.add_f32s(sum, *score);
    }
    simd.reduce_sum_f32s(sum)
}

/// Normalises each row to mean 0 and variance 1, then scales and shifts it.
pub(super) struct Normalise<'a> {
    pub(super) rows: &'a mut [f32],
    pub(super) norm: &'a Norm,
}

/// The scale and shift of a layer normalisation (Ba, Kiros and Hinton 2016, arXiv:1607.06450).
pub(super) struct Norm {
    pub(super) weight: Vec<f32>,
    pub(super) bias: Vec<f32>,
    pub(super) epsilon: f32,
}

impl WithSimd for Normalise<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Norm { weight, bias, epsilon } = self.norm;
        let width = weight.len();
        let (weights, weight_tail) = S::as_simd_f32s(weight);
        let (biases, bias_tail) = S::as_simd_f32s(bias);
        for row in self.rows.chunks_exact_mut(width) {
            let (row, tail) = S::as_mut_simd_f32s(row);
            let mut sum = simd.splat_f32s(0.0);
            for x in row.iter() {
                sum = simd.add_f32s(sum, *x);
            }
            let sum = simd.reduce_sum_f32s(sum) + tail.iter().sum::<f32>();
            let mean = sum / width as f32;
            let means = simd.splat_f32s(mean);
            let mut squares = simd.splat_f32s(0.0);
            for x in row.iter_mut() {
                *x = simd.sub_f32s(*x, means);
                squares = simd.mul_add_e_f32s(*x, *x, squares);
            }
            let mut square = simd.reduce_sum_f32s(squares);
            for x in tail.iter_mut() {
                *x -= mean;
                square += *x * *x;
            }
            let scale = 1.0 / (square / width as f32 + epsilon).sqrt();
            let scales = simd.splat_f32s(scale);
            for ((x, weight), bias) in row.iter_mut().zip(weights).zip(biases) {
                *x = simd.mul_add_e_f32s(simd.mul_f32s(*x, scales), *weight, *bias);
            }
            for ((x, weight), bias) in tail.iter_mut().zip(weight_tail).zip(bias_tail) {
                *x = *x * scale * weight + bias;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pulp::{Arch, Scalar};

    struct Map<'a>(&'a mut [f32], Activation);

    impl WithSimd for Map<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            for x in S::as_mut_simd_f32s(self.0).0 {
                *x = self.1.of(simd, *x);
            }
        }
    }

    struct Weigh<'a>(&'a mut [f32]);

    impl WithSimd for Weigh<'_> {
        type Output = f32;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> f32 {
            weigh(simd, self.0, 0.5)
        }
    }

    /// Computes erf by its series, or far out by its continued fraction (Abramowitz and Stegun 7.1.5, 7.1.14).
    fn phi(x: f64) -> f64 {
        let z = x.abs() / 2f64.sqrt();
        let tail = if z < 2.5 {
            let (mut term, mut sum) = (z, z);
            for n in 1..200 {
                term *= -z * z / f64::from(n);
                sum += term / f64::from(2 * n + 1);
            }
            1.0 - sum * 2.0 / std::f64::consts::PI.sqrt()
        } else {
            let fraction = (1..=60).rev().fold(z, |below, n| z + f64::from(n) / 2.0 / below);
            (-z * z).exp() / std::f64::consts::PI.sqrt() / fraction
        };
        if x < 0.0 { tail / 2.0 } else { 1.0 - tail / 2.0 }
    }

    #[test]
    fn the_activations_agree_with_their_formulas_to_a_millionth() {
        let xs: Vec<f32> = (-20_000..20_000).map(|n| n as f32 / 1000.0).collect();
        let tanh = |x: f64| {
            let u = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x.powi(3));
            0.5 * x * (1.0 + u.tanh())
        };
        for (activation, formula) in [
            (Activation::Gelu, &(|x: f64| x * phi(x)) as &dyn Fn(f64) -> f64),
            (Activation::GeluTanh, &tanh),
            (Activation::Relu, &|x| x.max(0.0)),
        ] {
            let (mut wide, mut narrow) = (xs.clone(), xs.clone());
            Arch::new().dispatch(Map(&mut wide, activation));
            Scalar.vectorize(Map(&mut narrow, activation));
            for ((x, wide), narrow) in xs.iter().zip(&wide).zip(&narrow) {
                let exact = formula(f64::from(*x));
                let close = |y: f32| (f64::from(y) - exact).abs() < 2e-7 * (1.0 + exact.abs());
                assert!(
                    close(*wide) && close(*narrow),
                    "{activation:?} {x}: {wide} {narrow} {exact}"
                );
            }
        }
    }

    #[test]
    fn weights_of_scores_are_their_exponentials() {
        let mut scores: Vec<f32> = (0..64).map(|n| (n * 37 % 64) as f32 - 100.0).collect();
        scores[3] = f32::NEG_INFINITY;
        let before = scores.clone();
        let highest = before.iter().fold(f32::NEG_INFINITY, |a, b| a.max(*b));
        let sum = Arch::new().dispatch(Weigh(&mut scores));
        let mut exact = 0.0;
        for (score, weight) in before.iter().zip(&scores) {
            let right = ((f64::from(*score) - f64::from(highest)) * 0.5).exp2();
            assert!((f64::from(*weight) - right).abs() < 1e-6 * right + 1e-30, "{score} {weight}");
            exact += right;
        }
        assert!((f64::from(sum) - exact).abs() < 1e-5);
    }
}
