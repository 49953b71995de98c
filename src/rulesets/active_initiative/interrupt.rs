//! Interrupts: an enemy steals the next turn (AI-8, AI-17 to AI-22, AI-26, AI-30 to AI-33).

use super::inspiration::{inspiration, seems_inspired, spend};
use super::manifest::INCAPACITATING;
use super::turn::{open_window, take_turn};
use super::{
    ActiveInitiative, Combatant, Encounter, InterruptPoints, MEANS, Means, Phase, Play, State, Way,
};
use crate::rulesets::shared::check_in_fight;
use crate::vocabulary::{
    Actor, CombatantId, Fold, Kind, LegalCommand, Violation, command, event, ids, require,
};
use serde_json::json;

/// Steal the next turn from the combatant that was chosen (AI-22).
#[command(player, "{combatant}: interrupt", actor)]
pub struct Interrupt {
    /// The combatant.
    pub combatant: CombatantId,
    /// The means that pay for it.
    pub means: Means,
}

impl Interrupt {
    /// The points are the game master's.
    pub(crate) fn actor(&self) -> Actor<'_> {
        if self.means == Means::InterruptPoint {
            Actor::Gm
        } else {
            Actor::of(&self.combatant)
        }
    }
}

/// Decline to interrupt the next turn, or the choice of it (AI-17b).
#[command(player, "{combatant}: decline to interrupt")]
pub struct Pass {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Close the window for interrupts: all combatants that have not decided pass. If the next
/// combatant is chosen, its turn starts (AI-17b).
#[command(gm, "No one interrupts")]
pub struct Resolve {}

/// A combatant stole the next turn; the window stays open (AI-22, AI-22a).
#[event(
    "{combatant} {combatant:interrupts|interrupt}[ {displaced}]\
     [{means=damage} after damage][{means=inspiration} with inspiration]\
     [{means=interrupt point} with an interrupt point] and \
     {combatant:takes|take} the next turn."
)]
pub struct Interrupted {
    /// The combatant that takes the next turn.
    pub combatant: CombatantId,
    /// The combatant that was to act next and has not acted, if the viewer knows it.
    pub displaced: Option<CombatantId>,
    /// The means that paid for it.
    pub means: Means,
}

/// A combatant declined to interrupt the next turn, or the choice of it (AI-17b).
#[event("{combatant} {combatant:declines|decline} to interrupt.")]
pub struct Passed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// The scene is over, and the game master's remaining interrupt points are lost (AI-33).
#[event("The game master loses {points} interrupt {points:point|points}.")]
pub struct InterruptPointsLost {
    /// The number of points.
    pub points: u32,
}

impl Interrupt {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        let interrupter = play.combatant("combatant", id)?;
        let displaced = match &play.encounter().state.phase {
            Phase::Window { nominee, .. } => {
                may_interrupt(play.encounter(), interrupter, nominee, self.means)?;
                Some(nominee.clone())
            }
            Phase::Nominate {} | Phase::NominateFirst {} => {
                may_interrupt_choice(play.encounter(), interrupter, self.means)?;
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
        if self.means == Means::Inspiration {
            spend(play, id, "AI-19")?;
        }
        play.emit(Interrupted {
            combatant: id.clone(),
            displaced,
            means: self.means,
        });
        Ok(())
    }
}

impl Pass {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
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
}

impl Resolve {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let encounter = play.encounter();
        let mut undecided = Vec::new();
        let mut nominee = None;
        match &encounter.state.phase {
            Phase::Window { nominee: next, .. } if is_held(encounter, next) => {
                undecided = ids(holders(encounter, next));
                nominee = Some(next.clone());
            }
            Phase::Nominate {} | Phase::NominateFirst {} => {
                undecided = ids(choice_holders(encounter));
            }
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
}

/// At the end of the scene the remaining points are lost (AI-33).
pub(super) fn lose_points(play: &mut Play<'_>) {
    let points = play.encounter().state.interrupt_points.unwrap_or(0);
    if points > 0 {
        play.emit(InterruptPointsLost { points });
    }
}

/// True if the nominee's turn waits for others to interrupt or pass (AI-17b, AI-17c).
pub(super) fn is_held(encounter: &Encounter, nominee: &CombatantId) -> bool {
    encounter.options.wait_for_gm || holders(encounter, nominee).next().is_some()
}

/// The combatants that the nominee's turn waits for (AI-17b). Only public facts count, so that the
/// wait shows neither a hidden combatant nor how many points are left.
pub(super) fn holders<'t>(
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

/// True if the choice of the next combatant waits for the hurt to interrupt or pass (AI-17a,
/// AI-17b).
pub(super) fn is_choice_held(encounter: &Encounter) -> bool {
    choice_holders(encounter).next().is_some()
}

/// The combatants that the choice waits for. Only public facts count, as for [`holders`].
pub(super) fn choice_holders(encounter: &Encounter) -> impl Iterator<Item = &Combatant> {
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

/// True if it could interrupt or pass now.
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

/// True if the Interrupt Points variant is played (AI-30).
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

/// True if it may steal the nominee's turn by these means, as far as all viewers know.
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

/// True if it may steal the turn before the next combatant is chosen.
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

/// True if it is in the fight and can act, or one of a group can (AI-18a).
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

/// True if it took damage that pays for an interrupt (AI-20): not in its own turn (AI-20a).
fn hurt_off_turn(encounter: &Encounter, c: &Combatant) -> bool {
    c.state.hurt && encounter.state.last_actor.as_ref() != Some(&c.id)
}

impl Interrupted {
    pub(super) fn apply(&self, fold: &mut Fold<'_, ActiveInitiative>) {
        open_window(
            fold,
            &self.combatant,
            Way::Interrupted { means: self.means },
        );
        fold.change_state(&self.combatant, |s| s.interrupted = true);
        if self.means == Means::InterruptPoint {
            spend_point(fold.state());
        }
    }
}

fn spend_point(state: &mut State) {
    if let Some(points) = &mut state.interrupt_points {
        *points = points.saturating_sub(1);
    }
    state.interrupt_point_used = true;
}

impl Passed {
    pub(super) fn apply(&self, fold: &mut Fold<'_, ActiveInitiative>) {
        fold.change_state(&self.combatant, |s| s.passed = true);
    }
}

impl InterruptPointsLost {
    pub(super) fn apply(&self, fold: &mut Fold<'_, ActiveInitiative>) {
        fold.state().interrupt_points = Some(0);
    }
}

/// What the combatants that could interrupt may send, and what ends the wait for them.
pub(super) fn options(encounter: &Encounter, means: &[Means]) -> Vec<LegalCommand> {
    let mut legal = Vec::new();
    for id in asked(encounter) {
        let means = means.iter().map(|means| json!(means));
        let interrupt = LegalCommand::by::<Interrupt>(&id, "AI-17");
        legal.push(interrupt.choose("means", means));
        legal.push(LegalCommand::by::<Pass>(&id, "AI-17b"));
    }
    legal.push(LegalCommand::of::<Resolve>("AI-17b").preferred());
    legal
}
