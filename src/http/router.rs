//! Every route, with its documentation: one router for every front door.

use super::gzip::Gzip;
use super::problem::Document as ProblemDocument;
use super::{
    Settings, Shared, commands, docs, encounters, events, frame, health, limit, list, options, rulesets, tokens,
    transfer,
};
use crate::app::{App, Limits};
use axum::Router;
use axum::middleware::from_fn_with_state;
use std::sync::Arc;
use utoipa::{PartialSchema, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

fn api() -> OpenApiRouter<Shared> {
    OpenApiRouter::new()
        .routes(routes!(rulesets::list_rulesets))
        .routes(routes!(rulesets::read_ruleset))
        .routes(routes!(list::list_encounters, encounters::create_encounter))
        .routes(routes!(encounters::read_encounter, encounters::delete_encounter))
        .routes(routes!(transfer::export_encounter))
        .routes(routes!(transfer::import_encounter))
        .routes(routes!(tokens::create_token, tokens::list_tokens))
        .routes(routes!(tokens::revoke_token))
        .routes(routes!(commands::send_command))
        .routes(routes!(options::list_options))
        .routes(routes!(events::list_events))
        .routes(routes!(health::livez))
        .routes(routes!(health::readyz))
}

/// The whole service.
pub fn router(app: Arc<App>, settings: Settings) -> Router {
    let limited = settings.limits != Limits::default();
    let shared = Shared { app, settings: Arc::new(settings), manifests: Arc::default() };
    let mut routes = Router::from(api());
    if limited {
        routes = routes.route_layer(from_fn_with_state(shared.clone(), limit::around));
    }
    let routes = routes.merge(docs::routes());
    routes.layer(from_fn_with_state(shared.clone(), frame::around)).layer(Gzip).with_state(shared)
}

/// The routes as they document themselves; [`crate::openapi::document`] makes the published document of them.
pub fn openapi() -> utoipa::openapi::OpenApi {
    let mut routes = api().into_openapi();
    let components = routes.components.get_or_insert_default();
    let (mut schemas, problem) = (Vec::new(), (ProblemDocument::name().into_owned(), ProblemDocument::schema()));
    ProblemDocument::schemas(&mut schemas);
    components.schemas = schemas.into_iter().chain([problem]).collect();
    routes
}
