// The colour scheme: what the reader chose, set before the first paint; without a choice the system's.
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
})();
