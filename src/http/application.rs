//! Who may create, import and list: applications, where there are any.

use super::Shared;
use super::extract::bearer;
use super::problem::Problem;
use crate::app::{Application, NoApplication};
use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;

/// The application that sends the request; None where the server knows none, and whoever asks may create.
pub(super) struct Creator(pub Option<Application>);

impl FromRequestParts<Shared> for Creator {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &Shared) -> Result<Self, Problem> {
        const MISSING: &str = "this server wants an application's key for that: Authorization: Bearer tk_app_...";
        const UNKNOWN: &str = "no application has this key: the header is Authorization: Bearer tk_app_...";
        const TOKEN: &str =
            "this is the token of an encounter: creating, importing and listing need an application's key, tk_app_...";
        let applications = state.app.applications();
        if !applications.configured() {
            return Ok(Self(None));
        }
        let key = bearer(&parts.headers).map_err(|malformed| malformed.told(UNKNOWN))?;
        let key = key.ok_or(Problem::unauthorized(MISSING))?;
        applications.find(key).map(|application| Self(Some(application))).map_err(|why| match why {
            NoApplication::Unknown => Problem::unauthorized(UNKNOWN),
            NoApplication::Token => Problem::new(StatusCode::FORBIDDEN, "application_key_needed", TOKEN),
        })
    }
}
