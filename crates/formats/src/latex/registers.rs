//! Assignments to the registers of TeX, and other commands that take a number or a length: none of it shows.

use super::Page;
use super::reader::Reader;

/// Registers, which are set by what follows them.
const REGISTERS: &[&str] = &[
    "vskip",
    "hskip",
    "mskip",
    "mkern",
    "parindent",
    "parskip",
    "baselineskip",
    "hsize",
    "vsize",
    "textwidth",
    "textheight",
    "topmargin",
    "headheight",
    "headsep",
    "footskip",
    "oddsidemargin",
    "evensidemargin",
    "topskip",
    "leftskip",
    "rightskip",
    "tabcolsep",
    "arrayrulewidth",
    "columnsep",
    "columnseprule",
    "leftmargin",
    "itemsep",
    "topsep",
    "parsep",
    "labelsep",
    "fboxsep",
    "fboxrule",
    "unitlength",
    "abovedisplayskip",
    "belowdisplayskip",
    "hoffset",
    "voffset",
    "linewidth",
    "columnwidth",
    "penalty",
    "widowpenalty",
    "clubpenalty",
    "hyphenpenalty",
    "exhyphenpenalty",
    "linepenalty",
    "interlinepenalty",
    "brokenpenalty",
    "tolerance",
    "hangindent",
    "hangafter",
    "pretolerance",
    "lineskip",
    "lineskiplimit",
    "emergencystretch",
    "hfuzz",
    "vfuzz",
    "hbadness",
    "vbadness",
    "looseness",
    "spaceskip",
    "xspaceskip",
    "parfillskip",
    "lefthyphenmin",
    "righthyphenmin",
    "doublehyphendemerits",
    "finalhyphendemerits",
    "adjdemerits",
    "overfullrule",
    "maxdepth",
    "moveleft",
    "moveright",
    "kern",
    "raise",
    "lower",
];

/// The units of lengths.
const UNITS: &[&str] = &[
    "truein", "truept", "truecm", "truemm", "in", "pt", "cm", "mm", "em", "ex", "pc", "bp", "dd",
    "cc", "sp", "mu", "filll", "fill", "fil",
];

impl Page {
    /// Skips what sets a register or takes a number; returns whether `name` does so.
    pub(super) fn set_register(&mut self, name: &str, reader: &mut Reader) -> bool {
        match name {
            "advance" | "multiply" | "divide" => {
                reader.skip_register();
                reader.skip_blanks();
                reader.skip("by");
                reader.skip_value();
            }
            "count" | "dimen" | "skip" | "toks" | "muskip" | "wd" | "ht" | "dp" | "box"
            | "copy" | "unhbox" | "unvbox" => {
                reader.skip_number();
                if sets(reader) {
                    reader.skip_value();
                }
            }
            "catcode" | "lccode" | "uccode" | "sfcode" | "mathcode" | "delcode" => {
                reader.character();
                reader.skip_value();
            }
            "chardef" | "mathchardef" | "countdef" | "dimendef" | "skipdef" | "toksdef" => {
                reader.argument();
                reader.skip_value();
            }
            "setbox" => {
                reader.skip_register();
                reader.skip_blanks();
                reader.skip("=");
                reader.skip_blanks();
                if reader.skip("\\") {
                    reader.command();
                    let _ = reader.skip("to") || reader.skip("spread");
                    reader.skip_value();
                    reader.braced();
                }
            }
            "font" => {
                reader.argument();
                reader.skip("=");
                reader.skip_word();
                if reader.skip("at") {
                    reader.skip_value();
                } else if reader.skip("scaled") {
                    reader.skip_blanks();
                    reader.skip("\\magstep");
                    reader.skip_value();
                }
            }
            "hrule" | "vrule" => {
                if name == "hrule" {
                    self.close();
                }
                while ["width", "height", "depth"].iter().any(|side| reader.skip(side)) {
                    reader.skip_value();
                    reader.skip_blanks();
                }
            }
            "XeTeXlinebreaklocale" => reader.skip_word(),
            "write" => {
                reader.skip_register();
                reader.braced();
            }
            "openin" | "openout" => {
                reader.skip_register();
                reader.skip("=");
                reader.skip_word();
            }
            "hbox" | "vbox" | "vtop" => {
                let _ = reader.skip("to") || reader.skip("spread");
                reader.skip_value();
            }
            name if REGISTERS.contains(&name) => reader.skip_value(),
            _ => return false,
        }
        true
    }
}

/// Returns whether an equals sign and a value follow: a number, a command or a group.
pub(super) fn sets(reader: &Reader) -> bool {
    let mut coming = reader.coming().skip_while(|c| *c == ' ');
    let is_set = coming.next() == Some('=');
    let value = coming.find(|c| !" -+".contains(*c));
    is_set && value.is_some_and(|c| c.is_ascii_digit() || ".\\{\"'`".contains(c))
}

impl Reader<'_> {
    /// Skips the value that follows, of a number or a length: `=1.5in plus 2pt minus 1pt`.
    pub(super) fn skip_value(&mut self) {
        self.skip_blanks();
        let is_set = self.skip("=");
        self.skip_blanks();
        if is_set && self.peek() == Some('{') {
            self.argument();
            return;
        }
        if is_set && self.peek().is_some_and(|c| "'`\"".contains(c)) {
            self.character();
            return;
        }
        loop {
            if self.skip_number() {
                let _ = UNITS.iter().any(|unit| self.skip(unit));
                // One blank ends a number.
                self.skip_blanks();
            } else if is_set && self.skip("\\") {
                let name = self.command();
                if name.ends_with("expr") {
                    self.until("\\relax");
                }
            }
            if !self.skip_keyword("plus") && !self.skip_keyword("minus") {
                return;
            }
            self.skip_blanks();
        }
    }

    /// Skips a word before a number.
    fn skip_keyword(&mut self, keyword: &str) -> bool {
        let mut coming = self.coming();
        let begins = keyword.chars().all(|letter| coming.next() == Some(letter));
        let value = coming.find(|c| !" -+".contains(*c));
        let found = begins && value.is_some_and(|c| c.is_ascii_digit() || ".\\".contains(c));
        if found {
            self.skip_characters(keyword.len());
        }
        found
    }

    /// Skips the signs and the digits that follow; returns whether there are digits.
    fn skip_number(&mut self) -> bool {
        let signs = self.coming().take_while(|c| " -+".contains(*c)).count();
        let is_digit = |c: &char| c.is_ascii_digit() || *c == '.';
        let digits = self.coming().skip(signs).take_while(is_digit).count();
        let has_digits = self.coming().skip(signs).take(digits).any(|c| c.is_ascii_digit());
        if has_digits {
            // A point after a number ends a sentence.
            let mut last = self.coming().skip(signs + digits - 1);
            let is_end =
                last.next() == Some('.') && !last.next().is_some_and(|c| c.is_ascii_alphabetic());
            self.skip_characters(signs + digits - usize::from(is_end));
        }
        has_digits
    }

    /// Skips the name of a register: a command, or a number, or both: `\count0`.
    fn skip_register(&mut self) {
        self.skip_blanks();
        if self.skip("\\") {
            self.command();
        }
        self.skip_number();
    }

    /// Skips what is before the next blank.
    fn skip_word(&mut self) {
        self.skip_blanks();
        while self.peek().is_some_and(|c| !c.is_whitespace() && c != '\\' && c != '}') {
            self.next();
        }
        self.skip_blanks();
    }
}
