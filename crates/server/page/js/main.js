/** The page begins: who is there, what the server can do, and the view of the address. */
import { h, fill, show } from "./dom.js";
import { api, onSignedOut } from "./api.js";
import { get, listen, set, user } from "./store.js";
import { forgetDrafts } from "./keep.js";
import { go, parse, start } from "./router.js";
import { drawer, resizer, skipLinks } from "./layout.js";
import { schemeSwitch } from "./scheme.js";
import { guardDrops } from "./dropping.js";
import { forgetUploads, onTaken } from "./upload.js";
import { closeDialogs } from "./dialog.js";
import { history } from "./history.js";
import { runView } from "./run.js";
import { loadCollections } from "./composer.js";
import { collectionsView } from "./collections.js";
import { compareView } from "./compare.js";
import { collectionView } from "./documents.js";
import { sharedView } from "./shared.js";
import { startupsView } from "./startups.js";
import { missingRun, newView, unknownView } from "./views.js";
import { documentView } from "./viewer.js";
import { beside } from "./beside.js";
import { signInView } from "./signin.js";
import { loadWords, t, translatePage } from "./i18n.js";
import { icon } from "./icons.js";
import { settingsView } from "./settings.js";
import { doctorView } from "./doctor.js";
import { notify, problemBox } from "./problems.js";

const main = document.getElementById("main");
const side = document.getElementById("panel");
const shell = document.getElementById("shell");
/** The view on display. */
let shown = null;
let first = true;
/** From signing in to signing out. */
let visit = new AbortController();

function viewOf(route) {
  switch (route.page) {
    case "new":
      return newView();
    case "run":
      return newRun(route.id);
    case "document":
      return documentView(route.id, route.query);
    case "collections":
      return collectionsView();
    case "collection":
      return collectionView(route.name);
    case "compare":
      return compareView(route.id, route.other);
    case "startups":
      return startupsView();
    case "settings":
      return settingsView();
    case "doctor":
      return doctorView();
    default:
      return unknownView();
  }
}

function newRun(id) {
  const view = runView(id, document.getElementById("panel-body"));
  view.opened.then(
    () => {
      if (shown === view) titled();
    },
    (error) => {
      if (error.name === "AbortError" || shown !== view) return;
      fill(
        view.element,
        missingRun(error, () => showRoute(get("route"), true)),
      );
      panelShown(false);
    },
  );
  return view;
}

/** The panel belongs to a run. */
function panelShown(shown) {
  show(side, shown);
  show(document.getElementById("skip-panel"), shown);
  shell.classList.toggle("with-panel", shown);
}

const titled = () => {
  document.title = `${(source.title() ?? shown.title()).slice(0, 80)} · Quaestio`;
};

/** The source beside a run. */
const source = beside({ main, side, titled: () => shown && titled() });

/** @param {any} route @param {boolean} anew whether what is on display is opened again */
function showRoute(route, anew = false) {
  if (route?.page === "shared") {
    location.reload();
    return;
  }
  if (!route || !get("settings")) return;
  if (!anew && route.page === "run" && shown?.opened && shown.id === route.id) {
    // The same run, with another source beside it or none.
    source.put(route);
    if (route.query.get("ask") === "on") shown.askOn();
    return;
  }
  source.drop();
  shown?.close();
  shown?.element.remove();
  document.getElementById("opening")?.remove();
  shown = viewOf(route);
  panelShown(Boolean(shown.opened));
  main.append(shown.element);
  main.scrollTop = 0;
  if (document.scrollingElement.scrollTop > 0) document.scrollingElement.scrollTop = 0;
  finish(route);
  if (route.page === "run") source.put(route);
}

function finish(route) {
  marked(route.page);
  titled();
  if (!first || route.page === "new") shown.focus();
  first = false;
}

function marked(page) {
  const of = { collection: "collections", doctor: "settings" }[page] ?? page;
  for (const link of document.querySelectorAll(".bar [data-page]")) {
    const on = link.dataset.page === of;
    on ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
  }
}

/** Someone is there: settings, history, and the view of the address. */
async function enter(session) {
  set("session", session);
  set("settings", await api.settings());
  shown?.close();
  shown = null;
  fill(main);
  shell.classList.remove("signed-out");
  const who = session.authentication === "token" ? session.user : null;
  document.getElementById("user").textContent = who ?? "";
  show(document.getElementById("sign-out"), who !== null);
  show(document.getElementById("history-toggle"), true);
  history(document.getElementById("history"), visit.signal);
  onTaken(() => loadCollections(visit.signal), visit.signal);
  loadCollections(visit.signal);
  get("route") ? showRoute(get("route")) : start();
}

function signIn(session) {
  visit.abort();
  closeDialogs();
  forgetUploads();
  visit = new AbortController();
  set("session", session);
  set("settings", null);
  set("collections", null);
  set("runs", null);
  set("contexts", null);
  set("surveys", null);
  shown?.close();
  source.drop();
  fill(document.getElementById("history"));
  panelShown(false);
  show(document.getElementById("sign-out"), false);
  show(document.getElementById("history-toggle"), false);
  document.getElementById("user").textContent = "";
  shell.classList.add("signed-out");
  shown = signInView(async () => {
    const next = await api.session();
    await enter(next);
  });
  fill(main, shown.element);
  titled();
  shown.focus();
}

/** A run that was shared is read without an account, and with nothing around it. Any other address begins the page anew. */
async function readShared(token) {
  await speaking;
  show(document.getElementById("history-toggle"), false);
  shell.classList.remove("with-history");
  shell.classList.add("signed-out");
  shown = sharedView(token);
  fill(main, shown.element);
  titled();
  addEventListener("hashchange", () => location.reload());
}

async function begin() {
  const { page, token } = parse(location.hash);
  if (page === "shared") {
    await readShared(token);
    return;
  }
  try {
    const [session] = await Promise.all([api.session(), speaking]);
    if (session.authentication === "token" && !session.signed_in) signIn(session);
    else await enter(session);
  } catch (error) {
    fill(
      main,
      h(
        "div",
        { class: "page" },
        h("h1", {}, t("Quaestio could not load")),
        problemBox(error, { retry: begin }),
      ),
    );
  }
}

drawer();
resizer();
skipLinks();
guardDrops();
document.getElementById("settings").prepend(icon("settings"));
/** What stands in the page already is said in the reader's language as soon as its words are there. */
const speaking = loadWords().then(() => {
  translatePage();
  schemeSwitch(document.getElementById("scheme"));
});
listen("route", showRoute);
listen("run", () => shown?.opened && titled());
onSignedOut(() => {
  const session = get("session");
  if (session?.signed_in && get("settings")) signIn({ ...session, user: null, signed_in: false });
});
document.getElementById("sign-out").addEventListener("click", async () => {
  const who = user();
  try {
    await api.signOut();
    signIn({ ...get("session"), user: null, signed_in: false });
    forgetDrafts(who);
    // Who signs in next begins at the beginning, not at the run of somebody else.
    go("#/");
  } catch (error) {
    notify(error, t("Could not sign you out"));
  }
});
begin();
