//! The events of Seize the initiative. `WA-n` are rules of the published system, `AWAn` what it leaves open: `manifest.rs` lists both.

use super::{Meaning, Way};
use crate::vocabulary::{CombatantId, D20, Die, Participants, Slug, events, redacted};

events! {
    /// An event of Seize the initiative.
    Event;

    /// A combatant's player rolled before the start.
    "own_die_given" => OwnDieGiven says "{combatant} rolls {roll} for initiative." {
        combatant: CombatantId,
        /// The d20.
        roll: D20,
    }

    /// Everybody rolled for the first turn, once and for the whole fight (WA-1, WA-18).
    "initiative_rolled" => InitiativeRolled says "Everybody rolled initiative: {rolls}." {
        /// The rolls, best first.
        rolls: Vec<InitiativeRoll>,
    }

    /// The best rolls had the same result and the same bonus, and were rolled off (AWA2).
    "rolled_off" => RolledOff says "The tie is rolled off: {rolls}." {
        /// The rolls of those in the tie, best first.
        rolls: Vec<RollOffRoll>,
    }

    /// The next turn was given: by the roll, or by the player of the last one. It starts at once.
    "picked" => Picked says "{combatant} has the next turn." {
        combatant: CombatantId,
        /// How it got the turn: `rolled` or `picked`.
        by: Way,
    }

    /// Somebody has an extra Action in the turn that begins, for the 20 that it rolled (WA-6).
    "extra_action_granted" => ExtraActionGranted says "{combatant} has an extra Action for its 20." { combatant: CombatantId }

    /// Somebody spent the extra Action (WA-6).
    "extra_action_spent" => ExtraActionSpent says "{combatant} spends its extra Action." { combatant: CombatantId }

    /// Somebody's first turn ended with the extra Action unspent: it is gone (WA-6).
    "extra_action_lapsed" => ExtraActionLapsed says "{combatant}'s extra Action lapses." { combatant: CombatantId }

    /// Somebody without a turn in this round lost hit points, which lets it seize the next turn (WA-12).
    "hurt" => Hurt says "{combatant} was hurt and may seize the next turn." { combatant: CombatantId }

    /// A turn is over, and the combatants that it hurt decide whether they seize the next one (WA-13).
    "seizing_opened" => SeizingOpened says "{eligible} may seize the next turn." {
        /// Who may seize, in the order of joining.
        eligible: Participants,
    }

    /// A combatant seized a turn. Earlier seized turns, and higher bonuses of the same window, come first (WA-15).
    "seized" => Seized says "{combatant} seizes a turn." {
        combatant: CombatantId,
        /// Its Initiative Bonus.
        bonus: i64,
        /// How many seized turns come before its own.
        after: u32,
    }

    /// Somebody who could have seized the next turn did not (WA-13).
    "declined" => Declined says "{combatant} declines to seize." { combatant: CombatantId }

    /// Somebody who had seized a turn was put out of action before it came: the turn is lost (AWA4).
    "seizer_dropped" => SeizerDropped says "{combatant} is out of action and loses the turn that it seized." { combatant: CombatantId }

    /// Somebody must be picked: for the next turn, or for the first of a new round.
    "choice_opened" => ChoiceOpened says "The next combatant is to be picked[ by {chooser}][{starter}, the first of a round]." {
        /// Whose controller picks; nobody where the game master does.
        chooser: Option<CombatantId>,
        /// True where the one to be picked is the first of a round (WA-11).
        starter: bool,
    }
}

redacted! {
    /// One roll for the first turn.
    pub struct InitiativeRoll says "{combatants} {total}" {
        /// For whom: one combatant, or a group with the highest Initiative Bonus first.
        pub combatants: Participants,
        /// The group, where it is a group's (WA-3).
        pub group: Option<Slug>,
        /// The d20.
        pub die: Die,
        /// The Initiative Bonus; a group's highest (AWA8).
        pub bonus: i64,
        /// The die and the bonus.
        pub total: i64,
        /// What it means for all of `combatants` (WA-6, WA-7).
        #[schema(inline)]
        pub meaning: Meaning,
    }

    /// One roll of a roll-off.
    pub struct RollOffRoll says "{combatants} {die}" {
        /// For whom: one combatant, or a group, of which the first would take the turn.
        pub combatants: Participants,
        /// The d20.
        pub die: Die,
    }
}
