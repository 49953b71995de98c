//! The start of a scene: one triggers it, or all roll (AI-2, AI-3, AI-5, AI-6, AI-8, AI-15, AI-30).

use super::turn::{open_window, take_turn};
use super::{ActiveInitiative, Encounter, InterruptPoints, Phase, Play, Way};
use crate::rulesets::shared::{start_encounter, start_round};
use crate::vocabulary::{
    CombatantId, D20, Die, Fold, Int, Kind, LegalCommand, Values, Violation, command, event, fact,
    field, require,
};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Start the scene. The combatant in `first` takes the first turn (AI-2); without it all combatants
/// roll, and the highest result does (AI-3).
#[command(gm, "Start the fight[: {first} goes first]")]
pub struct Start {
    /// The combatant, group or hazard that triggered the scene (AI-6).
    pub first: Option<CombatantId>,
    /// d20 rolled at the table, by combatant; they replace a die given by `roll`. The server rolls
    /// the rest. Leave it out with `first`.
    #[default]
    #[advanced]
    pub rolls: BTreeMap<CombatantId, D20>,
    /// d20 rolled at the table for the roll-off of a full tie, by combatant (AI-5a). The server
    /// rolls the rest.
    #[default]
    #[advanced]
    pub roll_offs: BTreeMap<CombatantId, D20>,
}

/// Roll a combatant's d20 before a `start` without `first` (AI-3). A later roll replaces it.
#[command(player, "{combatant}: roll initiative")]
pub struct Roll {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20 rolled at the table. The server rolls it if left out.
    #[physical]
    pub roll: Option<D20>,
}

/// Advice, not a rule: fewer groups of monsters than half the players (AI-15).
#[event("Advice: use {wanted} monsters or groups instead of {groups} for this many players.")]
pub struct Advised {
    /// The number of monsters and groups that can be nominated.
    pub groups: u32,
    /// The recommended number.
    pub wanted: u32,
}

/// A combatant's own die, rolled before the start (AI-3).
#[event("{combatant} {combatant:rolls|roll} {die} for initiative.")]
pub struct Rolled {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20.
    pub die: Die,
}

/// The rolls of all combatants for the first turn; only the highest result matters (AI-3).
#[event("Initiative: {ranking}.")]
pub struct InitiativeRolled {
    /// The rolls, highest first.
    pub ranking: Vec<InitiativeRoll>,
}

/// One combatant's roll for the first turn.
#[fact(row, "{combatant} {total}")]
pub struct InitiativeRoll {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20.
    pub die: Die,
    /// The die and the INT modifier (AI-5).
    pub total: i64,
}

/// The roll-off of a full tie for the first turn: equal rolls, DEX and WIS (AI-5a).
#[event("Roll-off: {ranking}.")]
pub struct RolledOff {
    /// The dice of the tied combatants, best first.
    pub ranking: Vec<RollOff>,
}

/// One combatant's die in a roll-off.
#[fact(row, "{combatant} {die}")]
pub struct RollOff {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20.
    pub die: Die,
}

/// The interrupt points that the game master starts with: one for each player, or as many as the
/// option says (AI-30).
#[event("The game master has {points} interrupt {points:point|points}.")]
pub struct InterruptPointsGained {
    /// The number of points.
    pub points: u32,
}

impl Start {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        if let Some(first) = &self.first {
            check_no_dice("rolls", &self.rolls)?;
            check_no_dice("roll_offs", &self.roll_offs)?;
            play.fighter("first", first, "AI-8")?;
        }
        check_rollers(play, "rolls", &self.rolls)?;
        check_rollers(play, "roll_offs", &self.roll_offs)?;
        start_encounter(play, "AI-8")?;
        advise(play);
        gain_interrupt_points(play);
        start_round(play, 1);
        let first = match &self.first {
            Some(first) => Some(first.clone()),
            None => roll_opening(play, self),
        };
        if let Some(first) = first {
            take_turn(play, &first);
        }
        Ok(())
    }
}

type Dice = BTreeMap<CombatantId, D20>;

/// Refuses dice, because a combatant triggered the scene.
fn check_no_dice(path: &'static str, dice: &Dice) -> Result<(), Violation> {
    let detail =
        "The combatant in \"first\" starts without a roll. Leave out either \"first\" or the dice.";
    require(dice.is_empty(), "first_or_rolls", field(path), || detail)
}

/// Refuses dice of combatants that do not roll.
fn check_rollers(play: &Play<'_>, path: &'static str, dice: &Dice) -> Result<(), Violation> {
    for id in dice.keys() {
        if !play.combatant(path, id)?.active() {
            let path = format!("{path}.{}", id.as_str());
            let detail = format!("{id} can't roll while out of the fight. Leave that die out.");
            return Err(Violation::field("rolls_no_die", path, detail));
        }
    }
    Ok(())
}

/// Advises more monsters if there are too few for the players (AI-15).
fn advise(play: &mut Play<'_>) {
    let encounter = play.encounter();
    let mut beside_a_pc = HashSet::new();
    for pc in encounter.iter().filter(|c| c.kind == Kind::Pc) {
        beside_a_pc.insert(&pc.side);
    }
    let groups = encounter
        .iter()
        .filter(|c| c.kind == Kind::Npc && !beside_a_pc.contains(&c.side))
        .count();
    let wanted = players(encounter).div_ceil(2);
    if groups < wanted {
        play.emit(Advised {
            groups: count(groups),
            wanted: count(wanted),
        });
    }
}

/// Gives the game master the interrupt points of the variant, if it is played (AI-30).
fn gain_interrupt_points(play: &mut Play<'_>) {
    let points = match play.encounter().options.interrupt_points {
        InterruptPoints::ByPlayers(false) => return,
        InterruptPoints::ByPlayers(true) => count(players(play.encounter())),
        InterruptPoints::Exactly(points) => points.count(),
    };
    play.emit(InterruptPointsGained { points });
}

fn count(combatants: usize) -> u32 {
    u32::try_from(combatants).unwrap_or(u32::MAX)
}

impl Roll {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        play.fighter("combatant", &self.combatant, "AI-3")?;
        let die = play.die(self.roll);
        play.emit(Rolled {
            combatant: self.combatant.clone(),
            die,
        });
        Ok(())
    }
}

/// The number of players (AI-15, AI-30): the named controllers of players' characters, and each
/// character without one.
fn players(encounter: &Encounter) -> usize {
    let mut unnamed = 0;
    let mut named = BTreeSet::new();
    for c in encounter.iter().filter(|c| c.kind == Kind::Pc) {
        match c.controller.as_str() {
            "player" => unnamed += 1,
            "gm" => {}
            name => {
                named.insert(name);
            }
        }
    }
    unnamed + named.len()
}

/// A roll for the first turn, and what it is ranked by: its total, then DEX, then WIS (AI-5).
type RankedRoll = ((i64, Int<0, 50>, Int<0, 50>), InitiativeRoll);

/// The highest of all rolls of d20 and the INT modifier (AI-3); a full tie is rolled off (AI-5a).
fn roll_opening(play: &mut Play<'_>, start: &Start) -> Option<CombatantId> {
    let combatants = play.encounter().combatants.clone();
    let mut ranked: Vec<RankedRoll> = Vec::with_capacity(combatants.len());
    for roller in combatants.iter().filter(|c| c.active()) {
        let die = match (start.rolls.get(&roller.id), roller.state.own_die) {
            (None, Some(own)) => own,
            (given, _) => play.die(given.copied()),
        };
        let total = i64::from(die.face) + roller.stats.int_modifier.get();
        let roll = InitiativeRoll {
            combatant: roller.id.clone(),
            die,
            total,
        };
        ranked.push(((total, roller.stats.dex, roller.stats.wis), roll));
    }
    ranked.sort_by_key(|(rank, _)| Reverse(*rank));
    let (best, _) = ranked.first()?;
    let equal = ranked.iter().take_while(|(rank, _)| rank == best).count();
    let mut rolls: Vec<InitiativeRoll> = ranked.into_iter().map(|(_, roll)| roll).collect();
    let dice = roll_off(play, start, &mut rolls, equal);
    let first = rolls.first()?.combatant.clone();
    play.emit(InitiativeRolled { ranking: rolls });
    if !dice.is_empty() {
        play.emit(RolledOff { ranking: dice });
    }
    Some(first)
}

/// Rolls off the first `equal` of the rolls, puts them in that order, and tells their dice; a
/// single one rolls nothing.
fn roll_off(
    play: &mut Play<'_>,
    start: &Start,
    rolls: &mut [InitiativeRoll],
    equal: usize,
) -> Vec<RollOff> {
    let Some(tied) = rolls.get_mut(..equal).filter(|tied| tied.len() > 1) else {
        return Vec::new();
    };
    let mut dice = BTreeMap::new();
    for roll in tied.iter() {
        let die = play.die(start.roll_offs.get(&roll.combatant).copied());
        dice.insert(roll.combatant.clone(), die);
    }
    // The sort is stable: equal dice stay in the order of joining.
    tied.sort_by_key(|roll| Reverse(dice.get(&roll.combatant).map(|die| die.face)));
    let mut rolled_off = Vec::with_capacity(tied.len());
    for roll in tied.iter() {
        if let Some(die) = dice.get(&roll.combatant) {
            rolled_off.push(RollOff {
                combatant: roll.combatant.clone(),
                die: *die,
            });
        }
    }
    rolled_off
}

impl Advised {
    /// Changes nothing: it is advice.
    pub(super) fn apply(&self, _: &mut Fold<'_, ActiveInitiative>) {}
}

impl Rolled {
    pub(super) fn apply(&self, fold: &mut Fold<'_, ActiveInitiative>) {
        fold.change_state(&self.combatant, |s| s.own_die = Some(self.die));
    }
}

impl InitiativeRolled {
    pub(super) fn apply(&self, fold: &mut Fold<'_, ActiveInitiative>) {
        let Some((best, others)) = self.ranking.split_first() else {
            return;
        };
        let mut tied = Vec::new();
        for other in others {
            if other.total == best.total {
                tied.push(other.combatant.clone());
            }
        }
        let way = Way::Rolled {
            die: best.die,
            total: best.total,
            tied,
            roll_off: None,
            rolled_off: Vec::new(),
        };
        open_window(fold, &best.combatant, way);
    }
}

impl RolledOff {
    pub(super) fn apply(&self, fold: &mut Fold<'_, ActiveInitiative>) {
        let Some((best, others)) = self.ranking.split_first() else {
            return;
        };
        let Phase::Window { way, .. } = &mut fold.state().phase else {
            return;
        };
        if let Way::Rolled {
            roll_off,
            rolled_off,
            ..
        } = way
        {
            *roll_off = Some(best.die);
            *rolled_off = others.iter().map(|roll| roll.combatant.clone()).collect();
        }
    }
}

impl InterruptPointsGained {
    pub(super) fn apply(&self, fold: &mut Fold<'_, ActiveInitiative>) {
        fold.state().interrupt_points = Some(self.points);
    }
}

pub(super) fn options(encounter: &Encounter) -> Vec<LegalCommand> {
    let fighters = || encounter.active().map(|c| &c.id);
    let d20s = || Values::by_combatant(fighters(), D20::any());
    let choose = LegalCommand::of::<Start>("AI-2")
        .labelled("Start: choose who goes first")
        .whom("first", fighters())
        .required("first")
        .alike_values("first");
    let roll = LegalCommand::of::<Start>("AI-3")
        .labelled("Start: roll for the first turn")
        .open("rolls", d20s())
        .open("roll_offs", d20s());
    // A roll before the start is meant to decide.
    let has_rolled = encounter.active().any(|c| c.state.own_die.is_some());
    let mut legal = vec![choose, roll.preferred_if(has_rolled)];
    for c in encounter.active() {
        let roll = LegalCommand::by::<Roll>(&c.id, "AI-3");
        legal.push(roll.tool_if(c.state.own_die.is_some()));
    }
    legal
}
