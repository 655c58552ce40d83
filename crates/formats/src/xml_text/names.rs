//! The names that elements for the same purpose have in DocBook, TEI, JATS, DITA, XHTML and others.

use crate::xml::Element;

/// What an element is for, as far as its name says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A title of what it stands in.
    Title,
    Paragraph,
    List,
    NumberedList,
    Item,
    /// A list of terms with what they mean.
    Terms,
    Table,
    Code,
    Note,
    /// A picture, which is read by its description.
    Picture,
    /// Data for machines.
    Hidden,
    /// Holds blocks.
    Block,
    /// Part of a sentence, or unknown.
    Other,
}

pub(super) fn role(name: &str) -> Role {
    match name {
        "title" | "head" | "heading" | "article-title" | "subtitle" | "h1" | "h2" | "h3" | "h4"
        | "h5" | "h6" | "titleabbrev" => Role::Title,
        "p" | "para" | "simpara" | "formalpara" | "ab" | "l" | "shortdesc" | "synopsis"
        | "attribution" | "speaker" | "bibl" | "biblStruct" | "mixed-citation"
        | "element-citation" | "nlm-citation" | "bibliomixed" | "biblioentry" | "refpurpose"
        | "address" | "dateline" | "byline" | "docTitle" | "titlePart" | "signed" | "salute"
        | "opener" | "closer" | "caption-text" | "verse" | "v" | "cmd" | "funcprototype"
        | "cmdsynopsis" | "line" => Role::Paragraph,
        "itemizedlist" | "simplelist" | "ul" | "sl" | "list" | "choices" | "calloutlist"
        | "listBibl" | "ref-list" | "menu" | "itemize" => Role::List,
        "orderedlist" | "ol" | "procedure" | "substeps" | "steps" | "enumerate" => {
            Role::NumberedList
        }
        "listitem" | "li" | "item" | "list-item" | "member" | "step" | "sli" | "choice"
        | "callout" => Role::Item,
        "variablelist" | "glosslist" | "dl" | "deflist" | "def-list" | "qandaset" | "parml" => {
            Role::Terms
        }
        "table" | "informaltable" | "simpletable" | "tgroup" | "segmentedlist" => Role::Table,
        "programlisting" | "screen" | "literallayout" | "codeblock" | "pre" | "code-block"
        | "preformat" | "verbatim" | "eg" | "egXML" | "msgblock" | "programlistingco"
        | "screenco" | "synopsislayout" => Role::Code,
        "footnote" | "note-body" | "fn" => Role::Note,
        "mediaobject" | "inlinemediaobject" | "graphic" | "inlinegraphic" | "image" | "img"
        | "inline-graphic" => Role::Picture,
        "style"
        | "script"
        | "indexterm"
        | "processing-meta"
        | "custom-meta-group"
        | "encodingDesc"
        | "colspec"
        | "index"
        | "toc"
        | "tex-math"
        | "remark"
        | "alternatives-hidden"
        | "facsimile"
        | "prolog-hidden" => Role::Hidden,
        "section" | "sect1" | "sect2" | "sect3" | "sect4" | "sect5" | "simplesect" | "chapter"
        | "appendix" | "preface" | "part" | "book" | "article" | "body" | "front" | "back"
        | "sec" | "div" | "div1" | "div2" | "div3" | "lg" | "sp" | "text" | "blockquote"
        | "quote-block" | "disp-quote" | "abstract" | "figure" | "fig" | "example"
        | "informalexample" | "informalfigure" | "note" | "tip" | "warning" | "caution"
        | "important" | "sidebar" | "epigraph" | "caption" | "legend" | "refsect1" | "refsect2"
        | "refsect3" | "refsection" | "refsynopsisdiv" | "refentry" | "topic" | "concept"
        | "task" | "reference" | "conbody" | "taskbody" | "refbody" | "info" | "prerequisite"
        | "result" | "context" | "fig-group" | "table-wrap" | "table-wrap-foot" | "boxed-text"
        | "ack" | "app" | "app-group" | "fn-group" | "disp-formula" | "admonition" | "center"
        | "varlistentry" | "dlentry" | "answer" | "question" | "qandaentry" | "glossentry"
        | "stepresult" | "stepxmp" | "lb-block" | "abstract-block" | "poem" | "stanza" | "cit"
        | "dd" | "dt" | "def" | "group" => Role::Block,
        _ => Role::Other,
    }
}

/// Returns whether a document is prose rather than data: it has many paragraphs, or a root that only prose has.
pub(super) fn is_prose(root: &Element) -> bool {
    if matches!(
        &*root.name,
        "TEI" | "TEI.2" | "teiCorpus" | "book" | "refentry" | "dita" | "FictionBook" | "html"
    ) && !is_flat(root)
    {
        return true;
    }
    let (mut elements, mut prose) = (0_usize, 0_usize);
    let mut open: Vec<&Element> = vec![root];
    while let Some(element) = open.pop() {
        elements += 1;
        let is_prose = matches!(role(&element.name), Role::Paragraph | Role::Item | Role::Code)
            || matches!(role(&element.name), Role::Title) && is_titled(root);
        // A paragraph has words of its own.
        prose += usize::from(is_prose && element.text().split_whitespace().take(3).count() == 3);
        open.extend(element.elements().filter(|_| !is_prose));
        if elements > 100_000 {
            break;
        }
    }
    prose > 0 && prose * 20 >= elements
}

/// Returns whether an element's children are records without deeper structure.
fn is_flat(element: &Element) -> bool {
    element.elements().all(|child| child.elements().next().is_none())
}

fn is_titled(root: &Element) -> bool {
    matches!(role(&root.name), Role::Block)
}
