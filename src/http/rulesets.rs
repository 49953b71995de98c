//! The manifests of the rulesets. They never change while a program runs, and tests make them, as
//! they make the published document.

use super::docs::unpacked;
use super::extract::{Conditions, NoParameters};
use super::problem::Problem;
use super::reply::{List, Reply};
use crate::app::{AppError, Tag};
use crate::openapi::*;
use axum::body::Bytes;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::io;
use std::sync::LazyLock;

/// The list of the repository, compressed by `build.rs`.
const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/rulesets.json.gz"));

/// An answer that is the same for every client, and its tag.
type TaggedBody = (Bytes, Tag);

/// Every manifest, and their list.
struct Manifests {
    list: TaggedBody,
    by_id: Vec<(String, TaggedBody)>,
}

/// The manifests, unpacked for the first request.
fn manifests() -> Result<&'static Manifests, AppError> {
    static UNPACKED: LazyLock<io::Result<Manifests>> =
        LazyLock::new(|| Ok(read(&unpacked(PACKED)?)?));
    UNPACKED
        .as_ref()
        .map_err(|error| AppError::Internal(error.to_string()))
}

fn read(list: &str) -> serde_json::Result<Manifests> {
    #[derive(Deserialize)]
    struct ManifestList<'l> {
        #[serde(borrow)]
        items: Vec<&'l RawValue>,
    }
    #[derive(Deserialize)]
    struct ManifestId {
        id: String,
    }
    let mut by_id = Vec::new();
    let manifests: ManifestList<'_> = serde_json::from_str(list)?;
    for manifest in manifests.items {
        let ManifestId { id } = serde_json::from_str(manifest.get())?;
        by_id.push((id, tagged(manifest.get())));
    }
    Ok(Manifests {
        list: tagged(list),
        by_id,
    })
}

fn tagged(json: &str) -> TaggedBody {
    let tag = Tag::of_body(json.as_bytes());
    (Bytes::copy_from_slice(json.as_bytes()), tag)
}

/// List the rulesets
///
/// Answers with the manifests of all rulesets.
#[utoipa::path(get, path = "/v1/rulesets", tag = "rulesets",
    params(("If-None-Match" = Option<String>, Header, description = IF_NONE_MATCH)),
    responses((status = 200, description = "The manifests", body = inline(List<RulesetInfo>),
        headers(("ETag"))),
        (status = 304, description = "The manifests have not changed"), BadRequest, UnprocessableEntity,
            RequestTimeout))]
pub(super) async fn list_rulesets(
    _: NoParameters,
    conditions: Conditions,
) -> Result<Reply, Problem> {
    let (body, tag) = &manifests()?.list;
    Ok(Reply::json(body.clone()).public(tag, &conditions))
}

/// Read a ruleset
///
/// Answers with the ruleset's manifest: its commands, its rules, and the schemas of its options and
/// combatants.
#[utoipa::path(get, path = "/v1/rulesets/{ruleset}", tag = "rulesets",
    params(("ruleset" = String, Path, description = "The id of the ruleset."),
        ("If-None-Match" = Option<String>, Header, description = IF_NONE_MATCH)),
    responses((status = 200, description = "The manifest", body = RulesetInfo, headers(("ETag"))),
        (status = 304, description = "The manifest has not changed"), BadRequest, UnprocessableEntity, NotFound,
            RequestTimeout))]
pub(super) async fn read_ruleset(
    id: Result<Path<String>, PathRejection>,
    _: NoParameters,
    conditions: Conditions,
) -> Result<Reply, Problem> {
    let all = &manifests()?.by_id;
    if let Ok(Path(id)) = id
        && let Some((_, (body, tag))) = all.iter().find(|(known, _)| *known == id)
    {
        return Ok(Reply::json(body.clone()).public(tag, &conditions));
    }
    let known: Vec<_> = all.iter().map(|(id, _)| id.as_str()).collect();
    let known = known.join(", ");
    Err(Problem::not_found(format!(
        "there is no such ruleset; there are {known}"
    )))
}
