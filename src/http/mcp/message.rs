//! Messages of JSON-RPC: requests and notifications of clients, and the answers to them.

use super::super::middleware::OwnBody;
use super::super::reply::Reply;
use crate::app::AppError;
use crate::json::parse;
use axum::body::{Body, Bytes};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;
use serde::Serialize;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The JSON-RPC codes of errors. The protocol's own begin at -32020.
pub(super) const INVALID_JSON: i32 = -32700;
pub(super) const INVALID_REQUEST: i32 = -32600;
pub(super) const METHOD_NOT_FOUND: i32 = -32601;
pub(super) const INVALID_PARAMS: i32 = -32602;
pub(super) const HEADER_MISMATCH: i32 = -32020;
pub(super) const UNSUPPORTED_VERSION: i32 = -32022;

/// A message of a client.
pub(super) struct RpcMessage {
    /// The id that the answer repeats; None for a notification, which has no answer.
    pub id: Option<Value>,
    pub method: String,
    pub params: Map<String, Value>,
}

impl RpcMessage {
    /// Reads one message.
    pub fn read(body: &[u8]) -> Result<Self, RpcFailure> {
        let message =
            parse(body).map_err(|error| RpcFailure::bad(INVALID_JSON, error.to_string()))?;
        let Value::Object(mut fields) = message else {
            return Err(RpcFailure::bad(
                INVALID_REQUEST,
                "A body holds one message. Send a JSON object, and each message by itself.",
            ));
        };
        let id = fields.remove("id");
        if let Some(id) = &id
            && !is_id(id)
        {
            return Err(RpcFailure::bad(
                INVALID_REQUEST,
                "Invalid id. Send a text or a whole number.",
            ));
        }
        let is_rpc = fields.get("jsonrpc").and_then(Value::as_str) == Some("2.0");
        let method = match fields.remove("method") {
            Some(Value::String(method)) if is_rpc => method,
            _ => {
                let failure = RpcFailure::bad(
                    INVALID_REQUEST,
                    "Not a message of JSON-RPC. Send \"jsonrpc\": \"2.0\" and a \"method\".",
                );
                return Err(failure.to(id));
            }
        };
        let params = match fields.remove("params") {
            None => Map::new(),
            Some(Value::Object(params)) => params,
            Some(_) => {
                let failure = RpcFailure::bad(INVALID_PARAMS, "\"params\" must be an object.");
                return Err(failure.to(id));
            }
        };
        Ok(Self { id, method, params })
    }
}

/// Whether a value can be the id of a request.
fn is_id(id: &Value) -> bool {
    match id {
        Value::String(_) => true,
        Value::Number(number) => number.is_i64() || number.is_u64(),
        _ => false,
    }
}

/// Why a message is not answered with a result.
#[derive(Debug)]
pub(super) struct RpcFailure {
    status: StatusCode,
    id: Option<Value>,
    error: RpcError,
}

#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize)]
struct RpcError {
    code: i32,
    message: Cow<'static, str>,
    data: Option<Value>,
}

impl RpcFailure {
    pub fn new(status: StatusCode, code: i32, message: impl Into<Cow<'static, str>>) -> Self {
        let error = RpcError {
            code,
            message: message.into(),
            data: None,
        };
        Self {
            status,
            id: None,
            error,
        }
    }

    /// A message that breaks the protocol.
    pub fn bad(code: i32, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    /// The answer to the request with this id.
    pub fn to(self, id: Option<Value>) -> Self {
        Self { id, ..self }
    }

    /// Adds data for programs.
    pub fn with(mut self, data: Value) -> Self {
        self.error.data = Some(data);
        self
    }
}

impl IntoResponse for RpcFailure {
    fn into_response(self) -> Response<Body> {
        #[derive(Serialize)]
        struct RpcErrorAnswer {
            jsonrpc: &'static str,
            #[serde(skip_serializing_if = "Option::is_none")]
            id: Option<Value>,
            error: RpcError,
        }
        let Self { status, id, error } = self;
        let answer = RpcErrorAnswer {
            jsonrpc: "2.0",
            id,
            error,
        };
        // Text and numbers always serialise.
        let body = serde_json::to_vec(&answer).unwrap_or_default();
        let mut response = Reply::json(body).status(status).into_response();
        response.extensions_mut().insert(OwnBody);
        response
    }
}

/// The answer with the result of the request with this id.
pub(super) fn result(id: &Value, result: &impl Serialize) -> Result<Bytes, AppError> {
    #[derive(Serialize)]
    struct RpcResultAnswer<'a, R> {
        jsonrpc: &'static str,
        id: &'a Value,
        result: &'a R,
    }
    let answer = RpcResultAnswer {
        jsonrpc: "2.0",
        id,
        result,
    };
    Ok(serde_json::to_vec(&answer)?.into())
}
