//! The scripts, each one step on the keys of one encounter, and their replies.

use ::redis::{Cmd, FromRedisValue, Value, from_redis_value};
use std::sync::LazyLock;

use crate::store::StoreError;

pub(super) static CREATE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("create.lua")));
pub(super) static LOAD: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("load.lua")));
pub(super) static COMMIT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("commit.lua")));
pub(super) static LOG: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("log.lua")));
pub(super) static DELETE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("delete.lua")));
pub(super) static ACQUIRE_QUOTA: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("acquire_quota.lua")));

/// A Lua script and its hash. Not `redis::Script`: that copies a document twice, and needs two more round trips for a server that does
/// not know the script.
pub(super) struct Script {
    text: &'static str,
    hash: String,
}

impl Script {
    fn new(text: &'static str) -> Self {
        let hash = ::redis::Script::new(text).get_hash().to_owned();
        Self { text, hash }
    }

    /// The usual call, which names the script by its hash.
    pub(super) fn by_hash(&self, keys: &[&str], args: &[&[u8]]) -> Cmd {
        command("EVALSHA", &self.hash, keys, args)
    }

    /// The call that sends the script's text; the server knows the script afterwards.
    pub(super) fn by_text(&self, keys: &[&str], args: &[&[u8]]) -> Cmd {
        command("EVAL", self.text, keys, args)
    }
}

fn command(name: &str, script: &str, keys: &[&str], args: &[&[u8]]) -> Cmd {
    let bytes = keys.iter().map(|key| key.len()).chain(args.iter().map(|arg| arg.len())).sum::<usize>();
    let mut command = Cmd::with_capacity(3 + keys.len() + args.len(), bytes + script.len() + 16);
    command.arg(name).arg(script).arg(keys.len()).arg(keys).arg(args);
    command
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
