//! A real Redis Cluster for a test: three primaries, with replicas where they are asked for.

use super::redis::RedisServer;
use redis::{FromRedisValue, from_redis_value};
use std::process::Command;
use std::time::{Duration, Instant};

/// Three primaries that form a cluster.
#[must_use = "the servers are killed when this is dropped"]
pub struct RedisCluster {
    pub servers: Vec<RedisServer>,
}

impl RedisCluster {
    /// Starts it and waits until every slot is served.
    pub fn start() -> Self {
        Self::of(3, 0)
    }

    /// One with a replica for each primary, which takes over about a second after its primary's end.
    pub fn with_replicas() -> Self {
        let cluster = Self::of(6, 1);
        cluster.wait_until_replicated();
        cluster
    }

    fn of(servers: usize, replicas: u32) -> Self {
        let settings =
            ["--cluster-enabled", "yes", "--cluster-node-timeout", "1000", "--repl-diskless-sync-delay", "0"];
        let servers: Vec<_> = (0..servers).map(|_| RedisServer::with(&settings)).collect();
        let patience = |milliseconds: &str| {
            for server in &servers {
                server.command(&["CONFIG", "SET", "cluster-node-timeout", milliseconds]);
            }
        };
        // On a busy machine nodes would give up meeting each other, and redis-cli would wait for ever.
        patience("20000");
        let mut create = Command::new("redis-cli");
        create.args(["--cluster", "create"]);
        create.args(servers.iter().map(|server| format!("127.0.0.1:{}", server.port())));
        let created = create.args(["--cluster-replicas", &replicas.to_string(), "--cluster-yes"]).output();
        let created = created.unwrap_or_else(|error| panic!("cannot run redis-cli ({error}): run tests/setup first"));
        assert!(created.status.success(), "{}", String::from_utf8_lossy(&created.stdout));
        patience("1000");
        let cluster = Self { servers };
        cluster.wait_until_whole();
        cluster
    }

    pub fn url(&self) -> String {
        let urls: Vec<_> = self.servers.iter().map(RedisServer::url).collect();
        urls.join(",")
    }

    fn ask<T: FromRedisValue>(server: &RedisServer, words: &[&str]) -> T {
        from_redis_value(server.command(words)).unwrap_or_else(|_| panic!("{words:?} answers something else"))
    }

    fn until(&self, what: &str, so: impl Fn(&RedisServer) -> bool) {
        let until = Instant::now() + Duration::from_secs(20);
        while !self.servers.iter().filter(|server| server.runs()).all(&so) {
            assert!(Instant::now() < until, "the cluster does not come to this: {what}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until every running node says that every slot is served.
    pub fn wait_until_whole(&self) {
        self.until("every slot is served", |server| {
            Self::ask::<String>(server, &["CLUSTER", "INFO"]).contains("cluster_state:ok")
        });
    }

    /// Waits until every primary has a replica that has all of its data.
    pub fn wait_until_replicated(&self) {
        self.until("every primary has its replica", |server| {
            let role: String = Self::ask(server, &["INFO", "replication"]);
            role.contains("state=online") || role.contains("master_link_status:up")
        });
        self.wait_until_whole();
    }

    /// Kills a primary and waits until its replica took its place: which server it was.
    pub fn kill_a_primary(&mut self) -> usize {
        let primaries = |cluster: &Self| {
            let primary =
                |server: &RedisServer| Self::ask::<String>(server, &["INFO", "replication"]).contains("role:master");
            cluster.servers.iter().map(|server| server.runs() && primary(server)).collect::<Vec<_>>()
        };
        let killed = primaries(self).iter().position(|primary| *primary).expect("a primary");
        self.servers[killed].kill();
        let until = Instant::now() + Duration::from_secs(20);
        while primaries(self).iter().filter(|primary| **primary).count() < 3 {
            assert!(Instant::now() < until, "no replica takes over");
            std::thread::sleep(Duration::from_millis(20));
        }
        killed
    }

    /// What a node has in a key's slot; the slot too.
    fn slot(&self, key: &str) -> (String, impl Fn(&RedisServer) -> Vec<String>) {
        let slot = Self::ask::<u64>(&self.servers[0], &["CLUSTER", "KEYSLOT", key]).to_string();
        let asked = slot.clone();
        (slot, move |server: &RedisServer| Self::ask(server, &["CLUSTER", "GETKEYSINSLOT", &asked, "100"]))
    }

    /// Whether no node has the key.
    pub fn has_lost(&self, key: &str) -> bool {
        let (_, keys) = self.slot(key);
        !self.servers.iter().any(|server| keys(server).iter().any(|had| had == key))
    }

    /// Moves a key's slot, with all that is in it, `by` nodes further, as resharding does. A new owner that has not heard of the
    /// newest epoch would claim the slot with one that others have seen go by: they must agree first.
    pub fn migrate(&self, key: &str, by: usize) {
        let epoch = |server: &RedisServer| {
            let info: String = Self::ask(server, &["CLUSTER", "INFO"]);
            info.lines().find(|line| line.starts_with("cluster_current_epoch")).map(str::to_owned)
        };
        self.until("all nodes know of the newest epoch", |server| epoch(server) == epoch(&self.servers[0]));
        let (slot, keys) = self.slot(key);
        let from = self.servers.iter().position(|server| !keys(server).is_empty()).expect("a node with its keys");
        let to = (from + 1 + by % (self.servers.len() - 1)) % self.servers.len();
        let (from, to) = (&self.servers[from], &self.servers[to]);
        let id = |server| Self::ask::<String>(server, &["CLUSTER", "MYID"]);
        let (from_id, to_id) = (id(from), id(to));
        to.command(&["CLUSTER", "SETSLOT", &slot, "IMPORTING", &from_id]);
        from.command(&["CLUSTER", "SETSLOT", &slot, "MIGRATING", &to_id]);
        let port = to.port().to_string();
        loop {
            let keys = keys(from);
            if keys.is_empty() {
                break;
            }
            // One at a time: what belongs together is apart for a while.
            for key in keys {
                from.command(&["MIGRATE", "127.0.0.1", &port, &key, "0", "5000"]);
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        // The new owner first, then all others, as redis-cli does: a node that only hears of it later may hear a newer claim of the
        // old owner first, take the slot for the old owner's and make the new one throw its keys away.
        let others = self.servers.iter().filter(|server| server.port() != to.port());
        for server in std::iter::once(to).chain(others) {
            server.command(&["CLUSTER", "SETSLOT", &slot, "NODE", &to_id]);
        }
    }
}
