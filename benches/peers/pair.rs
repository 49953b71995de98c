//! The raw pair: the read and the commit of one command, sent to Redis without a server between.

use super::bare::{self, Example};
use super::generator::Wire;
use redis::Cmd;
use std::rc::Rc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The commands for one encounter.
pub struct Pair {
    id: String,
    example: Rc<Example>,
    script: Rc<str>,
    version: u64,
}

impl Pair {
    /// `script` is the digest of the loaded script.
    pub fn new(id: String, example: Rc<Example>, script: Rc<str>) -> Self {
        Self {
            id,
            example,
            script,
            version: 0,
        }
    }
}

impl Wire for Pair {
    async fn exchange(&mut self, stream: &mut TcpStream, buffer: &mut [u8], digest: &str) -> usize {
        let [doc, log, even, odd] =
            ["doc", "log", "answers0", "answers1"].map(|part| bare::key(&self.id, part));
        let read = bare::read(&doc, &even, &odd, digest);
        stream
            .write_all(&read.get_packed_pipeline())
            .await
            .expect("a Redis that reads");
        let bytes = replies(stream, buffer, 3).await;
        let mut commit = Cmd::new();
        commit
            .arg("EVALSHA")
            .arg(&*self.script)
            .arg(4)
            .arg(&[doc, log, even, odd]);
        commit
            .arg(self.version)
            .arg(self.version + 1)
            .arg(&self.example.document)
            .arg(bare::NONCE);
        commit
            .arg(bare::TTL)
            .arg(bare::ANSWERS)
            .arg("turnkeeper:commits")
            .arg(&self.id);
        commit
            .arg(self.version + 1)
            .arg(self.version)
            .arg(&self.example.entry);
        commit
            .arg(digest)
            .arg(&self.example.record)
            .arg(&["", ""])
            .arg(0);
        stream
            .write_all(&commit.get_packed_command())
            .await
            .expect("a Redis that reads");
        let replied = replies(stream, buffer, 1).await;
        assert!(
            buffer[..replied].starts_with(b"*5\r\n$4\r\ndone"),
            "{}",
            String::from_utf8_lossy(&buffer[..replied])
        );
        self.version += 1;
        bytes + replied
    }
}

/// Reads this number of replies, and nothing else; their bytes.
async fn replies(stream: &mut TcpStream, buffer: &mut [u8], count: usize) -> usize {
    let mut have = 0;
    loop {
        have += stream.read(&mut buffer[have..]).await.expect("a reply");
        if (0..count)
            .try_fold(0, |at, _| reply(&buffer[..have], at))
            .is_some()
        {
            return have;
        }
    }
}

/// The end of the reply that starts at an offset, if it is there.
fn reply(bytes: &[u8], at: usize) -> Option<usize> {
    let end = at
        + bytes
            .get(at..)?
            .windows(2)
            .position(|window| window == b"\r\n")?;
    let number = || {
        std::str::from_utf8(&bytes[at + 1..end])
            .expect("text")
            .parse::<i64>()
            .expect("a number")
    };
    match bytes[at] {
        b'*' => (0..number()).try_fold(end + 2, |at, _| reply(bytes, at)),
        b'$' if number() >= 0 => {
            let end = end + 2 + number() as usize + 2;
            (end <= bytes.len()).then_some(end)
        }
        _ => Some(end + 2),
    }
}
