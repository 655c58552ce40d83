//! The formats of cells.

use rust_xlsxwriter::{Color, Format, FormatAlign, FormatBorder};

use crate::table::RowKind;

const QUIET: Color = Color::RGB(0x0059_5959);
const GROUND: Color = Color::RGB(0x00F2_F2F2);

/// The longest text of a cell.
const LONGEST: usize = 32_000;

/// Returns a text as a cell can hold it: without control characters, and not too long.
pub(super) fn shown(text: &str) -> String {
    let line = crate::text::one_line(text);
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

/// The formats of a workbook.
pub(super) struct Styles {
    pub(super) title: Format,
    pub(super) link: Format,
    pub(super) text: Format,
    pub(super) strong: Format,
    pub(super) member: Format,
    pub(super) group: Format,
    pub(super) heading: Format,
    pub(super) letter: Format,
    pub(super) base_label: Format,
    pub(super) base: Format,
    pub(super) base_part: Format,
    pub(super) beside: Format,
    pub(super) none: Format,
    pub(super) footer: Format,
}

impl Styles {
    pub(super) fn new() -> Styles {
        let plain = Format::new;
        let ground = || Format::new().set_background_color(GROUND);
        Styles {
            title: plain().set_bold().set_font_size(13),
            link: plain().set_hyperlink(),
            text: plain().set_align(FormatAlign::Top),
            strong: plain().set_bold(),
            member: plain().set_indent(1),
            group: ground()
                .set_bold()
                .set_align(FormatAlign::Center)
                .set_text_wrap()
                .set_border_left(FormatBorder::Thin),
            heading: ground()
                .set_align(FormatAlign::Center)
                .set_align(FormatAlign::Bottom)
                .set_text_wrap(),
            letter: ground().set_align(FormatAlign::Center).set_border_bottom(FormatBorder::Thin),
            base_label: plain().set_italic().set_font_color(QUIET),
            base: plain().set_italic().set_font_color(QUIET).set_num_format("#,##0"),
            base_part: plain().set_italic().set_font_color(QUIET).set_num_format("#,##0.0"),
            beside: plain().set_font_color(QUIET).set_align(FormatAlign::Left),
            none: plain().set_font_color(QUIET).set_align(FormatAlign::Right),
            footer: plain().set_font_size(9).set_font_color(QUIET),
        }
    }

    /// Returns the format of a value.
    pub(super) fn value(&self, row: RowKind, digits: usize) -> Format {
        let number = match row {
            RowKind::Nps => "+0;-0;0",
            RowKind::ScoredBase => "#,##0",
            _ if row.is_share() => "0%",
            _ if digits == 1 => "0.0",
            _ => "0.00",
        };
        let format = Format::new().set_num_format(number);
        if row == RowKind::Net { format.set_bold() } else { format }
    }
}
