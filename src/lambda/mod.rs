//! The Lambda adapter: events of HTTP APIs, function URLs and load balancers become requests to the
//! router.
//!
//! lambda_http supplies the runtime client and the events' types. Its conversion is not used: it
//! panics on a `Host` or a query that makes no URL, decodes a load balancer's parameters twice, and
//! keeps only the first value of a repeated header.

mod answer;
mod event;

use crate::http::{Deadline, REQUEST_ID, buffer, malformed_header, mount_below, too_large};
use crate::measure;
use answer::answer;
use axum::Router;
use axum::http::HeaderValue;
use event::Invocation;
use lambda_http::lambda_runtime::Runtime;
use lambda_http::{Context, Error, LambdaEvent, service_fn};
use serde_json::value::RawValue;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::Mutex;
use tower::ServiceExt;
use tracing::Instrument;

/// The variable that Lambda sets for a function.
const RUNTIME_API: &str = "AWS_LAMBDA_RUNTIME_API";
/// Variables that the runtime client needs.
const NEEDED: [&str; 3] = [
    "AWS_LAMBDA_FUNCTION_NAME",
    "AWS_LAMBDA_FUNCTION_MEMORY_SIZE",
    "AWS_LAMBDA_FUNCTION_VERSION",
];
/// The time that sending an answer takes.
const SENDING: Duration = Duration::from_millis(250);

/// True if Lambda, or an emulator of it, started this process.
pub fn present() -> bool {
    std::env::var_os(RUNTIME_API).is_some()
}

/// Serves events one after the other until `stop` completes, and finishes the event that is under
/// way then.
///
/// # Errors
/// If the runtime's variables are missing, or its API cannot be reached.
pub async fn serve(router: Router, stop: impl Future<Output = ()>) -> Result<(), Error> {
    if let Some(missing) = NEEDED.iter().find(|name| std::env::var_os(name).is_none()) {
        return Err(format!("{RUNTIME_API} is set, but {missing} is not: is this Lambda?").into());
    }
    let busy = Arc::new(Mutex::new(()));
    let handled = busy.clone();
    let handler = service_fn(move |event: LambdaEvent<Box<RawValue>>| {
        let (router, handled) = (router.clone(), handled.clone());
        async move {
            let _busy = handled.lock().await;
            let span =
                tracing::error_span!("invocation", aws_request_id = event.context.request_id);
            let answered = handle(router, event).instrument(span).await;
            measure::emit();
            answered
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

async fn handle(router: Router, event: LambdaEvent<Box<RawValue>>) -> Result<Box<RawValue>, Error> {
    let deadline = deadline(&event.context);
    let read = event::read(&event.payload)?;
    let Invocation {
        mut request,
        stage,
        source,
    } = event::invocation(read.request)?;
    if !request.headers().contains_key(REQUEST_ID)
        && let Ok(id) = HeaderValue::try_from(event.context.request_id)
    {
        request.headers_mut().insert(REQUEST_ID, id);
    }
    request.extensions_mut().insert(deadline);
    let path = request.uri().path();
    let path = stage
        .as_ref()
        .and_then(|stage| stage.strip(path))
        .unwrap_or(path)
        .to_owned();
    if !read.headers_valid {
        return Ok(answer(&malformed_header(&path), source)?);
    }
    let Ok(response) = mount_below(stage, router).oneshot(request).await;
    let response = buffer(response, &path, deadline, source.max_answer()).await;
    let answered = answer(&response, source)?;
    // Escapes and base64 make the answer longer.
    let fits = answered.get().len() <= source.max_answer();
    Ok(if fits {
        answered
    } else {
        answer(&too_large(response, &path), source)?
    })
}

/// The deadline of the invocation, less the time for sending: at most a tenth of the time that is
/// left.
fn deadline(context: &Context) -> Deadline {
    let left = context
        .deadline()
        .duration_since(SystemTime::now())
        .unwrap_or_default();
    Deadline(Instant::now() + left.saturating_sub(SENDING.min(left / 10)))
}
