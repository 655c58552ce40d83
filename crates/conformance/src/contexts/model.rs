//! Startup contexts in the fewest words, and whatever may be done to them.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use run::contexts::{ContextError, Contexts, Existing, StartupContext};

use super::{context, hostile, no_such, second};

/// Something that is done to the contexts.
#[derive(Debug, Clone)]
pub enum Deed {
    Keep(Vec<StartupContext>, Existing),
    Replace(StartupContext),
    Touch(String, String, i64),
    Remove(String, String),
    Get(String, String),
}

/// Users and ids, good and hostile; few enough that they meet.
fn users() -> impl Strategy<Value = String> {
    let known = ["ada", "Ada", "aDa", "con", "Con", "bob"].map(str::to_owned).to_vec();
    prop_oneof![6 => prop::sample::select(known), 1 => prop::sample::select(hostile()), 1 => "\\PC{0,12}"]
}

fn ids_given() -> impl Strategy<Value = String> {
    let known = ["a", "b", "legal", "0", "com", "x-y_z"].map(str::to_owned).to_vec();
    prop_oneof![6 => prop::sample::select(known), 1 => prop::sample::select(hostile()), 1 => "\\PC{0,12}"]
}

fn given_context() -> impl Strategy<Value = StartupContext> {
    (users(), ids_given(), "\\PC{0,8}", 0..9_i64).prop_map(|(user, id, name, at)| StartupContext {
        name,
        last_accessed: second(at),
        ..context(&user, &id)
    })
}

fn several() -> impl Strategy<Value = Vec<StartupContext>> {
    // Mostly of one user, so that they can be kept.
    (prop::collection::vec(given_context(), 1..4), users(), 0..4_u8).prop_map(
        |(mut all, user, mixed)| {
            if mixed > 0 {
                all.iter_mut().for_each(|context| context.user_id.clone_from(&user));
            }
            all
        },
    )
}

pub fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let existing = prop_oneof![Just(Existing::Stays), Just(Existing::Replaced)];
    let deed = prop_oneof![
        4 => (several(), existing).prop_map(|(all, existing)| Deed::Keep(all, existing)),
        2 => given_context().prop_map(Deed::Replace),
        2 => (users(), ids_given(), 0..12_i64).prop_map(|(user, id, at)| Deed::Touch(user, id, at)),
        2 => (users(), ids_given()).prop_map(|(user, id)| Deed::Remove(user, id)),
        1 => (users(), ids_given()).prop_map(|(user, id)| Deed::Get(user, id)),
    ];
    prop::collection::vec(deed, 1..25)
}

/// What contexts are, in the fewest words.
#[derive(Debug, Default)]
pub struct Model {
    kept: BTreeMap<(String, String), StartupContext>,
    /// Who ever kept something.
    pub users: BTreeSet<String>,
}

fn key(context: &StartupContext) -> (String, String) {
    (context.user_id.clone(), context.id.clone())
}

impl Model {
    fn keep(&mut self, all: &[StartupContext], existing: Existing) -> Result<(), ContextError> {
        StartupContext::check_all(all)?;
        let known = |context: &&StartupContext| self.kept.contains_key(&key(context));
        self.users.extend(all.iter().map(|context| context.user_id.clone()));
        if existing == Existing::Stays
            && let Some(there) = all.iter().find(known)
        {
            return Err(ContextError::Taken { id: there.id.clone() });
        }
        self.kept.extend(all.iter().map(|context| (key(context), context.clone())));
        Ok(())
    }

    fn list(&self, user: &str) -> Vec<StartupContext> {
        let mut all: Vec<StartupContext> =
            self.kept.values().filter(|context| context.user_id == user).cloned().collect();
        all.sort_by(|one, other| one.id.cmp(&other.id));
        all.sort_by_key(|context| std::cmp::Reverse(context.last_accessed));
        all
    }
}

/// Does one thing after the other to the contexts and to the model, and holds them against each other.
pub async fn are_as_the_model(contexts: &dyn Contexts, deeds: Vec<Deed>) -> Model {
    let mut model = Model::default();
    for deed in deeds {
        let shown = format!("{deed:?}").chars().take(300).collect::<String>();
        let (done, expected) = match deed {
            Deed::Keep(all, existing) => {
                let expected = model.keep(&all, existing);
                match (all.as_slice(), existing) {
                    ([one], Existing::Stays) => (contexts.add(one).await, expected),
                    _ => (contexts.keep(&all, existing).await, expected),
                }
            }
            Deed::Replace(context) => {
                let done = contexts.replace(&context).await;
                let expected = match StartupContext::check_all(std::slice::from_ref(&context)) {
                    Ok(()) => match model.kept.get_mut(&key(&context)) {
                        Some(kept) => {
                            *kept = context;
                            Ok(())
                        }
                        None => no_such(&context.id),
                    },
                    wrong => wrong,
                };
                (done, expected)
            }
            Deed::Touch(user, id, at) => {
                let done = contexts.touch(&user, &id, second(at)).await;
                let expected = match model.kept.get_mut(&(user, id.clone())) {
                    Some(kept) => {
                        kept.last_accessed = kept.last_accessed.max(second(at));
                        Ok(())
                    }
                    None => no_such(&id),
                };
                (done, expected)
            }
            Deed::Remove(user, id) => {
                let done = contexts.remove(&user, &id).await;
                let removed = model.kept.remove(&(user, id.clone()));
                (done, removed.map(|_| ()).ok_or_else(|| ContextError::no_such(&id)))
            }
            Deed::Get(user, id) => {
                let found = contexts.get(&user, &id).await;
                assert_eq!(found, Ok(model.kept.get(&(user, id)).cloned()), "{shown}");
                continue;
            }
        };
        assert_eq!(done, expected, "{shown}");
    }
    for user in &model.users {
        assert_eq!(contexts.list(user).await, Ok(model.list(user)), "{user}");
    }
    model
}
