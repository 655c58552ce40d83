// The stage behind this process: servers and model servers, asked for in lines of JSON.
import { createInterface } from "node:readline";

const waiting = [];
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => waiting.shift()?.(JSON.parse(line)));

async function ask(asked) {
  const answer = await new Promise((resolve) => {
    waiting.push(resolve);
    process.stdout.write(`${JSON.stringify(asked)}\n`);
  });
  if (answer.error) throw new Error(`the stage: ${answer.error}`);
  return answer;
}

/**
 * Starts a server of that name, on an empty folder and any port.
 * @returns {Promise<{url: string, hold: string, folder: string, kill, stop, restart}>} while there is a file at `hold`,
 *   the method `ask` does not get beyond its first step,
 *   and `debate` not beyond the point whose number stands in it
 */
export async function serve(name, variables = {}) {
  const told = await ask({ do: "serve", name, variables });
  return {
    ...told,
    /** Ends it without notice. */
    kill: () => ask({ do: "kill", name }),
    /** Asks it to end. */
    stop: () => ask({ do: "stop", name }),
    /** Starts it again, on the same folder and port. */
    restart: () => ask({ do: "restart", name }),
  };
}

/**
 * Starts a model server: it answers honestly, or, in the manner "begins", begins to write and never ends. In a debate it
 * "speaks " what stands behind that word, or "falters" and never ends.
 */
export async function model(name) {
  const { base_url } = await ask({ do: "model", name });
  return {
    variables: { QUAESTIO_MODEL: "fake/model", QUAESTIO_BASE_URL: base_url, QUAESTIO_MODELS__RETRY_DELAY_MS: "1" },
    manner: (manner) => ask({ do: "manner", name, manner }),
    /** Waits until it has seen so many requests and so many clients that went away in the middle of one. */
    async waits({ seen = 0, dropped = 0 }) {
      const { came, ...told } = await ask({ do: "model_waits", name, seen, dropped });
      if (!came) throw new Error(`the model saw ${JSON.stringify(told)}, not ${JSON.stringify({ seen, dropped })}`);
      return told;
    },
  };
}
