/**
 * A source beside the report: in the panel's place where there is room, else a sheet over the page. The report stays as it
 * is, and what is open stands in the address: `#/runs/ID?source=DOCUMENT&start=&end=`, `#/runs/ID?figure=NUMBER`.
 */
import { h, fill, show } from "./dom.js";
import { icon } from "./icons.js";
import { get, listen } from "./store.js";
import { besidePath, runPath } from "./router.js";
import { sourceView } from "./viewer.js";
import { figureView, toMark } from "./figure.js";
import { makeRoom } from "./layout.js";
import { labelsOf } from "./labels.js";
import { t } from "./i18n.js";

const NARROW = matchMedia("(max-width: 1023.98px)");

/** @param {{main: HTMLElement, side: HTMLElement, titled: () => void}} frame */
export function beside({ main, side, titled }) {
  const panel = document.getElementById("panel-body");
  const body = h("div", { class: "beside-body", tabindex: "-1" });
  const back = h("span", {}, "");
  const close = h(
    "button",
    { type: "button", class: "quiet beside-close", id: "back", on: { click: leave } },
    icon("back"),
    back,
  );
  const box = h(
    "section",
    { class: "beside", id: "beside", hidden: true },
    h("div", { class: "beside-bar" }, close),
    body,
  );
  side.append(box);

  /** The source on display, its address, and where the reader came from. */
  let view = null;
  let shown = "";
  let from = null;
  /** Whether the page before this one in the browser's history is the same run without a source. */
  let pushed = false;

  /** Shows what the address says is open; nothing where it names nothing. @param {{id: string, query: URLSearchParams}} route */
  function put(route) {
    const source = route.query.get("source");
    const figure = route.query.get("figure");
    const next = source || figure ? `${route.id}?${route.query}` : "";
    if (next === shown) return;
    shown = next;
    view?.close();
    view = null;
    if (!next) {
      hide();
      return;
    }
    const used = (number) => backLink(number);
    view = source
      ? sourceView(source, route.query, { level: "h2", ready: titled, used })
      : figureView(figure, { used, whenReady });
    fill(body, view.element);
    body.scrollTop = 0;
    open();
    view.focus();
  }

  function open() {
    if (!box.hidden) {
      titled();
      return;
    }
    keepingPlace(() => {
      box.setAttribute("aria-label", t("Source"));
      name();
      show(box, true);
      show(panel, false);
      makeRoom(true);
    });
    modal();
    titled();
  }

  function name() {
    back.textContent = NARROW.matches ? t("Back to the report") : t("Back to Sources");
  }

  function hide() {
    if (box.hidden) return;
    keepingPlace(() => {
      show(box, false);
      show(panel, true);
      fill(body);
      makeRoom(false);
    });
    modal();
    titled();
    if (from?.isConnected) from.focus({ preventScroll: true });
    from = null;
    pushed = false;
  }

  /** The sheet is all there is for the keyboard and for screen readers as long as it covers the page. */
  function modal() {
    const covers = NARROW.matches && !box.hidden;
    for (const one of [main, document.querySelector(".bar")]) one.inert = covers;
    document.documentElement.classList.toggle("covered", covers);
    if (covers) {
      box.setAttribute("role", "dialog");
      box.setAttribute("aria-modal", "true");
    } else {
      box.removeAttribute("role");
      box.removeAttribute("aria-modal");
    }
  }

  /** Where the report stood before a source came beside it, and where with it. */
  let stood = null;

  /** The report is set anew in another width: what is read keeps its place on the screen. */
  function keepingPlace(change) {
    if (NARROW.matches) {
      change();
      return;
    }
    const anchor = anchorIn(main, from);
    const top = anchor?.getBoundingClientRect().top ?? 0;
    const before = main.scrollTop;
    const back = stood && Math.abs(stood.beside - before) < 2 ? stood.alone : null;
    change();
    if (back !== null && box.hidden) main.scrollTop = back;
    else if (anchor) main.scrollTop += anchor.getBoundingClientRect().top - top;
    stood = box.hidden ? null : { alone: before, beside: main.scrollTop };
  }

  /** Leaves the source. Where it was opened from the report, that is one step back. */
  function leave() {
    const run = get("route");
    if (pushed) window.history.back();
    else if (run?.page === "run") location.replace(runPath(run.id));
  }

  /** "Used in": from the statement to its sentence in the report. */
  function backLink(number) {
    const label = labelsOf(get("citations")).get(number) ?? number;
    return h(
      "button",
      {
        type: "button",
        class: "link",
        on: {
          click: () => {
            from = null;
            if (NARROW.matches) {
              const hidden = () => !box.hidden || toMark(number);
              leave();
              listenOnce(hidden);
            } else toMark(number);
          },
        },
      },
      t("Show [{label}] in the report", { label }),
    );
  }

  /** Calls once the sheet is gone. */
  function listenOnce(call) {
    const once = new AbortController();
    listen(
      "route",
      () => {
        once.abort();
        requestAnimationFrame(call);
      },
      once.signal,
    );
  }

  /** A figure's table stands in the report, which may still be on its way. */
  function whenReady(call, signal) {
    listen("citations", (citations) => citations.length > 0 && requestAnimationFrame(call), signal);
    call();
  }

  // A plain click on a link to a source opens it here; every other way of opening it leads to a page of its own.
  document.addEventListener("click", (event) => {
    const route = get("route");
    if (route?.page !== "run" || event.defaultPrevented || event.button !== 0) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const path = link ? besidePath(route.id, link) : null;
    if (!path) return;
    event.preventDefault();
    openAt(path, link.closest(".cite-box")?.previousElementSibling ?? link);
  });

  function openAt(path, link) {
    if (box.hidden) {
      from = link;
      pushed = true;
      location.hash = path;
      return;
    }
    if (!box.contains(link)) from = link;
    location.replace(path);
  }

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || !box.contains(document.activeElement)) return;
    event.preventDefault();
    leave();
  });
  NARROW.addEventListener("change", () => {
    if (!box.hidden) name();
    modal();
  });
  return {
    put,
    /** Without a word: another run or page is shown. */
    drop() {
      view?.close();
      view = null;
      shown = "";
      from = null;
      hide();
    },
    title: () => view?.title() ?? null,
  };
}

/** What stands in the upper third of the report, or what was clicked. */
function anchorIn(main, from) {
  if (from?.isConnected && main.contains(from)) return from;
  const { left, top, width, height } = main.getBoundingClientRect();
  const found = document.elementFromPoint(left + width / 2, top + height / 3);
  return found && found !== main && main.contains(found) ? found : null;
}
