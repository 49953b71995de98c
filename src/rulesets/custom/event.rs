//! The events of `custom`.

use super::{Score, TurnKind};
use crate::vocabulary::{CachedJson, CombatantId, EffectId, Participants, Slug, events, redacted};

events! {
    /// Something that happens under `custom` alone.
    Event;

    /// A combatant is surprised.
    "surprised" => Surprised { combatant: CombatantId }

    /// A side opens, whatever the dice say.
    "side_opens" => SideOpens {
        /// The side.
        side: Slug,
        /// Its combatants.
        combatants: Participants,
    }

    /// Combatants declare before anything else happens in the round.
    "declarations_opened" => DeclarationsOpened {}

    /// A combatant declared; what, is the game master's alone until all have.
    "declared" => Declared {
        combatant: CombatantId,
        /// What.
        choice: Option<Slug>,
    }

    /// All have declared.
    "shown" => Shown {
        /// What each declared.
        choices: Vec<Declaration>,
    }

    /// The dice or cards of the round are awaited.
    "roll_opened" => RollOpened {}

    /// The order of the round, or of the fight.
    "scored" => Scored {
        /// The places, first to last.
        places: Vec<ScoredPlace>,
        /// The sides, first to last.
        sides: Vec<ScoredSide>,
    }

    /// A combatant got its places.
    "placed" => Placed {
        /// Its places.
        places: Vec<ScoredPlace>,
        /// Whether they stand at the end, whatever the score.
        last: bool,
    }

    /// A place has passed before its combatant could act.
    "came_late" => CameLate {
        combatant: CombatantId,
        /// The turns that it has left in this round.
        turns: u32,
    }

    /// All cards go back.
    "reshuffled" => Reshuffled {}

    /// The next phase of the round began.
    "phase_begun" => PhaseBegun {
        /// Its number, from 0.
        phase: u32,
    }

    /// Somebody picks who acts next.
    "choice_opened" => ChoiceOpened {}

    /// A turn began, alone or shared, or a combatant returned to its turn.
    "begun" => Begun {
        /// Whose.
        combatants: Participants,
        /// How it came about.
        kind: TurnKind,
    }

    /// A surprised combatant's turn passes unused.
    "skipped" => Skipped { combatant: CombatantId }

    /// The next step of a shared turn began.
    "step_begun" => StepBegun {
        /// Its number, from 0.
        step: u32,
    }

    /// A combatant is done with a step.
    "step_done" => StepDone { combatant: CombatantId }

    /// Between two turns, some may use a right.
    "gap_opened" => GapOpened {
        /// Whether nobody can act in the rest of the round.
        stalled: bool,
    }

    /// A combatant passed.
    "passed" => Passed { combatant: CombatantId }

    /// A combatant waits; its turn is not over.
    "waited" => Waited {
        combatant: CombatantId,
        /// The effects that have counted this turn.
        counted: Vec<EffectId>,
    }

    /// A combatant waits no more; its turn was lost.
    "wait_lapsed" => WaitLapsed { combatant: CombatantId }

    /// A combatant's place moved.
    "moved" => Moved {
        combatant: CombatantId,
        /// Beside whose place it stands now; at the end, if nobody's.
        beside: Option<CombatantId>,
        /// Whether it stands after that place.
        after: bool,
        /// Whether it is done for the round.
        done: bool,
    }

    /// A tick is reached.
    "tick_reached" => TickReached {
        /// Its number.
        tick: u32,
    }

    /// A combatant acts next at a later tick.
    "scheduled" => Scheduled {
        combatant: CombatantId,
        /// Which.
        tick: u32,
    }

    /// A combatant's points changed.
    "pool_changed" => PoolChanged {
        combatant: CombatantId,
        /// The pool.
        pool: Slug,
        /// The points now.
        left: u32,
    }

    /// The table's points changed.
    "table_pool_changed" => TablePoolChanged {
        /// The pool.
        pool: Slug,
        /// The points now.
        left: u32,
    }

    /// A combatant used a right outside its turn.
    "interjected" => Interjected {
        combatant: CombatantId,
        /// The pool that paid.
        pool: Slug,
    }

    /// Nobody is left in the fight.
    "standstill" => Standstill {}
}

redacted! {
    /// A declaration.
    pub struct Declaration {
        pub combatant: CombatantId,
        /// What it declared.
        pub choice: Slug,
    }

    /// A place and why it is there.
    pub struct ScoredPlace {
        pub combatant: CombatantId,
        /// Which of its turns it is, from 0.
        pub turn: u32,
        /// Its score.
        #[schema(value_type = Score)] pub score: CachedJson<Score>,
    }

    /// A side and why it is there.
    pub struct ScoredSide {
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
