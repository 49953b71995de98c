//! The time of a turn: when it is over, counted from the moment that the server names.

use super::encounter::EncounterState;
use jiff::Timestamp;
use std::future::pending;
use std::time::Duration;
use tokio::time::sleep;

/// A turn whose time was over for longer is not told of: it was before this process began.
pub const LATE: Duration = Duration::from_secs(60);
/// The time until the server is asked again that has not answered.
const AGAIN: Duration = Duration::from_secs(5);

/// A turn, or a decision, with a time of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnTime {
    /// Since when it is awaited, as the server writes it.
    pub since: String,
    /// When its time is over.
    pub over: Timestamp,
    /// When the server is to be asked whether it still continues.
    asked_at: Timestamp,
    /// The ids of those whose turn it is.
    pub current: Vec<String>,
    /// Their names.
    pub names: Vec<String>,
}

impl TurnTime {
    /// The one that goes on in an encounter; None if there is none, or if its time was over long ago.
    pub fn of(state: EncounterState, now: Timestamp) -> Option<Self> {
        let since = state.since.filter(|_| state.status == "running")?;
        let seconds = Duration::from_secs(state.turn_seconds?);
        let over = since.parse::<Timestamp>().ok()?.checked_add(seconds).ok()?;
        if over < earliest(now) {
            return None;
        }
        let combatants = state.combatants.into_iter();
        let acting = combatants.filter(|c| state.current.contains(&c.id));
        Some(Self {
            since,
            over,
            names: acting.map(|c| c.name).collect(),
            asked_at: over,
            current: state.current,
        })
    }

    /// The same, asked again in a while; None if it was over long ago.
    pub fn later(self, now: Timestamp) -> Option<Self> {
        let asked_at = now.checked_add(AGAIN).ok()?;
        (self.over >= earliest(now)).then_some(Self { asked_at, ..self })
    }

    /// The sentence that tells that it is over.
    pub fn sentence(&self) -> String {
        if self.names.is_empty() {
            "The time of this decision is over.".to_owned()
        } else {
            format!("The time is over: {}.", self.names.join(", "))
        }
    }
}

/// The earliest end that is told of.
pub fn earliest(now: Timestamp) -> Timestamp {
    now.checked_sub(LATE).unwrap_or(Timestamp::MIN)
}

/// Waits until the time of a turn is over; without end if there is none.
pub async fn is_over(turn: Option<&TurnTime>) {
    let Some(turn) = turn else {
        return pending().await;
    };
    let left = turn.asked_at.duration_since(Timestamp::now());
    let left = Duration::try_from(left).unwrap_or_default();
    sleep(left).await;
}
