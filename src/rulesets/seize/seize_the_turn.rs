//! A combatant that lost hit points seizes the next turn, before the last to act chooses (WA-5a,
//! WA-10, WA-12, WA-13, WA-15, WA-20).

use super::choose::{advance, check_not_barred, choose, seizing_open};
use super::manifest::DISABLED;
use super::turn::{barred, close_round};
use super::{Combatant, Encounter, Phase, Play, Seize, Seizer, State};
use crate::rulesets::shared::check_in_fight;
use crate::vocabulary::{
    Audience, CombatantId, EventRedaction, Fold, Kind, LegalCommand, Participants, Violation,
    command, event, ids, require,
};
use std::cmp::Reverse;

/// Seize the next turn after losing hit points (WA-12).
#[command(player, "{combatant}: seize the turn")]
pub struct SeizeTurn {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Decline to seize the next turn (WA-13).
#[command(player, "{combatant}: decline to seize")]
pub struct Pass {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Close seizing: all combatants that have not decided pass (WA-13).
#[command(gm, "No one seizes the turn")]
pub struct Resolve {
    /// The combatant that acts next, if no combatant has seized the turn.
    pub next: Option<CombatantId>,
}

/// A turn is over, and the combatants that lost hit points in it may seize the next one (WA-13).
#[event("{combatants} may seize the next turn.")]
pub struct SeizingOpened {
    /// The combatants that may seize, in the order of joining.
    pub combatants: Participants,
}

/// A combatant seized a turn. Earlier seized turns, and higher bonuses of the same window, come
/// first (WA-15).
#[event("{combatant} {combatant:seizes|seize} a turn.")]
pub struct Seized {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its Initiative Bonus.
    pub bonus: i64,
    /// The number of seized turns before its own.
    pub ahead: u32,
}

/// A combatant declined to seize the next turn (WA-13).
#[event("{combatant} {combatant:declines|decline} to seize.")]
pub struct Passed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant was put out of action before its seized turn, which is lost (WA-15a).
#[event("{combatant} {combatant:loses|lose} the seized turn.")]
pub struct SeizedTurnLapsed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Asks the combatants that may seize the next turn, else who acts next.
pub(super) fn ask_next(play: &mut Play<'_>) {
    let eligible = eligible(play.encounter());
    if eligible.is_empty() {
        return advance(play);
    }
    play.emit(SeizingOpened {
        combatants: eligible.into(),
    });
}

/// Refuses a choice of the next turn if that is seized, or may be.
pub(super) fn check_not_seized(encounter: &Encounter) -> Result<(), Violation> {
    if !eligible(encounter).is_empty() {
        return Err(seizing_open());
    }
    let Some(seizer) = encounter.state.queue.first() else {
        return Ok(());
    };
    let detail = format!(
        "{} has already seized the next turn. Leave out \"next\".",
        seizer.combatant
    );
    Err(Violation::new("turn_seized", "WA-12", detail))
}

/// The combatants that may seize the turn that comes now, in the order of joining.
pub(super) fn eligible(encounter: &Encounter) -> Vec<CombatantId> {
    ids(encounter.iter().filter(|c| may_seize(encounter, c)))
}

/// True if it may seize the turn that comes now (WA-12, WA-12b).
pub(super) fn may_seize(encounter: &Encounter, c: &Combatant) -> bool {
    has_counting_loss(encounter, c) && able(c)
}

/// True if it lost hit points that let it seize the next turn: not after, before or in a turn of its
/// own (WA-20).
pub(super) fn has_counting_loss(encounter: &Encounter, c: &Combatant) -> bool {
    let is_moment = match &encounter.state.phase {
        Phase::InTurn { actor } => *actor != c.id,
        Phase::Seize {} | Phase::Nominate {} | Phase::SomeoneActs => true,
        Phase::Setup | Phase::NominateFirst {} | Phase::Over => false,
    };
    let has_turn = c.acted || queued(encounter, &c.id);
    is_moment && c.state.hurt && !has_turn && !barred(encounter, c)
}

/// True if it has seized a turn that is still to come.
pub(super) fn queued(encounter: &Encounter, id: &CombatantId) -> bool {
    encounter
        .state
        .queue
        .iter()
        .any(|seizer| seizer.combatant == *id)
}

/// True if it could do something with a turn: in the fight, and not disabled as a whole (WA-15a).
fn able(c: &Combatant) -> bool {
    c.free_of(|condition| DISABLED.contains(&condition))
}

impl SeizeTurn {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        let seizer = check_seizing(play, id)?;
        let bonus = seizer.stats.bonus();
        let ahead = place_in_queue(play.encounter(), seizer);
        play.emit(Seized {
            combatant: id.clone(),
            bonus,
            ahead,
        });
        move_on(play);
        Ok(())
    }
}

/// How many seized turns come before the one that `seizer` seizes.
fn place_in_queue(encounter: &Encounter, seizer: &Combatant) -> u32 {
    let mut before = 0;
    for queued in &encounter.state.queue {
        if !comes_before(encounter, queued, seizer) {
            break;
        }
        before += 1;
    }
    before
}

/// True if a seized turn comes before the one that `seizer` seizes: it follows an earlier turn, or
/// has the higher bonus (WA-15).
fn comes_before(encounter: &Encounter, queued: &Seizer, seizer: &Combatant) -> bool {
    if queued.window < encounter.state.windows {
        return true;
    }
    let Some(other) = encounter.get(&queued.combatant) else {
        return false;
    };
    rank(other, queued.bonus) > rank(seizer, seizer.stats.bonus())
}

/// Between equal bonuses players' characters go first, then the first to join (WA-5a).
fn rank(c: &Combatant, bonus: i64) -> (i64, bool, Reverse<u32>) {
    (bonus, c.kind == Kind::Pc, Reverse(c.joined))
}

impl Pass {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        check_seizing(play, id)?;
        play.emit(Passed {
            combatant: id.clone(),
        });
        move_on(play);
        Ok(())
    }
}

impl Resolve {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        if let Some(next) = &self.next {
            play.combatant("next", next)?;
        }
        let encounter = play.encounter();
        require(
            encounter.state.phase == Phase::Seize {},
            "no_seizing",
            "WA-13",
            || "No combatant may seize now. Send \"resolve\" after a turn that hurt one.",
        )?;
        for combatant in eligible(encounter) {
            play.emit(Passed { combatant });
        }
        let Some(next) = &self.next else {
            advance(play);
            return Ok(());
        };
        check_not_seized(play.encounter())?;
        let starts_round = close_round(play);
        choose(play, next, starts_round)
    }
}

/// Moves on as soon as all have decided.
fn move_on(play: &mut Play<'_>) {
    if eligible(play.encounter()).is_empty() {
        advance(play);
    }
}

/// The combatant, if it may seize or pass now.
fn check_seizing<'p>(play: &'p Play<'_>, id: &CombatantId) -> Result<&'p Combatant, Violation> {
    let encounter = play.encounter();
    let c = play.combatant("combatant", id)?;
    let own = matches!(&encounter.state.phase, Phase::InTurn { actor } if actor == id);
    require(!own, "own_turn", "WA-20", || {
        format!("It's {id}'s own turn. Only a turn after another's can be seized.")
    })?;
    require(!c.acted, "already_acted", "WA-20", || {
        format!("{id} has already acted this round. Seize in the next round.")
    })?;
    require(!queued(encounter, id), "already_seized", "WA-15a", || {
        format!("{id} has already seized a turn. Wait for that turn.")
    })?;
    check_not_barred(encounter, c)?;
    check_in_fight(c, "WA-10")?;
    require(
        encounter.state.phase == Phase::Seize {},
        "no_seizing",
        "WA-13",
        || match &encounter.state.phase {
            Phase::InTurn { actor } => {
                format!("It's {actor}'s turn. Seize when that turn is over.")
            }
            _ => "No turn can be seized now. Seize right after a turn that hurt a combatant."
                .to_owned(),
        },
    )?;
    require(able(c), "disabled", "WA-15a", || {
        let conditions = DISABLED.join(", ");
        format!("{id} can't seize with one of these conditions: {conditions}. Clear it first.")
    })?;
    require(c.state.hurt, "not_hurt", "WA-12", || {
        format!(
            "{id} lost no hit points in the last turn, or has passed. Choose another combatant."
        )
    })?;
    Ok(c)
}

/// A seizer that is out of action loses the turn (WA-15a).
pub(super) fn drop_seizers(play: &mut Play<'_>) {
    let encounter = play.encounter();
    let mut dropped = Vec::new();
    for seizer in &encounter.state.queue {
        if !encounter.get(&seizer.combatant).is_some_and(able) {
            dropped.push(seizer.combatant.clone());
        }
    }
    for combatant in dropped {
        play.emit(SeizedTurnLapsed { combatant });
    }
}

impl SeizingOpened {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Seize>) {
        let state = fold.state();
        state.windows = state.windows.saturating_add(1);
        state.phase = Phase::Seize {};
    }
}

impl Seized {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Seize>) {
        fold.change_state(&self.combatant, |s| s.hurt = false);
        queue_up(fold.state(), self);
    }

    /// Counts only the seizers that the audience knows.
    pub(super) fn for_audience(self, redaction: &EventRedaction<'_, Seize>) -> Option<Self> {
        let mut ahead = 0;
        for seizer in &redaction.whole.state.queue {
            if seizer.combatant == self.combatant {
                return Some(Self { ahead, ..self });
            }
            if redaction.audience.knows(&seizer.combatant) {
                ahead += 1;
            }
        }
        None
    }
}

/// Puts a seizer into the queue, and names the others with the same bonus in the same window.
fn queue_up(state: &mut State, e: &Seized) {
    let window = state.windows;
    let mut tied = Vec::new();
    for other in &mut state.queue {
        if other.window == window && other.bonus == e.bonus {
            other.tied.push(e.combatant.clone());
            tied.push(other.combatant.clone());
        }
    }
    let ahead = usize::try_from(e.ahead).unwrap_or(usize::MAX);
    let seizer = Seizer {
        combatant: e.combatant.clone(),
        bonus: e.bonus,
        window,
        tied,
    };
    state.queue.insert(ahead.min(state.queue.len()), seizer);
}

impl Passed {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Seize>) {
        fold.change_state(&self.combatant, |s| s.hurt = false);
    }
}

impl SeizedTurnLapsed {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Seize>) {
        fold.change_state(&self.combatant, |s| s.hurt = false);
        let queue = &mut fold.state().queue;
        queue.retain(|seizer| seizer.combatant != self.combatant);
    }
}

/// The seizers that the audience knows, without their windows, which are counted with others.
pub(super) fn known_queue(queue: &[Seizer], audience: &Audience<'_>) -> Vec<Seizer> {
    let mut known = Vec::with_capacity(queue.len());
    for seizer in queue {
        let Seizer {
            combatant,
            bonus,
            window: _,
            tied,
        } = seizer;
        if audience.knows(combatant) {
            known.push(Seizer {
                combatant: combatant.clone(),
                bonus: *bonus,
                window: 0,
                tied: audience.known(tied),
            });
        }
    }
    known
}

pub(super) fn options(encounter: &Encounter) -> Vec<LegalCommand> {
    let mut legal = Vec::new();
    for id in eligible(encounter) {
        legal.push(LegalCommand::by::<SeizeTurn>(&id, "WA-12"));
        legal.push(LegalCommand::by::<Pass>(&id, "WA-13"));
    }
    let mut close = LegalCommand::of::<Resolve>("WA-13").preferred();
    if !encounter.state.queue.is_empty() {
        close = close.labelled("No one else seizes the turn");
    }
    legal.push(close.whom("next", encounter.active().map(|c| &c.id)));
    legal
}
