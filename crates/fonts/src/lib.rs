//! The typefaces that reports and charts are set in, as font files in memory. Nothing else is needed: no font of the system is looked for.
//!
//! Libertinus Serif is for text, DejaVu Sans for charts and for characters that the other two lack, DejaVu Sans Mono for code. All three
//! may be embedded and passed on; the texts of their licences are in `crates/fonts/licences`.
//!
//! ```
//! assert!(fonts::ALL.iter().all(|file| file.starts_with(b"OTTO") || file.starts_with(&[0, 1, 0, 0])));
//! ```
//!
//! Latin, Greek and Cyrillic are covered in full by each, Hebrew and Arabic in part, by DejaVu Sans alone for Armenian and Georgian. Chinese,
//! Japanese, Korean, the scripts of India and colour emoji are missing.

/// The family that text is set in.
pub const SERIF_FAMILY: &str = "Libertinus Serif";
/// The family for charts, and for what the other families lack.
pub const SANS_FAMILY: &str = "DejaVu Sans";
/// The family for code.
pub const MONO_FAMILY: &str = "DejaVu Sans Mono";

// A constant would be copied into every crate that names it, and into the program as often.
pub static SERIF: &[u8] = include_bytes!("../files/LibertinusSerif-Regular.otf");
pub static SERIF_BOLD: &[u8] = include_bytes!("../files/LibertinusSerif-Bold.otf");
pub static SERIF_ITALIC: &[u8] = include_bytes!("../files/LibertinusSerif-Italic.otf");
pub static SERIF_BOLD_ITALIC: &[u8] = include_bytes!("../files/LibertinusSerif-BoldItalic.otf");
pub static SANS: &[u8] = include_bytes!("../files/DejaVuSans.ttf");
pub static SANS_BOLD: &[u8] = include_bytes!("../files/DejaVuSans-Bold.ttf");
pub static MONO: &[u8] = include_bytes!("../files/DejaVuSansMono.ttf");

/// Every font file.
pub static ALL: [&[u8]; 7] =
    [SERIF, SERIF_BOLD, SERIF_ITALIC, SERIF_BOLD_ITALIC, SANS, SANS_BOLD, MONO];
