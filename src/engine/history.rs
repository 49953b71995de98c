//! Undo and redo: which version's state an encounter shows, and which one it goes back to.
//!
//! The log only grows. Every version has a content: the version whose state it shows, its own
//! unless it is an undo or redo. Taking back the content c restores the state before c was
//! accepted, that of version c - 1, and with it that version's content.

use super::{Refusal, Request};
use crate::json::{Tagged, TaggedFields};
use crate::vocabulary::{
    Redone, SharedCommand, SharedEvent, Undo, Undone, Violation, field, require,
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

    /// The version whose state the next undo restores, if there is something to undo.
    pub fn undo_target(&self) -> Option<u64> {
        self.content.checked_sub(1)
    }

    /// The version whose state the next redo restores, if there is something to redo.
    pub fn redo_target(&self) -> Option<u64> {
        self.undone.last().copied()
    }

    /// What a request wants from the past of an encounter at `version`, if it is an undo or redo.
    pub fn rewind(&self, version: u64, request: &Request) -> Result<Option<Rewind>, Refusal> {
        let [(verb, fields)] = &request.commands[..] else {
            return Ok(None);
        };
        if !matches!(verb.as_str(), "undo" | "redo") {
            return Ok(None);
        }
        match self.read_rewind(version, verb, fields) {
            Ok(rewind) => Ok(Some(rewind)),
            Err(refusal) => Err(refusal.within(&request.path(0))),
        }
    }

    fn read_rewind(
        &self,
        version: u64,
        verb: &str,
        fields: &TaggedFields,
    ) -> Result<Rewind, Refusal> {
        let command = SharedCommand::parse(verb, fields).transpose()?;
        let to_version = match &command {
            Some(SharedCommand::Undo(Undo {
                to_version: Some(to_version),
            })) => earlier(*to_version, version)?,
            Some(SharedCommand::Redo(_)) => self.redo_target().ok_or_else(nothing_to_redo)?,
            _ => self.undo_target().ok_or_else(nothing_to_undo)?,
        };
        Ok(Rewind {
            to_version,
            redo: verb == "redo",
        })
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
        let future = self.content > version || self.undone.iter().any(|undone| *undone > version);
        if future || self.undone.len() > REDOS {
            return Err("history: it names versions later than the encounter's".to_owned());
        }
        Ok(())
    }
}

/// Refuses to undo to a version that is not earlier than the present one.
fn earlier(to_version: u64, version: u64) -> Result<u64, Violation> {
    require(
        to_version < version,
        "not_an_earlier_version",
        field("to_version"),
        || format!("Version {to_version} is not earlier than the current version, {version}."),
    )?;
    Ok(to_version)
}

fn nothing_to_undo() -> Violation {
    let detail = "Nothing to undo. The encounter is as it was created.";
    Violation::new("nothing_to_undo", "TK-7", detail)
}

fn nothing_to_redo() -> Violation {
    let detail = "Nothing to redo. You can only redo right after an undo.";
    Violation::new("nothing_to_redo", "TK-7", detail)
}

#[cfg(test)]
mod tests {
    use super::{REDOS, Rewind, UndoHistory};

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
