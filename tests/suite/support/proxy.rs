//! A proxy before a server, such as a Redis, that drops answers, forgets connections, or leads to
//! another server.

use super::redis::RedisServer;
use async_trait::async_trait;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Decides what passes a [`Proxy`], in either direction.
#[async_trait]
pub trait Gate: Send + Sync + 'static {
    /// Lets through what it leaves of these bytes. False breaks the connection after them.
    async fn pass(&self, bytes: &mut Vec<u8>) -> bool;
}

/// Lets everything through.
struct Open;

#[async_trait]
impl Gate for Open {
    async fn pass(&self, _: &mut Vec<u8>) -> bool {
        true
    }
}

/// The proxy; its counts are shared with the tasks that pass bytes on.
#[derive(Clone)]
pub struct Proxy {
    port: u16,
    gate: Arc<dyn Gate>,
    to: Arc<AtomicU16>,
    /// True until the next answer is dropped with its connection.
    swallow: Arc<AtomicBool>,
    /// How many connections were made.
    made: Arc<AtomicU64>,
    /// How many of them, the oldest first, are forgotten: nothing passes, and both sides stay open.
    forgotten: Arc<AtomicU64>,
}

impl Proxy {
    pub async fn before(server: &RedisServer) -> Self {
        Self::to(server.port()).await
    }

    /// One before the server at port `to`.
    pub async fn to(to: u16) -> Self {
        Self::gated(to, Arc::new(Open)).await
    }

    /// One before the server at port `to`, whose gate decides what passes.
    pub async fn gated(to: u16, gate: Arc<dyn Gate>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let to = Arc::new(AtomicU16::new(to));
        let proxy = Self {
            port,
            gate,
            to,
            swallow: Arc::default(),
            made: Arc::default(),
            forgotten: Arc::default(),
        };
        let accepting = proxy.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let number = accepting.made.fetch_add(1, Ordering::SeqCst) + 1;
                // A server that is down breaks the connection.
                if let Ok(server) =
                    TcpStream::connect(("127.0.0.1", accepting.to.load(Ordering::SeqCst))).await
                {
                    tokio::spawn(accepting.clone().pass(client, server, number));
                }
            }
        });
        proxy
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Leads new connections to the server at this port; the others stay.
    pub fn lead_to(&self, port: u16) {
        self.to.store(port, Ordering::SeqCst);
    }

    /// Breaks the connection of the next answer before it arrives.
    pub fn swallow_the_next_answer(&self) {
        self.swallow.store(true, Ordering::SeqCst);
    }

    pub fn swallowed(&self) -> bool {
        !self.swallow.load(Ordering::SeqCst)
    }

    /// Forgets all connections.
    pub fn forget(&self) {
        self.forgotten
            .store(self.made.load(Ordering::SeqCst), Ordering::SeqCst);
    }

    /// How many connections were made.
    pub fn made(&self) -> u64 {
        self.made.load(Ordering::SeqCst)
    }

    /// Whether a connection was made since [`Proxy::forget`].
    pub fn connected_anew(&self) -> bool {
        self.made.load(Ordering::SeqCst) > self.forgotten.load(Ordering::SeqCst)
    }

    async fn pass(self, mut client: TcpStream, mut server: TcpStream, number: u64) {
        let (mut request, mut answer) = (vec![0; 1 << 16], vec![0; 1 << 16]);
        loop {
            let (read, buffer, to, is_answer) = tokio::select! {
                read = client.read(&mut request) => (read, &request, &mut server, false),
                read = server.read(&mut answer) => (read, &answer, &mut client, true),
            };
            let Ok(read @ 1..) = read else { return };
            if is_answer && self.swallow.swap(false, Ordering::SeqCst) {
                return;
            }
            let mut bytes = buffer[..read].to_vec();
            let stays = self.gate.pass(&mut bytes).await;
            let passes = self.forgotten.load(Ordering::SeqCst) < number;
            if passes && to.write_all(&bytes).await.is_err() || !stays {
                return;
            }
        }
    }
}
