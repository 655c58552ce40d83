/** The Sources tab: the evidence of the run, all of it or what is cited, each opening its source at the span. */
import { add, h, fill, outLink, safeLink } from "./dom.js";
import { plain } from "./plain.js";
import { excerpt, kindWords } from "./words.js";
import { documentPath } from "./router.js";

export function sources() {
  let evidence = [];
  let citations = [];
  let only = "all";
  let drawn = 0;
  const list = h("ol", { class: "sources-list" });
  const buttons = ["all", "cited"].map((which) =>
    h("button", {
      type: "button",
      class: "segment",
      "aria-pressed": String(which === only),
      on: {
        click: () => {
          only = which;
          draw();
        },
      },
    }),
  );
  const body = h(
    "div",
    { class: "sources" },
    h("div", { class: "segments", role: "group", "aria-label": "Which sources" }, buttons),
    list,
  );

  /** How often each piece of evidence is cited, and by which marks. */
  const marks = (one) =>
    citations
      .filter((citation) => citation.evidence_id === one.evidence_id && citation.number)
      .map((citation) => citation.number);

  const cited = () => evidence.filter((one) => one.cited || marks(one).length > 0);

  function label() {
    buttons[0].textContent = `All ${evidence.length}`;
    buttons[1].textContent = `Cited ${cited().length}`;
    buttons[0].setAttribute("aria-pressed", String(only === "all"));
    buttons[1].setAttribute("aria-pressed", String(only === "cited"));
  }

  function draw() {
    label();
    const shown = only === "all" ? evidence : cited();
    drawn = only === "all" ? evidence.length : 0;
    const none =
      evidence.length === 0
        ? "No evidence so far: nothing was put before the writer."
        : "None of the evidence is cited.";
    fill(list, shown.length > 0 ? shown.map(card) : h("li", { class: "muted empty" }, none));
  }

  function card(one) {
    // A figure and an execution are no documents that could be opened.
    const isDocument = one.document_id && !["survey", "execution"].includes(one.type);
    const at = isDocument ? documentPath(one.document_id, one.start, one.end) : null;
    const title = plain(one.title || one.source_uri);
    const numbers = marks(one);
    const section = one.section?.startsWith(`${title} > `)
      ? one.section.slice(title.length + 3)
      : one.section === title
        ? ""
        : one.section;
    const facts = [
      kindWords(one.type),
      one.page ? `page ${one.page}` : null,
      Number.isFinite(one.score) ? `score ${one.score.toFixed(2)}` : null,
      numbers.length > 0
        ? `cited as ${numbers.map((number) => `[${number}]`).join(" ")}`
        : one.cited
          ? "cited"
          : null,
    ].filter(Boolean);
    return h(
      "li",
      { class: "source", dataset: { cited: String(numbers.length > 0 || one.cited === true) } },
      h("span", { class: "source-number", "aria-label": `Evidence ${one.number}` }, one.number),
      h(
        "div",
        { class: "source-body" },
        h(
          "p",
          { class: "source-title" },
          at ? h("a", { href: at, title: "Open the source at this place" }, title) : title,
        ),
        section ? h("p", { class: "source-section" }, plain(section)) : null,
        h("p", { class: "source-excerpt" }, excerpt(plain(withoutHeading(one.text)), 260)),
        h("p", { class: "source-facts" }, facts.join(" · ")),
        h(
          "p",
          { class: "source-uri" },
          safeLink(one.source_uri) ? outLink(one.source_uri) : plain(one.source_uri),
        ),
      ),
    );
  }

  draw();
  return {
    body,
    put(nextEvidence, nextCitations) {
      // While evidence comes in, cards are added behind those that may be read or focused right now.
      const more = nextEvidence === evidence && nextCitations === citations && only === "all" && drawn > 0;
      evidence = nextEvidence;
      citations = nextCitations;
      if (more) {
        label();
        add(list, evidence.slice(drawn).map(card));
        drawn = evidence.length;
      } else draw();
    },
  };
}

/** The heading stands above the excerpt already. */
const withoutHeading = (text) => text.replace(/^#+ .*\n+/, "");
