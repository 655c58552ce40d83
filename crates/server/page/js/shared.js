/** A run as somebody reads it by a link: its report with the quotes it cites, and nothing to change. */
import { h, fill } from "./dom.js";
import { api } from "./api.js";
import { idOnPage, readReport } from "./fragment.js";
import { t } from "./i18n.js";
import { problemBox } from "./problems.js";
import { drawSigns } from "./signs.js";
import { dateAndTime, statusWords } from "./words.js";

/** @param {string} token of the link; it is sent as a header and stands in no address that a server sees */
export function sharedView(token) {
  const life = new AbortController();
  const { signal } = life;
  const heading = h("h1", { tabindex: "-1", class: "run-question" }, t("A shared report"));
  const about = h("p", { class: "run-about" });
  const body = h("div", { class: "shared-body" }, h("p", { class: "muted" }, t("Loading…")));
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
  const content = readReport(report.html);
  drawSigns(content);
  const marks = [...content.querySelectorAll("a[data-number]")];
  const listed = new Map(marks.map((mark) => [mark.dataset.number, mark]));
  for (const mark of marks) toSource(mark, listed.get(mark.dataset.number));
  // Other pages of the server are not shared.
  for (const link of content.querySelectorAll("a[href^='#/']")) link.removeAttribute("href");
  for (const link of content.querySelectorAll("a[href^='#']")) link.addEventListener("click", toHeading);
  text.append(content);
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

/** A link to a heading scrolls there; the address stays that of the link that the report was opened by. */
function toHeading(event) {
  event.preventDefault();
  const id = event.currentTarget.getAttribute("href").slice(1);
  document.getElementById(idOnPage(id))?.scrollIntoView({ block: "start" });
}
