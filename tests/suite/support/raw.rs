//! Connections as bytes, for requests that no HTTP client sends.

use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A connection.
pub struct Raw(TcpStream);

impl Raw {
    /// A new one on which these bytes are sent.
    pub async fn open(address: &str, bytes: &[u8]) -> Self {
        let mut raw = Self(TcpStream::connect(address).await.expect("a connection"));
        raw.send(bytes).await;
        raw
    }

    /// Sends more. A server may answer and close before it has read all: what it said counts.
    pub async fn send(&mut self, bytes: &[u8]) {
        drop(self.0.write_all(bytes).await);
    }

    /// Closes this side.
    pub async fn half_close(&mut self) {
        drop(self.0.shutdown().await);
    }

    /// All that comes until the server closes the connection.
    pub async fn rest(mut self) -> String {
        let mut answer = Vec::new();
        let read =
            tokio::time::timeout(Duration::from_secs(10), self.0.read_to_end(&mut answer)).await;
        // A server that closes with bytes of ours unread resets the connection.
        drop(read.expect("the server closes the connection"));
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// All that comes until `end` has come.
    pub async fn until(&mut self, end: &str) -> String {
        let (mut text, mut part) = (Vec::new(), [0; 4096]);
        while !text
            .windows(end.len())
            .any(|window| window == end.as_bytes())
        {
            let read = tokio::time::timeout(Duration::from_secs(60), self.0.read(&mut part)).await;
            let read = read.expect("in time").expect("bytes");
            assert!(read > 0, "it ended: {}", String::from_utf8_lossy(&text));
            text.extend_from_slice(&part[..read]);
        }
        String::from_utf8_lossy(&text).into_owned()
    }
}

/// All that comes of these bytes on a connection of their own.
pub async fn exchange(address: &str, bytes: &[u8]) -> String {
    Raw::open(address, bytes).await.rest().await
}

/// The head of a request that posts this number of bytes of JSON.
pub fn post(path: &str, token: &str, length: usize) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n\
        content-length: {length}\r\n\r\n"
    )
}
