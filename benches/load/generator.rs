//! A light load generator: keep-alive HTTP/1.1, written and read by hand, the same for every
//! server.

use super::figures::process_cpu;
use futures::future::join_all;
use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::LocalSet;

/// Time before the first count.
const WARM_UP: Duration = Duration::from_millis(400);
const KEY: usize = 32;

/// A client's side of one connection.
pub trait Wire {
    /// Says what the protocol wants said first.
    async fn open(&mut self, _stream: &mut TcpStream, _buffer: &mut [u8]) {}

    /// Sends a command and reads its whole answer, which must be a success; the bytes of the
    /// answer.
    async fn exchange(&mut self, stream: &mut TcpStream, buffer: &mut [u8], key: &str) -> usize;
}

/// The requests of one connection, sent over and over, each time under a new idempotency key.
pub struct Requests {
    requests: Vec<Vec<u8>>,
    /// The offset of the key.
    key: usize,
    next: usize,
}

impl Requests {
    pub fn new(
        path: &str,
        token: &str,
        minimal: bool,
        bodies: impl Iterator<Item = String>,
    ) -> Self {
        let prefer = if minimal {
            "prefer: return=minimal\r\n"
        } else {
            ""
        };
        let start = format!("POST {path} HTTP/1.1\r\nidempotency-key: ");
        let requests = bodies.map(|body| {
            let length = body.len();
            let rest = format!(
                "host: 127.0.0.1\r\nauthorization: Bearer {token}\r\n{prefer}content-type: application/json\r\n\
                 content-length: {length}\r\n\r\n{body}"
            );
            format!("{start}{}\r\n{rest}", "0".repeat(KEY)).into_bytes()
        });
        Self {
            requests: requests.collect(),
            key: start.len(),
            next: 0,
        }
    }
}

impl Wire for Requests {
    async fn exchange(&mut self, stream: &mut TcpStream, buffer: &mut [u8], key: &str) -> usize {
        let next = self.next % self.requests.len();
        self.next = next + 1;
        let request = &mut self.requests[next];
        request[self.key..self.key + KEY].copy_from_slice(key.as_bytes());
        stream
            .write_all(request)
            .await
            .expect("a server that reads");
        answer(stream, buffer).await
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
    /// Microseconds of processor time per command of this client.
    pub client: f64,
    /// Bytes of an answer's body, on average.
    #[allow(dead_code, reason = "only the table of peers says it")]
    pub bytes: f64,
}

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    WarmUp,
    Counting,
    Over,
}

/// Sends each connection's commands one after the other for `duration`. `cpu` returns processor
/// times in microseconds.
pub async fn run<W: Wire + 'static>(
    url: &str,
    wires: Vec<W>,
    duration: Duration,
    cpu: impl Fn() -> (f64, f64),
) -> Sample {
    let address = url.rsplit('/').next().expect("an address");
    let phase = Rc::new(Cell::new(Phase::WarmUp));
    let opened = wires
        .into_iter()
        .enumerate()
        .map(|(number, wire)| Connection::open(address, number, wire));
    // A server may create its encounters at the first commands.
    let connections = join_all(opened).await;
    LocalSet::new()
        .run_until(async {
            let connections: Vec<_> = connections
                .into_iter()
                .map(|connection| tokio::task::spawn_local(connection.load(phase.clone())))
                .collect();
            tokio::time::sleep(WARM_UP).await;
            let (before, client) = (cpu(), process_cpu("self"));
            let started = Instant::now();
            phase.set(Phase::Counting);
            tokio::time::sleep(duration).await;
            phase.set(Phase::Over);
            let elapsed = started.elapsed();
            let (after, client) = (cpu(), process_cpu("self") - client);
            let (mut latencies, mut bytes) = (Vec::new(), 0);
            for connection in connections {
                let (counted, read) = connection.await.expect("no panic");
                latencies.extend(counted);
                bytes += read;
            }
            latencies.sort_unstable();
            let count = latencies.len() as f64;
            let cpu = ((after.0 - before.0) / count, (after.1 - before.1) / count);
            let (client, bytes) = (client / count, bytes as f64 / count);
            Sample {
                throughput: count / elapsed.as_secs_f64(),
                latencies,
                cpu,
                client,
                bytes,
            }
        })
        .await
}

struct Connection<W> {
    stream: TcpStream,
    buffer: Vec<u8>,
    wire: W,
    number: usize,
    sent: u64,
}

impl<W: Wire> Connection<W> {
    /// Opens it and sends a first command.
    async fn open(address: &str, number: usize, mut wire: W) -> Self {
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        stream.set_nodelay(true).expect("a socket");
        let mut buffer = vec![0; 1 << 16];
        wire.open(&mut stream, &mut buffer).await;
        let mut connection = Self {
            stream,
            buffer,
            wire,
            number,
            sent: 0,
        };
        connection.exchange().await;
        connection
    }

    async fn exchange(&mut self) -> usize {
        let key = format!("{:08x}{:024x}", self.number, self.sent);
        self.sent += 1;
        self.wire
            .exchange(&mut self.stream, &mut self.buffer, &key)
            .await
    }

    /// Sends until it is over; the counted latencies and bytes.
    async fn load(mut self, phase: Rc<Cell<Phase>>) -> (Vec<u32>, usize) {
        let (mut latencies, mut bytes) = (Vec::with_capacity(1 << 14), 0);
        loop {
            let sent = Instant::now();
            let read = self.exchange().await;
            match phase.get() {
                Phase::WarmUp => {}
                Phase::Counting => {
                    latencies.push(sent.elapsed().as_micros() as u32);
                    bytes += read;
                }
                Phase::Over => return (latencies, bytes),
            }
        }
    }
}

/// Reads one whole answer, which must be a success; the bytes of its body.
async fn answer(stream: &mut TcpStream, buffer: &mut [u8]) -> usize {
    let mut have = 0;
    loop {
        let read = stream.read(&mut buffer[have..]).await.expect("an answer");
        assert!(read > 0, "the connection was closed");
        have += read;
        let Some(head) = body_offset(&buffer[..have]) else {
            continue;
        };
        let length = length(&buffer[..head]);
        if have >= head + length {
            let status = &buffer[..have.min(12)];
            assert!(
                status == b"HTTP/1.1 200",
                "{}",
                String::from_utf8_lossy(&buffer[..have])
            );
            return length;
        }
    }
}

/// The offset of the body.
fn body_offset(bytes: &[u8]) -> Option<usize> {
    bytes
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .map(|at| at + 4)
}

fn length(head: &[u8]) -> usize {
    const NAME: &[u8] = b"content-length: ";
    let at = head
        .windows(NAME.len())
        .position(|window| window.eq_ignore_ascii_case(NAME))
        .expect("an answer with a length");
    head[at + NAME.len()..]
        .iter()
        .take_while(|b| b.is_ascii_digit())
        .fold(0, |n, b| n * 10 + usize::from(b - b'0'))
}
