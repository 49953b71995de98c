//! Why a request was not carried out, before anybody turns it into a status.

use crate::json::FieldError;
use crate::vocabulary::{Names, Violation, with_names};

/// Why the engine did not carry out a request; nothing changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Fields are missing, unknown, of the wrong type, or have values that make no sense anywhere;
    /// one at least.
    Fields(Vec<FieldError>),
    /// The sender has no right to this command.
    Forbidden {
        /// Where the command stands in the request; empty for a single one.
        path: String,
        /// Who may.
        detail: String,
    },
    /// The rules refuse it now, or a value makes no sense in this encounter.
    Violation {
        /// Where the command stands in the request; empty for a single one.
        path: String,
        /// Why.
        violation: Violation,
    },
    /// The work was stopped, because no client waits for it.
    Stopped,
}

impl Refusal {
    /// The refusal for a viewer who may not see the reason.
    pub fn hidden_reason() -> Self {
        let detail = "This isn't possible now, for a hidden reason. Choose something else, wait, or \
                      ask the game master.";
        Violation::new("not_now", "TK-11", detail).into()
    }

    /// A request that would bring about more events than one may, itself or redacted for each
    /// player who owns a hidden combatant.
    pub fn too_many_events(path: String) -> Self {
        let detail = "This request would cause too many events. Send shorter lists of commands.";
        Self::Violation {
            path,
            violation: Violation::new("too_many_events", "TK-4", detail),
        }
    }

    /// A request that would lead to a state `beyond` the ruleset's bounds.
    pub fn too_much_state(path: String, beyond: &str) -> Self {
        let detail = format!("This encounter has no room for the change: {beyond}.");
        Self::Violation {
            path,
            violation: Violation::new("too_much_state", "TK-4", detail),
        }
    }

    /// The same in a sentence with names.
    pub fn with_names(mut self, names: &dyn Names) -> Self {
        match &mut self {
            Self::Forbidden { detail, .. } => *detail = with_names(detail, names),
            Self::Violation { violation, .. } => {
                violation.detail = with_names(&violation.detail, names).into();
            }
            Self::Fields(_) | Self::Stopped => {}
        }
        self
    }

    /// The same of a value at `path` of the request.
    pub fn within(self, path: &str) -> Self {
        match self {
            Self::Fields(errors) => {
                Self::Fields(errors.into_iter().map(|error| error.within(path)).collect())
            }
            Self::Violation { violation, .. } => Self::Violation {
                path: path.to_owned(),
                violation,
            },
            refusal => refusal,
        }
    }
}

impl From<FieldError> for Refusal {
    fn from(error: FieldError) -> Self {
        Self::Fields(vec![error])
    }
}

impl From<Violation> for Refusal {
    fn from(violation: Violation) -> Self {
        Self::Violation {
            path: String::new(),
            violation,
        }
    }
}

/// Why a stored document or log entry could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// It was written by a program that stores another schema.
    #[error(
        "The document has schema {found}, and this program reads schema {read}. Run the turnkeeper \
         that wrote it."
    )]
    OtherSchema {
        /// The document's schema number.
        found: u32,
        /// The one that this program reads.
        read: u32,
    },
    /// Its ruleset is not one of this program's.
    #[error("This program has no ruleset \"{0}\".")]
    UnknownRuleset(String),
    /// It is not what this program writes.
    #[error("unreadable: {0}")]
    Unreadable(String),
}
