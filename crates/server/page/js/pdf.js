/**
 * The real pages of a PDF: one at a time, drawn by pdf.js on a canvas, with its text over it and the words of a statement
 * marked. Loaded only when a PDF is opened; what it needs of the page is handed to it.
 */
const MOST_SCALE = 5;
/** How much larger than its place a page can be drawn. */
const ZOOMS = [1, 1.5, 2, 3];
const RESIZE_MILLISECONDS = 200;
/** How many letters of the quote are looked for where not all of it is found. */
const TELLING = 40;
/** Pages are looked through for the quote, at most so many. */
const MOST_PAGES = 400;

const LIBRARY = new URL("../vendor/pdfjs/pdf.worker.min.mjs", import.meta.url).href;

/** Letters and digits, whatever is between them: neither hyphens at the ends of lines nor spaces count. */
const bare = (text) =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");

/** Returns where each bare letter of the items stands: the text, and for each letter its item and place in it. */
function lettersOf(items) {
  const letters = [];
  const places = [];
  items.forEach((item, index) => {
    let place = 0;
    for (const character of item.str ?? "") {
      for (const letter of bare(character)) {
        letters.push(letter);
        places.push({ index, place, length: character.length });
      }
      place += character.length;
    }
  });
  return { text: letters.join(""), places, of: letters };
}

/** Returns the first and last letter of the quote, or of what begins or ends it, in a page's letters; null if it is not there. */
function find({ text, of }, quote) {
  const wanted = bare(quote);
  if (wanted === "") return null;
  // Letters outside the basic plane are two places in a string and one in the list.
  const index = (at) => (text.length === of.length ? at : [...text.slice(0, at)].length);
  const whole = text.indexOf(wanted);
  if (whole >= 0) return [index(whole), index(whole + wanted.length)];
  const head = wanted.slice(0, TELLING);
  const tail = wanted.slice(-TELLING);
  const from = text.indexOf(head);
  const to = text.indexOf(tail, Math.max(0, from));
  if (from >= 0 && to >= from && to - from < wanted.length * 1.5)
    return [index(from), index(to + tail.length)];
  if (from >= 0 && head.length >= 16) return [index(from), index(from + head.length)];
  return null;
}

/**
 * @param {HTMLElement} place @param {ArrayBuffer} file
 * @param {{quote: string, page: number, signal: AbortSignal,
 *   words: {before: string, after: string, larger: string, smaller: string, page: (number: number, all: number) => string, none: string, region: string}}} what
 */
export function pdfPages(place, file, { quote, page: first, words, signal }) {
  let pdf = null;
  let library = null;
  let number = 1;
  let drawing = null;
  let turn = 0;
  let width = 0;
  let zoom = 0;

  const element = (tag, name, more = {}) =>
    Object.assign(document.createElement(tag), { className: name, ...more });
  const button = (sign, words) => {
    const made = element("button", "small pages-button", { type: "button", textContent: sign, title: words });
    made.setAttribute("aria-label", words);
    return made;
  };
  const before = button("‹", words.before);
  const after = button("›", words.after);
  const says = element("span", "muted pages-number");
  says.setAttribute("role", "status");
  const bar = element("div", "pages-bar");
  const smaller = button("−", words.smaller);
  const larger = button("+", words.larger);
  const turning = element("span", "pages-group");
  const sizing = element("span", "pages-group");
  turning.append(before, says, after);
  sizing.append(smaller, larger);
  bar.append(turning, sizing);
  const note = element("p", "muted", { hidden: true, textContent: words.none });
  const canvas = element("canvas", "pages-canvas");
  canvas.setAttribute("aria-hidden", "true");
  const text = element("div", "pages-text");
  const paper = element("div", "pages-paper", { tabIndex: 0 });
  paper.setAttribute("role", "region");
  paper.setAttribute("aria-label", words.region);
  const sheet = element("div", "pages-sheet");
  sheet.append(canvas, text);
  paper.append(sheet);
  before.addEventListener("click", () => go(number - 1), { signal });
  after.addEventListener("click", () => go(number + 1), { signal });
  smaller.addEventListener("click", () => size(zoom - 1), { signal });
  larger.addEventListener("click", () => size(zoom + 1), { signal });

  async function open() {
    library = await import("../vendor/pdfjs/pdf.min.mjs");
    library.GlobalWorkerOptions.workerSrc = LIBRARY;
    pdf = await library.getDocument({
      data: new Uint8Array(file),
      isEvalSupported: false,
      useWasm: false,
      enableXfa: false,
      stopAtErrors: false,
      useSystemFonts: true,
    }).promise;
    if (signal.aborted) {
      close();
      return;
    }
    place.replaceChildren(bar, note, paper);
    number = await pageOf();
    await draw();
    watch.observe(place);
  }

  /** The page on which the quote stands: the one that it is cited with, else the first that has its words. */
  async function pageOf() {
    const given = Math.min(Math.max(1, first), pdf.numPages);
    if (!quote || (await has(given))) return given;
    const near = [given + 1, given - 1];
    const rest = Array.from({ length: Math.min(pdf.numPages, MOST_PAGES) }, (_, index) => index + 1);
    for (const one of [...near, ...rest])
      if (one >= 1 && one <= pdf.numPages && one !== given && (await has(one))) return one;
    return given;
  }

  async function has(one) {
    if (signal.aborted) return false;
    const content = await (await pdf.getPage(one)).getTextContent();
    return find(lettersOf(content.items), quote) !== null;
  }

  async function go(next) {
    if (!pdf || next < 1 || next > pdf.numPages) return;
    number = next;
    await draw();
  }

  /** Draws the page larger or smaller; what is marked stays in sight. */
  async function size(next) {
    zoom = Math.min(Math.max(0, next), ZOOMS.length - 1);
    await draw();
    const word = text.querySelector("#page-span");
    word?.scrollIntoView({ block: "center", inline: "center" });
  }

  async function draw() {
    turn += 1;
    const own = turn;
    drawing?.cancel();
    const page = await pdf.getPage(number);
    const plain = page.getViewport({ scale: 1 });
    width = place.clientWidth;
    const scale = Math.min(
      MOST_SCALE,
      Math.max(0.1, ((paper.clientWidth || width) / plain.width) * ZOOMS[zoom]),
    );
    const viewport = page.getViewport({ scale });
    const sharp = Math.min(2, globalThis.devicePixelRatio || 1);
    const next = element("canvas", "pages-canvas");
    next.setAttribute("aria-hidden", "true");
    next.width = Math.floor(viewport.width * sharp);
    next.height = Math.floor(viewport.height * sharp);
    drawing = page.render({
      canvas: next,
      viewport,
      transform: sharp === 1 ? null : [sharp, 0, 0, sharp, 0, 0],
    });
    try {
      await drawing.promise;
    } catch (error) {
      if (error.name === "RenderingCancelledException" || own !== turn) return;
      throw error;
    }
    const content = await page.getTextContent();
    if (signal.aborted || own !== turn) return;
    sheet.querySelector("canvas").replaceWith(next);
    sheet.style.setProperty("--total-scale-factor", String(scale));
    next.style.setProperty("width", `${Math.floor(viewport.width)}px`);
    next.style.setProperty("height", `${Math.floor(viewport.height)}px`);
    text.replaceChildren();
    const layer = new library.TextLayer({ textContentSource: content, container: text, viewport });
    await layer.render();
    if (own !== turn) return;
    note.hidden = !quote || mark(content.items, layer.textDivs) || !(await isWanted());
    says.textContent = words.page(number, pdf.numPages);
    smaller.disabled = zoom === 0;
    larger.disabled = zoom === ZOOMS.length - 1;
    before.disabled = number <= 1;
    after.disabled = number >= pdf.numPages;
  }

  /** Whether this is the page that the quote is cited with, so that its absence is told. */
  const isWanted = async () => number === Math.min(Math.max(1, first), pdf.numPages);

  /** Marks the words of the quote in the text over the page; returns whether they are there. */
  function mark(items, spans) {
    // The layer has an element for each item that has text, in order.
    const shown = items.filter((item) => item.str !== undefined);
    const letters = lettersOf(shown);
    const found = quote ? find(letters, quote) : null;
    if (!found) return false;
    const ranges = new Map();
    for (const { index, place: at, length } of letters.places.slice(found[0], found[1])) {
      const range = ranges.get(index) ?? [at, at];
      ranges.set(index, [Math.min(range[0], at), Math.max(range[1], at + length)]);
    }
    let isFirst = true;
    for (const [index, [from, to]] of ranges) {
      const span = spans[index];
      const own = span?.firstChild;
      if (!own || own.nodeType !== Node.TEXT_NODE) continue;
      const word = document.createElement("mark");
      const range = document.createRange();
      range.setStart(own, Math.min(from, own.length));
      range.setEnd(own, Math.min(to, own.length));
      range.surroundContents(word);
      if (isFirst) word.id = "page-span";
      isFirst = false;
    }
    return !isFirst;
  }

  const watch = new ResizeObserver(() => {
    if (Math.abs(place.clientWidth - width) < 8 || place.clientWidth === 0) return;
    clearTimeout(watch.timer);
    watch.timer = setTimeout(() => signal.aborted || draw(), RESIZE_MILLISECONDS);
  });

  function close() {
    watch.disconnect();
    clearTimeout(watch.timer);
    pdf?.loadingTask.destroy();
    pdf = null;
  }

  return {
    opened: open(),
    /** The first of the marked words on the page on display. */
    marked: () => text.querySelector("#page-span"),
    close,
  };
}
