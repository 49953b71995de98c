//! Who takes the PC Turn that is awaited: the claims that stand, and who may still answer them (DC-17 to DC-19).
//!
//! A claim stands until every member of the PC team who could take the turn, or share it, has claimed or passed. A hidden member has
//! a turn of its own and may answer, but nobody waits for it: that would show that it is there.

use super::team::{asking_later, claimants, unplaced};
use super::*;
use std::collections::HashSet;

/// Where the contest for a PC Turn stands.
pub(super) enum Contest {
    /// These may claim the turn or pass.
    Open(Vec<CombatantId>),
    /// These claimed it, have the same highest result, and do not all share: they agree to share, or pass (ADC5).
    Tied(Vec<CombatantId>),
    /// Nobody claimed it and all passed, but there are not enough later turns: one of these must claim it.
    Needed(Vec<CombatantId>),
    /// It is decided.
    Won {
        /// Who takes the turn.
        combatants: Vec<CombatantId>,
        /// How they came to it.
        by: Way,
        /// Who claimed it with a lower result.
        outbid: Vec<CombatantId>,
    },
    /// Nobody takes the turn.
    Unclaimed,
}

/// The answers to a PC Turn that is awaited.
#[derive(Debug, Clone)]
pub(super) struct Answers {
    pub claims: Vec<Claimed>,
    pub passed: Vec<CombatantId>,
    /// Whether nobody else is asked.
    pub closed: bool,
}

impl Answers {
    /// The answers so far.
    pub fn of(state: &State) -> Self {
        Self { claims: state.claims.clone(), passed: state.passed.clone(), closed: false }
    }

    /// The same after a claim; it replaces an earlier answer.
    pub fn claim(mut self, combatant: &CombatantId, share: bool) -> Self {
        self.forget(combatant);
        self.claims.push(Claimed { combatant: combatant.clone(), share });
        self
    }

    /// The same after a pass; it takes back an earlier claim.
    pub fn pass(mut self, combatant: &CombatantId) -> Self {
        self.forget(combatant);
        self.passed.push(combatant.clone());
        self
    }

    fn forget(&mut self, combatant: &CombatantId) {
        self.claims.retain(|claim| claim.combatant != *combatant);
        self.passed.retain(|passed| passed != combatant);
    }
}

/// The result of the Initiative Check, by which claims are compared; one without a check is below all others.
pub(super) fn result(c: &Creature) -> Option<i64> {
    c.state.check.as_ref().map(|check| check.total)
}

/// Who can take the PC Turn that is awaited; a turn of the hidden only they can take.
pub(super) fn candidates(table: &Table) -> impl Iterator<Item = &Creature> {
    let unseen = table.state.at().is_some_and(|slot| slot.unseen);
    claimants(table).filter(move |c| c.hidden || !unseen)
}

/// Where the contest stands with the answers so far.
pub(super) fn contest(table: &Table) -> Contest {
    decide(table, &Answers::of(&table.state))
}

/// Where the contest stands with these answers.
pub(super) fn decide(table: &Table, answers: &Answers) -> Contest {
    let ids = |of: &[&Creature]| of.iter().map(|c| c.id.clone()).collect::<Vec<_>>();
    let all: Vec<&Creature> = candidates(table).collect();
    let (claimed, passed): (HashSet<_>, HashSet<_>) =
        (answers.claims.iter().map(|claim| &claim.combatant).collect(), answers.passed.iter().collect());
    let (claims, others): (Vec<&Creature>, Vec<&Creature>) = all.iter().partition(|c| claimed.contains(&c.id));
    let best_seen = claims.iter().filter(|c| !c.hidden).map(|c| result(c)).max();
    let outbid = |c: &Creature| !c.hidden && best_seen.is_some_and(|best| result(c) < best);
    let open: Vec<&Creature> = others.into_iter().filter(|c| !passed.contains(&c.id) && !outbid(c)).collect();
    let placeless = |c: &&Creature| c.state.slot.is_none();
    if !answers.closed && open.iter().any(placeless) {
        return Contest::Open(ids(&open));
    }
    if !claims.is_empty() {
        return highest(&claims, answers);
    }
    match all.iter().any(placeless) && !may_pass(table) {
        true => Contest::Needed(ids(&all)),
        false => Contest::Unclaimed,
    }
}

/// Whether one of these, who are asked, can pass: not the last one, where somebody must take the turn.
pub(super) fn passable(table: &Table, asked: &[CombatantId]) -> bool {
    let several = asked.len() > 1 && !matches!(contest(table), Contest::Needed(_));
    several || !table.state.claims.is_empty() || may_pass(table)
}

/// Whether the PC team can leave the awaited PC Turn to later ones: each member without a place must still find one.
fn may_pass(table: &Table) -> bool {
    unplaced(table, Team::Pc).count() <= asking_later(table)
}

/// The highest of the claims takes the turn (DC-18); equal ones share it where all of them agree (DC-19). Where equal ones do not
/// agree, one who is hidden gives way: the tie would show that it is there.
fn highest(claims: &[&Creature], answers: &Answers) -> Contest {
    let best = claims.iter().map(|c| result(c)).max().flatten();
    let sharing: HashSet<&CombatantId> = answers.claims.iter().filter(|c| c.share).map(|c| &c.combatant).collect();
    let agreed = |top: &[&Creature]| top.len() == 1 || best.is_some() && top.iter().all(|c| sharing.contains(&c.id));
    let mut top: Vec<&Creature> = claims.iter().copied().filter(|c| result(c) == best).collect();
    if !agreed(&top) && top.iter().any(|c| !c.hidden) {
        top.retain(|c| !c.hidden);
    }
    let ids = |of: &[&Creature]| of.iter().map(|c| c.id.clone()).collect::<Vec<_>>();
    let combatants = ids(&top);
    if !agreed(&top) {
        return Contest::Tied(combatants);
    }
    let outbid: Vec<&Creature> = claims.iter().copied().filter(|c| !combatants.contains(&c.id)).collect();
    let by = match top.as_slice() {
        [_, _, ..] => Way::Shared,
        [winner] if outbid.iter().any(|c| winner.hidden || !c.hidden) => Way::Contested,
        _ => Way::Claimed,
    };
    Contest::Won { combatants, by, outbid: ids(&outbid) }
}
