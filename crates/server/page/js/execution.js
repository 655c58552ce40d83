/** Proposed code, and what came of running it. All of it is text of others. */
import { h, announce } from "./dom.js";
import { icon } from "./icons.js";
import { bytes, duration, excerpt, plural } from "./words.js";
import { list } from "./debate.js";
import { t } from "./i18n.js";
import { plain, plainLine } from "./plain.js";
import { copyText } from "./copy.js";

/** Characters of an output that are shown; what a program prints has its limit elsewhere, but a page is slow with a megabyte. */
const OUTPUT_CHARACTERS = 60_000;

/** @param {{language: string, code: string}} proposal */
export function codeBlock({ language, code }) {
  const text = plain(code);
  const name = excerpt(plain(language), 30) || t("code");
  const copy = h("button", { type: "button", class: "small" }, t("Copy code"));
  copy.addEventListener("click", async () => {
    copy.textContent = (await copyText(text)) ? t("Copied") : t("The browser blocked copying");
    announce(copy.textContent);
    setTimeout(() => {
      copy.textContent = t("Copy code");
    }, 2000);
  });
  return h(
    "figure",
    { class: "code" },
    h("figcaption", {}, h("span", { class: "code-language" }, name), copy),
    h(
      "pre",
      {
        class: "code-text",
        tabindex: "0",
        role: "group",
        "aria-label": t("Proposed code, {language}", { language: name }),
        dir: "ltr",
      },
      h("code", {}, text),
    ),
  );
}

/** What came of running it. @param {any} trial */
export function trialBlock(trial) {
  if (trial?.outcome !== "executed")
    return h(
      "div",
      { class: "trial", dataset: { state: "none" } },
      h(
        "p",
        { class: "trial-end" },
        icon("pause"),
        t("Not executed: {why}", { why: plainLine(trial?.reason) || t("the reason is unknown") }),
      ),
    );
  const { found = 0, held = 0, failed = 0 } = trial.checks ?? {};
  const ended = trial.end?.how === "exited" && trial.end.code === 0 && failed === 0;
  const state = ended ? (held > 0 ? "good" : "unchecked") : "bad";
  const left = list(trial.files);
  return h(
    "div",
    { class: "trial", dataset: { state } },
    h(
      "p",
      { class: "trial-end" },
      icon(state === "good" ? "check" : "alert"),
      h("span", {}, t("{end} after {time}", { end: endWords(trial.end), time: duration(trial.duration_ms) })),
    ),
    h("p", { class: "trial-checks" }, checkWords(found, held, failed)),
    output(t("Standard output"), trial.stdout, true),
    output(t("Standard error"), trial.stderr, state === "bad"),
    left.length > 0
      ? h(
          "details",
          { class: "trial-part" },
          h("summary", {}, plural(left.length, "file")),
          h(
            "ul",
            { class: "trial-files" },
            left.map((one) =>
              h("li", {}, h("bdi", {}, plainLine(one?.path)), ` · ${bytes(Number(one?.bytes) || 0)}`),
            ),
          ),
        )
      : null,
    h(
      "p",
      { class: "trial-held" },
      [plainLine(trial.interpreter), list(trial.layers).map(plainLine).join(", ")]
        .filter(Boolean)
        .join(" · "),
    ),
  );
}

function checkWords(found, held, failed) {
  if (found === 0) return t("The code has no checks of its own.");
  return failed > 0
    ? t("Its own checks (self-reported): {held} of {found} passed, {failed} failed.", { held, found, failed })
    : t("Its own checks (self-reported): {held} of {found} passed.", { held, found });
}

function endWords(end) {
  switch (end?.how) {
    case "exited":
      return end.code === 0
        ? t("Finished (exit code 0)")
        : t("Failed (exit code {code})", { code: end.code });
    case "killed":
      return t("Ended by signal {signal}", { signal: end.signal });
    case "timed_out":
      return t("Stopped: time limit reached");
    case "too_much_output":
      return t("Stopped: output limit reached");
    case "too_much_stored":
      return t("Stopped: storage limit reached");
    default:
      return t("Ended");
  }
}

function output(label, printed, opened) {
  const whole = plain(printed);
  if (whole.trim() === "") return h("p", { class: "trial-nothing" }, t("{name}: empty", { name: label }));
  const more = whole.length - OUTPUT_CHARACTERS;
  const text =
    more > 0
      ? `${whole.slice(0, OUTPUT_CHARACTERS)}\n${t("… ({number} more characters in the export)", { number: more })}`
      : whole;
  return h(
    "details",
    { class: "trial-part", open: opened },
    h("summary", {}, `${label}, ${plural(whole.replace(/\n$/, "").split("\n").length, "line")}`),
    h("pre", { class: "code-text", tabindex: "0", role: "group", "aria-label": label, dir: "ltr" }, text),
  );
}
