/** The small views: the page that asks, and those that say what is not there. */
import { h } from "./dom.js";
import { NEW } from "./aside.js";
import { composer } from "./composer.js";
import { examples } from "./examples.js";
import { t } from "./i18n.js";
import { problemBox } from "./problems.js";

/** The page that asks. */
export function newView() {
  const life = new AbortController();
  const asked = composer({ place: NEW, signal: life.signal });
  const heading = h("h1", { tabindex: "-1" }, t("Ask a question, get an answer you can check"));
  const element = h(
    "div",
    { class: "page new-page" },
    h(
      "header",
      { class: "page-head" },
      heading,
      h(
        "p",
        { class: "lead" },
        t("Every sentence links to a quote in its source, and Quaestio checks each one."),
      ),
    ),
    asked.element,
    examples(life.signal),
  );
  return { element, title: () => t("New question"), focus: () => asked.focus(), close: () => life.abort() };
}

/** An address that leads nowhere. */
export function unknownView() {
  const heading = h("h1", { tabindex: "-1" }, t("Page not found"));
  return {
    element: h(
      "div",
      { class: "page" },
      heading,
      h(
        "p",
        {},
        t("Check the address, choose a run from the history, or start again:"),
        " ",
        h("a", { href: "#/" }, t("Ask a question")),
      ),
    ),
    title: () => t("Page not found"),
    focus: () => heading.focus(),
    close: () => {},
  };
}

/** A run that cannot be shown. `retry` opens it again. */
export function missingRun(error, retry) {
  const heading = h(
    "h1",
    { tabindex: "-1" },
    error.status === 404 ? t("Run not found") : t("Could not open the run"),
  );
  return h(
    "div",
    { class: "page" },
    heading,
    problemBox(error, { retry: error.status === 404 ? undefined : retry }),
  );
}
