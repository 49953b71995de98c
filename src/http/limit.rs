//! Rate limits: who has asked too often is answered 429, and everybody is told how much is left.
//!
//! The headers are those of the IETF's draft "RateLimit header fields for HTTP". Where no limit is set the router leaves all this out.

use super::Shared;
use super::extract::{bearer, sound};
use super::problem::Problem;
use crate::app::{Allowance, Application, BearerToken, Rate};
use axum::RequestExt;
use axum::body::Body;
use axum::extract::{RawPathParams, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use axum::middleware::Next;
use axum::response::IntoResponse;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::time::Duration;

pub(super) const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
pub(super) const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Where a request comes from, as its front door knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer(pub IpAddr);

impl Peer {
    /// What a proxy that can be trusted has put into `X-Forwarded-For`.
    pub fn forwarded(headers: &HeaderMap) -> Option<Self> {
        last_address(headers, &HeaderName::from_static("x-forwarded-for")).map(Self)
    }
}

/// Whom a request is counted against.
struct RateLimitKey {
    /// As the headers call the policy.
    policy: &'static str,
    bucket: String,
    rate: Rate,
}

/// Who sent a request, as far as that can be told without asking the store.
enum ClientAddress {
    /// One whose key is configured.
    Application(Application),
    /// One with something that looks like a token, for the encounter with this id.
    Token(String, BearerToken),
    Stranger,
}

impl ClientAddress {
    async fn of(shared: &Shared, request: &mut Request) -> Self {
        // Decoded, as those who serve the request read it. Where there is none, nobody would look whether the token is one.
        let parameters = request.extract_parts::<RawPathParams>().await.ok();
        let id = parameters.iter().flatten().find(|(name, id)| *name == "id" && sound(id)).map(|(_, id)| id.to_owned());
        let credential = bearer(request.headers()).ok().flatten().unwrap_or_default();
        if let Ok(application) = shared.app.applications().find(credential) {
            return Self::Application(application);
        }
        match id.zip(BearerToken::read(credential)) {
            Some((id, token)) => Self::Token(id, token),
            None => Self::Stranger,
        }
    }

    /// Who pays for the request; None where it is not limited. What may be anybody's invention gets no bucket of its own: its address
    /// pays for it, until the store has said that it is good.
    async fn payer(&self, shared: &Shared, address: String) -> Result<Option<RateLimitKey>, Response<Body>> {
        let limits = &shared.settings.limits;
        let address = |rate| RateLimitKey { policy: "address", bucket: address, rate };
        let (policy, bucket, rate) = match self {
            Self::Application(name) => ("application", format!("application:{name}"), limits.application),
            Self::Stranger => return Ok(limits.address.map(address)),
            Self::Token(id, token) => {
                let Some(strangers) = limits.address.or(limits.token) else { return Ok(None) };
                let address = address(strangers);
                if !shared.app.is_valid(id, token) {
                    if let Some(allowance) = shared.app.exhausted(&address.bucket) {
                        return Err(address.refusal(allowance));
                    }
                    let good = shared.app.mark_valid(id, token).await;
                    if !good.map_err(|error| Problem::from(error).into_response())? {
                        return Ok(Some(address));
                    }
                }
                ("token", format!("token:{}", token.short()), limits.token)
            }
        };
        Ok(rate.map(|rate| RateLimitKey { policy, bucket, rate }))
    }
}

/// Counts a request, and serves it or not.
pub(super) async fn around(State(shared): State<Shared>, mut request: Request, next: Next) -> Response<Body> {
    if !request.uri().path().starts_with("/v1/encounters") {
        return next.run(request).await;
    }
    let sender = ClientAddress::of(&shared, &mut request).await;
    let address = address(&shared, &request);
    let response = match sender.payer(&shared, address).await {
        Err(refusal) => return refusal,
        Ok(None) => next.run(request).await,
        Ok(Some(payer)) => payer.pay(&shared, request, next).await,
    };
    // Revoked, ended, or its encounter is gone: from now on it is a stranger's.
    if let (ClientAddress::Token(id, token), StatusCode::NOT_FOUND) = (&sender, response.status()) {
        shared.app.invalidate(id, token);
    }
    response
}

/// The bucket of the address that a request comes from; those that have none share one.
fn address(shared: &Shared, request: &Request) -> String {
    let told = shared.settings.client_header.as_ref().and_then(|name| last_address(request.headers(), name));
    let address = told.or_else(|| request.extensions().get::<Peer>().map(|peer| peer.0));
    address.map_or("address:unknown".to_owned(), |address| format!("address:{}", address_prefix(address)))
}

impl RateLimitKey {
    /// Counts the request and has it served.
    async fn pay(&self, shared: &Shared, request: Request, next: Next) -> Response<Body> {
        match shared.app.count(&self.bucket, self.rate).await {
            Err(error) => Problem::from(error).into_response(),
            Ok(allowance) if !allowance.granted => self.refusal(allowance),
            Ok(allowance) => {
                let mut response = next.run(request).await;
                self.tell(allowance, response.headers_mut());
                response
            }
        }
    }

    fn refusal(&self, allowance: Allowance) -> Response<Body> {
        let Self { policy, rate, .. } = self;
        let (quota, window, seconds) = (rate.quota, rate.window.as_secs(), seconds(allowance));
        let detail = format!("at most {quota} requests in {window} s for each {policy}: try again in {seconds} s");
        let mut response = Problem::too_often(detail, seconds).into_response();
        self.tell(allowance, response.headers_mut());
        response
    }

    fn tell(&self, allowance: Allowance, headers: &mut HeaderMap) {
        let policy = format!("\"{}\";q={};w={}", self.policy, self.rate.quota, self.rate.window.as_secs());
        let limit = format!("\"{}\";r={};t={}", self.policy, allowance.left, seconds(allowance));
        let values = [(RATE_LIMIT_POLICY, policy), (RATE_LIMIT, limit)];
        headers.extend(values.into_iter().filter_map(|(name, text)| Some((name, HeaderValue::try_from(text).ok()?))));
    }
}

/// Until the window is over, in whole seconds: who waits so long is served.
fn seconds(allowance: Allowance) -> u64 {
    let whole = allowance.ends_in.as_secs();
    if allowance.ends_in > Duration::from_secs(whole) { whole.saturating_add(1) } else { whole.max(1) }
}

/// The last address in a header: the one that the nearest proxy has added. What stands before it anybody can have written.
fn last_address(headers: &HeaderMap, name: &HeaderName) -> Option<IpAddr> {
    let last = headers.get_all(name).iter().next_back()?.to_str().ok()?.rsplit(',').next()?.trim();
    let bare = last.trim_start_matches('[').trim_end_matches(']');
    bare.parse().ok().or_else(|| last.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

/// As much of an address as one address_prefix has: of IPv6 the first 64 bits.
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
        let told = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(&name, HeaderValue::from_static(value));
            }
            last_address(&headers, &name).map(|address| address_prefix(address).to_string())
        };
        assert_eq!(told(&["6.6.6.6, 10.0.0.1"]).as_deref(), Some("10.0.0.1"));
        assert_eq!(told(&["6.6.6.6", "10.0.0.1:4711"]).as_deref(), Some("10.0.0.1"));
        assert_eq!(told(&["2001:db8:1:2:3::4"]).as_deref(), Some("2001:db8:1:2::"));
        assert_eq!(told(&["[2001:db8:1:2:3::4]:80"]).as_deref(), Some("2001:db8:1:2::"));
        assert_eq!(told(&["::ffff:10.0.0.1"]).as_deref(), Some("10.0.0.1"));
        assert_eq!(told(&["unknown"]), None);
        assert_eq!(told(&[]), None);
    }
}
