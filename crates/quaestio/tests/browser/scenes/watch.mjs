// The watch itself is tried: what a person should never see is seen by it, or no other scene would mean anything.
import assert from "node:assert/strict";
import { composer, until } from "../acts.mjs";
import { accessible, fits } from "../look.mjs";

export default async function watch({ serve, person }) {
  const server = await serve();
  const { page, watch } = await person(server);
  await composer(page).waitFor();
  assert.deepEqual(watch.seen(), [], "an honest page");

  const provoked = {
    "console error: on purpose": () => console.error("on purpose"),
    "console warning: on purpose": () => console.warn("on purpose"),
    "error of the page: Error: thrown": () => { setTimeout(() => { throw new Error("thrown"); }); },
    "answered 404": () => fetch("/api/runs/none"),
    "dialog: alert": () => alert("on purpose"),
    // Held back by the page's own policy, which is told in the console.
    "Content Security Policy": () => { document.body.append(Object.assign(new Image(), { src: "http://evil.example/x.png" })); },
  };
  for (const [fault, provoke] of Object.entries(provoked)) {
    await page.evaluate(provoke);
    await until(() => watch.seen().some((one) => one.includes(fault)), () => `“${fault}” in ${JSON.stringify(watch.seen())}`);
    watch.take();
  }
  const stray = await page.context().newPage();
  await stray.goto("http://evil.example/").catch(() => {});
  await stray.close();
  assert.ok(watch.take().some((one) => one.startsWith("a request elsewhere: GET http://evil.example/")));

  await page.reload();
  await composer(page).waitFor();
  await accessible(page, "the page");
  await fits(page, "the page");
  await page.evaluate(() => document.getElementById("main").append(Object.assign(document.createElement("button"), { id: "nameless" })));
  await assert.rejects(accessible(page, "a button without a name"), /button-name/);
  await page.evaluate(() => document.getElementById("nameless").remove());
  await page.setViewportSize({ width: 360, height: 740 });
  await page.evaluate(() => {
    const wide = document.createElement("p");
    wide.textContent = "wide";
    wide.style.setProperty("width", "400px");
    document.getElementById("main").append(wide);
  });
  await assert.rejects(fits(page, "something wide"), /scrolls sideways/);
}
