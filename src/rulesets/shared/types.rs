//! What every ruleset names alike.

/// Names the types of a [`Ruleset`](crate::vocabulary::Ruleset) and its manifest, which have the same
/// names in every folder.
macro_rules! types {
    () => {
        type Options = Options;
        type CombatantStats = CombatantStats;
        type CombatantState = CombatantState;
        type State = State;
        type Command = Command;
        type Event = Event;

        const MANIFEST: &'static $crate::vocabulary::Manifest = &manifest::MANIFEST;
    };
}

pub(crate) use types;
