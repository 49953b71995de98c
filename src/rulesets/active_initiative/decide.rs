//! The rules of Active Initiative.

use super::manifest::INCAPACITATING;
use super::react::{advance, close_round};
use super::{
    Advised, Combatant, Command, Encounter, EndTurn, InitiativeRoll, InitiativeRolled,
    InspirationSpent, Inspired, Interrupt, InterruptPoints, InterruptPointsGained, Interrupted,
    MEANS, Means, Nominate, Nominated, Options, Passed, Phase, Play, Readied, Ready, ReadyLapsed,
    Roll, RollOff, Rolled, RolledOff, Start, Triggered,
};
use crate::rulesets::shared::{
    check_chooser, check_in_fight, check_started, check_starter, end_turn, start_encounter,
    start_round, start_turn,
};
use crate::vocabulary::{CombatantId, D20, Int, Kind, Violation, field, ids, require};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};

pub(super) fn decide(play: &mut Play<'_>, command: &Command) -> Result<(), Violation> {
    check_started(
        play,
        matches!(command, Command::Start(_) | Command::Roll(_)),
        "AI-2",
    )?;
    match command {
        Command::Start(c) => start(play, c),
        Command::Roll(c) => roll_own_die(play, c),
        Command::EndTurn(c) => finish(play, c),
        Command::Nominate(c) => nominate(play, c),
        Command::BeginTurn(c) => begin(play, &c.combatant),
        Command::Interrupt(c) => interrupt(play, c),
        Command::Pass(c) => pass(play, &c.combatant),
        Command::Resolve(_) => resolve(play),
        Command::Ready(c) => ready(play, c),
        Command::Trigger(c) => trigger(play, &c.combatant),
        Command::Inspire(c) => inspire(play, &c.combatant),
        Command::SpendInspiration(c) => spend(play, &c.combatant, "AI-29"),
    }
}

fn start(play: &mut Play<'_>, c: &Start) -> Result<(), Violation> {
    if let Some(first) = &c.first {
        check_no_dice("rolls", &c.rolls)?;
        check_no_dice("roll_offs", &c.roll_offs)?;
        play.fighter("first", first, "AI-8")?;
    }
    check_rollers(play, "rolls", &c.rolls)?;
    check_rollers(play, "roll_offs", &c.roll_offs)?;
    start_encounter(play, "AI-8")?;
    advise(play);
    gain_interrupt_points(play);
    start_round(play, 1);
    let first = match &c.first {
        Some(first) => Some(first.clone()),
        None => roll_opening(play, c),
    };
    if let Some(first) = first {
        take_turn(play, &first);
    }
    Ok(())
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

/// Rolls a combatant's own die before the start.
fn roll_own_die(play: &mut Play<'_>, c: &Roll) -> Result<(), Violation> {
    play.fighter("combatant", &c.combatant, "AI-3")?;
    let die = play.die(c.roll);
    play.emit(Rolled {
        combatant: c.combatant.clone(),
        die,
    });
    Ok(())
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
fn roll_opening(play: &mut Play<'_>, c: &Start) -> Option<CombatantId> {
    let combatants = play.encounter().combatants.clone();
    let mut ranked: Vec<RankedRoll> = Vec::with_capacity(combatants.len());
    for roller in combatants.iter().filter(|c| c.active()) {
        let die = match (c.rolls.get(&roller.id), roller.state.own_die) {
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
    let dice = roll_off(play, c, &mut rolls, equal);
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
    c: &Start,
    rolls: &mut [InitiativeRoll],
    equal: usize,
) -> Vec<RollOff> {
    let Some(tied) = rolls.get_mut(..equal).filter(|tied| tied.len() > 1) else {
        return Vec::new();
    };
    let mut dice = BTreeMap::new();
    for roll in tied.iter() {
        let die = play.die(c.roll_offs.get(&roll.combatant).copied());
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

/// Starts a turn: the window closes, and an action readied in the last one lapses.
pub(super) fn take_turn(play: &mut Play<'_>, combatant: &CombatantId) {
    let readied = play
        .encounter()
        .get(combatant)
        .is_some_and(|c| c.state.readied.is_some());
    if readied {
        play.emit(ReadyLapsed {
            combatant: combatant.clone(),
        });
    }
    start_turn(play, combatant);
}

fn finish(play: &mut Play<'_>, c: &EndTurn) -> Result<(), Violation> {
    play.in_turn(&c.combatant, "AI-7")?;
    let detail = "\"begin\" starts the turn of \"next\". Add \"next\".";
    require(
        !c.begin || c.next.is_some(),
        "next_missing",
        field("next"),
        || detail,
    )?;
    end_turn(play, &c.combatant);
    let Some(next) = &c.next else {
        advance(play);
        return Ok(());
    };
    close_round(play);
    check_choice_is_open(play.encounter())?;
    choose(play, next)?;
    begin_if_unopposed(play, next, c.begin);
    Ok(())
}

/// Starts the turn of `next` if the command says so, and it waits for no interrupt.
fn begin_if_unopposed(play: &mut Play<'_>, next: &CombatantId, begin: bool) {
    if begin && !is_held(play.encounter(), next) {
        take_turn(play, next);
    }
}

/// Whether the nominee's turn waits for others to interrupt or pass (AI-17b, AI-17c).
pub(super) fn is_held(encounter: &Encounter, nominee: &CombatantId) -> bool {
    encounter.options.wait_for_gm || holders(encounter, nominee).next().is_some()
}

/// The combatants that the nominee's turn waits for (AI-17b). Only public facts count, so that the
/// wait shows neither a hidden combatant nor how many points are left.
fn holders<'t>(
    encounter: &'t Encounter,
    nominee: &'t CombatantId,
) -> impl Iterator<Item = &'t Combatant> {
    let is_nominee_seen = is_seen(encounter, nominee);
    let waiting = encounter.waiting();
    waiting.filter(move |c| {
        is_nominee_seen
            && !c.hidden
            && MEANS
                .iter()
                .any(|means| seems_to_interrupt(encounter, c, nominee, *means))
    })
}

/// Whether the choice of the next combatant waits for the hurt to interrupt or pass (AI-17a,
/// AI-17b).
pub(super) fn is_choice_held(encounter: &Encounter) -> bool {
    choice_holders(encounter).next().is_some()
}

/// The combatants that the choice waits for. Only public facts count, as for [`holders`].
fn choice_holders(encounter: &Encounter) -> impl Iterator<Item = &Combatant> {
    let chooser = encounter.state.last_actor.as_ref();
    let seen = chooser.is_none_or(|chooser| is_seen(encounter, chooser));
    let waiting = encounter.waiting();
    waiting.filter(move |c| seen && !c.hidden && could_interrupt_choice(encounter, c))
}

fn is_seen(encounter: &Encounter, id: &CombatantId) -> bool {
    encounter.get(id).is_some_and(|c| !c.hidden)
}

/// The combatants that could interrupt or pass now, in the order of joining.
pub(super) fn asked(encounter: &Encounter) -> Vec<CombatantId> {
    ids(encounter.waiting().filter(|c| is_asked(encounter, c)))
}

/// Whether it could interrupt or pass now.
fn is_asked(encounter: &Encounter, c: &Combatant) -> bool {
    match &encounter.state.phase {
        Phase::Window { nominee, .. } => MEANS.iter().any(|means| {
            may_interrupt(encounter, c, nominee, *means).is_ok()
                || seems_to_interrupt(encounter, c, nominee, *means)
        }),
        Phase::Nominate {} | Phase::NominateFirst {} => could_interrupt_choice(encounter, c),
        Phase::Setup | Phase::InTurn { .. } | Phase::Over | Phase::SomeoneActs => false,
    }
}

/// Whether the Interrupt Points variant is played (AI-30).
fn plays_points(encounter: &Encounter) -> bool {
    match encounter.options.interrupt_points {
        InterruptPoints::ByPlayers(by_players) => by_players,
        InterruptPoints::Exactly(points) => points.count() > 0,
    }
}

/// True if damage lets it steal the nominee's turn. Before there is a nominee, true if an enemy may
/// become one from whom it could steal.
pub(super) fn could_interrupt_for_damage(encounter: &Encounter, c: &Combatant) -> bool {
    if let Phase::Window { nominee, .. } = &encounter.state.phase {
        return may_interrupt(encounter, c, nominee, Means::Damage).is_ok();
    }
    let decided = c.state.interrupted || c.state.passed;
    able(c) && !c.acted && !decided && hurt_off_turn(encounter, c)
}

fn nominate(play: &mut Play<'_>, c: &Nominate) -> Result<(), Violation> {
    if let Some(id) = &c.combatant {
        play.combatant("combatant", id)?;
    }
    play.combatant("next", &c.next)?;
    let state = &play.encounter().state;
    let awaited = matches!(state.phase, Phase::Nominate {} | Phase::NominateFirst {});
    require(awaited, "nothing_to_nominate", "AI-7", || {
        match &state.phase {
            Phase::InTurn { actor } => format!("It's {actor}'s turn. Send \"end_turn\" first."),
            Phase::Window { nominee, .. } => {
                format!("The next turn is {nominee}'s. Send \"begin_turn\" or \"interrupt\".")
            }
            _ => "The next combatant can't be chosen now. Wait for the end of a turn.".to_owned(),
        }
    })?;
    let last_actor = state.last_actor.as_ref();
    check_chooser(last_actor, c.combatant.as_ref(), "AI-7")?;
    check_choice_is_open(play.encounter())?;
    choose(play, &c.next)?;
    begin_if_unopposed(play, &c.next, c.begin);
    Ok(())
}

/// Refuses a choice that waits for the hurt to interrupt or pass.
fn check_choice_is_open(encounter: &Encounter) -> Result<(), Violation> {
    let Some(holder) = choice_holders(encounter).next() else {
        return Ok(());
    };
    let detail = format!(
        "{} may interrupt before the choice. Leave out \"next\", and let all that may interrupt \
         decide first.",
        holder.id
    );
    Err(Violation::new("interrupts_open", "AI-17b", detail))
}

/// Lets `next` act next, and opens the window for interrupts.
fn choose(play: &mut Play<'_>, next: &CombatantId) -> Result<(), Violation> {
    let encounter = play.encounter();
    check_nominee(encounter, play.combatant("next", next)?)?;
    let nominated_by = encounter.state.last_actor.clone();
    play.emit(Nominated {
        combatant: next.clone(),
        nominated_by,
    });
    Ok(())
}

/// Refuses a combatant that cannot be chosen to act next.
pub(super) fn check_nominee(encounter: &Encounter, nominee: &Combatant) -> Result<(), Violation> {
    let next = &nominee.id;
    check_in_fight(nominee, "AI-8")?;
    let last_actor = encounter.state.last_actor.as_ref();
    if last_actor == Some(next) {
        let starts_round = !encounter.state.begun;
        require(starts_round, "nominates_itself", "AI-10", || {
            format!("{next} just acted and can't act again yet. Choose another combatant.")
        })?;
        check_starter(encounter, last_actor, next, "AI-42")?;
    }
    require(!nominee.acted, "already_acted", "AI-9", || {
        format!("{next} has already acted this round. Choose another combatant.")
    })
}

fn begin(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    play.combatant("combatant", id)?;
    match &play.encounter().state.phase {
        Phase::Window { nominee, .. } if nominee == id => {
            check_unopposed(play.encounter(), id)?;
            take_turn(play, id);
            Ok(())
        }
        Phase::Window { nominee, .. } => {
            let detail =
                format!("The next turn is {nominee}'s, not {id}'s. Send \"interrupt\" to take it.");
            Err(Violation::new("not_nominated", "AI-7", detail))
        }
        Phase::InTurn { actor } => {
            let detail = format!("It's {actor}'s turn. Send \"end_turn\" first.");
            Err(Violation::new("turn_in_progress", "AI-7", detail))
        }
        _ => {
            let detail = "The next combatant isn't chosen yet. Send \"nominate\" first.";
            Err(Violation::new("no_nominee", "AI-7", detail))
        }
    }
}

/// Refuses a turn that waits for interrupts.
fn check_unopposed(encounter: &Encounter, nominee: &CombatantId) -> Result<(), Violation> {
    if !is_held(encounter, nominee) {
        return Ok(());
    }
    let Some(holder) = holders(encounter, nominee).next() else {
        let detail = "Each turn waits for the game master. Wait for \"resolve\".";
        return Err(Violation::new("interrupts_open", "AI-17c", detail));
    };
    let detail = format!(
        "{} may interrupt. Let all that may interrupt decide first.",
        holder.id
    );
    Err(Violation::new("interrupts_open", "AI-17b", detail))
}

fn pass(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let c = play.combatant("combatant", id)?;
    require(
        is_asked(play.encounter(), c),
        "nothing_to_pass",
        "AI-17b",
        || format!("{id} can't interrupt now. Send another command."),
    )?;
    play.emit(Passed {
        combatant: id.clone(),
    });
    Ok(())
}

fn resolve(play: &mut Play<'_>) -> Result<(), Violation> {
    let encounter = play.encounter();
    let mut undecided = Vec::new();
    let mut nominee = None;
    match &encounter.state.phase {
        Phase::Window { nominee: next, .. } if is_held(encounter, next) => {
            undecided = ids(holders(encounter, next));
            nominee = Some(next.clone());
        }
        Phase::Nominate {} | Phase::NominateFirst {} => undecided = ids(choice_holders(encounter)),
        _ => {}
    }
    require(
        nominee.is_some() || !undecided.is_empty(),
        "nothing_to_resolve",
        "AI-17b",
        || "No combatant may interrupt now. Send another command.",
    )?;
    for combatant in undecided {
        play.emit(Passed { combatant });
    }
    if let Some(nominee) = nominee {
        take_turn(play, &nominee);
    }
    Ok(())
}

fn interrupt(play: &mut Play<'_>, c: &Interrupt) -> Result<(), Violation> {
    let id = &c.combatant;
    let interrupter = play.combatant("combatant", id)?;
    let displaced = match &play.encounter().state.phase {
        Phase::Window { nominee, .. } => {
            may_interrupt(play.encounter(), interrupter, nominee, c.means)?;
            Some(nominee.clone())
        }
        Phase::Nominate {} | Phase::NominateFirst {} => {
            may_interrupt_choice(play.encounter(), interrupter, c.means)?;
            None
        }
        Phase::InTurn { actor } => {
            let detail = format!("{actor}'s turn has started. Interrupt between two turns.");
            return Err(Violation::new("no_window", "AI-17", detail));
        }
        Phase::Setup | Phase::Over | Phase::SomeoneActs => {
            return Err(Violation::new(
                "no_window",
                "AI-17",
                "This is no time to interrupt. Interrupt between two turns.",
            ));
        }
    };
    if c.means == Means::Inspiration {
        spend(play, id, "AI-19")?;
    }
    play.emit(Interrupted {
        combatant: id.clone(),
        displaced,
        means: c.means,
    });
    Ok(())
}

/// Refuses a combatant that may not steal the nominee's turn by these means. A point is checked
/// first.
fn may_interrupt(
    encounter: &Encounter,
    interrupter: &Combatant,
    nominee: &CombatantId,
    means: Means,
) -> Result<(), Violation> {
    if means == Means::InterruptPoint {
        check_point(encounter, interrupter)?;
    }
    may_steal(encounter, interrupter, nominee, means)?;
    match means {
        Means::Damage => was_hurt(encounter, interrupter),
        Means::Inspiration => {
            inspiration(encounter, interrupter, "AI-19")?;
            Ok(())
        }
        Means::InterruptPoint => Ok(()),
    }
}

/// Whether it may steal the nominee's turn by these means, as far as all viewers know.
fn seems_to_interrupt(
    encounter: &Encounter,
    c: &Combatant,
    nominee: &CombatantId,
    means: Means,
) -> bool {
    let seems_to_pay = match means {
        Means::Damage => hurt_off_turn(encounter, c),
        Means::Inspiration => c.stats.inspiration.count() > 0 && seems_inspired(encounter, c),
        Means::InterruptPoint => plays_points(encounter) && check_variant(encounter, c).is_ok(),
    };
    seems_to_pay && may_steal(encounter, c, nominee, means).is_ok()
}

/// Refuses a combatant that may not steal the nominee's turn, whatever pays for it.
fn may_steal(
    encounter: &Encounter,
    interrupter: &Combatant,
    nominee: &CombatantId,
    means: Means,
) -> Result<(), Violation> {
    let id = &interrupter.id;
    may_take_a_turn(interrupter, means)?;
    require(nominee != id, "already_nominated", "AI-21", || {
        format!("The next turn is already {id}'s. Send \"begin_turn\".")
    })?;
    require(
        encounter
            .get(nominee)
            .is_none_or(|n| n.side != interrupter.side),
        "ally",
        "AI-21",
        || format!("{id} and {nominee} are on the same side. Only an enemy can interrupt."),
    )?;
    check_undecided(interrupter)
}

/// Refuses a combatant that has interrupted before this turn, or has declined to (AI-22a, AI-17b).
fn check_undecided(interrupter: &Combatant) -> Result<(), Violation> {
    let id = &interrupter.id;
    require(
        !interrupter.state.interrupted,
        "interrupted_before",
        "AI-22a",
        || format!("{id} has already interrupted before this turn. Wait for the next one."),
    )?;
    require(!interrupter.state.passed, "passed_before", "AI-17b", || {
        format!("{id} has declined to interrupt. Wait for the next turn.")
    })
}

/// Refuses a combatant for which no interrupt point can be spent (AI-30 to AI-32).
fn check_point(encounter: &Encounter, interrupter: &Combatant) -> Result<(), Violation> {
    check_variant(encounter, interrupter)?;
    require(
        encounter.state.interrupt_points > Some(0),
        "no_points",
        "AI-30",
        || "No interrupt points are left. Use damage or inspiration.",
    )
}

/// Refuses a combatant for which no point could be spent, however many are left.
fn check_variant(encounter: &Encounter, interrupter: &Combatant) -> Result<(), Violation> {
    require(
        plays_points(encounter),
        "variant_off",
        "AI-30",
        || "This encounter has no interrupt points. Use damage or inspiration.",
    )?;
    require(
        !encounter.state.interrupt_point_used,
        "point_used",
        "AI-32",
        || "An interrupt point has already been spent this round. Use damage or inspiration.",
    )?;
    let is_gms = interrupter.kind != Kind::Pc && interrupter.controller.as_str() == "gm";
    require(is_gms, "not_the_gms", "AI-31", || {
        let id = &interrupter.id;
        format!(
            "Only the game master's combatants use interrupt points, and {id} is a player's. \
             Use damage or inspiration."
        )
    })
}

/// Refuses a combatant that may not steal the turn before the next combatant is chosen: it was
/// hurt, and it is no ally of the last to act, whose choice it takes (AI-17a).
fn may_interrupt_choice(
    encounter: &Encounter,
    interrupter: &Combatant,
    means: Means,
) -> Result<(), Violation> {
    let id = &interrupter.id;
    let open = encounter.options.interrupt_before_nomination && means == Means::Damage;
    require(
        open,
        "no_window",
        "AI-17",
        || "The next combatant isn't chosen yet. Interrupt after the choice.",
    )?;
    may_take_a_turn(interrupter, means)?;
    check_undecided(interrupter)?;
    was_hurt(encounter, interrupter)?;
    let Some(chooser) = &encounter.state.last_actor else {
        return Ok(());
    };
    let allied = encounter
        .get(chooser)
        .is_some_and(|chooser| chooser.side == interrupter.side);
    require(!allied, "ally", "AI-17a", || {
        format!("{id} is on the side of {chooser}, who chooses. Wait for the choice.")
    })
}

/// Whether it may steal the turn before the next combatant is chosen.
fn could_interrupt_choice(encounter: &Encounter, c: &Combatant) -> bool {
    // Most are not hurt: no refusal is worded for them.
    hurt_off_turn(encounter, c) && may_interrupt_choice(encounter, c, Means::Damage).is_ok()
}

/// Refuses an interrupter that has had its turn, is out of the fight or cannot act.
fn may_take_a_turn(interrupter: &Combatant, means: Means) -> Result<(), Violation> {
    let id = &interrupter.id;
    let rule = if interrupter.state.hurt && means == Means::Damage {
        "AI-26"
    } else {
        "AI-18"
    };
    require(!interrupter.acted, "already_acted", rule, || {
        format!("{id} has already acted this round. Interrupt in the next round.")
    })?;
    check_in_fight(interrupter, "AI-8")?;
    require(able(interrupter), "cannot_act", "AI-18a", || {
        format!("{id} can't act now, and so can't interrupt. Clear the condition first.")
    })
}

/// Whether it is in the fight and can act, or one of a group can (AI-18a).
fn able(c: &Combatant) -> bool {
    c.free_of(|condition| INCAPACITATING.contains(&condition))
}

/// Refuses a combatant that was not hurt in the last turn (AI-20).
fn was_hurt(encounter: &Encounter, interrupter: &Combatant) -> Result<(), Violation> {
    let id = &interrupter.id;
    require(interrupter.state.hurt, "not_hurt", "AI-20", || {
        format!("{id} took no damage in the last turn. Send \"damage\" before the turn ends.")
    })?;
    require(
        hurt_off_turn(encounter, interrupter),
        "own_turn",
        "AI-20a",
        || format!("{id} took the last turn. Only damage in another's turn pays for an interrupt."),
    )
}

/// Whether it took damage that pays for an interrupt (AI-20): not in its own turn (AI-20a).
fn hurt_off_turn(encounter: &Encounter, c: &Combatant) -> bool {
    c.state.hurt && encounter.state.last_actor.as_ref() != Some(&c.id)
}

fn ready(play: &mut Play<'_>, c: &Ready) -> Result<(), Violation> {
    let readier = play.in_turn(&c.combatant, "AI-12")?;
    require(
        readier.state.readied.is_none(),
        "already_readied",
        "AI-12",
        || {
            format!(
                "{} has already readied an action. Send \"trigger\" to use it first.",
                c.combatant
            )
        },
    )?;
    play.emit(Readied {
        combatant: c.combatant.clone(),
        action: c.action.clone(),
        trigger: c.trigger.clone(),
    });
    Ok(())
}

fn trigger(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let c = play.combatant("combatant", id)?;
    require(
        c.state.readied.is_some(),
        "nothing_readied",
        "AI-12",
        || format!("{id} has no readied action. Send \"ready\" first."),
    )?;
    require(c.active(), "not_active", "AI-12", || {
        format!("{id} can't act while out of the fight.")
    })?;
    play.emit(Triggered {
        combatant: id.clone(),
    });
    Ok(())
}

fn inspire(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let c = play.combatant("combatant", id)?;
    check_can_hold(play.encounter(), c)?;
    let held = c.stats.inspiration.count();
    require(held < 3, "inspiration_full", "AI-28", || {
        format!("{id} can't hold more than 3 inspiration points. Spend one first.")
    })?;
    play.emit(Inspired {
        combatant: id.clone(),
        inspiration: held + 1,
    });
    Ok(())
}

fn spend(play: &mut Play<'_>, id: &CombatantId, rule: &'static str) -> Result<(), Violation> {
    let spender = play.combatant("combatant", id)?;
    let held = inspiration(play.encounter(), spender, rule)?;
    play.emit(InspirationSpent {
        combatant: id.clone(),
        inspiration: held.saturating_sub(1),
    });
    Ok(())
}

/// Refuses a combatant that can't hold inspiration (AI-28).
fn check_can_hold(encounter: &Encounter, c: &Combatant) -> Result<(), Violation> {
    let can_hold = holds_inspiration(encounter, c);
    require(can_hold, "not_a_pc", "AI-28", || {
        format!(
            "{} can't hold inspiration. Give it to a player's character.",
            c.id
        )
    })
}

/// Whether it may hold inspiration (AI-28).
pub(super) fn holds_inspiration(encounter: &Encounter, c: &Combatant) -> bool {
    can_ever_hold(&encounter.options, c) && (c.kind == Kind::Pc || beside_a_pc(encounter, c))
}

/// Whether a combatant of its kind may hold inspiration, on one side or another (AI-28).
pub(super) fn can_ever_hold(options: &Options, c: &Combatant) -> bool {
    match c.kind {
        Kind::Pc => true,
        Kind::Npc => options.npc_inspiration,
        Kind::Hazard => false,
    }
}

/// Whether it may hold inspiration, as far as all viewers know.
fn seems_inspired(encounter: &Encounter, c: &Combatant) -> bool {
    let seen_pc = |pc: &Combatant| pc.kind == Kind::Pc && pc.side == c.side && !pc.hidden;
    holds_inspiration(encounter, c) && encounter.iter().any(seen_pc)
}

/// Whether a player's character is on its side.
fn beside_a_pc(encounter: &Encounter, c: &Combatant) -> bool {
    encounter
        .iter()
        .any(|pc| pc.kind == Kind::Pc && pc.side == c.side)
}

/// The inspiration points of a combatant that has some; `rule` says what they pay for.
fn inspiration(encounter: &Encounter, c: &Combatant, rule: &'static str) -> Result<u32, Violation> {
    check_can_hold(encounter, c)?;
    let held = c.stats.inspiration.count();
    require(held > 0, "no_inspiration", rule, || {
        format!(
            "{} has no inspiration to spend. Send \"inspire\" first.",
            c.id
        )
    })?;
    Ok(held)
}
