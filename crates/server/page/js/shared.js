/** A run as somebody reads it by a link: its report with the quotes it cites, and nothing to change. */
import { h, fill, safeLink } from "./dom.js";
import { api } from "./api.js";
import { t } from "./i18n.js";
import { problemBox } from "./problems.js";
import { dateAndTime, statusWords } from "./words.js";

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
    h(
      "header",
      { class: "page-head" },
      h("p", { class: "shared-note" }, t("Shared with you · read only")),
      heading,
      about,
    ),
    body,
  );
  let title = t("A shared report");

  async function load() {
    try {
      const [run, report] = await Promise.all([
        api.shared(token, "", signal),
        api.shared(token, "report", signal),
      ]);
      title = run.title || run.question;
      document.title = `${title.slice(0, 80)} · Quaestio`;
      fill(heading, run.title || run.question);
      fill(
        about,
        [run.method_title, statusWords(run.status, run), dateAndTime(run.created_at)].join(" · "),
        run.title ? h("span", { class: "shared-question" }, run.question) : null,
      );
      fill(body, reportOf(report));
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

/** The report. Its marks lead to where it lists its sources: the documents themselves are not shared. */
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
  const marks = [...template.content.querySelectorAll("a[data-number]")];
  const listed = new Map(marks.map((mark) => [mark.dataset.number, mark]));
  for (const mark of marks) toSource(mark, listed.get(mark.dataset.number));
  for (const link of template.content.querySelectorAll("a[href]")) tame(link);
  text.append(template.content);
  article.append(text);
  return article;
}

/** A mark leads to the last one of its number, which stands where the sources are listed; that one leads nowhere. */
function toSource(mark, source) {
  if (mark === source) {
    mark.replaceWith(
      h("span", { class: "shared-source", tabindex: "-1", dataset: mark.dataset }, mark.textContent),
    );
    return;
  }
  const { number } = mark.dataset;
  const button = h("button", { type: "button", class: "shared-cite" }, mark.textContent);
  button.setAttribute("aria-label", `${mark.textContent} ${t("Sources")}`);
  button.addEventListener("click", () => {
    const place = document.querySelector(`.shared-source[data-number="${CSS.escape(number)}"]`);
    place?.scrollIntoView({ block: "center" });
    place?.focus({ preventScroll: true });
  });
  mark.replaceWith(button);
}

/** Links lead to http and https in a tab of their own, or to headings of the report; all others become text. */
function tame(link) {
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
