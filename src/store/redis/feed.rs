//! What all processes on this Redis commit: one subscription per process, begun with the first follower.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use ::redis::{Client, Msg, RedisError, RedisResult};
use futures::StreamExt;
use tokio::sync::broadcast;
use tokio::task::AbortHandle;
use tokio::time::{Instant, interval_at, timeout};

use super::connection::{ANSWER, CONNECT, IDLE, SUSPECT};
use crate::store::{NOTICES, Notice};

/// The channel that the scripts publish on.
pub(super) const CHANNEL: &str = "turnkeeper:commits";

/// Between two questions whether the server is still there.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// Between two looks at the clock on the wall: only that one tells that the process was frozen meanwhile.
const LOOK: Duration = Duration::from_secs(1);
/// Between two attempts to subscribe again.
const PAUSE: Duration = Duration::from_millis(250);

/// The subscription; it ends with this value.
pub(super) struct Feed {
    sender: broadcast::Sender<Notice>,
    task: OnceLock<AbortHandle>,
}

impl Feed {
    pub(super) fn new() -> Self {
        Self { sender: broadcast::Sender::new(NOTICES), task: OnceLock::new() }
    }

    pub(super) fn follow(&self, servers: &[Client]) -> broadcast::Receiver<Notice> {
        let receiver = self.sender.subscribe();
        self.task.get_or_init(|| {
            let (sender, servers) = (self.sender.clone(), servers.to_vec());
            tokio::spawn(async move {
                for server in servers.iter().cycle() {
                    if let Err(error) = subscription(server, &sender).await {
                        tracing::warn!(%error, "the subscription to Redis broke");
                    }
                    tokio::time::sleep(PAUSE).await;
                }
            })
            .abort_handle()
        });
        receiver
    }

    /// Ends the subscription.
    pub(super) fn stop(&self) {
        if let Some(task) = self.task.get() {
            task.abort();
        }
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Passes on what is published until the connection breaks or is silent to a ping.
async fn subscription(server: &Client, sender: &broadcast::Sender<Notice>) -> RedisResult<()> {
    let subscribed = timeout(CONNECT + ANSWER, async {
        let mut channel = server.get_async_pubsub().await?;
        channel.subscribe(CHANNEL).await?;
        Ok::<_, RedisError>(channel)
    });
    let (mut sink, mut messages) = subscribed.await.map_err(silent)??.split();
    // A send without receivers fails and loses nothing.
    let _ = sender.send(Notice::Resync);
    let mut clock = interval_at(Instant::now() + LOOK, LOOK);
    let (mut looked, mut asked) = (SystemTime::now(), Instant::now());
    loop {
        tokio::select! {
            message = messages.next() => {
                let Some(message) = message else { return Ok(()) };
                let _ = sender.send(read(&message));
            }
            _ = clock.tick() => {
                let patience = if looked.elapsed().unwrap_or_default() > IDLE { SUSPECT } else { ANSWER };
                looked = SystemTime::now();
                if patience == SUSPECT || asked.elapsed() >= HEARTBEAT {
                    asked = Instant::now();
                    timeout(patience, sink.ping::<::redis::Value>()).await.map_err(silent)??;
                }
            }
        }
    }
}

fn silent<T>(_: T) -> RedisError {
    std::io::Error::from(std::io::ErrorKind::TimedOut).into()
}

/// A message that none of our scripts has written may mean anything, so: read again.
fn read(message: &Msg) -> Notice {
    let text = std::str::from_utf8(message.get_payload_bytes()).unwrap_or_default();
    match text.rsplit_once(' ') {
        Some((id, "-")) => Notice::Deleted { id: Arc::from(id) },
        Some((id, version)) => match version.parse() {
            Ok(version) => Notice::Committed { id: Arc::from(id), version },
            Err(_) => Notice::Resync,
        },
        None => Notice::Resync,
    }
}
