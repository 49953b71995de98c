//! `/mcp`: the service for language models, by the Model Context Protocol over HTTP.
//!
//! A message is a request by itself: no session, and no answer that stays open. The tools call the
//! functions of the application that the other routes call (decision 12).

mod answer;
mod caller;
mod message;
mod options;
mod origin;
mod revision;
mod tools;

use super::AppState;
use super::extract::EncounterId;
use super::headers::REQUEST_ID;
use super::limit;
use super::post::{Post, receive};
use super::problem::Problem;
use super::published::{TOOLS_LIST, unpacked};
use super::reply::Reply;
use crate::app::{AppError, Sender};
use answer::{Complete, ToolAnswer};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request, State};
use axum::http::{HeaderMap, Response, StatusCode};
use axum::response::IntoResponse;
use axum::routing::post;
use caller::Caller;
use message::{INVALID_PARAMS, METHOD_NOT_FOUND, RpcFailure, RpcMessage, result};
use origin::AllowedOrigin;
use revision::{Revision, agreed, revision, supported};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tools::ToolCall;

/// What a model is told about the service.
const INSTRUCTIONS: &str = "Turnkeeper runs the turn order of tabletop combat by the rules of \
    published initiative systems. Create an encounter, or use the id and token that you were given. \
    Then repeat: read the options, choose one by its id and the version of the options. Each answer \
    has the turn table and the next options. No options means that others decide: wait with \
    read_log. Deal damage, change hit points and undo with the options that list_options lists with \
    \"tools\": true. Never show a token to players.";

/// The time for which a client may keep what is the same for all, in milliseconds.
const KEPT_MS: u32 = 60 * 60 * 1000;

/// The endpoint.
pub(super) fn routes() -> Router<AppState> {
    Router::new().route("/mcp", post(answer_message))
}

/// A posted message, unread.
struct PostedMessage(Post<Bytes>);

impl FromRequest<AppState> for PostedMessage {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Problem> {
        receive(request, state, &state.requests).await.map(Self)
    }
}

/// Answers a message.
async fn answer_message(
    State(shared): State<AppState>,
    _: AllowedOrigin,
    caller: Caller,
    headers: HeaderMap,
    PostedMessage(posted): PostedMessage,
) -> Result<Response<Body>, Problem> {
    let message = match RpcMessage::read(&posted.body) {
        Ok(message) => message,
        Err(failure) => return Ok(failure.into_response()),
    };
    let Some(id) = &message.id else {
        // The server waits for none.
        return Ok(StatusCode::ACCEPTED.into_response());
    };
    let revision = match revision(&headers, &message) {
        Ok(revision) => revision,
        Err(failure) => return Ok(failure.to(Some(id.clone())).into_response()),
    };
    let call = Call {
        shared: &shared,
        caller: &caller,
        posted: &posted,
        request_id: headers.get(REQUEST_ID).and_then(|id| id.to_str().ok()),
        id,
        revision,
    };
    let answered = match (&*message.method, revision) {
        ("tools/call", _) => call.tool(message.params).await?,
        ("tools/list", _) => call.listed(&message.params)?,
        ("server/discover", Revision::Stateless) => call.discovered()?,
        ("initialize", Revision::WithHandshake) => call.initialized(&message.params)?,
        ("ping", Revision::WithHandshake) => call.complete(&json!({}))?,
        (_, Revision::Stateless) => Err(unknown_method(StatusCode::NOT_FOUND)),
        (_, Revision::WithHandshake) => Err(unknown_method(StatusCode::OK)),
    };
    Ok(match answered {
        Ok(response) => response,
        Err(failure) => failure.to(Some(id.clone())).into_response(),
    })
}

fn unknown_method(status: StatusCode) -> RpcFailure {
    let message = "Unknown method. This server has tools/list and tools/call.";
    RpcFailure::new(status, METHOD_NOT_FOUND, message)
}

/// A request that is being answered.
struct Call<'a> {
    shared: &'a AppState,
    caller: &'a Caller,
    posted: &'a Post<Bytes>,
    request_id: Option<&'a str>,
    id: &'a Value,
    revision: Revision,
}

/// An answer, a failure of the protocol, or a problem of HTTP.
type Answered = Result<Result<Response<Body>, RpcFailure>, Problem>;

/// What is the same for all clients until the program changes.
#[derive(Serialize)]
struct Public<R> {
    #[serde(flatten)]
    result: R,
    #[serde(rename = "ttlMs")]
    ttl_ms: u32,
    #[serde(rename = "cacheScope")]
    scope: &'static str,
}

impl<R> Public<R> {
    fn of(result: R) -> Self {
        Self {
            result,
            ttl_ms: KEPT_MS,
            scope: "public",
        }
    }
}

impl Call<'_> {
    fn complete(&self, answer: &impl Serialize) -> Answered {
        let body = result(self.id, &Complete::of(answer, self.revision))?;
        Ok(Ok(Reply::json(body).into_response()))
    }

    fn discovered(&self) -> Answered {
        self.complete(&Public::of(json!({
            "supportedVersions": supported(),
            "capabilities": {"tools": {}},
            "instructions": INSTRUCTIONS,
        })))
    }

    fn initialized(&self, params: &Map<String, Value>) -> Answered {
        self.complete(&json!({
            "protocolVersion": agreed(params.get("protocolVersion")),
            "capabilities": {"tools": {}},
            "serverInfo": answer::server(),
            "instructions": INSTRUCTIONS,
        }))
    }

    fn listed(&self, params: &Map<String, Value>) -> Answered {
        #[derive(serde::Deserialize, Serialize)]
        struct ToolList {
            tools: Box<RawValue>,
        }
        if params.contains_key("cursor") {
            let message = "Unknown cursor. The list of tools has one page.";
            return Ok(Err(RpcFailure::new(
                StatusCode::OK,
                INVALID_PARAMS,
                message,
            )));
        }
        let text = unpacked(TOOLS_LIST).map_err(|error| AppError::Internal(error.to_string()))?;
        let list: ToolList = serde_json::from_str(&text).map_err(AppError::from)?;
        match self.revision {
            Revision::Stateless => self.complete(&Public::of(list)),
            Revision::WithHandshake => self.complete(&list),
        }
    }

    /// Calls a tool. What it refuses is an answer for the model; only the limits of all routes are
    /// problems of HTTP.
    async fn tool(&self, params: Map<String, Value>) -> Answered {
        let tool = match ToolCall::read(params) {
            Ok(tool) => tool,
            Err(failure) => return Ok(Err(failure)),
        };
        let client = self.caller.client(tool.seat.as_ref());
        if tool.is_free() {
            return Box::pin(self.run(tool, &client)).await.map(Ok);
        }
        let address = self.caller.address.clone();
        let served = async { self.run(tool, &client).await.into_response() };
        // A future of tools is large.
        let response = limit::limited(self.shared, &client, address, Box::pin(served)).await;
        Ok(Ok(response))
    }

    async fn run(&self, tool: ToolCall, caller: &limit::Client) -> Result<Response<Body>, Problem> {
        let context = tools::Context {
            shared: self.shared,
            caller: self.caller,
            posted: self.posted,
        };
        let client = tool.budget(self.caller, &self.posted.client);
        let answer = match context.run(tool).await {
            Ok(answer) => answer,
            Err(refused) => {
                if let (
                    (Some(Sender::Token(token)), Some(EncounterId(id))),
                    StatusCode::NOT_FOUND,
                ) = (caller, refused.problem.status())
                {
                    self.shared.app.forget_token(id, token);
                }
                ToolAnswer::refused(*refused, self.request_id)?
            }
        };
        let body = result(self.id, &Complete::of(&answer, self.revision))?;
        let body = match answer.room {
            Some(room) => room.keep(body),
            None => self.shared.app.answers.hold(&client, body)?,
        };
        Ok(Reply::json(body).into_response())
    }
}
