//! Who calls a tool: by the header of the request, or by the token among the tool's arguments.

use super::super::AppState;
use super::super::extract::{Creator, EncounterId};
use super::super::limit::{Client as LimitedClient, address_bucket};
use super::super::problem::Problem;
use crate::app::{Application, BearerToken, Sender};
use crate::openapi::Seat;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use std::convert::Infallible;

/// What the headers of a request say about its sender.
pub(super) struct Caller {
    /// The token or application of the header Authorization.
    sender: Option<Sender>,
    /// Whether the header allows to create encounters.
    creator: Result<Creator, Problem>,
    /// The bucket of the sender's address.
    pub address: String,
}

impl FromRequestParts<AppState> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Infallible> {
        Ok(Self {
            sender: Sender::from_request_parts(parts, state).await.ok(),
            creator: Creator::from_request_parts(parts, state).await,
            address: address_bucket(state, &parts.headers, &parts.extensions),
        })
    }
}

impl Caller {
    /// The application that creates an encounter.
    pub fn creator(&self) -> Result<Option<Application>, Problem> {
        match &self.creator {
            Ok(Creator(application)) => Ok(application.clone()),
            Err(problem) => Err(problem.clone()),
        }
    }

    /// The token for an encounter: that of the arguments, or else of the header.
    pub fn token(&self, argument: Option<&str>) -> Result<BearerToken, Problem> {
        const MISSING: &str = "Missing token. Send the argument \"token\" with the token of the \
                               encounter, or the header Authorization: Bearer tk_...";
        const MALFORMED: &str = "Not a token of this service. Send the argument \"token\" as \
                                 create_encounter returned it: tk_...";
        match (argument, &self.sender) {
            (Some(text), _) => {
                BearerToken::read(text).ok_or_else(|| Problem::unauthorized(MALFORMED))
            }
            (None, Some(Sender::Token(token))) => Ok(token.clone()),
            (None, _) => Err(Problem::unauthorized(MISSING)),
        }
    }

    /// The client whose calls the rate limits count; `seat` is the encounter that a call is for.
    pub fn client(&self, seat: Option<&Seat>) -> LimitedClient {
        let Some(seat) = seat else {
            let application = match &self.sender {
                Some(Sender::Creator(name)) => Some(Sender::Creator(name.clone())),
                _ => None,
            };
            return (application, None);
        };
        let token = self.token(seat.token.as_deref()).ok();
        (token.map(Sender::Token), EncounterId::read(&seat.encounter))
    }
}
