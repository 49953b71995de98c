//! The smallest ruleset: everybody acts in the order of joining. It is not shipped; it shows that
//! the `Ruleset` trait fits more than the systems that it was made for.

use serde::{Deserialize, Serialize};
use turnkeeper::rulesets::shared::{end_round, end_turn, start_round, start_turn};
use turnkeeper::vocabulary::*;
use turnkeeper::vocabulary::{command, commands, event, events};
use utoipa::ToSchema;

/// Round robin in the order of joining.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundRobin;

/// Nothing to choose, nothing to know, nothing to keep.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema, Fields)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// Whose turn it is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct State {
    acting: Option<CombatantId>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    someone: bool,
}

/// Its own commands.
#[commands]
pub enum Command {
    Start,
    EndTurn,
}

/// Starts the first round.
#[command(gm, "Start the first round")]
pub struct Start {}

/// Ends a turn.
#[command(player, "End {combatant}'s turn")]
pub struct EndTurn {
    /// Whose turn ends.
    pub combatant: CombatantId,
}

/// Its one event.
#[events]
pub enum Passed {
    #[name = "passed"]
    TurnPassed,
}

/// The turn passes on, or nobody is left to take one.
#[event("The turn passes[ to {to}].")]
pub struct TurnPassed {
    /// Whose turn it is.
    pub to: Option<CombatantId>,
}

const MANIFEST: &Manifest = &Manifest {
    id: "round-robin",
    title: "Round robin",
    author: "the tests",
    source: "https://example.org",
    summary: "Everybody acts in the order of joining.",
    commands: Command::SPECS,
    round: "round",
    conditions: &[],
    down: "dead",
    decisions: &[],
    presets: &[],
    rules: &[
        Rule::official(
            "RR-1",
            "The game master starts the fight once, when somebody can act.",
        ),
        Rule::official(
            "RR-2",
            "Everybody acts once each round, in the order of joining; only who acts can end the turn.",
        ),
    ],
};

fn pass(play: &mut Play<'_, RoundRobin>, to: Option<CombatantId>) {
    play.emit(TurnPassed { to: to.clone() });
    if let Some(to) = &to {
        start_turn(play, to);
    }
}

/// Ends the turn that goes on, if one does.
fn close(play: &mut Play<'_, RoundRobin>) {
    if let Some(acting) = play.encounter().state.acting.clone() {
        end_turn(play, &acting);
    }
}

/// The turn of the next one who has not acted; where nobody is left, or no round goes on, the next
/// round's first.
fn advance(play: &mut Play<'_, RoundRobin>) {
    let next =
        |play: &Play<'_, RoundRobin>| play.encounter().waiting().next().map(|c| c.id.clone());
    let on = play.encounter().state.acting.is_some();
    let mut to = if on { next(play) } else { None };
    if to.is_none() {
        if on {
            end_round(play);
        }
        if play.encounter().active().next().is_some() {
            let round = play.encounter().round + 1;
            start_round(play, round);
            to = next(play);
        }
    }
    pass(play, to);
}

impl Ruleset for RoundRobin {
    type Options = Nothing;
    type CombatantStats = Nothing;
    type CombatantState = Nothing;
    type State = State;
    type Command = Command;
    type Event = Passed;
    const MANIFEST: &'static Manifest = MANIFEST;

    /// It keeps no lists.
    fn check_state(_: &Encounter<Self>) -> Result<(), String> {
        Ok(())
    }

    fn decide(play: &mut Play<'_, Self>, command: &Command) -> Result<(), Violation> {
        match command {
            Command::Start(_) => {
                if play.encounter().status != Status::Setup {
                    return Err(Violation::new(
                        "already_started",
                        "RR-1",
                        "The fight has already started.",
                    ));
                }
                if play.encounter().active().next().is_none() {
                    return Err(Violation::new(
                        "nobody_can_act",
                        "RR-1",
                        "No combatant can act. Add one first.",
                    ));
                }
                play.emit(EncounterStarted {});
                advance(play);
            }
            Command::EndTurn(EndTurn { combatant }) => {
                play.started("RR-1")?;
                play.combatant("combatant", combatant)?;
                if play.encounter().state.acting.as_ref() != Some(combatant) {
                    return Err(Violation::new(
                        "not_your_turn",
                        "RR-2",
                        format!("It isn't {combatant}'s turn. Wait for it."),
                    ));
                }
                close(play);
                advance(play);
            }
        }
        Ok(())
    }

    fn evolve(fold: &mut Fold<'_, Self>, event: &Event<Self>) {
        if let Event::Own(Passed::TurnPassed(e)) = event {
            fold.state().acting = e.to.clone();
        }
    }

    fn react(play: &mut Play<'_, Self>, event: &Event<Self>) -> Result<(), Violation> {
        if play.encounter().status != Status::Running {
            if play.encounter().status == Status::Ended {
                pass(play, None);
            }
            return Ok(());
        }
        if let Event::Shared(SharedEvent::Overridden(Overridden { combatant })) = event {
            close(play);
            pass(play, Some(combatant.clone()));
            return Ok(());
        }
        let stands = play
            .encounter()
            .state
            .acting
            .as_ref()
            .is_some_and(|id| play.encounter().is_active(id));
        let idle =
            play.encounter().state.acting.is_none() && play.encounter().active().next().is_none();
        if !stands && !idle {
            close(play);
            advance(play);
        }
        Ok(())
    }

    fn legal_commands(encounter: &Encounter<Self>) -> Vec<LegalCommand> {
        let end = encounter
            .state
            .acting
            .iter()
            .map(|id| LegalCommand::by::<EndTurn>(id, "RR-2"));
        end.chain([LegalCommand::of::<Start>("RR-1")]).collect()
    }

    fn current(encounter: &Encounter<Self>) -> Vec<CombatantId> {
        encounter.state.acting.iter().cloned().collect()
    }

    fn pending(encounter: &Encounter<Self>) -> Option<Pending> {
        let (decision, combatants, command, rule) =
            match (&encounter.status, &encounter.state.acting) {
                (Status::Ended, _) => return None,
                (_, None) if encounter.active().next().is_none() => {
                    return Some(Pending::newcomer(encounter, "RR-1"));
                }
                (Status::Setup, _) => ("start", Vec::new(), "start", "RR-1"),
                (Status::Running, _) if encounter.state.someone => return Some(Pending::someone()),
                (Status::Running, Some(id)) => ("end_turn", vec![id.clone()], "end_turn", "RR-2"),
                (Status::Running, None) => ("newcomer", Vec::new(), "add_combatant", "RR-1"),
            };
        Some(Pending::new(decision, combatants, &[command], rule))
    }

    fn order(encounter: &Encounter<Self>) -> Vec<OrderEntry> {
        let place = |(n, c): (u32, &Combatant<Self>)| {
            let because = Reason {
                total: Some(i64::from(n).into()),
                ..Reason::new("RR-2", "the order of joining")
            };
            OrderEntry::new(&c.id, because)
        };
        (1..)
            .zip(encounter.iter())
            .filter(|(_, c)| c.active())
            .map(place)
            .collect()
    }
}

impl Secrecy<Self> for RoundRobin {
    fn known_state(whole: &Encounter<Self>, audience: &Audience<'_>) -> State {
        let State { acting, someone } = &whole.state;
        State {
            acting: audience.known(acting),
            someone: *someone || whole.someone_acts(audience),
        }
    }

    fn known_combatants<'t>(
        _whole: &'t Encounter<Self>,
        _audience: &'t Audience<'t>,
    ) -> KnownCombatants<'t, Self> {
        Box::new(|c| {
            let Nothing {} = c.state;
            Nothing {}
        })
    }

    fn redact_event(event: &Passed, redaction: &EventRedaction<'_, Self>) -> Option<Passed> {
        let Passed::TurnPassed(TurnPassed { to }) = event;
        to.as_ref()
            .is_none_or(|to| redaction.audience.knows(to))
            .then(|| event.clone())
    }
}
