// Texts that would like to be markup, and how it shows that they did not become any.
import assert from "node:assert/strict";

/** Each would set `__pwned`, bring an element about, or ask another host, where it became markup. */
export const PAYLOADS = [
  `<img src=x onerror="window.__pwned=1">`,
  `<script>window.__pwned=1</script>`,
  `"><svg onload=window.__pwned=1>`,
  `'><iframe srcdoc="<script>parent.__pwned=1</script>"></iframe>`,
  `[click](javascript:window.__pwned=1)`,
  `![x](http://evil.example/a.png)`,
  `<a href="javascript:window.__pwned=1">away</a>`,
  `<style>body{background:url(http://evil.example/b)}</style>`,
  `<form action=http://evil.example/><input name=q autofocus onfocus=window.__pwned=1></form>`,
  `<math><mtext></mtext><mglyph><style><img src onerror=window.__pwned=1></style></mglyph></math>`,
  `<base href=http://evil.example/><link rel=stylesheet href=http://evil.example/c.css>`,
  "```html\n<script>window.__pwned=1</script>\n```",
  `<details open ontoggle=window.__pwned=1>`,
  `{{constructor.constructor('window.__pwned=1')()}}`,
  `javascript:window.__pwned=1//</title></textarea><video><source onerror=window.__pwned=1>`,
  `<meta http-equiv=refresh content="0;url=http://evil.example/">`,
  `<span id=main class=cite data-number=1>clobber</span><form id=report><input name=innerHTML></form>`,
];

/** Elements that no text of a stranger may bring about; and, counted, those that the page makes itself. */
export const injected = (page) => page.evaluate(() => {
  const bad = "script:not([src^='/page/']), iframe, object, embed, base, link:not([href^='/page/']), style, meta[http-equiv], video, audio, math, form[action], img:not([src^='/page/'][src$='/icon.svg']), svg[onload], a[href^='javascript' i], a[href*='evil.example']:not([rel~='noopener'])";
  const found = [...document.querySelectorAll(bad)].map((one) => one.outerHTML.slice(0, 120));
  for (const one of document.querySelectorAll("*")) {
    for (const { name } of one.attributes) if (name.startsWith("on")) found.push(`${one.tagName} ${name}`);
  }
  for (const id of ["main", "report", "panel", "history"]) if (document.querySelectorAll(`[id="${id}"]`).length > 1) found.push(`two #${id}`);
  return found;
});

export async function harmless(page, where) {
  // Whatever would run or load at once has done so when the page has drawn itself.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 30))));
  assert.equal(await page.evaluate(() => window.__pwned), 0, `${where}: a script ran`);
  assert.deepEqual(await injected(page), [], `${where}: elements came of a text`);
}
