//! Notifications, and their forms for receivers.

use super::EntryLine;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;

/// The maximum length of a message of Discord, in characters.
const MAX_CONTENT: usize = 2000;

/// A change of an encounter, as it is posted.
pub struct Notification<'e> {
    /// The same for each try, also after a restart: a receiver recognises a repetition by it.
    pub id: String,
    /// Its type, for receivers and for the log.
    pub kind: &'static str,
    /// The time of the change.
    at: String,
    data: PostedData<'e>,
    sentences: Vec<&'e str>,
}

/// The `data` of a webhook's body.
#[derive(Serialize)]
struct PostedData<'e> {
    encounter: &'e str,
    #[serde(flatten)]
    entry: Option<PostedEntry<'e>>,
}

/// An entry of the log as its viewer sees it.
#[derive(Serialize)]
struct PostedEntry<'e> {
    version: u64,
    event_id: &'e str,
    commands: &'e [String],
    events: Vec<&'e RawValue>,
}

impl<'e> Notification<'e> {
    /// What an entry of the log tells.
    pub fn changed(encounter: &'e str, entry: &'e EntryLine) -> Self {
        let events = entry.events.iter();
        let sentences = events.clone().filter_map(|event| event.text.as_deref());
        Self {
            id: format!("{encounter}-{}", entry.event_id),
            kind: "encounter.changed",
            at: entry.at.clone(),
            sentences: sentences.collect(),
            data: PostedData {
                encounter,
                entry: Some(PostedEntry {
                    version: entry.version,
                    event_id: &entry.event_id,
                    commands: &entry.commands,
                    events: events.map(|event| event.whole.as_ref()).collect(),
                }),
            },
        }
    }

    /// The end of an encounter.
    pub fn deleted(encounter: &'e str) -> Self {
        Self {
            id: format!("{encounter}-deleted"),
            kind: "encounter.deleted",
            // In milliseconds, as the log has its times.
            at: format!("{:.3}", Timestamp::now()),
            sentences: vec!["The encounter was deleted."],
            data: PostedData {
                encounter,
                entry: None,
            },
        }
    }

    /// The version that the change made; none after a deletion.
    pub fn version(&self) -> Option<u64> {
        self.data.entry.as_ref().map(|entry| entry.version)
    }

    /// Whether it has a sentence.
    pub fn has_text(&self) -> bool {
        !self.sentences.is_empty()
    }

    /// The body for a webhook, as Standard Webhooks say.
    pub fn webhook(&self) -> serde_json::Result<String> {
        #[derive(Serialize)]
        struct Body<'n> {
            #[serde(rename = "type")]
            kind: &'n str,
            timestamp: &'n str,
            data: &'n PostedData<'n>,
        }
        serde_json::to_string(&Body {
            kind: self.kind,
            timestamp: &self.at,
            data: &self.data,
        })
    }

    /// The body for a webhook of Discord: the sentences, without formatting and mentions.
    pub fn discord(&self) -> String {
        let mut content = String::new();
        for sentence in &self.sentences {
            if !content.is_empty() {
                content.push('\n');
            }
            for c in sentence.chars() {
                if r"\*_~`|>#[]()-<:@".contains(c) {
                    content.push('\\');
                }
                content.push(c);
            }
        }
        if content.chars().count() > MAX_CONTENT {
            content = content.chars().take(MAX_CONTENT - 1).collect();
            // No half of an escape.
            if content.ends_with('\\') {
                content.pop();
            }
            content.push('…');
        }
        json!({"content": content, "allowed_mentions": {"parse": []}}).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn entry(texts: &[&str]) -> EntryLine {
        let events = texts
            .iter()
            .map(|text| format!(r#"{{"type":"turn_started","combatant":"ann","text":"{text}"}}"#));
        let events: Vec<String> = events.collect();
        let line = format!(
            r#"{{"type":"transition","version":7,"event_id":"7-abc","at":"2026-01-02T03:04:05.678Z",
            "sender":{{"role":"gm"}},"commands":["end_turn"],"events":[{}]}}"#,
            events.join(",")
        );
        serde_json::from_str(&line).expect("an entry")
    }

    fn content(texts: &[&str]) -> String {
        let body = Notification::changed("e", &entry(texts)).discord();
        let body: Value = serde_json::from_str(&body).expect("JSON");
        assert_eq!(body["allowed_mentions"], json!({"parse": []}));
        body["content"].as_str().expect("a text").to_owned()
    }

    #[test]
    fn a_message_of_discord_is_plain_and_short_enough() {
        assert_eq!(
            content(&["Ann's turn starts.", "@everyone **wins**."]),
            "Ann's turn starts.\n\\@everyone \\*\\*wins\\*\\*."
        );
        let long = content(&["*".repeat(3000).as_str()]);
        assert!(long.chars().count() <= MAX_CONTENT, "{long}");
        assert!(long.ends_with("\\*…"), "{long}");
    }

    #[test]
    fn a_webhook_gets_the_entry_as_the_log_has_it() {
        let entry = entry(&["Ann's turn starts."]);
        let message = Notification::changed("e", &entry);
        assert_eq!(message.id, "e-7-abc");
        assert_eq!(
            message.webhook().expect("a body"),
            r#"{"type":"encounter.changed","timestamp":"2026-01-02T03:04:05.678Z","data":{"encounter":"e","version":7,"event_id":"7-abc","commands":["end_turn"],"events":[{"type":"turn_started","combatant":"ann","text":"Ann's turn starts."}]}}"#
        );
    }

    #[test]
    fn a_deletion_has_the_encounter_alone_and_its_time_in_milliseconds() {
        let body = Notification::deleted("e").webhook().expect("a body");
        let body: Value = serde_json::from_str(&body).expect("JSON");
        assert_eq!(body["data"], json!({"encounter": "e"}));
        let time = body["timestamp"].as_str().expect("a time");
        assert_eq!(time.len(), "2026-01-02T03:04:05.678Z".len(), "{time}");
    }
}
