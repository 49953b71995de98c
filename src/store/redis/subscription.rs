//! The commits of all processes on this Redis: one subscription per process, started for the first
//! follower.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use ::redis::{Client, Msg, RedisError, RedisResult};
use futures::StreamExt;
use tokio::sync::broadcast;
use tokio::time::{Instant, interval_at, timeout};

use super::connection::{ANSWER, CONNECT, IDLE, SUSPECT, timed_out};
use crate::store::Notice;

/// The channel that the scripts publish on.
pub(super) const CHANNEL: &str = "turnkeeper:commits";

/// Interval of pings.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// Interval of looks at the wall clock. No other clock shows that the process was frozen.
const LOOK: Duration = Duration::from_secs(1);
/// Pause before a new subscription.
const PAUSE: Duration = Duration::from_millis(250);

/// Passes on published messages for ever. Asks the servers in turn.
pub(super) async fn follow(servers: Vec<Client>, sender: broadcast::Sender<Notice>) {
    for server in servers.iter().cycle() {
        if let Err(error) = subscribe(server, &sender).await {
            tracing::warn!(%error, "the subscription to Redis broke");
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Passes on published messages until the connection breaks or does not answer a ping.
async fn subscribe(server: &Client, sender: &broadcast::Sender<Notice>) -> RedisResult<()> {
    let subscribed = timeout(CONNECT + ANSWER, async {
        let mut channel = server.get_async_pubsub().await?;
        channel.subscribe(CHANNEL).await?;
        Ok::<_, RedisError>(channel)
    });
    let (mut sink, mut messages) = subscribed.await.map_err(timed_out)??.split();
    // Fails only without receivers.
    let _ = sender.send(Notice::Resync);
    let mut clock = interval_at(Instant::now() + LOOK, LOOK);
    let (mut looked, mut pinged) = (SystemTime::now(), Instant::now());
    loop {
        tokio::select! {
            message = messages.next() => {
                let Some(message) = message else { return Ok(()) };
                let _ = sender.send(read(&message));
            }
            _ = clock.tick() => {
                let frozen = looked.elapsed().unwrap_or_default() > IDLE;
                looked = SystemTime::now();
                if frozen || pinged.elapsed() >= HEARTBEAT {
                    let limit = if frozen { SUSPECT } else { ANSWER };
                    pinged = Instant::now();
                    timeout(limit, sink.ping::<::redis::Value>()).await.map_err(timed_out)??;
                }
            }
        }
    }
}

/// The notice in a message. A message that no script of ours wrote may mean anything:
/// [`Notice::Resync`].
fn read(message: &Msg) -> Notice {
    let text = std::str::from_utf8(message.get_payload_bytes()).unwrap_or_default();
    let Some((id, version)) = text.rsplit_once(' ') else {
        return Notice::Resync;
    };
    match version.parse() {
        Ok(version) => Notice::Committed {
            id: Arc::from(id),
            version,
        },
        Err(_) if version == "-" => Notice::Deleted { id: Arc::from(id) },
        Err(_) => Notice::Resync,
    }
}
