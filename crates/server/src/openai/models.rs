//! The models of this face: each method, each strategy of a method, and each of them over a collection of the user's.

use axum::extract::{Path, State};
use axum::response::Response;
use methods::ask::Strategy;
use run::Method;
use run::library::Part;
use serde_json::{Value, json};

use super::error::ApiError;
use crate::api::{is_id, json as respond};
use crate::guard::User;
use crate::state::{App, Shared};

/// What the name of a model begins with. Requests may leave it out.
const PREFIX: &str = "quaestio/";
/// The field of an order that makes strategies of a method.
const STRATEGY: &str = "strategy";
/// The most collections that models are listed for; those used last.
const MOST_COLLECTIONS: usize = 100;

/// A model, as a request names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Model {
    pub(super) method: String,
    pub(super) strategy: Option<Strategy>,
    pub(super) collection: Option<String>,
    /// Whether the method reads what was said before.
    pub(super) reads_history: bool,
}

impl Model {
    /// Returns the full name.
    pub(super) fn name(&self) -> String {
        let Model { method, strategy, collection, .. } = self;
        let base: &str = match strategy {
            Some(strategy) => strategy.name(),
            None => method,
        };
        match collection {
            None => format!("{PREFIX}{base}"),
            Some(collection) => format!("{PREFIX}{base}@{collection}"),
        }
    }

    /// Finds a model by its name, such as `quaestio/rag@manual`. Whether the collection exists is not looked at.
    pub(super) fn find(app: &App, name: &str) -> Option<Model> {
        let base = name.strip_prefix(PREFIX).unwrap_or(name);
        let (base, collection) = match base.split_once('@') {
            None => (base, None),
            Some((base, collection)) => (base, Some(collection)),
        };
        let by_strategy = || {
            let strategy = Strategy::ALL.into_iter().find(|strategy| strategy.name() == base)?;
            let method = app.methods.iter().find(|method| method.fields.contains(&STRATEGY))?;
            Some((method, Some(strategy)))
        };
        let (method, strategy) =
            app.methods.find(base).map(|method| (method, None)).or_else(by_strategy)?;
        if let Some(collection) = collection
            && !(is_id(collection) && reads_collection(method, strategy))
        {
            return None;
        }
        Some(Model {
            method: method.name.to_owned(),
            strategy,
            collection: collection.map(str::to_owned),
            reads_history: method.fields.contains(&"history"),
        })
    }
}

fn reads_collection(method: &Method, strategy: Option<Strategy>) -> bool {
    method.fields.contains(&"collection") && strategy != Some(Strategy::Direct)
}

/// What a list shows of a model.
struct Shown {
    name: String,
    title: String,
    description: String,
    reads_collection: bool,
}

impl Shown {
    fn object(&self, collection: Option<&str>) -> Value {
        let Shown { name, title, description, .. } = self;
        let (id, title) = match collection {
            None => (format!("{PREFIX}{name}"), title.clone()),
            Some(collection) => {
                (format!("{PREFIX}{name}@{collection}"), format!("{title} ({collection})"))
            }
        };
        // Methods have no date.
        json!({
            "id": id, "object": "model", "created": 0, "owned_by": "quaestio", "name": title,
            "description": description,
        })
    }
}

/// Returns every model without a collection, as the methods describe themselves.
async fn show_models(app: &App, user: &str) -> Vec<Shown> {
    let choices = app.backend.choices(user).await.ok();
    let strategies = choices.map(|choices| choices.methods).unwrap_or_default();
    let mut shown = Vec::new();
    for method in app.methods.iter() {
        shown.push(Shown {
            name: method.name.to_owned(),
            title: method.title.to_owned(),
            description: method.description.to_owned(),
            reads_collection: reads_collection(method, None),
        });
        if !method.fields.contains(&STRATEGY) {
            continue;
        }
        let own = strategies.iter().find(|choice| choice.name == method.name);
        for strategy in Strategy::ALL {
            let told = own.and_then(|own| {
                own.strategies.iter().find(|choice| choice.name == strategy.name())
            });
            shown.push(Shown {
                name: strategy.name().to_owned(),
                title: told.map_or(strategy.name(), |told| told.title.as_str()).to_owned(),
                description: told.map_or("", |told| told.description.as_str()).to_owned(),
                reads_collection: reads_collection(method, Some(strategy)),
            });
        }
    }
    shown
}

/// `GET /v1/models`: every model, and those over each of the user's collections.
pub(super) async fn list(
    State(app): State<Shared>,
    User(user): User,
) -> Result<Response, ApiError> {
    let all = Part { after: None, limit: u32::MAX };
    let collections = app.library.collections_part(&user, false, &all).await;
    let mut collections = collections.map_err(crate::problem::Problem::from)?;
    collections.sort_by_key(|collection| std::cmp::Reverse(collection.updated_at));
    collections.truncate(MOST_COLLECTIONS);
    collections.sort_by(|one, other| one.name.cmp(&other.name));
    let models = show_models(&app, &user).await;
    let mut data: Vec<Value> = models.iter().map(|model| model.object(None)).collect();
    for collection in &collections {
        let over = models.iter().filter(|model| model.reads_collection);
        data.extend(over.map(|model| model.object(Some(&collection.name))));
    }
    Ok(respond(&json!({ "object": "list", "data": data })))
}

/// `GET /v1/models/{model}`.
pub(super) async fn retrieve(
    State(app): State<Shared>,
    User(user): User,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    let nothing = || ApiError::no_such_model(&name);
    let model = Model::find(&app, &name).ok_or_else(nothing)?;
    if let Some(collection) = &model.collection {
        app.library.manifest(&user, collection).await.map_err(|_| nothing())?;
    }
    let base = Model { collection: None, ..model.clone() }.name();
    let shown = show_models(&app, &user).await;
    let shown = shown.iter().find(|shown| format!("{PREFIX}{}", shown.name) == base);
    Ok(respond(&shown.ok_or_else(nothing)?.object(model.collection.as_deref())))
}
