//! The socket door: accepts connections, and lets them finish before the process ends.

use super::head;
use super::limit::Peer;
use super::socket::Socket;
use super::write_timeout::Patient;
use axum::Router;
use axum::http::Request;
use futures::FutureExt;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::time::Duration;
use tokio::net::TcpListener;
use tower::ServiceExt;

/// The most bytes of a head, or of a body, that are read at a time: the longest first line, the largest headers, and what separates them.
const BUFFER: usize = 2 * 64 * 1024 + 16 * 1024;
/// How long a connection may be idle, or take to send a request's head.
const HEAD: Duration = Duration::from_secs(30);
/// How long a client may take nothing of what is written to it.
const STALLED: Duration = Duration::from_secs(30);
/// How long requests may take to finish once the process is to end.
const FAREWELL: Duration = Duration::from_secs(10);

/// Serves `router` on `listener` until `stop` is done; then accepts nothing more, and gives open requests 10 seconds.
///
/// With `addresses` each request is told where it comes from, which costs a little:
/// [`Settings::counts_addresses`](super::Settings::counts_addresses) says whether anybody wants to know.
pub async fn serve(listener: TcpListener, router: Router, addresses: bool, stop: impl Future<Output = ()>) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD).half_close(true).max_buf_size(BUFFER);
    let open = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let (stream, address) = tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, address)) => (stream, address.ip()),
                Err(error) => {
                    // Out of file descriptors, mostly: waiting is all that helps.
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
        };
        // Without it small answers wait for acknowledgements; where it cannot be set they just wait.
        let _ = stream.set_nodelay(true);
        let peer = addresses.then_some(Peer(address));
        let stream = Socket::new(stream);
        let socket = stream.clone();
        let service = router.clone().map_request(move |mut request: Request<Incoming>| {
            head::check(&mut request);
            request.extensions_mut().insert(socket.clone());
            if let Some(peer) = peer {
                request.extensions_mut().insert(peer);
            }
            request
        });
        let service = TowerToHyperService::new(service);
        let connection = http.serve_connection(TokioIo::new(Patient::new(stream, STALLED)), service);
        let connection = open.watch(connection);
        // What goes wrong with a connection is its client's business. Not an async block: that would hold the connection twice.
        tokio::spawn(connection.map(drop));
    }
    drop(listener);
    if tokio::time::timeout(FAREWELL, open.shutdown()).await.is_err() {
        tracing::warn!("some requests were not finished in time");
    }
}
