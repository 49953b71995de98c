//! From an event to a request.

use crate::http::{BasePath, Peer};
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, Uri};
use data_encoding::BASE64;
use lambda_http::Error;
use lambda_http::aws_lambda_events::query_map::QueryMap;
use lambda_http::request::LambdaRequest;

/// A request that came as an event.
pub(super) struct Invocation {
    pub request: Request<Body>,
    /// The stage whose name was taken off the path.
    pub stage: Option<BasePath>,
    pub source: EventSource,
}

/// What sent the event: what the answer has to look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventSource {
    /// An HTTP API, or a function URL.
    Gateway,
    /// A load balancer.
    Balancer,
}

impl EventSource {
    /// So many bytes of an answer are passed on: 6 MB and 1 MB, as AWS documents them.
    pub fn most(self) -> usize {
        match self {
            Self::Gateway => 6 * 1024 * 1024,
            Self::Balancer => 1_000_000,
        }
    }
}

/// Reads an event.
pub(super) fn invocation(event: LambdaRequest) -> Result<Invocation, Error> {
    match event {
        LambdaRequest::ApiGatewayV2(event) => {
            let context = event.request_context;
            let path = event.raw_path.unwrap_or_default();
            // A domain of one's own shows no stage, and a path there may begin with the same word.
            let staged = context.domain_name.is_none_or(|domain| domain.contains(".execute-api."));
            let stage =
                context.stage.filter(|stage| staged && stage != "$default").map(|stage| BasePath::stage(&stage));
            let below = stage.as_ref().and_then(|stage| stage.strip(&path));
            let stage = stage.clone().filter(|_| below.is_some());
            let uri = uri(below.unwrap_or(&path), event.raw_query_string.as_deref().unwrap_or_default());
            let body = body(event.body, event.is_base64_encoded)?;
            let mut request = request(context.http.method, uri, event.headers, body);
            let address = context.http.source_ip.and_then(|address| address.parse().ok());
            if let Some(address) = address {
                request.extensions_mut().insert(Peer(address));
            }
            Ok(Invocation { request, stage, source: EventSource::Gateway })
        }
        LambdaRequest::Alb(event) => {
            let several = !event.multi_value_headers.is_empty();
            let headers = if several { event.multi_value_headers } else { event.headers };
            let query = query(if event.multi_value_query_string_parameters.is_empty() {
                &event.query_string_parameters
            } else {
                &event.multi_value_query_string_parameters
            });
            let uri = uri(event.path.as_deref().unwrap_or_default(), &query);
            let body = body(event.body, event.is_base64_encoded)?;
            let mut request = request(event.http_method, uri, headers, body);
            // The balancer itself has added the last one.
            if let Some(peer) = Peer::forwarded(request.headers()) {
                request.extensions_mut().insert(peer);
            }
            Ok(Invocation { request, stage: None, source: EventSource::Balancer })
        }
        _ => Err("this event is of none of the kinds served here: HTTP API (2.0), function URL, load balancer".into()),
    }
}

fn request(method: Method, uri: Uri, headers: HeaderMap, body: Body) -> Request<Body> {
    let mut request = Request::new(body);
    *request.method_mut() = method;
    *request.uri_mut() = uri;
    *request.headers_mut() = headers;
    request
}

fn body(text: Option<String>, encoded: bool) -> Result<Body, Error> {
    match text {
        Some(text) if encoded => Ok(Body::from(BASE64.decode(text.as_bytes())?)),
        text => Ok(text.map_or_else(Body::empty, Body::from)),
    }
}

/// A load balancer splits the query and leaves its parts encoded as they came.
fn query(parameters: &QueryMap) -> String {
    parameters.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
}

/// The path and query, with what may not stand there as it is percent-encoded: some fronts decode paths.
fn uri(path: &str, query: &str) -> Uri {
    let path = clean(path, b"#?");
    let mut text = if path.starts_with('/') { path } else { format!("/{path}") };
    if !query.is_empty() {
        text = format!("{text}?{}", clean(query, b"#"));
    }
    // What is still none is longer than any path of ours.
    Uri::try_from(text).unwrap_or(Uri::from_static("/-"))
}

fn clean(text: &str, special: &[u8]) -> String {
    let sound = |b: u8| b.is_ascii_graphic() && !br#""<>\^`{|}"#.contains(&b) && !special.contains(&b);
    text.bytes().fold(String::with_capacity(text.len()), |mut clean, b| {
        if sound(b) {
            clean.push(char::from(b));
        } else {
            clean.push_str(&format!("%{b:02X}"));
        }
        clean
    })
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
    fn the_stage_is_taken_off_where_the_gateway_shows_it() {
        const OWN: &str = "abc.execute-api.eu-central-1.amazonaws.com";
        for (path, stage, domain, expected) in [
            ("/live/v1/rulesets", "live", OWN, "/v1/rulesets"),
            ("/v1/v1/rulesets", "v1", OWN, "/v1/rulesets"),
            ("/v1/rulesets", "$default", OWN, "/v1/rulesets"),
            ("/v1/rulesets", "v1", "turns.example", "/v1/rulesets"),
            ("/lively/x", "live", OWN, "/lively/x"),
            ("/live", "live", OWN, "/"),
        ] {
            let arrival = gateway(path, "", stage, domain);
            assert_eq!(arrival.request.uri(), expected, "{path} at {stage}");
            assert_eq!(arrival.stage.is_some(), path != expected, "{path} at {stage}");
            assert_eq!(arrival.request.extensions().get(), Some(&Peer([203, 0, 113, 7].into())));
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
            assert_eq!(gateway(path, query, "$default", "x").request.uri(), expected);
        }
        assert_eq!(gateway(&"/x".repeat(40_000), "", "$default", "x").request.uri(), "/-");
    }

    #[test]
    fn a_balancers_parameters_stay_as_they_were_sent() {
        let event = serde_json::json!({"httpMethod": "GET", "path": "/v1/x", "multiValueHeaders": {"a": ["1", "2"], "x-forwarded-for": ["6.6.6.6, 203.0.113.7"]},
            "multiValueQueryStringParameters": {"limit": ["%31%2B"]}, "body": "aGk=", "isBase64Encoded": true,
            "requestContext": {"elb": {"targetGroupArn": "arn"}}});
        let arrival = read(event);
        assert_eq!(arrival.request.uri(), "/v1/x?limit=%31%2B");
        assert_eq!(arrival.request.headers().get_all("a").iter().count(), 2);
        assert_eq!(arrival.source, EventSource::Balancer);
        assert_eq!(arrival.request.extensions().get(), Some(&Peer([203, 0, 113, 7].into())));
    }

    #[test]
    fn other_events_are_refused_with_what_would_be_right() {
        let event = serde_json::json!({"Records": [{"eventSource": "aws:s3"}]});
        let refused = serde_json::from_value::<LambdaRequest>(event).expect_err("no event of ours").to_string();
        assert!(refused.contains("API Gateway") && refused.contains("Function URL"), "{refused}");
    }
}
