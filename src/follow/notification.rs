//! Notifications, and their forms for receivers.

use super::EntryLine;
use jiff::Timestamp;
use serde_json::{Value, json};

/// The maximum length of a message of Discord, in characters.
const MAX_CONTENT: usize = 2000;

/// A change of an encounter, as it is posted.
pub struct Notification {
    /// The same for each try, also after a restart: a receiver recognises a repetition by it.
    pub id: String,
    kind: &'static str,
    at: String,
    data: Value,
    sentences: Vec<String>,
}

impl Notification {
    /// What an entry of the log tells.
    pub fn changed(encounter: &str, entry: &EntryLine) -> Self {
        let told = entry
            .events
            .iter()
            .filter_map(|event| event["text"].as_str());
        Self {
            id: format!("{encounter}-{}", entry.event_id),
            kind: "encounter.changed",
            at: entry.at.clone(),
            data: json!({
                "encounter": encounter,
                "version": entry.version,
                "event_id": entry.event_id,
                "commands": entry.commands,
                "events": entry.events,
            }),
            sentences: told.map(str::to_owned).collect(),
        }
    }

    /// The end of an encounter.
    pub fn deleted(encounter: &str) -> Self {
        Self {
            id: format!("{encounter}-deleted"),
            kind: "encounter.deleted",
            at: Timestamp::now().to_string(),
            data: json!({ "encounter": encounter }),
            sentences: vec!["The encounter was deleted.".to_owned()],
        }
    }

    /// Whether it has a sentence.
    pub fn has_text(&self) -> bool {
        !self.sentences.is_empty()
    }

    /// The body for a webhook, as Standard Webhooks say: `type`, `timestamp` and `data`.
    pub fn webhook(&self) -> String {
        json!({"type": self.kind, "timestamp": self.at, "data": self.data}).to_string()
    }

    /// The body for a webhook of Discord: the sentences, without formatting and
    /// mentions.
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

    fn entry(texts: &[&str]) -> EntryLine {
        let event = |text: &&str| json!({"type": "turn_started", "combatant": "ann", "text": text});
        EntryLine {
            version: 7,
            event_id: "7-abc".to_owned(),
            at: "2026-01-02T03:04:05Z".to_owned(),
            commands: vec!["end_turn".to_owned()],
            events: texts.iter().map(event).collect(),
        }
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
        let message = Notification::changed("e", &entry(&["Ann's turn starts."]));
        assert_eq!(message.id, "e-7-abc");
        let body: Value = serde_json::from_str(&message.webhook()).expect("JSON");
        assert_eq!(body["type"], "encounter.changed");
        assert_eq!(body["timestamp"], "2026-01-02T03:04:05Z");
        assert_eq!(body["data"]["version"], 7);
        assert_eq!(body["data"]["events"][0]["text"], "Ann's turn starts.");
    }
}
