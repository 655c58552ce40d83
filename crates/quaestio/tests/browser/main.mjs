// Runs the scenes, one after the other, in Chromium and then what two browsers may do differently in Firefox; each scene has
// contexts of its own. `BROWSERS=firefox` runs one browser alone.
import { chromium, firefox } from "playwright-core";
import { cast } from "./cast.mjs";

const NAMES = ["watch", "first", "offline", "source", "reload", "gate", "plan", "clarify", "market", "brief", "startups", "debate", "check", "reading", "cancel", "after", "history", "attack", "signin", "settings", "keyboard", "measured"];

/** What runs only where it is named. */
const ONLY_NAMED = ["gallery"];

/** What is tried in Firefox as well: not what its driver cannot do (fingers, clipboard, bodies of requests that are held back). */
const IN_FIREFOX = ["offline", "source", "gate", "plan", "market", "brief", "reading", "after", "keyboard"];

/** Nothing but this machine can be reached, whatever the browser or the page would like to ask. */
const ARGUMENTS = [
  "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
  "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => ![...NAMES, ...ONLY_NAMED].includes(name));
if (unknown.length > 0) {
  console.error(`there is no scene ${unknown.join(", ")}; there are: ${[...NAMES, ...ONLY_NAMED].join(", ")}`);
  process.exit(1);
}

// The profile is a new, empty folder each time.
const BROWSERS = {
  chromium: () => chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", chromiumSandbox: false, args: ARGUMENTS }),
  // As its makers publish it, through WebDriver BiDi.
  firefox: () => firefox.launch({
    executablePath: process.env.FIREFOX ?? "/usr/bin/firefox-esr", channel: "moz-firefox",
    // Only this machine: every other address goes to a proxy that nobody is.
    firefoxUserPrefs: {
      // What is saved is not shown, in front of the page.
      "pdfjs.disabled": true,
      "network.proxy.type": 1, "network.proxy.http": "127.0.0.1", "network.proxy.http_port": 9, "network.proxy.ssl": "127.0.0.1", "network.proxy.ssl_port": 9, "network.proxy.no_proxies_on": "127.0.0.1",
    },
  }),
};
let failed = 0;
let passed = 0;
for (const browserName of (process.env.BROWSERS ?? "chromium,firefox").split(",")) {
  const browser = await BROWSERS[browserName]();
  const all = wanted.length > 0 ? wanted : NAMES;
  for (const name of browserName === "firefox" ? all.filter((one) => IN_FIREFOX.includes(one)) : all) {
    const { default: scene } = await import(`./scenes/${name}.mjs`);
    const began = Date.now();
    const actors = cast(browser, `${name}-${browserName}`, browserName);
    try {
      await scene(actors);
      await actors.close();
      passed += 1;
      console.error(`scene ${name} in ${browserName} ... ok (${((Date.now() - began) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed += 1;
      console.error(`scene ${name} in ${browserName} ... FAILED\n${error.stack ?? error}`);
      await actors.close(true).catch(() => {});
    }
  }
  await browser.close();
}
console.error(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
