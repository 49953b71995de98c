//! How long `/livez` takes while something else goes on.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Asks for `/livez` on a thread of its own, so that a busy client does not count as a busy server.
pub struct Watch {
    stop: Arc<AtomicBool>,
    asking: JoinHandle<Vec<Duration>>,
}

impl Watch {
    /// Asks the server at this address, every 5 ms and each time on a new connection.
    pub fn start(address: &str) -> Self {
        let address = address.to_owned();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let asking = std::thread::spawn(move || {
            let mut times = Vec::new();
            while !stopped.load(Ordering::Relaxed) {
                let started = Instant::now();
                let answered = ask(&address);
                times.push(answered.map_or(Duration::MAX, |()| started.elapsed()));
                std::thread::sleep(Duration::from_millis(5));
            }
            times
        });
        Self { stop, asking }
    }

    /// Stops asking. Returns the times of all answers, shortest first; a failed one took for ever.
    pub fn stop(self) -> Vec<Duration> {
        self.stop.store(true, Ordering::Relaxed);
        let mut times = self.asking.join().expect("it asks without a panic");
        times.sort_unstable();
        times
    }
}

fn ask(address: &str) -> std::io::Result<()> {
    let mut connection = TcpStream::connect(address)?;
    connection.set_read_timeout(Some(Duration::from_secs(60)))?;
    connection.write_all(b"GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer)?;
    if !answer.starts_with("HTTP/1.1 200") {
        return Err(std::io::Error::other(answer));
    }
    Ok(())
}
