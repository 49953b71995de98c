//! The rules of `custom`: what a definition allows now. A refusal names the line of the definition
//! that it rests on.

use super::definition::{Definition, Gives, Owner, Pick, PoolRule, Refill, Sides, Surprise};
use super::flow::{Point, begin, close_used_gap, end_one, next_step, proceed, show};
use super::manifest::MANIFEST;
use super::query::{
    Opening, asked, beside_now, candidates, chooser, current, definition, fits, has_had_phase,
    is_skipped, is_surprised, may_interject, may_return, may_spend, must_declare, opening, pays,
    phase, phase_line, points, pool_line, pool_size, steps, top, turn_clock, undeclared,
};
use super::score;
use super::{
    Begin, Combatant, Command, DeclarationsOpened, Declare, Declared, Encounter, EndTurn, Grant,
    Interject, Interjected, Mode, Moved, Passed, Play, PoolChanged, Ready, Roll, SideOpens, Start,
    StepDone, Surprised, TablePoolChanged, TurnKind, Waited, pick_rule,
};
use crate::rulesets::shared::{check_started, start_encounter, start_round};
use crate::vocabulary::{CombatantId, Int, Moment, Slug, Violation, field, ids, require};
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
    check_surprised(play, &c.surprised)?;
    if let Some(first) = &c.first {
        check_first(play.encounter(), first)?;
    }
    start_encounter(play, "CU-1")?;
    for id in &c.surprised {
        // An id may be named twice.
        if play.encounter().get(id).is_some_and(|c| !c.state.surprised) {
            play.emit(Surprised {
                combatant: id.clone(),
            });
        }
    }
    start_round(play, 1);
    if let Some(side) = &c.first {
        let members = play.encounter().active().filter(|c| c.side == *side);
        let combatants = ids(members).into();
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
    let rolled = Roll {
        rolls: c.rolls.clone(),
        cards: c.cards.clone(),
    };
    score::roll_all(play, &rolled)?;
    proceed(play, Point::Next);
    Ok(())
}

fn check_surprised(play: &Play<'_>, surprised: &[CombatantId]) -> Result<(), Violation> {
    for (i, id) in surprised.iter().enumerate() {
        let path = format!("surprised.{i}");
        play.combatant(path.clone(), id)?;
        if definition(play.encounter()).surprise == Surprise::None {
            let detail = "surprise means nothing here: leave it out, or say what it does in definition.surprise";
            return Err(Violation::field("no_surprise", path, detail));
        }
    }
    Ok(())
}

fn check_first(encounter: &Encounter, first: &Slug) -> Result<(), Violation> {
    let mut phases = definition(encounter).phases.iter();
    let has_sides = phases.any(|phase| phase.sides != Sides::Mixed);
    require(
        has_sides,
        "no_sides",
        field("first"),
        || "no side opens here: the phases of the definition mix sides",
    )?;
    let is_known = encounter.active().any(|c| c.side == *first);
    require(
        is_known,
        "unknown_side",
        field("first"),
        || "nobody of this side is in the fight",
    )
}

fn roll(play: &mut Play<'_>, c: &Roll) -> Result<(), Violation> {
    let is_due = play.encounter().state.mode == Mode::Rolling;
    ensure(
        is_due,
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
        Mode::Choosing => go_on_with_choice(play),
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

/// All pass if they may; else the first candidate begins.
fn go_on_with_choice(play: &mut Play<'_>) {
    let mut who = candidates(play.encounter());
    if phase(play.encounter()).optional {
        for combatant in who {
            play.emit(Passed { combatant });
        }
        proceed(play, Point::Next);
        return;
    }
    who.truncate(1);
    if !who.is_empty() {
        begin(play, who, TurnKind::Normal);
        proceed(play, Point::Turn);
    }
}

fn grant(play: &mut Play<'_>, c: &Grant) -> Result<(), Violation> {
    let encounter = play.encounter();
    let pool = pool(play, &c.pool)?;
    if (pool.of == Owner::Combatant) != c.combatant.is_some() {
        let detail = match pool.of {
            Owner::Combatant => format!("say whose {}", c.pool),
            Owner::Table => format!("{} is the table's: leave combatant out", c.pool),
        };
        return Err(Violation::field("whose_pool", "combatant", detail));
    }
    let mut holder = None;
    let mut pools = &encounter.state.pools;
    if let Some(id) = &c.combatant {
        let c = play.combatant("combatant", id)?;
        holder = Some(c);
        pools = &c.state.pools;
    }
    let (max, _) = pool_size(definition(encounter), holder, pool);
    let before = pools.get(&c.pool).copied().unwrap_or(0);
    let left = (i64::from(before) + c.amount.get()).clamp(0, max.into());
    let left = u32::try_from(left).unwrap_or(0);
    set_pool(play, c.combatant.clone(), &c.pool, left);
    Ok(())
}

fn pool<'p>(play: &'p Play<'_>, name: &Slug) -> Result<&'p PoolRule, Violation> {
    let pools = &definition(play.encounter()).pools;
    if let Some(pool) = pools.get(name) {
        return Ok(pool);
    }
    let known: Vec<_> = pools.keys().map(Slug::as_str).collect();
    let detail = format!("there is no such pool: there are [{}]", known.join(", "));
    Err(Violation::field("unknown_pool", "pool", detail))
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
    let id = &c.combatant;
    let fighter = play.combatant("combatant", id)?;
    let encounter = play.encounter();
    let Some(rule) = &definition(encounter).declare else {
        return Err(Violation::new(
            "nothing_to_declare",
            "CU-18",
            "nothing is declared here (definition.declare)",
        ));
    };
    let is_time = encounter.state.mode == Mode::Declaring;
    ensure(
        is_time,
        "not_declaring",
        "CU-18",
        "declare",
        || "declarations come at the start of a round",
    )?;
    let has_declared = fighter.state.has_declared;
    ensure(!has_declared, "has_declared", "CU-18", "declare", || {
        format!("{id} has declared in this round")
    })?;
    let must = must_declare(encounter, fighter);
    ensure(must, "declares_nothing", "CU-19", "declare.who", || {
        format!("{id} declares nothing")
    })?;
    if !rule.choices.contains(&c.choice) {
        let choices: Vec<_> = rule.choices.iter().map(Slug::as_str).collect();
        let detail = format!("there is no such choice: there are {}", choices.join(", "));
        return Err(Violation::field("unknown_choice", "choice", detail));
    }
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
    let is_time = encounter.state.mode == Mode::Choosing;
    let rule = pick_rule(encounter);
    ensure(is_time, "nothing_to_pick", rule, &line, || now(encounter))?;
    play.fighter("combatant", id, "CU-1")?;
    let chooser = chooser(encounter);
    let is_theirs = c.by.as_ref() == chooser;
    ensure(
        is_theirs,
        "not_the_chooser",
        "CU-14",
        &line,
        || match chooser {
            Some(last) => format!("{last} picks, whose own turn was the last: say `by`"),
            None => "no combatant picks now, so anyone may begin: leave `by` out".to_owned(),
        },
    )?;
    let candidates = candidates(encounter);
    if !candidates.contains(id) {
        let ids: Vec<_> = candidates.iter().map(ToString::to_string).collect();
        let ids = ids.join(", ");
        let (rule, line, why) = why_not(encounter, fighter);
        let detail = format!("{why}; one of {ids} is next (definition.{line})");
        return Err(Violation::new("not_next", rule, detail));
    }
    begin(play, vec![id.clone()], TurnKind::Normal);
    proceed(play, Point::Turn);
    Ok(())
}

/// Why a combatant is no candidate: the rule, the line of the definition, and a few words.
fn why_not(encounter: &Encounter, c: &Combatant) -> (&'static str, String, String) {
    let id = &c.id;
    let definition = definition(encounter);
    let phase = phase(encounter);
    if is_skipped(definition, c) {
        let why = format!("{id} is unconscious, and has no turns");
        return ("CU-33", "down".to_owned(), why);
    }
    if c.state.turns_left == 0 && definition.clock.is_none() {
        let why = format!("{id} has no turn left in this round");
        return ("CU-1", "turns".to_owned(), why);
    }
    if has_had_phase(phase, c) {
        let why = format!("{id} has had its turns in this phase");
        return ("CU-10", phase_line(encounter, "turns"), why);
    }
    if !fits(definition, &phase.who, c) {
        let why = format!("{id} does not act in this phase");
        return ("CU-10", phase_line(encounter, "who"), why);
    }
    if c.state.passed {
        let why = format!("{id} has passed");
        return ("CU-17", phase_line(encounter, "optional"), why);
    }
    if phase.pick == Pick::Order {
        let why = format!("{id}'s place has not come up");
        return ("CU-12", phase_line(encounter, "pick"), why);
    }
    let why = format!("it is another side's turn, not {id}'s");
    ("CU-11", phase_line(encounter, "sides"), why)
}

/// What is going on, for a refusal.
fn now(encounter: &Encounter) -> String {
    if let Some(id) = current(encounter).next() {
        return format!("it is {id}'s turn");
    }
    let now = match encounter.state.mode {
        Mode::Declaring => "combatants declare first",
        Mode::Rolling => "the roll of this round comes first",
        Mode::Choosing => "who acts next must be picked first",
        Mode::Gap { .. } => "combatants react or pass first",
        Mode::SomeoneActs => "somebody acts whom players do not see",
        Mode::Setup | Mode::Turn | Mode::Standstill => "nobody acts now",
    };
    now.to_owned()
}

fn end(play: &mut Play<'_>, c: &EndTurn) -> Result<(), Violation> {
    play.in_turn(&c.combatant, "CU-1")?;
    let encounter = play.encounter();
    if let Some(cost) = c.cost {
        let Some(clock) = turn_clock(encounter) else {
            let detail = "this turn costs no ticks: leave it out";
            return Err(Violation::field("no_cost", "cost", detail));
        };
        let [least, most] = clock.cost;
        if !(least..=most).contains(&cost) {
            let detail = format!("a turn costs {least} to {most} ticks (definition.clock.cost)");
            return Err(Violation::field("impossible_cost", "cost", detail));
        }
    }
    if steps(encounter).is_empty() {
        end_one(play, &c.combatant, c.cost.map(Int::count));
    } else {
        play.emit(StepDone {
            combatant: c.combatant.clone(),
        });
    }
    proceed(play, Point::Turn);
    Ok(())
}

fn wait(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let c = play.in_turn(id, "CU-23")?;
    let encounter = play.encounter();
    let definition = definition(encounter);
    let waits = definition.wait.is_some();
    ensure(waits, "no_waiting", "CU-23", "wait", || "nobody waits here")?;
    let able = !is_skipped(definition, c);
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
    let is_own = turn.kind == TurnKind::Normal;
    ensure(is_own, "not_its_own_turn", "CU-23", "wait", || {
        format!("{id} waits in the turn of its own place only")
    })?;
    play.tick(Moment::TurnEnd(id));
    let mut counted = Vec::new();
    for effect in &play.encounter().effects {
        if effect.expires.anchor() == Some(id) {
            counted.push(effect.id.clone());
        }
    }
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
    let wait = definition(encounter).wait.as_ref();
    let (rule, line) = if wait.is_some_and(|wait| wait.interrupts) {
        ("CU-26", "wait")
    } else {
        ("CU-24", "wait.interrupts")
    };
    let opening = opening(encounter);
    let returns = opening.is_some_and(|opening| may_return(encounter, c, opening));
    ensure(returns, "cannot_return", rule, line, || {
        format!("{id} cannot return now: {}", now(encounter))
    })?;
    if wait.is_some_and(|wait| wait.moves) {
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
            let is_asked = asked(encounter).any(|c| c.id == *id);
            ensure(is_asked, "no_reaction", "CU-31", "pools", || {
                format!("{id} has no reaction to pass on")
            })?;
        }
        Mode::Choosing => {
            let line = phase_line(encounter, "optional");
            let is_optional = phase(encounter).optional;
            ensure(
                is_optional,
                "no_passing",
                "CU-17",
                &line,
                || "this phase cannot be passed",
            )?;
            let is_next = candidates(encounter).contains(id);
            ensure(is_next, "not_next", "CU-17", &line, || {
                format!("{id} could not act now")
            })?;
        }
        _ => {
            let detail = format!("nothing is to be passed: {}", now(encounter));
            return Err(Violation::new("nothing_to_pass", "CU-31", detail));
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
    let id = &c.combatant;
    let fighter = play.in_turn(id, "CU-30")?;
    let pool = pool(play, &c.pool)?;
    let encounter = play.encounter();
    let line = pool_line(&c.pool, "refill");
    let is_readied = pool.refill == Refill::Ready;
    ensure(is_readied, "not_readied", "CU-30", &line, || {
        format!("{} is not filled by ready", c.pool)
    })?;
    let is_own = top(encounter).is_some_and(|turn| turn.kind != TurnKind::Bought);
    ensure(is_own, "not_its_own_turn", "CU-30", &line, || {
        format!("{id} gets ready in its own turn only")
    })?;
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
    let pool = pool(play, &c.pool)?;
    let encounter = play.encounter();
    let spend = &pool.spend;
    let opening = check_reaction(encounter, fighter, &c.pool, pool)?;
    let [least, most] = spend.cost;
    let cost = c.cost.unwrap_or(least);
    let line = pool_line(&c.pool, "spend.cost");
    let is_price = (least..=most).contains(&cost);
    ensure(is_price, "impossible_cost", "CU-29", &line, || {
        format!("a use costs {least} to {most}")
    })?;
    let cost = cost.count();
    let left = points(encounter, fighter, &c.pool, pool);
    let line = pool_line(&c.pool, "max");
    let is_paid = pays(pool, left, cost);
    ensure(is_paid, "too_few_points", "CU-27", &line, || {
        format!("{left} points of {} are left", c.pool)
    })?;
    let line = pool_line(&c.pool, "spend.when");
    let spends = may_spend(encounter, fighter, opening, &c.pool, pool);
    ensure(spends, "cannot_interject", "CU-29", &line, || {
        now(encounter)
    })?;
    let gives = spend.gives;
    let owner = match pool.of {
        Owner::Combatant => Some(id.clone()),
        Owner::Table => None,
    };
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

/// Refuses a combatant that may not react with this pool, whatever its points.
fn check_reaction(
    encounter: &Encounter,
    c: &Combatant,
    name: &Slug,
    pool: &PoolRule,
) -> Result<Opening, Violation> {
    let id = &c.id;
    let line = pool_line(name, "spend.who");
    let is_for_it = fits(definition(encounter), &pool.spend.who, c);
    ensure(is_for_it, "not_for_it", "CU-29", &line, || {
        format!("{name} is not for {id}")
    })?;
    let line = pool_line(name, "spend");
    let is_used = c.state.used.contains(name);
    ensure(!is_used, "used_already", "CU-29", &line, || {
        format!("{id} has spent from {name} since the last turn began: once is all")
    })?;
    if let Some(why) = why_no_reaction(definition(encounter), c) {
        return Err(Violation::new("cannot_interject", "CU-31", why));
    }
    if let Some(opening) = opening(encounter)
        && may_interject(encounter, c, opening)
    {
        return Ok(opening);
    }
    let now = now(encounter);
    let whose = "reactions are for combatants in the fight, after or within the turn of another";
    let detail = format!("{id} may not react now: {now}, and {whose} (definition.{line})");
    Err(Violation::new("cannot_interject", "CU-29", detail))
}

/// Why a combatant may not react by spending points, whatever the opening.
fn why_no_reaction(definition: &Definition, c: &Combatant) -> Option<String> {
    let id = &c.id;
    if !c.active() {
        return Some(format!("{id} is out of the fight"));
    }
    if c.has(MANIFEST.down) {
        return Some(format!("{id} is unconscious, and so may not react"));
    }
    if is_surprised(definition, c) {
        return Some(format!(
            "{id} is surprised, and may not react before the first turn of {id} (definition.surprise)"
        ));
    }
    if c.state.waiting {
        return Some(format!(
            "{id} waits: return to the turn first, with go_now (definition.wait)"
        ));
    }
    None
}
