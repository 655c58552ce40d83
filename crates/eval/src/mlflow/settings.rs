//! The address of the tracking server, and the credentials for it.

use std::time::Duration;

use transport::Secret;

/// The settings of a tracking server.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Such as `http://127.0.0.1:5000`.
    pub base_url: String,
    /// The name of the experiment; it is created if it does not exist.
    pub experiment: String,
    /// `None` for a server without authentication.
    pub access: Option<Access>,
    /// The limit for one request with its attempts.
    pub timeout: Duration,
}

/// The credentials for a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    Token(Secret),
    Password { user: String, password: Secret },
}

/// The variables that users of MLflow set in their environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Variables {
    /// `MLFLOW_TRACKING_URI`.
    pub base_url: Option<String>,
    /// `MLFLOW_EXPERIMENT_NAME`.
    pub experiment: Option<String>,
    /// `MLFLOW_TRACKING_USERNAME` and `MLFLOW_TRACKING_PASSWORD`, or else `MLFLOW_TRACKING_TOKEN`: the order of MLflow's own client.
    pub access: Option<Access>,
}

impl Variables {
    /// Reads them from environment variables; an empty one counts as not set.
    pub fn of(variables: impl IntoIterator<Item = (String, String)>) -> Variables {
        let mut found = Variables::default();
        let (mut user, mut password, mut token) = (None, None, None);
        for (name, value) in variables {
            let place = match name.as_str() {
                "MLFLOW_TRACKING_URI" => &mut found.base_url,
                "MLFLOW_EXPERIMENT_NAME" => &mut found.experiment,
                "MLFLOW_TRACKING_USERNAME" => &mut user,
                "MLFLOW_TRACKING_PASSWORD" => &mut password,
                "MLFLOW_TRACKING_TOKEN" => &mut token,
                _ => continue,
            };
            let value = value.trim();
            *place = (!value.is_empty()).then(|| value.to_owned());
        }
        found.access = match (user, password, token) {
            (Some(user), Some(password), _) => {
                Some(Access::Password { user, password: password.into() })
            }
            (_, _, Some(token)) => Some(Access::Token(token.into())),
            _ => None,
        };
        found
    }
}
