//! Rate limits: answers 429 to requests beyond a limit, and tells in headers how much of it is
//! left.
//!
//! The headers are those of the IETF's draft "RateLimit header fields for HTTP". Without a limit
//! the router leaves this layer out.

use super::AppState;
use super::extract::EncounterId;
use super::headers::{RATE_LIMIT, RATE_LIMIT_POLICY};
use super::problem::Problem;
use crate::app::{QuotaGrant, Rate, Sender};
use axum::RequestExt;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use axum::middleware::Next;
use axum::response::IntoResponse;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// The address of the connection's other end, or the client's as AWS Lambda reports it, as an
/// extension of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer(pub IpAddr);

impl Peer {
    /// The address that a trusted proxy has added to `X-Forwarded-For`.
    pub fn forwarded(headers: &HeaderMap) -> Option<Self> {
        last_address(headers, &HeaderName::from_static("x-forwarded-for")).map(Self)
    }
}

/// The bucket that a request counts against.
struct RateLimitKey {
    /// The policy's name in the headers.
    policy: &'static str,
    bucket: String,
    rate: Rate,
}

/// The sender of a request, before the store has checked its token, and the encounter that it is
/// for; None where they are missing or malformed.
pub(super) type Client = (Option<Sender>, Option<EncounterId>);

/// Counts the request and serves it, or answers 429.
pub(super) async fn limit(
    State(shared): State<AppState>,
    mut request: Request,
    next: Next,
) -> Response<Body> {
    if !request.uri().path().starts_with("/v1/encounters") {
        return next.run(request).await;
    }
    let sender = request
        .extract_parts_with_state::<Sender, _>(&shared)
        .await
        .ok();
    let id = request
        .extract_parts_with_state::<EncounterId, _>(&shared)
        .await
        .ok();
    let client = (sender, id);
    let address = address_bucket(&shared, request.headers(), request.extensions());
    limited(&shared, &client, address, next.run(request)).await
}

/// Counts a request of the client and lets `serve` serve it, or answers 429.
pub(super) async fn limited(
    shared: &AppState,
    client: &Client,
    address: String,
    serve: impl Future<Output = Response<Body>>,
) -> Response<Body> {
    let counted = match count(shared, client, address).await {
        Ok(counted) => counted,
        Err(refusal) => return refusal,
    };
    let mut response = serve.await;
    if let Some((key, grant)) = counted {
        key.add_headers(grant, response.headers_mut());
    }
    // The token may have ended: its next request is checked again.
    if let ((Some(Sender::Token(token)), Some(EncounterId(id))), StatusCode::NOT_FOUND) =
        (client, response.status())
    {
        shared.app.forget_token(id, token);
    }
    response
}

/// Counts the request; None without a limit.
async fn count(
    shared: &AppState,
    client: &Client,
    address: String,
) -> Result<Option<(RateLimitKey, QuotaGrant)>, Response<Body>> {
    let Some(key) = rate_limit_key(shared, client, address).await? else {
        return Ok(None);
    };
    let grant = shared.app.count(&key.bucket, key.rate).await;
    let grant = grant.map_err(|error| Problem::from(error).into_response())?;
    if grant.granted > 0 {
        Ok(Some((key, grant)))
    } else {
        Err(key.refusal(grant))
    }
}

/// What a request of the client counts against; None without a limit.
///
/// A token that is new to this process is checked in the store. If it is invalid, the request
/// counts against its address; while that address is exhausted the store is not asked, because
/// anyone can invent tokens.
async fn rate_limit_key(
    shared: &AppState,
    client: &Client,
    address: String,
) -> Result<Option<RateLimitKey>, Response<Body>> {
    let limits = &shared.settings.limits;
    let (policy, bucket, rate) = match client {
        (Some(Sender::Creator(name)), _) => (
            "application",
            format!("application:{name}"),
            limits.application,
        ),
        (Some(Sender::Token(token)), Some(EncounterId(id))) => {
            // Without a limit for addresses, invalid tokens of an address share the quota of one
            // token.
            let Some(invalid_token_rate) = limits.address.or(limits.token) else {
                return Ok(None);
            };
            let address = RateLimitKey::of_address(address, invalid_token_rate);
            if !shared.app.is_known_valid(id, token) {
                if let Some(grant) = shared.app.exhausted(&address.bucket) {
                    return Err(address.refusal(grant));
                }
                let valid = shared.app.check_token(id, token).await;
                if !valid.map_err(|error| Problem::from(error).into_response())? {
                    return Ok(Some(address));
                }
            }
            ("token", format!("token:{}", token.short()), limits.token)
        }
        _ => {
            let rate = limits.address;
            return Ok(rate.map(|rate| RateLimitKey::of_address(address, rate)));
        }
    };
    Ok(rate.map(|rate| RateLimitKey {
        policy,
        bucket,
        rate,
    }))
}

/// The bucket of the address that a request comes from. Requests without an address share one.
pub(super) fn address_bucket(
    shared: &AppState,
    headers: &HeaderMap,
    extensions: &Extensions,
) -> String {
    let named = shared
        .settings
        .client_header
        .as_ref()
        .and_then(|name| last_address(headers, name));
    let address = named.or_else(|| extensions.get::<Peer>().map(|peer| peer.0));
    address.map_or("address:unknown".to_owned(), |address| {
        format!("address:{}", address_prefix(address))
    })
}

impl RateLimitKey {
    fn of_address(bucket: String, rate: Rate) -> Self {
        Self {
            policy: "address",
            bucket,
            rate,
        }
    }

    fn refusal(&self, grant: QuotaGrant) -> Response<Body> {
        let Self { policy, rate, .. } = self;
        let (quota, window, seconds) = (rate.quota, rate.window.as_secs(), seconds(grant));
        let detail = format!(
            "Too many requests: at most {quota} in {window} s per {policy}. Try again in {seconds} s."
        );
        let mut response = Problem::too_often(detail, seconds).into_response();
        self.add_headers(grant, response.headers_mut());
        response
    }

    fn add_headers(&self, grant: QuotaGrant, headers: &mut HeaderMap) {
        let policy = format!(
            "\"{}\";q={};w={}",
            self.policy,
            self.rate.quota,
            self.rate.window.as_secs()
        );
        let limit = format!("\"{}\";r={};t={}", self.policy, grant.left, seconds(grant));
        let values = [(RATE_LIMIT_POLICY, policy), (RATE_LIMIT, limit)];
        headers.extend(
            values
                .into_iter()
                .filter_map(|(name, text)| Some((name, HeaderValue::try_from(text).ok()?))),
        );
    }
}

/// The time until the window ends, in seconds rounded up, at least 1.
fn seconds(grant: QuotaGrant) -> u64 {
    u64::try_from(grant.ends_in.as_nanos().div_ceil(1_000_000_000))
        .unwrap_or(u64::MAX)
        .max(1)
}

/// The last address in a header. The nearest proxy has added it; the client may have written the
/// others.
fn last_address(headers: &HeaderMap, name: &HeaderName) -> Option<IpAddr> {
    let last = headers
        .get_all(name)
        .iter()
        .next_back()?
        .to_str()
        .ok()?
        .rsplit(',')
        .next()?
        .trim();
    let bare = last.trim_start_matches('[').trim_end_matches(']');
    bare.parse()
        .ok()
        .or_else(|| last.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

/// The address prefix of a site: an IPv4 address, or the first 64 bits of an IPv6 address.
fn address_prefix(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX)).into(),
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_address_of_the_header_counts() {
        let name = HeaderName::from_static("x-forwarded-for");
        let last = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(&name, HeaderValue::from_static(value));
            }
            last_address(&headers, &name).map(|address| address_prefix(address).to_string())
        };
        assert_eq!(last(&["6.6.6.6, 10.0.0.1"]).as_deref(), Some("10.0.0.1"));
        assert_eq!(
            last(&["6.6.6.6", "10.0.0.1:4711"]).as_deref(),
            Some("10.0.0.1")
        );
        assert_eq!(
            last(&["2001:db8:1:2:3::4"]).as_deref(),
            Some("2001:db8:1:2::")
        );
        assert_eq!(
            last(&["[2001:db8:1:2:3::4]:80"]).as_deref(),
            Some("2001:db8:1:2::")
        );
        assert_eq!(last(&["::ffff:10.0.0.1"]).as_deref(), Some("10.0.0.1"));
        assert_eq!(last(&["unknown"]), None);
        assert_eq!(last(&[]), None);
    }
}
