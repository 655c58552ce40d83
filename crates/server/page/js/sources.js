/**
 * The Sources tab: an entry for each source, numbered as in the report, with the statements that are cited of it; what was
 * read and not cited is folded up below.
 */
import { add, h, fill, outLink, safeLink } from "./dom.js";
import { plain } from "./plain.js";
import { labelsOf, sourceNumber } from "./labels.js";
import { toMark } from "./figure.js";
import { excerpt, kindWords, onPage, plural } from "./words.js";
import { documentPath, figurePath } from "./router.js";
import { t } from "./i18n.js";

/** Of a source that is not cited, so many passages show at once. */
const MOST_PASSAGES = 50;

export function sources() {
  let evidence = [];
  let citations = [];
  /** How much of the evidence is drawn as it comes in, and the entries of its sources. */
  let drawn = 0;
  let entries = new Map();
  const cited = h("ol", { class: "sources-list", "aria-label": t("Sources") });
  const rest = h("div", {});
  const body = h("div", { class: "sources" }, cited, rest);

  /** What is known of a citation's passage is known from the evidence. */
  const passageOf = (citation) => evidence.find((one) => one.evidence_id === citation.evidence_id) ?? {};

  function draw() {
    drawn = evidence.length;
    entries = new Map();
    const labels = labelsOf(citations);
    // What is one source the labels say: a work has one number wherever it was read, each figure of a survey its own.
    const groups = group(
      citations
        .filter((one) => one.number)
        .map((one) => ({ ...passageOf(one), ...one, label: labels.get(String(one.number)) })),
      ({ label }) => sourceNumber(label),
    );
    groups.sort((one, other) => numberOf(one) - numberOf(other));
    if (groups.length === 0) {
      fill(rest);
      const read = group(evidence);
      fill(
        cited,
        read.length > 0 ? read.map(readEntry) : h("li", { class: "muted empty" }, t("No sources yet.")),
      );
      return;
    }
    const isCited = new Set(groups.map((one) => keyOf(one[0])));
    const others = group(evidence.filter((one) => !isCited.has(keyOf(one))));
    fill(cited, groups.map(citedEntry));
    fill(rest, others.length > 0 ? alsoRead(others) : null);
  }

  const numberOf = (statements) => sourceNumber(statements[0].label);

  function citedEntry(statements) {
    const quotes = statements.toSorted((one, other) => one.number - other.number);
    const spans = new Set(statements.map((one) => one.evidence_id));
    const more = evidence.filter((one) => keyOf(one) === keyOf(statements[0]) && !spans.has(one.evidence_id));
    return h(
      "li",
      { class: "source", dataset: { cited: "true" } },
      h(
        "span",
        { class: "source-number", "aria-label": t("Source {number}", { number: numberOf(statements) }) },
        numberOf(statements),
      ),
      h(
        "div",
        { class: "source-body" },
        about(statements[0]),
        h("ol", { class: "statements" }, quotes.map(statement)),
        more.length > 0
          ? h(
              "details",
              { class: "source-more" },
              h(
                "summary",
                {},
                t("{passages} read but not cited", { passages: plural(more.length, "passage") }),
              ),
              h("ul", { class: "passages" }, more.slice(0, MOST_PASSAGES).map(passage)),
            )
          : null,
      ),
    );
  }

  function statement(one) {
    const at = addressOf(one);
    const where = [section(one), onPage(one)].filter(Boolean);
    return h(
      "li",
      { class: "statement", dataset: { number: one.number } },
      h(
        at ? "a" : "span",
        {
          class: "source-mark",
          href: at,
          dataset: { number: one.number },
          "aria-label": at ? t("Open [{label}] in the source", { label: one.label }) : null,
        },
        one.label,
      ),
      h(
        "div",
        { class: "statement-body" },
        at
          ? h("a", { class: "statement-quote", href: at }, excerpt(plain(one.quote || one.text), 320))
          : h("p", { class: "statement-quote" }, excerpt(plain(one.quote || one.text), 320)),
        h(
          "p",
          { class: "source-facts statement-facts" },
          where.length > 0 ? h("span", {}, plain(where.join(" · "))) : null,
          h(
            "button",
            {
              type: "button",
              class: "link",
              "aria-label": t("Cited in the report: [{label}]", { label: one.label }),
              on: { click: () => toMark(String(one.number)) },
            },
            t("Cited in the report"),
          ),
        ),
      ),
    );
  }

  /** The title of a source, what it is and where it is from. */
  function about(one) {
    const facts = [kindWords(one.type), siteOf(one)];
    return [
      h("p", { class: "source-title" }, plain(one.title || one.source_uri)),
      h(
        "p",
        { class: "source-facts" },
        facts.filter(Boolean).flatMap((fact, index) => (index > 0 ? [" · ", fact] : [fact])),
      ),
    ];
  }

  function alsoRead(groups) {
    return h(
      "details",
      { class: "also-read" },
      h("summary", {}, t("Read but not cited ({count})", { count: groups.length })),
      h("ol", { class: "sources-list" }, groups.map(readEntry)),
    );
  }

  /** A source that is read, with the passages of it that were put before the writer. */
  function readEntry(passages) {
    const list = h("ul", { class: "passages" }, passages.slice(0, MOST_PASSAGES).map(passage));
    const entry = h(
      "li",
      { class: "source", dataset: { cited: "false" } },
      h("div", { class: "source-body" }, about(passages[0]), list),
    );
    entries.set(keyOf(passages[0]), { list, count: passages.length });
    return entry;
  }

  function passage(one) {
    const at = addressOf(one);
    const text = excerpt(plain(withoutHeading(one.text ?? "")), 160);
    const where = [section(one), onPage(one)].filter(Boolean);
    return h(
      "li",
      { class: "passage" },
      at ? h("a", { class: "statement-quote", href: at }, text) : h("span", {}, text),
      where.length > 0 ? h("p", { class: "source-facts" }, plain(where.join(" · "))) : null,
    );
  }

  /** While evidence comes in, it is added behind what may be read or focused right now. */
  function grow() {
    for (const one of evidence.slice(drawn)) {
      const known = entries.get(keyOf(one));
      if (!known) add(cited, readEntry([one]));
      else {
        known.count += 1;
        if (known.count <= MOST_PASSAGES) add(known.list, passage(one));
      }
    }
    drawn = evidence.length;
  }

  draw();
  return {
    body,
    /** How many sources there are, however many passages of each. */
    count: () => new Set(evidence.map(keyOf)).size,
    put(nextEvidence, nextCitations) {
      const grows =
        nextEvidence === evidence &&
        nextCitations === citations &&
        drawn > 0 &&
        !citations.some((one) => one.number);
      evidence = nextEvidence;
      citations = nextCitations;
      if (grows) grow();
      else draw();
    },
  };
}

/** Statements of one document belong together. */
const keyOf = (one) => one.source_uri || one.document_id || one.evidence_id;

function group(all, key = keyOf) {
  const groups = new Map();
  for (const one of all) {
    const known = groups.get(key(one));
    if (known) known.push(one);
    else groups.set(key(one), [one]);
  }
  return [...groups.values()];
}

/** Where a statement is opened: in its document, or the table of a figure; an execution has neither. */
function addressOf(one) {
  if (one.type === "survey" || one.source_uri?.startsWith("survey://"))
    return one.number && one.quote ? figurePath(one.number) : null;
  if (!one.document_id || one.type === "execution") return null;
  return documentPath(one.document_id, one.start, one.end);
}

/** The section without the title of its document, which stands above. */
function section(one) {
  const title = plain(one.title || "");
  const path = plain(one.section || "");
  if (path === title) return "";
  return path.startsWith(`${title} > `) ? path.slice(title.length + 3) : path;
}

/** The site of a page on the web, or the collection and the path of a document. */
function siteOf(one) {
  const link = safeLink(one.source_uri);
  if (link) return outLink(one.source_uri, new URL(link).hostname.replace(/^www\./, ""));
  return plain(one.source_uri).replace(/^doc:\/\/(?:run-[^/]+\/)?/, "");
}

/** The heading stands above the excerpt already. */
const withoutHeading = (text) => text.replace(/^#+ .*\n+/, "");
