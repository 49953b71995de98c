//! Every route, with its documentation, and the middleware around them.

use super::encounters::CreationAnswer;
use super::post::Bodies;
use super::problem::ProblemDocument as Problem;
use super::{
    AppState, Service, Settings, commands, convert, cors, docs, encounters, events, health, held,
    limit, mcp, middleware, problems, rulesets, statistics, table, tokens, transfer,
};
use crate::app::{App, Limits};
use crate::measure;
use axum::Router;
use axum::handler::Handler;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{self, MethodRouter};
use std::sync::Arc;
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// One list of routes for serving and for documenting. The served router holds no documentation:
/// describing every type would cost a tenth of the program's size and of a cold start.
macro_rules! routes_are {
    ($($path:literal: $($method:ident $module:ident::$handler:ident),+;)+) => {
        fn served(shared: &AppState) -> Router<AppState> {
            Router::new()
                $(.route($path, MethodRouter::new()$(.merge($method(shared, $module::$handler)))+))+
        }

        fn documented() -> OpenApiRouter<AppState> {
            OpenApiRouter::new()$(.routes(routes!($($module::$handler),+)))+
        }

        #[cfg(test)]
        const SERVED: &[(&str, &[&str])] = &[$(($path, &[$(stringify!($method)),+])),+];
    };
}

routes_are! {
    "/v1/rulesets": get rulesets::list_rulesets;
    "/v1/rulesets/{ruleset}": get rulesets::read_ruleset;
    "/v1/rulesets/{ruleset}/openapi.json": get rulesets::read_ruleset_document;
    "/v1/encounters": get encounters::list_encounters, post encounters::create_encounter;
    "/v1/encounters/{id}": get encounters::read_encounter, delete encounters::delete_encounter;
    "/v1/encounters/{id}/export": get transfer::export_encounter;
    "/v1/encounters/import": post transfer::import_encounter;
    "/v1/encounters/convert": post convert::convert_file;
    "/v1/encounters/{id}/tokens": post tokens::create_token, get tokens::list_tokens;
    "/v1/encounters/{id}/tokens/replace": post tokens::replace_token;
    "/v1/encounters/{id}/tokens/{token}": delete tokens::revoke_token;
    "/v1/encounters/{id}/commands": post commands::send_command;
    "/v1/encounters/{id}/options": get commands::list_options;
    "/v1/encounters/{id}/statistics": get statistics::read_statistics;
    "/v1/encounters/{id}/events": get events::list_events;
    "/problems": get problems::list_problems;
    "/problems/{code}": get problems::read_problem;
    "/livez": get health::livez;
    "/readyz": get health::readyz;
}

/// A read, whose answer counts until its client has it.
fn get<T: 'static>(
    shared: &AppState,
    handler: impl Handler<T, AppState>,
) -> MethodRouter<AppState> {
    routing::get(handler).layer(from_fn_with_state(shared.clone(), held::hold))
}

fn post<T: 'static>(_: &AppState, handler: impl Handler<T, AppState>) -> MethodRouter<AppState> {
    routing::post(handler)
}

fn delete<T: 'static>(_: &AppState, handler: impl Handler<T, AppState>) -> MethodRouter<AppState> {
    routing::delete(handler)
}

/// The smallest body that is compressed, in bytes.
const COMPRESSED: u64 = 1024;

/// The router of the service, with its middleware.
pub fn router(app: Arc<App>, settings: Settings) -> Router {
    let (limited, timeout) = (settings.limits != Limits::default(), settings.timeout);
    let mut others = docs::routes();
    if settings.table {
        others = others.merge(table::routes());
    }
    if settings.mcp {
        others = others.merge(mcp::routes());
    }
    let bodies = |limit| Bodies::new(limit, settings.body_budget / 2);
    let (requests, imports) = (bodies(settings.body_limit), bodies(settings.import_limit));
    let budgets = [("requests", requests.clone()), ("imports", imports.clone())];
    measure::before_reading(move || {
        for (name, bodies) in &budgets {
            let [used, total] = bodies.used_and_total();
            measure::budget(name, used, total);
        }
    });
    let cors = cors::cors(&settings.origins);
    let compressible = SizeAbove::new(COMPRESSED)
        .and(NotForContentType::SSE)
        .and(NotForContentType::const_new("application/x-ndjson"));
    let compression = CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(compressible);
    let shared = Arc::new(Service {
        app,
        settings,
        requests,
        imports,
    });
    let mut routes = served(&shared);
    if limited {
        routes = routes.route_layer(from_fn_with_state(shared.clone(), limit::limit));
    }
    // From the outermost to the innermost.
    let layers = (
        compression,
        from_fn(middleware::respond_and_log),
        cors,
        from_fn_with_state(timeout, middleware::with_timeout),
        CatchPanicLayer::custom(middleware::after_panic),
    );
    routes.merge(others).layer(layers).with_state(shared)
}

/// The routes' own documentation, from which tests make the published document.
pub fn openapi() -> utoipa::openapi::OpenApi {
    // The shared responses refer to these by name.
    #[derive(OpenApi)]
    #[openapi(components(schemas(Problem, CreationAnswer)))]
    struct SharedComponents;

    let mut routes = documented().into_openapi();
    routes.merge(SharedComponents::openapi());
    routes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_served_route_is_documented_and_no_other() {
        let documented = serde_json::to_value(openapi()).expect("JSON");
        let paths = documented["paths"].as_object().expect("paths");
        let documented: BTreeSet<(&str, &str)> = paths
            .iter()
            .flat_map(|(path, methods)| {
                methods
                    .as_object()
                    .expect("methods")
                    .keys()
                    .map(|method| (&**path, &**method))
            })
            .collect();
        let served = SERVED
            .iter()
            .flat_map(|(path, methods)| methods.iter().map(|method| (*path, *method)));
        assert_eq!(served.collect::<BTreeSet<_>>(), documented);
    }
}
