//! The persons that a post mentions: those of the combatants whose turns start.

use super::{EntryLine, may_pass, without_address};
use crate::config::Follow;
use reqwest::{Client, StatusCode, Url};
use serde::Deserialize;
use std::time::Duration;

/// The time that the server has to answer. A post without mentions is better than none.
const PATIENCE: Duration = Duration::from_secs(10);

/// Reads whom to mention, with the token of a game master.
pub struct Mentions {
    client: Client,
    encounter: Url,
    token: String,
}

/// The part of the encounter that is read.
#[derive(Deserialize)]
struct Known {
    combatants: Vec<KnownCombatant>,
}

#[derive(Deserialize)]
struct KnownCombatant {
    id: String,
    hidden: bool,
    mention: Option<String>,
}

/// The part that is read of an event that starts a turn.
#[derive(Deserialize)]
struct Started {
    combatant: String,
}

impl Mentions {
    /// Those of the encounter whose `events` are followed; None without a token for them.
    pub fn of(settings: &Follow, client: &Client, events: &Url) -> Option<Self> {
        let token = settings.mention_token.clone()?;
        let mut encounter = events.clone();
        encounter.path_segments_mut().ok()?.pop();
        Some(Self {
            client: client.clone(),
            encounter,
            token,
        })
    }

    /// The persons of the combatants whose turns start in this entry, each once. A combatant that is
    /// hidden has none.
    pub async fn of_entry(&self, entry: &EntryLine) -> Vec<String> {
        let mut starting = Vec::new();
        for event in &entry.events {
            if event.kind == "turn_started"
                && let Ok(Started { combatant }) = serde_json::from_str(event.whole.get())
            {
                starting.push(combatant);
            }
        }
        if starting.is_empty() {
            return Vec::new();
        }
        let known = match self.read().await {
            Ok(known) => known,
            Err(reason) => {
                tracing::warn!(%reason, "posts without mentions");
                return Vec::new();
            }
        };
        let mut mentions = Vec::new();
        for c in known.combatants {
            let Some(mention) = c.mention.filter(|_| !c.hidden) else {
                continue;
            };
            if starting.contains(&c.id) && !mentions.contains(&mention) {
                mentions.push(mention);
            }
        }
        mentions
    }

    async fn read(&self) -> Result<Known, String> {
        let request = self.client.get(self.encounter.clone()).timeout(PATIENCE);
        let answer = request.bearer_auth(&self.token).send().await;
        let answer = answer.map_err(without_address)?;
        match answer.status() {
            StatusCode::OK => {
                let body = answer.bytes().await.map_err(without_address)?;
                serde_json::from_slice(&body).map_err(|error| error.to_string())
            }
            status if may_pass(status) => Err(status.to_string()),
            status => Err(format!(
                "TURNKEEPER_MENTION_TOKEN: the server answers {status}. Set a game master's token"
            )),
        }
    }
}
