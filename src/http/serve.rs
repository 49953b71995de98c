//! The socket adapter: accepts connections and lets them finish before the process ends.

use super::limit::Peer;
use axum::Router;
use axum::http::Request;
use futures::FutureExt;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::pin::pin;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutWriter;
use tower::ServiceExt;

/// The maximum bytes that are read ahead: the longest request line, the largest headers, and their
/// separators.
const BUFFER: usize = 2 * 64 * 1024 + 16 * 1024;
/// The maximum time that a connection is idle or sends a request's head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// The maximum time that a write waits for the client.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// The maximum time that open requests get when the process stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

/// Marks a request that came over a socket.
#[derive(Debug, Clone, Copy)]
pub(super) struct FromSocket;

/// Serves `router` on `listener` until `stop` completes. Then it accepts no more connections and
/// gives open requests 10 seconds. A client that closes its side of the connection has left: its
/// request is dropped.
pub async fn serve(listener: TcpListener, router: Router, stop: impl Future<Output = ()>) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(BUFFER);
    let open = GracefulShutdown::new();
    let mut stop = pin!(stop);
    loop {
        let (stream, peer) = tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, address)) => (stream, Peer(address.ip())),
                Err(error) => {
                    // Usually the process is out of file descriptors.
                    tracing::warn!(%error, "cannot accept a connection");
                    sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
        };
        // Without it small answers wait for acknowledgements.
        let _ = stream.set_nodelay(true);
        let mut writer = TimeoutWriter::new(stream);
        writer.set_timeout(Some(WRITE_TIMEOUT));
        let service = router
            .clone()
            .map_request(move |mut request: Request<Incoming>| {
                request.extensions_mut().insert(FromSocket);
                request.extensions_mut().insert(peer);
                request
            });
        let connection = http.serve_connection(
            TokioIo::new(Box::pin(writer)),
            TowerToHyperService::new(service),
        );
        // An async block would hold the connection twice.
        tokio::spawn(open.watch(connection).map(drop));
    }
    drop(listener);
    if timeout(SHUTDOWN_TIMEOUT, open.shutdown()).await.is_err() {
        tracing::warn!("some requests did not finish in time");
    }
}
