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
use socket2::SockRef;
use std::io::{ErrorKind, IoSlice, Result};
use std::net::Shutdown;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutWriter;
use tower::ServiceExt;

/// The maximum bytes that are read ahead: the longest request line, the largest headers, and their separators.
const BUFFER: usize = 2 * 64 * 1024 + 16 * 1024;
/// The maximum time that a connection is idle or sends a request's head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// The maximum time that a write waits for the client.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// The maximum time that open requests get when the process stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);
/// The time between two checks of whether the client is still there.
const CHECK_INTERVAL: Duration = Duration::from_millis(250);
/// The time that work goes on after the client has closed its side. It may have left or may wait for its answer: TCP shows no difference
/// until something is written.
const HALF_CLOSED_TIMEOUT: Duration = Duration::from_secs(2);

/// Serves `router` on `listener` until `stop` completes. Then it accepts no more connections and gives open requests 10 seconds.
pub async fn serve(listener: TcpListener, router: Router, stop: impl Future<Output = ()>) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .half_close(true)
        .max_buf_size(BUFFER);
    let open = GracefulShutdown::new();
    let mut stop = pin!(stop);
    loop {
        let (stream, peer) = tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, address)) => (Arc::new(stream), Peer(address.ip())),
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
        let socket = Socket(stream);
        let mut writer = TimeoutWriter::new(socket.clone());
        writer.set_timeout(Some(WRITE_TIMEOUT));
        let service = router
            .clone()
            .map_request(move |mut request: Request<Incoming>| {
                request.extensions_mut().insert(socket.clone());
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

/// A socket that the connection shares with its requests: the connection reads and writes, a request asks whether the client has left.
#[derive(Debug, Clone)]
pub(super) struct Socket(Arc<TcpStream>);

impl Socket {
    /// Completes when the client has reset the connection, or some time after it has closed its side.
    pub async fn left(&self) {
        loop {
            sleep(CHECK_INTERVAL).await;
            match self.0.ready(Interest::READABLE | Interest::ERROR).await {
                Ok(ready) if ready.is_error() => return,
                Ok(ready) if ready.is_read_closed() => return sleep(HALF_CLOSED_TIMEOUT).await,
                // The next request, or the rest of this one.
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }
}

/// Repeats an attempt until it succeeds, fails, or has to wait.
macro_rules! when_ready {
    ($self:ident.$ready:ident($context:ident), $attempt:expr) => {
        loop {
            ready!($self.0.$ready($context))?;
            match $attempt {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                outcome => break Poll::Ready(outcome),
            }
        }
    };
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        when_ready!(
            self.poll_read_ready(context),
            self.0.try_read_buf(buffer).map(drop)
        )
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        when_ready!(self.poll_write_ready(context), self.0.try_write(bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        when_ready!(
            self.poll_write_ready(context),
            self.0.try_write_vectored(slices)
        )
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<()>> {
        Poll::Ready(SockRef::from(&*self.0).shutdown(Shutdown::Write))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;
    use tokio::io::AsyncWriteExt;

    async fn pair() -> (TcpStream, Socket) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (client, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
        (client.unwrap(), Socket(Arc::new(accepted.unwrap().0)))
    }

    #[tokio::test]
    async fn a_connected_client_has_not_left() {
        let (mut client, socket) = pair().await;
        assert!(timeout(3 * CHECK_INTERVAL, socket.left()).await.is_err());
        client.write_all(b"more").await.unwrap();
        assert!(timeout(3 * CHECK_INTERVAL, socket.left()).await.is_err());
    }

    #[tokio::test]
    async fn a_reset_ends_the_wait_at_once_and_a_half_closed_connection_after_some_time() {
        let (client, socket) = pair().await;
        SockRef::from(&client)
            .set_linger(Some(Duration::ZERO))
            .unwrap();
        drop(client);
        timeout(2 * CHECK_INTERVAL, socket.left())
            .await
            .expect("a reset tells");
        let (mut client, socket) = pair().await;
        client.shutdown().await.unwrap();
        let began = Instant::now();
        timeout(HALF_CLOSED_TIMEOUT + 4 * CHECK_INTERVAL, socket.left())
            .await
            .expect("it does not wait for ever");
        assert!(began.elapsed() >= HALF_CLOSED_TIMEOUT);
    }
}
