//! `quaestio check`.

use std::io::Read;
use std::path::Path;

use methods::order::Order;
use run::Methods;

use super::Shows;
use super::delivery::Delivery;
use super::start::{Asked, caps, collection, new_id, see_through};
use crate::Face;
use crate::cli::{Before, CheckArgs, CheckFormat, Common, Format};
use crate::export::ExportFormat;
use crate::failure::{Exit, Failure};

pub(super) async fn check(
    args: &CheckArgs,
    common: &Common,
    methods: Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    let run = new_id();
    let name = args.file.file_name().map_or_else(|| "text".into(), |name| name.to_string_lossy());
    let name = if is_standard_input(&args.file) { "standard input".into() } else { name };
    let order = Order {
        method: "check".into(),
        question: format!("Check {}", run::ledger::one_line(&run::grounding::clean(&name))),
        collection: collection(args.collection.as_ref(), &args.docs, &run),
        text: Some(text(&args.file)?),
        budget: caps(&args.caps),
        ..Order::default()
    };
    let shows = match args.format {
        Some(CheckFormat::Jsonl) => Shows::Sentences,
        _ => Shows::Result,
    };
    let format = args.format.map(|format| match format {
        CheckFormat::Md => Format::Md,
        CheckFormat::Json | CheckFormat::Jsonl => Format::Json,
        CheckFormat::Html => Format::Html,
        CheckFormat::Text => Format::Text,
    });
    let target = args.place.target(args.format.map(ExportFormat::from))?;
    let delivery = target.map_or(Delivery::Print(format), Delivery::Save);
    let before = Before::default();
    let asked = Asked::delivered(&run, &args.docs, (&before, &args.caps), delivery);
    let asked = Asked { shows, ..asked };
    see_through(&order, asked, common, methods, face).await
}

fn is_standard_input(file: &Path) -> bool {
    file == Path::new("-")
}

/// Reads the text to check.
fn text(file: &Path) -> Result<String, Failure> {
    let unreadable = |why: String| {
        let shown = run::grounding::clean(&file.display().to_string());
        Failure::usage(
            format!("could not read {shown}: {why}"),
            "give a text file, such as Markdown; convert other formats first",
        )
    };
    let mut bytes = Vec::new();
    let read = if is_standard_input(file) {
        std::io::stdin().lock().read_to_end(&mut bytes)
    } else {
        std::fs::File::open(file).and_then(|mut file| file.read_to_end(&mut bytes))
    };
    read.map_err(|error| unreadable(error.to_string()))?;
    String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8 text".into()))
}
