//! A light load generator: keep-alive HTTP/1.1, written and read by hand, the same for every server.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::LocalSet;

pub const CONNECTIONS: usize = 64;
/// Time before the first count.
const WARM_UP: Duration = Duration::from_millis(400);
const KEY: usize = 32;

/// The requests of one connection, sent over and over, each time under a new idempotency key.
pub struct Requests {
    requests: Vec<Vec<u8>>,
    /// The offset of the key.
    key: usize,
}

impl Requests {
    pub fn new(id: &str, token: &str, minimal: bool, bodies: impl Iterator<Item = String>) -> Self {
        let prefer = if minimal { "prefer: return=minimal\r\n" } else { "" };
        let start = format!("POST /v1/encounters/{id}/commands HTTP/1.1\r\nidempotency-key: ");
        let requests = bodies.map(|body| {
            let length = body.len();
            let rest = format!(
                "host: 127.0.0.1\r\nauthorization: Bearer {token}\r\n{prefer}content-type: application/json\r\n\
                 content-length: {length}\r\n\r\n{body}"
            );
            format!("{start}{}\r\n{rest}", "0".repeat(KEY)).into_bytes()
        });
        Self { requests: requests.collect(), key: start.len() }
    }
}

/// The result of one measurement.
pub struct Sample {
    /// Commands per second.
    pub throughput: f64,
    /// Microseconds, sorted.
    pub latencies: Vec<u32>,
    /// Microseconds of processor time per command: of the server and of Redis.
    pub cpu: (f64, f64),
}

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    WarmUp,
    Counting,
    Over,
}

/// Sends each connection's requests one after the other for `duration`. `cpu` returns processor times in microseconds.
pub async fn run(url: &str, requests: Vec<Requests>, duration: Duration, cpu: impl Fn() -> (f64, f64)) -> Sample {
    let address = url.trim_start_matches("http://").to_owned();
    let phase = Rc::new(Cell::new(Phase::WarmUp));
    LocalSet::new()
        .run_until(async {
            let connections: Vec<_> = requests
                .into_iter()
                .enumerate()
                .map(|(number, requests)| {
                    tokio::task::spawn_local(connection(address.clone(), number, requests, phase.clone()))
                })
                .collect();
            tokio::time::sleep(WARM_UP).await;
            let before = cpu();
            let started = Instant::now();
            phase.set(Phase::Counting);
            tokio::time::sleep(duration).await;
            phase.set(Phase::Over);
            let (elapsed, after) = (started.elapsed(), cpu());
            let mut latencies = Vec::new();
            for connection in connections {
                latencies.extend(connection.await.expect("no panic"));
            }
            latencies.sort_unstable();
            let count = latencies.len() as f64;
            let cpu = ((after.0 - before.0) / count, (after.1 - before.1) / count);
            Sample { throughput: count / elapsed.as_secs_f64(), latencies, cpu }
        })
        .await
}

async fn connection(address: String, number: usize, mut requests: Requests, phase: Rc<Cell<Phase>>) -> Vec<u32> {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    stream.set_nodelay(true).expect("a socket");
    let mut latencies = Vec::with_capacity(1 << 14);
    let mut buffer = vec![0; 1 << 16];
    for count in 0_u64.. {
        let next = count as usize % requests.requests.len();
        let request = &mut requests.requests[next];
        let key = format!("{number:08x}{count:024x}");
        request[requests.key..requests.key + KEY].copy_from_slice(key.as_bytes());
        let sent = Instant::now();
        stream.write_all(request).await.expect("a server that reads");
        answer(&mut stream, &mut buffer).await;
        match phase.get() {
            Phase::WarmUp => {}
            Phase::Counting => latencies.push(sent.elapsed().as_micros() as u32),
            Phase::Over => break,
        }
    }
    latencies
}

/// Reads one whole answer, which must be a success.
async fn answer(stream: &mut TcpStream, buffer: &mut [u8]) {
    let mut have = 0;
    loop {
        let read = stream.read(&mut buffer[have..]).await.expect("an answer");
        assert!(read > 0, "the connection was closed");
        have += read;
        let Some(head) = body_offset(&buffer[..have]) else { continue };
        if have >= head + length(&buffer[..head]) {
            let status = &buffer[..have.min(12)];
            assert!(status == b"HTTP/1.1 200", "{}", String::from_utf8_lossy(&buffer[..have]));
            return;
        }
    }
}

/// The offset of the body.
fn body_offset(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4)
}

fn length(head: &[u8]) -> usize {
    const NAME: &[u8] = b"content-length: ";
    let at = head.windows(NAME.len()).position(|window| window == NAME).expect("an answer with a length");
    head[at + NAME.len()..].iter().take_while(|b| b.is_ascii_digit()).fold(0, |n, b| n * 10 + usize::from(b - b'0'))
}
