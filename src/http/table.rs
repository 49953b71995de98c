//! The page at `/table`: a fight in a browser. It is a client of the API like any other, in
//! `integrations/table`.

use super::AppState;
use super::extract::Conditions;
use super::reply::Reply;
use crate::app::Tag;
use axum::Router;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION};
use axum::http::{HeaderValue, StatusCode};
use axum::routing::get;

/// A file of the page: its path, its media type and its content.
type Asset = (&'static str, &'static str, &'static [u8]);

macro_rules! files {
    ($($path:literal $media:literal $name:literal,)+) => {
        &[$((
            $path,
            $media,
            include_bytes!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/integrations/table/page/",
                $name
            )),
        )),+]
    };
}

const FILES: &[Asset] = files! {
    "/table" "text/html; charset=utf-8" "index.html",
    "/table/table.css" "text/css; charset=utf-8" "table.css",
    "/table/start.css" "text/css; charset=utf-8" "start.css",
    "/table/icon.svg" "image/svg+xml" "icon.svg",
    "/table/main.js" "text/javascript; charset=utf-8" "main.js",
    "/table/api.js" "text/javascript; charset=utf-8" "api.js",
    "/table/view.js" "text/javascript; charset=utf-8" "view.js",
    "/table/actions.js" "text/javascript; charset=utf-8" "actions.js",
    "/table/fields.js" "text/javascript; charset=utf-8" "fields.js",
    "/table/words.js" "text/javascript; charset=utf-8" "words.js",
    "/table/physical.js" "text/javascript; charset=utf-8" "physical.js",
    "/table/hand.js" "text/javascript; charset=utf-8" "hand.js",
    "/table/options.js" "text/javascript; charset=utf-8" "options.js",
    "/table/newcomers.js" "text/javascript; charset=utf-8" "newcomers.js",
    "/table/picked.js" "text/javascript; charset=utf-8" "picked.js",
    "/table/reorder.js" "text/javascript; charset=utf-8" "reorder.js",
    "/table/keys.js" "text/javascript; charset=utf-8" "keys.js",
    "/table/clock.js" "text/javascript; charset=utf-8" "clock.js",
    "/table/statistics.js" "text/javascript; charset=utf-8" "statistics.js",
    "/table/cues.js" "text/javascript; charset=utf-8" "cues.js",
    "/table/kept.js" "text/javascript; charset=utf-8" "kept.js",
    "/table/toast.js" "text/javascript; charset=utf-8" "toast.js",
    "/table/share.js" "text/javascript; charset=utf-8" "share.js",
    "/table/qr.js" "text/javascript; charset=utf-8" "qr.js",
    "/table/desk.js" "text/javascript; charset=utf-8" "desk.js",
    "/table/saved.js" "text/javascript; charset=utf-8" "saved.js",
    "/table/start.js" "text/javascript; charset=utf-8" "start.js",
    "/table/bring.js" "text/javascript; charset=utf-8" "bring.js",
    "/table/lines.js" "text/javascript; charset=utf-8" "lines.js",
    "/table/roster.js" "text/javascript; charset=utf-8" "roster.js",
};

/// The page has scripts, a style and an icon of its own, and calls the API.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// The page and its files. They are small: the middleware compresses them.
pub(super) fn routes() -> Router<AppState> {
    // The page names its files relative to its own path, so that any base path works; with a slash
    // at its end they would be elsewhere.
    let slash = || async {
        Reply::empty(StatusCode::PERMANENT_REDIRECT)
            .header(LOCATION, HeaderValue::from_static("../table"))
    };
    let router = Router::new().route("/table/", get(slash));
    FILES.iter().fold(router, |router, file| {
        router.route(
            file.0,
            get(move |conditions: Conditions| async move { serve(file, &conditions) }),
        )
    })
}

fn serve((_, media, content): &Asset, conditions: &Conditions) -> Reply {
    let tag = Tag::of_body(content);
    let reply = Reply::json(*content)
        .header(CONTENT_TYPE, HeaderValue::from_static(media))
        .public(&tag, conditions);
    reply.header(CONTENT_SECURITY_POLICY, POLICY)
}
