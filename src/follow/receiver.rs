//! Sends messages to the address, one after another, until each is accepted.

use super::address::{LookupError, PublicOnly, look_up};
use super::notification::Notification;
use super::{CONNECT, Pause, Stop, retry_after, sleep, tenths, without_address};
use crate::config::{Follow, PostFormat};
use data_encoding::BASE64;
use hmac::{Hmac, KeyInit, Mac};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, StatusCode, Url};
use rustls::ClientConfig;
use sha2::Sha256;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The time for one try, as Standard Webhooks recommend.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The `User-Agent` of the requests, in the form that Discord requires.
const AGENT: &str = concat!("DiscordBot (turnkeeper, ", env!("CARGO_PKG_VERSION"), ")");
/// The start of a secret of Standard Webhooks.
const SECRET_PREFIX: &str = "whsec_";

/// The receiver of the messages.
pub struct Receiver {
    client: Client,
    to: Url,
    kind: PostKind,
}

enum PostKind {
    /// Signed with this secret.
    Webhook(Hmac<Sha256>),
    Discord,
}

impl Receiver {
    /// A receiver at the address of the settings.
    ///
    /// # Errors
    /// If the address is private and that is not allowed, or if the secret is missing or wrong.
    pub async fn new(settings: &Follow, tls: ClientConfig) -> Result<Self, String> {
        // The address is not quoted: it may hold a secret.
        let to = Url::parse(&settings.post)
            .map_err(|_| "TURNKEEPER_POST: send an address such as https://example.org/hook.")?;
        check(&to, settings.post_private).await?;
        let kind = match settings.post_format {
            PostFormat::Webhook => PostKind::Webhook(secret(settings.post_secret.as_deref())?),
            PostFormat::Discord => PostKind::Discord,
        };
        // A proxy would look the name up itself, and a redirect may lead anywhere.
        let mut client = Client::builder()
            .tls_backend_preconfigured(tls)
            .user_agent(AGENT)
            .no_proxy()
            .redirect(Policy::none())
            .connect_timeout(CONNECT)
            .timeout(TIMEOUT);
        if !settings.post_private {
            client = client.dns_resolver(Arc::new(PublicOnly));
        }
        let client = client.build().map_err(|error| error.to_string())?;
        Ok(Self { client, to, kind })
    }

    /// Sends a message until it is accepted; returns false if `stop` was set before. A try that is
    /// under way is waited for, so that its outcome is known.
    pub async fn send(&self, message: &Notification<'_>, stop: &mut Stop) -> Result<bool, String> {
        // Discord refuses a message without text.
        if matches!(self.kind, PostKind::Discord) && !message.has_text() {
            return Ok(true);
        }
        let (kind, version) = (message.kind, message.version());
        let body = match self.kind {
            PostKind::Discord => message.discord(),
            PostKind::Webhook(_) => message.webhook().map_err(|error| error.to_string())?,
        };
        let mut pause = Pause::default();
        loop {
            if *stop.borrow() {
                return Ok(false);
            }
            let (reason, least) = match self.attempt(&message.id, &body).await {
                Ok(answer) if answer.status().is_success() => {
                    tracing::info!(kind, version, "posted");
                    return Ok(true);
                }
                Ok(answer) if self.is_gone(answer.status()) => {
                    return Err(format!(
                        "TURNKEEPER_POST: the receiver answers {}: it takes no more posts.",
                        answer.status()
                    ));
                }
                // Discord would refuse the same message each time.
                Ok(answer) if self.refuses(answer.status()) => {
                    tracing::error!(kind, version, "Discord refuses a message: leaves it out");
                    return Ok(true);
                }
                Ok(answer) => (answer.status().to_string(), retry_after(&answer)),
                Err(error) => (without_address(error), Duration::ZERO),
            };
            let time = pause.next(least);
            tracing::warn!(%reason, seconds = tenths(time), "a post was not accepted: tries again");
            if sleep(time, stop).await {
                return Ok(false);
            }
        }
    }

    async fn attempt(&self, id: &str, body: &str) -> reqwest::Result<reqwest::Response> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let PostKind::Webhook(secret) = &self.kind {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            let seconds = now.unwrap_or_default().as_secs();
            let signature = sign(secret, id, seconds, body);
            for (name, value) in [
                ("webhook-id", id),
                ("webhook-timestamp", &seconds.to_string()),
                ("webhook-signature", &signature),
            ] {
                // An id has letters, digits, hyphens and underscores.
                if let Ok(value) = HeaderValue::from_str(value) {
                    headers.insert(name, value);
                }
            }
        }
        let request = self.client.post(self.to.clone()).headers(headers);
        request.body(body.to_owned()).send().await
    }

    /// Whether the receiver says that it is there no longer. Discord says so of a webhook that was
    /// deleted, and counts further tries.
    fn is_gone(&self, status: StatusCode) -> bool {
        let deleted = [StatusCode::UNAUTHORIZED, StatusCode::NOT_FOUND];
        match self.kind {
            PostKind::Webhook(_) => status == StatusCode::GONE,
            PostKind::Discord => status == StatusCode::GONE || deleted.contains(&status),
        }
    }

    /// True if the receiver refuses this message for good.
    fn refuses(&self, status: StatusCode) -> bool {
        matches!(self.kind, PostKind::Discord) && status == StatusCode::BAD_REQUEST
    }
}

/// Refuses an address that is not public, or one without TLS, unless that is allowed. A name is
/// looked up again for each connection.
async fn check(to: &Url, allow_private: bool) -> Result<(), String> {
    let may_be_plain = allow_private && to.scheme() == "http";
    if to.scheme() != "https" && !may_be_plain {
        return Err(
            "TURNKEEPER_POST: send an https:// address, or set TURNKEEPER_POST_PRIVATE=true for \
             http:// in your own network."
                .to_owned(),
        );
    }
    if allow_private {
        return Ok(());
    }
    let host = to.host_str().unwrap_or_default();
    match look_up(host.trim_matches(['[', ']'])).await {
        Err(LookupError::Private) => Err(
            "TURNKEEPER_POST: the address is private. Set TURNKEEPER_POST_PRIVATE=true to post there."
                .to_owned(),
        ),
        // A name that is unknown now may be known later.
        Ok(_) | Err(LookupError::Unknown(_)) => Ok(()),
    }
}

/// Reads a secret of Standard Webhooks.
fn secret(text: Option<&str>) -> Result<Hmac<Sha256>, String> {
    let wrong = || {
        let example = BASE64.encode(&rand::random::<[u8; 32]>());
        format!(
            "TURNKEEPER_POST_SECRET: set the secret that signs the posts: {SECRET_PREFIX} and 24 to \
             64 bytes in base64, such as this random one: {SECRET_PREFIX}{example}"
        )
    };
    let encoded = text
        .and_then(|text| text.strip_prefix(SECRET_PREFIX))
        .ok_or_else(wrong)?;
    let bytes = BASE64.decode(encoded.as_bytes()).map_err(|_| wrong())?;
    if !(24..=64).contains(&bytes.len()) {
        return Err(wrong());
    }
    Hmac::new_from_slice(&bytes).map_err(|_| wrong())
}

/// The signature of a message, as Standard Webhooks say.
fn sign(secret: &Hmac<Sha256>, id: &str, seconds: u64, body: &str) -> String {
    let mut mac = secret.clone();
    mac.update(format!("{id}.{seconds}.{body}").as_bytes());
    format!("v1,{}", BASE64.encode(&mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_those_of_standard_webhooks() {
        // The example of the specification's reference libraries.
        let key = secret(Some("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")).expect("a secret");
        assert_eq!(
            sign(
                &key,
                "msg_p5jXN8AQM9LWM0D4loKWxJek",
                1_614_265_330,
                r#"{"test": 2432232314}"#
            ),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        );
    }

    #[test]
    fn secrets_are_long_enough_and_in_base64() {
        assert!(secret(None).is_err());
        assert!(secret(Some("whsec_c2hvcnQ=")).is_err());
        assert!(secret(Some("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")).is_err());
        assert!(secret(Some("whsec_!")).is_err());
    }

    #[tokio::test]
    async fn posts_go_to_public_addresses_by_https_unless_others_are_allowed() {
        let may = async |url: &str, private| check(&url.parse().expect(url), private).await.is_ok();
        assert!(may("https://192.0.43.7/hook", false).await);
        assert!(may("https://1.1.1.1/hook", false).await);
        assert!(!may("http://example.org/hook", false).await);
        assert!(!may("https://127.0.0.1/hook", false).await);
        assert!(!may("https://[::1]/hook", false).await);
        assert!(!may("https://0x7f.1/hook", false).await);
        assert!(!may("https://localhost/hook", false).await);
        assert!(may("http://127.0.0.1:9/hook", true).await);
        assert!(!may("file:///etc/passwd", true).await);
    }
}
