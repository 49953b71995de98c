//! The shared responses, headers and parameters, which the document holds once each.

use super::naming::reference;
use serde_json::{Value, json};
use turnkeeper::openapi::RESPONSES;

/// Entity tags, of which shells may have removed the quotes, or `*`.
const TAGS: &str = r#"^([*]|(W/)?("[!#-+.-~-]*"|[0-9]{1,19}(-[A-Za-z0-9_-]{16})?)( *, *(W/)?("[!#-+.-~-]*"|[0-9]{1,19}(-[A-Za-z0-9_-]{16})?))*)$"#;

/// What a path or header parameter of this name looks like, as a regular expression.
pub fn pattern(name: &str) -> Option<&'static str> {
    Some(match name {
        "id" => "^[A-Za-z0-9_-]{1,64}$",
        "Idempotency-Key" => "^[!-~]{1,255}$",
        "If-Match" | "If-None-Match" => TAGS,
        "Last-Event-ID" => "^[0-9]{1,19}(-[A-Za-z0-9_-]{16})?$",
        "Prefer" => "^[ -~]*$",
        _ => return None,
    })
}

/// The shared responses by name.
pub fn responses() -> Value {
    RESPONSES
        .iter()
        .map(|(name, doc, headers)| (*name, response(doc, headers)))
        .collect()
}

fn response(doc: &str, headers: &[&str]) -> Value {
    let description = doc.trim();
    let created = headers.contains(&"Location");
    let headers: Value = headers
        .iter()
        .map(|name| (*name, header_reference(name)))
        .collect();
    if created {
        let content = json!({"application/json": {"schema": reference("Created")}});
        return json!({"description": description, "headers": headers, "content": content, "links": links()});
    }
    let content = json!({"application/problem+json": {"schema": reference("Problem")}});
    json!({"description": description, "headers": headers, "content": content})
}

/// Where the answer to a creation leads.
fn links() -> Value {
    let id = json!({"id": "$response.body#/encounter/id"});
    let link = |operation: &str, what: &str| json!({"operationId": operation, "parameters": id, "description": what});
    json!({
        "read": link("read_encounter", "Reads the encounter."),
        "command": link("send_command", "Sends a command."),
        "options": link("list_options", "Lists what is legal now."),
        "events": link("list_events", "Reads the log."),
        "tokens": link("create_token", "Creates the token of a player or spectator."),
        "export": link("export_encounter", "Copies the encounter with its log."),
        "delete": link("delete_encounter", "Deletes the encounter."),
    })
}

/// A reference to a shared header.
pub fn header_reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/headers/{name}")})
}

/// The headers of responses by name.
pub fn headers() -> Value {
    let headers = [
        (
            "ETag",
            "Names the encounter or options in this answer, such as `\"13-Yk0pTq3mR8sWvx2a\"`. `If-Match` and `If-None-Match` take it.",
        ),
        (
            "Encounter-Version",
            "The version of the encounter that this answer shows, such as `13`. `If-Match` takes it in quotes.",
        ),
        (
            "Location",
            "The path of the new encounter, relative to that of the request.",
        ),
        (
            "Link",
            "The next page, with `rel=\"next\"`, relative to this one.",
        ),
        (
            "Idempotency-Replayed",
            "`true` when a request with this `Idempotency-Key` was answered before. Nothing was applied again.",
        ),
        (
            "Preference-Applied",
            "`return=minimal` when the answer leaves out the encounter.",
        ),
        ("Allow", "The methods of the path."),
        ("WWW-Authenticate", "`Bearer`."),
        ("Retry-After", "Seconds until the request can succeed."),
        ("RateLimit", "The rest of the limit."),
        ("RateLimit-Policy", "The limit."),
    ];
    headers
        .map(|(name, what)| {
            (
                name,
                json!({"description": what, "schema": {"type": "string"}}),
            )
        })
        .into_iter()
        .collect()
}
