//! The encounter itself, as far as it is read.

use super::{may_pass, without_address};
use reqwest::{Client, StatusCode, Url};
use serde::Deserialize;
use std::time::Duration;

/// The time that the server has to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// The part of an encounter that is read.
#[derive(Deserialize)]
pub struct EncounterState {
    pub status: String,
    /// Since when `current` is what it is, if the viewer may know it.
    pub since: Option<String>,
    pub turn_seconds: Option<u64>,
    pub current: Vec<String>,
    pub combatants: Vec<CombatantState>,
}

/// The part of a combatant that is read.
#[derive(Deserialize)]
pub struct CombatantState {
    pub id: String,
    pub name: String,
    pub hidden: bool,
    pub mention: Option<String>,
}

/// Reads encounters with one token.
pub struct EncounterReader {
    client: Client,
    encounter: Url,
    token: String,
}

impl EncounterReader {
    /// A reader of the encounter whose `events` are followed.
    pub fn new(client: &Client, events: &Url, token: &str) -> Self {
        let mut encounter = events.clone();
        encounter.set_query(None);
        if let Ok(mut path) = encounter.path_segments_mut() {
            path.pop();
        }
        Self {
            client: client.clone(),
            encounter,
            token: token.to_owned(),
        }
    }

    /// The encounter now. The error says how the server refuses `setting`, the token's name.
    pub async fn read(&self, setting: &str) -> Result<EncounterState, String> {
        let request = self.client.get(self.encounter.clone()).timeout(PATIENCE);
        let answer = request.bearer_auth(&self.token).send().await;
        let answer = answer.map_err(without_address)?;
        match answer.status() {
            StatusCode::OK => {
                let body = answer.bytes().await.map_err(without_address)?;
                serde_json::from_slice(&body).map_err(|error| error.to_string())
            }
            status if may_pass(status) => Err(status.to_string()),
            status => Err(format!("{setting}: the server answers {status}")),
        }
    }
}
