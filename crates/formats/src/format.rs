//! The formats that files have, their names and their file name extensions.

use serde::{Deserialize, Serialize};

/// Defines [`Format`] with, for each format, its name in stored data, its name in prose, and its file name extensions.
macro_rules! formats {
    ($($variant:ident $name:literal $title:literal [$($extension:literal)*])*) => {
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

            /// Returns the file name extensions, in lower case and without a dot.
            pub fn extensions(self) -> &'static [&'static str] {
                match self { $(Format::$variant => &[$($extension),*]),* }
            }
        }
    };
}

formats! {
    AsciiDoc "asciidoc" "AsciiDoc" ["adoc" "asciidoc"]
    Bibtex "bibtex" "BibTeX" ["bib"]
    Code "code" "source code" [
        "c" "h" "cc" "cpp" "cxx" "hh" "hpp" "cs" "go" "java" "js" "mjs" "cjs" "jsx" "jl" "kt" "kts" "lua" "m" "php" "pl"
        "pm" "py" "pyi" "r" "rb" "rs" "scala" "sh" "bash" "sql" "swift" "ts" "tsx"
    ]
    Csv "csv" "CSV" ["csv"]
    Docx "docx" "DOCX" ["docx" "docm" "dotx"]
    Epub "epub" "EPUB" ["epub"]
    Html "html" "HTML" ["html" "htm" "xhtml"]
    Image "image" "image" ["png" "jpg" "jpeg" "tif" "tiff"]
    Json "json" "JSON" ["json"]
    JsonLines "jsonl" "JSON Lines" ["jsonl" "ndjson"]
    Latex "latex" "LaTeX" ["tex" "latex" "ltx"]
    Mail "mail" "e-mail" ["eml"]
    Mailbox "mailbox" "mailbox" ["mbox"]
    Markdown "markdown" "Markdown" ["md" "markdown" "mdown" "rmd" "qmd"]
    Notebook "notebook" "Jupyter notebook" ["ipynb"]
    Ods "ods" "ODS" ["ods"]
    Odt "odt" "OpenDocument" ["odt" "ott" "odp" "otp" "odg" "fodt" "fodp" "fodg"]
    Org "org" "Org" ["org"]
    Pdf "pdf" "PDF" ["pdf"]
    Pptx "pptx" "PPTX" ["pptx" "pptm" "ppsx"]
    Ris "ris" "RIS" ["ris"]
    Rst "rst" "reStructuredText" ["rst" "rest"]
    Rtf "rtf" "RTF" ["rtf"]
    Subtitles "subtitles" "subtitles" ["srt" "vtt"]
    Tar "tar" "TAR archive" ["tar" "tgz"]
    Text "text" "plain text" ["txt" "text" "log"]
    Toml "toml" "TOML" ["toml"]
    Tsv "tsv" "TSV" ["tsv" "tab"]
    Xlsx "xlsx" "XLSX" ["xlsx" "xlsm"]
    Xml "xml" "XML" ["xml"]
    Yaml "yaml" "YAML" ["yaml" "yml"]
    Zip "zip" "ZIP archive" ["zip"]
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

    /// Returns the format of files whose names end in `extension`, in any case and without its dot.
    pub fn by_extension(extension: &str) -> Option<Format> {
        let extension = extension.to_lowercase();
        Format::ALL.iter().copied().find(|format| format.extensions().contains(&&*extension))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
