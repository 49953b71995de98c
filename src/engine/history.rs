//! Undo and redo: which version's state an encounter shows, and which one it goes back to.
//!
//! The log only grows. Every version has a content: the version whose state it shows, its own
//! unless it is an undo or redo. Taking back the content c restores the state before c was
//! accepted, that of version c - 1, and with it that version's content.

use super::{Refusal, Request};
use crate::vocabulary::{
    Redone, SharedCommand, SharedEvent, Tagged, Undo, Undone, Violation, field, require,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Versions from one log entry with a checkpoint to the next.
pub const CHECKPOINTS: u64 = 256;

/// Maximum undos that can be redone.
const REDOS: usize = 1000;

/// Where an encounter stands in its own history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UndoHistory {
    /// The version whose state the encounter shows.
    content: u64,
    /// The contents that were undone and can be redone, the newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    undone: Vec<u64>,
}

/// An undo or redo whose target is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewind {
    /// The version whose state is wanted, earlier than the present one.
    pub to_version: u64,
    redo: bool,
}

impl Rewind {
    /// The type of its command.
    pub(super) fn verb(&self) -> &'static str {
        if self.redo { "redo" } else { "undo" }
    }

    /// Its event.
    pub(super) fn event(&self) -> SharedEvent {
        let to_version = self.to_version;
        if self.redo {
            SharedEvent::Redone(Redone { to_version })
        } else {
            SharedEvent::Undone(Undone { to_version })
        }
    }
}

impl UndoHistory {
    /// After anything but an undo or redo.
    pub fn ordinary(version: u64) -> Self {
        Self {
            content: version,
            undone: Vec::new(),
        }
    }

    /// The versions whose states the next undo and the next redo give back, where there is
    /// something to undo and to redo.
    pub fn ways(&self) -> (Option<u64>, Option<u64>) {
        (self.content.checked_sub(1), self.undone.last().copied())
    }

    /// What a request wants from the past of an encounter at `version`, if it is an undo or redo.
    pub fn rewind(&self, version: u64, request: &Request) -> Result<Option<Rewind>, Refusal> {
        let [(verb, fields)] = &request.commands[..] else {
            return Ok(None);
        };
        if !matches!(verb.as_str(), "undo" | "redo") {
            return Ok(None);
        }
        let (undo, redo) = self.ways();
        let placed = |refusal: Refusal| refusal.within(&request.path(0));
        let to_version = match SharedCommand::parse(verb, fields)
            .transpose()
            .map_err(|error| placed(error.into()))?
        {
            Some(SharedCommand::Undo(Undo {
                to_version: Some(to_version),
            })) => {
                let detail = || {
                    format!("{to_version} is not an earlier version: the encounter is at {version}")
                };
                let earlier = require(
                    to_version < version,
                    "not_an_earlier_version",
                    field("to_version"),
                    detail,
                );
                earlier.map(|()| to_version)
            }
            Some(SharedCommand::Redo(_)) => {
                let detail = "there is nothing to redo: redo takes back an undo that nothing but \
                              undos and redos followed";
                redo.ok_or(Violation::new("nothing_to_redo", "TK-7", detail))
            }
            _ => {
                let detail = "there is nothing to undo: the encounter is as it was created";
                undo.ok_or(Violation::new("nothing_to_undo", "TK-7", detail))
            }
        };
        let to_version = to_version.map_err(|violation| placed(violation.into()))?;
        Ok(Some(Rewind {
            to_version,
            redo: verb == "redo",
        }))
    }

    /// After a rewind to a state of `past`.
    pub fn rewound(&self, rewind: &Rewind, past: &Self) -> Self {
        let mut undone = self.undone.clone();
        if rewind.redo {
            undone.pop();
        } else {
            let surplus = (undone.len() + 1).saturating_sub(REDOS);
            undone.drain(..surplus);
            undone.push(self.content);
        }
        Self {
            content: past.content,
            undone,
        }
    }

    /// Whether it can be that of an encounter at `version`.
    pub fn check(&self, version: u64) -> Result<(), String> {
        let known = |content: &u64| *content <= version;
        if known(&self.content) && self.undone.len() <= REDOS && self.undone.iter().all(known) {
            return Ok(());
        }
        Err("history: it names versions that have not been".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_thousand_undos_can_be_redone() {
        let full = UndoHistory {
            content: 5000,
            undone: (1..=1000).collect(),
        };
        assert!(full.check(5000).is_ok());
        let after = full.rewound(
            &Rewind {
                to_version: 4999,
                redo: false,
            },
            &UndoHistory::ordinary(4999),
        );
        assert_eq!(
            (
                after.undone.first(),
                after.undone.last(),
                after.undone.len()
            ),
            (Some(&2), Some(&5000), REDOS)
        );
        assert!(after.check(5001).is_ok());
    }
}
