//! What may change between releases: the documents of the last release, which `openapi/release`
//! keeps in `openapi/v1`, are compared with those of today. The policy is in
//! `docs/reference/versions.md`.

use crate::support::openapi::breaking_changes;
use crate::support::sources;
use serde_json::{Value, json};

#[test]
fn nothing_breaks_the_clients_of_the_last_release() {
    // Nothing is compared before the first release.
    let Ok(released) = std::fs::read_dir(sources::path("openapi/v1")) else {
        return;
    };
    let mut broken = Vec::new();
    for file in released {
        let file = file.expect("a file").file_name();
        let file = file.to_str().expect("a name");
        let before = serde_json::from_str(&sources::text(&format!("openapi/v1/{file}")));
        let after = std::fs::read_to_string(sources::path(&format!("openapi/{file}")));
        let Ok(after) = after else {
            broken.push(format!("{file} is gone"));
            continue;
        };
        let after = serde_json::from_str(&after).expect("JSON");
        for change in breaking_changes(&before.expect("JSON"), &after) {
            broken.push(format!("{file}: {change}"));
        }
    }
    assert!(
        broken.is_empty(),
        "these changes break clients of the last release:\n  {}",
        broken.join("\n  ")
    );
}

/// A small document.
fn document() -> Value {
    json!({
        "paths": {"/fights": {"post": {
            "operationId": "create_fight",
            "parameters": [
                {"name": "limit", "in": "query", "required": false, "schema": {"type": "integer", "maximum": 10}},
            ],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Command"}}}},
            "responses": {
                "200": {
                    "headers": {"ETag": {}},
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Fight"}}},
                },
                "409": {"$ref": "#/components/responses/Conflict"},
            },
        }}},
        "components": {
            "responses": {"Conflict": {"content": {"application/problem+json": {"schema": {
                "type": "object", "properties": {"code": {"type": "string", "enum": ["late"]}}, "required": ["code"],
            }}}}},
            "schemas": {
                "Command": {
                    "oneOf": [{"$ref": "#/components/schemas/Hit"}, {"$ref": "#/components/schemas/Rest"}],
                    "discriminator": {"propertyName": "type", "mapping": {
                        "hit": "#/components/schemas/Hit", "rest": "#/components/schemas/Rest",
                    }},
                },
                "Hit": {"type": "object", "properties": {
                    "type": {"const": "hit"},
                    "amount": {"type": "integer", "minimum": 0},
                    "kind": {"type": "string", "enum": ["sword", "bow"]},
                    "then": {"$ref": "#/components/schemas/Command"},
                }, "required": ["type", "amount"]},
                "Rest": {"type": "object", "properties": {"type": {"const": "rest"}}, "required": ["type"]},
                "Fight": {"type": "object", "properties": {
                    "round": {"type": "integer"},
                    "current": {"type": "array", "items": {"type": "string"}},
                }, "required": ["round"]},
            },
        },
    })
}

/// The document with one value set, or removed if the value is null.
fn changed(pointer: &str, value: &Value) -> Value {
    let mut document = document();
    let (parent, key) = pointer.rsplit_once('/').expect("a path");
    let parent = document
        .pointer_mut(parent)
        .unwrap_or_else(|| panic!("no {parent}"));
    match parent {
        Value::Object(fields) if value.is_null() => _ = fields.remove(&key.replace("~1", "/")),
        Value::Object(fields) => _ = fields.insert(key.replace("~1", "/"), value.clone()),
        Value::Array(items) if value.is_null() => _ = items.remove(key.parse().expect("a place")),
        Value::Array(items) => items.push(value.clone()),
        other => panic!("{other} has no parts"),
    }
    document
}

const POST: &str = "/paths/~1fights/post";
const SCHEMAS: &str = "/components/schemas";

#[test]
fn what_breaks_clients_is_named() {
    let hit = "POST /fights: request: hit";
    let body = format!("{POST}/requestBody/content/application~1json");
    let cases = [
        (
            format!("{POST}/operationId"),
            json!("make_fight"),
            "POST /fights: it has another operationId".to_owned(),
        ),
        (
            "/paths/~1fights/post".to_owned(),
            Value::Null,
            "POST /fights: the operation is gone".to_owned(),
        ),
        (
            format!("{POST}/parameters/0"),
            Value::Null,
            "POST /fights: parameter \"limit\": it is gone".to_owned(),
        ),
        (
            format!("{POST}/parameters/0/required"),
            json!(true),
            "POST /fights: parameter \"limit\": it is required".to_owned(),
        ),
        (
            format!("{POST}/parameters/0/schema/maximum"),
            json!(9),
            "POST /fights: parameter \"limit\": maximum was 10, and is 9".to_owned(),
        ),
        (
            format!("{POST}/parameters/1"),
            json!({"name": "at", "in": "query", "required": true, "schema": {}}),
            "POST /fights: the new parameter \"at\" is required".to_owned(),
        ),
        (
            body,
            Value::Null,
            "POST /fights: request: application/json is gone".to_owned(),
        ),
        (
            format!("{POST}/responses/409"),
            Value::Null,
            "POST /fights: 409: the response is gone".to_owned(),
        ),
        (
            format!("{POST}/responses/200/headers/ETag"),
            Value::Null,
            "POST /fights: 200: the header ETag is gone".to_owned(),
        ),
        (
            format!("{SCHEMAS}/Command/discriminator/mapping/hit"),
            Value::Null,
            "POST /fights: request: hit is gone".to_owned(),
        ),
        (
            format!("{SCHEMAS}/Hit/properties/amount"),
            Value::Null,
            format!("{hit}.amount: the field is gone"),
        ),
        (
            format!("{SCHEMAS}/Hit/properties/amount/type"),
            json!("string"),
            format!("{hit}.amount: the type was {{\"integer\"}}, and is {{\"string\"}}"),
        ),
        (
            format!("{SCHEMAS}/Hit/properties/amount/minimum"),
            json!(1),
            format!("{hit}.amount: minimum was 0, and is 1"),
        ),
        (
            format!("{SCHEMAS}/Hit/properties/amount/pattern"),
            json!("^1$"),
            format!("{hit}.amount: the pattern was null, and is \"^1$\""),
        ),
        (
            format!("{SCHEMAS}/Hit/properties/kind/enum/1"),
            Value::Null,
            format!("{hit}.kind: \"bow\" is gone"),
        ),
        (
            format!("{SCHEMAS}/Hit/required/2"),
            json!("kind"),
            format!("{hit}: \"kind\" is required"),
        ),
        (
            format!("{SCHEMAS}/Hit/additionalProperties"),
            json!(false),
            format!("{hit}: it takes no other fields"),
        ),
        (
            format!("{SCHEMAS}/Fight/properties/round"),
            Value::Null,
            "POST /fights: 200.round: the field is gone".to_owned(),
        ),
        (
            format!("{SCHEMAS}/Fight/required/0"),
            Value::Null,
            "POST /fights: 200: \"round\" may be missing".to_owned(),
        ),
        (
            format!("{SCHEMAS}/Fight/properties/current/items/type"),
            json!("integer"),
            "POST /fights: 200.current[]: the type was {\"string\"}, and is {\"integer\"}"
                .to_owned(),
        ),
    ];
    for (pointer, value, expected) in cases {
        let after = changed(&pointer, &value);
        assert_eq!(
            breaking_changes(&document(), &after),
            [expected],
            "{pointer}"
        );
    }
}

#[test]
fn what_adds_breaks_nothing() {
    let conflict = "/components/responses/Conflict/content/application~1problem+json/schema";
    let cases = [
        (
            "/paths/~1rests".to_owned(),
            json!({"get": {"operationId": "list_rests"}}),
        ),
        (
            format!("{POST}/parameters/1"),
            json!({"name": "at", "in": "query", "required": false, "schema": {}}),
        ),
        (format!("{POST}/requestBody/required"), json!(false)),
        (
            format!("{POST}/responses/410"),
            json!({"description": "It is gone."}),
        ),
        (
            format!("{SCHEMAS}/Hit/properties/note"),
            json!({"type": "string"}),
        ),
        (
            format!("{SCHEMAS}/Hit/properties/kind/enum/2"),
            json!("axe"),
        ),
        (format!("{SCHEMAS}/Hit/required/1"), Value::Null),
        (
            format!("{SCHEMAS}/Hit/properties/amount/minimum"),
            json!(-1),
        ),
        (
            format!("{SCHEMAS}/Command/discriminator/mapping/run"),
            json!("#/components/schemas/Rest"),
        ),
        (
            format!("{SCHEMAS}/Fight/properties/name"),
            json!({"type": "string"}),
        ),
        (format!("{SCHEMAS}/Fight/required/1"), json!("current")),
        (format!("{conflict}/properties/code/enum/1"), json!("early")),
    ];
    for (pointer, value) in cases {
        let after = changed(&pointer, &value);
        let none: [&str; 0] = [];
        assert_eq!(breaking_changes(&document(), &after), none, "{pointer}");
    }
}
