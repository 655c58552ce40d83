//! Vectors without a model: each word adds to a few numbers that its letters choose.

/// Returns a vector of `dimensions` numbers; texts that share words have similar vectors.
pub fn vector(text: &str, dimensions: usize) -> Vec<f32> {
    let mut vector = vec![0.0; dimensions];
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    for word in words {
        let mut hash = digest(word);
        for _ in 0..4 {
            let index = (hash >> 8) as usize % dimensions.max(1);
            if let Some(number) = vector.get_mut(index) {
                *number += if hash & 1 == 0 { 1.0 } else { -1.0 };
            }
            hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
        }
    }
    // A text without words still gets a non-zero vector.
    if let Some(first) = vector.first_mut() {
        *first += 0.01;
    }
    vector
}

/// FNV-1a of the lower-case letters.
fn digest(word: &str) -> u64 {
    word.to_lowercase().bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Returns the little-endian bytes of `vector` in base64.
pub(crate) fn base64(vector: &[f32]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0_u32, |group, byte| group << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for index in 0..4 {
            let letter = LETTERS[(group >> (18 - 6 * index) & 63) as usize];
            text.push(if index <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}
