//! The scripts, each one step on the keys of one encounter.

use ::redis::Cmd;

/// A Lua script and its hash.
pub(super) struct Script {
    text: &'static str,
    hash: String,
}

impl Script {
    fn new(text: &'static str) -> Self {
        let hash = ::redis::Script::new(text).get_hash().to_owned();
        Self { text, hash }
    }

    /// The call that names the script by its hash: the usual one. Written here and not by `redis::Script` because that one
    /// copies a document twice and needs two more round trips for a server that does not know the script.
    pub(super) fn by_hash(&self, keys: &[&str], args: &[&[u8]]) -> Cmd {
        command("EVALSHA", &self.hash, keys, args)
    }

    /// The call that brings the script along, after which the server knows it.
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

/// All that the store runs.
pub(super) struct Scripts {
    pub(super) create: Script,
    pub(super) load: Script,
    pub(super) commit: Script,
    pub(super) log: Script,
    pub(super) delete: Script,
    pub(super) acquire_quota: Script,
}

impl Scripts {
    pub(super) fn new() -> Self {
        Self {
            create: Script::new(include_str!("create.lua")),
            load: Script::new(include_str!("load.lua")),
            commit: Script::new(include_str!("commit.lua")),
            log: Script::new(include_str!("log.lua")),
            delete: Script::new(include_str!("delete.lua")),
            acquire_quota: Script::new(include_str!("acquire_quota.lua")),
        }
    }
}
