//! A unit begins: all personas roll (EX-1 to EX-8, EX-11, EX-23a).

use super::list::advance;
use super::state::MAX_DIGITS;
use super::{
    Combatant, CombatantState, Encounter, Exp, InitiativeRoll, OwnRoll, Phase, Play, Spending,
    State,
};
use crate::rulesets::shared::{seen_first, start_encounter, start_round};
use crate::vocabulary::{
    Actor, CombatantId, D10, D20, Describe, Die, Fold, LegalCommand, Listed, Names, Values,
    Violation, command, event, field, require,
};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::sync::Arc;

/// Start the fight: all personas roll initiative for the first unit (EX-2).
#[command(gm, "Start the fight")]
pub struct Start {
    /// The d20s rolled at the table, by persona or crowd, in place of those that personas rolled
    /// ahead. The server rolls the others.
    #[default]
    #[advanced]
    pub rolls: BTreeMap<CombatantId, D20>,
    /// The d10s rolled at the table for ties; the server rolls the others.
    #[default]
    #[advanced]
    pub tie_rolls: BTreeMap<CombatantId, Vec<D10>>,
}

/// Roll initiative: with `combatant`, that persona's own dice for the next unit, before `start` or
/// before all roll; without it, for all, so that the next unit begins (EX-3).
#[command(
    player,
    "[{combatant}: roll initiative][{!combatant}Roll initiative for all]",
    actor
)]
pub struct Roll {
    /// The persona that rolls ahead of the others. A later roll replaces it.
    pub combatant: Option<CombatantId>,
    /// The persona's d20, if rolled at the table. By default the server rolls.
    #[physical]
    pub roll: Option<D20>,
    /// The persona's d10s for ties, if rolled at the table: at most 16, used in their order.
    #[default]
    #[advanced]
    pub tie_dice: Vec<D10>,
    /// The d20s rolled at the table for the unit, by persona or crowd, in place of those that
    /// personas rolled ahead.
    #[default]
    #[advanced]
    pub rolls: BTreeMap<CombatantId, D20>,
    /// The d10s rolled at the table for ties of the unit, by persona or crowd.
    #[default]
    #[advanced]
    pub tie_rolls: BTreeMap<CombatantId, Vec<D10>>,
}

/// The d20s rolled at the table, by persona or crowd.
pub type Rolls = BTreeMap<CombatantId, D20>;
/// The d10s rolled at the table for ties, by persona or crowd: at most 16 each, used in their
/// order.
pub type TieRolls = BTreeMap<CombatantId, Vec<D10>>;

impl Roll {
    /// Any player may start the roll; the dice are each player's own.
    pub(crate) fn actor(&self) -> Actor<'_> {
        Actor::Of(self.rollers())
    }

    /// The personas and crowds whose dice it names.
    fn rollers(&self) -> Vec<&CombatantId> {
        let mut rollers: Vec<&CombatantId> = self.combatant.iter().collect();
        rollers.extend(self.rolls.keys());
        rollers.extend(self.tie_rolls.keys());
        rollers
    }
}

/// A persona rolled ahead of the others, for the next unit.
#[event("{combatant} {combatant:rolls|roll} {die} for initiative.")]
pub struct Rolled {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20.
    pub die: Die,
    /// The d10s for ties, if rolled at the table.
    pub tie_dice: Vec<D10>,
}

/// All personas rolled initiative for a unit (EX-2), and the first pass begins.
#[event(tells_itself)]
pub struct InitiativeRolled {
    /// The list, highest first (EX-5), without ties (EX-6).
    pub ranking: Vec<InitiativeRoll>,
}

impl Describe for InitiativeRolled {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        tell_rolls("Initiative: ", &self.ranking, names, out)
    }
}

/// A roll among others, as a row of the list.
struct Row<'a> {
    roll: &'a InitiativeRoll,
    ranking: &'a [InitiativeRoll],
}

impl Describe for Row<'_> {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        let written = self.roll.written(self.ranking);
        self.roll.combatants.describe(names, out) && write!(out, " {written}").is_ok()
    }

    fn is_row(&self) -> bool {
        true
    }
}

/// Tells a list of rolls.
pub(super) fn tell_rolls(
    title: &str,
    ranking: &[InitiativeRoll],
    names: &dyn Names,
    out: &mut String,
) -> bool {
    let rows: Vec<Row<'_>> = ranking.iter().map(|roll| Row { roll, ranking }).collect();
    *out += title;
    rows.describe(names, out);
    write!(out, ".").is_ok()
}

/// A persona or a crowd that is about to roll.
pub(super) struct Contender {
    pub id: CombatantId,
    pub combatants: Vec<CombatantId>,
    pub bonus: i64,
    /// The dice that it rolled ahead of the others.
    pub own: Option<OwnRoll>,
}

impl Start {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        next_unit(play, &self.rolls, &self.tie_rolls)
    }
}

impl Roll {
    /// A persona's own roll for the next unit, or the roll of all, with which it begins.
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        match &self.combatant {
            Some(id) => {
                let mixed = !self.rolls.is_empty() || !self.tie_rolls.is_empty();
                require(
                    !mixed,
                    "own_or_all",
                    field("combatant"),
                    || "\"rolls\" and \"tie_rolls\" are for the roll of all. Remove them, or \"combatant\".",
                )?;
                own_roll(play, id, self)
            }
            None => {
                let mixed = self.roll.is_some() || !self.tie_dice.is_empty();
                require(
                    !mixed,
                    "own_or_all",
                    field("combatant"),
                    || "\"roll\" and \"tie_dice\" are one persona's dice. Add \"combatant\", or remove them.",
                )?;
                next_unit(play, &self.rolls, &self.tie_rolls)
            }
        }
    }
}

fn next_unit(play: &mut Play<'_>, rolls: &Rolls, tie_rolls: &TieRolls) -> Result<(), Violation> {
    between_units(play.encounter())?;
    start_encounter(play, "EX-2")?;
    let contenders = contenders(play.encounter());
    check_rolls(&contenders, rolls, tie_rolls)?;
    begin(play, contenders, rolls, tie_rolls);
    advance(play);
    Ok(())
}

fn between_units(encounter: &Encounter) -> Result<(), Violation> {
    let is_over = matches!(encounter.state.phase, Phase::Setup | Phase::Roll);
    require(
        is_over,
        "unit_going_on",
        "EX-2",
        || "A unit is in progress, and initiative is rolled once per unit. Roll again when all have used their move and act.",
    )
}

/// Rolls the dice of one persona for the next unit.
fn own_roll(play: &mut Play<'_>, id: &CombatantId, c: &Roll) -> Result<(), Violation> {
    let roller = play.fighter("combatant", id, "EX-2")?;
    between_units(play.encounter())?;
    if let Some(crowd) = &roller.stats.crowd {
        let detail =
            format!("{id} rolls with the crowd {crowd}. The game master rolls for the crowd.");
        return Err(Violation::field("does_not_roll", "combatant", detail));
    }
    few_digits("tie_dice", &c.tie_dice)?;
    let die = play.die(c.roll);
    play.emit(Rolled {
        combatant: id.clone(),
        die,
        tie_dice: c.tie_dice.clone(),
    });
    Ok(())
}

/// Rolls for a unit; no persona is asked yet.
pub(super) fn begin(
    play: &mut Play<'_>,
    contenders: Vec<Contender>,
    rolls: &Rolls,
    tie_rolls: &TieRolls,
) {
    let unit = play.encounter().round.saturating_add(1);
    start_round(play, unit);
    let ranking = rank(play, contenders, rolls, tie_rolls);
    play.emit(InitiativeRolled { ranking });
}

/// All personas in the fight, the stunned too: they may recover before they are asked (EX-23a). A
/// crowd rolls with the values of its first persona (EX-4), of the visible ones if any: the values
/// of a hidden one would show.
pub(super) fn contenders(encounter: &Encounter) -> Vec<Contender> {
    let mut contenders: Vec<Contender> = Vec::with_capacity(encounter.combatants.len());
    for c in seen_first(encounter.active()) {
        // A crowd rolls under its word (EX-4, EX-4a).
        let id = c.stats.crowd.as_ref().unwrap_or(&c.id);
        match contenders.iter_mut().find(|crowd| crowd.id == *id) {
            Some(crowd) => crowd.combatants.push(c.id.clone()),
            None => contenders.push(Contender {
                id: id.clone(),
                combatants: vec![c.id.clone()],
                bonus: bonus(encounter, c),
                own: own_dice(c),
            }),
        }
    }
    contenders
}

/// The dice that a persona rolled ahead of the others. A crowd's roll is the game master's.
fn own_dice(c: &Combatant) -> Option<OwnRoll> {
    if c.stats.crowd.is_some() {
        return None;
    }
    c.state.own_roll.clone()
}

/// What a persona adds to its d20 (EX-1, EX-11).
fn bonus(encounter: &Encounter, c: &Combatant) -> i64 {
    let table = encounter.options.encumbrance_table;
    c.stats.dex.get() + c.level_or_first() + table.modifier(c.stats.encumbrance)
}

/// Refuses rolls of personas that do not roll, and too many digits.
pub(super) fn check_rolls(
    contenders: &[Contender],
    rolls: &Rolls,
    tie_rolls: &TieRolls,
) -> Result<(), Violation> {
    for id in rolls.keys() {
        rolls_here(contenders, "rolls", id)?;
    }
    for id in tie_rolls.keys() {
        rolls_here(contenders, "tie_rolls", id)?;
    }
    for (id, digits) in tie_rolls {
        few_digits(&format!("tie_rolls.{}", id.as_str()), digits)?;
    }
    Ok(())
}

fn rolls_here(contenders: &[Contender], path: &str, id: &CombatantId) -> Result<(), Violation> {
    if contenders.iter().any(|c| c.id == *id) {
        return Ok(());
    }
    let detail = match contenders.iter().find(|c| c.combatants.contains(id)) {
        Some(crowd) => format!("{id} rolls with a crowd. Send one roll, for {}.", crowd.id),
        None => format!("{id} doesn't roll here. Name a persona in the fight, or a crowd."),
    };
    let path = format!("{path}.{}", id.as_str());
    Err(Violation::field("does_not_roll", path, detail))
}

fn few_digits(path: &str, digits: &[D10]) -> Result<(), Violation> {
    let few = digits.len() <= MAX_DIGITS;
    require(few, "too_many_digits", field(path.to_owned()), || {
        format!("Too many dice for a tie. Send at most {MAX_DIGITS} for each persona.")
    })
}

/// Each contender rolls a d20; equal totals roll d10s until they differ (EX-6 to EX-8).
pub(super) fn rank(
    play: &mut Play<'_>,
    contenders: Vec<Contender>,
    rolls: &Rolls,
    tie_rolls: &TieRolls,
) -> Vec<InitiativeRoll> {
    let mut ranking: Vec<InitiativeRoll> = Vec::with_capacity(contenders.len());
    let mut all_ties = TieRolls::new();
    for contender in contenders {
        let die = match (rolls.get(&contender.id), &contender.own) {
            (None, Some(own)) => own.die,
            (roll, _) => play.die(roll.copied()),
        };
        if let Some(own) = contender.own {
            all_ties.insert(contender.id.clone(), own.tie_dice);
        }
        ranking.push(InitiativeRoll {
            id: contender.id,
            combatants: contender.combatants,
            die,
            bonus: contender.bonus,
            total: i64::from(die.face) + contender.bonus,
            digits: Vec::new(),
        });
    }
    all_ties.extend(tie_rolls.clone());
    InitiativeRoll::sort(&mut ranking, |roll| {
        let given = all_ties
            .get(&roll.id)
            .and_then(|digits| digits.get(roll.digits.len()));
        Some(play.die(given.copied()))
    });
    ranking
}

impl Rolled {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Exp>) {
        let own_roll = OwnRoll {
            die: self.die,
            tie_dice: self.tie_dice.clone(),
        };
        fold.change_state(&self.combatant, |state| state.own_roll = Some(own_roll));
    }
}

impl InitiativeRolled {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Exp>) {
        give_components(fold, &self.ranking);
    }
}

/// Gives both components to all in the list, and nothing to the others.
fn give_components(fold: &mut Fold<'_, Exp>, ranking: &[InitiativeRoll]) {
    let mut ranks: HashMap<&CombatantId, u32> = HashMap::new();
    for (rank, roll) in (1..).zip(ranking) {
        for id in &roll.combatants {
            ranks.insert(id, rank);
        }
    }
    fold.change_each(|id, state| {
        let rank = ranks.get(id).copied();
        let left = if rank.is_some() {
            Spending::Pending
        } else {
            Spending::Lost
        };
        let keeps_waiting = state.keeps_waiting;
        *state = CombatantState {
            rank,
            move_status: left,
            act_status: left,
            keeps_waiting,
            ..CombatantState::default()
        };
    });
    *fold.state() = State {
        phase: Phase::Pass,
        pass: 1,
        ranking: Arc::new(ranking.to_vec()),
        ..State::default()
    };
}

/// The roll of all, and before it each persona's own roll.
pub(super) fn options<C: Listed>(
    encounter: &Encounter,
    rule: &'static str,
    legal: &mut Vec<LegalCommand>,
) {
    legal.push(rolling(encounter, LegalCommand::of::<C>(rule)));
    for c in encounter.active() {
        let roll = LegalCommand::by::<Roll>(&c.id, rule).open("tie_dice", d10s());
        legal.push(roll.tool_if(c.state.own_roll.is_some()));
    }
}

/// Opens the fields for the dice that the table rolled.
fn rolling(encounter: &Encounter, command: LegalCommand) -> LegalCommand {
    let contenders = contenders(encounter);
    let everyone = || contenders.iter().map(|contender| &contender.id);
    command
        .without(&["roll"])
        .open("rolls", Values::by_combatant(everyone(), D20::any()))
        .open("tie_rolls", Values::by_combatant(everyone(), d10s()))
}

fn d10s() -> Values {
    Values::dice(D10::MOST, 16)
}
