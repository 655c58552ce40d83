//! Ports whose calls are timed and counted.

mod log;

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use run::budget::Price;
use run::error::PortError;
use run::model::{ChatReply, ChatRequest, Model, Models, Words};

use crate::metrics::{CallEnd, Metrics};

pub(crate) use log::measure_log;

/// Returns the same models with their calls counted.
pub(crate) fn measured(models: &Models, metrics: &Arc<Metrics>) -> Models {
    let one = |model: &Arc<dyn Model>| -> Arc<dyn Model> {
        Arc::new(Measured { model: Arc::clone(model), metrics: Arc::clone(metrics) })
    };
    Models {
        main: one(&models.main),
        light: one(&models.light),
        readers: models.readers.iter().map(one).collect(),
    }
}

struct Measured {
    model: Arc<dyn Model>,
    metrics: Arc<Metrics>,
}

/// A call in progress; an abandoned one counts as dropped.
struct Call<'a> {
    of: &'a Measured,
    began: Instant,
    end: CallEnd,
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        let seconds = self.began.elapsed().as_secs_f64();
        self.of.metrics.called(self.of.model.id(), self.end, seconds);
    }
}

#[async_trait]
impl Model for Measured {
    fn id(&self) -> &str {
        self.model.id()
    }
    fn price(&self) -> Option<Price> {
        self.model.price()
    }
    async fn chat(&self, request: &ChatRequest, words: &dyn Words) -> Result<ChatReply, PortError> {
        let end = CallEnd { outcome: "dropped", usage: None };
        let mut call = Call { of: self, began: Instant::now(), end };
        let reply = self.model.chat(request, words).await;
        call.end.usage = reply.as_ref().ok().map(|reply| reply.usage);
        call.end.outcome = match &reply {
            Ok(reply) if reply.cut_off => "cut_off",
            Ok(_) => "answered",
            Err(PortError::TimedOut { .. }) => "timed_out",
            Err(PortError::Unreachable { .. }) => "unreachable",
            Err(PortError::Limited { .. }) => "limited",
            Err(PortError::Refused { .. }) => "refused",
            Err(PortError::Failed { .. }) => "failed",
            Err(PortError::Malformed { .. }) => "malformed",
            Err(
                PortError::Invalid { .. } | PortError::Store { .. } | PortError::DiskFull { .. },
            ) => "invalid",
        };
        reply
    }
}
