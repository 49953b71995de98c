//! A refusal, as a value.

use std::borrow::Cow;

/// Why a command is refused; the state that it was sent to is untouched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// A stable name for programs, in snake case.
    pub code: &'static str,
    /// What it rests on.
    pub ground: Ground,
    /// A sentence for people: what is wrong and what would be right. The engine replaces ids of
    /// combatants in it by names.
    pub detail: Cow<'static, str>,
}

/// What a refusal rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ground {
    /// The id of a rule, from the ruleset's catalogue or the house rules: the same command may be
    /// legal at another time.
    Rule(&'static str),
    /// The path of a field whose value makes no sense in this encounter, such as an unknown
    /// combatant.
    Field(Cow<'static, str>),
}

impl Violation {
    /// Refused now under `rule`.
    pub fn new(
        code: &'static str,
        rule: &'static str,
        detail: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            code,
            ground: Ground::Rule(rule),
            detail: detail.into(),
        }
    }

    /// A well-formed value of `field` that makes no sense in this encounter.
    pub fn field(
        code: &'static str,
        field: impl Into<Cow<'static, str>>,
        detail: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            code,
            ground: Ground::Field(field.into()),
            detail: detail.into(),
        }
    }

    /// The same refusal of a command that holds the refused part at `path`.
    pub fn within(mut self, path: &str) -> Self {
        if let Ground::Field(field) = &mut self.ground {
            *field = format!("{path}.{field}").into();
        }
        self
    }
}

impl From<&'static str> for Ground {
    fn from(rule: &'static str) -> Self {
        Self::Rule(rule)
    }
}

/// The ground of a refusal that rests on the value of the field at `path`.
pub fn field(path: impl Into<Cow<'static, str>>) -> Ground {
    Ground::Field(path.into())
}

/// Refuses a command on `ground`, a rule or a [`field`], unless `holds`.
pub fn require<D: Into<Cow<'static, str>>>(
    holds: bool,
    code: &'static str,
    ground: impl Into<Ground>,
    detail: impl FnOnce() -> D,
) -> Result<(), Violation> {
    if holds {
        Ok(())
    } else {
        Err(Violation {
            code,
            ground: ground.into(),
            detail: detail().into(),
        })
    }
}
