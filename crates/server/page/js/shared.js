/** A run as somebody reads it by a link: its report and the quotes it cites, and nothing to change. */
import { h, fill, outLink, safeLink } from "./dom.js";
import { api } from "./api.js";
import { t } from "./i18n.js";
import { problemBox } from "./problems.js";
import { dateAndTime, kindWords, statusWords } from "./words.js";

/** @param {string} token of the link; it is sent as a header and stands in no address that a server sees */
export function sharedView(token) {
  const life = new AbortController();
  const { signal } = life;
  const heading = h("h1", { tabindex: "-1", class: "run-question" }, t("A shared report"));
  const about = h("p", { class: "run-about" });
  const body = h("div", { class: "shared-body" }, h("p", { class: "muted" }, t("Reading…")));
  const element = h(
    "div",
    { class: "page shared-page" },
    h("header", { class: "page-head" }, h("p", { class: "shared-note" }, t("Shared with you · read only")), heading, about),
    body,
  );
  let title = t("A shared report");

  async function load() {
    try {
      const [run, report, { evidence }] = await Promise.all([
        api.shared(token, "", signal),
        api.shared(token, "report", signal),
        api.shared(token, "evidence", signal),
      ]);
      title = run.title || run.question;
      document.title = `${title.slice(0, 80)} · Quaestio`;
      fill(heading, run.title || run.question);
      fill(
        about,
        [run.method_title, statusWords(run.status, run), dateAndTime(run.created_at)].join(" · "),
        run.title ? h("span", { class: "shared-question" }, run.question) : null,
      );
      fill(body, reportOf(report), sourcesOf(evidence));
    } catch (error) {
      if (error.name === "AbortError") return;
      fill(body, problemBox(error, error.status === 404 || error.status === 403 ? {} : { retry: load }));
    }
  }
  load();
  return {
    element,
    title: () => title,
    focus: () => heading.focus({ preventScroll: true }),
    close: () => life.abort(),
  };
}

/** The report. Its marks lead to the sources below it: the documents themselves are not shared. */
function reportOf(report) {
  const article = h("article", { class: "report", "aria-label": t("Report") });
  const text = h("div", { class: "report-body" });
  // As in the report of a run: the fragment that the server rendered and sanitised.
  const template = document.createElement("template");
  template.innerHTML = report.html;
  for (const one of template.content.querySelectorAll("[id]")) one.id = `section-${one.id}`;
  for (const table of template.content.querySelectorAll("table")) {
    const wide = h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": t("Table") });
    table.replaceWith(wide);
    wide.append(table);
  }
  for (const link of template.content.querySelectorAll("a")) tame(link);
  text.append(template.content);
  article.append(text);
  return article;
}

function tame(link) {
  const { number } = link.dataset;
  if (number) {
    const mark = h("button", { type: "button", class: "cite shared-cite", dataset: { number } }, link.textContent);
    mark.setAttribute("aria-label", t("Source {number}", { number }));
    mark.addEventListener("click", () => reveal(number));
    link.replaceWith(mark);
    return;
  }
  const href = link.getAttribute("href") ?? "";
  if (href.startsWith("#") && !href.startsWith("#/")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      document.getElementById(`section-${href.slice(1)}`)?.scrollIntoView({ block: "start" });
    });
  } else if (!safeLink(href)) link.removeAttribute("href");
  else {
    link.target = "_blank";
    link.rel = "noopener noreferrer nofollow";
  }
}

function reveal(number) {
  const source = document.getElementById(`shared-source-${number}`);
  source?.scrollIntoView({ block: "center" });
  source?.focus({ preventScroll: true });
}

/** What is cited, with the quotes. */
const sourcesOf = (evidence) =>
  evidence.length === 0
    ? null
    : h(
        "section",
        { class: "shared-sources" },
        h("h2", {}, t("Sources")),
        h(
          "ol",
          {},
          evidence.map((one) =>
            h(
              "li",
              { id: `shared-source-${one.number}`, tabindex: "-1" },
              h("span", { class: "shared-number" }, `[${one.number}]`),
              h(
                "div",
                {},
                h("p", { class: "shared-title" }, one.title || one.source_uri),
                h(
                  "p",
                  { class: "muted" },
                  [kindWords(one.type), one.section, one.page ? t("page {number}", { number: one.page }) : null]
                    .filter(Boolean)
                    .join(" · "),
                ),
                safeLink(one.source_uri) ? h("p", {}, outLink(one.source_uri)) : null,
                one.quotes.map((quote) => h("blockquote", {}, quote)),
              ),
            ),
          ),
        ),
      );
