//! The events of Active Initiative.

use super::{Means, Readied};
use crate::vocabulary::{CombatantId, D20, Die, events, redacted};

events! {
    /// An event of Active Initiative.
    Event;

    /// Advice, not a rule: there are fewer groups of monsters than half the players (AI-15).
    "advised" => Advised says "Advice: {groups} monsters or groups can be named, {wanted} would be better." {
        /// How many monsters and groups can be named.
        groups: u32,
        /// How many there had better be.
        wanted: u32,
    }

    /// A combatant's player rolled before the start.
    "own_die_given" => OwnDieGiven says "{combatant} rolls {roll} for initiative." {
        combatant: CombatantId,
        /// The d20.
        roll: D20,
    }

    /// Everybody rolled for the first turn; only the highest result matters (AI-3).
    "opening_rolled" => OpeningRolled says "Everybody rolled for the first turn: {rolls}." {
        /// The rolls, highest first.
        rolls: Vec<OpeningRoll>,
    }

    /// The game master got interrupt points: one for each player, or as many as the option says (AI-30).
    "interrupt_points_gained" => InterruptPointsGained says "The game master has {points} interrupt points." {
        /// How many.
        points: u32,
    }

    /// Somebody was named to take the next turn; the window for interrupts is open (AI-17).
    "named" => Named says "{combatant} is named to act next[ by {by}]." {
        combatant: CombatantId,
        /// Who named it; nobody where the game master stood in for one who has left.
        by: Option<CombatantId>,
    }

    /// Somebody stole the next turn; the window stays open (AI-22, AAI2).
    "interrupted" => Interrupted says "{combatant} interrupts[ {displaced}] and takes the next turn ({means})." {
        /// Who takes the next turn now.
        combatant: CombatantId,
        /// The combatant that was named before and has not acted, if the viewer knows it.
        displaced: Option<CombatantId>,
        /// What paid for it.
        means: Means,
    }

    /// Somebody must be named: the next combatant, or the first of a new round.
    "choice_opened" => ChoiceOpened says "The next combatant is to be named[ by {chooser}][{starter}, the first of a round]." {
        /// Whose controller names; nobody where the game master does.
        chooser: Option<CombatantId>,
        /// True where the one to be named is the first of a round (AI-41).
        starter: bool,
    }

    /// A combatant took damage. It may interrupt for free until the next turn begins (AI-20, AAI13).
    "exposed" => Exposed says "{combatant} took damage: it may interrupt, unless it has acted." { combatant: CombatantId }

    /// Somebody readied an action (AI-12).
    "readied" => ActionReadied says "{combatant} readies an action[: {readied}]." {
        combatant: CombatantId,
        /// What, and what it waits for.
        readied: Readied,
    }

    /// A readied action happened (AI-13).
    "readied_fired" => ReadiedFired says "{combatant} carries out its readied action." { combatant: CombatantId }

    /// A readied action came to nothing: its owner's next turn began.
    "readied_lapsed" => ReadiedLapsed says "{combatant}'s readied action lapses." { combatant: CombatantId }

    /// Somebody got an inspiration point (AI-28).
    "inspired" => Inspired says "{combatant} gets an inspiration point and has {held}." {
        combatant: CombatantId,
        /// How many it holds now.
        held: u32,
    }

    /// Somebody spent an inspiration point.
    "inspiration_spent" => InspirationSpent says "{combatant} spends an inspiration point and has {held} left." {
        combatant: CombatantId,
        /// How many it holds now.
        held: u32,
    }

    /// The scene is over; what the game master had left of the interrupt points is gone (AI-33).
    "scene_closed" => SceneClosed says "The scene is over. Interrupt points that are lost: {points_lost}." {
        /// How many points were left.
        points_lost: u32,
    }
}

redacted! {
    /// One combatant's roll for the first turn.
    pub struct OpeningRoll says "{combatant} {total}" {
        pub combatant: CombatantId,
        /// The d20.
        pub die: Die,
        /// The die and the INT modifier (AI-5).
        pub total: i64,
    }
}
