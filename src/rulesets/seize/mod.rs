//! Seize the initiative, from the World Anvil world "The New World": a roll decides the first turn.
//! After a turn, its player chooses who acts next, unless a combatant that lost hit points seizes
//! the turn.

mod choose;
mod end_turn;
mod extra_action;
mod manifest;
mod roll;
mod seize_the_turn;
mod state;
mod turn;

pub use choose::{ChoiceOpened, Nominate, Nominated};
pub use end_turn::EndTurn;
pub use extra_action::{ExtraActionGranted, ExtraActionLapsed, ExtraActionTaken, TakeExtraAction};
pub use roll::{
    Enemies, InitiativeRoll, InitiativeRolled, Roll, RollOff, Rolled, RolledOff, Start,
};
pub use seize_the_turn::{
    Pass, Passed, Resolve, SeizeTurn, Seized, SeizedTurnLapsed, SeizingOpened,
};
pub use state::*;

use crate::rulesets::shared::{check_started, had_turn, rolled, types};
use crate::vocabulary::Event::{Own, Roster, Shared};
use crate::vocabulary::{
    Audience, Combatant as CombatantOf, CombatantId, Encounter as EncounterOf, Event as AnyEvent,
    EventRedaction, Fold, KnownCombatants, KnownOrder, LegalCommand, OrderEntry, Pending,
    Play as PlayOf, Reason, Redact, Ruleset, Secrecy, SharedEvent, TakenOrder, Violation, commands,
    events,
};
use seize_the_turn::{eligible, has_counting_loss, may_seize, queued};
use turn::barred;

/// The ruleset `seize`.
#[derive(Debug, Clone, PartialEq)]
pub struct Seize;

type Encounter = EncounterOf<Seize>;
type Play<'d> = PlayOf<'d, Seize>;
type Combatant = CombatantOf<Seize>;

/// A command of Seize the initiative.
#[commands(Seize)]
pub enum Command {
    Start,
    Roll,
    EndTurn,
    #[name = "seize"]
    SeizeTurn,
    Pass,
    Resolve,
    Nominate,
    TakeExtraAction,
}

/// An event of Seize the initiative.
#[events(Seize)]
pub enum Event {
    Rolled,
    InitiativeRolled,
    RolledOff,
    Nominated,
    ExtraActionGranted,
    ExtraActionTaken,
    ExtraActionLapsed,
    SeizingOpened,
    Seized,
    Passed,
    SeizedTurnLapsed,
    ChoiceOpened,
}

impl Ruleset for Seize {
    types!();

    fn take_order(order: &KnownOrder) -> TakenOrder {
        TakenOrder::by(order, CombatantStats::known)
    }

    fn decide(play: &mut Play<'_>, command: &Command) -> Result<(), Violation> {
        check_started(
            play,
            matches!(command, Command::Start(_) | Command::Roll(_)),
            "WA-1",
        )?;
        command.decide(play)
    }

    fn react(play: &mut Play<'_>, event: &AnyEvent<Self>) -> Result<(), Violation> {
        match event {
            _ if matches!(play.encounter().state.phase, Phase::Setup | Phase::Over) => {}
            Shared(SharedEvent::Overridden(e)) => turn::take_turn(play, &e.combatant),
            Shared(
                SharedEvent::Damaged(_)
                | SharedEvent::ConditionSet(_)
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
            Shared(SharedEvent::Damaged(e))
                if e.hp_lost > 0 && fold.state().phase != Phase::Setup =>
            {
                fold.change_state(&e.combatant, |s| s.hurt = true);
            }
            Shared(SharedEvent::RoundStarted(_)) => turn::round_started(fold),
            Shared(SharedEvent::TurnStarted(e)) => turn::turn_started(fold, &e.combatant),
            Shared(SharedEvent::Overridden(e)) => {
                let turns = &mut fold.state().turns;
                turns.retain(|taken| taken.combatant != e.combatant);
            }
            Shared(SharedEvent::CombatantLeft(e)) => fold.state().forget(&e.combatant),
            Shared(SharedEvent::EncounterEnded(_)) => fold.state().phase = Phase::Over,
            Shared(_) | Roster(_) => {}
        }
    }

    fn check_state(encounter: &Encounter) -> Result<(), String> {
        state::check(encounter)
    }

    fn legal_commands(encounter: &Encounter) -> Vec<LegalCommand> {
        match &encounter.state.phase {
            Phase::Setup => roll::options(encounter),
            Phase::Over | Phase::SomeoneActs => Vec::new(),
            Phase::InTurn { actor } => vec![
                end_turn::options(encounter, actor),
                extra_action::options(actor),
            ],
            Phase::Seize {} => seize_the_turn::options(encounter),
            Phase::Nominate {} | Phase::NominateFirst {} => choose::options(encounter),
        }
    }

    fn words_for_stat(field: &str) -> Option<&'static str> {
        (field == "dex_modifier").then_some("DEX modifier")
    }

    fn current(encounter: &Encounter) -> Vec<CombatantId> {
        if let Phase::InTurn { actor } = &encounter.state.phase {
            vec![actor.clone()]
        } else {
            Vec::new()
        }
    }

    fn pending(encounter: &Encounter) -> Option<Pending> {
        let chooser = encounter.state.last_actor.iter().cloned().collect();
        Some(match &encounter.state.phase {
            Phase::Over => return None,
            Phase::SomeoneActs => Pending::someone(),
            Phase::InTurn { actor } => {
                Pending::new("end_turn", vec![actor.clone()], &["end_turn"], "WA-8")
            }
            Phase::Seize {} => {
                let commands = ["seize", "pass", "resolve"];
                Pending::new("seize", eligible(encounter), &commands, "WA-13")
            }
            _ if encounter.active().next().is_none() => Pending::newcomer(encounter, "WA-10"),
            Phase::Setup => Pending::new("start", Vec::new(), &["start"], "WA-1"),
            Phase::Nominate {} => Pending::new("nominate", chooser, &["nominate"], "WA-8"),
            Phase::NominateFirst {} => {
                Pending::new("nominate_first", chooser, &["nominate"], "WA-11")
            }
        })
    }

    fn order(encounter: &Encounter) -> Vec<OrderEntry> {
        let mut order = Vec::new();
        for taken in &encounter.state.turns {
            let Taken { combatant, way } = &**taken;
            if had_turn(encounter, combatant) {
                order.push(OrderEntry::new(combatant, because(way)));
            }
        }
        for seizer in &encounter.state.queue {
            order.push(OrderEntry::new(&seizer.combatant, because(&seizer.way())));
        }
        order
    }

    fn remark(encounter: &Encounter, c: &Combatant) -> String {
        let mut remarks = Vec::from_iter(rolled(c.state.own_die.as_slice()));
        for (applies, words) in [
            (barred(encounter, c), "no turn in round 1"),
            (queued(encounter, &c.id), "has seized a turn"),
            (may_seize(encounter, c), "may seize"),
            (c.state.extra_action, "extra Action"),
        ] {
            if applies {
                remarks.push(words.to_owned());
            }
        }
        remarks.join(", ")
    }
}

/// Moves on after damage, a change of conditions or of the roster. A hurt combatant that can act again
/// may seize until the choice (WA-12b).
fn settle(play: &mut Play<'_>) {
    seize_the_turn::drop_seizers(play);
    let encounter = play.encounter();
    match encounter.state.phase.clone() {
        Phase::InTurn { actor } if encounter.get(&actor).is_none() => {
            end_turn::close_turn(play, &actor);
        }
        Phase::Seize {} if eligible(encounter).is_empty() => choose::advance(play),
        Phase::Nominate {} => seize_the_turn::ask_next(play),
        _ => {}
    }
}

fn because(way: &Way) -> Reason {
    match way {
        Way::Rolled {
            dice,
            bonus,
            total,
            meaning,
            equals,
        } => {
            let (rule, reason) = match meaning {
                Meaning::Twenty => ("WA-6", "rolled a 20"),
                Meaning::Plain => ("WA-4", "rolled the highest result"),
                Meaning::One => ("WA-7a", "had the highest bonus when all rolled a 1"),
            };
            Reason {
                dice: dice.clone(),
                bonus: Some(*bonus),
                total: Some((*total).into()),
                tie_rule: match equals.first() {
                    None => None,
                    Some(next) if !next.same_bonus => Some("WA-5"),
                    Some(_) => Some("WA-5a"),
                },
                ..Reason::new(rule, reason)
            }
        }
        Way::Nominated { nominated_by } => Reason {
            named_by: nominated_by.clone(),
            ..Reason::new("WA-8", "was chosen")
        },
        Way::Seized { bonus, tied } => Reason {
            bonus: Some(*bonus),
            tie_rule: (!tied.is_empty()).then_some("WA-5a"),
            ..Reason::new("WA-12", "seized the turn")
        },
        Way::Overridden {} => Reason::new("TK-5", "set by the game master"),
    }
}

impl Secrecy<Self> for Seize {
    fn choosable(encounter: &Encounter) -> Vec<CombatantId> {
        choose::choosable(encounter)
    }

    fn known_state(whole: &Encounter, audience: &Audience<'_>) -> State {
        let State {
            phase,
            last_actor,
            queue,
            turns,
            windows: _,
        } = &whole.state;
        State {
            phase: if whole.someone_acts(audience) {
                Phase::SomeoneActs
            } else {
                audience.known(phase)
            },
            last_actor: audience.known(last_actor),
            queue: seize_the_turn::known_queue(queue, audience),
            turns: audience.known(turns),
            // Windows of hidden combatants would be counted with the others.
            windows: 0,
        }
    }

    fn known_combatants<'t>(
        whole: &'t Encounter,
        _audience: &'t Audience<'t>,
    ) -> KnownCombatants<'t, Self> {
        Box::new(move |c| {
            let CombatantState {
                own_die,
                skips_round_1,
                extra_action,
                hurt: _,
            } = &c.state;
            CombatantState {
                own_die: *own_die,
                skips_round_1: *skips_round_1,
                extra_action: *extra_action,
                // Other losses are told as hit points are.
                hurt: has_counting_loss(whole, c),
            }
        })
    }

    fn redact_event(event: &Event, redaction: &EventRedaction<'_, Self>) -> Option<Event> {
        let redacted = match event {
            Event::ChoiceOpened(_) if redaction.someone_acts => return None,
            event => event.redact(redaction.audience)?,
        };
        match redacted {
            // A roll-off takes two.
            Event::RolledOff(e) if e.ranking.len() < 2 => None,
            Event::Seized(e) => Some(e.for_audience(redaction)?.into()),
            redacted => Some(redacted),
        }
    }
}
