//! The rules of `custom`: what a definition allows now. A refusal names the line of the definition
//! that it rests on.

use super::definition::{Definition, Gives, Owner, Pick, PoolRule, Refill, Sides, Surprise};
use super::flow::{Point, begin, close_used_gap, end_one, next_step, proceed, return_to, show};
use super::initiative;
use super::manifest::MANIFEST;
use super::query::{
    Opening, asked, beside_now, candidates, chooser, current, definition, fits, has_had_phase,
    is_skipped, is_surprised, may_react, may_return, may_spend, must_declare, opening, pays, phase,
    phase_line, points, pool_line, pool_size, steps, top, turn_clock, undeclared,
};
use super::{
    Combatant, Command, DeclarationsOpened, Declare, Declared, Delayed, Encounter, EndTurn, Grant,
    Mode, Nominate, Passed, PlaceMoved, Play, PoolChanged, React, Reacted, Readied, Ready, Roll,
    SideOpened, Start, StepFinished, Surprised, TablePoolChanged, Trigger, Triggered, TurnKind,
    pick_rule,
};
use crate::rulesets::shared::{check_started, start_encounter, start_round};
use crate::vocabulary::{CombatantId, Int, Moment, Slug, Violation, field, ids, require};
use std::fmt::Display;

pub(super) fn decide(play: &mut Play<'_>, command: &Command) -> Result<(), Violation> {
    check_started(play, matches!(command, Command::Start(_)), "CU-1")?;
    match command {
        Command::Start(c) => start(play, c),
        Command::Roll(c) => roll(play, c),
        Command::Resolve(_) => resolve(play),
        Command::Grant(c) => grant(play, c),
        Command::Declare(c) => declare(play, c),
        Command::BeginTurn(c) => begin_turn(play, &c.combatant),
        Command::Nominate(c) => nominate(play, c),
        Command::EndTurn(c) => end(play, c),
        Command::Delay(c) => delay(play, &c.combatant),
        Command::Return(c) => return_to_turn(play, &c.combatant),
        Command::Pass(c) => pass(play, &c.combatant),
        Command::Ready(c) => ready(play, c),
        Command::React(c) => react(play, &Use::of_reaction(c)),
        Command::Trigger(c) => react(play, &Use::of_readied(c)),
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
        format!("{} See definition.{line}.", detail())
    })
}

fn start(play: &mut Play<'_>, c: &Start) -> Result<(), Violation> {
    check_surprised(play, &c.surprised)?;
    if let Some(first) = &c.first_side {
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
    if let Some(side) = &c.first_side {
        let members = play.encounter().active().filter(|c| c.side == *side);
        let combatants = ids(members).into();
        play.emit(SideOpened {
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
                || "Combatants declare first. Send dice and cards with \"roll\", after the declarations.",
            )?;
        }
        play.emit(DeclarationsOpened {});
        return Ok(());
    }
    let rolled = Roll {
        rolls: c.rolls.clone(),
        cards: c.cards.clone(),
    };
    initiative::roll_all(play, &rolled)?;
    proceed(play, Point::Next);
    Ok(())
}

fn check_surprised(play: &Play<'_>, surprised: &[CombatantId]) -> Result<(), Violation> {
    for (i, id) in surprised.iter().enumerate() {
        let path = format!("surprised.{i}");
        play.combatant(path.clone(), id)?;
        if definition(play.encounter()).surprise == Surprise::None {
            let detail = "This order has no surprise rule. Remove \"surprised\", or set definition.surprise.";
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
        field("first_side"),
        || "No side goes first in this order. Remove \"first_side\", or set sides in a phase.",
    )?;
    let is_known = encounter.active().any(|c| c.side == *first);
    require(is_known, "unknown_side", field("first_side"), || {
        format!("No combatant of the side \"{first}\" is in the fight. Choose another side.")
    })
}

fn roll(play: &mut Play<'_>, c: &Roll) -> Result<(), Violation> {
    let is_due = play.encounter().state.mode == Mode::Rolling;
    ensure(
        is_due,
        "no_roll_due",
        "CU-6",
        "initiative.reroll",
        || "This round needs no roll now.",
    )?;
    initiative::roll_all(play, c)?;
    proceed(play, Point::Next);
    Ok(())
}

fn resolve(play: &mut Play<'_>) -> Result<(), Violation> {
    let encounter = play.encounter();
    match encounter.state.mode {
        Mode::Declaring => {
            show(play);
            proceed(play, Point::Roll);
        }
        Mode::Rolling => return roll(play, &initiative::NOTHING),
        Mode::Choosing => resolve_choice(play),
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
        Mode::Setup | Mode::Halted | Mode::SomeoneActs => {
            return Err(Violation::new(
                "nothing_to_resolve",
                "CU-36",
                "No combatant is left to act. Add or heal one first.",
            ));
        }
    }
    Ok(())
}

/// All pass if they may; else the first candidate begins.
fn resolve_choice(play: &mut Play<'_>) {
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
            Owner::Combatant => {
                format!(
                    "Pool \"{}\" belongs to combatants. Add \"combatant\".",
                    c.pool
                )
            }
            Owner::Table => {
                format!(
                    "Pool \"{}\" belongs to the table. Remove \"combatant\".",
                    c.pool
                )
            }
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
    let detail = if known.is_empty() {
        "This encounter has no pools. Add \"pools\" to the definition.".to_owned()
    } else {
        format!("Unknown pool \"{name}\". Pools: {}.", known.join(", "))
    };
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
            "Combatants declare nothing in this order. See definition.declare.",
        ));
    };
    let is_time = encounter.state.mode == Mode::Declaring;
    ensure(
        is_time,
        "not_declaring",
        "CU-18",
        "declare",
        || "Combatants declare only at the start of a round.",
    )?;
    let has_declared = fighter.state.has_declared;
    ensure(!has_declared, "has_declared", "CU-18", "declare", || {
        format!("{id} has already declared for this round.")
    })?;
    let must = must_declare(encounter, fighter);
    ensure(must, "declares_nothing", "CU-19", "declare.who", || {
        format!("{id} declares nothing in this order.")
    })?;
    if !rule.choices.contains(&c.choice) {
        let choices: Vec<_> = rule.choices.iter().map(Slug::as_str).collect();
        let choices = choices.join(", ");
        let detail = format!("Unknown choice \"{}\". Choices: {choices}.", c.choice);
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

/// Starts the turn of a combatant, if no other one chooses who acts next.
fn begin_turn(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    play.combatant("combatant", id)?;
    check_choosing(play.encounter())?;
    play.fighter("combatant", id, "CU-1")?;
    let encounter = play.encounter();
    let chooser = chooser(encounter);
    let line = phase_line(encounter, "pick");
    if let Some(chooser) = chooser {
        let detail = format!(
            "{chooser} chooses who acts next. Send \"nominate\" instead. See definition.{line}."
        );
        return Err(Violation::new("not_the_chooser", "CU-14", detail));
    }
    take_choice(play, id)
}

/// Lets the combatant that acted last choose who acts next.
fn nominate(play: &mut Play<'_>, c: &Nominate) -> Result<(), Violation> {
    play.combatant("combatant", &c.combatant)?;
    play.combatant("next", &c.next)?;
    check_choosing(play.encounter())?;
    play.fighter("next", &c.next, "CU-1")?;
    let encounter = play.encounter();
    let chooser = chooser(encounter);
    let line = phase_line(encounter, "pick");
    let is_theirs = chooser == Some(&c.combatant);
    ensure(
        is_theirs,
        "not_the_chooser",
        "CU-14",
        &line,
        || match chooser {
            Some(chooser) => format!("{chooser} chooses who acts next, not {}.", c.combatant),
            None => format!(
                "No combatant chooses now. Send \"begin_turn\" for {}.",
                c.next
            ),
        },
    )?;
    take_choice(play, &c.next)
}

/// Refuses a choice while nothing is to be chosen.
fn check_choosing(encounter: &Encounter) -> Result<(), Violation> {
    let is_time = encounter.state.mode == Mode::Choosing;
    let line = phase_line(encounter, "pick");
    ensure(
        is_time,
        "nothing_to_choose",
        pick_rule(encounter),
        &line,
        || format!("There's nothing to choose now. {}", now(encounter)),
    )
}

/// Starts the turn of the combatant that was chosen.
fn take_choice(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let encounter = play.encounter();
    let candidates = candidates(encounter);
    if !candidates.contains(id) {
        let (rule, line, why) = why_not(encounter, id);
        let ids: Vec<_> = candidates.iter().map(ToString::to_string).collect();
        let ids = ids.join(", ");
        let detail = format!("{why} Next to act: {ids}. See definition.{line}.");
        return Err(Violation::new("not_next", rule, detail));
    }
    begin(play, vec![id.clone()], TurnKind::Normal);
    proceed(play, Point::Turn);
    Ok(())
}

/// Why a combatant is no candidate: the rule, the line of the definition, and a sentence.
fn why_not(encounter: &Encounter, id: &CombatantId) -> (&'static str, String, String) {
    let Some(c) = encounter.get(id) else {
        return ("CU-1", "turns".to_owned(), String::new());
    };
    let definition = definition(encounter);
    let phase = phase(encounter);
    if is_skipped(definition, c) {
        let why = format!("{id} has no turns while unconscious.");
        return ("CU-33", "unconscious".to_owned(), why);
    }
    if c.state.turns_left == 0 && definition.clock.is_none() {
        let why = format!("{id} has no turn left in this round.");
        return ("CU-1", "turns".to_owned(), why);
    }
    if has_had_phase(phase, c) {
        let why = format!("{id} has used all turns of this phase.");
        return ("CU-10", phase_line(encounter, "turns"), why);
    }
    if !fits(definition, &phase.who, c) {
        let why = format!("{id} doesn't act in this phase.");
        return ("CU-10", phase_line(encounter, "who"), why);
    }
    if c.state.passed {
        let why = format!("{id} has passed in this phase.");
        return ("CU-17", phase_line(encounter, "optional"), why);
    }
    if phase.pick == Pick::Order {
        let why = format!("{id}'s place in the order comes later.");
        return ("CU-12", phase_line(encounter, "pick"), why);
    }
    let why = format!("Another side acts next, not {id}'s.");
    ("CU-11", phase_line(encounter, "sides"), why)
}

/// What is going on, for a refusal.
fn now(encounter: &Encounter) -> String {
    if let Some(id) = current(encounter).next() {
        return format!("It's {id}'s turn.");
    }
    let now = match encounter.state.mode {
        Mode::Declaring => "Combatants declare first.",
        Mode::Rolling => "The roll for this round comes first.",
        Mode::Choosing => "The choice of who acts next comes first.",
        Mode::Gap { .. } => "Combatants react or pass first.",
        Mode::SomeoneActs => "Another combatant acts first.",
        Mode::Setup | Mode::Turn | Mode::Halted => "No combatant can act now.",
    };
    now.to_owned()
}

fn end(play: &mut Play<'_>, c: &EndTurn) -> Result<(), Violation> {
    play.in_turn(&c.combatant, "CU-1")?;
    let encounter = play.encounter();
    if let Some(cost) = c.cost {
        let Some(clock) = turn_clock(encounter) else {
            let detail = "This turn costs no ticks. Remove \"cost\".";
            return Err(Violation::field("no_cost", "cost", detail));
        };
        let [least, most] = clock.cost;
        if !(least..=most).contains(&cost) {
            let detail =
                format!("A turn costs {least} to {most} ticks. See definition.clock.cost.");
            return Err(Violation::field("impossible_cost", "cost", detail));
        }
    }
    if steps(encounter).is_empty() {
        end_one(play, &c.combatant, c.cost.map(Int::count));
    } else {
        play.emit(StepFinished {
            combatant: c.combatant.clone(),
        });
    }
    proceed(play, Point::Turn);
    Ok(())
}

fn delay(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let c = play.in_turn(id, "CU-23")?;
    let encounter = play.encounter();
    let definition = definition(encounter);
    let delays = definition.delay.is_some();
    ensure(
        delays,
        "no_delaying",
        "CU-23",
        "delay",
        || "This order has no delaying.",
    )?;
    let able = !is_skipped(definition, c);
    ensure(
        able,
        "unconscious_does_not_delay",
        "CU-23",
        "unconscious",
        || format!("{id} is unconscious and loses this turn. Send \"end_turn\"."),
    )?;
    let [turn] = &encounter.state.turns[..] else {
        return Err(Violation::new(
            "within_a_turn",
            "CU-23",
            "A turn that interrupts another one can't be delayed. Send \"end_turn\".",
        ));
    };
    let is_own = turn.kind == TurnKind::Normal;
    ensure(is_own, "not_its_own_turn", "CU-23", "delay", || {
        format!("{id} can delay only on a turn that the order gives.")
    })?;
    play.count_effects(Moment::TurnEnd(id));
    let mut counted = Vec::new();
    for effect in &play.encounter().effects {
        if effect.expires.anchor() == Some(id) {
            counted.push(effect.id.clone());
        }
    }
    play.emit(Delayed {
        combatant: id.clone(),
        counted,
    });
    proceed(play, Point::Turn);
    Ok(())
}

fn return_to_turn(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let c = play.combatant("combatant", id)?;
    let encounter = play.encounter();
    ensure(
        c.state.delaying,
        "no_delayed_turn",
        "CU-23",
        "delay",
        || format!("{id} has no delayed turn to return to."),
    )?;
    let delay = definition(encounter).delay.as_ref();
    let (rule, line) = if delay.is_some_and(|delay| delay.interrupts) {
        ("CU-26", "delay")
    } else {
        ("CU-24", "delay.interrupts")
    };
    let opening = opening(encounter);
    let returns = opening.is_some_and(|opening| may_return(encounter, c, opening));
    ensure(returns, "cannot_return", rule, line, || {
        format!("{id} can't return now. {}", now(encounter))
    })?;
    if delay.is_some_and(|delay| delay.moves) {
        let (beside, after) = beside_now(encounter);
        let beside = beside.cloned();
        play.emit(PlaceMoved {
            combatant: id.clone(),
            beside,
            after,
            done: false,
        });
    }
    return_to(play, id);
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
                format!("{id} has no reaction to decline.")
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
                || "Combatants can't pass in this phase.",
            )?;
            let is_next = candidates(encounter).contains(id);
            ensure(is_next, "not_next", "CU-17", &line, || {
                format!("{id} can't act now, and so can't pass.")
            })?;
        }
        _ => {
            let detail = format!("There's nothing to pass now. {}", now(encounter));
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
        format!("Readying doesn't fill pool \"{}\".", c.pool)
    })?;
    let is_own = top(encounter).is_some_and(|turn| turn.kind != TurnKind::Bought);
    ensure(is_own, "not_its_own_turn", "CU-30", &line, || {
        format!("{id} can ready an action only on a turn of the order.")
    })?;
    let (max, _) = pool_size(definition(encounter), Some(fighter), pool);
    let full = fighter.state.pools.get(&c.pool).copied().unwrap_or(0) >= max;
    ensure(!full, "already_ready", "CU-30", &line, || {
        format!("{id} has already readied an action.")
    })?;
    play.emit(Readied {
        combatant: id.clone(),
        pool: c.pool.clone(),
        left: max,
    });
    Ok(())
}

/// A use of a pool's points outside the combatant's own turn.
struct Use<'c> {
    combatant: &'c CombatantId,
    pool: &'c Slug,
    cost: Option<Int<0, 100>>,
    /// True if it is that of a readied action.
    readied: bool,
}

impl<'c> Use<'c> {
    fn of_reaction(c: &'c React) -> Self {
        Self {
            combatant: &c.combatant,
            pool: &c.pool,
            cost: c.cost,
            readied: false,
        }
    }

    fn of_readied(c: &'c Trigger) -> Self {
        Self {
            combatant: &c.combatant,
            pool: &c.pool,
            cost: c.cost,
            readied: true,
        }
    }
}

fn react(play: &mut Play<'_>, wanted: &Use<'_>) -> Result<(), Violation> {
    let id = wanted.combatant;
    let name = wanted.pool;
    let fighter = play.combatant("combatant", id)?;
    let pool = pool(play, name)?;
    check_readied(wanted, pool)?;
    let encounter = play.encounter();
    let opening = check_reaction(encounter, fighter, name, pool)?;
    let cost = check_cost(wanted, pool)?;
    let left = points(encounter, fighter, name, pool);
    let line = pool_line(name, "max");
    let is_paid = pays(pool, left, cost);
    ensure(is_paid, "too_few_points", "CU-27", &line, || {
        format!("The use costs {cost}, and pool \"{name}\" has {left} left.")
    })?;
    let line = pool_line(name, "spend.when");
    let spends = may_spend(encounter, fighter, opening, name, pool);
    ensure(spends, "cannot_react", "CU-29", &line, || {
        format!("{id} can't use pool \"{name}\" now. {}", now(encounter))
    })?;
    let gives = pool.spend.gives;
    if cost > 0 && pool.of == Owner::Table {
        play.emit(TablePoolChanged {
            pool: name.clone(),
            left: left.saturating_sub(cost),
        });
    }
    spend(play, wanted, cost);
    match gives {
        Gives::Turn => {
            begin(play, vec![id.clone()], TurnKind::Bought);
            proceed(play, Point::Turn);
        }
        Gives::Action => close_used_gap(play),
    }
    Ok(())
}

fn spend(play: &mut Play<'_>, wanted: &Use<'_>, cost: u32) {
    let combatant = wanted.combatant.clone();
    let pool = wanted.pool.clone();
    if wanted.readied {
        play.emit(Triggered {
            combatant,
            pool,
            cost,
        });
    } else {
        play.emit(Reacted {
            combatant,
            pool,
            cost,
        });
    }
}

/// Refuses to react with a readied action, and to trigger what was not readied.
fn check_readied(wanted: &Use<'_>, pool: &PoolRule) -> Result<(), Violation> {
    let name = wanted.pool;
    let line = pool_line(name, "refill");
    let fills = pool.refill == Refill::Ready;
    ensure(
        fills || !wanted.readied,
        "not_readied",
        "CU-30",
        &line,
        || format!("Readying doesn't fill pool \"{name}\". Send \"react\"."),
    )?;
    ensure(
        !fills || wanted.readied,
        "is_readied",
        "CU-30",
        &line,
        || format!("Pool \"{name}\" holds a readied action. Send \"trigger\"."),
    )
}

fn check_cost(wanted: &Use<'_>, pool: &PoolRule) -> Result<u32, Violation> {
    let [least, most] = pool.spend.cost;
    let cost = wanted.cost.unwrap_or(least);
    let line = pool_line(wanted.pool, "spend.cost");
    let is_price = (least..=most).contains(&cost);
    ensure(is_price, "impossible_cost", "CU-29", &line, || {
        format!("A use costs {least} to {most} points.")
    })?;
    Ok(cost.count())
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
        format!("{id} can't use pool \"{name}\".")
    })?;
    let line = pool_line(name, "spend");
    let is_used = c.state.used.contains(name);
    ensure(!is_used, "used_already", "CU-29", &line, || {
        format!(
            "{id} has used pool \"{name}\" since the last turn started. Wait for the next turn."
        )
    })?;
    if let Some(why) = why_no_reaction(definition(encounter), c) {
        return Err(Violation::new("cannot_react", "CU-31", why));
    }
    if let Some(opening) = opening(encounter)
        && may_react(encounter, c, opening)
    {
        return Ok(opening);
    }
    let now = now(encounter);
    let detail = format!(
        "{id} can't react now. {now} React after or during another combatant's turn. See definition.{line}."
    );
    Err(Violation::new("cannot_react", "CU-29", detail))
}

/// Why a combatant may not react by spending points, whatever the opening.
fn why_no_reaction(definition: &Definition, c: &Combatant) -> Option<String> {
    let id = &c.id;
    if !c.active() {
        return Some(format!("{id} can't react while out of the fight."));
    }
    if c.has(MANIFEST.down) {
        return Some(format!("{id} can't react while unconscious."));
    }
    if is_surprised(definition, c) {
        return Some(format!(
            "{id} is surprised, and can't react before {id}'s first turn. See definition.surprise."
        ));
    }
    if c.state.delaying {
        return Some(format!(
            "{id} has a delayed turn. Send \"return\" to take it first. See definition.delay."
        ));
    }
    None
}
