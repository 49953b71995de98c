//! The persons that a post mentions.

use super::EntryLine;
use super::encounter::EncounterReader;
use crate::config::Follow;
use reqwest::{Client, Url};
use serde::Deserialize;

/// Reads whom to mention, with the token of a game master.
pub struct Mentions(EncounterReader);

/// The part that is read of an event that starts a turn.
#[derive(Deserialize)]
struct Started {
    combatant: String,
}

impl Mentions {
    /// Those of the encounter whose `events` are followed; None without a token for them.
    pub fn of(settings: &Follow, client: &Client, events: &Url) -> Option<Self> {
        let token = settings.mention_token.as_deref()?;
        Some(Self(EncounterReader::new(client, events, token)))
    }

    /// The persons of the combatants whose turns start in this entry.
    pub async fn of_entry(&self, entry: &EntryLine) -> Vec<String> {
        let mut starting = Vec::new();
        for event in &entry.events {
            if event.kind == "turn_started"
                && let Ok(Started { combatant }) = serde_json::from_str(event.whole.get())
            {
                starting.push(combatant);
            }
        }
        self.of_combatants(&starting).await
    }

    /// The persons of these combatants, each once. A combatant that is hidden has none. A post
    /// without mentions is better than none.
    pub async fn of_combatants(&self, ids: &[String]) -> Vec<String> {
        if ids.is_empty() {
            return Vec::new();
        }
        let known = match self.0.read("TURNKEEPER_MENTION_TOKEN").await {
            Ok(known) => known,
            Err(reason) => {
                tracing::warn!(%reason, "posts without mentions: needs a game master's token");
                return Vec::new();
            }
        };
        let mut mentions = Vec::new();
        for c in known.combatants {
            let Some(mention) = c.mention.filter(|_| !c.hidden) else {
                continue;
            };
            if ids.contains(&c.id) && !mentions.contains(&mention) {
                mentions.push(mention);
            }
        }
        mentions
    }
}
