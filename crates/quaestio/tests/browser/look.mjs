// How a state of the page looks: in three widths, light and dark, to an eye that checks accessibility.
import { readFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import assert from "node:assert/strict";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SIZES = [{ width: 1440, height: 900 }, { width: 1024, height: 768 }, { width: 360, height: 740 }];
const SCHEMES = ["light", "dark"];
const SHOTS = process.env.QUAESTIO_SCREENSHOTS;

/**
 * Looks at a state in every width and scheme, and leaves the page as wide as it was.
 * @param {import("playwright-core").Page} page @param {string} name of the state
 * @param {() => Promise<void>} [again] brings the state about again where a new width ends it
 */
export async function everywhere(page, name, again) {
  const before = page.viewportSize();
  for (const size of SIZES) {
    await page.setViewportSize(size);
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      if (again) await again();
      await accessible(page, `${name}, ${size.width} px, ${colorScheme}`);
      if (SHOTS) {
        mkdirSync(SHOTS, { recursive: true });
        await page.screenshot({ path: join(SHOTS, `${name}-${size.width}-${colorScheme}.png`), animations: "disabled" });
      }
    }
    await fits(page, `${name}, ${size.width} px`);
  }
  if (SHOTS) await page.screenshot({ path: join(SHOTS, `${name}-360-whole.png`), animations: "disabled", fullPage: true });
  await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  if (again) await again();
}

/** Finds nothing at all. */
export async function accessible(page, where) {
  // Colours on their way from one to another are none of either; what never gets there is not waited for.
  await page.evaluate(() => {
    const ends = document.getAnimations().filter((one) => one.effect?.getComputedTiming().endTime < 5000).map((one) => one.finished.catch(() => {}));
    return Promise.race([Promise.all(ends), new Promise((resolve) => setTimeout(resolve, 1000))]).then(() => {});
  });
  if (!(await page.evaluate(() => Boolean(window.axe)))) await page.evaluate(`${AXE};undefined`);
  const found = await page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    return violations.map((one) => ({
      id: one.id, help: one.help, nodes: one.nodes.slice(0, 4).map((node) => `${node.target.join(" ")}: ${node.failureSummary}`),
    }));
  });
  assert.deepEqual(found, [], `accessibility of ${where}`);
}

/** Nothing makes the page scroll sideways. */
export async function fits(page, where) {
  const wide = await page.evaluate(() => {
    const root = document.scrollingElement;
    const main = document.getElementById("main");
    const most = root.clientWidth;
    if (root.scrollWidth <= most && main.scrollWidth <= main.clientWidth) return null;
    const out = [...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > most + 1 && getComputedStyle(one).position !== "fixed");
    return { scrollWidth: root.scrollWidth, clientWidth: most, main: [main.scrollWidth, main.clientWidth], out: out.slice(0, 5).map((one) => one.outerHTML.slice(0, 160)) };
  });
  assert.equal(wide, null, `${where} scrolls sideways: ${JSON.stringify(wide)}`);
}
