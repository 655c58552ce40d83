// A worker for pages that are opened from a disk, where browsers start none: the worker's script runs in a frame of the page instead.
// The search of the manual uses what is here and no more of a worker: messages both ways.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    #frame = document.createElement("iframe");
    #waiting = [];

    constructor(url) {
      super();
      this.#frame.hidden = true;
      document.documentElement.append(this.#frame);
      const inside = this.#frame.contentWindow;
      inside.postMessage = (data) => setTimeout(() => {
        const message = new MessageEvent("message", { data });
        this.dispatchEvent(message);
        this.onmessage?.(message);
      });
      const script = inside.document.createElement("script");
      script.src = url;
      script.onload = () => {
        const waiting = this.#waiting;
        this.#waiting = null;
        for (const data of waiting) this.#tell(data);
      };
      script.onerror = () => this.dispatchEvent(new ErrorEvent("error", { message: `${url} cannot be loaded` }));
      inside.document.head.append(script);
    }

    #tell(data) {
      const inside = this.#frame.contentWindow;
      inside.dispatchEvent(new inside.MessageEvent("message", { data }));
    }

    postMessage(data) {
      if (this.#waiting) this.#waiting.push(data);
      else setTimeout(() => this.#tell(data));
    }

    terminate() {
      this.#frame.remove();
    }
  };
}
