//! Rate limits: who has asked too often is answered 429, and everybody is told how much is left.
//!
//! The headers are those of the IETF's draft "RateLimit header fields for HTTP". Where no limit is set the router leaves all this out.

use super::Shared;
use super::extract::bearer;
use super::problem::Problem;
use crate::app::{Allowance, Presented, Rate};
use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
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
struct Payer {
    /// As the headers call the policy.
    policy: &'static str,
    bucket: String,
    /// None when requests of this kind are not limited.
    rate: Option<Rate>,
}

/// Who sent a request, as far as that can be told without asking the store.
enum Sender {
    /// One whose key is configured.
    Application(Payer),
    /// One with something that looks like a token of the encounter that it asks for.
    Token(Payer),
    Stranger,
}

impl Sender {
    fn of(shared: &Shared, request: &Request) -> Self {
        let limits = &shared.settings.limits;
        let credential = bearer(request.headers()).ok().flatten().unwrap_or_default();
        if let Ok(application) = shared.app.applications().find(credential) {
            let bucket = format!("application:{application}");
            return Self::Application(Payer { policy: "application", bucket, rate: limits.application });
        }
        // Elsewhere nobody would look whether the token is one.
        let owned = request.extensions().get::<MatchedPath>().is_some_and(|route| route.as_str().contains("{id}"));
        match Presented::read(credential).filter(|_| owned) {
            Some(token) => {
                Self::Token(Payer { policy: "token", bucket: format!("token:{}", token.short()), rate: limits.token })
            }
            None => Self::Stranger,
        }
    }
}

/// Counts a request, and serves it or not.
pub(super) async fn around(State(shared): State<Shared>, request: Request, next: Next) -> Response<Body> {
    if !request.uri().path().starts_with("/v1/encounters") {
        return next.run(request).await;
    }
    let address = Payer::address(&shared, &request);
    match (Sender::of(&shared, &request), address) {
        (Sender::Application(application), _) => application.pay(&shared, request, next).await,
        (Sender::Stranger, Some(address)) => address.pay(&shared, request, next).await,
        (Sender::Stranger, None) => next.run(request).await,
        // A token that was good here before is not made to suffer for its neighbours.
        (Sender::Token(token), Some(address)) if !shared.app.vouched(&token.bucket) => {
            unvouched(&shared, token, address, request, next).await
        }
        (Sender::Token(token), _) => token.pay(&shared, request, next).await,
    }
}

/// Serves a request with a token that may be anybody's invention.
async fn unvouched(shared: &Shared, token: Payer, address: Payer, request: Request, next: Next) -> Response<Body> {
    if let (Some(rate), Some(allowance)) = (address.rate, shared.app.exhausted(&address.bucket)) {
        return address.refusal(rate, allowance);
    }
    let response = token.pay(shared, request, next).await;
    let status = response.status();
    if status.is_success() || status == StatusCode::NOT_MODIFIED {
        shared.app.vouch(&token.bucket);
    } else if status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS {
        // The request is answered; what cannot be counted now is not worth another answer.
        let _ = address.count(shared).await;
    }
    response
}

impl Payer {
    /// The address that a request comes from, if anybody is limited by it.
    fn address(shared: &Shared, request: &Request) -> Option<Self> {
        let settings = &shared.settings;
        let rate = settings.limits.address?;
        let told = settings.client_header.as_ref().and_then(|name| last_address(request.headers(), name));
        let address = told.or_else(|| request.extensions().get::<Peer>().map(|peer| peer.0))?;
        Some(Self { policy: "address", bucket: format!("address:{}", household(address)), rate: Some(rate) })
    }

    async fn count(&self, shared: &Shared) -> Result<Option<(Rate, Allowance)>, Problem> {
        let Some(rate) = self.rate else { return Ok(None) };
        Ok(Some((rate, shared.app.count(&self.bucket, rate).await?)))
    }

    /// Counts the request and has it served.
    async fn pay(&self, shared: &Shared, request: Request, next: Next) -> Response<Body> {
        match self.count(shared).await {
            Err(problem) => problem.into_response(),
            Ok(None) => next.run(request).await,
            Ok(Some((rate, allowance))) if !allowance.granted => self.refusal(rate, allowance),
            Ok(Some((rate, allowance))) => {
                let mut response = next.run(request).await;
                self.tell(rate, allowance, response.headers_mut());
                response
            }
        }
    }

    fn refusal(&self, rate: Rate, allowance: Allowance) -> Response<Body> {
        let (seconds, policy) = (seconds(allowance), self.policy);
        let (quota, window) = (rate.quota, rate.window.as_secs());
        let detail = format!("at most {quota} requests in {window} s for each {policy}: try again in {seconds} s");
        let mut response = Problem::too_often(detail, seconds).into_response();
        self.tell(rate, allowance, response.headers_mut());
        response
    }

    fn tell(&self, rate: Rate, allowance: Allowance, headers: &mut HeaderMap) {
        let policy = format!("\"{}\";q={};w={}", self.policy, rate.quota, rate.window.as_secs());
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

/// As much of an address as one household has: of IPv6 the first 64 bits.
fn household(address: IpAddr) -> IpAddr {
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
            last_address(&headers, &name).map(|address| household(address).to_string())
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
