//! The scripts, each one step on the keys of one encounter, and their replies.

use ::redis::{Arg, Cmd, FromRedisValue, Value, cmd, from_redis_value};
use std::sync::LazyLock;

use crate::store::StoreError;

pub(super) static CREATE: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("create.lua")));
pub(super) static LOAD: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("load.lua")));
pub(super) static COMMIT: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("commit.lua")));
pub(super) static LOG: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("log.lua")));
pub(super) static BASE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("base.lua")));
pub(super) static READY: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("ready.lua")));
pub(super) static DELETE: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("delete.lua")));
pub(super) static ACQUIRE_QUOTA: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("acquire_quota.lua")));

/// A Lua script and its hash. Not `redis::Script`: that copies a document twice, and needs two more
/// round trips for a server that does not know the script.
pub(super) struct Script {
    text: &'static str,
    hash: String,
}

impl Script {
    fn new(text: &'static str) -> Self {
        let hash = ::redis::Script::new(text).get_hash().to_owned();
        Self { text, hash }
    }

    /// The beginning of a call, which names the script by its hash. Its arguments follow.
    pub(super) fn on(&self, keys: &[String]) -> Cmd {
        self.on_with(keys, 0)
    }

    /// The same for arguments of about so many bytes, for which it allocates once.
    pub(super) fn on_with(&self, keys: &[String], bytes: usize) -> Cmd {
        const ARGUMENTS: usize = 24;
        const SMALL_ONES: usize = 512;
        let mut call = Cmd::with_capacity(ARGUMENTS, SMALL_ONES.saturating_add(bytes));
        call.arg("EVALSHA").arg(&self.hash);
        call.arg(keys.len()).arg(keys);
        call
    }

    /// The same call with the script's text; the server knows the script afterwards.
    pub(super) fn with_text(&self, call: &Cmd) -> Cmd {
        let mut with_text = cmd("EVAL");
        with_text.arg(self.text);
        for arg in call.args_iter().skip(2) {
            if let Arg::Simple(bytes) = arg {
                with_text.arg(bytes);
            }
        }
        with_text
    }
}

/// Reads a reply. An error names `what` was read and not the reply, which may be a whole document.
pub(super) fn read<T: FromRedisValue>(reply: Value, what: &str) -> Result<T, StoreError> {
    let kind = match &reply {
        Value::Nil => "nothing",
        Value::Int(_) => "a number",
        Value::BulkString(_) | Value::SimpleString(_) | Value::Okay => "a string",
        Value::Array(_) => "an array",
        _ => "something else",
    };
    from_redis_value(reply).map_err(|_| StoreError::Corrupt(format!("{kind} that is not {what}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::LAYOUT;

    #[test]
    fn each_script_of_an_encounter_compares_the_layout() {
        let layout = format!("local LAYOUT = '{LAYOUT}' ");
        for script in [&BASE, &COMMIT, &CREATE, &DELETE, &LOAD, &LOG] {
            assert!(script.text.contains(&layout), "{}", script.text);
            assert!(script.text.contains("~= LAYOUT then"), "{}", script.text);
        }
    }

    #[test]
    fn a_reply_of_another_kind_is_named_by_its_kind_and_not_shown() {
        let secret = || Value::BulkString(b"secret".to_vec());
        for (reply, said) in [
            (Value::Nil, "nothing that is not a place"),
            (Value::Int(7), "a number that is not a place"),
            (secret(), "a string that is not a place"),
            (
                Value::SimpleString("secret".to_owned()),
                "a string that is not a place",
            ),
            (Value::Okay, "a string that is not a place"),
            (Value::Array(vec![secret()]), "an array that is not a place"),
            (Value::Boolean(true), "something else that is not a place"),
        ] {
            let refused = read::<(u64, u64)>(reply, "a place");
            assert!(
                matches!(&refused, Err(StoreError::Corrupt(text)) if text == said),
                "{refused:?}"
            );
        }
        assert!(matches!(read::<u64>(Value::Int(7), "a version"), Ok(7)));
    }
}
