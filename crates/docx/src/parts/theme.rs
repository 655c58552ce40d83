//! The theme: colours and fonts that Word offers whoever goes on with the document. No style of a report refers to it.

use std::fmt::Write as _;

/// Word's names of the colours, with what they are.
const COLOURS: [(&str, &str); 12] = [
    ("dk1", "000000"),
    ("lt1", "FFFFFF"),
    ("dk2", "1F3864"),
    ("lt2", "E7E6E6"),
    ("accent1", "1F4E9E"),
    ("accent2", "C55A11"),
    ("accent3", "7F7F7F"),
    ("accent4", "BF9000"),
    ("accent5", "2E75B6"),
    ("accent6", "538135"),
    ("hlink", "1F4E9E"),
    ("folHlink", "7F6084"),
];

pub(crate) fn theme() -> String {
    let mut colours = String::new();
    for (name, colour) in COLOURS {
        let _ = write!(colours, "<a:{name}><a:srgbClr val=\"{colour}\"/></a:{name}>");
    }
    let font = |name: &str| {
        format!(
            "<a:{name}><a:latin typeface=\"Calibri\"/><a:ea typeface=\"\"/><a:cs typeface=\"\"/></a:{name}>"
        )
    };
    let fill = "<a:solidFill><a:schemeClr val=\"phClr\"/></a:solidFill>";
    let line = |width: u32| format!("<a:ln w=\"{width}\">{fill}</a:ln>");
    let effect = "<a:effectStyle><a:effectLst/></a:effectStyle>";
    format!(
        "<a:theme xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" name=\"Report\"><a:themeElements>\
         <a:clrScheme name=\"Report\">{colours}</a:clrScheme>\
         <a:fontScheme name=\"Report\">{}{}</a:fontScheme><a:fmtScheme name=\"Report\">\
         <a:fillStyleLst>{fill}{fill}{fill}</a:fillStyleLst><a:lnStyleLst>{}{}{}</a:lnStyleLst>\
         <a:effectStyleLst>{effect}{effect}{effect}</a:effectStyleLst><a:bgFillStyleLst>{fill}{fill}{fill}</a:bgFillStyleLst>\
         </a:fmtScheme></a:themeElements></a:theme>",
        font("majorFont"),
        font("minorFont"),
        line(6_350),
        line(12_700),
        line(19_050)
    )
}
