//! EXP, the game of technological chaos: a high initiative is a tactical advantage, which lets a
//! persona wait.

mod answer;
mod jump;
mod list;
mod manifest;
mod mental;
mod state;
mod unit;

pub use answer::{Announce, Announced, Declare, Declared, Sequence, Use};
pub use jump::{AskAgain, AskedAgain, Jump, JumpAnnounced, Jumped, Pass, Passed, Resolve};
pub use list::{Asked, ComponentsLost, ComponentsRegained, Loss, PassStarted};
pub use mental::{DuelEnded, MentalAttack, MentalAttacked, MentalDuel, MentalDuelRolled};
pub use state::*;
pub use unit::{InitiativeRolled, Roll, Rolled, Rolls, Start, TieRolls};

use crate::json::FieldError;
use crate::rulesets::shared::{check_started, level_is_public, rolled, types};
use crate::vocabulary::Event::{Own, Roster, Shared};
use crate::vocabulary::{
    Audience, Combatant as CombatantOf, CombatantId, Encounter as EncounterOf, Event as AnyEvent,
    EventRedaction, Fields, Fold, KnownCombatants, LegalCommand, OrderEntry, Pending,
    Play as PlayOf, Property, Reason, Redact, RosterEvent, Ruleset, Secrecy, SharedEvent, Status,
    TurnEnded, Violation, commands, events, ids,
};
use jump::{any_must_announce, deciders};
use list::are_lowest;
use mental::{can_attack, end_duel};
use std::sync::Arc;

/// The ruleset `exp`.
#[derive(Debug, Clone, PartialEq)]
pub struct Exp;

type Encounter = EncounterOf<Exp>;
type Play<'d> = PlayOf<'d, Exp>;
type Combatant = CombatantOf<Exp>;

/// A command of EXP.
#[commands(Exp)]
pub enum Command {
    Start,
    Roll,
    Declare,
    Announce,
    Jump,
    Pass,
    AskAgain,
    Resolve,
    MentalAttack,
    MentalDuel,
}

/// An event of EXP.
#[events(Exp)]
pub enum Event {
    Rolled,
    InitiativeRolled,
    PassStarted,
    Asked,
    Announced,
    Declared,
    JumpAnnounced,
    Jumped,
    Passed,
    AskedAgain,
    MentalDuelRolled,
    MentalAttacked,
    ComponentsLost,
    ComponentsRegained,
    DuelEnded,
}

impl Ruleset for Exp {
    types!();

    fn check_combatant(_: &Options, combatant: &Combatant) -> Result<(), FieldError> {
        level_is_public(combatant)
    }

    fn decide(play: &mut Play<'_>, command: &Command) -> Result<(), Violation> {
        if !is_own_roll(command) {
            check_started(play, matches!(command, Command::Start(_)), "EX-2")?;
        }
        command.decide(play)?;
        jump::take_jumps(play);
        Ok(())
    }

    fn react(play: &mut Play<'_>, event: &AnyEvent<Self>) -> Result<(), Violation> {
        let encounter = play.encounter();
        let id = match event {
            Shared(SharedEvent::Overridden(e)) => return take_over(play, &e.combatant),
            Shared(SharedEvent::ConditionSet(e)) => &e.combatant,
            Shared(SharedEvent::CombatantLeft(e)) => &e.combatant,
            Roster(
                RosterEvent::CombatantJoined { details }
                | RosterEvent::CombatantUpdated { details, .. },
            ) => &details.id,
            Shared(_) | Own(_) => return Ok(()),
        };
        if encounter.state.phase != Phase::Pass {
            return Ok(());
        }
        // An effect that counts the turns of a combatant that left counts at the unit's end.
        if encounter.get(id).is_none() && encounter.state.asked.contains(id) {
            play.emit(TurnEnded {
                combatant: id.clone(),
            });
        }
        // A duel ends before its duellist loses components (EX-32a).
        if is_unfit_for_duel(play, id) {
            end_duel(play);
        }
        // A persona that cannot act loses what waited (EX-23), or everything if it is asked (EX-23a).
        let encounter = play.encounter();
        if let Some(c) = encounter.get(id)
            && !state::able(c)
        {
            let loss = if encounter.state.asked.contains(id) {
                Loss::CouldNotAnswer
            } else {
                Loss::CannotAct
            };
            list::lose(play, id, loss);
        }
        if let Roster(RosterEvent::CombatantJoined { .. }) = event {
            let components = vec![Component::Move, Component::Act];
            play.emit(ComponentsLost {
                combatant: id.clone(),
                components,
                loss: Loss::JoinedLate,
            });
        }
        jump::take_jumps(play);
        list::advance(play);
        Ok(())
    }

    fn evolve(fold: &mut Fold<'_, Self>, event: &AnyEvent<Self>) {
        match event {
            Own(event) => event.apply(fold),
            Shared(SharedEvent::CombatantLeft(e)) => list::forget(fold, &e.combatant),
            Shared(SharedEvent::TurnEnded(e)) => list::answered(fold.state(), &e.combatant),
            Shared(SharedEvent::RoundEnded(_)) => list::unit_ended(fold),
            Shared(_) | Roster(_) => {}
        }
    }

    fn check_state(encounter: &Encounter) -> Result<(), String> {
        state::check(encounter)
    }

    fn legal_commands(encounter: &Encounter) -> Vec<LegalCommand> {
        let state = &encounter.state;
        let mut legal = Vec::new();
        match state.phase {
            Phase::Setup => unit::options::<Start>(encounter, "EX-2", &mut legal),
            Phase::Roll => unit::options::<Roll>(encounter, "EX-3", &mut legal),
            Phase::Pass if state.duel.is_empty() => {
                for c in state.asked.iter().filter_map(|id| encounter.get(id)) {
                    answer::options(encounter, c, &mut legal);
                }
                jump::options(encounter, &mut legal);
                mental::attacks(encounter, &mut legal);
                mental::duels(encounter, &mut legal);
            }
            Phase::Pass | Phase::SomeoneActs => {
                mental::attacks(encounter, &mut legal);
                for id in &state.duel {
                    let decline = LegalCommand::by::<Pass>(id, "EX-32a");
                    legal.push(
                        decline
                            .labelled("{combatant}: decline the mental duel")
                            .without(&["standing"]),
                    );
                }
            }
        }
        for c in encounter.iter() {
            if c.state.keeps_waiting {
                legal.push(LegalCommand::by::<AskAgain>(&c.id, "EX-25c"));
            }
        }
        legal
    }

    fn newcomer_fields(_encounter: &Encounter) -> Vec<Property> {
        // A robot has no MSTR, and an anthro's DEX is narrower.
        CombatantStats::all_but(&["persona", "encumbrance"])
    }

    fn words_for_stat(field: &str) -> Option<&'static str> {
        match field {
            "awe" => Some("AWE"),
            "dex" => Some("DEX"),
            "mstr" => Some("MSTR"),
            _ => None,
        }
    }

    fn current(encounter: &Encounter) -> Vec<CombatantId> {
        let nobody =
            encounter.status == Status::Ended || encounter.state.phase == Phase::SomeoneActs;
        if nobody {
            Vec::new()
        } else {
            encounter.state.asked.clone()
        }
    }

    fn pending(encounter: &Encounter) -> Option<Pending> {
        let state = &encounter.state;
        Some(match state.phase {
            Phase::Setup | Phase::Roll if encounter.active().next().is_none() => {
                Pending::newcomer(encounter, "EX-2")
            }
            Phase::Setup => Pending::new("start", Vec::new(), &["start"], "EX-2"),
            Phase::Roll => {
                let unrolled = encounter.active().filter(|c| c.state.own_roll.is_none());
                Pending {
                    gm: true,
                    ..Pending::new("roll", ids(unrolled), &["roll"], "EX-3")
                }
            }
            Phase::SomeoneActs => Pending::someone(),
            Phase::Pass if !state.duel.is_empty() => Pending::new(
                "mental_attack",
                state.duel.clone(),
                &["mental_attack", "pass"],
                "EX-32",
            ),
            Phase::Pass => pending_answer(encounter),
        })
    }

    fn order(encounter: &Encounter) -> Vec<OrderEntry> {
        let mut entries = Vec::new();
        for roll in encounter.state.ranking.iter() {
            for id in &roll.combatants {
                if encounter.get(id).is_some_and(|c| c.state.rank.is_some()) {
                    entries.push(order_entry(roll, id, &encounter.state.ranking));
                }
            }
        }
        entries
    }

    fn remark(encounter: &Encounter, c: &Combatant) -> String {
        let own = c.state.own_roll.as_ref().map(|roll| roll.die);
        let mut remarks = Vec::from_iter(rolled(own.as_slice()));
        if let Some(roll) = roll_of(encounter, c) {
            // The row has the number without the digits that broke a tie.
            if !roll.digits.is_empty() {
                let written = roll.written(&encounter.state.ranking);
                remarks.push(format!("initiative {written}"));
            }
            remarks.push(format!("move {}", c.state.move_status));
            remarks.push(format!("act {}", c.state.act_status));
            if c.state.keeps_waiting {
                remarks.push("keeps waiting until further notice".to_owned());
            }
        } else if encounter.state.phase == Phase::Pass && c.active() {
            remarks.push("not in this unit".to_owned());
        }
        remarks.extend(plan_of(encounter, c));
        remarks.join(", ")
    }

    fn moment(encounter: &Encounter) -> String {
        format!("unit {}, pass {}", encounter.round, encounter.state.pass)
    }
}

/// True if it is a persona's own roll, which may come before the start.
fn is_own_roll(command: &Command) -> bool {
    matches!(
        command,
        Command::Roll(Roll {
            combatant: Some(_),
            ..
        })
    )
}

/// Starts the turn of an override: asks the persona, and the list continues below it. Those asked
/// until then keep what they have not spent, and one with nothing left gets both components again.
/// Between two units the next one is rolled first. A mental duel ends.
fn take_over(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    list::fit(play.combatant("combatant", id)?)?;
    if play.encounter().state.phase == Phase::Roll {
        let contenders = unit::contenders(play.encounter());
        unit::begin(play, contenders, &Rolls::new(), &TieRolls::new());
    }
    end_duel(play);
    let c = play.combatant("combatant", id)?;
    let rank = c.state.rank.unwrap_or(play.encounter().state.cursor);
    if !c.state.open() {
        play.emit(ComponentsRegained {
            combatant: id.clone(),
        });
    }
    list::ask(play, rank, vec![id.clone()]);
    Ok(())
}

/// True if a duellist has left, or cannot attack with its mind.
fn is_unfit_for_duel(play: &Play<'_>, id: &CombatantId) -> bool {
    let encounter = play.encounter();
    if !encounter.state.duel.contains(id) {
        return false;
    }
    match encounter.get(id) {
        Some(c) => can_attack(encounter, c).is_err(),
        None => true,
    }
}

/// What a persona has announced, on which others decide whether they jump.
fn plan_of(encounter: &Encounter, c: &Combatant) -> Option<String> {
    let mut jumps = encounter.state.jumps.iter();
    if let Some(jump) = jumps.find(|jump| jump.combatant == c.id) {
        return Some(jump.plan());
    }
    let announced = state::announced(encounter)?;
    (announced.combatant == c.id).then(|| announced.plan())
}

/// What the list awaits: the answers of those that could jump ahead of the next act, or of those
/// that are asked.
fn pending_answer(encounter: &Encounter) -> Pending {
    let deciders = deciders(encounter);
    if !deciders.is_empty() {
        let is_over_jump = !encounter.state.jumps.is_empty();
        let rule = if is_over_jump { "EX-27a" } else { "EX-25b" };
        return Pending::new("jump", deciders, &["jump", "pass", "resolve"], rule);
    }
    let asked = &encounter.state.asked;
    let (decision, rule) = if are_lowest(encounter, asked, |_| true) {
        ("spend_all", "EX-15")
    } else {
        ("declare", "EX-14")
    };
    let Some(announced) = state::announced(encounter) else {
        let commands: &'static [&'static str] = if any_must_announce(encounter, asked) {
            &["announce", "declare"]
        } else {
            &["declare", "announce"]
        };
        return Pending::new(decision, asked.clone(), commands, rule);
    };
    let announcer = vec![announced.combatant.clone()];
    Pending::new(decision, announcer, &["declare"], rule)
}

fn order_entry(roll: &InitiativeRoll, id: &CombatantId, ranking: &[InitiativeRoll]) -> OrderEntry {
    let mut dice = vec![roll.die];
    dice.extend(&roll.digits);
    let tied = !roll.digits.is_empty();
    let because = Reason {
        dice,
        bonus: Some(roll.bonus),
        total: Some(roll.total.into()),
        tie_rule: if tied { Some("EX-7") } else { None },
        ..Reason::new("EX-5", format!("rolled {}", roll.written(ranking)))
    };
    let mut entry = OrderEntry::new(id, because);
    let is_crowd = roll.combatants != std::slice::from_ref(&roll.id);
    if is_crowd {
        entry.slot = Some(roll.id.as_str().to_owned());
    }
    entry
}

/// The roll that gave a persona its place in the list.
fn roll_of<'t>(encounter: &'t Encounter, c: &Combatant) -> Option<&'t InitiativeRoll> {
    let rank = usize::try_from(c.state.rank?).ok()?;
    encounter.state.ranking.get(rank.checked_sub(1)?)
}

impl Secrecy<Self> for Exp {
    /// A duel comes before the list, and in it the second waits for the first.
    fn awaited(encounter: &Encounter) -> Vec<CombatantId> {
        let state = &encounter.state;
        if state.phase != Phase::Pass {
            return Vec::new();
        }
        if let Some(first) = state.duel.first() {
            return vec![first.clone()];
        }
        let deciders = deciders(encounter);
        if deciders.is_empty() {
            state.asked.clone()
        } else {
            deciders
        }
    }

    /// The rank that is asked would place a hidden persona in the list.
    fn known_state(whole: &Encounter, audience: &Audience<'_>) -> State {
        let State {
            phase,
            pass,
            cursor,
            asked,
            announced,
            jumps,
            failed,
            kept,
            duel,
            ranking,
        } = &whole.state;
        let asked = audience.known(asked);
        let cursor = if asked.is_empty() { 0 } else { *cursor };
        State {
            phase: if whole.someone_acts(audience) {
                Phase::SomeoneActs
            } else {
                *phase
            },
            pass: *pass,
            cursor: known_rank(&known_ranks(ranking, audience), cursor),
            asked,
            announced: audience.known(announced),
            jumps: audience.known(jumps),
            failed: audience.known(failed),
            kept: audience.known(kept),
            duel: audience.known(duel),
            ranking: Arc::new(InitiativeRoll::known(ranking, audience)),
        }
    }

    fn known_combatants<'t>(
        whole: &'t Encounter,
        audience: &'t Audience<'t>,
    ) -> KnownCombatants<'t, Self> {
        let ranks = known_ranks(&whole.state.ranking, audience);
        Box::new(move |c| {
            let CombatantState {
                rank,
                move_status,
                act_status,
                asked,
                keeps_waiting,
                mental,
                own_roll,
            } = &c.state;
            CombatantState {
                rank: rank.map(|rank| known_rank(&ranks, rank)),
                move_status: *move_status,
                act_status: *act_status,
                asked: *asked,
                keeps_waiting: *keeps_waiting,
                mental: *mental,
                own_roll: own_roll.clone(),
            }
        })
    }

    fn redact_event(event: &Event, redaction: &EventRedaction<'_, Self>) -> Option<Event> {
        let (audience, whole) = (redaction.audience, redaction.whole);
        match event {
            Event::InitiativeRolled(e) => Some(
                InitiativeRolled {
                    ranking: InitiativeRoll::known(&e.ranking, audience),
                }
                .into(),
            ),
            Event::Asked(e) => {
                let combatants = e
                    .combatants
                    .redact(audience)
                    .filter(|known| !known.is_empty())?;
                Some(
                    Asked {
                        rank: known_rank(&known_ranks(&whole.state.ranking, audience), e.rank),
                        forced: are_lowest(whole, &combatants, |c| audience.sees(c)),
                        combatants,
                        starting: e.starting.redact(audience)?,
                    }
                    .into(),
                )
            }
            Event::Declared(e) => {
                let rank = whole
                    .get(&e.combatant)
                    .filter(|c| audience.sees(c))?
                    .state
                    .rank;
                let waits = e.movement == Some(Use::Wait) || e.act == Some(Use::Wait);
                let forced = e.forced || !waits && state::lowest(whole, rank, |c| audience.sees(c));
                Some(
                    Declared {
                        forced,
                        ..e.clone()
                    }
                    .into(),
                )
            }
            Event::MentalDuelRolled(e) if e.ranking.redact(audience)?.len() < e.ranking.len() => {
                None
            }
            event => event.redact(audience),
        }
    }
}

/// The rank that each place of the list has for the audience, from 0 for the top: how many places
/// it knows up to there.
fn known_ranks(rolls: &[InitiativeRoll], audience: &Audience<'_>) -> Vec<u32> {
    let mut known: u32 = 0;
    let mut ranks = vec![0];
    for roll in rolls {
        if roll.combatants.iter().any(|id| audience.knows(id)) {
            known = known.saturating_add(1);
        }
        ranks.push(known);
    }
    ranks
}

/// The rank that a place has for the audience, by [`known_ranks`].
fn known_rank(ranks: &[u32], rank: u32) -> u32 {
    let place = usize::try_from(rank).unwrap_or(usize::MAX);
    ranks.get(place).or(ranks.last()).copied().unwrap_or(0)
}
