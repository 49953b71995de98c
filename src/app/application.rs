//! Applications: programs that may create encounters. The configuration has only the digests of their keys.

use super::BearerToken;
use data_encoding::HEXLOWER_PERMISSIVE as HEX;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, RwLock};
use subtle::ConstantTimeEq;

/// The prefix of application keys.
const PREFIX: &str = "tk_app_";
/// The length of the rest of a key, in base64url.
const RANDOM: usize = 43;
/// Maximum length of a name.
const MAX_NAME: usize = 64;

/// An application key in the clear. It has no `Debug`, so that no log shows it.
pub struct AppKey(String);

impl AppKey {
    /// A new key from 32 random bytes.
    pub fn new(random: &[u8; 32]) -> Self {
        Self(format!("{PREFIX}{}", data_encoding::BASE64URL_NOPAD.encode(random)))
    }

    /// The key's text.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Its digest for the configuration: SHA-256 in hexadecimal. The key is random, so it needs no salt.
    pub fn digest(&self) -> String {
        HEX.encode(&Sha256::digest(&self.0))
    }
}

/// The name of an application.
pub type Application = Arc<str>;

/// Why a credential is no application key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoApplication {
    /// It looks like the token of an encounter.
    Token,
    /// It is not configured.
    Unknown,
}

/// The valid keys. An application may have several, so that keys can be rotated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AppKeys(Vec<(Application, [u8; 32])>);

impl AppKeys {
    /// Reads `NAME=DIGEST` pairs, separated by commas or line breaks. `#` begins a comment. An error names the line.
    pub fn read(text: &str) -> Result<Self, String> {
        let lines = (1..).zip(text.lines()).map(|(n, line)| (n, line.split('#').next().unwrap_or_default()));
        let pairs = lines.flat_map(|(n, line)| line.split(',').map(move |pair| (n, pair.trim())));
        let pairs = pairs.filter(|(_, pair)| !pair.is_empty());
        let read = pairs.map(|(n, text): (usize, _)| pair(text).map_err(|wrong| format!("line {n}: {wrong}: {SHAPE}")));
        Self::default().with(read.collect::<Result<_, _>>()?)
    }

    /// Adds other keys.
    pub fn and(self, others: Self) -> Result<Self, String> {
        self.with(others.0)
    }

    fn with(mut self, pairs: Vec<(Application, [u8; 32])>) -> Result<Self, String> {
        let mut owners: HashMap<[u8; 32], Application> =
            self.0.iter().map(|(name, digest)| (*digest, name.clone())).collect();
        for (name, digest) in pairs {
            match owners.insert(digest, name.clone()) {
                None => self.0.push((name, digest)),
                Some(owner) if owner == name => {}
                Some(owner) => return Err(format!("{owner} and {name} have the same key: make each its own")),
            }
        }
        Ok(self)
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The explanation of a pair.
const SHAPE: &str = "write NAME=DIGEST, the digest being 64 hexadecimal digits: turnkeeper app-key NAME prints one behind \"for the server:\"";

/// Reads one pair. An error must not repeat a digest or what may be a key in the clear.
fn pair(text: &str) -> Result<(Application, [u8; 32]), String> {
    let (name, digest) = text.split_once('=').ok_or("there is no = in it")?;
    let (name, digest) = (name.trim(), digest.trim());
    let read = match name.len() {
        ..32 => format!("{name:?} was read as the name"),
        _ => "what stands before the = is as long as a key or a digest".to_owned(),
    };
    app_name(name).map_err(|wrong| format!("{read}: {wrong}"))?;
    if digest.starts_with(PREFIX) {
        return Err(format!("{read}, and behind it this is the key itself, which only the application should have"));
    }
    let digest = HEX.decode(digest.as_bytes()).ok().and_then(|digest| digest.try_into().ok());
    digest.map(|digest| (Arc::from(name), digest)).ok_or_else(|| format!("{read}, and behind it is no digest"))
}

/// Checks the name of an application.
pub fn app_name(name: &str) -> Result<&str, String> {
    let sound = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_';
    if (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(sound) {
        return Ok(name);
    }
    Err(format!("an application's name has 1 to {MAX_NAME} small letters, digits, hyphens and underscores"))
}

/// The applications of a server. Their keys can be replaced while it runs.
#[derive(Debug, Default)]
pub struct Applications(Option<RwLock<Arc<AppKeys>>>);

impl Applications {
    /// The applications with these keys. Without keys, every client may create encounters.
    pub fn new(keys: AppKeys) -> Self {
        Self((!keys.is_empty()).then(|| RwLock::new(Arc::new(keys))))
    }

    /// Whether clients need a key. This never changes while the server runs.
    pub fn configured(&self) -> bool {
        self.0.is_some()
    }

    /// Replaces the keys. Nothing changes without new keys, or if clients need no key.
    pub fn exchange(&self, keys: AppKeys) {
        if let Some(current) = self.0.as_ref().filter(|_| !keys.is_empty()) {
            *current.write().unwrap_or_else(|poisoned| poisoned.into_inner()) = Arc::new(keys);
        }
    }

    /// The application with this key. Compares every key, each in constant time.
    pub fn find(&self, key: &str) -> Result<Application, NoApplication> {
        let Some(random) = key.strip_prefix(PREFIX) else {
            let token = BearerToken::read(key).is_some();
            return Err(if token { NoApplication::Token } else { NoApplication::Unknown });
        };
        let current = self.0.as_ref().map(|keys| keys.read().unwrap_or_else(|poisoned| poisoned.into_inner()).clone());
        let digest: [u8; 32] = Sha256::digest(key).into();
        let known = current
            .iter()
            .flat_map(|keys| &keys.0)
            .fold(None, |found, (name, known)| if bool::from(known.ct_eq(&digest)) { Some(name) } else { found });
        known.filter(|_| random.len() == RANDOM).cloned().ok_or(NoApplication::Unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(seed: u8) -> (String, String) {
        let key = AppKey::new(&[seed; 32]);
        (key.reveal().to_owned(), key.digest())
    }

    #[test]
    fn a_key_is_known_by_its_digest_and_several_count_at_once() {
        let ((old, first), (new, second), (other, third)) = (made(1), made(2), made(3));
        let keys = AppKeys::read(&format!("# ours\nbot = {first} # old\nbot={second}\n\ntable={third}, bot={first}\n"));
        let applications = Applications::new(keys.unwrap());
        assert!(applications.configured());
        assert_eq!(applications.find(&old).as_deref(), Ok("bot"));
        assert_eq!(applications.find(&new).as_deref(), Ok("bot"));
        assert_eq!(applications.find(&other).as_deref(), Ok("table"));
        assert_eq!(applications.find(&made(4).0), Err(NoApplication::Unknown));
        assert_eq!(applications.find(&old[..old.len() - 1]), Err(NoApplication::Unknown));
        let token = crate::app::Token::new(crate::engine::Role::Gm, &[1; 32]);
        assert_eq!(applications.find(token.reveal()), Err(NoApplication::Token));
        assert_eq!(applications.find("tk_gm_x"), Err(NoApplication::Unknown), "no token looks like this");
        assert_eq!(applications.find(""), Err(NoApplication::Unknown));
        applications.exchange(AppKeys::read(&format!("bot={second}")).unwrap());
        assert_eq!(applications.find(&old), Err(NoApplication::Unknown), "it was taken away");
        assert_eq!(applications.find(&new).as_deref(), Ok("bot"));
        applications.exchange(AppKeys::default());
        assert_eq!(applications.find(&new).as_deref(), Ok("bot"), "no keys at all are no keys to exchange");
        let free = Applications::default();
        free.exchange(AppKeys::read(&format!("bot={second}")).unwrap());
        assert!(!free.configured());
    }

    #[test]
    fn what_is_no_list_of_digests_is_refused_without_repeating_a_key() {
        let (key, digest) = made(1);
        let twice = format!("bot={digest},table={digest}");
        for wrong in [key.as_str(), &format!("bot={key}"), "bot", "bot=12", "B ot=12", &format!("={digest}"), &twice] {
            let refused = AppKeys::read(wrong).unwrap_err();
            assert!(!refused.contains(&key[PREFIX.len()..]), "{refused}");
        }
        assert!(AppKeys::read(" \n# nothing\n,").unwrap().is_empty());
        let both = AppKeys::read(&format!("bot={digest}")).unwrap();
        assert_eq!(both.clone().and(both.clone()).unwrap().len(), 1);
    }
}
