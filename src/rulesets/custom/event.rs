//! The events of `custom`.

use super::{Score, TurnKind};
use crate::vocabulary::{CachedJson, CombatantId, EffectId, Participants, Slug, events, redacted};

events! {
    /// Something that happens under `custom` alone.
    Event;

    /// A combatant is surprised.
    "surprised" => Surprised says "{combatant} is surprised." { combatant: CombatantId }

    /// A side opens, whatever the dice say.
    "side_opens" => SideOpens says "The side {side} opens." {
        /// The side.
        side: Slug,
        /// Its combatants.
        combatants: Participants,
    }

    /// Combatants declare before anything else happens in the round.
    "declarations_opened" => DeclarationsOpened says "Combatants declare." {}

    /// A combatant declared; what, is the game master's alone until all have.
    "declared" => Declared says "{combatant} has declared[: {choice}]." {
        combatant: CombatantId,
        /// What.
        choice: Option<Slug>,
    }

    /// All have declared.
    "shown" => Shown says "All have declared: {choices}." {
        /// What each declared.
        choices: Vec<Declaration>,
    }

    /// The dice or cards of the round are awaited.
    "roll_opened" => RollOpened says "The roll of the round is awaited." {}

    /// The order of the round, or of the fight.
    "scored" => Scored says "The order of the round is set[: {places}][: {sides}]." {
        /// The places, first to last.
        places: Vec<ScoredPlace>,
        /// The sides, first to last.
        sides: Vec<ScoredSide>,
    }

    /// A combatant got its places.
    "placed" => Placed says "New in the order: {places}." {
        /// Its places.
        places: Vec<ScoredPlace>,
        /// Whether they stand at the end, whatever the score.
        last: bool,
    }

    /// A place has passed before its combatant could act.
    "came_late" => CameLate says "{combatant} came too late for its place." {
        combatant: CombatantId,
        /// The turns that it has left in this round.
        turns: u32,
    }

    /// The cards that are not in play go back.
    "reshuffled" => Reshuffled says "The cards that are not in play are shuffled." {}

    /// The next phase of the round began.
    "phase_begun" => PhaseBegun says "The next phase of the round begins." {
        /// Its number, from 0.
        phase: u32,
    }

    /// Somebody picks who acts next.
    "choice_opened" => ChoiceOpened says "The next to act is to be picked." {}

    /// A turn began, alone or shared, or a combatant returned to its turn.
    "begun" => Begun says "It is the turn of {combatants}." {
        /// Whose.
        combatants: Participants,
        /// How it came about.
        kind: TurnKind,
    }

    /// A surprised combatant's turn passes unused.
    "skipped" => Skipped says "{combatant}'s turn passes unused." { combatant: CombatantId }

    /// The next step of a shared turn began.
    "step_begun" => StepBegun says "The next step of the turn begins." {
        /// Its number, from 0.
        step: u32,
    }

    /// A combatant is done with a step.
    "step_done" => StepDone says "{combatant} is done with the step." { combatant: CombatantId }

    /// Between two turns, some may use a right.
    "gap_opened" => GapOpened says "Between two turns, others may act." {
        /// Whether nobody can act in the rest of the round.
        stalled: bool,
    }

    /// A combatant passed.
    "passed" => Passed says "{combatant} passes." { combatant: CombatantId }

    /// A combatant waits; its turn is not over.
    "waited" => Waited says "{combatant} waits." {
        combatant: CombatantId,
        /// The effects that have counted this turn.
        counted: Vec<EffectId>,
    }

    /// A combatant waits no more; its turn was lost.
    "wait_lapsed" => WaitLapsed says "{combatant} has waited too long." { combatant: CombatantId }

    /// A combatant's place moved.
    "moved" => Moved says "{combatant}'s place moves." {
        combatant: CombatantId,
        /// Beside whose place it stands now; at the end, if nobody's.
        beside: Option<CombatantId>,
        /// Whether it stands after that place.
        after: bool,
        /// Whether it is done for the round.
        done: bool,
    }

    /// A tick is reached.
    "clock_advanced" => ClockAdvanced says "Tick {tick} is reached." {
        /// Its number.
        tick: u32,
    }

    /// A combatant acts next at a later tick.
    "scheduled" => Scheduled says "{combatant} acts next at tick {tick}." {
        combatant: CombatantId,
        /// Which.
        tick: u32,
    }

    /// A combatant's points changed.
    "pool_changed" => PoolChanged says "{combatant} has {left} of {pool}." {
        combatant: CombatantId,
        /// The pool.
        pool: Slug,
        /// The points now.
        left: u32,
    }

    /// The table's points changed.
    "table_pool_changed" => TablePoolChanged says "The table has {left} of {pool}." {
        /// The pool.
        pool: Slug,
        /// The points now.
        left: u32,
    }

    /// A combatant used a right outside its turn.
    "interjected" => Interjected says "{combatant} acts outside its turn for {pool}." {
        combatant: CombatantId,
        /// The pool that paid.
        pool: Slug,
    }

    /// Nobody is left in the fight.
    "standstill" => Standstill says "Nobody is left in the fight." {}
}

redacted! {
    /// A declaration.
    pub struct Declaration says "{combatant} {choice}" {
        pub combatant: CombatantId,
        /// What it declared.
        pub choice: Slug,
    }

    /// A place and why it is there.
    pub struct ScoredPlace says "{combatant} {score}" {
        pub combatant: CombatantId,
        /// Which of its turns it is, from 0.
        pub turn: u32,
        /// Its score.
        #[schema(value_type = Score)] pub score: CachedJson<Score>,
    }

    /// A side and why it is there.
    pub struct ScoredSide says "{side} {score}" {
        /// The side.
        pub side: Slug,
        /// Its combatants.
        pub combatants: Participants,
        /// Whether it comes last in round 1 because it is surprised.
        pub yields: bool,
        /// Its score.
        #[schema(value_type = Score)] pub score: CachedJson<Score>,
    }
}
