//! What `debate` is started with where its order says nothing of it.

use methods::debate;
use run::entry::Hash;
use run::library::Retrieval;
use serde::Deserialize;

use super::{Config, EmbedderConfig};

/// Digits of an embedder's digest in the name of its corpus.
const DIGITS: usize = 8;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DebateConfig {
    max_turns: u32,
    arxiv_results: u32,
    crossref_results: u32,
    full_text: bool,
    retrieval: Retrieval,
    passages: u32,
    context_tokens: u32,
    max_new_tokens: u32,
    history_tokens: u32,
    corpus: String,
    /// 0 means no limit.
    concurrent: u32,
}

/// A reply is JSON with quotes, code and references beside the words of the response.
const REPLY_PER_RESPONSE: u32 = 4;
/// Below this no code and no quote has room.
const SHORTEST_REPLY: u32 = 2_000;
/// Tokens of a response that the `max_tokens` of the prompts are made for.
const AS_PROMPTED: u32 = 1_000;

impl DebateConfig {
    /// Returns the tokens that a scientist's model may write, at most, where a response of another length is wanted than the prompts are
    /// made for.
    pub(crate) fn max_reply_tokens(&self) -> Option<u32> {
        let most = self.max_new_tokens.saturating_mul(REPLY_PER_RESPONSE).max(SHORTEST_REPLY);
        (self.max_new_tokens != AS_PROMPTED).then_some(most)
    }

    /// Returns how many debates of one user may be under way at the same time; none where any number may.
    pub(crate) fn at_most(&self) -> Option<u32> {
        (self.concurrent > 0).then_some(self.concurrent)
    }
}

impl Config {
    /// Returns what a debate is started with.
    pub(crate) fn debate_options(&self) -> debate::Options {
        let debate = &self.debate;
        let rules = debate::Rules {
            max_turns: debate.max_turns,
            arxiv_results: debate.arxiv_results,
            crossref_results: debate.crossref_results,
            full_text: debate.full_text,
            retrieval: debate.retrieval,
            passages: debate.passages,
            context_tokens: debate.context_tokens,
            max_new_tokens: debate.max_new_tokens,
            history_tokens: debate.history_tokens,
            limits: self.sandbox.limits(),
        };
        debate::Options {
            corpus: corpus(&debate.corpus, &self.embedder),
            collection: String::new(),
            outside: true,
            url: String::new(),
            history: vec![],
            rules,
        }
    }
}

/// Returns the name of the corpus: vectors of two embedders have nothing to say to each other, so each has one of its own.
fn corpus(name: &str, embedder: &EmbedderConfig) -> String {
    let EmbedderConfig {
        model,
        base_url,
        passage_prefix,
        query_prefix,
        dimensions,
        max_tokens,
        ..
    } = embedder;
    if model.is_empty() {
        return name.to_owned();
    }
    // Where the server listens makes no other vectors of a model; that it is a server may.
    let is_served = !base_url.is_empty();
    let identity = (model, is_served, passage_prefix, query_prefix, dimensions, max_tokens);
    let digest = Hash::of_json(&identity).to_string();
    let digits: String = digest.chars().take(DIGITS).collect();
    format!("{name}-{digits}")
}

#[cfg(test)]
mod tests {
    use figment2::value::Value;

    use crate::config::{Files, Layers};

    fn corpus(keys: &[(&str, &str)]) -> String {
        let keys = keys.iter().map(|(key, value)| (*key, Value::from(*value))).collect();
        let layers = Layers::read(&Files::default(), false, vec![]).unwrap();
        layers.with(None, "test", keys).unwrap().config.debate_options().corpus
    }

    // proves: D6
    #[test]
    fn one_debate_at_a_time_is_the_default_and_no_limit_can_be_had() {
        let at_most = |keys: Vec<(&str, Value)>| {
            let layers = Layers::read(&Files::default(), false, keys).unwrap();
            layers.config.debate.at_most()
        };
        assert_eq!(at_most(vec![]), Some(1));
        assert_eq!(at_most(vec![("debate.concurrent", 0.into())]), None);
    }

    // proves: D3
    #[test]
    fn a_model_may_write_four_times_a_response_unless_its_agent_says_otherwise() {
        const FILE: &str = "---\nversion: 1\nmax_tokens: 77\n---\n# Task\n";
        let agent = |name, prompt| run::Agent { name, prompt, text: FILE };
        let optimist = agent("optimist", "debate/optimist");
        let pessimist = agent("pessimist", "debate/pessimist");
        let keys = vec![
            ("debate.max_new_tokens", Value::from(500)),
            ("agents.debate.pessimist.max_tokens", Value::from(900)),
        ];
        let layers = Layers::read(&Files::default(), false, keys).unwrap();
        let prompts = crate::wire::prompts(&layers.config).unwrap();
        assert_eq!(prompts.of(&optimist).unwrap().max_tokens, 2_000);
        assert_eq!(prompts.of(&pessimist).unwrap().max_tokens, 900);
        // The prompts that ship are made for what is configured.
        let shipped = Layers::read(&Files::default(), false, vec![]).unwrap().config.debate;
        assert_eq!(shipped.max_reply_tokens(), None);
        for role in ["optimist", "pessimist"] {
            let path =
                format!("{}/../methods/prompts/debate/{role}.md", env!("CARGO_MANIFEST_DIR"));
            let prompt =
                run::prompt::Prompt::read(&std::fs::read_to_string(path).unwrap()).unwrap();
            assert_eq!(prompt.max_tokens, shipped.max_new_tokens * super::REPLY_PER_RESPONSE);
        }
        assert_eq!(prompts.of(&agent("writer", "ask/writer")).unwrap().max_tokens, 77);
    }

    // proves: D2
    #[test]
    fn another_embedder_begins_another_corpus_and_the_same_one_finds_its_own() {
        assert_eq!(corpus(&[]), "papers");
        let one = corpus(&[("embedder.model", "ollama/nomic-embed-text")]);
        let digits = one.strip_prefix("papers-").unwrap();
        assert!(digits.len() == 8 && digits.chars().all(|c| c.is_ascii_hexdigit()), "{one}");
        let same = [("embedder.model", "ollama/nomic-embed-text"), ("debate.corpus", "papers")];
        assert_eq!(corpus(&same), one);
        for other in [
            ("embedder.model", "openai/text-embedding-3-small"),
            ("embedder.passage_prefix", "passage: "),
            ("embedder.base_url", "http://127.0.0.1:9/v1"),
        ] {
            let model = ("embedder.model", "ollama/nomic-embed-text");
            let keys = if other.0 == model.0 { vec![other] } else { vec![model, other] };
            assert_ne!(corpus(&keys), one, "{other:?}");
        }
    }
}
