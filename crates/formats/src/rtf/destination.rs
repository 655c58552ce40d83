//! Where the text of the groups of an RTF goes.

/// Where text goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Destination {
    Text,
    /// Nowhere, nor does that of the groups within.
    Skipped,
    /// Nowhere, but groups within may have their own destinations.
    Searched,
    Fonts,
    Styles,
    Info,
    /// A property of the file.
    About(&'static str),
    Created,
    /// The table of lists, and that of the paragraphs' lists.
    Lists,
    ListOverrides,
    /// The label of a level of a list.
    LevelText,
    /// What prints before a list item.
    Label,
    /// The author of the next comment.
    Author,
    PropertyName,
    PropertyValue,
    /// What a field computes.
    Instruction,
    /// A note, comment or text box.
    Note(Note),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Note {
    Footnote,
    Comment,
    Box,
    /// A header or footer of pages; of the first pages only, where they differ.
    Header {
        first: bool,
    },
    Footer {
        first: bool,
    },
}

impl Destination {
    /// Returns the destination that the first word of a group names within a group whose text goes to `now`.
    ///
    /// A word that is unknown and `optional` leads nowhere.
    pub(super) fn named(name: &str, now: Destination, optional: bool) -> Option<Destination> {
        Some(match name {
            "fonttbl" => Destination::Fonts,
            "stylesheet" => Destination::Styles,
            "info" => Destination::Info,
            "title" if now == Destination::Info => Destination::About("title"),
            "author" if now == Destination::Info => Destination::About("author"),
            "subject" if now == Destination::Info => Destination::About("subject"),
            "keywords" if now == Destination::Info => Destination::About("keywords"),
            "creatim" => Destination::Created,
            "listtable" => Destination::Lists,
            "listoverridetable" => Destination::ListOverrides,
            "leveltext" if now == Destination::Lists => Destination::LevelText,
            "levelnumbers" | "listname" | "liststylename" | "listpicture" => Destination::Skipped,
            "listtext" | "pntext" => Destination::Label,
            "atnauthor" => Destination::Author,
            "sn" => Destination::PropertyName,
            "sv" => Destination::PropertyValue,
            "footnote" => Destination::Note(Note::Footnote),
            "annotation" => Destination::Note(Note::Comment),
            "shptxt" | "dptxbxtext" => Destination::Note(Note::Box),
            "shp" | "shpinst" | "shpgrp" | "do" | "shppict" | "pict" | "picprop" | "sp" | "upr" => {
                Destination::Searched
            }
            "ud" | "moMath" | "moMathPara" => Destination::Text,
            "header" | "headerr" | "headerl" => Destination::Note(Note::Header { first: false }),
            "headerf" => Destination::Note(Note::Header { first: true }),
            "footer" | "footerr" | "footerl" => Destination::Note(Note::Footer { first: false }),
            "footerf" => Destination::Note(Note::Footer { first: true }),
            "fldinst" => Destination::Instruction,
            "colortbl" | "objdata" | "datafield" | "xe" | "tc" | "tcn" | "rxe" | "txe"
            | "nonshppict" | "shprslt" | "nonesttables" | "mmathPict" | "ftnsep" | "ftnsepc"
            | "ftncn" | "aftnsep" | "aftnsepc" | "aftncn" | "atnid" | "atntime" | "atnref"
            | "revtbl" | "filetbl" | "private" => Destination::Skipped,
            _ if now == Destination::Info || optional => Destination::Skipped,
            _ if name.starts_with('m') && name.ends_with("Pr") => Destination::Skipped,
            _ => return None,
        })
    }
}
