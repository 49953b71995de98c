//! Converts events to requests.

use crate::http::{BasePath, Peer};
use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Uri};
use data_encoding::BASE64;
use lambda_http::Error;
use lambda_http::aws_lambda_events::query_map::QueryMap;
use lambda_http::request::LambdaRequest;
use serde_json::Value;
use serde_json::value::RawValue;

/// A request that came as an event.
pub(super) struct Invocation {
    pub request: Request<Body>,
    /// The stage with whose name the path begins.
    pub stage: Option<BasePath>,
    pub source: EventSource,
}

/// The sender of an event, which determines the form of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventSource {
    /// An HTTP API, or a function URL.
    Gateway,
    /// A load balancer.
    Balancer,
}

impl EventSource {
    /// The maximum size of an answer in bytes: 6 MB and 1 MB, as AWS documents them.
    pub fn max_answer(self) -> usize {
        match self {
            Self::Gateway => 6 * 1024 * 1024,
            Self::Balancer => 1_000_000,
        }
    }
}

/// An event that was read.
pub(super) struct ReadEvent {
    pub request: LambdaRequest,
    /// Whether all its headers are valid; the others are left out.
    pub headers_valid: bool,
}

/// Reads an event. lambda_http refuses the whole event for one header that is not valid, so such
/// headers are left out.
pub(super) fn read(event: &RawValue) -> Result<ReadEvent, Error> {
    let error = match serde_json::from_str(event.get()) {
        Ok(request) => {
            return Ok(ReadEvent {
                request,
                headers_valid: true,
            });
        }
        Err(error) => error,
    };
    let mut event: Value = serde_json::from_str(event.get())?;
    let mut found = false;
    for member in ["headers", "multiValueHeaders"] {
        if let Some(Value::Object(headers)) = event.get_mut(member) {
            let before = headers.len();
            headers.retain(|name, values| is_header(name, values));
            found |= headers.len() < before;
        }
    }
    if !found {
        return Err(error.into());
    }
    Ok(ReadEvent {
        request: serde_json::from_str(&event.to_string())?,
        headers_valid: false,
    })
}

/// Whether a header can have this name and these values.
fn is_header(name: &str, values: &Value) -> bool {
    if HeaderName::try_from(name).is_err() {
        return false;
    }
    let valid = |value: &Value| match value.as_str() {
        Some(text) => HeaderValue::from_str(text).is_ok(),
        None => true,
    };
    match values {
        Value::Array(values) => values.iter().all(valid),
        value => valid(value),
    }
}

/// Converts an event.
pub(super) fn invocation(event: LambdaRequest) -> Result<Invocation, Error> {
    match event {
        LambdaRequest::ApiGatewayV2(event) => {
            let context = event.request_context;
            let path = event.raw_path.unwrap_or_default();
            let stage = stage(context.stage, context.domain_name.as_deref(), &path);
            let uri = uri(&path, event.raw_query_string.as_deref().unwrap_or_default());
            let body = body(event.body, event.is_base64_encoded)?;
            let address = context.http.source_ip.as_deref().unwrap_or_default();
            let peer = address.parse().ok().map(Peer);
            let request = request(context.http.method, uri, event.headers, peer, body);
            Ok(Invocation {
                request,
                stage,
                source: EventSource::Gateway,
            })
        }
        LambdaRequest::Alb(event) => {
            let headers = if event.multi_value_headers.is_empty() {
                event.headers
            } else {
                event.multi_value_headers
            };
            let parameters = if event.multi_value_query_string_parameters.is_empty() {
                &event.query_string_parameters
            } else {
                &event.multi_value_query_string_parameters
            };
            let path = event.path.as_deref().unwrap_or_default();
            let uri = uri(path, &query(parameters));
            let body = body(event.body, event.is_base64_encoded)?;
            // The balancer itself has added the last address.
            let peer = Peer::forwarded(&headers);
            let request = request(event.http_method, uri, headers, peer, body);
            Ok(Invocation {
                request,
                stage: None,
                source: EventSource::Balancer,
            })
        }
        _ => Err(
            "this event is of none of the kinds served here: HTTP API (2.0), function URL, \
                  load balancer"
                .into(),
        ),
    }
}

/// The stage with whose name a gateway lets the path begin. A custom domain hides the stage, and a
/// path there may begin with the same word.
fn stage(name: Option<String>, domain: Option<&str>, path: &str) -> Option<BasePath> {
    let name = name?;
    let hidden = domain.is_some_and(|domain| !domain.contains(".execute-api."));
    if hidden || name == "$default" {
        return None;
    }
    let stage = BasePath::stage(&name);
    stage.strip(path)?;
    Some(stage)
}

fn request(
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    peer: Option<Peer>,
    body: Body,
) -> Request<Body> {
    let mut request = Request::new(body);
    *request.method_mut() = method;
    *request.uri_mut() = uri;
    *request.headers_mut() = headers;
    if let Some(peer) = peer {
        request.extensions_mut().insert(peer);
    }
    request
}

fn body(text: Option<String>, encoded: bool) -> Result<Body, Error> {
    match text {
        Some(text) if encoded => Ok(Body::from(BASE64.decode(text.as_bytes())?)),
        text => Ok(text.map_or_else(Body::empty, Body::from)),
    }
}

/// The query of a load balancer's event, whose parameters are still percent-encoded.
fn query(parameters: &QueryMap) -> String {
    let mut pairs = Vec::new();
    for (name, value) in parameters.iter() {
        pairs.push(format!("{name}={value}"));
    }
    pairs.join("&")
}

/// The path and query, percent-encoded again where the event source has decoded them.
fn uri(path: &str, query: &str) -> Uri {
    let path = encode(path, b"#?");
    let mut text = if path.starts_with('/') {
        path
    } else {
        format!("/{path}")
    };
    if !query.is_empty() {
        text = format!("{text}?{}", encode(query, b"#"));
    }
    // Only text that is longer than every path of the service fails here.
    Uri::try_from(text).unwrap_or(Uri::from_static("/-"))
}

fn encode(text: &str, special: &[u8]) -> String {
    let allowed =
        |b: u8| b.is_ascii_graphic() && !br#""<>\^`{|}"#.contains(&b) && !special.contains(&b);
    let mut encoded = String::with_capacity(text.len());
    for b in text.bytes() {
        if allowed(b) {
            encoded.push(char::from(b));
        } else {
            encoded.push_str(&format!("%{b:02X}"));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(event: serde_json::Value) -> Invocation {
        invocation(serde_json::from_value(event).expect("an event")).expect("a request")
    }

    fn gateway(path: &str, query: &str, stage: &str, domain: &str) -> Invocation {
        read(
            serde_json::json!({"version": "2.0", "rawPath": path, "rawQueryString": query, "headers": {"host": "a b\\"},
            "requestContext": {"stage": stage, "domainName": domain, "http": {"method": "GET", "path": path, "sourceIp": "203.0.113.7"}}}),
        )
    }

    #[test]
    fn the_stage_is_known_if_the_gateway_shows_it() {
        const OWN: &str = "abc.execute-api.eu-central-1.amazonaws.com";
        for (path, stage, domain, expected) in [
            ("/live/v1/rulesets", "live", OWN, "/v1/rulesets"),
            ("/v1/v1/rulesets", "v1", OWN, "/v1/rulesets"),
            ("/v1/rulesets", "$default", OWN, "/v1/rulesets"),
            ("/v1/rulesets", "v1", "turns.example", "/v1/rulesets"),
            ("/lively/x", "live", OWN, "/lively/x"),
            ("/live", "live", OWN, "/"),
        ] {
            let invocation = gateway(path, "", stage, domain);
            assert_eq!(invocation.request.uri(), path, "{path} at {stage}");
            let below = invocation
                .stage
                .as_ref()
                .and_then(|stage| stage.strip(path));
            assert_eq!(below.unwrap_or(path), expected, "{path} at {stage}");
            assert_eq!(
                invocation.stage.is_some(),
                path != expected,
                "{path} at {stage}"
            );
            assert_eq!(
                invocation.request.extensions().get(),
                Some(&Peer([203, 0, 113, 7].into()))
            );
        }
    }

    #[test]
    fn no_path_query_or_host_makes_it_panic() {
        for (path, query, expected) in [
            ("/with space/ü?#", "", "/with%20space/%C3%BC%3F%23"),
            ("/%FF/x", "a=%FF&b=[]|\"", "/%FF/x?a=%FF&b=[]%7C%22"),
            ("", "x", "/?x"),
            ("no/slash", "", "/no/slash"),
            ("/../..//x", "?", "/../..//x??"),
        ] {
            assert_eq!(
                gateway(path, query, "$default", "x").request.uri(),
                expected
            );
        }
        assert_eq!(
            gateway(&"/x".repeat(40_000), "", "$default", "x")
                .request
                .uri(),
            "/-"
        );
    }

    #[test]
    fn a_balancers_parameters_stay_as_they_were_sent() {
        let event = serde_json::json!({"httpMethod": "GET", "path": "/v1/x", "multiValueHeaders": {"a": ["1", "2"], "x-forwarded-for": ["6.6.6.6, 203.0.113.7"]},
            "multiValueQueryStringParameters": {"limit": ["%31%2B"]}, "body": "aGk=", "isBase64Encoded": true,
            "requestContext": {"elb": {"targetGroupArn": "arn"}}});
        let invocation = read(event);
        assert_eq!(invocation.request.uri(), "/v1/x?limit=%31%2B");
        assert_eq!(invocation.request.headers().get_all("a").iter().count(), 2);
        assert_eq!(invocation.source, EventSource::Balancer);
        assert_eq!(
            invocation.request.extensions().get(),
            Some(&Peer([203, 0, 113, 7].into()))
        );
    }
}
