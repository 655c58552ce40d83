//! What the files of Office have in common: related parts, metadata, charts, diagrams, equations and symbols.

pub(crate) mod chart;
pub(crate) mod diagram;
pub(crate) mod math;
pub(crate) mod symbol;

use std::collections::{BTreeMap, HashMap};

use crate::archive::{Archive, resolved};
use crate::writer::tidy;
use crate::xml::{Element, parse as parse_xml};
use crate::{Bounds, Fault};

/// A relation of one part to another.
pub(crate) struct Relation {
    pub(crate) id: String,
    /// The last segment of its type, which strict and transitional files share.
    pub(crate) kind: String,
    /// The name of the other part.
    pub(crate) target: String,
}

/// The relations of a part, in their order.
#[derive(Default)]
pub(crate) struct Relations(Vec<Relation>);

impl Relations {
    /// Returns the relations of the part `from`; `""` is the file itself. Links that lead out of the file are left out.
    pub(crate) fn of(archive: &mut Archive, from: &str, format: &str) -> Result<Self, Fault> {
        let (folder, file) = from.rsplit_once('/').unwrap_or(("", from));
        let name = if folder.is_empty() {
            format!("_rels/{file}.rels")
        } else {
            format!("{folder}/_rels/{file}.rels")
        };
        let Some(relations) = part(archive, &name, format)? else { return Ok(Self::default()) };
        let mut found = Vec::new();
        for relation in relations.elements() {
            let outside = relation.attribute("TargetMode") == Some("External");
            let kind = relation.attribute("Type").and_then(|kind| kind.rsplit('/').next());
            if let (Some(kind), Some(target), false) = (kind, relation.attribute("Target"), outside)
            {
                let id = relation.attribute("Id").unwrap_or_default().to_owned();
                found.push(Relation { id, kind: kind.to_owned(), target: resolved(from, target) });
            }
        }
        Ok(Self(found))
    }

    /// Returns the name of the first part of this kind.
    pub(crate) fn first(&self, kind: &str) -> Option<&str> {
        self.0.iter().find(|it| it.kind == kind).map(|it| it.target.as_str())
    }

    /// Returns the names of all parts of this kind.
    pub(crate) fn all<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |it| it.kind == kind).map(|it| it.target.as_str())
    }

    /// Returns the identifiers and names of the parts of these kinds.
    pub(crate) fn of_kinds<'a>(
        &'a self,
        kinds: &'a [&str],
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        let known = self.0.iter().filter(|it| kinds.contains(&it.kind.as_str()));
        known.map(|it| (it.id.as_str(), it.target.as_str()))
    }

    /// Returns the names of the parts by the identifiers of their relations.
    pub(crate) fn by_id(&self) -> HashMap<&str, &str> {
        self.0.iter().map(|it| (it.id.as_str(), it.target.as_str())).collect()
    }
}

/// Returns the part called `name`, or `None` if there is none or it is broken: one broken part does not make a file unreadable.
///
/// Fails if it is encrypted or too large.
pub(crate) fn part(
    archive: &mut Archive,
    name: &str,
    format: &str,
) -> Result<Option<Element>, Fault> {
    let found = archive
        .file(name)
        .and_then(|found| found.map(|bytes| parse_xml(&bytes, format)).transpose());
    match found {
        Ok(part) => Ok(part),
        Err(Fault::Damaged { .. }) => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// How many bytes of parts that stay in memory may still be read.
pub(crate) struct Budget(usize);

impl Budget {
    /// The most bytes of charts, diagrams, formulas and layouts, taken together.
    const BYTES: usize = 16 << 20;

    pub(crate) fn new() -> Self {
        Self(Self::BYTES)
    }

    /// Returns the part called `name` as [`part`] does, or `None` if it is too large.
    pub(crate) fn part(
        &mut self,
        archive: &mut Archive,
        name: &str,
        format: &str,
    ) -> Result<Option<Element>, Fault> {
        let found = match archive.file(name) {
            Ok(Some(bytes)) if bytes.len() <= self.0 => {
                self.0 -= bytes.len();
                parse_xml(&bytes, format)
            }
            Ok(_) => return Ok(None),
            Err(fault) => Err(fault),
        };
        match found {
            Ok(part) => Ok(Some(part)),
            Err(Fault::Damaged { .. }) => Ok(None),
            Err(fault) => Err(fault),
        }
    }
}

/// What a file says about itself.
#[derive(Default)]
pub(crate) struct About {
    pub(crate) title: Option<String>,
    pub(crate) metadata: BTreeMap<String, String>,
}

impl About {
    /// Returns the core properties of a file whose own relations are `top`.
    pub(crate) fn of(archive: &mut Archive, top: &Relations, format: &str) -> Result<Self, Fault> {
        let name = top.first("core-properties").unwrap_or("docProps/core.xml");
        let Some(core) = part(archive, name, format)? else { return Ok(Self::default()) };
        let said =
            |name: &str| core.child(name).map(|it| tidy(&it.text())).filter(|it| !it.is_empty());
        let mut metadata = BTreeMap::new();
        let pairs = [
            ("author", "creator"),
            ("subject", "subject"),
            ("keywords", "keywords"),
            ("lang", "language"),
        ];
        for (key, name) in pairs {
            metadata.extend(said(name).map(|value| (key.to_owned(), value)));
        }
        let created = said("created").and_then(|at| at.get(..10).map(str::to_owned));
        metadata.extend(created.map(|created| ("created".to_owned(), created)));
        Ok(Self { title: said("title"), metadata })
    }
}

/// Opens an Office file: its archive, its own relations and the name of its main part.
pub(crate) fn open<'a>(
    bytes: &'a [u8],
    format: &'static str,
    usual: &str,
    bounds: &Bounds,
) -> Result<(Archive<'a>, Relations, String), Fault> {
    // With a password, the ZIP archive is within a compound file.
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    if bytes.starts_with(&[0xD0, 0xCF, 0x11, 0xE0]) && bytes.windows(32).any(|it| it == name) {
        return Err(Fault::Encrypted { format: format.to_owned() });
    }
    let mut archive = Archive::open(bytes, format, bounds)?;
    let top = Relations::of(&mut archive, "", format)?;
    let main = top.first("officeDocument").unwrap_or(usual).to_owned();
    Ok((archive, top, main))
}

/// Returns what a picture shows in the words of its author, or `None` if they are blank or a name as of a file.
pub(crate) fn alternative(words: &str) -> Option<String> {
    const ENDINGS: [&str; 11] =
        [".png", ".jpg", ".jpeg", ".gif", ".emf", ".wmf", ".bmp", ".tif", ".tiff", ".svg", ".webp"];
    let words = tidy(words);
    let lower = words.to_lowercase();
    let named = ENDINGS.iter().any(|ending| lower.ends_with(ending))
        || lower.starts_with("http://")
        || lower.starts_with("https://");
    let coded = !words.contains(' ') && words.contains(|c: char| c == '_' || c.is_ascii_digit());
    (words.chars().any(char::is_alphanumeric) && !named && !coded).then_some(words)
}

/// Returns the description of a picture or shape from its properties `own` (`cNvPr`, `docPr`).
pub(crate) fn described(own: &Element) -> Option<String> {
    let decorative = own.all("decorative").iter().any(|it| is_on(Some(it)));
    let words = own.attribute("descr").filter(|it| !it.trim().is_empty());
    let words = words.or(own.attribute("title"))?;
    if decorative { None } else { alternative(words) }
}

/// Returns whether a property that may be present without a value is on.
pub(crate) fn is_on(property: Option<&Element>) -> bool {
    property.is_some_and(|it| !matches!(it.attribute("val"), Some("0" | "false" | "off")))
}
