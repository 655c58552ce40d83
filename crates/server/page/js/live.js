/**
 * The live stream of a run. Every entry is handed on once, in order; the connection comes back by itself.
 *
 * The browser reconnects after a dropped connection and says which entry it saw last. Where it gives up (the server
 * answered with an error, or was away for long) a new stream is opened behind the last entry, unless there is nothing
 * more to come. A hidden page lets its stream go after a while, and one that begins hidden opens none, since a browser
 * holds only six connections to one server.
 */
import { api } from "./api.js";

const HIDDEN_MILLISECONDS = 30_000;
const SLEPT_MILLISECONDS = 40_000;

/**
 * @param {string} id of the run
 * @param {{entry: (entry: any) => void, draft: (draft: any) => void, state: (state: any) => void,
 *   end: (status: string) => void, connection: (state: "open"|"lost"|"closed") => void,
 *   refused: () => Promise<boolean>}} to `refused` tells whether there is more to come
 * @param {AbortSignal} signal
 */
export function follow(id, to, signal) {
  let last = 0;
  let source = null;
  let tries = 0;
  let timer = 0;
  let hiding = 0;
  let ended = false;
  /** Hidden for a while: nothing is opened before the page is looked at. */
  let resting = document.hidden;

  const read = (event) => {
    try {
      return JSON.parse(event.data);
    } catch {
      return null;
    }
  };

  function open() {
    if (ended || resting || signal.aborted) return;
    const mine = new EventSource(api.eventsPath(id, last));
    source = mine;
    const on = (name, listener) =>
      mine.addEventListener(name, (event) => {
        if (mine === source && !signal.aborted) listener(read(event));
      });
    mine.addEventListener("open", () => {
      if (mine !== source) return;
      tries = 0;
      to.connection("open");
    });
    on("entry", (entry) => {
      if (!entry || !Number.isInteger(entry.seq) || entry.seq <= last) return;
      if (entry.seq > last + 1) {
        // Something is missing in between: ask again from the last entry that was seen.
        close();
        later();
        return;
      }
      last = entry.seq;
      to.entry(entry);
    });
    on("draft", (draft) => draft && to.draft(draft));
    on("state", (state) => state && to.state(state));
    on("end", (data) => {
      ended = true;
      close();
      to.connection("closed");
      to.end(data?.status ?? "completed");
    });
    mine.addEventListener("error", () => {
      if (mine !== source || ended) return;
      to.connection("lost");
      if (mine.readyState === EventSource.CLOSED) {
        close();
        refused();
      }
    });
  }

  /** An error status: the browser does not say which, so whoever shows the run asks. */
  async function refused() {
    const more = await to.refused();
    if (source || ended || signal.aborted) return;
    if (more) later();
    else {
      ended = true;
      to.connection("closed");
    }
  }

  function close() {
    source?.close();
    source = null;
  }

  function later() {
    clearTimeout(timer);
    tries += 1;
    timer = setTimeout(open, Math.min(15_000, 500 * 2 ** Math.min(tries, 5)));
  }

  /** Begins a new stream behind the last entry, whatever the old one believes of itself. */
  function anew() {
    if (ended || resting) return;
    clearTimeout(timer);
    close();
    open();
  }

  function visibility() {
    clearTimeout(hiding);
    if (document.hidden) {
      hiding = setTimeout(() => {
        resting = true;
        clearTimeout(timer);
        close();
      }, HIDDEN_MILLISECONDS);
    } else {
      resting = false;
      if (!source) anew();
    }
  }

  // A machine that slept comes back with a connection that is dead and does not know it.
  let ticked = Date.now();
  const wake = setInterval(() => {
    const slept = Date.now() - ticked > SLEPT_MILLISECONDS;
    ticked = Date.now();
    if (slept && !document.hidden) anew();
  }, 5000);

  document.addEventListener("visibilitychange", visibility, { signal });
  addEventListener("online", anew, { signal });
  signal.addEventListener(
    "abort",
    () => {
      clearInterval(wake);
      clearTimeout(timer);
      clearTimeout(hiding);
      close();
    },
    { once: true },
  );
  open();
}
