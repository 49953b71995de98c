//! The rules of `custom`: what a definition allows now. A refusal names the line of the definition
//! that it rests on.

use super::definition::*;
use super::flow::*;
use super::query::*;
use super::score;
use super::*;
use crate::rulesets::shared::{check_started, start_encounter, start_round};
use crate::vocabulary::{Moment, field, require};
use std::fmt::Display;

pub(super) fn decide(play: &mut Play<'_>, command: &Command) -> Result<(), Violation> {
    check_started(play, matches!(command, Command::Start(_)), "CU-1")?;
    match command {
        Command::Start(c) => start(play, c),
        Command::Roll(c) => roll(play, c),
        Command::GoOn(_) => go_on(play),
        Command::Grant(c) => grant(play, c),
        Command::Declare(c) => declare(play, c),
        Command::Begin(c) => pick(play, c),
        Command::EndTurn(c) => end(play, c),
        Command::Wait(c) => wait(play, &c.combatant),
        Command::GoNow(c) => go_now(play, &c.combatant),
        Command::Pass(c) => pass(play, &c.combatant),
        Command::Ready(c) => ready(play, c),
        Command::Interject(c) => interject(play, c),
    }
}

/// Refuses unless `holds`, with the line of the definition that says so.
fn ensure<D: Display>(
    holds: bool,
    code: &'static str,
    rule: &'static str,
    line: &str,
    detail: impl FnOnce() -> D,
) -> Result<(), Violation> {
    require(holds, code, rule, || {
        format!("{} (definition.{line})", detail())
    })
}

fn start(play: &mut Play<'_>, c: &Start) -> Result<(), Violation> {
    let encounter = play.encounter();
    for (i, id) in c.surprised.iter().enumerate() {
        let path = format!("surprised.{i}");
        play.combatant(path.clone(), id)?;
        let detail =
            "surprise means nothing here: leave it out, or say what it does in definition.surprise";
        require(
            definition(encounter).surprise != Surprise::None,
            "no_surprise",
            field(path),
            || detail,
        )?;
    }
    if let Some(first) = &c.first {
        let sides = definition(encounter)
            .phases
            .iter()
            .any(|phase| phase.sides != Sides::Mixed);
        let detail = "no side opens here: the phases of the definition mix sides";
        require(sides, "no_sides", field("first"), || detail)?;
        let known = encounter.active().any(|c| c.side == *first);
        let detail = || "nobody of this side is in the fight";
        require(known, "unknown_side", field("first"), detail)?;
    }
    start_encounter(play, "CU-1")?;
    for id in &c.surprised {
        if play.encounter().get(id).is_some_and(|c| !c.state.surprised) {
            play.emit(Surprised {
                combatant: id.clone(),
            });
        }
    }
    start_round(play, 1);
    if let Some(side) = &c.first {
        let combatants = ids(play.encounter().active().filter(|c| c.side == *side)).into();
        play.emit(SideOpens {
            side: side.clone(),
            combatants,
        });
    }
    if undeclared(play.encounter()).next().is_some() {
        for (path, none) in [("rolls", c.rolls.is_empty()), ("cards", c.cards.is_empty())] {
            require(
                none,
                "declare_first",
                field(path),
                || "combatants declare first: send them with roll",
            )?;
        }
        play.emit(DeclarationsOpened {});
        return Ok(());
    }
    score::roll_all(
        play,
        &Roll {
            rolls: c.rolls.clone(),
            cards: c.cards.clone(),
        },
    )?;
    proceed(play, Point::Next);
    Ok(())
}

fn roll(play: &mut Play<'_>, c: &Roll) -> Result<(), Violation> {
    let due = play.encounter().state.mode == Mode::Rolling;
    ensure(
        due,
        "no_roll_due",
        "CU-6",
        "score.reroll",
        || "no roll is due now",
    )?;
    score::roll_all(play, c)?;
    proceed(play, Point::Next);
    Ok(())
}

fn go_on(play: &mut Play<'_>) -> Result<(), Violation> {
    let encounter = play.encounter();
    match encounter.state.mode {
        Mode::Declaring => {
            show(play);
            proceed(play, Point::Roll);
        }
        Mode::Rolling => return roll(play, &score::NOTHING),
        Mode::Choosing => {
            let who = candidates(encounter);
            if phase(encounter).optional {
                for combatant in who {
                    play.emit(Passed { combatant });
                }
                proceed(play, Point::Next);
            } else if let Some(first) = who.into_iter().next() {
                begin(play, vec![first], TurnKind::Normal);
                proceed(play, Point::Turn);
            }
        }
        Mode::Turn => {
            next_step(play);
            proceed(play, Point::Turn);
        }
        Mode::Gap { .. } => {
            for combatant in ids(asked(encounter)) {
                play.emit(Passed { combatant });
            }
            proceed(play, Point::Next);
        }
        Mode::Setup | Mode::Standstill | Mode::SomeoneActs => {
            return Err(Violation::new(
                "nothing_to_go_on_with",
                "CU-36",
                "nobody is in the fight who could act",
            ));
        }
    }
    Ok(())
}

fn grant(play: &mut Play<'_>, c: &Grant) -> Result<(), Violation> {
    let encounter = play.encounter();
    let pool = pool(play, &c.pool)?;
    require(
        (pool.of == Owner::Combatant) == c.combatant.is_some(),
        "whose_pool",
        field("combatant"),
        || match pool.of {
            Owner::Combatant => format!("say whose {}", c.pool),
            Owner::Table => format!("{} is the table's: leave combatant out", c.pool),
        },
    )?;
    let holder = c
        .combatant
        .as_ref()
        .map(|id| play.combatant("combatant", id))
        .transpose()?;
    let (max, _) = pool_size(definition(encounter), holder, pool);
    let pools = holder.map_or(&encounter.state.pools, |c| &c.state.pools);
    let before = pools.get(&c.pool).copied().unwrap_or(0);
    let left = (i64::from(before) + c.amount.get()).clamp(0, max.into());
    set_pool(
        play,
        c.combatant.clone(),
        &c.pool,
        u32::try_from(left).unwrap_or(0),
    );
    Ok(())
}

fn pool<'p>(play: &'p Play<'_>, name: &Slug) -> Result<&'p PoolRule, Violation> {
    let pools = &definition(play.encounter()).pools;
    pools.get(name).ok_or_else(|| {
        let known: Vec<_> = pools.keys().map(Slug::as_str).collect();
        let detail = format!("there is no such pool: there are [{}]", known.join(", "));
        Violation::field("unknown_pool", "pool", detail)
    })
}

fn set_pool(play: &mut Play<'_>, owner: Option<CombatantId>, pool: &Slug, left: u32) {
    match owner {
        Some(combatant) => play.emit(PoolChanged {
            combatant,
            pool: pool.clone(),
            left,
        }),
        None => play.emit(TablePoolChanged {
            pool: pool.clone(),
            left,
        }),
    }
}

fn declare(play: &mut Play<'_>, c: &Declare) -> Result<(), Violation> {
    let fighter = play.combatant("combatant", &c.combatant)?;
    let (encounter, id) = (play.encounter(), &c.combatant);
    let Some(rule) = &definition(encounter).declare else {
        return Err(Violation::new(
            "nothing_to_declare",
            "CU-18",
            "nothing is declared here (definition.declare)",
        ));
    };
    let (declaring, has_declared) = (
        encounter.state.mode == Mode::Declaring,
        fighter.state.has_declared,
    );
    let detail = "declarations come at the start of a round";
    ensure(declaring, "not_declaring", "CU-18", "declare", || detail)?;
    ensure(!has_declared, "has_declared", "CU-18", "declare", || {
        format!("{id} has declared in this round")
    })?;
    ensure(
        must_declare(encounter, fighter),
        "declares_nothing",
        "CU-19",
        "declare.who",
        || format!("{id} declares nothing"),
    )?;
    require(
        rule.choices.contains(&c.choice),
        "unknown_choice",
        field("choice"),
        || {
            let choices: Vec<_> = rule.choices.iter().map(Slug::as_str).collect();
            format!("there is no such choice: there are {}", choices.join(", "))
        },
    )?;
    play.emit(Declared {
        combatant: id.clone(),
        choice: Some(c.choice.clone()),
    });
    if undeclared(play.encounter()).next().is_none() {
        show(play);
        proceed(play, Point::Roll);
    }
    Ok(())
}

fn pick(play: &mut Play<'_>, c: &Begin) -> Result<(), Violation> {
    let encounter = play.encounter();
    let id = &c.combatant;
    let fighter = play.combatant("combatant", id)?;
    if let Some(by) = &c.by {
        play.combatant("by", by)?;
    }
    let line = phase_line(encounter, "pick");
    ensure(
        encounter.state.mode == Mode::Choosing,
        "nothing_to_pick",
        pick_rule(encounter),
        &line,
        || now(encounter),
    )?;
    play.fighter("combatant", id, "CU-1")?;
    let candidates = candidates(encounter);
    let chooser = chooser(encounter);
    ensure(
        c.by.as_ref() == chooser,
        "not_the_chooser",
        "CU-14",
        &line,
        || match chooser {
            Some(last) => format!("{last} picks, whose own turn was the last: say `by`"),
            None => "no combatant picks now, so anyone may begin: leave `by` out".to_owned(),
        },
    )?;
    if !candidates.contains(id) {
        let ids: Vec<_> = candidates.iter().map(ToString::to_string).collect();
        let (rule, line, why) = why_not(encounter, fighter);
        let detail = format!(
            "{why}; one of {} is next (definition.{line})",
            ids.join(", ")
        );
        return Err(Violation::new("not_next", rule, detail));
    }
    begin(play, vec![id.clone()], TurnKind::Normal);
    proceed(play, Point::Turn);
    Ok(())
}

/// Why a combatant is no candidate: the rule, the line of the definition, and a few words.
fn why_not(encounter: &Encounter, c: &Combatant) -> (&'static str, String, String) {
    let (definition, phase, id) = (definition(encounter), phase(encounter), &c.id);
    let most = phase.turns.count();
    if is_skipped(definition, c) {
        return (
            "CU-33",
            "down".to_owned(),
            format!("{id} is unconscious, and has no turns"),
        );
    }
    if c.state.turns_left == 0 && definition.clock.is_none() {
        return (
            "CU-1",
            "turns".to_owned(),
            format!("{id} has no turn left in this round"),
        );
    }
    if most > 0 && c.state.turns_in_phase >= most {
        return (
            "CU-10",
            phase_line(encounter, "turns"),
            format!("{id} has had its turns in this phase"),
        );
    }
    if !fits(definition, &phase.who, c) {
        return (
            "CU-10",
            phase_line(encounter, "who"),
            format!("{id} does not act in this phase"),
        );
    }
    if c.state.passed {
        return (
            "CU-17",
            phase_line(encounter, "optional"),
            format!("{id} has passed"),
        );
    }
    match phase.pick {
        Pick::Order => (
            "CU-12",
            phase_line(encounter, "pick"),
            format!("{id}'s place has not come up"),
        ),
        _ => (
            "CU-11",
            phase_line(encounter, "sides"),
            format!("it is another side's turn, not {id}'s"),
        ),
    }
}

/// What is going on, for a refusal.
fn now(encounter: &Encounter) -> String {
    match (encounter.state.mode.clone(), current(encounter).next()) {
        (_, Some(id)) => format!("it is {id}'s turn"),
        (Mode::Declaring, _) => "combatants declare first".to_owned(),
        (Mode::Rolling, _) => "the roll of this round comes first".to_owned(),
        (Mode::Choosing, _) => "who acts next must be picked first".to_owned(),
        (Mode::Gap { .. }, _) => "rights are used or passed on first".to_owned(),
        (Mode::SomeoneActs, _) => "somebody acts whom players do not see".to_owned(),
        _ => "nobody acts now".to_owned(),
    }
}

fn end(play: &mut Play<'_>, c: &EndTurn) -> Result<(), Violation> {
    play.in_turn(&c.combatant, "CU-1")?;
    let encounter = play.encounter();
    if let Some(cost) = c.cost {
        let Some(clock) = turn_clock(encounter) else {
            return Err(Violation::field(
                "no_cost",
                "cost",
                "this turn costs no ticks: leave it out",
            ));
        };
        let [least, most] = clock.cost;
        require(
            (least..=most).contains(&cost),
            "impossible_cost",
            field("cost"),
            || format!("a turn costs {least} to {most} ticks (definition.clock.cost)"),
        )?;
    }
    let cost = c.cost.map(|cost| cost.count());
    if steps(encounter).is_empty() {
        end_one(play, &c.combatant, cost);
    } else {
        play.emit(StepDone {
            combatant: c.combatant.clone(),
        });
    }
    proceed(play, Point::Turn);
    Ok(())
}

fn wait(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    play.in_turn(id, "CU-23")?;
    let encounter = play.encounter();
    ensure(
        definition(encounter).wait.is_some(),
        "no_waiting",
        "CU-23",
        "wait",
        || "nobody waits here",
    )?;
    let able = encounter
        .get(id)
        .is_some_and(|c| !is_skipped(definition(encounter), c));
    ensure(able, "unconscious_does_not_wait", "CU-23", "down", || {
        format!("{id} is unconscious and loses its turn: end it")
    })?;
    let [turn] = &encounter.state.turns[..] else {
        return Err(Violation::new(
            "within_a_turn",
            "CU-23",
            "a turn within another cannot wait (definition.wait)",
        ));
    };
    ensure(
        turn.kind == TurnKind::Normal,
        "not_its_own_turn",
        "CU-23",
        "wait",
        || format!("{id} waits in the turn of its own place only"),
    )?;
    play.tick(Moment::TurnEnd(id));
    let its = play
        .encounter()
        .effects
        .iter()
        .filter(|effect| effect.expires.anchor() == Some(id));
    let counted = its.map(|effect| effect.id.clone()).collect();
    play.emit(Waited {
        combatant: id.clone(),
        counted,
    });
    proceed(play, Point::Turn);
    Ok(())
}

fn go_now(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let c = play.combatant("combatant", id)?;
    let encounter = play.encounter();
    ensure(c.state.waiting, "not_waiting", "CU-23", "wait", || {
        format!("{id} does not wait")
    })?;
    let interrupts = definition(encounter)
        .wait
        .as_ref()
        .is_some_and(|wait| wait.interrupts);
    let (rule, line) = if interrupts {
        ("CU-26", "wait")
    } else {
        ("CU-24", "wait.interrupts")
    };
    let returns = opening(encounter).is_some_and(|opening| may_return(encounter, c, opening));
    ensure(returns, "cannot_return", rule, line, || {
        format!("{id} cannot return now: {}", now(encounter))
    })?;
    if definition(encounter)
        .wait
        .as_ref()
        .is_some_and(|wait| wait.moves)
    {
        let (beside, after) = beside_now(encounter);
        let beside = beside.cloned();
        play.emit(Moved {
            combatant: id.clone(),
            beside,
            after,
            done: false,
        });
    }
    begin(play, vec![id.clone()], TurnKind::Returned);
    proceed(play, Point::Turn);
    Ok(())
}

fn pass(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    play.combatant("combatant", id)?;
    let encounter = play.encounter();
    match &encounter.state.mode {
        Mode::Gap { .. } => {
            let asks = asked(encounter).any(|c| c.id == *id);
            ensure(asks, "no_right", "CU-31", "pools", || {
                format!("{id} has no right to pass on")
            })?;
        }
        Mode::Choosing => {
            let line = phase_line(encounter, "optional");
            ensure(
                phase(encounter).optional,
                "no_passing",
                "CU-17",
                &line,
                || "this phase cannot be passed",
            )?;
            ensure(
                candidates(encounter).contains(id),
                "not_next",
                "CU-17",
                &line,
                || format!("{id} could not act now"),
            )?;
        }
        _ => {
            return Err(Violation::new(
                "nothing_to_pass",
                "CU-31",
                format!("nothing is to be passed: {}", now(encounter)),
            ));
        }
    }
    play.emit(Passed {
        combatant: id.clone(),
    });
    match play.encounter().state.mode {
        Mode::Choosing => proceed(play, Point::Next),
        _ => close_used_gap(play),
    }
    Ok(())
}

fn ready(play: &mut Play<'_>, c: &Ready) -> Result<(), Violation> {
    play.in_turn(&c.combatant, "CU-30")?;
    let pool = pool(play, &c.pool)?;
    let (encounter, id) = (play.encounter(), &c.combatant);
    let line = format!("pools.{}.refill", c.pool);
    ensure(
        pool.refill == Refill::Ready,
        "not_readied",
        "CU-30",
        &line,
        || format!("{} is not filled by ready", c.pool),
    )?;
    let own = top(encounter).is_some_and(|turn| turn.kind != TurnKind::Bought);
    ensure(own, "not_its_own_turn", "CU-30", &line, || {
        format!("{id} gets ready in its own turn only")
    })?;
    let fighter = play.combatant("combatant", id)?;
    let (max, _) = pool_size(definition(encounter), Some(fighter), pool);
    let full = fighter.state.pools.get(&c.pool).copied().unwrap_or(0) >= max;
    ensure(!full, "already_ready", "CU-30", &line, || {
        format!("{id} is ready already")
    })?;
    set_pool(play, Some(id.clone()), &c.pool, max);
    Ok(())
}

fn interject(play: &mut Play<'_>, c: &Interject) -> Result<(), Violation> {
    let id = &c.combatant;
    let fighter = play.combatant("combatant", id)?;
    let (encounter, pool) = (play.encounter(), pool(play, &c.pool)?);
    let spend = &pool.spend;
    let line = |field: &str| format!("pools.{}.{field}", c.pool);
    ensure(
        fits(definition(encounter), &spend.who, fighter),
        "not_for_it",
        "CU-29",
        &line("spend.who"),
        || format!("{} is not for {id}", c.pool),
    )?;
    ensure(
        !fighter.state.used.contains(&c.pool),
        "used_already",
        "CU-29",
        &line("spend"),
        || {
            format!(
                "{id} has spent from {} since the last turn began: once is all",
                c.pool
            )
        },
    )?;
    if let Some(why) = why_no_right(definition(encounter), fighter) {
        return Err(Violation::new("cannot_interject", "CU-31", why));
    }
    let opening = opening(encounter).filter(|opening| may_interject(encounter, fighter, *opening));
    let Some(opening) = opening else {
        let whose = "rights are for combatants in the fight, after or within the turn of another";
        let detail = format!(
            "{id} can use no right now: {}, and {whose} (definition.{})",
            now(encounter),
            line("spend")
        );
        return Err(Violation::new("cannot_interject", "CU-29", detail));
    };
    let left = points(encounter, fighter, &c.pool, pool);
    let [least, most] = spend.cost;
    let cost = c.cost.unwrap_or(least);
    let detail = || format!("a use costs {least} to {most}");
    ensure(
        (least..=most).contains(&cost),
        "impossible_cost",
        "CU-29",
        &line("spend.cost"),
        detail,
    )?;
    let cost = cost.count();
    ensure(
        left >= cost && (left > 0 || pool.of == Owner::Table),
        "too_few_points",
        "CU-27",
        &line("max"),
        || format!("{left} points of {} are left", c.pool),
    )?;
    let spends = may_spend(encounter, fighter, opening, &c.pool, pool);
    ensure(
        spends,
        "cannot_interject",
        "CU-29",
        &line("spend.when"),
        || now(encounter),
    )?;
    let (gives, owner) = (
        spend.gives,
        (pool.of == Owner::Combatant).then(|| id.clone()),
    );
    if cost > 0 {
        set_pool(play, owner, &c.pool, left.saturating_sub(cost));
    }
    play.emit(Interjected {
        combatant: id.clone(),
        pool: c.pool.clone(),
    });
    match gives {
        Gives::Turn => {
            begin(play, vec![id.clone()], TurnKind::Bought);
            proceed(play, Point::Turn);
        }
        Gives::Action => close_used_gap(play),
    }
    Ok(())
}

/// Why a combatant holds no right to spend points, whatever the opening.
fn why_no_right(definition: &Definition, c: &Combatant) -> Option<String> {
    let id = &c.id;
    if !c.active() {
        return Some(format!("{id} is out of the fight"));
    }
    if c.has(MANIFEST.down) {
        return Some(format!("{id} is unconscious, and so holds no right"));
    }
    if is_surprised(definition, c) {
        return Some(format!(
            "{id} is surprised, and holds no right before the first turn of {id} (definition.surprise)"
        ));
    }
    if c.state.waiting {
        return Some(format!(
            "{id} waits: return to the turn first, with go_now (definition.wait)"
        ));
    }
    None
}
