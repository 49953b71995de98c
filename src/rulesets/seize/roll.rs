//! The roll that decides the first turn (WA-1, WA-3 to WA-7, WA-18).

use super::turn::{give_turn, take_turn};
use super::{
    Combatant, CritOn, Encounter, Equal, FullTie, Meaning, Play, Seize, State, Taken, Way,
};
use crate::rulesets::shared::{next_round, start_encounter, start_round};
use crate::vocabulary::{
    CombatantId, D20, Die, Fold, Kind, LegalCommand, MAX_COMBATANTS, Participants, Slug, Values,
    Violation, command, event, fact, word,
};
use serde_json::json;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Start the fight and its first turn. All combatants roll (WA-1); the server rolls the missing
/// dice. Enemies are all combatants except those on the side `players` and on the sides of
/// the option `not_enemies`.
#[command(gm, "Start the fight")]
pub struct Start {
    /// The way in which the enemies roll: one by one and by group, or one roll for all (WA-3).
    #[default]
    #[schema(inline, default = "apart")]
    pub enemies: Enemies,
    /// d20 rolled at the table, by combatant; they replace a die given by `roll`. The server rolls
    /// the rest.
    #[default]
    #[advanced]
    pub rolls: BTreeMap<CombatantId, D20>,
    /// d20 rolled at the table for groups, by `roll_group`; all enemies together are the group
    /// `enemies`.
    #[default]
    #[advanced]
    pub group_rolls: BTreeMap<Slug, D20>,
    /// d20 rolled at the table for the roll-off of a full tie, by combatant (WA-5a). The server
    /// rolls the rest.
    #[default]
    #[advanced]
    pub roll_offs: BTreeMap<CombatantId, D20>,
    /// d20 rolled at the table for the roll-off of a full tie, by group.
    #[default]
    #[advanced]
    pub group_roll_offs: BTreeMap<Slug, D20>,
}

/// The way in which the enemies roll (WA-3).
#[word]
pub enum Enemies {
    /// One roll for each combatant, and one for all with the same `roll_group`.
    #[default]
    Apart,
    /// One roll for all of them.
    Together,
}

/// Roll a combatant's d20 before `start` (WA-1). A later roll replaces it.
#[command(player, "{combatant}: roll initiative")]
pub struct Roll {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20 rolled at the table. The server rolls it if left out.
    #[physical]
    pub roll: Option<D20>,
}

/// A combatant's own die, rolled before the start (WA-1).
#[event("{combatant} {combatant:rolls|roll} {die} for initiative.")]
pub struct Rolled {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20.
    pub die: Die,
}

/// The rolls of all combatants for the first turn, once for the whole fight (WA-1, WA-18).
#[event("Initiative: {ranking}.")]
pub struct InitiativeRolled {
    /// The rolls, best first; after a roll-off its winner is the best.
    pub ranking: Vec<InitiativeRoll>,
}

/// One roll for the first turn.
#[fact(
    row,
    "{combatants} {total}[{meaning=one} (rolled a 1)][{meaning=twenty} (rolled a 20)]"
)]
pub struct InitiativeRoll {
    /// The combatant that rolled, or all of a group, with the highest Initiative Bonus first.
    pub combatants: Participants,
    /// The group, if a group rolled (WA-3).
    pub group: Option<Slug>,
    /// The d20.
    pub die: Die,
    /// The Initiative Bonus; a group's highest (WA-3a).
    pub bonus: i64,
    /// The die and the bonus.
    pub total: i64,
    /// The meaning of the roll for all of `combatants` (WA-6, WA-7).
    #[schema(inline)]
    pub meaning: Meaning,
}

/// The roll-off of a full tie for the first turn: equal results and bonuses (WA-5a).
#[event("Roll-off: {ranking}.")]
pub struct RolledOff {
    /// The dice of the tied combatants or groups, best first.
    pub ranking: Vec<RollOff>,
}

/// One die of a roll-off.
#[fact(row, "{combatants} {die}")]
pub struct RollOff {
    /// The combatant that rolled, or all of a group; the first would take the turn.
    pub combatants: Participants,
    /// The d20.
    pub die: Die,
}

impl Start {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let rollers = rollers(play.encounter(), self.enemies);
        check_dice(play, "rolls", &self.rolls, &rollers)?;
        check_dice(play, "roll_offs", &self.roll_offs, &rollers)?;
        check_group_dice("group_rolls", &self.group_rolls, &rollers)?;
        check_group_dice("group_roll_offs", &self.group_roll_offs, &rollers)?;
        start_encounter(play, "WA-1")?;
        let mut ranked = roll(play, self, rollers);
        let rolled_off = roll_off(play, self, &mut ranked);
        let ranking: Vec<_> = ranked.into_iter().map(|ranked| ranked.roll).collect();
        let all_rolled_one = ranking.iter().all(|roll| roll.meaning == Meaning::One);
        let first = ranking
            .first()
            .and_then(|best| best.combatants.first().cloned());
        play.emit(InitiativeRolled { ranking });
        if !rolled_off.is_empty() {
            play.emit(RolledOff {
                ranking: rolled_off,
            });
        }
        let Some(first) = first else {
            return Ok(());
        };
        start_round(play, 1);
        if all_rolled_one {
            next_round(play);
        }
        take_turn(play, &first);
        Ok(())
    }
}

impl Roll {
    /// Rolls the combatant's own die before the start.
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        let fighter = play.fighter("combatant", id, "WA-1")?;
        if let Some(group) = group(play.encounter(), fighter, Enemies::Apart) {
            let detail =
                format!("{id} rolls with the group {group}. The game master sends that die.");
            return Err(Violation::field("rolls_no_die", "combatant", detail));
        }
        let die = play.die(self.roll);
        play.emit(Rolled {
            combatant: id.clone(),
            die,
        });
        Ok(())
    }
}

/// A combatant or a group of enemies that rolls one die (WA-3).
struct Roller {
    group: Option<Slug>,
    /// The highest bonus first, then who joined first; the hidden last.
    combatants: Vec<CombatantId>,
    /// The highest among them (WA-3a); the hidden's would show.
    bonus: i64,
    /// That of its first, who would take the turn.
    seniority: Seniority,
}

/// Breaks a full tie: a player's character goes first, then the first to join (WA-5a).
type Seniority = (bool, Reverse<u32>);

/// A roll, who goes first in a full tie of rolls, and the die of the roll-off.
struct RankedRoll {
    roll: InitiativeRoll,
    seniority: Seniority,
    roll_off: Option<Die>,
}

/// The group of enemies with which a combatant rolls (WA-3).
fn group(encounter: &Encounter, c: &Combatant, enemies: Enemies) -> Option<Slug> {
    if c.side == "players" || encounter.options.not_enemies.contains(&c.side) {
        return None;
    }
    match enemies {
        Enemies::Apart => c.stats.roll_group.clone(),
        Enemies::Together => Some(Slug::fixed("enemies")),
    }
}

/// Refuses dice of combatants that do not roll for themselves.
fn check_dice(
    play: &Play<'_>,
    field: &'static str,
    dice: &BTreeMap<CombatantId, D20>,
    rollers: &[Roller],
) -> Result<(), Violation> {
    for id in dice.keys() {
        play.combatant(field, id)?;
        let roller = rollers.iter().find(|r| r.combatants.contains(id));
        let detail = match roller {
            Some(Roller { group: None, .. }) => continue,
            Some(Roller {
                group: Some(group), ..
            }) => {
                format!("{id} rolls with the group {group}. Send the die of that group.")
            }
            None => format!("{id} can't roll while out of the fight. Leave that die out."),
        };
        let path = format!("{field}.{}", id.as_str());
        return Err(Violation::field("rolls_no_die", path, detail));
    }
    Ok(())
}

/// Refuses dice of groups that do not roll.
fn check_group_dice(
    field: &'static str,
    dice: &BTreeMap<Slug, D20>,
    rollers: &[Roller],
) -> Result<(), Violation> {
    for group in dice.keys() {
        let rolls = rollers.iter().any(|r| r.group.as_ref() == Some(group));
        if !rolls {
            let path = format!("{field}.{group}");
            let detail = format!("No enemies roll as the group {group}. Leave that die out.");
            return Err(Violation::field("unknown_group", path, detail));
        }
    }
    Ok(())
}

/// All combatants in the fight, by the die that they roll, in the order in which those who would
/// act joined.
fn rollers(encounter: &Encounter, enemies: Enemies) -> Vec<Roller> {
    let mut ranked: Vec<&Combatant> = encounter.active().collect();
    ranked.sort_by_key(|c| (c.hidden, Reverse(c.stats.bonus()), c.joined));
    let mut rollers: Vec<Roller> = Vec::with_capacity(ranked.len());
    for c in ranked {
        let group = group(encounter, c, enemies);
        if group.is_some()
            && let Some(roller) = rollers.iter_mut().find(|roller| roller.group == group)
        {
            roller.combatants.push(c.id.clone());
            continue;
        }
        rollers.push(Roller {
            group,
            combatants: vec![c.id.clone()],
            bonus: c.stats.bonus(),
            seniority: (c.kind == Kind::Pc, Reverse(c.joined)),
        });
    }
    rollers.sort_by_key(|roller| roller.seniority.1.0);
    rollers
}

/// Who rolls a die alone, and the groups that roll one together.
fn who_rolls(encounter: &Encounter, enemies: Enemies) -> (Vec<CombatantId>, Vec<Slug>) {
    let (mut alone, mut groups) = (Vec::new(), Vec::new());
    for roller in rollers(encounter, enemies) {
        match roller.group {
            Some(group) => groups.push(group),
            None => alone.extend(roller.combatants),
        }
    }
    (alone, groups)
}

/// The die that was given for a roller, if one was.
fn given(
    group: Option<&Slug>,
    combatants: &[CombatantId],
    own: &BTreeMap<CombatantId, D20>,
    by_group: &BTreeMap<Slug, D20>,
) -> Option<D20> {
    match group {
        Some(group) => by_group.get(group).copied(),
        None => own.get(combatants.first()?).copied(),
    }
}

/// The die that a combatant rolled before the start. A group's die is the game master's.
fn own_die_of(encounter: &Encounter, roller: &Roller) -> Option<Die> {
    match (&roller.group, roller.combatants.first()) {
        (None, Some(id)) => encounter.get(id)?.state.own_die,
        _ => None,
    }
}

/// Rolls in the order of joining; the best comes out first.
fn roll(play: &mut Play<'_>, start: &Start, rollers: Vec<Roller>) -> Vec<RankedRoll> {
    let crit_on = play.encounter().options.crit_on;
    let mut rolls = Vec::with_capacity(rollers.len());
    for roller in rollers {
        let own = own_die_of(play.encounter(), &roller);
        let Roller {
            group,
            combatants,
            bonus,
            seniority,
        } = roller;
        let given = given(
            group.as_ref(),
            &combatants,
            &start.rolls,
            &start.group_rolls,
        );
        let die = match own {
            Some(own) if given.is_none() => own,
            _ => play.die(given),
        };
        let total = i64::from(die.face) + bonus;
        let meaning = match (crit_on, die.face) {
            (CritOn::Natural, 20) => Meaning::Twenty,
            (CritOn::Natural, 1) => Meaning::One,
            (CritOn::Total, _) if total >= 20 => Meaning::Twenty,
            (CritOn::Total, _) if total <= 1 => Meaning::One,
            _ => Meaning::Plain,
        };
        let roll = InitiativeRoll {
            combatants: combatants.into(),
            group,
            die,
            bonus,
            total,
            meaning,
        };
        rolls.push(RankedRoll {
            roll,
            seniority,
            roll_off: None,
        });
    }
    rolls.sort_by_key(|x| Reverse((rank(&x.roll), x.seniority)));
    rolls
}

/// What the rules compare: a 20 (WA-6), the result (WA-4), then the bonus (WA-5). Equal ranks are a
/// full tie. After a 1 only the bonus counts (WA-7a).
fn rank(roll: &InitiativeRoll) -> (Meaning, i64, i64) {
    let result = if roll.meaning == Meaning::One {
        roll.bonus
    } else {
        roll.total
    };
    (roll.meaning, result, roll.bonus)
}

/// Lets those in a full tie for the first turn roll once more (WA-5a), puts the best first, and
/// tells their dice.
fn roll_off(play: &mut Play<'_>, start: &Start, ranked: &mut [RankedRoll]) -> Vec<RollOff> {
    let Some(best) = ranked.first().map(|best| rank(&best.roll)) else {
        return Vec::new();
    };
    let equal = ranked.iter().take_while(|x| rank(&x.roll) == best).count();
    let rolls_off = equal > 1 && play.encounter().options.full_tie == FullTie::RollOff;
    let Some(tied) = ranked.get_mut(..equal).filter(|_| rolls_off) else {
        return Vec::new();
    };
    for RankedRoll { roll, roll_off, .. } in tied.iter_mut() {
        let group = roll.group.as_ref();
        let given = given(
            group,
            &roll.combatants,
            &start.roll_offs,
            &start.group_roll_offs,
        );
        *roll_off = Some(play.die(given));
    }
    tied.sort_by_key(|x| Reverse((x.roll_off.map(|die| die.face), x.seniority)));
    let mut dice = Vec::with_capacity(equal);
    for RankedRoll { roll, roll_off, .. } in tied.iter() {
        if let Some(die) = roll_off {
            dice.push(RollOff {
                combatants: roll.combatants.clone(),
                die: *die,
            });
        }
    }
    dice
}

impl Rolled {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Seize>) {
        fold.change_state(&self.combatant, |s| s.own_die = Some(self.die));
    }
}

impl InitiativeRolled {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Seize>) {
        fold.change_states(|s| s.own_die.is_some(), |s| s.own_die = None);
        open_with_best(fold.state(), self);
        for roll in &self.ranking {
            if roll.meaning == Meaning::Plain {
                continue;
            }
            for id in roll.combatants.iter() {
                fold.change_state(id, |s| {
                    s.extra_action = roll.meaning == Meaning::Twenty;
                    s.skips_round_1 = roll.meaning == Meaning::One;
                });
            }
        }
    }
}

/// The best roll has the first turn.
fn open_with_best(state: &mut State, e: &InitiativeRolled) {
    let Some((best, others)) = e.ranking.split_first() else {
        return;
    };
    let Some(first) = best.combatants.first() else {
        return;
    };
    let mut equals = Vec::new();
    for other in others {
        if other.meaning == best.meaning && other.total == best.total {
            equals.push(Equal {
                combatants: other.combatants.clone(),
                same_bonus: other.bonus == best.bonus,
            });
        }
    }
    let way = Way::Rolled {
        dice: vec![best.die],
        bonus: best.bonus,
        total: best.total,
        meaning: best.meaning,
        equals,
    };
    give_turn(state, first, way);
}

impl RolledOff {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Seize>) {
        note_roll_off(fold.state(), self);
    }
}

/// Adds the roll-off to the reason for which the best has the first turn.
fn note_roll_off(state: &mut State, e: &RolledOff) {
    let Some((best, others)) = e.ranking.split_first() else {
        return;
    };
    let Some(last) = state.turns.last_mut() else {
        return;
    };
    let mut taken = Taken::clone(last);
    let Way::Rolled { dice, equals, .. } = &mut taken.way else {
        return;
    };
    dice.push(best.die);
    equals.retain(|equal| !equal.same_bonus);
    for (place, other) in others.iter().enumerate() {
        let combatants = other.combatants.clone();
        let equal = Equal {
            combatants,
            same_bonus: true,
        };
        equals.insert(place, equal);
    }
    *last = taken.into();
}

/// The common roll, with enemies apart or together, and before it each one's own die.
pub(super) fn options(encounter: &Encounter) -> Vec<LegalCommand> {
    let mut legal = Vec::new();
    for enemies in [Enemies::Apart, Enemies::Together] {
        let start = LegalCommand::of::<Start>("WA-1");
        let start = match enemies {
            Enemies::Apart => start
                .labelled("Start: roll initiative")
                .choose("enemies", [json!(enemies)])
                .advanced("enemies"),
            Enemies::Together => start
                .labelled("Start: roll once for all enemies")
                .with("enemies", json!(enemies)),
        };
        legal.push(dice_of_the_table(encounter, enemies, start));
    }
    for c in encounter.active() {
        let roll = LegalCommand::by::<Roll>(&c.id, "WA-1");
        legal.push(roll.tool_if(c.state.own_die.is_some()));
    }
    legal
}

/// Opens the fields for dice that the table rolled itself.
fn dice_of_the_table(encounter: &Encounter, enemies: Enemies, start: LegalCommand) -> LegalCommand {
    let (alone, groups) = who_rolls(encounter, enemies);
    let alone = || Values::by_combatant(&alone, D20::any());
    let start = start.open("rolls", alone()).open("roll_offs", alone());
    if groups.is_empty() {
        return start;
    }
    let groups = || {
        let words = groups.iter().map(Slug::as_str);
        Values::map(Values::words(words), D20::any(), MAX_COMBATANTS)
    };
    start
        .open("group_rolls", groups())
        .open("group_roll_offs", groups())
}
