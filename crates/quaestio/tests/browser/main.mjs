// Runs the scenes, one after the other, in one browser; each has contexts of its own.
import { chromium } from "playwright-core";
import { cast } from "./cast.mjs";

const NAMES = ["watch", "offline", "reload", "gate", "plan", "clarify", "market", "brief", "startups", "debate", "check", "reading", "cancel", "after", "attack", "signin", "keyboard"];

/** Nothing but this machine can be reached, whatever the browser or the page would like to ask. */
const ARGUMENTS = [
  "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
  "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !NAMES.includes(name));
if (unknown.length > 0) {
  console.error(`there is no scene ${unknown.join(", ")}; there are: ${NAMES.join(", ")}`);
  process.exit(1);
}

// The profile is a new, empty folder each time.
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", chromiumSandbox: false, args: ARGUMENTS });
let failed = 0;
let passed = 0;
for (const name of wanted.length > 0 ? wanted : NAMES) {
  const { default: scene } = await import(`./scenes/${name}.mjs`);
  const began = Date.now();
  const actors = cast(browser, name);
  try {
    await scene(actors);
    await actors.close();
    passed += 1;
    console.error(`scene ${name} ... ok (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    console.error(`scene ${name} ... FAILED\n${error.stack ?? error}`);
    await actors.close(true).catch(() => {});
  }
}
await browser.close();
console.error(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
