//! Applications: programs that may create encounters. The configuration has only the digests of
//! their keys.

use data_encoding::HEXLOWER_PERMISSIVE as HEX;
use parking_lot::RwLock;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// The prefix of application keys.
pub(super) const PREFIX: &str = "tk_app_";
/// The length of the rest of a key, in base64url.
const RANDOM: usize = 43;
/// Maximum length of a name.
const MAX_NAME: usize = 64;

/// The name of an application.
pub type Application = Arc<str>;

/// The valid keys. An application may have several, so that keys can be rotated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AppKeys(Vec<(Application, [u8; 32])>);

impl AppKeys {
    /// Reads `NAME=DIGEST` pairs, separated by commas or line breaks. `#` begins a comment. An
    /// error names the line.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut keys = Self::default();
        for (index, line) in text.lines().enumerate() {
            let pairs = line.split('#').next().unwrap_or_default();
            for text in pairs.split(',').map(str::trim) {
                if text.is_empty() {
                    continue;
                }
                let line = index + 1;
                let pair = pair(text).map_err(|wrong| format!("line {line}: {wrong}: {SHAPE}"))?;
                keys.add(pair)?;
            }
        }
        Ok(keys)
    }

    /// Adds other keys.
    pub fn and(mut self, others: Self) -> Result<Self, String> {
        for pair in others.0 {
            self.add(pair)?;
        }
        Ok(self)
    }

    fn add(&mut self, (name, digest): (Application, [u8; 32])) -> Result<(), String> {
        match self.0.iter().find(|(_, known)| *known == digest) {
            None => self.0.push((name, digest)),
            Some((owner, _)) if *owner == name => {}
            Some((owner, _)) => {
                return Err(format!(
                    "{owner} and {name} have the same key: make each its own"
                ));
            }
        }
        Ok(())
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
const SHAPE: &str = "write NAME=DIGEST, the digest being 64 hexadecimal digits: \
                     turnkeeper app-key NAME prints one behind \"for the server:\"";

/// Reads one pair. An error must not repeat a digest or what may be a key in the clear.
fn pair(text: &str) -> Result<(Application, [u8; 32]), String> {
    let (name, digest) = text.split_once('=').ok_or("there is no = in it")?;
    let name = name.trim();
    let digest = digest.trim();
    let read = match name.len() {
        ..32 => format!("{name:?} was read as the name"),
        _ => "the name before the = is as long as a key or a digest".to_owned(),
    };
    app_name(name).map_err(|wrong| format!("{read}: {wrong}"))?;
    if digest.starts_with(PREFIX) {
        return Err(format!(
            "{read}, and behind it this is the key itself, which only the application should have"
        ));
    }
    match HEX.decode(digest.as_bytes()).map(<[u8; 32]>::try_from) {
        Ok(Ok(digest)) => Ok((Arc::from(name), digest)),
        _ => Err(format!("{read}, and no digest follows it")),
    }
}

/// Checks the name of an application.
pub fn app_name(name: &str) -> Result<&str, String> {
    let plain = name
        .bytes()
        .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'));
    if (1..=MAX_NAME).contains(&name.len()) && plain {
        return Ok(name);
    }
    Err(format!(
        "an application's name has 1 to {MAX_NAME} small letters, digits, hyphens and underscores"
    ))
}

/// The applications of a server. Their keys can be replaced while it runs.
#[derive(Debug, Default)]
pub struct Applications(Option<RwLock<AppKeys>>);

impl Applications {
    /// The applications with these keys. Without keys, every client may create encounters.
    pub fn new(keys: AppKeys) -> Self {
        Self((!keys.is_empty()).then(|| RwLock::new(keys)))
    }

    /// Whether clients need a key. This never changes while the server runs.
    pub fn configured(&self) -> bool {
        self.0.is_some()
    }

    /// Replaces the keys, if clients need one.
    pub fn exchange(&self, keys: AppKeys) {
        if let Some(current) = &self.0 {
            *current.write() = keys;
        }
    }

    /// The application with this key. Compares every key, each in constant time.
    pub fn find(&self, key: &str) -> Option<Application> {
        key.strip_prefix(PREFIX)
            .filter(|random| random.len() == RANDOM)?;
        let digest: [u8; 32] = Sha256::digest(key).into();
        let keys = self.0.as_ref()?.read();
        let mut found = None;
        for (name, known) in &keys.0 {
            if known.ct_eq(&digest).into() {
                found = Some(name.clone());
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_applications_have_the_same_key() {
        let digest = crate::app::Token::app_key(&[1; 32]).digest();
        assert!(
            AppKeys::read(&format!("bot={digest},table={digest}"))
                .unwrap_err()
                .contains("bot and table")
        );
        let keys = AppKeys::read(&format!("bot={digest}")).unwrap();
        let other = AppKeys::read(&format!(
            "table={}",
            crate::app::Token::app_key(&[2; 32]).digest()
        ))
        .unwrap();
        assert_eq!(keys.clone().and(keys.clone()).unwrap().len(), 1);
        assert_eq!(keys.and(other).unwrap().len(), 2);
    }
}
