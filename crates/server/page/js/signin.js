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
        "This Quaestio serves several people, each with runs and collections of their own. The person who runs it gives you a token.",
      ),
    ),
    h("div", { class: "field" }, h("label", { for: "token" }, t("Token")), token),
    problem,
    h("div", { class: "actions" }, send),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!token.value.trim()) {
      showProblem(problem, {
        detail: t("the token is empty"),
        hint: t("paste the token that you were given"),
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
              detail: t("this token is not known here"),
              hint: error.hint || t("check that the whole token was pasted"),
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
