// Who takes part in a scene: people with a browser, and the watch that is kept over what their browser does.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import * as stage from "./stage.mjs";

const LONG_MILLISECONDS = 20_000;

/** @param {import("playwright-core").Browser} browser @param {string} scene @param {string} browserName */
export function cast(browser, scene, browserName) {
  const people = [];
  let servers = 0;
  let models = 0;
  return {
    serve: (variables) => stage.serve(`${scene}-${(servers += 1)}`, variables),
    /** Whether this browser can be driven by a finger, and says what it keeps on the clipboard. */
    isWhole: browserName === "chromium",
    model: () => stage.model(`${scene}-${(models += 1)}`),

    /** Somebody opens the page of that server. */
    async person(server, options = {}) {
      const context = await browser.newContext({
        baseURL: server.url, viewport: { width: 1440, height: 900 }, reducedMotion: "reduce", locale: "en-GB", timezoneId: "UTC", acceptDownloads: true, ...options,
      });
      context.setDefaultTimeout(LONG_MILLISECONDS);
      await context.addInitScript(() => { window.__pwned = 0; });
      const watch = keepWatch(context, server.url);
      const page = await context.newPage();
      people.push({ context, watch, page });
      await page.goto("/");
      return { page, context, watch };
    },

    /** Ends the scene: whatever the watch has seen makes it fail. */
    async close(failing = false) {
      const seen = [];
      for (const [index, { context, watch, page }] of people.entries()) {
        if (failing && process.env.QUAESTIO_SCREENSHOTS && !page.isClosed()) {
          mkdirSync(process.env.QUAESTIO_SCREENSHOTS, { recursive: true });
          await page.screenshot({ path: join(process.env.QUAESTIO_SCREENSHOTS, `failed-${scene}-${index}.png`) }).catch(() => {});
        }
        seen.push(...watch.seen());
        await context.close();
      }
      if (failing && seen.length > 0) console.error(`the watch saw:\n  ${seen.join("\n  ")}`);
      if (!failing && seen.length > 0) throw new Error(`what a person should never see happened:\n  ${seen.join("\n  ")}`);
    },
  };
}

/** Notes errors in the console and in scripts, requests that failed, requests elsewhere, and dialogs of the browser. */
function keepWatch(context, url) {
  const faults = [];
  const own = new URL(url).origin;
  /** What a scene provokes on purpose, while it does: `{ status, path }`, or "away" while the server is. */
  const provoked = [];

  const away = () => provoked.includes("away");
  const meant = (address, status) => provoked.some((one) => one.path?.test(new URL(address).pathname) && (status === undefined || one.status === status));
  const note = (fault) => faults.push(fault);

  context.on("request", (request) => {
    const address = new URL(request.url());
    if (address.origin !== own && !["blob:", "data:"].includes(address.protocol)) note(`a request elsewhere: ${request.method()} ${request.url()}`);
  });
  context.on("response", (response) => {
    if (response.status() >= 400 && !meant(response.url(), response.status())) note(`${response.request().method()} ${response.url()} answered ${response.status()}`);
  });
  context.on("requestfailed", (request) => {
    const why = request.failure()?.errorText ?? "";
    // Aborted is what the page itself no longer wants: an estimate that was overtaken, a stream of a run that was left.
    if (!["net::ERR_ABORTED", "NS_BINDING_ABORTED"].includes(why) && !away()) note(`${request.method()} ${request.url()} failed: ${why}`);
  });
  context.on("console", (message) => {
    if (!["error", "warning", "assert"].includes(message.type())) return;
    const at = message.location().url;
    const failedLoad = message.text().startsWith("Failed to load resource");
    if (failedLoad && (away() || (at && meant(at)))) return;
    note(`console ${message.type()}: ${message.text()} (${at}:${message.location().lineNumber})`);
  });
  context.on("weberror", (error) => note(`error of the page: ${error.error().stack ?? error.error()}`));
  context.on("dialog", (dialog) => {
    note(`the browser showed a dialog: ${dialog.type()} ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });

  return {
    seen: () => faults,
    /** Returns what was seen so far and forgets it. */
    take: () => faults.splice(0),
    /** While `act` lasts, what matches `expected` is no fault. */
    async while(expected, act) {
      provoked.push(expected);
      try {
        return await act();
      } finally {
        provoked.splice(provoked.indexOf(expected), 1);
      }
    },
  };
}
