//! The socket of a connection, in two hands: the connection reads and writes, a request asks whether its client is still there.

use socket2::SockRef;
use std::io::{ErrorKind, IoSlice, Result};
use std::net::Shutdown;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::sleep;

/// A request that takes longer asks whether its client is still there, and again after as long.
const LOOK: Duration = Duration::from_millis(250);
/// How long a client that sends no more is waited for. It may have gone, or may wait for its answer: nothing tells before something is
/// written to it.
const LEFT: Duration = Duration::from_secs(2);

/// A socket that can be shared.
#[derive(Debug, Clone)]
pub(super) struct Socket(Arc<TcpStream>);

impl Socket {
    pub fn new(stream: TcpStream) -> Self {
        Self(Arc::new(stream))
    }

    /// Done when the client has reset the connection, or has sent its last byte a while ago.
    pub async fn left(&self) {
        loop {
            sleep(LOOK).await;
            match self.0.ready(Interest::READABLE | Interest::ERROR).await {
                Ok(ready) if ready.is_error() => return,
                Ok(ready) if ready.is_read_closed() => return sleep(LEFT).await,
                // The next request, or the rest of this one.
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }
}

/// Tries until it works, or has to wait.
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
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        when_ready!(self.poll_read_ready(context), self.0.try_read_buf(buffer).map(drop))
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        when_ready!(self.poll_write_ready(context), self.0.try_write(bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>, context: &mut Context<'_>, slices: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        when_ready!(self.poll_write_ready(context), self.0.try_write_vectored(slices))
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
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio::time::timeout;

    async fn pair() -> (TcpStream, Socket) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (client, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
        (client.unwrap(), Socket::new(accepted.unwrap().0))
    }

    #[tokio::test]
    async fn it_reads_and_writes_as_any_stream_does() {
        let (mut client, mut socket) = pair().await;
        let bytes: Vec<u8> = (0..=255).cycle().take(1 << 20).collect();
        let sent = async {
            client.write_all(&bytes).await.unwrap();
            client.shutdown().await.unwrap();
            let mut back = Vec::new();
            client.read_to_end(&mut back).await.unwrap();
            back
        };
        let echo = async {
            let mut read = Vec::new();
            socket.read_to_end(&mut read).await.unwrap();
            socket.write_all(&read).await.unwrap();
            socket.shutdown().await.unwrap();
        };
        let (back, ()) = tokio::join!(sent, echo);
        assert!(back == bytes);
    }

    #[tokio::test]
    async fn a_client_that_is_there_has_not_left_whatever_it_sends() {
        let (mut client, socket) = pair().await;
        assert!(timeout(3 * LOOK, socket.left()).await.is_err());
        client.write_all(b"more").await.unwrap();
        assert!(timeout(3 * LOOK, socket.left()).await.is_err());
    }

    #[tokio::test]
    async fn a_reset_is_noticed_at_once_and_a_half_closed_connection_is_given_some_time() {
        let (client, socket) = pair().await;
        SockRef::from(&client).set_linger(Some(Duration::ZERO)).unwrap();
        drop(client);
        timeout(2 * LOOK, socket.left()).await.expect("a reset tells");
        let (mut client, socket) = pair().await;
        client.shutdown().await.unwrap();
        let began = Instant::now();
        timeout(LEFT + 4 * LOOK, socket.left()).await.expect("it does not wait for ever");
        assert!(began.elapsed() >= LEFT);
    }
}
