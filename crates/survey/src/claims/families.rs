//! Families of words whose stems differ: easy, ease, easier.
//!
//! The stems of a word's forms mostly begin alike; these do not. Comparatives of words in -y go with them.

const FAMILIES: &[&[&str]] = &[
    &["easi", "eas", "easili", "easiest", "easier"],
    &["heard", "hear", "awar", "know", "known", "knew"],
    &["buy", "bought", "purchas"],
    &["spend", "spent"],
    &["choos", "chose", "chosen", "choic"],
];

/// Tells whether two stems are of one family.
pub(super) fn kin(one: &str, other: &str) -> bool {
    let bare = |stem: &str| -> String {
        let comparative = stem.strip_suffix("ier").or_else(|| stem.strip_suffix("iest"));
        comparative.map_or_else(|| stem.to_owned(), |root| format!("{root}i"))
    };
    let (one, other) = (bare(one), bare(other));
    one == other
        || FAMILIES
            .iter()
            .any(|family| family.contains(&one.as_str()) && family.contains(&other.as_str()))
}
