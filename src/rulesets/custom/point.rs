//! Where a fight goes on.

/// What follows a command that is done.
pub(super) enum Then {
    /// The fight waits for what it waited for.
    Wait,
    /// What follows from a change of combatants, places or points.
    Settle,
    /// The fight goes on from here.
    GoOn(Point),
}

/// A point from which a fight goes on by itself.
#[derive(Debug, Clone, Copy)]
pub(super) enum Point {
    /// The turn that is going on; without one, the end of a turn.
    Turn,
    /// The search for the next combatant, after any gap.
    Next,
    /// The end of the round, if all have declined to react before it.
    RoundEnd,
    /// The next round.
    NextRound,
    /// The declarations of the round, if it has any.
    Declare,
    /// The roll of the round, if one is due.
    Roll,
    /// The choice among the cards that the roll has dealt, if there is any.
    Dealt,
}
