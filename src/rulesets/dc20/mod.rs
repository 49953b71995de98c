//! DC20: players' characters check against an Encounter DC, then the teams take their Initiative
//! Turns alternately.

mod bounds;
mod command;
mod contest;
mod decide;
mod event;
mod evolve;
mod flow;
mod lay;
mod legal_commands;
mod manifest;
mod order;
mod points;
mod react;
mod secrecy;
mod state;
mod team;

pub use command::*;
pub use event::*;
pub use state::*;

use crate::rulesets::shared::parts;
use crate::vocabulary::{
    Combatant as CombatantOf, CombatantId, Encounter as EncounterOf, Event as AnyEvent,
    LegalCommand, OrderEntry, Pending, Play as PlayOf, Ruleset, Violation,
};
use contest::{Contest, closed_contest, contest_so_far, may_pass};
use points::spendable;
use team::{has_no_turn, slot_of, team, team_name};

/// The ruleset `dc20`.
#[derive(Debug, Clone, PartialEq)]
pub struct Dc20;

type Encounter = EncounterOf<Dc20>;
type Play<'d> = PlayOf<'d, Dc20>;
type Combatant = CombatantOf<Dc20>;

impl Ruleset for Dc20 {
    parts!();

    fn words_for_stat(field: &str) -> Option<&'static str> {
        match field {
            "initiative_adv" => Some("initiative ADV"),
            "legendary_points_per_turn" => Some("Legendary Action Points per turn"),
            "max_action_points" => Some("maximum of Action Points"),
            "max_legendary_points" => Some("maximum of Legendary Action Points"),
            _ => None,
        }
    }

    /// DC-40 counts from the turn in which an effect is made, whatever its source (DC-40a).
    fn anchor(
        encounter: &Encounter,
        source: Option<&CombatantId>,
        target: Option<&CombatantId>,
    ) -> Option<CombatantId> {
        let acting = &encounter.state.acting;
        let affected = source.or(target);
        if let Some(id) = affected
            && acting.contains(id)
        {
            return Some(id.clone());
        }
        acting.first().or(affected).cloned()
    }

    fn current(encounter: &Encounter) -> Vec<CombatantId> {
        encounter.state.acting.clone()
    }

    fn pending(encounter: &Encounter) -> Option<Pending> {
        let state = &encounter.state;
        Some(match state.phase {
            Phase::Setup if encounter.active().next().is_none() => Pending::newcomer("DC-4"),
            Phase::Setup => Pending::new("start", Vec::new(), &["start"], "DC-4"),
            Phase::Claim => in_turn(state, state.reached(), pending_claim(encounter)),
            Phase::Assign => {
                let assign = Pending::new("assign", Vec::new(), &["assign", "resolve"], "DC-20");
                in_turn(state, state.reached(), assign)
            }
            Phase::Turn => {
                let acting = state.acting.clone();
                let end = Pending::new("end_turn", acting, &["end_turn"], "DC-45");
                in_turn(state, turn_in_progress(encounter), end)
            }
            Phase::BetweenTurns => {
                Pending::new("legendary", Vec::new(), &["legendary", "resolve"], "DC-52")
            }
            Phase::RoundEnd => {
                Pending::new("legendary", Vec::new(), &["legendary", "resolve"], "DC-53")
            }
            Phase::Idle => Pending::new(
                "newcomer",
                Vec::new(),
                &["assign", "add_combatant", "end_encounter"],
                "DC-38",
            ),
            Phase::Over => return None,
            Phase::SomeoneActs => Pending::someone(),
        })
    }

    fn order(encounter: &Encounter) -> Vec<OrderEntry> {
        order::order(encounter)
    }

    fn remark(encounter: &Encounter, c: &Combatant) -> String {
        let state = &c.state;
        let mut remarks = Vec::new();
        if let Some(behind) = &state.behind
            && let Some(enemy) = encounter.get(behind)
        {
            remarks.push(format!("delaying until after {}", enemy.name));
        }
        if has_no_turn(&encounter.state, c) && c.active() && !encounter.state.slots.is_empty() {
            remarks.push("no turn yet".to_owned());
        }
        if encounter.round > 0 {
            remarks.push(format!(
                "AP {}/{}",
                state.action_point_pool.current, state.action_point_pool.max
            ));
        }
        for (applies, words) in [
            (state.delayed, "delayed"),
            (state.inspiration_die, "inspiration d6"),
            (state.round_one_adv, "advantage once in round 1"),
            (state.attacked_with_adv, "next attack on them has advantage"),
            (state.committed.is_some(), "must act as announced"),
            (state.readied.is_some(), "action readied"),
        ] {
            if applies {
                remarks.push(words.to_owned());
            }
        }
        if c.stats.max_legendary_points.get() > 0 && team(&encounter.state, c) != Team::Pc {
            remarks.push(format!(
                "LAP {}/{}",
                state.legendary_points, c.stats.max_legendary_points
            ));
        }
        let spendable = spendable(encounter, c);
        if spendable > 0 {
            remarks.push(format!("may spend {spendable} LAP"));
        }
        remarks.join(", ")
    }
}

/// The PC team decides who takes the awaited PC Turn.
fn pending_claim(encounter: &Encounter) -> Pending {
    let contest = contest_so_far(encounter);
    let is_claimed = !encounter.state.claims.is_empty();
    let rule = match contest {
        Contest::Tied(_) => "DC-19",
        Contest::Open(_) if is_claimed => "DC-18",
        _ => "DC-17",
    };
    // Of several, all but one may pass. A single one may if later turns are left for all.
    let asks_several = !matches!(contest, Contest::MustClaim(_)) && contest.asked().len() > 1;
    let mut commands = vec!["claim"];
    if asks_several || is_claimed || may_pass(encounter) {
        commands.push("pass");
    }
    if matches!(
        closed_contest(encounter),
        Contest::Won(_) | Contest::Unclaimed
    ) {
        commands.push("resolve");
    }
    Pending::new("claim", contest.asked().to_vec(), &commands, rule)
}

/// The turn in which the first of those who act has its place. After an override it may have none.
fn turn_in_progress(encounter: &Encounter) -> Option<&Slot> {
    let first = encounter.state.acting.first()?;
    slot_of(&encounter.state, encounter.get(first)?)
}

/// The decision with the turn in which it is awaited.
fn in_turn(state: &State, slot: Option<&Slot>, pending: Pending) -> Pending {
    let Some(slot) = slot else {
        return pending;
    };
    Pending {
        slot: Some(slot.id.as_str().to_owned()),
        team: Some(team_name(state, slot.team)),
        ..pending
    }
}
