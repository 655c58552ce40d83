//! The hot loops.
//!
//! They are written so that the compiler vectorizes them, once for each kind of processor; the version to run is chosen at the call.
//! All versions give the same numbers.

use multiversion::multiversion;

#[inline(always)]
fn dot(query: &[i8], code: &[i8]) -> i32 {
    query.iter().zip(code).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

/// Writes the dot products of `query` with the rows of `codes` to `found`.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma+bmi1+bmi2+popcnt",
    "x86_64+avx2+fma+bmi1+bmi2+popcnt",
))]
pub(super) fn dots(query: &[i8], codes: &[i8], found: &mut [i32]) {
    for (found, code) in found.iter_mut().zip(codes.chunks_exact(query.len().max(1))) {
        *found = dot(query, code);
    }
}

/// Writes the dot products of `query` with the rows of `codes` at `positions` to `found`.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma+bmi1+bmi2+popcnt",
    "x86_64+avx2+fma+bmi1+bmi2+popcnt",
))]
pub(super) fn dots_at(query: &[i8], codes: &[i8], positions: &[u32], found: &mut [i32]) {
    for (found, position) in found.iter_mut().zip(positions) {
        let start = *position as usize * query.len();
        *found = dot(query, codes.get(start..start + query.len()).unwrap_or_default());
    }
}

/// Returns the dot product. It adds sixteen partial sums in a fixed order.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma+bmi1+bmi2+popcnt",
    "x86_64+avx2+fma+bmi1+bmi2+popcnt",
))]
pub(super) fn dot_f32(a: &[f32], b: &[f32]) -> f32 {
    let (a, a_rest) = a.as_chunks::<16>();
    let (b, b_rest) = b.as_chunks::<16>();
    let mut sums = [0.0; 16];
    for (a, b) in a.iter().zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

#[inline(always)]
fn differing<'a>(
    a: impl IntoIterator<Item = &'a u64>,
    b: impl IntoIterator<Item = &'a u64>,
) -> u16 {
    a.into_iter().zip(b).map(|(a, b)| (a ^ b).count_ones() as u16).sum()
}

#[inline(always)]
fn differing_of<const WORDS: usize>(query: &[u64], sketches: &[u64], found: &mut [u16]) {
    let (Some(query), _) = query.split_first_chunk::<WORDS>().unzip() else { return };
    for (found, sketch) in found.iter_mut().zip(sketches.as_chunks::<WORDS>().0) {
        *found = differing(query, sketch);
    }
}

/// Writes to `found` in how many bits `query` differs from each of the `sketches`.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx512vpopcntdq+avx2+fma+bmi1+bmi2+popcnt",
    "x86_64+avx2+fma+bmi1+bmi2+popcnt",
))]
pub(super) fn differences(query: &[u64], sketches: &[u64], found: &mut [u16]) {
    // The compiler knows the lengths of common vectors (384, 512, 768, 1,024): twice as fast.
    match query.len() {
        6 => differing_of::<6>(query, sketches, found),
        8 => differing_of::<8>(query, sketches, found),
        12 => differing_of::<12>(query, sketches, found),
        16 => differing_of::<16>(query, sketches, found),
        words => {
            for (found, sketch) in found.iter_mut().zip(sketches.chunks_exact(words.max(1))) {
                *found = differing(query, sketch);
            }
        }
    }
}

/// Writes the positions of the values up to `limit` to `found`, which needs room for one more than there are.
pub(super) fn passing(values: &[u16], limit: u16, found: &mut [u32]) {
    let mut count = 0;
    for (position, value) in values.iter().enumerate() {
        // Write always and keep only what counts: a branch would be mispredicted too often.
        if let Some(place) = found.get_mut(count) {
            *place = position as u32;
        }
        count += usize::from(*value <= limit);
    }
}
