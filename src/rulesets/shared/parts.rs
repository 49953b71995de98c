//! The parts of a ruleset that stand in modules of their own.

/// Fills the part of [`Ruleset`](crate::vocabulary::Ruleset) for which every folder has a type or a module of the same name. The other
/// names are those of the vocabulary as every folder imports them.
macro_rules! parts {
    () => {
        type Options = Options;
        type CombatantStats = CombatantStats;
        type CombatantState = CombatantState;
        type State = State;
        type Command = Command;
        type Event = Event;

        const MANIFEST: &'static $crate::vocabulary::Manifest = &manifest::MANIFEST;

        fn decide(play: &mut Play<'_, Self>, command: &Command) -> Result<(), Violation> {
            decide::decide(play, command)
        }

        fn react(play: &mut Play<'_, Self>, event: &AnyEvent<Self>) -> Result<(), Violation> {
            react::react(play, event)
        }

        fn evolve(table: &mut Table, event: &AnyEvent<Self>) {
            evolve::evolve(table, event);
        }

        fn check_state(table: &Table) -> Result<(), String> {
            bounds::check_state(table)
        }

        fn legal_commands(table: &Table) -> Vec<LegalCommand> {
            legal_commands::legal_commands(table)
        }
    };
}

pub(crate) use parts;
