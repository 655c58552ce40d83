// What need not wait for the modules: the reader's colours, before the first paint, and the question who is there.
(() => {
  "use strict";
  const root = document.documentElement;
  const read = () => {
    try {
      const kept = localStorage.getItem("quaestio.scheme");
      return kept === "light" || kept === "dark" ? kept : "system";
    } catch {
      return "system";
    }
  };
  root.dataset.scheme = read();
  // Whoever reads what was shared is nobody.
  if (location.hash.startsWith("#/shared/")) return;
  const session = fetch("/api/session", {
    headers: { accept: "application/json" },
    credentials: "same-origin",
  });
  // `api.js` tells what went wrong.
  session.catch(() => {});
  window.quaestioFirst = session;
})();
