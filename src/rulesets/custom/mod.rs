//! A table's own turn order: a definition in bounded JSON, enforced like a program.

mod bounds;
mod by_rule;
mod candidates;
mod cards;
mod change_definition;
mod changed;
mod check;
mod choice;
mod clock;
mod consequences;
mod declare;
mod definition;
mod delay;
mod flow;
mod gap;
mod initiative;
mod known_order;
mod laps;
mod lines;
mod manifest;
mod newcomer;
mod openings;
mod options;
mod order;
mod places;
mod point;
mod pools;
mod query;
mod rank;
mod reaction;
mod ready;
mod refusal;
mod resolve;
mod roll;
mod round;
mod secrecy;
mod sides;
mod start;
mod state;
mod survey;
mod swap;
mod turn;
mod walk;
mod why;

pub use cards::{CardChoiceClosed, CardChoiceOpened, CardKept, KeepCard, Reshuffled};
pub use change_definition::{ChangeDefinition, DefinitionChanged, DefinitionPlanned};
pub use changed::Changed;
pub use choice::{BeginTurn, ChoiceOpened, Nominate};
pub use clock::{ClockAdvanced, LapEnded};
pub use declare::{Declaration, DeclarationsOpened, DeclarationsShown, Declare, Declared};
pub use delay::{Delay, DelayLapsed, Delayed, Return, Returned};
pub use gap::{GapClosed, GapOpened, Pass, Passed};
pub use newcomer::CameLate;
pub use options::{Options, Preset};
pub use places::{InitiativeChanged, PlaceMoved, Reorder, SetInitiative, SideInitiativeChanged};
pub use pools::{Grant, PoolChanged, SidePoolChanged, TablePoolChanged};
pub use reaction::{React, Reacted, Readied, Ready, SideSkipped, Trigger, Triggered, TurnSpent};
pub use resolve::Resolve;
pub use roll::{InitiativeRolled, Placed, Roll, RollOpened, RolledPlace, RolledSide};
pub use round::{EndRound, Halted, TurnsForgone};
pub use sides::SideOpened;
pub use start::{Start, Surprised};
pub use state::*;
pub use swap::{AcceptSwap, DeclineSwap, PlacesSwapped, Swap, SwapDeclined, SwapOffered};
pub use turn::{EndTurn, Skipped, StepFinished, StepStarted, TurnOpened};

use crate::json::FieldError;
use crate::rulesets::shared::{check_started, types};
use crate::vocabulary::{
    Combatant as CombatantOf, CombatantId, EffectId, Encounter as EncounterOf, Event as AnyEvent,
    Fold, Group, KnownOrder, LegalCommand, Name, OrderEntry, Pending, Play as PlayOf, Property,
    Ruleset, Slug, Status, TakenOrder, Violation, commands, events, ids, said,
};
use by_rule::ByRule as _;
use candidates::{candidates, chooser, may_pass, names_now};
use cards::{card_options, choosing_cards};
use choice::choice_options;
use consequences::settle;
use declare::{declare_options, undeclared};
use definition::{Chooser, Definition, Gives, Owner, Prepare, ReactionRule, SwapWhen};
use flow::proceed;
use laps::lap_now;
use lines::{
    costs_turns, deck, delay_rule, has_clock, has_laps, has_places, has_sides, has_unlimited_turns,
};
use openings::{Opening, asked, may_skip, opening};
use places::place_options;
use point::Then;
use query::{current, definition};
use reaction::reaction_options;
use roll::with_rolls;
use round::may_end_round;
use serde_json::Value;
use sides::with_first_side;
use start::start_options;
use std::collections::{BTreeSet, HashSet};
use survey::Survey;
use swap::{swap_options, swap_rule};
use turn::turn_options;

/// The ruleset `custom`.
#[derive(Debug, Clone, PartialEq)]
pub struct Custom;

type Encounter = EncounterOf<Custom>;
type Play<'d> = PlayOf<'d, Custom>;
type Combatant = CombatantOf<Custom>;

/// A command of `custom`.
#[commands(Custom, Then)]
pub enum Command {
    Start,
    Roll,
    Resolve,
    EndRound,
    ChangeDefinition,
    Grant,
    SetInitiative,
    Reorder,
    KeepCard,
    Swap,
    AcceptSwap,
    DeclineSwap,
    Declare,
    BeginTurn,
    Nominate,
    EndTurn,
    Delay,
    Return,
    Pass,
    Ready,
    React,
    Trigger,
}

/// Something that happens under `custom` alone.
#[events(Custom)]
pub enum Event {
    Surprised,
    SideOpened,
    DeclarationsOpened,
    Declared,
    DeclarationsShown,
    RollOpened,
    InitiativeRolled,
    InitiativeChanged,
    SideInitiativeChanged,
    CardChoiceOpened,
    CardChoiceClosed,
    CardKept,
    SwapOffered,
    SwapDeclined,
    Placed,
    CameLate,
    Reshuffled,
    ChoiceOpened,
    TurnOpened,
    Skipped,
    StepStarted,
    StepFinished,
    GapOpened,
    GapClosed,
    Passed,
    Delayed,
    DelayLapsed,
    Returned,
    PlaceMoved,
    PlacesSwapped,
    LapEnded,
    ClockAdvanced,
    PoolChanged,
    SidePoolChanged,
    TablePoolChanged,
    Reacted,
    Readied,
    Triggered,
    TurnSpent,
    SideSkipped,
    TurnsForgone,
    DefinitionPlanned,
    DefinitionChanged,
    Halted,
    #[kept]
    Changed,
}

impl Ruleset for Custom {
    types!();

    fn take_order(order: &KnownOrder) -> TakenOrder {
        known_order::take(order)
    }

    fn decide(play: &mut Play<'_>, command: &Command) -> Result<(), Violation> {
        if !matches!(command, Command::ChangeDefinition(_)) {
            check_started(play, matches!(command, Command::Start(_)), "CU-1")?;
        }
        match command.decide(play)? {
            Then::Wait => {}
            Then::Settle => settle(play),
            Then::GoOn(point) => proceed(play, point),
        }
        Ok(())
    }

    fn react(play: &mut Play<'_>, event: &AnyEvent<Self>) -> Result<(), Violation> {
        consequences::react(play, event)
    }

    fn evolve(fold: &mut Fold<'_, Self>, event: &AnyEvent<Self>) {
        if let AnyEvent::Own(event) = event {
            event.apply(fold);
        }
    }

    fn outcome(encounter: &Encounter, event: &AnyEvent<Self>) -> Option<Event> {
        changed::outcome(encounter, event)
    }

    fn check_state(encounter: &Encounter) -> Result<(), String> {
        bounds::check_state(encounter)
    }

    fn legal_commands(encounter: &Encounter) -> Vec<LegalCommand> {
        let mut legal = legal_by_state(encounter);
        if encounter.status != Status::Ended {
            let change = LegalCommand::of::<ChangeDefinition>("CU-59");
            legal.push(change.in_group(Group::Tools));
        }
        legal
    }

    fn newcomer_fields(encounter: &Encounter) -> Vec<Property> {
        newcomer::newcomer_fields(encounter)
    }

    fn read_options(options: &Value) -> Result<Options, Vec<FieldError>> {
        Options::read(options)
    }

    fn check_combatant(options: &Options, combatant: &Combatant) -> Result<(), FieldError> {
        let definition = options.definition();
        for name in combatant.stats.numbers.keys() {
            if !definition.numbers.contains_key(name) {
                return Err(unknown_number(definition, name));
            }
        }
        initiative::check_known(definition, combatant)?;
        initiative::check_own_roll(definition, combatant)
    }

    fn drop_outdated(options: &Options, combatant: &mut Combatant, given: &BTreeSet<String>) {
        let stays = given.contains("roll");
        if !stays && initiative::check_own_roll(options.definition(), combatant).is_err() {
            combatant.stats.roll = None;
        }
    }

    fn current(encounter: &Encounter) -> Vec<CombatantId> {
        if encounter.status != Status::Running {
            return Vec::new();
        }
        current(encounter).cloned().collect()
    }

    fn pending(encounter: &Encounter) -> Option<Pending> {
        let mut pending = pending(encounter);
        let is_named = matches!(
            encounter.state.mode,
            Mode::Turn | Mode::Choosing | Mode::Gap { .. }
        );
        let names = names_now(encounter);
        if is_named && !names.is_empty() {
            pending.slot = Some(names.join(", "));
        }
        if may_resolve(encounter) {
            pending.commands.push("resolve");
        }
        Some(pending)
    }

    fn order(encounter: &Encounter) -> Vec<OrderEntry> {
        order::order(encounter)
    }

    /// The games of the preset whose definition it is.
    fn game(options: &Options) -> &'static str {
        options.games().unwrap_or(Self::MANIFEST.title)
    }

    fn title<'o>(options: &'o Options, word: &str) -> Option<&'o str> {
        let word = Slug::new(word)?;
        options.definition().titles.get(&word).map(Name::as_str)
    }

    fn moment(encounter: &Encounter) -> String {
        let state = &encounter.state;
        let mut parts = vec![Self::round_name(encounter.round)];
        parts.extend(names_now(encounter));
        if has_laps(definition(encounter)) && encounter.status == Status::Running {
            parts.push(format!("lap {}", lap_now(encounter).saturating_add(1)));
        }
        for side in &state.sides {
            let name = said(&side.side, encounter);
            for (pool, points) in &side.pools {
                let left = points_left(encounter, pool, *points);
                parts.push(format!("{name}: {left}"));
            }
        }
        for (pool, points) in &state.pools {
            parts.push(points_left(encounter, pool, *points));
        }
        parts.join(", ")
    }

    fn remark(encounter: &Encounter, c: &Combatant) -> String {
        let state = &c.state;
        let mut remarks = Vec::new();
        if state.delaying {
            remarks.push("delaying".to_owned());
        }
        if let Some(choice) = &state.declared {
            remarks.push(format!("declared {}", said(choice, encounter)));
        }
        if state.turns_left > 1 && !costs_turns(definition(encounter)) {
            remarks.push(format!("{} turns left", state.turns_left));
        }
        if state.surprised {
            remarks.push("surprised".to_owned());
        }
        for name in &state.readied_reactions {
            remarks.push(match said(name, encounter).as_str() {
                "ready" => "readied".to_owned(),
                action => format!("readied {action}"),
            });
        }
        for (name, points) in &state.pools {
            remarks.push(points_left(encounter, name, *points));
        }
        remarks.join(", ")
    }

    /// On a clock an effect counts in the laps, which do not end with the round. One that delays has
    /// had the effects count the turn in which it delays, also in a later round.
    fn has_counted(_encounter: &Encounter, c: &Combatant, effect: &EffectId) -> bool {
        c.state.lapped || c.state.counted.contains(effect)
    }

    /// The rounds of a clock are ticks.
    fn lost_turns_by_round(options: &Options) -> bool {
        !has_clock(options.definition())
    }
}

/// The commands that may be legal, the change of the definition aside.
fn legal_by_state(encounter: &Encounter) -> Vec<LegalCommand> {
    if encounter.status == Status::Setup {
        return start_options(encounter);
    }
    let resolve = LegalCommand::of::<Resolve>("CU-36");
    let mut legal = vec![if pending(encounter).decision == "react" {
        resolve.labelled("No one reacts").preferred()
    } else {
        resolve
    }];
    if may_end_round(encounter) {
        legal.push(LegalCommand::of::<EndRound>("CU-53"));
    }
    match &encounter.state.mode {
        Mode::Declaring => declare_options(encounter, &mut legal),
        Mode::Rolling => {
            let roll = with_rolls(encounter, LegalCommand::of::<Roll>("CU-6"));
            let roll = with_first_side(encounter, roll);
            legal.push(match deck(definition(encounter)) {
                Some(_) => roll.labelled("Deal for the round"),
                None => roll,
            });
        }
        Mode::Choosing => choice_options(encounter, &mut legal),
        Mode::Turn => turn_options(encounter, &mut legal),
        Mode::Gap { .. } => {
            for c in asked(encounter) {
                legal.push(LegalCommand::by::<Pass>(&c.id, "CU-31").alike());
            }
        }
        Mode::Keeping | Mode::Setup | Mode::Halted | Mode::SomeoneActs => {}
    }
    place_options(encounter, &mut legal);
    swap_options(encounter, &mut legal);
    card_options(encounter, &mut legal);
    if let Some(opening) = opening(encounter) {
        reaction_options(encounter, opening, &mut legal);
    }
    for (name, pool) in &definition(encounter).pools {
        let grant = LegalCommand::of::<Grant>("CU-27").with("pool", name.as_str());
        legal.push(match pool.of {
            Owner::Table => grant,
            Owner::Side => {
                let sides = encounter.state.sides.iter().map(|side| side.side.as_str());
                grant.choose("side", sides).required("side")
            }
            Owner::Combatant => grant
                .whom("combatant", encounter.iter().map(|c| &c.id))
                .required("combatant"),
        });
    }
    legal
}

/// What is awaited, its name aside.
fn pending(encounter: &Encounter) -> Pending {
    match &encounter.state.mode {
        Mode::SomeoneActs => Pending::someone(),
        Mode::Setup | Mode::Halted if encounter.active().next().is_none() => {
            Pending::newcomer(encounter, "CU-34")
        }
        Mode::Setup => Pending::new("start", Vec::new(), &["start"], "CU-1"),
        Mode::Halted => Pending::newcomer(encounter, "CU-34"),
        Mode::Declaring => {
            Pending::new("declare", ids(undeclared(encounter)), &["declare"], "CU-18")
        }
        Mode::Rolling => Pending::new("roll", Vec::new(), &["roll"], "CU-6"),
        Mode::Keeping => {
            let choosing = ids(choosing_cards(encounter));
            Pending::new("keep_card", choosing, &["keep_card"], "CU-43")
        }
        Mode::Choosing => pending_choice(encounter),
        Mode::Turn => Pending::new(
            "end_turn",
            Custom::current(encounter),
            &["end_turn"],
            "CU-1",
        ),
        Mode::Gap { .. } => pending_gap(encounter),
    }
}

/// True if the rules can make the awaited decision (CU-36).
fn may_resolve(encounter: &Encounter) -> bool {
    match encounter.state.mode {
        Mode::Declaring
        | Mode::Rolling
        | Mode::Keeping
        | Mode::Choosing
        | Mode::Turn
        | Mode::Gap { .. } => true,
        Mode::Setup | Mode::Halted | Mode::SomeoneActs => false,
    }
}

/// The rule about who may act next, and the line of the definition that says so.
fn rule_of_choice(encounter: &Encounter) -> (&'static str, &'static str) {
    let definition = definition(encounter);
    match definition.chooser {
        Chooser::Last => ("CU-14", "chooser"),
        Chooser::Side => ("CU-50", "chooser"),
        Chooser::Candidates if definition.together.is_some() => ("CU-15", "together"),
        Chooser::Candidates if has_places(definition) => ("CU-12", "order"),
        Chooser::Candidates if has_sides(definition) => ("CU-11", "order"),
        Chooser::Candidates => ("CU-13", "order"),
    }
}

fn unknown_number(definition: &Definition, name: &Slug) -> FieldError {
    let known: Vec<_> = definition.numbers.keys().map(Slug::as_str).collect();
    let known = if known.is_empty() {
        "none".to_owned()
    } else {
        known.join(", ")
    };
    FieldError::meaningless(
        format!("numbers.{name}"),
        format!("Unknown number \"{name}\". Numbers of the definition: {known}."),
    )
}

/// The points of a combatant, a side or the table in a pool, in words.
fn points_left(encounter: &Encounter, pool: &Slug, points: u32) -> String {
    let words = said(pool, encounter);
    let unit = if points == 1 { "point" } else { "points" };
    format!("{points} {words} {unit}")
}

/// Who chooses the next combatant, or passes.
fn pending_choice(encounter: &Encounter) -> Pending {
    let mut who = candidates(encounter);
    let passes = who.iter().any(|id| may_pass(encounter, id));
    let mut decision = "begin_turn";
    if let Some(last) = chooser(encounter) {
        decision = "nominate";
        // The one that chooses comes first; the others can do nothing but pass.
        who.retain(|id| id != last && may_pass(encounter, id));
        who.insert(0, last.clone());
    }
    let mut commands = vec![decision];
    if passes {
        commands.push("pass");
    }
    if has_unlimited_turns(definition(encounter)) {
        commands.push("end_round");
    }
    let skippers = skippers(encounter);
    if !skippers.is_empty() {
        commands.push("react");
    }
    let named: HashSet<_> = who.iter().cloned().collect();
    who.extend(skippers.into_iter().filter(|id| !named.contains(id)));
    let (rule, _) = rule_of_choice(encounter);
    Pending::new(decision, who, &commands, rule)
}

/// The combatants that may let another side go first.
fn skippers(encounter: &Encounter) -> Vec<CombatantId> {
    let reactions = &definition(encounter).reactions;
    if !reactions.values().any(|rule| rule.gives() == Gives::Skip) {
        return Vec::new();
    }
    let survey = Survey::of(encounter);
    let mut skippers = candidates(encounter);
    skippers.retain(|id| {
        let mut reactions = reactions.iter();
        let c = encounter.get(id);
        c.is_some_and(|c| reactions.any(|(name, rule)| may_skip(&survey, c, name, rule)))
    });
    skippers
}

/// Who may react in the gap that is open.
fn pending_gap(encounter: &Encounter) -> Pending {
    let who = ids(asked(encounter));
    if who.is_empty() {
        return Pending::new("resolve", who, &[], "CU-31");
    }
    let mut commands = vec!["pass"];
    let reactions = || definition(encounter).reactions.values();
    let asks = |rule: &ReactionRule, prepare| rule.prepare == prepare && !rule.silent;
    if reactions().any(|rule| asks(rule, Prepare::None) && rule.gives() != Gives::Skip) {
        commands.push("react");
    }
    if reactions().any(|rule| asks(rule, Prepare::Ready)) {
        commands.push("trigger");
    }
    if delay_rule(definition(encounter)).is_some() {
        commands.push("return");
    }
    let swaps = swap_rule(encounter).is_some_and(|rule| rule.when == SwapWhen::RoundStart);
    if swaps && opening(encounter) == Some(Opening::RoundStart) {
        commands.push("swap");
    }
    Pending::new("react", who, &commands, "CU-31")
}
