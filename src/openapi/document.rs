//! The published document: routes as the HTTP floor declares them, schemas of the rulesets, and what holds for every operation.

use super::components;
use super::naming::reference;
use serde_json::{Map, Value, json};

/// Examples by operation id: `request` and, by status, `responses`; each a map of named OpenAPI examples.
pub type Examples = Map<String, Value>;

type MakeSchema = fn() -> Value;

/// What an operation takes and gives, beyond what its route declares.
struct Operation {
    id: &'static str,
    request: Option<MakeSchema>,
    answer: Option<(&'static str, MakeSchema)>,
    headers: &'static [&'static str],
    errors: &'static [u16],
}

const OPERATIONS: &[Operation] = &[
    Operation {
        id: "list_rulesets",
        request: None,
        answer: Some(("200", || page(reference("RulesetInfo"), WHOLE))),
        headers: &[],
        errors: &[400],
    },
    Operation {
        id: "read_ruleset",
        request: None,
        answer: Some(("200", || reference("RulesetInfo"))),
        headers: &[],
        errors: &[400, 404],
    },
    Operation {
        id: "create_encounter",
        request: Some(|| reference("NewEncounter")),
        answer: Some(("201", || reference("Created"))),
        headers: &["Idempotency-Key"],
        errors: &[400, 401, 403, 413, 415, 422, 429, 503],
    },
    Operation {
        id: "list_encounters",
        request: None,
        answer: Some(("200", || {
            page(reference("EncounterSummary"), "To be given as `cursor` for the next page; null on the last.")
        })),
        headers: &[],
        errors: &[400, 401, 403, 422, 429, 503],
    },
    Operation {
        id: "read_encounter",
        request: None,
        answer: Some(("200", || reference("Encounter"))),
        headers: &["If-None-Match"],
        errors: &[400, 401, 404, 410, 422, 429, 503],
    },
    Operation {
        id: "export_encounter",
        request: None,
        answer: Some(("200", || reference("ExportedLog"))),
        headers: &[],
        errors: &[400, 401, 403, 404, 429, 503],
    },
    Operation {
        id: "import_encounter",
        request: Some(|| reference("ExportedLog")),
        answer: Some(("201", || reference("Created"))),
        headers: &["Idempotency-Key"],
        errors: &[400, 401, 403, 413, 415, 422, 429, 503],
    },
    Operation {
        id: "delete_encounter",
        request: None,
        answer: None,
        headers: &["If-Match"],
        errors: &[400, 401, 403, 404, 412, 429, 503],
    },
    Operation {
        id: "send_command",
        request: Some(|| {
            let list = json!({"type": "array", "minItems": 1, "maxItems": 50, "items": reference("Command")});
            json!({"anyOf": [reference("Command"), list]})
        }),
        answer: Some(("200", || reference("CommandAnswer"))),
        headers: &["If-Match", "Idempotency-Key", "Prefer"],
        errors: &[400, 401, 403, 404, 409, 410, 412, 413, 415, 422, 429, 503],
    },
    Operation {
        id: "create_token",
        request: Some(|| reference("NewToken")),
        answer: Some(("201", || {
            let token = json!({"type": "object", "required": ["token"], "properties": {"token":
                {"type": "string", "description": "The token; it is not shown again."}}});
            json!({"allOf": [reference("TokenInfo"), token]})
        })),
        headers: &["Idempotency-Key"],
        errors: &[400, 401, 403, 404, 409, 413, 415, 422, 429, 503],
    },
    Operation {
        id: "list_tokens",
        request: None,
        answer: Some(("200", || page(reference("TokenInfo"), WHOLE))),
        headers: &[],
        errors: &[400, 401, 403, 404, 429, 503],
    },
    Operation {
        id: "revoke_token",
        request: None,
        answer: None,
        headers: &[],
        errors: &[400, 401, 403, 404, 409, 429, 503],
    },
    Operation {
        id: "list_options",
        request: None,
        answer: Some(("200", || {
            let mut page = page(reference("LegalCommand"), WHOLE);
            page["properties"]["version"] =
                json!({"type": "integer", "minimum": 0, "description": "The encounter's version."});
            page["properties"]["lists"] =
                json!({"type": "object", "description": LISTS, "additionalProperties": {"type": "array"}});
            page
        })),
        headers: &["If-None-Match"],
        errors: &[400, 401, 404, 429, 503],
    },
    Operation {
        id: "list_events",
        request: None,
        answer: Some(("200", || {
            page(reference("LogEntry"), "To be given as `after` for the next page; null where nothing follows yet.")
        })),
        headers: &["Last-Event-ID"],
        errors: &[400, 401, 404, 410, 422, 429, 503],
    },
    Operation { id: "livez", request: None, answer: None, headers: &[], errors: &[] },
    Operation { id: "readyz", request: None, answer: None, headers: &[], errors: &[503] },
];

/// What is said of the next page where there never is one.
const WHOLE: &str = "Always null: all there is stands here.";

/// What is said of the lists of options.
const LISTS: &str = "Long lists that several choices share, by name: a choice with `from` may hold any value of `lists[from.list]` that is \
                     not in `from.except`. Empty in most fights: a list of at most 32 values stands in its choice as `one_of`.";

fn page(items: Value, next: &str) -> Value {
    json!({
        "type": "object",
        "required": ["items", "next_cursor"],
        "properties": {
            "items": {"type": "array", "items": items},
            "next_cursor": {"type": ["string", "null"], "description": next},
        },
    })
}

/// The whole document.
pub fn document(routes: &utoipa::openapi::OpenApi, examples: &Examples) -> Value {
    let mut document = serde_json::to_value(routes).unwrap_or_default();
    document["openapi"] = "3.1.0".into();
    document["info"] = json!({
        "title": "Turnkeeper",
        "version": env!("CARGO_PKG_VERSION"),
        "summary": env!("CARGO_PKG_DESCRIPTION"),
        "description": "Tell it what happened at the table; it answers who may act now, who may act next, and why, by the rules of \
            a published initiative system.",
        "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
    });
    document["servers"] = json!([{"url": "/", "description": "This server"}]);
    document["tags"] = json!([
        {"name": "rulesets", "description": "The initiative systems and their rules"},
        {"name": "encounters", "description": "Fights: created, read, removed"},
        {"name": "tokens", "description": "Who may see and do what in an encounter"},
        {"name": "commands", "description": "What happens in a fight, and what is legal now"},
        {"name": "events", "description": "What has happened"},
        {"name": "operations", "description": "The process and its store"},
    ]);
    for (name, schema) in components() {
        document["components"]["schemas"][name] = schema;
    }
    document["components"]["securitySchemes"] = json!({
        "token": {"type": "http", "scheme": "bearer", "description": "A token of the encounter: its game master's, which the creation \
            answered with, or one that was handed out. The game master does everything, a player sends the commands of the \
            combatants that the token names, an onlooker reads."},
        "application": {"type": "http", "scheme": "bearer", "description": "The key of an application, `tk_app_...`: for creating, importing and \
            listing, where the server knows applications."},
    });
    if let Some(paths) = document["paths"].as_object_mut() {
        for (path, methods) in paths {
            for operation in methods.as_object_mut().into_iter().flat_map(Map::values_mut) {
                complete(path, operation, examples);
            }
        }
    }
    document
}

fn complete(path: &str, operation: &mut Value, examples: &Examples) {
    let id = operation["operationId"].as_str().unwrap_or_default().to_owned();
    operation["security"] = match id.as_str() {
        _ if path.starts_with("/v1/encounters/{id}") => json!([{"token": []}]),
        "list_encounters" => json!([{"application": []}]),
        // Nothing is needed where the server knows no applications.
        "create_encounter" | "import_encounter" => json!([{"application": []}, {}]),
        _ => json!([]),
    };
    let examples = examples.get(&id).cloned().unwrap_or_default();
    if let Some(declared) = OPERATIONS.iter().find(|declared| declared.id == id) {
        declare(declared, operation);
    }
    if let (Some(content), Some(request)) =
        (operation.pointer_mut("/requestBody/content/application~1json"), examples.get("request"))
    {
        content["examples"] = request.clone();
    }
    let Some(responses) = operation["responses"].as_object_mut() else { return };
    for (status, response) in responses {
        let of_status = examples.get("responses").and_then(|r| r.get(status)).and_then(Value::as_object);
        for (media, content) in response.get_mut("content").and_then(Value::as_object_mut).into_iter().flatten() {
            if let Some(examples) = of_status.and_then(|of_status| of_status.get(media)) {
                content["examples"] = examples.clone();
            }
        }
    }
}

fn declare(declared: &Operation, operation: &mut Value) {
    if let Some(request) = declared.request {
        operation["requestBody"] = json!({"required": true, "content": {"application/json": {"schema": request()}}});
    }
    if let Some((status, answer)) = declared.answer {
        operation["responses"][status]["content"]["application/json"] = json!({"schema": answer()});
    }
    if declared.id == "list_events" {
        for (media, schema) in
            [("application/x-ndjson", reference("FeedLine")), ("text/event-stream", json!({"type": "string"}))]
        {
            operation["responses"]["200"]["content"][media] = json!({"schema": schema});
        }
    }
    if declared.id == "read_encounter" {
        operation["responses"]["200"]["content"]["text/plain"] = json!({"schema": {"type": "string"}});
    }
    if matches!(
        declared.id,
        "create_encounter" | "import_encounter" | "read_encounter" | "send_command" | "list_options"
    ) {
        let (status, _) = declared.answer.unwrap_or(("200", || Value::Null));
        operation["responses"][status]["headers"]["ETag"] =
            json!({"description": etag(declared.id), "schema": {"type": "string"}});
    }
    if matches!(declared.id, "create_encounter" | "import_encounter") {
        operation["responses"]["201"]["headers"]["Location"] =
            json!({"description": "Where the encounter is.", "schema": {"type": "string"}});
        operation["responses"]["201"]["links"] = links();
    }
    for header in declared.headers {
        let parameter = json!({"name": header, "in": "header", "required": false,
            "description": purpose(header), "schema": {"type": "string"}});
        match operation["parameters"].as_array_mut() {
            Some(parameters) => parameters.push(parameter),
            None => operation["parameters"] = json!([parameter]),
        }
    }
    if declared.id == "send_command" {
        operation["responses"]["200"]["headers"]["Preference-Applied"] = json!({
            "description": "`return=minimal` where the encounter is left out, also by a repeated request that preferred that at first.",
            "schema": {"type": "string"}});
    }
    // Whatever it is, it has to arrive and be answered in time.
    for status in declared.errors.iter().chain(&[408]) {
        operation["responses"][status.to_string()] = json!({
            "description": meaning(*status),
            "content": {"application/problem+json": {"schema": reference("Problem")}},
        });
    }
}

fn links() -> Value {
    let id = json!({"id": "$response.body#/encounter/id"});
    let link = |operation: &str, what: &str| json!({"operationId": operation, "parameters": id, "description": what});
    json!({
        "read": link("read_encounter", "The encounter as it is now"),
        "command": link("send_command", "What happens in it"),
        "options": link("list_options", "What is legal now"),
        "events": link("list_events", "Its log"),
        "delete": link("delete_encounter", "Its removal"),
    })
}

fn etag(operation: &str) -> &'static str {
    match operation {
        "read_encounter" | "list_options" => {
            "Names this answer to this token in this media type, such as `\"13-Yk0pTq3mR8sWvx2a\"`: opaque, for `If-None-Match`, and for \
            `If-Match` of commands."
        }
        _ => "The encounter's version, quoted, for `If-Match`.",
    }
}

fn purpose(header: &str) -> &'static str {
    match header {
        "If-Match" => {
            "Only at this version, such as `\"13\"`, or in the state that an ETag names which this token was given: else 412."
        }
        "If-None-Match" => "Answered 304 without a body while the answer is still the one with this ETag.",
        "Last-Event-ID" => {
            "The last version that a broken stream brought: the next one goes on from there. It beats `after`."
        }
        "Idempotency-Key" => "At most once: for a day the same request with the same key gets the first answer again.",
        _ => {
            "`return=minimal` leaves the encounter out of the answer, which says so in `Preference-Applied`. A repeated request gets its first \
            answer as that was, with the encounter or without it."
        }
    }
}

fn meaning(status: u16) -> &'static str {
    match status {
        400 => "Not JSON, or not the shape; `errors` says where",
        401 => "No token or key, or one that cannot be one, or a key that no application has",
        403 => "This credential may not do that; `code` and `detail` say what could",
        408 => "The request (its body, above all) took too long to arrive or to be answered",
        404 => "There is no such thing, or none that this token may know of",
        409 => "The rules refuse it now; `code` and `rule` say why",
        410 => "That version is folded away; `oldest_version` is the oldest that there is still",
        412 => "The encounter has another version; `current_version` says which",
        413 => "The body is too large",
        415 => "The body is not JSON in UTF-8, or is compressed (`Content-Encoding`)",
        422 => "Well-formed but meaningless here",
        429 => "Too often; Retry-After and RateLimit say when it may go on",
        _ => "The store is away or too contended; Retry-After says when to try again",
    }
}
