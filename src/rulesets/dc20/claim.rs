//! The commands `claim` and `pass` of the PC team, and the game master's decision: who may answer
//! (DC-17, DC-30), how a tie is settled (DC-19a), and what a member that leaves the team loses
//! (DC-34). `contest.rs` compares the claims (DC-18, DC-19).

use super::assign::{awaited_turn, check_yet_to_act};
use super::contest::{
    Contest, candidates, closed_contest, contest_so_far, has_been_outbid, result, taken_by,
};
use super::lay::{lacks_room, lay};
use super::slots::put_into;
use super::team::{may_take, named, team, waits_unseen};
use super::turn::{begin_awaited, begin_combat};
use super::{Answer, Combatant, Dc20, Encounter, Phase, Play, Resolve, SlotId, Team, Way};
use crate::vocabulary::{
    Actor, CombatantId, Fold, LegalCommand, Participants, Violation, command, event, ids, require,
};

/// Claim the awaited PC Turn. The highest check takes it after all who could take or share it have
/// claimed or passed (DC-18).
#[command(
    player,
    "{combatant}: claim the PC Turn[{at_once} and start it at once]",
    actor
)]
pub struct Claim {
    /// The combatant.
    pub combatant: CombatantId,
    /// True if no other answers are awaited: the highest claim takes the turn, and `combatant` before
    /// equal checks that do not share. Only the game master can send it.
    #[default]
    pub at_once: bool,
    /// Other claimants. With them too, the game master decides the turn at once.
    #[default]
    pub others: Vec<CombatantId>,
    /// True if these claimants agree to share the turn with equal, highest results (DC-19). Send the
    /// claim again to change it.
    #[default]
    pub share: bool,
}

impl Claim {
    /// The game master decides for others.
    pub(crate) fn actor(&self) -> Actor<'_> {
        if self.decides() {
            Actor::Gm
        } else {
            Actor::of(&self.combatant)
        }
    }

    /// True for a claim with which the game master decides the contest.
    fn decides(&self) -> bool {
        self.at_once || !self.others.is_empty()
    }
}

/// Decline the awaited PC Turn (DC-17). It takes a claim back, as a claim takes a pass back.
#[command(player, "{combatant}: pass")]
pub struct Pass {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant claims the awaited PC Turn; others may still answer (DC-18).
#[event("{combatant} {combatant:claims|claim} {slot}[{share}, alone or shared].")]
pub struct Claimed {
    /// The turn.
    pub slot: SlotId,
    /// The combatant.
    pub combatant: CombatantId,
    /// True if it agrees to share the turn with equal results (DC-19).
    pub share: bool,
}

/// A combatant passes on the awaited PC Turn, or takes back its claim; others may still answer
/// (DC-17).
#[event("{combatant} {combatant:passes|pass} on {slot}.")]
pub struct Passed {
    /// The turn.
    pub slot: SlotId,
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant is of another team now: its answer to the awaited turn does not count, and its turn
/// follows no enemy.
#[event("What {combatant} decided as one of the players' team no longer counts.")]
pub struct AnswerLapsed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// The contest for a PC Turn is decided.
#[event("{combatants} {combatants:takes|take} {slot}[, ahead of {outbid}].")]
pub struct SlotTaken {
    /// The turn.
    pub slot: SlotId,
    /// The combatants that take it; several share it (DC-19).
    pub combatants: Participants,
    /// Why they take it.
    pub because: Way,
    /// The claimants that do not take it: with a lower check (DC-18), or with an equal one if the
    /// game master decided or the claimant is hidden (DC-19a).
    pub outbid: Vec<CombatantId>,
}

impl Claim {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let claimants = ids(named(play, &self.combatant, "others", &self.others)?);
        if self.decides() {
            close_contest(play, &claimants, self.share)
        } else {
            answer(play, &self.combatant, Answer::Claim { share: self.share })
        }
    }
}

impl Pass {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        answer(play, &self.combatant, Answer::Pass)
    }
}

/// A member of the PC team claims the awaited turn, or passes on it.
fn answer(play: &mut Play<'_>, id: &CombatantId, answer: Answer) -> Result<(), Violation> {
    let slot = awaited_turn(play, Phase::Claim, "DC-17")?;
    let encounter = play.encounter();
    let c = play.combatant("combatant", id)?;
    check_candidate(encounter, c)?;
    check_answer(encounter, c, answer)?;
    let mut answered = encounter.clone();
    answered.state.answer(id, answer);
    let contest = contest_so_far(&answered);
    if matches!(contest, Contest::MustClaim(_)) {
        return Err(must_claim());
    }
    if finish_if_decided(play, contest) {
        return Ok(());
    }
    let combatant = id.clone();
    match answer {
        Answer::Claim { share } => play.emit(Claimed {
            slot,
            combatant,
            share,
        }),
        Answer::Pass => play.emit(Passed { slot, combatant }),
    }
    Ok(())
}

/// The game master closes the contest: these claims count too, and no other answers follow. A tie
/// goes to the first of `claimants`, and is refused if that one is not in it (DC-19a); without a
/// claim the turn begins as it is, which is refused if too few PC Turns come later (DC-17).
pub(super) fn close_contest(
    play: &mut Play<'_>,
    claimants: &[CombatantId],
    share: bool,
) -> Result<(), Violation> {
    let slot = awaited_turn(play, Phase::Claim, "DC-17")?;
    let encounter = play.encounter();
    let mut answered = encounter.clone();
    for id in claimants {
        check_candidate(encounter, play.combatant("combatant", id)?)?;
        answered.state.answer(id, Answer::Claim { share });
    }
    let mut contest = closed_contest(&answered);
    if let Contest::Tied(top) = &contest {
        match claimants.first() {
            Some(first) if top.contains(first) => {
                contest = Contest::Won(taken_by(first, &answered.state, slot));
            }
            _ => return Err(tied(encounter, top)),
        }
    }
    if matches!(contest, Contest::MustClaim(_)) {
        return Err(must_claim());
    }
    finish_if_decided(play, contest);
    Ok(())
}

/// Begins the awaited turn if the contest for it is decided, and returns whether it is.
pub(super) fn finish_if_decided(play: &mut Play<'_>, contest: Contest) -> bool {
    match contest {
        Contest::Won(won) => {
            begin_combat(play);
            play.emit(won);
            // A hidden winner has taken a turn that was laid out for the others.
            if lacks_room(play.encounter()) {
                lay(play);
            }
            begin_awaited(play);
            true
        }
        Contest::Unclaimed => {
            begin_awaited(play);
            true
        }
        Contest::Open(_) | Contest::Tied(_) | Contest::MustClaim(_) => false,
    }
}

/// Refuses a combatant that cannot take the awaited PC Turn.
fn check_candidate(encounter: &Encounter, c: &Combatant) -> Result<(), Violation> {
    let id = &c.id;
    let state = &encounter.state;
    let is_member = team(state, c) == Team::Pc;
    require(is_member, "not_on_the_pc_team", "DC-17", || {
        format!("{id} isn't on the PC team and takes no PC Turn. Name a member of the PC team.")
    })?;
    if let Some(slot) = &c.state.slot
        && !waits_unseen(state, c)
    {
        let detail = format!(
            "{id} already acts in {}. Send \"delay\" in that turn to change it.",
            slot.title()
        );
        return Err(Violation::new("already_placed", "DC-30", detail));
    }
    check_yet_to_act(encounter, c)?;
    let open = state.reached().is_some_and(|slot| may_take(state, c, slot));
    require(open, "unseen_turn", "DC-17", || {
        format!("Only hidden combatants take this turn, and {id} is visible. Choose another turn.")
    })
}

/// Refuses an answer that changes nothing, and that of a combatant whose check is too low.
fn check_answer(encounter: &Encounter, c: &Combatant, answer: Answer) -> Result<(), Violation> {
    let id = &c.id;
    let state = &encounter.state;
    if let Contest::Tied(top) = contest_so_far(encounter)
        && top.contains(id)
    {
        if settles_tie(encounter, c, answer) {
            return Ok(());
        }
        return Err(tied(encounter, &top));
    }
    let claimed = state.claim_of(id).is_some();
    match answer {
        Answer::Claim { share } => {
            let is_new = state.claim_of(id).is_none_or(|claim| claim.share != share);
            require(is_new, "already_answered", "DC-17", || {
                format!(
                    "{id} has already claimed this turn. Wait for the others, change \"share\", or \
                     send \"pass\"."
                )
            })?;
        }
        Answer::Pass => {
            let passed = state.passed.contains(id);
            require(!passed, "already_answered", "DC-17", || {
                format!(
                    "{id} has already passed on this turn. Wait for the others, or send \"claim\"."
                )
            })?;
        }
    }
    let may_win = claimed || !has_been_outbid(encounter, c);
    require(may_win, "outbid", "DC-18", || {
        format!(
            "A combatant with a higher check than {id}'s has already claimed this turn. Claim a later one."
        )
    })
}

/// True for an answer of an equal claimant that helps to settle the tie: it passes, or now agrees to
/// share (DC-19a).
fn settles_tie(encounter: &Encounter, c: &Combatant, answer: Answer) -> bool {
    match answer {
        Answer::Pass => true,
        Answer::Claim { share: false } => false,
        Answer::Claim { share: true } => {
            let claim = encounter.state.claim_of(&c.id);
            result(c).is_some() && claim.is_some_and(|claim| !claim.share)
        }
    }
}

/// The refusal of a pass that leaves not enough PC Turns.
fn must_claim() -> Violation {
    let detail =
        "Not enough PC Turns come later for all who have none yet. Send \"claim\" for one of them.";
    Violation::new("must_claim", "DC-17", detail)
}

/// The refusal of answers that leave these combatants tied: all of them have the same result.
fn tied(encounter: &Encounter, top: &[CombatantId]) -> Violation {
    let names: Vec<String> = top.iter().map(CombatantId::to_string).collect();
    let names = names.join(" and ");
    let detail = match top.first().and_then(|id| result(encounter.get(id)?)) {
        Some(total) => {
            format!("{names} tie at {total}. Each claims with \"share\", or all but one pass.")
        }
        None => format!("{names} have no check to compare. All but one pass."),
    };
    Violation::new("claim_tied", "DC-19", detail)
}

/// A combatant that has left the PC team has no part in its answers (DC-17) and delays (DC-34).
pub(super) fn drop_answer(play: &mut Play<'_>, c: &Combatant) {
    let state = &play.encounter().state;
    let has_answered = state.claim_of(&c.id).is_some() || state.passed.contains(&c.id);
    if team(state, c) != Team::Pc && (has_answered || c.state.behind.is_some()) {
        play.emit(AnswerLapsed {
            combatant: c.id.clone(),
        });
    }
}

impl Claimed {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        let claim = Answer::Claim { share: self.share };
        fold.state().answer(&self.combatant, claim);
    }
}

impl Passed {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        fold.state().answer(&self.combatant, Answer::Pass);
    }
}

impl AnswerLapsed {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        fold.state().forget_answer(&self.combatant);
        fold.change_state(&self.combatant, |s| s.behind = None);
    }
}

impl SlotTaken {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        put_into(fold, &self.slot, &self.combatants, self.because);
    }
}

/// Answers to the awaited PC Turn: the players' own, and the game master's for all of them.
pub(super) fn options(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let state = &encounter.state;
    let contest = contest_so_far(encounter);
    let tied = matches!(contest, Contest::Tied(_));
    // Before the first answer, all seen combatants may answer in the same way.
    let unanswered = state.claims.is_empty() && state.passed.is_empty();
    let alike = |id: &CombatantId, option: LegalCommand| {
        if unanswered && encounter.get(id).is_some_and(|c| !c.hidden) {
            option.alike()
        } else {
            option
        }
    };
    for id in contest.asked() {
        let claim = LegalCommand::by::<Claim>(id, "DC-17").only(&["share"]);
        let claim = if tied {
            claim.with("share", true)
        } else {
            claim
        };
        legal.push(alike(id, claim));
        legal.push(alike(id, LegalCommand::by::<Pass>(id, "DC-17")));
    }
    legal.push(LegalCommand::of::<Resolve>("DC-17"));
    let Some(slot) = state.reached() else {
        return;
    };
    let first = match closed_contest(encounter) {
        Contest::Won(won) => won.combatants.iter().cloned().collect(),
        Contest::Tied(equal) => equal,
        Contest::Open(_) | Contest::MustClaim(_) | Contest::Unclaimed => Vec::new(),
    };
    for c in candidates(encounter, slot) {
        // An answer may be changed.
        if state.passed.contains(&c.id) {
            legal.push(LegalCommand::by::<Claim>(&c.id, "DC-17").only(&["share"]));
        } else if !tied && let Some(claim) = state.claim_of(&c.id) {
            let changed = LegalCommand::by::<Claim>(&c.id, "DC-19").only(&[]);
            legal.push(changed.with("share", !claim.share));
            legal.push(LegalCommand::by::<Pass>(&c.id, "DC-17"));
        }
        let decision = LegalCommand::of::<Claim>("DC-18")
            .with("combatant", c.id.as_str())
            .with("at_once", true);
        let decision = if unanswered || first.contains(&c.id) {
            let start = format!("Start {}: {{combatant}}", slot.id.title());
            decision.labelled(start).preferred()
        } else {
            decision
        };
        legal.push(alike(&c.id, decision));
    }
}
