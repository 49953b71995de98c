//! Problem documents for what is so malformed that no request comes of it.
//!
//! The HTTP library answers a broken request line or header by itself, with a bare status. Clients are promised a problem
//! document with every error, so that answer is exchanged while it is written. It is known by what no answer of ours is: a client
//! error that says to have no body.

use super::problem::Problem;
use super::security::PROTECTION;
use axum::http::StatusCode;
use std::io::{IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A stream that exchanges bare error answers for problem documents.
pub(super) struct Apologetic<S> {
    stream: S,
    exchange: Option<Exchange>,
}

struct Exchange {
    answer: Vec<u8>,
    written: usize,
    /// How many bytes of the bare answer it stands for.
    instead_of: usize,
}

impl<S> Apologetic<S> {
    pub fn new(stream: S) -> Self {
        Self { stream, exchange: None }
    }
}

fn exchange(bytes: &[u8]) -> Option<Exchange> {
    let status = bytes.strip_prefix(b"HTTP/1.1 4").or_else(|| bytes.strip_prefix(b"HTTP/1.0 4"))?;
    let text = std::str::from_utf8(bytes).ok()?;
    let bare = text.ends_with("\r\n\r\n") && text.to_ascii_lowercase().contains("\r\ncontent-length: 0\r\n");
    let (code, problem) = match status.get(..2).filter(|_| bare)? {
        b"14" => (414, Problem::new(StatusCode::URI_TOO_LONG, "uri_too_long", "the path and query are too long")),
        b"31" => (431, Problem::headers_too_large()),
        _ => (400, Problem::bad("invalid_http", "this is no HTTP request: its first line or a header is malformed")),
    };
    let body = problem.document("");
    let reason = StatusCode::from_u16(code).ok()?.canonical_reason()?;
    let answer = format!(
        "HTTP/1.1 {code} {reason}\r\ncontent-type: application/problem+json\r\ncontent-length: {}\r\nconnection: close\r\n\
        {PROTECTION}\r\n",
        body.len()
    );
    let answer = [answer.into_bytes(), body].concat();
    Some(Exchange { answer, written: 0, instead_of: bytes.len() })
}

impl<S: AsyncWrite + Unpin> Apologetic<S> {
    /// Goes on with an exchange; gives the bytes that the writer may take for written.
    fn poll_exchange(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<usize>>> {
        let Some(exchange) = &mut self.exchange else { return Poll::Ready(Ok(None)) };
        while let Some(rest) = exchange.answer.get(exchange.written..).filter(|rest| !rest.is_empty()) {
            match ready!(Pin::new(&mut self.stream).poll_write(context, rest))? {
                0 => return Poll::Ready(Err(std::io::ErrorKind::WriteZero.into())),
                written => exchange.written += written,
            }
        }
        let instead_of = exchange.instead_of;
        self.exchange = None;
        Poll::Ready(Ok(Some(instead_of)))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Apologetic<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        if self.exchange.is_none() {
            self.exchange = exchange(bytes);
        }
        match ready!(self.poll_exchange(context))? {
            Some(written) => Poll::Ready(Ok(written)),
            None => Pin::new(&mut self.stream).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>, context: &mut Context<'_>, slices: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        match slices {
            [only] => self.poll_write(context, only),
            _ => Pin::new(&mut self.stream).poll_write_vectored(context, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Apologetic<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}
