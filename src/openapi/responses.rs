//! The responses, headers and parameters that several operations share.
//! Operations name them; the document holds each once.

use std::collections::BTreeMap;
use utoipa::IntoResponses;
use utoipa::openapi::{Ref, RefOr, Response};

/// The header `Idempotency-Key`.
pub const IDEMPOTENCY_KEY: &str = "Makes the request safe to repeat: for a day the same request \
                                   with the same key returns the first answer.";
/// The header `If-Match`.
pub const IF_MATCH: &str = "Refuses the request with 412 unless the encounter has this version, \
                            such as `\"13\"`, or an `ETag` that this token got.";
/// The header `If-None-Match`.
pub const IF_NONE_MATCH: &str = "Returns 304 without a body if the answer still has this `ETag`.";

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
    /// This credential does not allow the request. `detail` names one that does.
    Forbidden = "403", &[];
    /// Unknown path, or nothing that the token may see.
    NotFound = "404", &[];
    /// The path does not have this method. `Allow` lists its methods.
    MethodNotAllowed = "405", &["Allow"];
    /// The request took too long to arrive or to be answered.
    RequestTimeout = "408", &[];
    /// The rules refuse the request now. `code` and `rule` give the reason.
    Conflict = "409", &[];
    /// The log no longer holds this version. `oldest_version` is its oldest one.
    Gone = "410", &[];
    /// The encounter does not match `If-Match`. `current_version` is its version.
    PreconditionFailed = "412", &[];
    /// The body is too large.
    PayloadTooLarge = "413", &[];
    /// The body is not JSON in UTF-8, or is compressed.
    UnsupportedMediaType = "415", &[];
    /// A field or parameter is missing, unknown, or has a wrong type or value. `errors` lists them.
    UnprocessableEntity = "422", &[];
    /// The client sends too many requests, or holds too many streams open. Continue after
    /// `Retry-After` seconds.
    TooManyRequests = "429", &["Retry-After", "RateLimit", "RateLimit-Policy"];
    /// The request has more than 100 headers, or more than 64 KiB of them.
    HeadersTooLarge = "431", &[];
    /// The server failed. Report the `request_id` to its operator.
    InternalError = "500", &[];
    /// The store does not answer, or the server is too busy. Try again after `Retry-After` seconds.
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
