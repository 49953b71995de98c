//! The parts of a ruleset that stand in modules of their own.

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

/// Fills the part of [`Ruleset`](crate::vocabulary::Ruleset) for which every folder has a type or a
/// module of the same name. The other names are those of the vocabulary as every folder imports
/// them.
macro_rules! parts {
    () => {
        $crate::rulesets::shared::types!();

        fn decide(play: &mut Play<'_>, command: &Command) -> Result<(), Violation> {
            decide::decide(play, command)
        }

        fn react(play: &mut Play<'_>, event: &AnyEvent<Self>) -> Result<(), Violation> {
            react::react(play, event)
        }

        fn evolve(fold: &mut $crate::vocabulary::Fold<'_, Self>, event: &AnyEvent<Self>) {
            evolve::evolve(fold, event);
        }

        fn check_state(encounter: &Encounter) -> Result<(), String> {
            bounds::check_state(encounter)
        }

        fn legal_commands(encounter: &Encounter) -> Vec<LegalCommand> {
            legal_commands::legal_commands(encounter)
        }
    };
}

pub(crate) use {parts, types};
