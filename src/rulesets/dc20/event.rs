//! The events of DC20.

use super::{Ap, Check, Difficulty, Held, Phase, Slot, SlotId, Team, Way};
use crate::vocabulary::{CombatantId, Die, Participants, Slug, Text, events, redacted};

events! {
    /// An event of DC20.
    Event;

    /// An act triggered the clash (DC-3).
    "aggression" => Aggressed says "{combatant} triggered the fight: {action}." {
        combatant: CombatantId,
        /// What it is.
        action: Text<200>,
        /// Whether it was carried out before Initiative; else the aggressor takes it on its first turn.
        resolved: bool,
    }

    /// The Encounter DC is set (DC-2).
    "dc_set" => DcSet says "The Encounter DC is {dc}." {
        /// The DC.
        dc: i64,
        /// The level, if the table gave the DC (DC-1).
        level: Option<u32>,
        /// The difficulty, if the table gave the DC.
        difficulty: Option<Difficulty>,
    }

    /// A player's character rolled before the start: the dice of its Initiative Check (DC-4).
    "check_rolled" => CheckRolled says "{combatant} rolls {dice} for initiative." {
        combatant: CombatantId,
        /// Every d20 that was rolled, several with ADV or DisADV.
        dice: Vec<Die>,
    }

    /// A player's character made its Initiative Check (DC-4).
    "check_made" => CheckMade says "{combatant} makes its Initiative Check[: {check}]." {
        combatant: CombatantId,
        /// The check. It gives an Inspiration Die (DC-8), ADV (DC-10), or ADV against the character (DC-11).
        check: Check,
    }

    /// A Fate Check was made (DC-27).
    "fate_checked" => FateChecked says "The Fate Check shows {die}." {
        /// The die.
        die: Die,
        /// Whether it shows 10 or more.
        high: bool,
        /// The enemy team that is first at 10 or more (DC-26).
        team: Option<Slug>,
    }

    /// The Initiative Turns are laid out (DC-15, DC-16).
    "order_laid" => OrderLaid says "The turns are laid out: {winner} is first." {
        /// The number of successful Initiative Checks.
        successes: u32,
        /// The number of PCs that count: half of them is enough (DC-13).
        pcs: u32,
        /// The team of the first turn.
        winner: Team,
        /// The enemy teams in their rotation (DC-26).
        enemy_teams: Vec<Slug>,
        /// The enemy teams whose combatants are all hidden.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unseen_teams: Vec<Slug>,
        /// The turns.
        slots: Vec<Slot>,
    }

    /// The combat begins with its first assigned turn; all combatants get their points (DC-31).
    "combat_began" => CombatBegan says "The combat begins." {
        /// The points of each combatant.
        points: Vec<Points>,
    }

    /// A turn waits for its combatants (DC-17, DC-20).
    "slot_opened" => SlotOpened says "Turn {slot} waits for its combatants." {
        /// The turn.
        slot: SlotId,
        /// `claim` if the PC team decides, `assign` if the game master does.
        phase: Phase,
    }

    /// A combatant claims the awaited PC Turn; others may still answer (DC-18).
    "claim_made" => ClaimMade says "{combatant} claims turn {slot}[{share}, and would share it]." {
        /// The turn.
        slot: SlotId,
        combatant: CombatantId,
        /// Whether it agrees to share the turn with equal results (DC-19).
        share: bool,
    }

    /// A combatant passes on the awaited PC Turn, or takes back its claim; others may still answer (DC-17).
    "claim_passed" => ClaimPassed says "{combatant} passes on turn {slot}." {
        /// The turn.
        slot: SlotId,
        combatant: CombatantId,
    }

    /// The contest for a PC Turn is decided.
    "slot_claimed" => SlotClaimed says "Turn {slot} goes to {combatants}[, before {outbid}]." {
        /// The turn.
        slot: SlotId,
        /// The combatants that take it; several share it (DC-19).
        combatants: Participants,
        /// Why they take it.
        by: Way,
        /// The claimants with a lower check (DC-18).
        outbid: Vec<CombatantId>,
    }

    /// Combatants were put into a turn.
    "assigned" => Assigned says "Turn {slot} goes to {combatants}." {
        /// The turn.
        slot: SlotId,
        /// The combatants.
        combatants: Participants,
        /// Why they have this place.
        by: Way,
    }

    /// An empty turn was skipped; it stays in the order (DC-22).
    "slot_skipped" => SlotSkipped says "Turn {slot} is skipped." {
        /// The turn.
        slot: SlotId,
    }

    /// An Initiative Turn begins, or more combatants join one that is going on.
    "slot_began" => SlotBegan says "Turn {slot} begins for {combatants}." {
        /// The turn.
        slot: SlotId,
        /// The combatants whose turns begin.
        combatants: Participants,
    }

    /// The turn of a combatant that is out of the fight passed; effects count it (ADC10).
    "turn_missed" => TurnMissed says "{combatant} misses its turn." { combatant: CombatantId }

    /// A delayed turn goes on with the Action Points that were left (DC-36).
    "turn_resumed" => TurnResumed says "{combatant}'s delayed turn goes on." { combatant: CombatantId }

    /// A finished turn gave the Action Points back (DC-45).
    "turn_closed" => TurnClosed says "{combatant} has its Action Points back[: {ap}]." {
        combatant: CombatantId,
        /// Its Action Points now.
        ap: Ap,
    }

    /// A delayed turn waits for an enemy without a turn. `delayed` follows after its assignment, or at the end of the round (DC-34).
    "place_held" => PlaceHeld says "{combatant} delays[ behind {behind}]." {
        combatant: CombatantId,
        /// The enemy.
        behind: Option<CombatantId>,
    }

    /// A turn moved for good to a later PC Turn; no Action Points came back (DC-33 to DC-36).
    "delayed" => Delayed says "{combatant} delays its turn to {to}." {
        combatant: CombatantId,
        /// The turn in which it goes on.
        to: SlotId,
        /// `delayed`, or `delayed_after` an enemy.
        by: Way,
    }

    /// A turn was added to the order.
    "slot_added" => SlotAdded says "A turn is added to the order." {
        /// The turn.
        slot: Slot,
        /// The turn that it follows; without it, the last turn of the order.
        after: Option<SlotId>,
    }

    /// An enemy team joined the rotation (DC-26).
    "team_joined" => TeamJoined says "The side {side} joins the rotation." {
        /// Its side.
        side: Slug,
        /// Whether all its combatants are hidden.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unseen: bool,
    }

    /// A turn of the hidden became visible to all, because a combatant in it is seen.
    "slot_shown" => SlotShown says "Turn {slot} is seen by all." {
        /// The turn.
        slot: SlotId,
        /// The team whose turn it is from now on.
        team: Team,
    }

    /// Two Enemy Turns became one (DC-25).
    "slots_merged" => SlotsMerged says "Turn {from} merges into {into}." {
        /// The turn that stays.
        into: SlotId,
        /// The turn whose enemies moved there; it is removed.
        from: SlotId,
        /// The shared PC Turn for which it was done.
        shared: SlotId,
        /// The turns of that team that move up. Each takes the place of the turn before it, the first the place of `from`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        moved_up: Vec<SlotId>,
    }

    /// Action Points changed: a penalty came or went, or a combatant joined (DC-43, DC-50).
    "ap_changed" => ApChanged says "{combatant}'s Action Points change[: {ap}]." {
        combatant: CombatantId,
        /// Its Action Points now.
        ap: Ap,
    }

    /// A combatant spent Action Points (DC-44).
    "ap_spent" => ApSpent says "{combatant} spends {spent} AP[ on {action}] and has {left} left." {
        combatant: CombatantId,
        /// The Action Points that it spent.
        spent: u32,
        /// The Action Points that are left.
        left: u32,
        /// What for.
        action: Option<Text<200>>,
    }

    /// A combatant paid for an action that waits for a trigger (DC-49).
    "action_held" => ActionHeld says "{combatant} holds an action[: {held}]." {
        combatant: CombatantId,
        /// The action.
        held: Held,
    }

    /// A held action happened, before what triggered it (DC-49).
    "held_triggered" => HeldTriggered says "{combatant} carries out its held action." { combatant: CombatantId }

    /// A held action was lost with its Action Points, because the next turn starts (DC-49).
    "held_wasted" => HeldWasted says "{combatant}'s held action is lost." { combatant: CombatantId }

    /// An Attack was made.
    "attacked" => Attacked says "{combatant} attacks {target}[{adv} with ADV]." {
        combatant: CombatantId,
        /// The target.
        target: CombatantId,
        /// Whether it has ADV, once, from the target's critical failure of Initiative (DC-11).
        adv: bool,
    }

    /// An Inspiration Die was added to a Check or Save (DC-8).
    "inspiration_used" => InspirationUsed says "{combatant} adds its Inspiration Die: {die}." {
        combatant: CombatantId,
        /// The die.
        die: Die,
    }

    /// The ADV of a critical success of Initiative was used (DC-10).
    "advantage_used" => AdvantageUsed says "{combatant} uses its ADV." { combatant: CombatantId }

    /// Legendary monsters may act.
    "legendary_opened" => LegendaryOpened says "Legendary monsters may act." {
        /// `between_turns` after a PC Turn (DC-52), `round_end` with their last points (DC-53).
        phase: Phase,
    }

    /// A legendary monster acted.
    "legendary_acted" => LegendaryActed says "{combatant} spends {spent} Legendary AP and has {left} left." {
        combatant: CombatantId,
        /// The Legendary Action Points that it spent.
        spent: u32,
        /// The Legendary Action Points that are left.
        left: u32,
    }

    /// A legendary monster has all its points again (DC-53).
    "lap_regained" => LapRegained says "{combatant} has {lap} Legendary AP again." {
        combatant: CombatantId,
        /// Its Legendary Action Points now.
        lap: u32,
    }

    /// No combatant is left to act.
    "nobody_left" => NobodyLeft says "Nobody is left to act." {}
}

redacted! {
    /// The points with which a combatant begins.
    pub struct Points {
        pub combatant: CombatantId,
        /// Its Action Points.
        pub ap: Ap,
        /// Its Legendary Action Points.
        pub lap: u32,
    }
}
