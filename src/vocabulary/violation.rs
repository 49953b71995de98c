//! A refusal, as a value.

use std::borrow::Cow;

/// Why a command is refused; the state that it was sent to is untouched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// A stable name for programs, in snake case.
    pub code: &'static str,
    /// What it rests on.
    pub ground: Ground,
    /// A sentence for people: what is wrong and what would be right.
    pub detail: Cow<'static, str>,
}

/// What a refusal rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ground {
    /// The id of a rule, from the ruleset's catalogue or the house rules: the same command may be legal at another time.
    Rule(&'static str),
    /// The path of a field whose value makes no sense in this encounter, such as an unknown combatant.
    Field(Cow<'static, str>),
}

impl Violation {
    /// Refused now under `rule`.
    pub fn new(code: &'static str, rule: &'static str, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { code, ground: Ground::Rule(rule), detail: detail.into() }
    }

    /// A well-formed value of `field` that makes no sense in this encounter.
    pub fn field(
        code: &'static str, field: impl Into<Cow<'static, str>>, detail: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { code, ground: Ground::Field(field.into()), detail: detail.into() }
    }
}

/// Refuses a command under `rule` unless `holds`.
pub fn require<D: Into<Cow<'static, str>>>(
    holds: bool, code: &'static str, rule: &'static str, detail: impl FnOnce() -> D,
) -> Result<(), Violation> {
    if holds { Ok(()) } else { Err(Violation::new(code, rule, detail())) }
}
