/** What a run says of itself, in a reader's words: its lines name tasks, roles and tallies as the engine keeps them. */
import { t } from "./i18n.js";
import { plural, roleWords, sentence, stepWords } from "./words.js";

const TASK = /^task (\S+) \((\w+)\):? (?:is |was )?(.+)$/;
const RETRIEVED = /^(Research Scientist [12]) Retrieved chunks from vector DB: (\d+)$/;
const INGESTED = /^(Research Scientist [12]) Ingested: arXiv=(\d+), Crossref=(\d+)$/;
const ROLE_FIRST = /^([a-z]+(?:_[a-z]+)+): (.+)$/;
const ROLE_QUOTED = /'([a-z]+(?:_[a-z]+)*)'/g;

/** What a task of a plan does, by its kind. */
const taskWords = (kind) =>
  ({
    retrieve_rag: t("Search your documents"),
    search_scholarly: t("Search for papers"),
    search_web: t("Search the web"),
    ask_user: t("Ask you"),
    synthesize: t("Write the answer"),
  })[kind] ?? roleWords(kind);

/**
 * @param {string} line
 * @param {Map<string, string>} queries what the tasks of the plan look up, by their ids
 */
export function saidWords(line, queries) {
  const task = TASK.exec(line);
  if (task) {
    const [, id, kind, state] = task;
    const query = queries.get(id);
    return query ? `${taskWords(kind)}, “${query}”: ${state}` : `${taskWords(kind)}: ${state}`;
  }
  const retrieved = RETRIEVED.exec(line);
  if (retrieved) {
    const passages = plural(Number(retrieved[2]), "passage");
    return t("{who}: {passages} found", { who: retrieved[1], passages });
  }
  const ingested = INGESTED.exec(line);
  if (ingested) {
    const [, who, arxiv, crossref] = ingested;
    return t("{who}: read {arxiv} from arXiv and {crossref} from Crossref", { who, arxiv, crossref });
  }
  const role = ROLE_FIRST.exec(line);
  if (role) return `${stepWords(`${role[1]} #1`)}: ${role[2]}`;
  return sentence(line.replace(ROLE_QUOTED, (_, name) => `“${roleWords(name)}”`));
}
