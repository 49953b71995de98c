//! What breaks clients between two documents: that of a release, and another one.
//!
//! Requests may become wider, answers narrower, and nothing may go: an operation, a parameter, a
//! status, a field of an answer. An open set of words in answers may grow: clients skip what they
//! do not know.

use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Whether clients send a value or read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Request,
    Answer,
}

/// Two documents that are compared.
struct Comparison<'d> {
    before: &'d Value,
    after: &'d Value,
    /// The pairs of schemas that are being compared or have been, by name.
    seen: BTreeSet<(String, String, bool)>,
    broken: Vec<String>,
}

/// What breaks clients of `before` that meet `after`, each with its place.
pub fn breaking_changes(before: &Value, after: &Value) -> Vec<String> {
    let mut comparison = Comparison {
        before,
        after,
        seen: BTreeSet::new(),
        broken: Vec::new(),
    };
    comparison.operations();
    comparison.broken
}

impl<'d> Comparison<'d> {
    fn note(&mut self, place: &str, what: impl std::fmt::Display) {
        self.broken.push(format!("{place}: {what}"));
    }

    fn operations(&mut self) {
        for (path, methods) in object(&self.before["paths"]) {
            for (method, before) in object(methods) {
                let place = format!("{} {path}", method.to_uppercase());
                let after = &self.after["paths"][path][method];
                if after.is_null() {
                    self.note(&place, "the operation is gone");
                    continue;
                }
                if before["operationId"] != after["operationId"] {
                    self.note(&place, "it has another operationId");
                }
                self.parameters(&place, &before["parameters"], &after["parameters"]);
                self.request(&place, &before["requestBody"], &after["requestBody"]);
                self.responses(&place, &before["responses"], &after["responses"]);
            }
        }
    }

    fn parameters(&mut self, place: &str, before: &'d Value, after: &'d Value) {
        let before: Vec<_> = list(before)
            .iter()
            .map(|p| target(self.before, p))
            .collect();
        let after: Vec<_> = list(after).iter().map(|p| target(self.after, p)).collect();
        let same =
            |one: &Value, other: &Value| one["name"] == other["name"] && one["in"] == other["in"];
        for old in &before {
            let place = format!("{place}: parameter {}", old["name"]);
            match after.iter().find(|new| same(old, new)) {
                None => self.note(&place, "it is gone"),
                Some(new) => {
                    if new["required"] == true && old["required"] != true {
                        self.note(&place, "it is required");
                    }
                    self.schemas(&place, &old["schema"], &new["schema"], Direction::Request);
                }
            }
        }
        for new in after {
            let known = before.iter().any(|old| same(old, new));
            if !known && new["required"] == true {
                self.note(
                    place,
                    format!("the new parameter {} is required", new["name"]),
                );
            }
        }
    }

    fn request(&mut self, place: &str, before: &'d Value, after: &'d Value) {
        let place = format!("{place}: request");
        if before.is_null() {
            if after["required"] == true {
                self.note(&place, "a body is required");
            }
            return;
        }
        if after["required"] == true && before["required"] != true {
            self.note(&place, "the body is required");
        }
        self.media(
            &place,
            &before["content"],
            &after["content"],
            Direction::Request,
        );
    }

    fn responses(&mut self, place: &str, before: &'d Value, after: &'d Value) {
        for (status, old) in object(before) {
            let place = format!("{place}: {status}");
            let new = &after[status];
            if new.is_null() {
                self.note(&place, "the response is gone");
                continue;
            }
            let old = target(self.before, old);
            let new = target(self.after, new);
            for header in object(&old["headers"]).keys() {
                if new["headers"][header].is_null() {
                    self.note(&place, format!("the header {header} is gone"));
                }
            }
            self.media(&place, &old["content"], &new["content"], Direction::Answer);
        }
    }

    fn media(&mut self, place: &str, before: &'d Value, after: &'d Value, direction: Direction) {
        for (media, old) in object(before) {
            let new = &after[media];
            if new.is_null() {
                self.note(place, format!("{media} is gone"));
                continue;
            }
            self.schemas(place, &old["schema"], &new["schema"], direction);
        }
    }

    fn schemas(&mut self, place: &str, before: &'d Value, after: &'d Value, direction: Direction) {
        let pair = (name(before), name(after), direction == Direction::Request);
        if !pair.0.is_empty() && !self.seen.insert(pair) {
            return;
        }
        let before = target(self.before, before);
        let after = target(self.after, after);
        self.types(place, before, after, direction);
        self.words(place, before, after, direction);
        self.bounds(place, before, after, direction);
        self.variants(place, before, after, direction);
        self.fields(place, before, after, direction);
        for part in ["items", "additionalProperties"] {
            if before[part].is_object() && after[part].is_object() {
                self.schemas(
                    &format!("{place}[]"),
                    &before[part],
                    &after[part],
                    direction,
                );
            }
        }
    }

    /// A request takes all types that it took, an answer has no other types than it had.
    fn types(&mut self, place: &str, before: &Value, after: &Value, direction: Direction) {
        let old = types(before);
        let new = types(after);
        let fits = match direction {
            Direction::Request => new.is_empty() || !old.is_empty() && old.is_subset(&new),
            Direction::Answer => old.is_empty() || !new.is_empty() && new.is_subset(&old),
        };
        if !fits {
            self.note(place, format!("the type was {old:?}, and is {new:?}"));
        }
    }

    /// A request takes all words that it took. Answers may have new words.
    fn words(&mut self, place: &str, before: &Value, after: &Value, direction: Direction) {
        if before["const"] != after["const"] && !after["const"].is_null() {
            self.note(
                place,
                format!(
                    "the value was {}, and is {}",
                    before["const"], after["const"]
                ),
            );
        }
        if direction == Direction::Answer || !after["enum"].is_array() {
            return;
        }
        if !before["enum"].is_array() {
            self.note(place, "it takes certain values only");
        }
        for word in list(&before["enum"]) {
            if !list(&after["enum"]).contains(word) {
                self.note(place, format!("{word} is gone"));
            }
        }
    }

    /// A request takes as much as it took.
    fn bounds(&mut self, place: &str, before: &Value, after: &Value, direction: Direction) {
        if direction == Direction::Answer {
            return;
        }
        for (bound, is_least) in [
            ("minimum", true),
            ("minLength", true),
            ("minItems", true),
            ("minProperties", true),
            ("maximum", false),
            ("maxLength", false),
            ("maxItems", false),
            ("maxProperties", false),
        ] {
            let Some(new) = after[bound].as_f64() else {
                continue;
            };
            let narrower = match before[bound].as_f64() {
                Some(old) => {
                    if is_least {
                        new > old
                    } else {
                        new < old
                    }
                }
                None => !is_least || new > 0.0,
            };
            if narrower {
                self.note(
                    place,
                    format!("{bound} was {}, and is {new}", before[bound]),
                );
            }
        }
        if before["pattern"] != after["pattern"] && !after["pattern"].is_null() {
            self.note(
                place,
                format!(
                    "the pattern was {}, and is {}",
                    before["pattern"], after["pattern"]
                ),
            );
        }
    }

    /// Each variant stays. Tagged variants are compared by their tag, others by their place.
    fn variants(&mut self, place: &str, before: &'d Value, after: &'d Value, direction: Direction) {
        let mapping = &before["discriminator"]["mapping"];
        if mapping.is_object() {
            for (tag, old) in object(mapping) {
                let new = &after["discriminator"]["mapping"][tag];
                if new.is_null() {
                    self.note(place, format!("{tag} is gone"));
                    continue;
                }
                let (old, new) = (at(self.before, old), at(self.after, new));
                self.schemas(&format!("{place}: {tag}"), old, new, direction);
            }
            return;
        }
        for union in ["oneOf", "anyOf", "allOf"] {
            let new = list(&after[union]);
            for (index, old) in list(&before[union]).iter().enumerate() {
                match new.get(index) {
                    Some(new) => self.schemas(place, old, new, direction),
                    None => self.note(place, format!("variant {index} is gone")),
                }
            }
        }
    }

    fn fields(&mut self, place: &str, before: &'d Value, after: &'d Value, direction: Direction) {
        for (field, old) in object(&before["properties"]) {
            let place = format!("{place}.{field}");
            let new = &after["properties"][field];
            if new.is_null() {
                self.note(&place, "the field is gone");
                continue;
            }
            self.schemas(&place, old, new, direction);
        }
        match direction {
            Direction::Request => {
                for field in list(&after["required"]) {
                    if !list(&before["required"]).contains(field) {
                        self.note(place, format!("{field} is required"));
                    }
                }
                if after["additionalProperties"] == false && before["additionalProperties"] != false
                {
                    self.note(place, "it takes no other fields");
                }
            }
            Direction::Answer => {
                for field in list(&before["required"]) {
                    if !list(&after["required"]).contains(field) {
                        self.note(place, format!("{field} may be missing"));
                    }
                }
            }
        }
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn object(value: &Value) -> &Map<String, Value> {
    static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    value.as_object().unwrap_or(&NONE)
}

fn types(schema: &Value) -> BTreeSet<&str> {
    match &schema["type"] {
        Value::String(one) => [one.as_str()].into(),
        several => list(several).iter().filter_map(Value::as_str).collect(),
    }
}

/// Where a reference leads to, empty for a schema of its own.
fn name(schema: &Value) -> String {
    schema["$ref"].as_str().unwrap_or_default().to_owned()
}

/// What a reference leads to, or the value itself.
fn target<'d>(document: &'d Value, value: &'d Value) -> &'d Value {
    let mut value = value;
    while value["$ref"].is_string() {
        value = at(document, &value["$ref"]);
    }
    value
}

fn at<'d>(document: &'d Value, reference: &Value) -> &'d Value {
    let pointer = reference
        .as_str()
        .and_then(|target| target.strip_prefix('#'));
    let found = pointer.and_then(|pointer| document.pointer(pointer));
    found.unwrap_or_else(|| panic!("{reference} leads nowhere"))
}
