//! `quaestio models get`: a model comes over HTTP only after a yes, and only byte for byte.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::json;

use crate::stand::{Stand, examples};

const NAME: &str = "gulls/tiny";
const HIDDEN: usize = 8;

/// Words that are about the same; all others are about something else.
const WORDS: [&str; 10] = [
    "plants",
    "turn",
    "sunlight",
    "food",
    "photosynthesis",
    "leaves",
    "energy",
    "light",
    "sugar",
    "carbon",
];

/// Returns the files of a model that tells these words from all others.
fn model() -> Vec<(String, Vec<u8>)> {
    let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"];
    let vocabulary: serde_json::Map<String, serde_json::Value> = special
        .iter()
        .chain(&WORDS)
        .enumerate()
        .map(|(id, word)| ((*word).into(), id.into()))
        .collect();
    let rows = vocabulary.len();
    let config = json!({
        "model_type": "bert", "hidden_act": "gelu", "pad_token_id": 0, "hidden_size": HIDDEN,
        "intermediate_size": 8, "num_attention_heads": 2, "num_hidden_layers": 1, "vocab_size": rows,
        "max_position_embeddings": 64, "type_vocab_size": 2,
    });
    let tokenizer = json!({
        "version": "1.0", "truncation": null, "padding": null,
        "added_tokens": special.iter().enumerate().map(|(id, token)| json!({
            "id": id, "content": token, "special": true, "single_word": false, "lstrip": false,
            "rstrip": false, "normalized": false,
        })).collect::<Vec<_>>(),
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]},
                "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]}}},
        "decoder": null,
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": vocabulary},
    });
    let mut tensors = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![rows, HIDDEN]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![64, HIDDEN]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![2, HIDDEN]),
        ("embeddings.LayerNorm.weight".to_owned(), vec![HIDDEN]),
        ("embeddings.LayerNorm.bias".to_owned(), vec![HIDDEN]),
    ];
    let parts = ["attention.self.query", "attention.self.key", "attention.self.value"];
    let more = ["attention.output.dense", "intermediate.dense", "output.dense"];
    for part in parts.iter().chain(&more) {
        tensors.push((format!("encoder.layer.0.{part}.weight"), vec![HIDDEN, HIDDEN]));
        tensors.push((format!("encoder.layer.0.{part}.bias"), vec![HIDDEN]));
    }
    for part in ["attention.output.LayerNorm", "output.LayerNorm"] {
        tensors.push((format!("encoder.layer.0.{part}.weight"), vec![HIDDEN]));
        tensors.push((format!("encoder.layer.0.{part}.bias"), vec![HIDDEN]));
    }
    let (mut head, mut body) = (serde_json::Map::new(), Vec::<u8>::new());
    for (name, shape) in tensors {
        let begin = body.len();
        for index in 0..shape.iter().product::<usize>() {
            let number = match (name.as_str(), index / HIDDEN, index % HIDDEN) {
                (name, _, _) if name.ends_with("LayerNorm.weight") => 1.0,
                ("embeddings.word_embeddings.weight", row, 0) if row >= special.len() => 1.0,
                ("embeddings.word_embeddings.weight", row, 1) if row >= special.len() => -1.0,
                ("embeddings.word_embeddings.weight", row, 2) if row < special.len() => 1.0,
                ("embeddings.word_embeddings.weight", row, 3) if row < special.len() => -1.0,
                _ => 0.0_f32,
            };
            body.extend(number.to_le_bytes());
        }
        let offsets = [begin, body.len()];
        head.insert(name, json!({"dtype": "F32", "shape": shape, "data_offsets": offsets}));
    }
    let mut head = serde_json::Value::from(head).to_string().into_bytes();
    head.resize(head.len().next_multiple_of(8), b' ');
    let weights = [&(head.len() as u64).to_le_bytes()[..], &head, &body].concat();
    vec![
        ("config.json".into(), config.to_string().into_bytes()),
        ("tokenizer.json".into(), tokenizer.to_string().into_bytes()),
        ("model.safetensors".into(), weights),
    ]
}

/// A server of files that knows ranges, and breaks off in the middle of the weights while it is told to.
struct Hub {
    address: String,
    breaks_off: Arc<AtomicBool>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Hub {
    fn start(files: Vec<(String, Vec<u8>)>) -> Hub {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let breaks_off = Arc::new(AtomicBool::new(false));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (flag, book) = (Arc::clone(&breaks_off), Arc::clone(&asked));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let _ = serve(stream, &files, &flag, &book);
            }
        });
        Hub { address, breaks_off, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn serve(
    mut stream: TcpStream,
    files: &[(String, Vec<u8>)],
    breaks_off: &AtomicBool,
    asked: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut head = String::new();
    while reader.read_line(&mut head)? > 2 {}
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let range = head.lines().find_map(|line| {
        let line = line.to_lowercase();
        line.strip_prefix("range: bytes=")?.strip_suffix('-')?.parse::<usize>().ok()
    });
    asked.lock().unwrap().push(format!("{path} from {}", range.unwrap_or(0)));
    if path.starts_with("/moved/") {
        let to = path.replacen("/moved/", "/m/", 1);
        let head = format!(
            "HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        );
        return stream.write_all(head.as_bytes());
    }
    let found = files.iter().find(|(name, _)| path == format!("/m/{name}"));
    let Some((name, bytes)) = found else {
        return stream.write_all(
            b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
        );
    };
    let from = range.unwrap_or(0).min(bytes.len());
    let (status, length) =
        (if from > 0 { "206 Partial Content" } else { "200 OK" }, bytes.len() - from);
    let part = format!("content-range: bytes {from}-{}/{}\r\n", bytes.len() - 1, bytes.len());
    let part = if from > 0 { part } else { String::new() };
    let head =
        format!("HTTP/1.1 {status}\r\n{part}content-length: {length}\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes())?;
    let mut sent = &bytes[from..];
    if name == "model.safetensors" && breaks_off.load(Ordering::Relaxed) {
        sent = &sent[..sent.len() / 2];
    }
    stream.write_all(sent)
}

/// A stand that may reach this server.
fn stand_with(hub: &Hub) -> Stand {
    Stand::new()
        .variable("QUAESTIO_SOURCES__PRIVATE_HOSTS", &hub.address)
        .variable("QUAESTIO_SOURCES__RETRY_DELAY_MS", "1")
}

/// The arguments that download these files from there.
fn build_args(hub: &Hub, folder: &str, files: &[(String, Vec<u8>)]) -> Vec<String> {
    let mut args: Vec<String> = ["models", "get", NAME, "--from"].map(str::to_owned).into();
    args.push(format!("http://{}/{folder}", hub.address));
    for (name, bytes) in files {
        let digest = run::entry::Hash::of(bytes);
        args.extend(["--sha256".to_owned(), format!("{name}={digest}")]);
    }
    args
}

fn run_with(stand: &Stand, args: &[String], more: &[&str]) -> crate::stand::Told {
    let args: Vec<&str> = args.iter().map(String::as_str).chain(more.iter().copied()).collect();
    stand.run(&args)
}

// proves: F1, A2
#[test]
fn a_model_is_downloaded_after_a_yes_resumed_and_used() {
    let files = model();
    let hub = Hub::start(files.clone());
    let stand = stand_with(&hub);
    let args = build_args(&hub, "moved", &files);
    run_with(&stand, &args, &[]).fails(2, "it needs a yes");
    assert!(hub.asked().is_empty(), "nothing is asked before the yes");
    hub.breaks_off.store(true, Ordering::Relaxed);
    let told = run_with(&stand, &args, &["--yes"]);
    told.fails(1, "could not download model.safetensors");
    assert!(told.err.contains("it resumes the download"), "{told:?}");
    stand.run(&["embedders", "test", NAME]).fails(1, "could not find the local model");
    hub.breaks_off.store(false, Ordering::Relaxed);
    let told = run_with(&stand, &args, &["--yes"]);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.err.contains("model.safetensors, resumed"), "{told:?}");
    assert!(told.out.contains("ok    local/gulls/tiny with 8 dimensions"), "{told:?}");
    let asked = hub.asked();
    let config = asked.iter().filter(|path| path.starts_with("/m/config.json")).count();
    assert_eq!(config, 1, "what is there is not asked for again: {asked:?}");
    let resumed =
        |path: &&String| path.starts_with("/m/model.safetensors") && !path.ends_with(" 0");
    assert!(asked.iter().find(resumed).is_some(), "{asked:?}");
    // It is used by its name.
    let docs = examples();
    let told = stand.run(&["ingest", docs.to_str().unwrap(), "--embedder", NAME]);
    assert_eq!(told.code, 0, "{told:?}");
    let before = hub.asked().len();
    let told = run_with(&stand, &args, &[]);
    assert!(told.code == 0 && told.err.contains("is downloaded already"), "{told:?}");
    assert_eq!(hub.asked().len(), before);
}

// proves: F1, A2
#[test]
fn another_file_than_the_pinned_one_is_refused_and_removed() {
    let files = model();
    let mut forged = files.clone();
    forged[2].1[200] ^= 1;
    let hub = Hub::start(forged);
    let stand = stand_with(&hub);
    let args = build_args(&hub, "m", &files);
    let told = run_with(&stand, &args, &["--yes"]);
    told.fails(1, "model.safetensors is not the expected file");
    stand.run(&["embedders", "test", NAME]).fails(1, "could not find the local model");
    let told = run_with(&stand, &args, &["--yes", "--no-network"]);
    told.fails(2, "the network is off");
    // Nobody may send the program to an address of the private network.
    let told = run_with(&Stand::new(), &args, &["--yes"]);
    assert_eq!(told.code, 1, "{told:?}");
    assert!(told.err.contains("private"), "{told:?}");
}

// proves: F1
#[test]
fn a_model_without_digests_is_refused_and_the_known_ones_are_listed() {
    let stand = Stand::new();
    let told = stand.run(&["models", "get"]);
    assert!(told.code == 0 && told.out.contains("all-MiniLM-L6-v2  91 MB"), "{told:?}");
    assert!(told.out.contains("not downloaded"), "{told:?}");
    stand.run(&["models", "get", "gulls/large", "--yes"]).fails(2, "the digests of gulls/large");
    for (args, why) in [
        (&["../x", "--yes"][..], "is not the name of a model"),
        (&["a/b", "--sha256", "config.json"], "it has no `=`"),
        (&["a/b", "--sha256", "config.json=12"], "64 hexadecimal digits"),
        (&["a/b", "--sha256", "../config.json=12"], "below the model's folder"),
    ] {
        stand.run(&[&["models", "get"], args].concat()).fails(2, why);
    }
    let digest = "0".repeat(64);
    let only = format!("config.json={digest}");
    stand
        .run(&["models", "get", "a/b", "--sha256", &only])
        .fails(2, "a model needs tokenizer.json");
    let told = stand.run(&["models", "get", "sentence-transformers/all-MiniLM-L6-v2"]);
    told.fails(2, "it needs a yes");
    assert!(told.err.contains("Apache-2.0") && told.err.contains("huggingface.co"), "{told:?}");
}
