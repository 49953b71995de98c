//! The revision of the protocol that a message speaks, and what that revision asks of its headers.

use super::super::extract::single;
use super::super::headers::{MCP_METHOD, MCP_NAME, MCP_PROTOCOL_VERSION};
use super::message::{
    HEADER_MISMATCH, INVALID_PARAMS, RpcFailure, RpcMessage, UNSUPPORTED_VERSION,
};
use axum::http::{HeaderMap, HeaderName};
use data_encoding::BASE64;
use serde_json::{Value, json};

/// The revision without a handshake: each message says what it needs.
const STATELESS: &str = "2026-07-28";
/// The revisions that begin with `initialize`, newest first.
const WITH_HANDSHAKE: [&str; 2] = ["2025-11-25", "2025-06-18"];

/// The fields of `_meta` that a stateless message must have.
const VERSION_FIELD: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_FIELD: &str = "io.modelcontextprotocol/clientCapabilities";

/// What a message follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Revision {
    Stateless,
    WithHandshake,
}

/// All revisions that are spoken, newest first.
pub(super) fn supported() -> Vec<&'static str> {
    [&[STATELESS], &WITH_HANDSHAKE[..]].concat()
}

/// The revision of a handshake: the one that the client asks for, or the newest one.
pub(super) fn agreed(asked: Option<&Value>) -> &'static str {
    let asked = asked.and_then(Value::as_str);
    let known = WITH_HANDSHAKE.into_iter().find(|one| Some(*one) == asked);
    known.unwrap_or(WITH_HANDSHAKE[0])
}

/// The revision of a request; a failure if its headers and its body contradict each other.
pub(super) fn revision(headers: &HeaderMap, message: &RpcMessage) -> Result<Revision, RpcFailure> {
    let meta = message.params.get("_meta");
    let named = meta.and_then(|meta| meta.get(VERSION_FIELD));
    let Some(version) = header(headers, &MCP_PROTOCOL_VERSION)? else {
        if named.is_some() {
            return Err(missing(&MCP_PROTOCOL_VERSION));
        }
        return Ok(Revision::WithHandshake);
    };
    if let Some(named) = named
        && named != version
    {
        return Err(mismatch(&MCP_PROTOCOL_VERSION));
    }
    if WITH_HANDSHAKE.contains(&version) {
        return Ok(Revision::WithHandshake);
    }
    if version != STATELESS {
        let message = "Unsupported protocol version. \"data\" lists the supported ones.";
        let data = json!({"supported": supported(), "requested": version});
        return Err(RpcFailure::bad(UNSUPPORTED_VERSION, message).with(data));
    }
    let capabilities = meta.and_then(|meta| meta.get(CAPABILITIES_FIELD));
    if named.is_none() || !capabilities.is_some_and(Value::is_object) {
        let message =
            format!("\"_meta\" is incomplete. Send {VERSION_FIELD} and {CAPABILITIES_FIELD}.");
        return Err(RpcFailure::bad(INVALID_PARAMS, message));
    }
    mirrors(headers, &MCP_METHOD, Some(&message.method))?;
    if message.method == "tools/call" {
        let name = message.params.get("name").and_then(Value::as_str);
        mirrors(headers, &MCP_NAME, name)?;
    }
    Ok(Revision::Stateless)
}

/// Refuses a header that does not say what the body says.
fn mirrors(headers: &HeaderMap, name: &HeaderName, said: Option<&str>) -> Result<(), RpcFailure> {
    let Some(value) = header(headers, name)? else {
        return Err(missing(name));
    };
    let decoded = match encoded(value) {
        None => value.as_bytes().to_vec(),
        Some(text) => BASE64.decode(text.as_bytes()).map_err(|_| mismatch(name))?,
    };
    if said.map(str::as_bytes) == Some(&decoded[..]) {
        Ok(())
    } else {
        Err(mismatch(name))
    }
}

/// The Base64 of a value that no header could hold as it is.
fn encoded(value: &str) -> Option<&str> {
    value.strip_prefix("=?base64?")?.strip_suffix("?=")
}

fn header<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h str>, RpcFailure> {
    match single(headers, name) {
        Ok(value) => Ok(value.map(str::trim)),
        Err(problem) => Err(RpcFailure::bad(
            HEADER_MISMATCH,
            problem.detail().to_owned(),
        )),
    }
}

fn missing(name: &HeaderName) -> RpcFailure {
    let message = format!("Missing header {name}. Send what the body says.");
    RpcFailure::bad(HEADER_MISMATCH, message)
}

fn mismatch(name: &HeaderName) -> RpcFailure {
    let message = format!("The header {name} contradicts the body. Send what the body says.");
    RpcFailure::bad(HEADER_MISMATCH, message)
}
