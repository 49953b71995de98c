//! Every route, with its documentation: one router for every front door.

use super::body::Budgets;
use super::gzip::Gzip;
use super::problem::Document as ProblemDocument;
use super::{
    Settings, Shared, commands, docs, encounters, events, head, health, limit, list, middleware, options, rulesets,
    tokens, transfer,
};
use crate::app::{App, Limits};
use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::MethodRouter;
use std::sync::Arc;
use tower::ServiceExt;
use utoipa::{PartialSchema, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// One list of routes, for serving and for documenting. What is served is not made of what is documented, because the program
/// would then describe all of its types at every start: a tenth of its code, and of a cold start.
macro_rules! routes_are {
    ($($path:literal: $($method:ident $module:ident::$handler:ident),+;)+) => {
        fn served() -> Router<Shared> {
            Router::new()$(.route($path, MethodRouter::new()$(.$method($module::$handler))+))+
        }

        fn documented() -> OpenApiRouter<Shared> {
            OpenApiRouter::new()$(.routes(routes!($($module::$handler),+)))+
        }

        #[cfg(test)]
        const SERVED: &[(&str, &[&str])] = &[$(($path, &[$(stringify!($method)),+])),+];
    };
}

routes_are! {
    "/v1/rulesets": get rulesets::list_rulesets;
    "/v1/rulesets/{ruleset}": get rulesets::read_ruleset;
    "/v1/encounters": get list::list_encounters, post encounters::create_encounter;
    "/v1/encounters/{id}": get encounters::read_encounter, delete encounters::delete_encounter;
    "/v1/encounters/{id}/export": get transfer::export_encounter;
    "/v1/encounters/import": post transfer::import_encounter;
    "/v1/encounters/{id}/tokens": post tokens::create_token, get tokens::list_tokens;
    "/v1/encounters/{id}/tokens/{token}": delete tokens::revoke_token;
    "/v1/encounters/{id}/commands": post commands::send_command;
    "/v1/encounters/{id}/options": get options::list_options;
    "/v1/encounters/{id}/events": get events::list_events;
    "/livez": get health::livez;
    "/readyz": get health::readyz;
}

/// The whole service.
pub fn router(app: Arc<App>, settings: Settings) -> Router {
    let limited = settings.limits != Limits::default();
    let budgets = Budgets::new(&settings);
    let shared = Shared { app, settings: Arc::new(settings), manifests: Arc::default(), budgets };
    let mut routes = served();
    if limited {
        routes = routes.route_layer(from_fn_with_state(shared.clone(), limit::around));
    }
    let routes = routes.merge(docs::routes());
    let routes = routes.layer(from_fn_with_state(shared.clone(), middleware::around)).layer(Gzip).with_state(shared);
    Router::new().fallback_service(routes.map_request(head::trim))
}

/// The routes as they document themselves; [`crate::openapi::document`] makes the published document of them.
pub fn openapi() -> utoipa::openapi::OpenApi {
    let mut routes = documented().into_openapi();
    let components = routes.components.get_or_insert_default();
    let (mut schemas, problem) = (Vec::new(), (ProblemDocument::name().into_owned(), ProblemDocument::schema()));
    ProblemDocument::schemas(&mut schemas);
    components.schemas = schemas.into_iter().chain([problem]).collect();
    routes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_served_is_what_is_documented() {
        let documented = serde_json::to_value(openapi()).expect("JSON");
        let documented = documented["paths"].as_object().expect("paths").iter();
        let documented =
            documented.map(|(path, methods)| (path.as_str(), methods.as_object().expect("methods").keys()));
        let mut documented: Vec<(&str, Vec<&str>)> =
            documented.map(|(path, methods)| (path, methods.map(String::as_str).collect())).collect();
        let mut served: Vec<(&str, Vec<&str>)> =
            SERVED.iter().map(|(path, methods)| (*path, methods.to_vec())).collect();
        for routes in [&mut documented, &mut served] {
            routes.iter_mut().for_each(|(_, methods)| methods.sort_unstable());
            routes.sort_unstable();
        }
        assert_eq!(served, documented);
    }
}
