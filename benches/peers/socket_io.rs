//! boardgame.io's moves over its socket.io transport, in a websocket. Frames are written and read
//! by hand.

use super::generator::Wire;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The moves of one match, sent over and over.
pub struct Moves {
    id: String,
    game: &'static str,
    commands: Vec<String>,
    next: usize,
    /// Bytes that are read and not used yet.
    have: usize,
}

impl Moves {
    pub fn new(id: String, minimal: bool, commands: impl Iterator<Item = String>) -> Self {
        let game = if minimal { "minimal" } else { "whole" };
        Self {
            id,
            game,
            commands: commands.collect(),
            next: 0,
            have: 0,
        }
    }

    /// Reads until a message that starts so; its bytes.
    async fn message(&mut self, stream: &mut TcpStream, buffer: &mut [u8], wanted: &str) -> usize {
        loop {
            let (start, end) = self.frame(stream, buffer).await;
            let message = &buffer[start..end];
            let found = message.starts_with(wanted.as_bytes());
            let ping = message == b"2";
            buffer.copy_within(end..self.have, 0);
            self.have -= end;
            if found {
                return end - start;
            }
            if ping {
                send(stream, "3").await;
            }
        }
    }

    /// Reads a frame; where its text is in the buffer.
    async fn frame(&mut self, stream: &mut TcpStream, buffer: &mut [u8]) -> (usize, usize) {
        loop {
            let (start, length) = match buffer[..self.have] {
                [0x81, 126, high, low, ..] => (4, usize::from(u16::from_be_bytes([high, low]))),
                [0x81, length @ 0..=125, ..] => (2, usize::from(length)),
                [0x81, 127, ..] | [0x80 | 0x82.., ..] => {
                    panic!("not a text below 64 KiB: {:?}", &buffer[..2])
                }
                _ => (2, buffer.len()),
            };
            if start + length <= self.have {
                return (start, start + length);
            }
            let read = stream
                .read(&mut buffer[self.have..])
                .await
                .expect("an answer");
            assert!(read > 0, "the connection was closed");
            self.have += read;
        }
    }
}

/// Sends a text. A client has to mask its frames; a mask of zeros leaves the text as it is.
async fn send(stream: &mut TcpStream, text: &str) {
    let length = u16::try_from(text.len()).expect("a short text");
    let mut frame = match length {
        0..=125 => vec![0x81, 0x80 | length as u8],
        _ => [&[0x81, 0x80 | 126], length.to_be_bytes().as_slice()].concat(),
    };
    frame.extend([0; 4]);
    frame.extend(text.as_bytes());
    stream.write_all(&frame).await.expect("a server that reads");
}

impl Wire for Moves {
    /// Upgrades the connection, and lets `sync` create the match.
    async fn open(&mut self, stream: &mut TcpStream, buffer: &mut [u8]) {
        let upgrade = "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nhost: 127.0.0.1\r\nupgrade: websocket\r\n\
                       connection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n";
        stream
            .write_all(upgrade.as_bytes())
            .await
            .expect("a server that reads");
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.expect("an answer"));
        }
        let (id, game) = (&self.id, self.game);
        let (connected, synced) = (format!("40/{game},"), format!(r#"42/{game},["sync""#));
        let sync = format!(r#"42/{game},["sync","{id}","0",null,1]"#);
        send(stream, &connected).await;
        self.message(stream, buffer, &connected).await;
        send(stream, &sync).await;
        self.message(stream, buffer, &synced).await;
    }

    async fn exchange(&mut self, stream: &mut TcpStream, buffer: &mut [u8], _key: &str) -> usize {
        let (id, game, command) = (
            &self.id,
            self.game,
            &self.commands[self.next % self.commands.len()],
        );
        let payload = format!(r#"{{"type":"command","args":[{command}],"playerID":"0"}}"#);
        let action = format!(r#"{{"type":"MAKE_MOVE","payload":{payload}}}"#);
        let text = format!(r#"42/{game},["update",{action},0,"{id}","0"]"#);
        self.next += 1;
        let updated = format!(r#"42/{game},["update""#);
        send(stream, &text).await;
        self.message(stream, buffer, &updated).await
    }
}
