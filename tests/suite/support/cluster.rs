//! A real Redis Cluster: three primaries, with replicas where a test asks for them.

use super::process::wait;
use super::redis::RedisServer;
use std::process::Command;
use std::time::Duration;

/// How long a node is silent before others give it up. None is replaced because this machine holds it
/// up: a replica that lags, or has nothing yet, would lose writes.
pub const NODE_TIMEOUT: Duration = Duration::from_secs(15);

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

    /// One with a replica for each primary, which takes over when a test tells it to.
    pub fn with_replicas() -> Self {
        let cluster = Self::of(6, 1);
        cluster.wait_until_replicated();
        cluster
    }

    fn of(servers: usize, replicas: u32) -> Self {
        let node_timeout = NODE_TIMEOUT.as_millis().to_string();
        let settings = [
            "--cluster-enabled",
            "yes",
            "--cluster-node-timeout",
            &node_timeout,
            "--repl-diskless-sync-delay",
            "0",
        ];
        let servers: Vec<_> = (0..servers).map(|_| RedisServer::with(&settings)).collect();
        let mut create = Command::new("redis-cli");
        create.args(["--cluster", "create"]);
        create.args(
            servers
                .iter()
                .map(|server| format!("127.0.0.1:{}", server.port())),
        );
        let created = create
            .args(["--cluster-replicas", &replicas.to_string(), "--cluster-yes"])
            .output();
        let created = created.unwrap_or_else(|error| {
            panic!("cannot run redis-cli ({error}): run tests/setup first")
        });
        assert!(
            created.status.success(),
            "{}",
            String::from_utf8_lossy(&created.stdout)
        );
        let cluster = Self { servers };
        cluster.wait_until_served();
        cluster
    }

    pub fn url(&self) -> String {
        let urls: Vec<_> = self.servers.iter().map(RedisServer::url).collect();
        urls.join(",")
    }

    fn until(&self, what: &str, so: impl Fn(&RedisServer) -> bool) {
        let all = || self.servers.iter().filter(|server| server.runs()).all(&so);
        assert!(
            wait(Duration::from_secs(20), all),
            "not in the cluster: {what}"
        );
    }

    /// Waits until every running node says that every slot is served.
    pub fn wait_until_served(&self) {
        self.until("every slot is served", |server| {
            server
                .ask::<String>(&["CLUSTER", "INFO"])
                .contains("cluster_state:ok")
        });
    }

    /// Waits until every primary has a replica that has all of its data.
    pub fn wait_until_replicated(&self) {
        self.until("every primary has its replica", |server| {
            let role: String = server.ask(&["INFO", "replication"]);
            role.contains("state=online") || role.contains("master_link_status:up")
        });
        self.wait_until_served();
    }

    /// The replica of a primary.
    fn replica(&self, primary: usize) -> &RedisServer {
        let primary = self.servers[primary].port();
        let mut others = self
            .servers
            .iter()
            .filter(|server| server.runs() && server.port() != primary);
        others
            .find(|server| server.primary() == Some(primary))
            .expect("a replica")
    }

    /// Has the replica of a primary that was killed or is silent take its place.
    pub fn replace(&self, primary: usize) {
        let replica = self.replica(primary);
        replica.command(&["CLUSTER", "FAILOVER", "TAKEOVER"]);
        assert!(
            wait(Duration::from_secs(20), || replica.is_primary()),
            "it does not take over"
        );
    }

    /// Kills a primary and has its replica take its place, which then has all that the primary
    /// acknowledged: which server it was.
    pub fn kill_a_primary(&mut self) -> usize {
        let primary = self
            .servers
            .iter()
            .position(|server| server.runs() && server.is_primary());
        let killed = primary.expect("a primary");
        // A primary calls its replica online a second before it sends what was written since.
        let offset = |server: &RedisServer| server.stat("replication", "master_repl_offset:");
        let written = offset(&self.servers[killed]);
        let follows = || offset(self.replica(killed)) >= written;
        assert!(wait(Duration::from_secs(20), follows), "it does not follow");
        self.servers[killed].kill();
        // It has read everything when it finds the connection closed.
        let has_read = || {
            let role: String = self.replica(killed).ask(&["INFO", "replication"]);
            role.contains("master_link_status:down")
        };
        assert!(wait(Duration::from_secs(20), has_read), "it reads on");
        self.replace(killed);
        killed
    }

    /// The slot of a key, and the keys that a node has in it.
    fn slot(&self, key: &str) -> (String, impl Fn(&RedisServer) -> Vec<String>) {
        let slot = self.servers[0]
            .ask::<u64>(&["CLUSTER", "KEYSLOT", key])
            .to_string();
        let asked = slot.clone();
        (slot, move |server: &RedisServer| {
            server.ask(&["CLUSTER", "GETKEYSINSLOT", &asked, "100"])
        })
    }

    /// Moves a key's slot, with all its keys, `by` nodes further, as resharding does. All nodes
    /// must agree on the newest epoch first: a new owner that has not heard of it claims the slot
    /// with an older one, which other nodes ignore.
    pub fn migrate(&self, key: &str, by: usize) {
        let epoch = |server: &RedisServer| {
            let info: String = server.ask(&["CLUSTER", "INFO"]);
            info.lines()
                .find(|line| line.starts_with("cluster_current_epoch"))
                .map(str::to_owned)
        };
        self.until("all nodes know of the newest epoch", |server| {
            epoch(server) == epoch(&self.servers[0])
        });
        let (slot, keys) = self.slot(key);
        let from = self
            .servers
            .iter()
            .position(|server| !keys(server).is_empty())
            .expect("a node with its keys");
        let to = (from + 1 + by % (self.servers.len() - 1)) % self.servers.len();
        let (from, to) = (&self.servers[from], &self.servers[to]);
        let (from_id, to_id): (String, String) =
            (from.ask(&["CLUSTER", "MYID"]), to.ask(&["CLUSTER", "MYID"]));
        to.command(&["CLUSTER", "SETSLOT", &slot, "IMPORTING", &from_id]);
        from.command(&["CLUSTER", "SETSLOT", &slot, "MIGRATING", &to_id]);
        let port = to.port().to_string();
        loop {
            let keys = keys(from);
            if keys.is_empty() {
                break;
            }
            // One at a time: for a while the keys of an encounter are on two nodes.
            for key in keys {
                from.command(&["MIGRATE", "127.0.0.1", &port, &key, "0", "5000"]);
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        // The new owner first, then all others, as redis-cli does. A node that hears of it late may
        // believe a newer claim of the old owner, and the new owner would drop its keys.
        let others = self
            .servers
            .iter()
            .filter(|server| server.port() != to.port());
        for server in std::iter::once(to).chain(others) {
            server.command(&["CLUSTER", "SETSLOT", &slot, "NODE", &to_id]);
        }
    }
}
