"""What independent readers find in a file: its words, and the names (keys, elements) that are not compared."""

import csv
import datetime
import email
import email.policy
import html
import io
import json
import mailbox
import re
import subprocess
import sys
import tomllib
import unicodedata
from collections import Counter
from pathlib import Path

import docutils.core
import docutils.nodes
import docutils.parsers.rst
import docx
import feedparser
import lxml.etree
import lxml.html
import nbconvert
import odf.opendocument
import openpyxl
import pptx
import pybtex.database
import pylatexenc.latex2text
import pysrt
import rispy
import webvtt
import yaml
from striprtf.striprtf import rtf_to_text

csv.field_size_limit(1 << 30)
sys.setrecursionlimit(10_000)

INLINE = set("a abbr b bdi bdo big cite code data del dfn em font i ins kbd mark q s samp small span strong sub sup tt u var".split())


def run(*command):
    """What a program prints. Its failure is ours."""
    return subprocess.run(command, capture_output=True, check=True, timeout=60).stdout.decode("utf-8", "replace")


def alternative(said):
    """The alternative text of an image, unless it is the name of a file."""
    return "" if re.search(r"^https?:|\.(png|jpe?g|gif|emf|wmf|bmp|tiff?|svg)$", said or "", re.I) else said or ""


def html_text(source):
    """The text of a page, with the alternative texts of its images."""
    source = re.sub(r"^\s*<\?xml.*?\?>", "", source)
    if not source.strip():
        return ""
    root = lxml.html.fromstring(source)
    for element in root.xpath("//head|//script|//style|//noscript|//template|//svg|//*[contains(@class, 'system-message')]"):
        element.drop_tree()
    for element in root.iter():
        tail = element.tail or ""
        if element.tag == "img":
            tail = f" {alternative(element.get('alt'))} {tail}"
        if element.tag not in INLINE:
            element.text, tail = " " + (element.text or ""), " " + tail
        element.tail = tail
    lxml.etree.strip_tags(root, lxml.etree.Comment)
    return re.sub(r"\\[()\[\]]", "", root.text_content())


def text(path):
    return Path(path).read_bytes().decode("utf-8-sig", "replace")


def pandoc(format):
    return lambda path: html_text(run("pandoc", "--quiet", "--mathjax", "-f", format, "-t", "html", path))


def tex(path):
    """A document with its title block and its abstract, without the marks of its notes, simple formulas as text."""
    page = run("pandoc", "--quiet", "--standalone", "-f", "latex", "-t", "html", path)
    return html_text(re.sub(r'(?s)<a[^>]*class="footnote-(ref|back)".*?</a>', "", page))


def printed(path):
    """A document as the PDF beside it shows it, without its table of contents, the numbers of pages, and lines that repeat at the edge of pages.

    One of which less than three quarters of the printed words stand in its own file prints those of other files, and is not compared.
    """
    pages = [[line for line in page.splitlines() if line.strip()] for page in run("pdftotext", Path(path).with_suffix(".pdf"), "-").split("\f")]

    def plain(line):
        return re.sub(r"\d+|\b[ivxlc]+\b", "0", line.strip())

    often = Counter(it for page in pages for it in set(map(plain, page[:2] + page[-2:])))
    out = []
    for page in pages:
        for index, line in enumerate(page):
            edge = index < 2 or index >= len(page) - 2
            if not (edge and (plain(line) == "0" or often[plain(line)] > 1) or re.search(r"(\. ?){4,}\d*$", line)):
                out.append(line)
    shown, source = (Counter(re.findall(r"[^\W\d_]+", unicodedata.normalize("NFKC", it).casefold())) for it in ("\n".join(out), text(path)))
    if (shown & source).total() < 0.75 * shown.total():
        raise ValueError(path)
    return "\n".join(out)


def asciidoctor(path):
    attributes = ["attribute-missing=skip", "showtitle", "sectids!", "max-include-depth=0"]
    return html_text(run("asciidoctor", "-q", "-e", "-o", "-", *[it for name in attributes for it in ("-a", name)], path))


# Directives of Sphinx that stand for what is elsewhere.
ELSEWHERE = set(
    "autoattribute autoclass autodata autoexception autofunction automethod automodule autosummary codeauthor currentmodule default-domain "
    "graphviz highlight include index inheritance-diagram kernel-doc literalinclude module moduleauthor plot program py:currentmodule "
    "py:module sectionauthor tabularcolumns testcleanup testsetup toctree todo todolist".split()
)
CODE = set("code-block sourcecode doctest testcode testoutput productionlist prompt ipython".split())


class Options(dict):
    """Takes any option."""

    def __contains__(self, name):
        return True

    def __getitem__(self, name):
        return str


class Unknown(docutils.parsers.rst.Directive):
    """A directive that docutils does not know, read as its arguments and what it contains."""

    has_content, optional_arguments, final_argument_whitespace, option_spec = True, 100, True, Options()

    def run(self):
        if self.name in ELSEWHERE:
            return []
        if self.name in CODE:
            return [docutils.nodes.literal_block("", "\n".join(self.content))]
        node = docutils.nodes.container()
        if self.arguments:
            node += docutils.nodes.paragraph("", "", *self.state.inline_text(" ".join(self.arguments), self.lineno)[0])
        self.state.nested_parse(self.content, self.content_offset, node)
        return [node]


def unknown_role(name, raw, content, *_, **__):
    titled = re.match(r"(?s)(.*?)\s*<[^>]*>$", content)
    content = titled[1] if titled else content.rsplit(".", 1)[-1] if content.startswith("~") else content
    return [docutils.nodes.inline(raw, content)], []


def rst(path):
    directives, roles = docutils.parsers.rst.directives, docutils.parsers.rst.roles
    known_directive, known_role = directives.directive, roles.role
    directives.directive = lambda name, *rest: (name not in ELSEWHERE | CODE and known_directive(name, *rest)[0] or Unknown, [])
    roles.role = lambda *all: (known_role(*all)[0] or unknown_role, [])
    settings = dict(
        report_level=5, halt_level=6, file_insertion_enabled=False, raw_enabled=False, embed_stylesheet=False,
        stylesheet_path=None, math_output="MathJax", line_length_limit=100_000, doctitle_xform=False,
    )  # fmt: skip
    return html_text(docutils.core.publish_string(text(path), writer="html5", settings_overrides=settings).decode())


def notebook(path):
    markdown = nbconvert.MarkdownExporter().from_filename(path)[0]
    markdown = re.sub(r"(?m)^```.*$|\x1b\[[\d;]*m", "", markdown)
    markdown = re.sub(r"!\[[^\]]*\]\((output_|attachment)[^)]*\)|<style.*?</style>", "", markdown, flags=re.I | re.S)
    return html.unescape(re.sub(r"</?[a-zA-Z][^>]*>", " ", markdown))


def word(path):
    def blocks(container):
        for block in container.iter_inner_content():
            if hasattr(block, "rows"):
                for row in block.rows:
                    for cell in row.cells:
                        yield from blocks(cell)
            else:
                yield block.text

    return "\n".join(blocks(docx.Document(path)))


def slides(path):
    furniture = {"DATE", "FOOTER", "SLIDE_NUMBER", "HEADER", "SLIDE_IMAGE"}

    def shapes(all):
        for shape in all:
            if shape.is_placeholder and getattr(shape.placeholder_format.type, "name", "") in furniture:
                continue
            if hasattr(shape, "shapes"):
                yield from shapes(shape.shapes)
                continue
            if shape.has_text_frame:
                yield shape.text_frame.text
            if getattr(shape, "has_table", False):
                yield from (cell.text for row in shape.table.rows for cell in row.cells)
            if getattr(shape, "has_chart", False):
                for plot in shape.chart.plots:
                    yield from map(str, plot.categories)
                    for series in plot.series:
                        yield series.name
                        yield from (f"{value:.10g}" for value in series.values if value is not None)
            yield from map(alternative, shape._element.xpath(".//p:cNvPr/@descr"))

    out = []
    for slide in pptx.Presentation(path).slides:
        out += shapes(slide.shapes)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            out.append(slide.notes_slide.notes_text_frame.text)
    return "\n".join(out)


def odf_text(node):
    """The text below a node of an OpenDocument file."""
    if node.nodeType == 3:
        return node.data
    name = node.qname[1]
    if name in ("tracked-changes", "table-of-content", "alphabetical-index", "forms", "annotation", "title", "desc"):
        return ""
    inner = "".join(map(odf_text, node.childNodes))
    return {"s": " ", "tab": "\t", "line-break": "\n", "p": inner + "\n", "h": inner + "\n"}.get(name, inner)


def odf_document(path):
    return odf_text(odf.opendocument.load(path).body)


def rtf(path):
    return rtf_to_text(Path(path).read_bytes().decode("latin-1"), errors="ignore")


def shown(value, code):
    """A value of a cell as a sheet shows it, for the plain formats of numbers."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime.datetime):
        return str(value).removesuffix(" 00:00:00").split(".")[0]
    plain = re.fullmatch(r"(#,##)?0(\.0+)?(%)?", code or "") if isinstance(value, int | float) else None
    if plain:
        digits = len(plain[2] or ".") - 1
        return f"{value:.{digits}%}" if plain[3] else f"{value:{',' if plain[1] else ''}.{digits}f}"
    return f"{value:.11g}" if isinstance(value, float) else str(value)


def xlsx(path):
    out = []
    for sheet in openpyxl.load_workbook(path, data_only=True).worksheets:
        if sheet.sheet_state != "visible":
            continue
        out.append(sheet.title)
        hidden = {row for row, its in sheet.row_dimensions.items() if its.hidden}
        for cell in sheet._cells.values():  # those of the file alone; a sheet has a million rows
            if cell.value is not None and cell.row not in hidden:
                out.append(shown(cell.value, cell.number_format))
            if cell.comment:
                out.append(cell.comment.text)
    return "\n".join(out)


def ods(path):
    from odf import table

    out = []
    for sheet in odf.opendocument.load(path).spreadsheet.getElementsByType(table.Table):
        if sheet.getElementsByType(table.TableSource):
            continue  # what was last read of another file
        out.append(sheet.getAttribute("name") or "")
        for row in sheet.getElementsByType(table.TableRow):
            if row.getAttribute("visibility") in ("collapse", "filter"):
                continue
            cells = []
            for cell in row.childNodes:
                date = (cell.getAttribute("datevalue") or "").replace("T", " ").split(".")[0].removesuffix(" 00:00:00")
                content = date or odf_text(cell)
                if content.strip():
                    cells += [content] * min(int(cell.getAttribute("numbercolumnsrepeated") or 1), 1000)
            out += cells * min(int(row.getAttribute("numberrowsrepeated") or 1), 1000)
    return "\n".join(out)


def delimited(path):
    content = text(path)
    try:
        separator = "\t" if path.endswith(".tsv") else csv.Sniffer().sniff(content[:20_000], ",;\t|").delimiter
    except csv.Error:
        separator = ","
    return "\n".join(" ".join(row) for row in csv.reader(io.StringIO(content), delimiter=separator))


def tree(value):
    """The values of data, and its keys."""
    values, keys, todo = [], [], [value]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            keys += map(str, value)
            todo += value.values()
        elif isinstance(value, list | tuple | set):
            todo += value
        elif value is not None:
            shown = value.isoformat().replace("+00:00", "Z") if isinstance(value, datetime.datetime) else str(value)
            values.append(shown.lower() if isinstance(value, bool) else shown)
    return "\n".join(values), "\n".join(keys)


def commented(path, value):
    """The values of data, and its keys with the words of the file's comments, which no other reader keeps."""
    values, keys = tree(value)
    return values, "\n".join([keys, *re.findall(r"(?m)(?:^|\s)#(.*)$", text(path))])


class PlainYaml(yaml.CSafeLoader):
    """Leaves scalars as they are written, and takes any tag."""

    yaml_implicit_resolvers = {}


PlainYaml.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(~|null|Null|NULL|)$"), ["~", "n", "N", ""])
PlainYaml.add_implicit_resolver("tag:yaml.org,2002:merge", re.compile("^<<$"), ["<"])
PlainYaml.add_multi_constructor("!", lambda loader, _, node: {
    yaml.MappingNode: lambda: loader.construct_mapping(node, True), yaml.SequenceNode: lambda: loader.construct_sequence(node, True),
}.get(type(node), lambda: node.value)())  # fmt: skip


def lines(path):
    return tree([json.loads(line, parse_float=str, parse_int=str) for line in text(path).splitlines() if line.strip()])


def feed(path):
    read = feedparser.parse(path)
    out = [read.feed.get("title", ""), read.feed.get("subtitle", "")]
    for entry in read.entries:
        body = max([it.value for it in entry.get("content", [])] or [entry.get("summary", "")], key=len)
        out += [entry.get("title", ""), body, entry.get("link", ""), entry.get("author", "")]
        out += [tag.get("label") or tag.get("term") or "" for tag in entry.get("tags", [])]
        if date := entry.get("published_parsed") or entry.get("updated_parsed"):
            out.append("{:04}-{:02}-{:02}".format(*date))
    return html_text("<p>" + "<p>".join(out))


def xml(path):
    if re.search(r"<(rss|feed|rdf:RDF)[\s>]", text(path)[:2000]):
        return feed(path)
    try:
        root = lxml.etree.parse(path, lxml.etree.XMLParser(huge_tree=True, no_network=True)).getroot()
    except lxml.etree.XMLSyntaxError as error:
        if "ntity" not in str(error):
            raise
        root = lxml.etree.parse(path, lxml.etree.XMLParser(huge_tree=True, no_network=True, recover=True)).getroot()
    elements = [it for it in root.iter() if isinstance(it.tag, str)]
    names = [lxml.etree.QName(name).localname for it in elements for name in (it.tag, *it.attrib)]
    values = [value for it in elements for value in it.attrib.values()]
    return "\n".join([*root.itertext(), *values]), "\n".join(names)


def message(mail):
    out = [str(mail["subject"] or "")]
    for name in ("from", "to", "cc"):
        out.append(str(mail[name] or ""))
    todo = [mail]
    while todo:
        part = todo.pop(0)
        kind = part.get_content_type()
        if part is not mail and (kind == "message/rfc822" or part.get_filename()):
            continue  # an attachment, a document of its own
        if part.is_multipart():
            parts = list(part.iter_parts())
            plain = [it for it in parts if it.get_content_type() == "text/plain"]
            todo = (plain[:1] if plain and kind == "multipart/alternative" else parts) + todo
        elif kind in ("text/plain", "text/html") and part.get_content_disposition() != "attachment":
            try:
                content = part.get_content()
            except (LookupError, UnicodeError):
                content = (part.get_payload(decode=True) or b"").decode("utf-8", "replace")
            out.append(html_text(content) if kind == "text/html" else content)
    return "\n".join(out)


def mail(path):
    return message(email.message_from_bytes(Path(path).read_bytes(), policy=email.policy.default))


def mails(path):
    box = mailbox.mbox(path, factory=lambda file: email.message_from_binary_file(file, policy=email.policy.default))
    return "\n".join(map(message, box))


def srt(path):
    return "\n".join(re.sub(r"<[^>]*>|\{\\[^}]*\}", "", line.text) for line in pysrt.from_string(text(path)))


def vtt(path):
    return "\n".join(f"{cue.voice or ''} {html.unescape(cue.text)}" for cue in webvtt.read(path))


FIELDS = set(
    "title subtitle year month date journal journaltitle booktitle maintitle eventtitle series volume number issue chapter pages edition type "
    "publisher institution school organization address location howpublished isbn issn language eprint archiveprefix eprinttype pmid url doi "
    "keywords keyword abstract note annote annotation addendum".split()
)


def bibtex(path):
    plain = pylatexenc.latex2text.LatexNodes2Text(math_mode="text").latex_to_text
    out = []
    for key, entry in pybtex.database.parse_string(text(path), "bibtex").entries.items():
        out.append(key)
        for role in ("author", "editor", "translator"):
            out += ["et al" if str(it) == "others" else plain(str(it)) for it in entry.persons.get(role, [])]
        for name, value in entry.fields.items():
            if name.lower() in FIELDS:
                out.append(value if name.lower() in ("url", "doi") else plain(value))
    return "\n".join(out)


LEFT_OUT = set(
    "type_of_reference id unknown_tag access_date name_of_database database_provider label call_number accession_number author_address number "
    "research_notes short_title user_definable date figure file_attachments2 original_publication reviewed_item reprint_edition caption".split()
)


def ris(path):
    fields = [it for entry in rispy.loads(text(path)) for it in entry.items() if it[0] not in LEFT_OUT and not it[0].startswith("custom")]
    return "\n".join(" ".join(value) if isinstance(value, list) else str(value) for _, value in fields)


def beside(path):
    return text(Path(path).with_suffix(".txt"))


# Per name of a folder: the readers, each with its name in the table.
READERS = {
    "adoc": [("asciidoctor", asciidoctor)],
    "bib": [("pybtex, pylatexenc", bibtex)],
    "csv": [("Python's csv", delimited)],
    "docx": [("pandoc", pandoc("docx")), ("python-docx", word)],
    "eml": [("Python's email", mail)],
    "html": [("the text beside the page", beside)],
    "ipynb": [("nbconvert", notebook)],
    "json": [("Python's json", lambda path: tree(json.loads(text(path), parse_float=str, parse_int=str)))],
    "jsonl": [("Python's json", lines)],
    "mbox": [("Python's mailbox", mails)],
    "odg": [("odfpy", odf_document)],
    "odp": [("odfpy", odf_document)],
    "ods": [("odfpy", ods)],
    "odt": [("pandoc", pandoc("odt")), ("odfpy", odf_document)],
    "org": [("pandoc", pandoc("org"))],
    "pdf": [("pdftotext", lambda path: run("pdftotext", path, "-"))],
    "pptx": [("python-pptx", slides)],
    "ris": [("rispy", ris)],
    "rst": [("docutils", rst)],
    "rtf": [("pandoc", pandoc("rtf")), ("striprtf", rtf)],
    "srt": [("pysrt", srt)],
    "tex": [("the printed page", printed), ("pandoc", tex)],
    "toml": [("Python's tomllib", lambda path: commented(path, tomllib.loads(text(path))))],
    "tsv": [("Python's csv", delimited)],
    "vtt": [("webvtt-py", vtt)],
    "xlsx": [("openpyxl", xlsx)],
    "xml": [("lxml, feedparser", xml)],
    "yaml": [("PyYAML", lambda path: commented(path, list(yaml.load_all(text(path), PlainYaml))))],
}
