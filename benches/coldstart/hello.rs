//! The smallest program with lambda_http, with which `infra/coldstart` compares.

use lambda_http::{Error, Request, run, service_fn};

#[tokio::main]
async fn main() -> Result<(), Error> {
    run(service_fn(async |_: Request| Ok::<_, Error>("hello"))).await
}
