//! Notifications, and their forms for receivers.

use super::EntryLine;
use super::turn_time::TurnTime;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;

/// The maximum length of a message of Discord, in characters.
const MAX_CONTENT: usize = 2000;
/// The most users that a message mentions.
const MAX_USERS: usize = 20;
/// The characters with a meaning in Discord's Markdown, links and mentions.
const MARKDOWN: &str = r"\*_~`|>#[]()-<:@";

/// A change of an encounter, as it is posted.
pub struct Notification<'e> {
    /// The same for each try, also after a restart: a receiver recognises a repetition by it.
    pub id: String,
    /// Its type, for receivers and for the log.
    pub kind: &'static str,
    /// The time of the change.
    at: String,
    data: PostedData<'e>,
    /// The sentences of its events, for Discord.
    sentences: Vec<&'e str>,
    /// The persons whose turns start.
    mentions: Vec<String>,
}

/// The body for a webhook, as Standard Webhooks say.
#[derive(Serialize)]
struct WebhookBody<'n> {
    #[serde(rename = "type")]
    kind: &'n str,
    timestamp: &'n str,
    data: &'n PostedData<'n>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    mentions: &'n [String],
}

/// The `data` of a webhook's body.
#[derive(Serialize)]
struct PostedData<'e> {
    encounter: &'e str,
    /// None if it tells of no entry.
    #[serde(flatten)]
    entry: Option<PostedEntry<'e>>,
    /// The turn whose time is over.
    #[serde(flatten)]
    turn: Option<PostedTurn<'e>>,
}

/// An entry of the log as its viewer sees it.
#[derive(Serialize)]
struct PostedEntry<'e> {
    version: u64,
    event_id: &'e str,
    commands: &'e [String],
    events: Vec<&'e RawValue>,
}

/// A turn whose time is over.
#[derive(Serialize)]
struct PostedTurn<'e> {
    since: &'e str,
    current: &'e [String],
}

impl<'e> Notification<'e> {
    /// The notification of an entry of the log, which mentions these persons.
    pub fn changed(encounter: &'e str, entry: &'e EntryLine, mentions: Vec<String>) -> Self {
        let events = entry.events.iter();
        let sentences = events.clone().filter_map(|event| event.text.as_deref());
        Self {
            id: format!("{encounter}-{}", entry.event_id),
            kind: "encounter.changed",
            at: entry.at.clone(),
            sentences: sentences.collect(),
            mentions,
            data: PostedData {
                encounter,
                entry: Some(PostedEntry {
                    version: entry.version,
                    event_id: &entry.event_id,
                    commands: &entry.commands,
                    events: events.map(|event| event.whole.as_ref()).collect(),
                }),
                turn: None,
            },
        }
    }

    /// The notification that the time of a turn is over, which mentions these persons.
    pub fn time_over(
        encounter: &'e str,
        turn: &'e TurnTime,
        sentence: &'e str,
        mentions: Vec<String>,
    ) -> Self {
        let moment = turn.over.as_millisecond();
        Self {
            id: format!("{encounter}-time-{moment}"),
            kind: "turn.time_over",
            at: format!("{:.3}", turn.over),
            sentences: vec![sentence],
            mentions,
            data: PostedData {
                encounter,
                entry: None,
                turn: Some(PostedTurn {
                    since: &turn.since,
                    current: &turn.current,
                }),
            },
        }
    }

    /// The notification that the encounter was deleted just now.
    pub fn deleted(encounter: &'e str) -> Self {
        Self {
            id: format!("{encounter}-deleted"),
            kind: "encounter.deleted",
            // Milliseconds, like the times of the log.
            at: format!("{:.3}", Timestamp::now()),
            sentences: vec!["The encounter was deleted."],
            mentions: Vec::new(),
            data: PostedData {
                encounter,
                entry: None,
                turn: None,
            },
        }
    }

    /// The version that the change made, if it tells of one.
    pub fn version(&self) -> Option<u64> {
        self.data.entry.as_ref().map(|entry| entry.version)
    }

    /// True if it has a sentence for Discord.
    pub fn has_text(&self) -> bool {
        !self.sentences.is_empty()
    }

    /// The body for a webhook.
    pub fn webhook(&self) -> serde_json::Result<String> {
        serde_json::to_string(&WebhookBody {
            kind: self.kind,
            timestamp: &self.at,
            data: &self.data,
            mentions: &self.mentions,
        })
    }

    /// The body for a webhook of Discord: the users that it mentions, and the sentences without
    /// formatting. Names that look like mentions are none.
    pub fn discord(&self) -> String {
        let users: Vec<&String> = self.mentions.iter().filter(|id| is_user(id)).collect();
        let users = users.get(..MAX_USERS).unwrap_or(&users);
        let mut content = String::new();
        for user in users {
            content.push_str(&format!("<@{user}> "));
        }
        let room = MAX_CONTENT - content.len();
        content += &plain_content(&self.sentences.join("\n"), room);
        json!({"content": content, "allowed_mentions": {"parse": [], "users": users}}).to_string()
    }
}

/// True if it may be the id of a user of Discord.
fn is_user(id: &str) -> bool {
    (1..=20).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_digit())
}

/// A text that Discord shows as it is, shortened to so many characters.
fn plain_content(text: &str, most: usize) -> String {
    let mut content = String::new();
    let mut length = 0;
    let mut fits = 0;
    for c in text.chars() {
        if MARKDOWN.contains(c) {
            content.push('\\');
            length += 1;
        }
        content.push(c);
        length += 1;
        // Whole characters with their escapes, before the sign that something is left out.
        if length < most {
            fits = content.len();
        }
    }
    if length > most {
        content.truncate(fits);
        content.push('…');
    }
    content
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
        content_with(texts, &[], &[])
    }

    /// The content of a message that mentions these persons, and must mention these `users`.
    fn content_with(texts: &[&str], mentions: &[&str], users: &[&str]) -> String {
        let mentions = mentions.iter().map(ToString::to_string).collect();
        let body = Notification::changed("e", &entry(texts), mentions).discord();
        let body: Value = serde_json::from_str(&body).expect("JSON");
        assert_eq!(
            body["allowed_mentions"],
            json!({"parse": [], "users": users})
        );
        body["content"].as_str().expect("a text").to_owned()
    }

    #[test]
    fn a_message_of_discord_mentions_users_and_no_other_persons() {
        let long = "x".repeat(3000);
        let text = content_with(
            &[&long],
            &["123", "ann@example.org", "456"],
            &["123", "456"],
        );
        assert!(text.starts_with("<@123> <@456> xxx"), "{text}");
        assert!(text.chars().count() <= MAX_CONTENT, "{}", text.len());
        let many: Vec<String> = (100..150).map(|id| id.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        content_with(&["Ann's turn starts."], &many, &many[..MAX_USERS]);
        let entry = entry(&["Ann's turn starts."]);
        let message = Notification::changed("e", &entry, vec!["123".to_owned()]);
        let body: Value = serde_json::from_str(&message.webhook().expect("a body")).expect("JSON");
        assert_eq!(body["mentions"], json!(["123"]));
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
        // In JSON, two backslashes are one.
        let backslashes = content(&[format!("a{}", r"\\".repeat(1500)).as_str()]);
        let escaped = backslashes
            .strip_prefix('a')
            .and_then(|rest| rest.strip_suffix('…'));
        assert_eq!(
            escaped.expect("a cut text").len() % 2,
            0,
            "no half of an escape"
        );
    }

    #[test]
    fn a_webhook_gets_the_entry_as_the_log_has_it() {
        let entry = entry(&["Ann's turn starts."]);
        let message = Notification::changed("e", &entry, Vec::new());
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
