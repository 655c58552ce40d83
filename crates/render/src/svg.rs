//! How broad text is in a picture, roughly, in any font.

/// Returns as much of a text as there is room for, in heights of a letter; what is cut short ends in an ellipsis.
pub fn fitted(whole: &str, room: f64) -> String {
    let mut taken = 0.0;
    for (at, letter) in whole.char_indices() {
        taken += breadth(letter);
        if taken > room {
            // The last one goes too, to make room for the dots.
            let mut kept: Vec<char> = whole.get(..at).unwrap_or_default().chars().collect();
            let mut freed = 0.0;
            while let Some(last) = kept.last() {
                if freed >= 1.0 && !last.is_whitespace() {
                    break;
                }
                freed += breadth(*last);
                kept.pop();
            }
            return kept.into_iter().chain(['…']).collect();
        }
    }
    whole.to_owned()
}

/// Returns about how broad a letter is at most, in heights of a letter.
pub fn breadth(letter: char) -> f64 {
    match letter {
        'i' | 'j' | 'l' | 't' | 'f' | 'r' | ' ' | '.' | ',' | '\'' | ':' | ';' | '|' | '!' => 0.4,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 1.0,
        'A'..='Z' => 0.76,
        ' '..='~' => 0.62,
        '\u{300}'..='\u{36f}' => 0.0,
        '\u{a0}'..='\u{5ff}' => 0.9,
        _ => 1.1,
    }
}
