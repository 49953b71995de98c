//! The headers of the API that HTTP's own list does not have.

use axum::http::HeaderName;

/// The id of a request, for the log.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The version of the encounter that an answer shows.
pub(super) const ENCOUNTER_VERSION: HeaderName = HeaderName::from_static("encounter-version");
/// Recognises the repetitions of a request.
pub(super) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// Marks an answer that repeats an earlier one; nothing was applied again.
pub(super) const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// What the client would like to have in the answer.
pub(super) const PREFER: HeaderName = HeaderName::from_static("prefer");
/// Confirms a preference of the request.
pub(super) const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");
/// The last version that a stream brought.
pub(super) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// The revision of the Model Context Protocol that a client speaks.
pub(super) const MCP_PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// The method of a message of that protocol.
pub(super) const MCP_METHOD: HeaderName = HeaderName::from_static("mcp-method");
/// The tool that such a message calls.
pub(super) const MCP_NAME: HeaderName = HeaderName::from_static("mcp-name");
/// How much of each rate limit is left.
pub(super) const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
/// The rate limits.
pub(super) const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
