// proves: F8, F3
// Several people, each with a token: what one has, the other does not see.
import assert from "node:assert/strict";
import { QUESTION, ask, api, chips, composer, drop, says, status, taken, times, until } from "../acts.mjs";
import { everywhere } from "../look.mjs";

const ALICE = "alice-has-a-token-of-forty-characters-00";
const BOB = "bob-has-another-token-of-forty-characters";

export default async function signin({ serve, person }) {
  const server = await serve({ QUAESTIO_TOKENS: `alice:${ALICE},bob:${BOB}` });
  const { page, watch } = await person(server);
  const form = page.getByRole("form", { name: "Sign in" });
  await form.waitFor();
  await everywhere(page, "signin");
  const sign = async (token) => {
    await form.getByLabel("Access token").fill(token);
    await form.getByRole("button", { name: "Sign in" }).click();
  };
  await watch.while({ status: 401, path: /\/api\/session$/ }, async () => {
    await sign("alice-has-a-token-of-forty-characters-01");
    await says(form, "This token is not valid here");
  });
  await sign(ALICE);
  await composer(page).waitFor();
  await says(page.getByRole("banner"), "alice");
  const text = "# A diary of Alice\n\nThe handle of the Broad Street pump was removed by Alice on 8 September 1854 in her dream.\n";
  await drop(composer(page), [{ name: "diary.md", text }]);
  await times(taken(page), 1, "files taken in");
  const run = await ask(page, QUESTION);
  await says(status(page), "Completed");
  await chips(page).first().waitFor();
  const held = await page.context().cookies();
  assert.ok(held.length === 1 && held[0].httpOnly && held[0].sameSite === "Strict", JSON.stringify(held));
  await page.reload();
  await says(status(page), "Completed");

  const history = page.getByRole("navigation", { name: "History" });
  await page.getByRole("button", { name: "Sign out" }).click();
  await form.waitFor();
  assert.equal(await page.getByText(QUESTION).count(), 0, "nothing of Alice is left on the page");
  await until(() => !page.url().includes(run), "the run is not in the address either");
  await sign(BOB);
  await says(page.getByRole("banner"), "bob");
  await composer(page).waitFor();
  await says(history, "Your runs appear here.");
  await until(async () => !(await composer(page).textContent()).includes("1 document"), "no collection of Alice is offered");
  await page.getByRole("link", { name: "Collections" }).click();
  await says(page.getByRole("main"), "No collections yet.");
  await watch.while({ status: 404, path: new RegExp(`/api/runs/${run}`) }, async () => {
    await page.goto(`/#/runs/${run}`);
    await page.getByRole("heading", { level: 1, name: "Run not found" }).waitFor();
  });
  await assert.rejects(api(server, "GET", `/api/runs/${run}`, undefined, { authorization: `Bearer ${BOB}` }), /404/);

  // A session that ends elsewhere leads back to the sign-in, not to errors.
  await page.context().clearCookies();
  await watch.while({ status: 401, path: /^\/api\// }, async () => {
    await page.getByRole("link", { name: "Ask", exact: true }).click();
    await form.waitFor();
  });
}
