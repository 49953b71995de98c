//! The events of DC20.

use super::{Ap, Check, Difficulty, Held, Phase, Slot, SlotId, Team, Way};
use crate::vocabulary::{CombatantId, Die, Participants, Slug, Text, events, redacted};

events! {
    /// Something that happens under DC20 alone.
    Event;

    /// Somebody's act triggered the clash (DC-3).
    "aggression" => Aggressed {
        /// Whose act.
        combatant: CombatantId,
        /// What it was, or will have to be.
        action: Text<200>,
        /// True where it was carried out before Initiative; else it must be taken on that combatant's first turn.
        resolved: bool,
    }

    /// The Encounter DC is set (DC-2).
    "dc_set" => DcSet {
        /// The DC.
        dc: i64,
        /// The level that was looked up in the table (DC-1).
        level: Option<u32>,
        /// The difficulty that was looked up.
        difficulty: Option<Difficulty>,
    }

    /// A player's character made its Initiative Check (DC-4).
    "check_made" => CheckMade {
        /// Who.
        combatant: CombatantId,
        /// The check: a success gives the Inspiration Die (DC-8), a critical one more or worse (DC-10, DC-11).
        check: Check,
    }

    /// A Fate Check was made (DC-27).
    "fate_checked" => FateChecked {
        /// The die.
        die: Die,
        /// Whether it shows 10 or more.
        high: bool,
        /// The enemy team that is first if it does (DC-26).
        team: Option<Slug>,
    }

    /// The Initiative Turns are laid out (DC-15, DC-16).
    "order_laid" => OrderLaid {
        /// How many PCs beat the Encounter DC.
        successes: u32,
        /// Of how many: half of them is enough (DC-13).
        pcs: u32,
        /// The team of the first turn.
        winner: Team,
        /// The enemy teams in the order of their rotation (DC-26).
        enemy_teams: Vec<Slug>,
        /// Those of which nobody is seen.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unseen_teams: Vec<Slug>,
        /// The turns.
        slots: Vec<Slot>,
    }

    /// The first turn is assigned: the combat begins, and everybody has its Action Points (DC-31).
    "combat_began" => CombatBegan {
        /// What each combatant has.
        points: Vec<Points>,
    }

    /// Somebody must be named for a turn (DC-17, DC-20).
    "slot_opened" => SlotOpened {
        /// Which turn.
        slot: SlotId,
        /// `claim` where the PC team names, `assign` where the game master does.
        phase: Phase,
    }

    /// Somebody claims the PC Turn that is awaited; others may still answer (DC-18).
    "claim_made" => ClaimMade {
        /// Which turn.
        slot: SlotId,
        /// Who claims it.
        combatant: CombatantId,
        /// Whether the claimant agrees to share the turn with equal results (DC-19).
        share: bool,
    }

    /// Somebody passes on the PC Turn that is awaited, or takes back a claim; others may still answer (DC-17).
    "claim_passed" => ClaimPassed {
        /// Which turn.
        slot: SlotId,
        /// Who passes.
        combatant: CombatantId,
    }

    /// The PC team has said who takes a PC Turn.
    "slot_claimed" => SlotClaimed {
        /// Which turn.
        slot: SlotId,
        /// Who takes it; several share it (DC-19).
        combatants: Participants,
        /// How they came to it.
        by: Way,
        /// Who wanted it too and had a lower check result (DC-18).
        outbid: Vec<CombatantId>,
    }

    /// Combatants got a place in a turn.
    "assigned" => Assigned {
        /// Which turn.
        slot: SlotId,
        /// Who.
        combatants: Participants,
        /// How.
        by: Way,
    }

    /// A turn with nobody in it was passed over; it stays in the order (DC-22).
    "slot_skipped" => SlotSkipped {
        /// Which turn.
        slot: SlotId,
    }

    /// The turns of everybody in an Initiative Turn begin, or of somebody who joins one that is going on.
    "slot_began" => SlotBegan {
        /// Which turn.
        slot: SlotId,
        /// Who acts in it.
        combatants: Participants,
    }

    /// Somebody who is out of the fight came to its place in the order: what counts its turns counts this one (ADC10).
    "turn_missed" => TurnMissed {
        /// Who.
        combatant: CombatantId,
    }

    /// A delayed turn goes on with the Action Points that were left (DC-36).
    "turn_resumed" => TurnResumed {
        /// Whose turn.
        combatant: CombatantId,
    }

    /// Somebody has finished its turn and has its Action Points back (DC-45).
    "turn_closed" => TurnClosed {
        /// Who.
        combatant: CombatantId,
        /// The Action Points that it has now.
        ap: Ap,
    }

    /// Somebody delayed its turn behind an enemy that has no turn yet; `delayed` follows once the enemy is assigned, and at the end of
    /// the round at the latest (DC-34).
    "place_held" => PlaceHeld {
        /// Who.
        combatant: CombatantId,
        /// The enemy.
        behind: Option<CombatantId>,
    }

    /// Somebody moved its turn for good to a later PC Turn; no Action Points came back (DC-33 to DC-36).
    "delayed" => Delayed {
        /// Who.
        combatant: CombatantId,
        /// The turn in which it goes on.
        to: SlotId,
        /// `delayed` to that turn, or `delayed_after` an enemy.
        by: Way,
    }

    /// A turn was added to the order.
    "slot_added" => SlotAdded {
        /// The turn.
        slot: Slot,
        /// The turn that it follows; the last one of all where none is named.
        after: Option<SlotId>,
    }

    /// An enemy team joined the rotation (DC-26).
    "team_joined" => TeamJoined {
        /// Its side.
        side: Slug,
        /// Whether nobody of it is seen.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unseen: bool,
    }

    /// Somebody is seen who has its place in a turn that was laid out for the hidden: the turn is everybody's to know.
    "slot_shown" => SlotShown {
        /// The turn.
        slot: SlotId,
        /// Whose turn it is from now on.
        team: Team,
    }

    /// Two Enemy Turns became one (DC-25).
    "slots_merged" => SlotsMerged {
        /// The turn that stays.
        into: SlotId,
        /// The turn whose enemies moved there; it is there no more.
        from: SlotId,
        /// The shared PC Turn for which it was done.
        shared: SlotId,
        /// The later turns of that team: each takes the place in the order of the one before it, the first that of `from`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        moved_up: Vec<SlotId>,
    }

    /// Somebody has left, and has no place in the order any more.
    "place_lost" => PlaceLost {
        /// Who.
        combatant: CombatantId,
    }

    /// Somebody's Action Points changed without being spent: a penalty came or went (DC-43, DC-50).
    "ap_changed" => ApChanged {
        /// Who.
        combatant: CombatantId,
        /// What it has now.
        ap: Ap,
    }

    /// Somebody spent Action Points (DC-44).
    "ap_spent" => ApSpent {
        /// Who.
        combatant: CombatantId,
        /// How many.
        spent: u32,
        /// How many are left.
        left: u32,
        /// What for.
        action: Option<Text<200>>,
    }

    /// Somebody paid for an action that waits for a trigger (DC-49).
    "action_held" => ActionHeld {
        /// Who.
        combatant: CombatantId,
        /// The action.
        held: Held,
    }

    /// A held action happened, before what triggered it (DC-49).
    "held_triggered" => HeldTriggered {
        /// Whose.
        combatant: CombatantId,
    }

    /// A held action came to nothing, and its Action Points with it: its owner's next turn starts (DC-49).
    "held_wasted" => HeldWasted {
        /// Whose.
        combatant: CombatantId,
    }

    /// An Attack was made.
    "attacked" => Attacked {
        /// Who attacked.
        combatant: CombatantId,
        /// Whom.
        target: CombatantId,
        /// Whether it has ADV from the target's critical failure of Initiative (DC-11); that is used up then.
        adv: bool,
    }

    /// An Inspiration Die was added to a Check or Save (DC-8).
    "inspiration_used" => InspirationUsed {
        /// Whose.
        combatant: CombatantId,
        /// The die.
        die: Die,
    }

    /// The ADV of a critical success of Initiative was taken (DC-10).
    "advantage_used" => AdvantageUsed {
        /// Whose.
        combatant: CombatantId,
    }

    /// Round 1 is over, and what held for it alone is gone (DC-10, DC-11).
    "round_one_lost" => RoundOneLost {
        /// Whose.
        combatants: Participants,
    }

    /// Legendary monsters may act.
    "legendary_opened" => LegendaryOpened {
        /// `between_turns` after a PC Turn (DC-52), `round_end` with what they have left (DC-53).
        phase: Phase,
    }

    /// A legendary monster acted.
    "legendary_acted" => LegendaryActed {
        /// Which.
        combatant: CombatantId,
        /// How many Legendary Action Points it spent.
        spent: u32,
        /// How many it has left.
        left: u32,
    }

    /// A legendary monster has all its points again (DC-53).
    "lap_regained" => LapRegained {
        /// Which.
        combatant: CombatantId,
        /// How many.
        lap: u32,
    }

    /// A round is over: 12 seconds more (DC-39).
    "round_closed" => RoundClosed {
        /// How many seconds the fight has lasted.
        seconds: u64,
    }

    /// Nobody is left in the fight.
    "nobody_left" => NobodyLeft {}

    /// The game master set whose turn it is; turns that were going on are taken back.
    "turn_set" => TurnSet {
        /// Whose turn it is now.
        combatant: CombatantId,
    }

    /// The combat is over; Inspiration Dice that are left are lost (DC-8).
    "combat_closed" => CombatClosed {
        /// Who still had one.
        dice_lost: Vec<CombatantId>,
    }
}

redacted! {
    /// The Action Points that a combatant begins with.
    pub struct Points {
        /// Who.
        pub combatant: CombatantId,
        /// Its Action Points.
        pub ap: Ap,
        /// Its Legendary Action Points.
        pub lap: u32,
    }
}
