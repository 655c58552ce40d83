/** One turn of a debate on display: the words as they come, then the checked response in its parts. */
import { h, fill, outLink, safeLink, show } from "./dom.js";
import { icon } from "./icons.js";
import { list, titleOf } from "./debate.js";
import { codeBlock, trialBlock } from "./execution.js";
import { t } from "./i18n.js";
import { plain, plainLine } from "./plain.js";
import { documentPath } from "./router.js";
import { signOf } from "./signs.js";
import { excerpt, kindWords, plural } from "./words.js";

/** Characters of a query that are shown; all of them stand in the activity. */
const QUERY_CHARACTERS = 400;

/**
 * @param {import("./debate.js").Turn} turn
 * @param {{passage: (number: number) => any, placeOf: (number: number) => string|null,
 *   quoted: (turn: any, quotation: string) => import("./debate.js").Turn|null,
 *   lead: (turn: import("./debate.js").Turn) => void, here: string}} of what the turn refers to
 */
export function turnView(turn, of) {
  const title = titleOf(turn.who);
  const name = `turn-${turn.key}`;
  const head = h(
    "h3",
    { class: "turn-title", id: name, tabindex: "-1" },
    title,
    " ",
    h("span", { class: "turn-role" }, turn.who === "optimist" ? t("optimist") : t("pessimist")),
  );
  const cycle = h("span", { class: "turn-cycle" });
  const facts = h("div", { class: "turn-facts" });
  const label = h("p", { class: "draft-label" });
  const words = h("div", { class: "turn-words" });
  const draft = h(
    "section",
    { class: "draft", "aria-label": t("Draft of {who}", { who: title }), hidden: true },
    label,
    words,
  );
  const note = h("p", { class: "turn-note", hidden: true });
  const response = h("div", { class: "turn-response" });
  const element = h(
    "li",
    { class: "turn", dataset: { who: turn.who } },
    h(
      "article",
      { "aria-labelledby": name },
      h("header", { class: "turn-head" }, head, cycle),
      facts,
      draft,
      note,
      response,
    ),
  );
  let factsShown = "";
  let said = null;

  function drawFacts() {
    const { query, ingested, retrieved } = turn.said ?? turn;
    const now = JSON.stringify([query, ingested, retrieved]);
    if (now === factsShown) return;
    factsShown = now;
    const found = [
      ingested ? t("Papers read: {arxiv} from arXiv, {crossref} from Crossref", ingested) : null,
      Number.isInteger(retrieved) ? plural(retrieved, "passage") : null,
    ].filter(Boolean);
    fill(
      facts,
      query
        ? h(
            "p",
            { class: "turn-query" },
            t("Searched for"),
            " ",
            h("q", { dir: "auto" }, excerpt(plain(query), QUERY_CHARACTERS)),
          )
        : null,
      found.length > 0 ? h("p", { class: "turn-found" }, found.join(" · ")) : null,
    );
  }

  function drawDraft() {
    const shown = !turn.said && turn.words !== "";
    if (shown) {
      const text = plain(turn.words);
      if (words.textContent !== text) words.textContent = text;
      label.textContent = turn.cut
        ? t("draft, never checked: the debate ended first")
        : turn.writing
          ? t("draft, not yet checked")
          : t("draft, being checked");
    }
    show(draft, shown);
    const told = turn.said ? "" : noteWords();
    note.textContent = told;
    show(note, told !== "");
  }

  function noteWords() {
    if (turn.cut) return turn.words ? "" : t("The debate ended before this turn was finished.");
    if (turn.execution === "running") return t("The proposed code is being run…");
    if (turn.faults.length > 0)
      return t("An attempt failed: {why}", { why: excerpt(plain(turn.faults.at(-1)), 300) });
    if (turn.writing && !turn.words) return t("Starting to write…");
    return turn.words ? "" : t("Reading…");
  }

  return {
    element,
    head,
    /** Draws what has changed since. */
    draw() {
      drawFacts();
      drawDraft();
      const state = turn.said ? "checked" : turn.cut ? "cut" : "open";
      element.dataset.state = state;
      if (!turn.said || said === turn.said) return;
      said = turn.said;
      cycle.textContent = Number.isInteger(said.cycle) ? t("turn {number}", { number: said.cycle }) : "";
      fill(response, responseParts(turn, of));
    },
  };
}

function responseParts(turn, of) {
  const { said } = turn;
  const sentences = (all) => sentencesOf(all, of);
  const part = (title, name, ...children) =>
    h("section", { class: `turn-part turn-${name}` }, h("h4", {}, title), children);
  const prose = (title, name, all) =>
    list(all).length > 0 ? part(title, name, h("p", { dir: "auto" }, sentences(all))) : null;
  return [
    prose(t("Position"), "position", said.position),
    prose(t("Evidence synthesis"), "synthesis", said.synthesis),
    list(said.critique).length > 0
      ? part(
          t("Critique"),
          "critique",
          list(said.critique).map((one) => critique(turn, one, of)),
        )
      : null,
    said.proposal
      ? part(
          t("Proposal"),
          "proposal",
          list(said.proposal.explanation).length > 0
            ? h("p", { dir: "auto" }, sentences(said.proposal.explanation))
            : null,
          said.proposal.code ? codeBlock(said.proposal) : null,
          h("h5", {}, t("Execution")),
          trialBlock(said.proposal.trial),
        )
      : null,
    prose(t("Next step"), "next", said.next_step),
    verdict(said),
    evidenceOf(said, of),
    list(said.references).length > 0
      ? part(
          t("References"),
          "references",
          h(
            "ul",
            {},
            list(said.references).map((one) => reference(one, of)),
          ),
        )
      : null,
  ];
}

/** Sentences, each followed by its marks and the sign of its verdict; a conclusion begins with its sign. */
function sentencesOf(all, of) {
  return list(all).flatMap((one, index) => [
    index > 0 ? " " : null,
    one?.verdict === "inferred" ? [signOf(one.verdict), " "] : null,
    h("span", { class: "sentence" }, plainLine(one?.text)),
    marked(
      list(one?.numbers).filter(Number.isInteger),
      one?.verdict && one.verdict !== "inferred" ? signOf(one.verdict) : null,
      of,
    ),
    one?.verdict === "unsupported"
      ? h("strong", { class: "turn-unsupported" }, " ", t("[unsupported]"))
      : null,
  ]);
}

/** The marks behind a sentence; no line begins with the sign behind the last of them. */
function marked(numbers, behind, of) {
  const marks = numbers.map((number) => mark(number, of));
  if (marks.length === 0) return behind;
  const last = h("span", { class: "signed" }, marks.pop(), behind);
  return [...marks, last].map((one) => [" ", one]);
}

const mark = (number, of) =>
  h("a", { class: "cite", href: of.placeOf(number) ?? of.here, dataset: { number } }, `[${number}]`);

/** What is held against the other, under the other's own words. */
function critique(turn, one, of) {
  const quotation = plainLine(one?.quotation);
  const source = quotation ? of.quoted(turn, one.quotation) : null;
  const other = titleOf(turn.who === "optimist" ? "pessimist" : "optimist");
  return h(
    "div",
    { class: "critique" },
    quotation
      ? h(
          "blockquote",
          { class: "quotation" },
          h("p", { dir: "auto" }, quotation),
          h(
            "footer",
            {},
            source
              ? h(
                  "a",
                  {
                    href: of.here,
                    on: {
                      click: (event) => {
                        event.preventDefault();
                        of.lead(source);
                      },
                    },
                  },
                  Number.isInteger(source.said?.cycle)
                    ? t("{who}, turn {number}", { who: other, number: source.said.cycle })
                    : other,
                )
              : other,
          ),
        )
      : null,
    h("p", { dir: "auto" }, sentencesOf([one?.remark], of)),
  );
}

const MARKERS = [
  ["agreement", "Agreement", { AGREE: "good", DISAGREE: "warn" }],
  ["viability", "Viability", { VIABLE: "good", NOT_VIABLE: "warn" }],
  ["validation", "Validation", { PASS: "good", FAIL: "bad", "N/A": "none" }],
  ["answer", "Answer", { VERIFIED: "good", UNVERIFIED: "warn" }],
];

function verdict({ markers = {}, overruled }) {
  const conclusion = plainLine(markers?.conclusion);
  const reason = plainLine(markers?.verification_reason);
  return h(
    "section",
    { class: "turn-part turn-verdict" },
    h("h4", {}, t("Verdict")),
    h(
      "dl",
      { class: "markers" },
      MARKERS.filter(([key]) => typeof markers?.[key] === "string").map(([key, title, states]) =>
        h(
          "div",
          { class: "marker", dataset: { state: states[markers[key]] ?? "none" } },
          h("dt", {}, t(title)),
          h("dd", {}, plainLine(markers[key]).replace(/_/g, " ")),
        ),
      ),
    ),
    overruled
      ? h(
          "p",
          { class: "overruled", role: "note" },
          icon("alert"),
          h("span", {}, h("strong", {}, t("Overruled:"), " "), plainLine(overruled)),
        )
      : null,
    reason ? h("p", { dir: "auto" }, h("strong", {}, t("Reason:"), " "), reason) : null,
    conclusion ? h("p", { dir: "auto" }, h("strong", {}, t("Conclusion:"), " "), conclusion) : null,
  );
}

/** The passages of a turn, written out only when they are wanted. */
function evidenceOf(said, of) {
  const numbers = list(said.evidence).filter(Number.isInteger);
  if (numbers.length === 0) return h("p", { class: "turn-nothing" }, t("This turn had no passages."));
  const passages = h("ol", { class: "passages" });
  const details = h(
    "details",
    { class: "turn-evidence" },
    h(
      "summary",
      {},
      t("Evidence for this turn: {passages}", { passages: plural(numbers.length, "passage") }),
    ),
    passages,
  );
  details.addEventListener("toggle", () => {
    if (details.open && !passages.hasChildNodes())
      fill(
        passages,
        numbers.map((number) => passage(number, of)),
      );
  });
  return details;
}

function passage(number, of) {
  const one = of.passage(number);
  if (!one) return h("li", { class: "passage" }, t("Passage {number} is not in the log.", { number }));
  const { provenance = {} } = one;
  const title = plainLine(provenance.title) || plainLine(one.source_uri);
  const at = provenance.document_id
    ? documentPath(provenance.document_id, provenance.start ?? null, provenance.end ?? null)
    : null;
  return h(
    "li",
    { class: "passage" },
    h("p", { class: "passage-title", dir: "auto" }, at ? h("a", { href: at }, title) : title),
    h("p", { class: "passage-facts" }, kindWords(one.type), " · ", address(one.source_uri)),
    h("p", { class: "passage-text", dir: "auto" }, plain(one.text).trim()),
  );
}

const address = (uri) => (safeLink(uri) ? outLink(uri, plainLine(uri)) : plainLine(uri));

function reference(one, of) {
  const text = plainLine(one?.text);
  const uri = String(one?.source_uri ?? "");
  return h(
    "li",
    {},
    list(one?.numbers)
      .filter(Number.isInteger)
      .map((number) => [mark(number, of), " "]),
    h("span", { dir: "auto" }, text),
    safeLink(uri) && !text.includes(uri) ? [" ", outLink(uri, plainLine(uri))] : null,
  );
}
