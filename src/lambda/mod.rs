//! The Lambda door: events of HTTP APIs, function URLs and load balancers become requests of the one router.
//!
//! The runtime client is lambda_http's, and so are the events' types. Its own conversion is not used: it panics on a `Host` or a
//! query that is no URL, decodes a load balancer's parameters twice, and drops all but the first of a repeated header.

mod answer;
mod event;

use crate::http::{Deadline, buffer, too_large};
use answer::answer;
use axum::Router;
use axum::http::{HeaderName, HeaderValue};
use event::Invocation;
use lambda_http::lambda_runtime::Runtime;
use lambda_http::request::LambdaRequest;
use lambda_http::{Context, Error, LambdaEvent, service_fn};
use serde_json::value::RawValue;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::Mutex;
use tower::ServiceExt;
use tracing::Instrument;

/// What Lambda sets for a function, and only there.
const RUNTIME_API: &str = "AWS_LAMBDA_RUNTIME_API";
/// What the runtime client cannot do without.
const NEEDED: [&str; 3] =
    ["AWS_LAMBDA_FUNCTION_NAME", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "AWS_LAMBDA_FUNCTION_VERSION"];
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// What is kept of an invocation's time for sending its answer.
const SENDING: Duration = Duration::from_millis(250);

/// True when this process was started by Lambda, or by something that behaves like it.
pub fn present() -> bool {
    std::env::var_os(RUNTIME_API).is_some()
}

/// Serves events, one after the other, until `stop` is done; an event that is under way then is still answered.
///
/// # Errors
/// When the runtime's variables are missing, or its API cannot be reached.
pub async fn serve(router: Router, stop: impl Future<Output = ()>) -> Result<(), Error> {
    if let Some(missing) = NEEDED.iter().find(|name| std::env::var_os(name).is_none()) {
        return Err(format!("{RUNTIME_API} is set, but {missing} is not: is this Lambda?").into());
    }
    let busy = Arc::new(Mutex::new(()));
    let handled = busy.clone();
    let handler = service_fn(move |event: LambdaEvent<LambdaRequest>| {
        let (router, handled) = (router.clone(), handled.clone());
        async move {
            let _busy = handled.lock().await;
            let span = tracing::error_span!("invocation", aws_request_id = event.context.request_id);
            handle(router, event).instrument(span).await
        }
    });
    tokio::select! {
        ended = Runtime::new(handler).run() => ended,
        () = async {
            stop.await;
            let _idle = busy.lock().await;
            tokio::time::sleep(SENDING).await;
        } => Ok(()),
    }
}

async fn handle(router: Router, event: LambdaEvent<LambdaRequest>) -> Result<Box<RawValue>, Error> {
    let deadline = deadline(&event.context);
    let Invocation { mut request, stage, source } = event::invocation(event.payload)?;
    if !request.headers().contains_key(REQUEST_ID)
        && let Ok(id) = HeaderValue::try_from(event.context.request_id)
    {
        request.headers_mut().insert(REQUEST_ID, id);
    }
    request.extensions_mut().insert(deadline);
    if let Some(stage) = &stage {
        stage.announce(request.extensions_mut());
    }
    let path = request.uri().path().to_owned();
    let Ok(mut response) = router.oneshot(request).await;
    if let Some(stage) = stage {
        stage.restore(response.headers_mut());
    }
    let response = buffer(response, &path, deadline, source.most()).await;
    let answered = answer(&response, source)?;
    // What is escaped, or encoded, has become longer.
    Ok(if answered.get().len() > source.most() { answer(&too_large(response, &path), source)? } else { answered })
}

/// The invocation's own, less what sending takes: at most a tenth of what there is.
fn deadline(context: &Context) -> Deadline {
    let left = context.deadline().duration_since(SystemTime::now()).unwrap_or_default();
    Deadline(Instant::now() + left.saturating_sub(SENDING.min(left / 10)))
}
