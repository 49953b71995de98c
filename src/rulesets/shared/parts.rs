//! The parts of a ruleset that stand in modules of their own.

/// Fills the part of [`Ruleset`](crate::vocabulary::Ruleset) for which every folder has a type or a module of the same name.
macro_rules! parts {
    () => {
        type Options = Options;
        type CombatantStats = CombatantStats;
        type CombatantState = CombatantState;
        type State = State;
        type Command = Command;
        type Event = Event;

        const MANIFEST: &'static $crate::vocabulary::Manifest = &manifest::MANIFEST;

        fn decide(
            play: &mut $crate::vocabulary::Play<'_, Self>, command: &Command,
        ) -> Result<(), $crate::vocabulary::Violation> {
            decide::decide(play, command)
        }

        fn react(
            play: &mut $crate::vocabulary::Play<'_, Self>, event: &$crate::vocabulary::Event<Self>,
        ) -> Result<(), $crate::vocabulary::Violation> {
            react::react(play, event)
        }

        fn evolve(table: &mut Table, event: &$crate::vocabulary::Event<Self>) {
            evolve::evolve(table, event);
        }

        fn legal_commands(table: &Table) -> Vec<$crate::vocabulary::LegalCommand> {
            legal_commands::legal_commands(table)
        }
    };
}

pub(crate) use parts;
