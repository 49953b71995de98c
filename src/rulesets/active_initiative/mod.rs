//! Active Initiative, from Giffyglyph's Darker Dungeons: after a turn, its player chooses who acts
//! next, and enemies may interrupt.

mod choose;
mod end_turn;
mod inspiration;
mod interrupt;
mod manifest;
mod ready;
mod start;
mod state;
mod turn;

pub use choose::{BeginTurn, ChoiceOpened, Nominate, Nominated};
pub use end_turn::EndTurn;
pub use inspiration::{InspirationSpent, Inspire, Inspired, SpendInspiration};
pub use interrupt::{Interrupt, InterruptPointsLost, Interrupted, Pass, Passed, Resolve};
pub use ready::{Readied, Ready, ReadyLapsed, Trigger, Triggered};
pub use start::{
    Advised, InitiativeRoll, InitiativeRolled, InterruptPointsGained, Roll, RollOff, Rolled,
    RolledOff, Start,
};
pub use state::*;

use crate::json::FieldError;
use crate::rulesets::shared::{check_started, had_turn, rolled, types};
use crate::vocabulary::Event::{Own, Roster, Shared};
use crate::vocabulary::{
    Audience, Combatant as CombatantOf, CombatantId, Encounter as EncounterOf, Event as AnyEvent,
    EventRedaction, Fields, Fold, Int, KnownCombatants, LegalCommand, OrderEntry, Pending,
    Play as PlayOf, Property, Reason, Redact, Ruleset, Secrecy, SharedEvent, Violation, commands,
    events,
};
use inspiration::can_ever_hold;
use interrupt::{asked, could_interrupt_for_damage, is_choice_held, is_held};
use std::collections::BTreeSet;

/// The ruleset `active-initiative`.
#[derive(Debug, Clone, PartialEq)]
pub struct ActiveInitiative;

type Encounter = EncounterOf<ActiveInitiative>;
type Play<'d> = PlayOf<'d, ActiveInitiative>;
type Combatant = CombatantOf<ActiveInitiative>;

/// A command of Active Initiative.
#[commands(ActiveInitiative)]
pub enum Command {
    Start,
    Roll,
    EndTurn,
    Nominate,
    BeginTurn,
    Interrupt,
    Pass,
    Resolve,
    Ready,
    Trigger,
    Inspire,
    SpendInspiration,
}

/// An event of Active Initiative.
#[events(ActiveInitiative)]
pub enum Event {
    Advised,
    Rolled,
    InitiativeRolled,
    RolledOff,
    InterruptPointsGained,
    Nominated,
    Interrupted,
    Passed,
    ChoiceOpened,
    Readied,
    Triggered,
    ReadyLapsed,
    Inspired,
    InspirationSpent,
    InterruptPointsLost,
}

impl Ruleset for ActiveInitiative {
    types!();

    fn decide(play: &mut Play<'_>, command: &Command) -> Result<(), Violation> {
        check_started(
            play,
            matches!(command, Command::Start(_) | Command::Roll(_)),
            "AI-2",
        )?;
        command.decide(play)
    }

    fn react(play: &mut Play<'_>, event: &AnyEvent<Self>) -> Result<(), Violation> {
        match event {
            Shared(SharedEvent::EncounterEnded(_)) => interrupt::lose_points(play),
            _ if matches!(play.encounter().state.phase, Phase::Setup | Phase::Over) => {}
            Shared(SharedEvent::Overridden(e)) => turn::take_turn(play, &e.combatant),
            Shared(
                SharedEvent::ConditionSet(_)
                | SharedEvent::ConditionCleared(_)
                | SharedEvent::CombatantLeft(_),
            )
            | Roster(_) => settle(play),
            Shared(_) | Own(_) => {}
        }
        Ok(())
    }

    fn evolve(fold: &mut Fold<'_, Self>, event: &AnyEvent<Self>) {
        match event {
            Own(event) => event.apply(fold),
            // Damage before the scene lets nobody interrupt.
            Shared(SharedEvent::Damaged(e))
                if e.amount > 0 && fold.state().phase != Phase::Setup =>
            {
                fold.change_state(&e.combatant, |s| s.hurt = true);
            }
            Shared(SharedEvent::RoundStarted(_)) => turn::round_started(fold),
            Shared(SharedEvent::Overridden(e)) => {
                turn::open_window(fold, &e.combatant, Way::Overridden {});
            }
            Shared(SharedEvent::TurnStarted(e)) => turn::turn_started(fold, &e.combatant),
            Shared(SharedEvent::CombatantLeft(e)) => fold.state().forget(&e.combatant),
            Shared(SharedEvent::EncounterEnded(_)) => fold.state().phase = Phase::Over,
            Shared(_) | Roster(_) => {}
        }
    }

    fn check_state(encounter: &Encounter) -> Result<(), String> {
        state::check(encounter)
    }

    fn legal_commands(encounter: &Encounter) -> Vec<LegalCommand> {
        let mut legal = match &encounter.state.phase {
            Phase::Setup => return start::options(encounter),
            Phase::Over | Phase::SomeoneActs => Vec::new(),
            Phase::InTurn { actor } => {
                let mut legal = end_turn::options(encounter, actor);
                legal.push(ready::options(actor));
                legal
            }
            Phase::Nominate {} | Phase::NominateFirst {} => {
                let mut legal = choose::options(encounter);
                legal.extend(interrupt::options(encounter, &[Means::Damage]));
                legal
            }
            Phase::Window { nominee, .. } => {
                let mut legal = vec![LegalCommand::by::<BeginTurn>(nominee, "AI-7")];
                legal.extend(interrupt::options(encounter, &MEANS));
                legal
            }
        };
        legal.extend(ready::triggers(encounter));
        legal.extend(inspiration::options(encounter));
        legal
    }

    fn newcomer_fields(encounter: &Encounter) -> Vec<Property> {
        if encounter.options.npc_inspiration {
            return CombatantStats::all_but(&[]);
        }
        // It depends on the kind whether a newcomer can hold some.
        CombatantStats::all_but(&["inspiration"])
    }

    fn words_for_stat(field: &str) -> Option<&'static str> {
        match field {
            "dex" => Some("DEX"),
            "int_modifier" => Some("INT modifier"),
            "wis" => Some("WIS"),
            _ => None,
        }
    }

    fn check_combatant(options: &Options, combatant: &Combatant) -> Result<(), FieldError> {
        if combatant.stats.inspiration.get() == 0 || can_ever_hold(options, combatant) {
            return Ok(());
        }
        let message = format!(
            "{} can't hold inspiration (AI-28). Leave \"inspiration\" out.",
            combatant.name
        );
        Err(FieldError::meaningless("inspiration", message))
    }

    fn drop_outdated(options: &Options, combatant: &mut Combatant, given: &BTreeSet<String>) {
        if !given.contains("inspiration") && !can_ever_hold(options, combatant) {
            combatant.stats.inspiration = Int::default();
        }
    }

    fn current(encounter: &Encounter) -> Vec<CombatantId> {
        if let Phase::InTurn { actor } = &encounter.state.phase {
            vec![actor.clone()]
        } else {
            Vec::new()
        }
    }

    fn pending(encounter: &Encounter) -> Option<Pending> {
        let none_fights = encounter.active().next().is_none();
        Some(match &encounter.state.phase {
            Phase::Over => return None,
            Phase::SomeoneActs => Pending::someone(),
            Phase::InTurn { actor } => {
                Pending::new("end_turn", vec![actor.clone()], &["end_turn"], "AI-7")
            }
            Phase::Window { nominee, .. } => pending_window(encounter, nominee),
            _ if none_fights => Pending::newcomer(encounter, "AI-35"),
            Phase::Setup => Pending::new("start", Vec::new(), &["start"], "AI-2"),
            Phase::Nominate {} => pending_choice(encounter, "nominate", "AI-7"),
            Phase::NominateFirst {} => pending_choice(encounter, "nominate_first", "AI-41"),
        })
    }

    /// The turns of this round that started and were not taken back, and the next one.
    fn order(encounter: &Encounter) -> Vec<OrderEntry> {
        let mut order = Vec::new();
        for taken in &encounter.state.turns {
            let Taken { combatant, way } = &**taken;
            if had_turn(encounter, combatant) {
                order.push(OrderEntry::new(combatant, because(way)));
            }
        }
        if let Phase::Window { nominee, way } = &encounter.state.phase {
            order.push(OrderEntry::new(nominee, because(way)));
        }
        order
    }

    fn remark(encounter: &Encounter, c: &Combatant) -> String {
        let mut remarks = Vec::from_iter(rolled(c.state.own_die.as_slice()));
        if let Phase::Window { nominee, .. } = &encounter.state.phase
            && *nominee == c.id
        {
            remarks.push("next".to_owned());
        }
        if could_interrupt_for_damage(encounter, c) {
            remarks.push("may interrupt".to_owned());
        }
        if c.stats.inspiration.get() > 0 {
            remarks.push(format!("inspiration {}", c.stats.inspiration));
        }
        if c.state.readied.is_some() {
            remarks.push("action readied".to_owned());
        }
        remarks.join(", ")
    }
}

/// Moves on after a change of the roster, unless a turn is in progress or can start.
fn settle(play: &mut Play<'_>) {
    let encounter = play.encounter();
    match encounter.state.phase.clone() {
        Phase::InTurn { actor } if encounter.get(&actor).is_none() => {
            end_turn::close_turn(play, &actor);
        }
        Phase::InTurn { .. } | Phase::SomeoneActs => {}
        Phase::Window { nominee, .. } if encounter.is_active(&nominee) => {}
        _ => choose::advance(play),
    }
}

/// The last to act chooses the next combatant, once the hurt have interrupted or passed.
fn pending_choice(encounter: &Encounter, decision: &'static str, rule: &'static str) -> Pending {
    if is_choice_held(encounter) {
        return pending_interrupts(encounter);
    }
    let mut deciders = Vec::new();
    deciders.extend(encounter.state.last_actor.clone());
    pending_unheld(encounter, decision, deciders, "nominate", rule)
}

/// The next combatant starts its turn, once all that could interrupt have interrupted or passed.
fn pending_window(encounter: &Encounter, nominee: &CombatantId) -> Pending {
    if is_held(encounter, nominee) {
        return pending_interrupts(encounter);
    }
    let deciders = vec![nominee.clone()];
    pending_unheld(encounter, "begin_turn", deciders, "begin_turn", "AI-17")
}

fn pending_interrupts(encounter: &Encounter) -> Pending {
    let commands = ["interrupt", "pass", "resolve"];
    Pending::new("interrupt", asked(encounter), &commands, "AI-17b")
}

/// A decision that waits for no interrupt. Hidden combatants may still interrupt.
fn pending_unheld(
    encounter: &Encounter,
    decision: &'static str,
    mut deciders: Vec<CombatantId>,
    answer: &'static str,
    rule: &'static str,
) -> Pending {
    let asked = asked(encounter);
    if asked.is_empty() {
        return Pending::new(decision, deciders, &[answer], rule);
    }
    deciders.extend(asked);
    Pending::new(decision, deciders, &[answer, "interrupt", "pass"], rule)
}

fn because(way: &Way) -> Reason {
    match way {
        Way::Opened {} => Reason::new("AI-2", "triggered the scene"),
        Way::Rolled {
            die,
            total,
            tied,
            roll_off,
            ..
        } => Reason {
            dice: match roll_off {
                Some(roll_off) => vec![*die, *roll_off],
                None => vec![*die],
            },
            tie_rule: match roll_off {
                Some(_) => Some("AI-5a"),
                None if tied.is_empty() => None,
                None => Some("AI-5"),
            },
            bonus: Some(*total - i64::from(die.face)),
            total: Some((*total).into()),
            ..Reason::new("AI-3", "rolled the highest initiative")
        },
        Way::Nominated { nominated_by } => Reason {
            named_by: nominated_by.clone(),
            ..Reason::new("AI-7", "was chosen")
        },
        Way::Interrupted {
            means: Means::Inspiration,
        } => Reason::new("AI-19", "interrupted with inspiration"),
        Way::Interrupted {
            means: Means::Damage,
        } => Reason::new("AI-20", "interrupted after taking damage"),
        Way::Interrupted {
            means: Means::InterruptPoint,
        } => Reason::new("AI-31", "interrupted with an interrupt point"),
        Way::Overridden {} => Reason::new("TK-5", "set by the game master"),
    }
}

impl Secrecy<Self> for ActiveInitiative {
    /// Without those who may interrupt.
    fn awaited(encounter: &Encounter) -> Vec<CombatantId> {
        match &encounter.state.phase {
            Phase::InTurn { actor: id } | Phase::Window { nominee: id, .. } => vec![id.clone()],
            Phase::Nominate {} | Phase::NominateFirst {} => {
                encounter.state.last_actor.iter().cloned().collect()
            }
            Phase::Setup | Phase::Over | Phase::SomeoneActs => Vec::new(),
        }
    }

    fn choosable(encounter: &Encounter) -> Vec<CombatantId> {
        choose::choosable(encounter)
    }

    fn known_state(whole: &Encounter, audience: &Audience<'_>) -> State {
        let State {
            phase,
            last_actor,
            interrupt_points: _,
            interrupt_point_used,
            begun,
            turns,
        } = &whole.state;
        State {
            phase: if whole.someone_acts(audience) {
                Phase::SomeoneActs
            } else {
                audience.known(phase)
            },
            last_actor: audience.known(last_actor),
            interrupt_points: None,
            interrupt_point_used: *interrupt_point_used,
            begun: *begun,
            turns: audience.known(turns),
        }
    }

    fn known_combatants<'t>(
        _whole: &'t Encounter,
        _audience: &'t Audience<'t>,
    ) -> KnownCombatants<'t, Self> {
        Box::new(|c| {
            let CombatantState {
                own_die,
                hurt,
                interrupted,
                passed,
                readied,
            } = &c.state;
            CombatantState {
                own_die: *own_die,
                hurt: *hurt,
                interrupted: *interrupted,
                passed: *passed,
                readied: readied.clone(),
            }
        })
    }

    fn redact_event(event: &Event, redaction: &EventRedaction<'_, Self>) -> Option<Event> {
        if Self::is_secret(event) {
            return None;
        }
        if redaction.someone_acts && matches!(event, Event::ChoiceOpened(_)) {
            return None;
        }
        match event.redact(redaction.audience)? {
            // A roll-off takes two.
            Event::RolledOff(e) if e.ranking.len() < 2 => None,
            event => Some(event),
        }
    }

    /// The game master's points, and advice on how many monsters there are.
    fn is_secret(event: &Event) -> bool {
        matches!(
            event,
            Event::Advised(_) | Event::InterruptPointsGained(_) | Event::InterruptPointsLost(_)
        )
    }
}
