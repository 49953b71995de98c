//! The responses, headers and parameters that several operations share.
//! Operations name them; the document holds each once.

use std::collections::BTreeMap;
use utoipa::IntoResponses;
use utoipa::openapi::{Ref, RefOr, Response};

/// The header `Idempotency-Key`.
pub const IDEMPOTENCY_KEY: &str = "Makes the request safe to repeat: for a day the same request \
                                   with the same key gets the first answer.";
/// The header `If-Match`.
pub const IF_MATCH: &str = "Refuses the request with 412 unless the encounter has this version, \
                            such as `\"13\"`, or an `ETag` that this token got.";
/// The header `If-None-Match`.
pub const IF_NONE_MATCH: &str =
    "Answers 304 without a body while the answer still has this `ETag`.";

/// Types for `responses(...)` of operations: each refers to the shared response of its name.
macro_rules! responses {
    ($($(#[doc = $doc:literal])+ $name:ident = $status:literal, $headers:expr;)+) => {
        $(
            $(#[doc = $doc])+
            pub struct $name;

            impl IntoResponses for $name {
                fn responses() -> BTreeMap<String, RefOr<Response>> {
                    [($status.to_owned(), Ref::from_response_name(stringify!($name)).into())].into()
                }
            }
        )+

        /// The shared responses: their names, descriptions and headers.
        pub const RESPONSES: &[(&str, &str, &[&str])] =
            &[$((stringify!($name), concat!($($doc),+), $headers)),+];
    };
}

responses! {
    /// A new encounter and its game master's token.
    Created = "201", &["ETag", "Encounter-Version", "Location", "Idempotency-Replayed"];
    /// The request is not valid HTTP or JSON.
    BadRequest = "400", &[];
    /// The request has no credential, or none that the server knows.
    Unauthorized = "401", &["WWW-Authenticate"];
    /// This credential does not allow the request. `detail` says which does.
    Forbidden = "403", &[];
    /// There is nothing at this path, or nothing that the token may see.
    NotFound = "404", &[];
    /// The path has no such method. `Allow` lists those that it has.
    MethodNotAllowed = "405", &["Allow"];
    /// The request took too long to arrive or to be answered.
    RequestTimeout = "408", &[];
    /// The rules refuse the request now. `code` and `rule` say why.
    Conflict = "409", &[];
    /// The log no longer holds this version. `oldest_version` is the oldest one that it holds.
    Gone = "410", &[];
    /// The encounter has another version than `If-Match` asks for. `current_version` says which.
    PreconditionFailed = "412", &[];
    /// The body is too large.
    PayloadTooLarge = "413", &[];
    /// The body is not JSON in UTF-8, or is compressed.
    UnsupportedMediaType = "415", &[];
    /// A field or parameter is missing, unknown, or has a wrong type or value. `errors` says which.
    UnprocessableEntity = "422", &[];
    /// The client sends too many requests, or holds too many streams open. `Retry-After` says when
    /// it may go on.
    TooManyRequests = "429", &["Retry-After", "RateLimit", "RateLimit-Policy"];
    /// The headers have more than 64 KiB in all, or are more than 100.
    HeadersTooLarge = "431", &[];
    /// The server made a mistake. Report it with the `request_id`.
    InternalError = "500", &[];
    /// The store does not answer, or the server is too busy. `Retry-After` says when to try again.
    ServiceUnavailable = "503", &["Retry-After"];
    /// Any other refusal.
    OtherProblem = "default", &[];
}

/// The shared responses of every operation, by status.
pub const EVERYWHERE: [(&str, &str); 4] = [
    ("405", "MethodNotAllowed"),
    ("431", "HeadersTooLarge"),
    ("500", "InternalError"),
    ("default", "OtherProblem"),
];
