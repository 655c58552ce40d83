//! Broken or hostile replies: seeded mutations of a good one.

use serde_json::{Value, json};

/// A seeded pseudo-random number generator (xorshift64*, Vigna 2016).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

/// Returns the body with parts of it truncated, flipped, doubled, removed, of another type or deeply nested.
pub(crate) fn mutated(body: &[u8], seed: u64) -> Vec<u8> {
    let mut chance = Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut bytes = body.to_vec();
    for _ in 0..=chance.below(3) {
        let (one, other) = (chance.below(bytes.len()), chance.below(bytes.len()));
        let (from, to) = (one.min(other), one.max(other));
        let to = to.min(from + 400);
        match chance.below(8) {
            0 => bytes.truncate(one),
            1 if !bytes.is_empty() => bytes[one] ^= 1 << chance.below(8),
            2 => {
                let piece = bytes[from..to].to_vec();
                bytes.splice(other..other, piece);
            }
            3 => {
                bytes.drain(from..to);
            }
            4 => {
                let nested = ["[", "{\"a\":", "["][chance.below(3)].repeat(chance.below(3_000));
                bytes.splice(one..one, nested.into_bytes());
            }
            _ => {
                if let Ok(mut value) = serde_json::from_slice::<Value>(&bytes) {
                    swap(&mut value, &mut chance);
                    bytes = value.to_string().into_bytes();
                }
            }
        }
    }
    bytes
}

/// Replaces one value within by something else.
fn swap(value: &mut Value, chance: &mut Chance) {
    let below = match value {
        Value::Array(items) if !items.is_empty() => {
            let place = chance.below(items.len());
            items.get_mut(place)
        }
        Value::Object(members) if !members.is_empty() => {
            let place = chance.below(members.len());
            members.values_mut().nth(place)
        }
        _ => None,
    };
    match below {
        Some(below) if chance.below(5) > 0 => swap(below, chance),
        _ => {
            let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
            let others = [
                Value::Null,
                json!(true),
                json!(-1),
                json!(1e300),
                json!(u64::MAX),
                json!(""),
                json!(" \u{0}\u{202e}< &#0; &amp;amp; <b"),
                json!("x".repeat(5_000)),
                json!("10.1000/é"),
                json!("https://[::1"),
                json!("9".repeat(40)),
                json!([]),
                json!({}),
                json!([null, [], {"name": 1}, "a"]),
                deep,
            ];
            *value = others[chance.below(others.len())].clone();
        }
    }
}
