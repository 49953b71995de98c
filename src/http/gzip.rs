//! Compression for those who ask for it, at no cost for those who do not.

use axum::body::Body;
use axum::http::header::ACCEPT_ENCODING;
use axum::http::{Request, Response};
use futures::future::{BoxFuture, Either};
use std::task::{Context, Poll};
use tower::{Layer, Service};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};

/// Smaller answers are not worth it.
const WORTHWHILE: u64 = 1024;

/// Compresses answers above 1 KiB for requests that accept gzip; other requests go straight through.
#[derive(Clone)]
pub(super) struct Gzip;

impl<S> Layer<S> for Gzip {
    type Service = Gzipping<S>;

    fn layer(&self, inner: S) -> Gzipping<S> {
        Gzipping(inner)
    }
}

/// The service of [`Gzip`].
#[derive(Clone)]
pub(super) struct Gzipping<S>(S);

impl<S> Service<Request<Body>> for Gzipping<S>
where
    S: Service<Request<Body>, Response = Response<Body>> + Clone + Send + 'static,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Either<S::Future, BoxFuture<'static, Result<Response<Body>, S::Error>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let accepted = request.headers().get_all(ACCEPT_ENCODING).iter();
        if !accepted.into_iter().any(|value| value.as_bytes().windows(4).any(|coding| coding == b"gzip")) {
            return Either::Left(self.0.call(request));
        }
        let predicate = SizeAbove::new(WORTHWHILE)
            .and(NotForContentType::SSE)
            .and(NotForContentType::const_new("application/x-ndjson"));
        let compression = CompressionLayer::new().quality(CompressionLevel::Fastest).compress_when(predicate);
        let compressed = compression.layer(self.0.clone()).call(request);
        Either::Right(Box::pin(async move { Ok(compressed.await?.map(Body::new)) }))
    }
}
