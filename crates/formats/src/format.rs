//! The formats that files have, their names and their file name extensions.

use serde::{Deserialize, Serialize};

/// Defines [`Format`] with, for each format, its name in stored data, its name in prose, the version of its reader, and its file name
/// extensions.
macro_rules! formats {
    ($($variant:ident $name:literal $title:literal $version:literal [$($extension:literal)*])*) => {
        /// The format of a file's content, whatever its name says.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Format {
            $(#[serde(rename = $name)] $variant,)*
        }

        impl Format {
            /// All formats, in the order of their names.
            pub const ALL: &[Format] = &[$(Format::$variant),*];

            /// Returns the name under which documents of this format are stored.
            pub fn name(self) -> &'static str {
                match self { $(Format::$variant => $name),* }
            }

            /// Returns the name to use in a sentence.
            pub fn title(self) -> &'static str {
                match self { $(Format::$variant => $title),* }
            }

            /// Returns the version of what reads files of this format alone, without the files within.
            fn own_version(self) -> u32 {
                match self { $(Format::$variant => $version),* }
            }

            /// Returns the file name extensions, in lower case and without a dot.
            pub fn extensions(self) -> &'static [&'static str] {
                match self { $(Format::$variant => &[$($extension),*]),* }
            }
        }
    };
}

// Raise the version of a format in every change by which a file of it comes out otherwise: such files are then read again.
formats! {
    AsciiDoc "asciidoc" "AsciiDoc" 3 ["adoc" "asciidoc"]
    Bibtex "bibtex" "BibTeX" 3 ["bib"]
    Code "code" "source code" 1 [
        "c" "h" "cc" "cpp" "cxx" "hh" "hpp" "cs" "go" "java" "js" "mjs" "cjs" "jsx" "jl" "kt" "kts" "lua" "m" "php" "pl"
        "pm" "py" "pyi" "r" "rb" "rs" "scala" "sh" "bash" "sql" "swift" "ts" "tsx"
    ]
    Csv "csv" "CSV" 1 ["csv"]
    Docx "docx" "DOCX" 4 ["docx" "docm" "dotx"]
    Epub "epub" "EPUB" 3 ["epub"]
    Html "html" "HTML" 3 ["html" "htm" "xhtml"]
    Image "image" "image" 1 ["png" "jpg" "jpeg" "tif" "tiff"]
    Json "json" "JSON" 1 ["json"]
    JsonLines "jsonl" "JSON Lines" 1 ["jsonl" "ndjson"]
    Latex "latex" "LaTeX" 3 ["tex" "latex" "ltx"]
    Mail "mail" "e-mail" 3 ["eml"]
    Mailbox "mailbox" "mailbox" 3 ["mbox"]
    Markdown "markdown" "Markdown" 3 ["md" "markdown" "mdown" "rmd" "qmd"]
    Notebook "notebook" "Jupyter notebook" 4 ["ipynb"]
    Ods "ods" "ODS" 4 ["ods"]
    Odt "odt" "OpenDocument" 4 ["odt" "ott" "odp" "otp" "odg" "fodt" "fodp" "fodg"]
    Org "org" "Org" 3 ["org"]
    Pdf "pdf" "PDF" 2 ["pdf"]
    Pptx "pptx" "PPTX" 3 ["pptx" "pptm" "ppsx"]
    Ris "ris" "RIS" 1 ["ris"]
    Rst "rst" "reStructuredText" 3 ["rst" "rest"]
    Rtf "rtf" "RTF" 2 ["rtf"]
    Subtitles "subtitles" "subtitles" 2 ["srt" "vtt"]
    Tar "tar" "TAR archive" 2 ["tar" "tgz"]
    Text "text" "plain text" 1 ["txt" "text" "log"]
    Toml "toml" "TOML" 1 ["toml"]
    Tsv "tsv" "TSV" 1 ["tsv" "tab"]
    Xlsx "xlsx" "XLSX" 3 ["xlsx" "xlsm"]
    Xml "xml" "XML" 4 ["xml"]
    Yaml "yaml" "YAML" 2 ["yaml" "yml"]
    Zip "zip" "ZIP archive" 2 ["zip"]
}

impl Format {
    /// Returns whether the format is not text, and so cannot be shown as it is.
    pub fn is_packed(self) -> bool {
        use Format::{Docx, Epub, Image, Ods, Odt, Pdf, Pptx, Tar, Xlsx, Zip};
        matches!(self, Docx | Epub | Image | Ods | Odt | Pdf | Pptx | Tar | Xlsx | Zip)
    }

    /// Returns whether a file of the format may hold other files.
    pub fn holds_files(self) -> bool {
        matches!(self, Format::Mail | Format::Mailbox | Format::Tar | Format::Zip)
    }

    /// Returns the version of what reads files of this format, which is never 0 and only grows.
    ///
    /// It grows with every change by which a file comes out otherwise. That of a format whose files hold others grows with those of all.
    pub fn reader_version(self) -> u32 {
        if self.holds_files() {
            Format::ALL.iter().map(|format| format.own_version()).sum()
        } else {
            self.own_version()
        }
    }

    /// Returns the format that is stored under `name`.
    pub fn by_name(name: &str) -> Option<Format> {
        Format::ALL.iter().copied().find(|format| format.name() == name)
    }

    /// Returns the format of files whose names end in `extension`, in any case and without its dot.
    pub fn by_extension(extension: &str) -> Option<Format> {
        let extension = extension.to_lowercase();
        Format::ALL.iter().copied().find(|format| format.extensions().contains(&&*extension))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A6
    #[test]
    fn a_file_that_holds_others_is_read_again_when_any_reader_changed() {
        let own: u32 = Format::ALL.iter().map(|format| format.own_version()).sum();
        for format in Format::ALL {
            assert!(format.own_version() > 0, "{format:?}");
            let version = if format.holds_files() { own } else { format.own_version() };
            assert_eq!(format.reader_version(), version, "{format:?}");
            assert_eq!(Format::by_name(format.name()), Some(*format));
        }
    }

    #[test]
    fn an_extension_belongs_to_one_format() {
        let mut all: Vec<&str> =
            Format::ALL.iter().flat_map(|format| format.extensions()).copied().collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        assert_eq!(Format::by_extension("MD"), Some(Format::Markdown));
        assert_eq!(Format::by_extension(""), None);
    }
}
