/** Signing in with a token, where the server asks for one. */
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { api } from "./api.js";
import { showProblem } from "./problems.js";

/** @param {() => Promise<void>} signedIn called once the server has accepted the token */
export function signInView(signedIn) {
  const problem = h("div", {});
  const token = h("input", {
    id: "token",
    type: "password",
    autocomplete: "current-password",
    spellcheck: "false",
    required: true,
  });
  const send = h("button", { type: "submit", class: "primary", id: "sign-in" }, t("Sign in"));
  const heading = h("h1", { tabindex: "-1" }, t("Sign in"));
  const form = h(
    "form",
    { class: "card sign-in", novalidate: true, "aria-label": t("Sign in") },
    heading,
    h(
      "p",
      { class: "muted" },
      t(
        "Several people use this Quaestio, each with their own runs and collections. Ask your administrator for an access token.",
      ),
    ),
    h("div", { class: "field" }, h("label", { for: "token" }, t("Access token")), token),
    problem,
    h("div", { class: "actions" }, send),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!token.value.trim()) {
      showProblem(problem, {
        detail: t("the token is empty"),
        hint: t("paste the token you were given"),
      });
      token.focus();
      return;
    }
    send.disabled = true;
    try {
      await api.signIn(token.value.trim());
      token.value = "";
      await signedIn();
    } catch (error) {
      showProblem(
        problem,
        error.status === 401
          ? {
              detail: t("this token is not valid here"),
              hint: error.hint || t("check that you pasted the whole token"),
            }
          : error,
      );
      token.select();
    } finally {
      send.disabled = false;
    }
  });
  return { element: form, title: () => t("Sign in"), focus: () => token.focus(), close: () => {} };
}
