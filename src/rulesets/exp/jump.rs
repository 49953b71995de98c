//! Wait jumps, with their AWE rolls, and the window for them before the next act: a jump, or an act
//! of the list (EX-25 to EX-30). `pass` also declines a mental duel (EX-32a).

use super::list::{fit, in_unit, joined, left, listed, no_duel, rest, set_all, with_action};
use super::state::announced;
use super::{AweMode, Combatant, Component, Encounter, Exp, Phase, Play, Spending, Use};
use crate::vocabulary::{
    Actor, CombatantId, D20, Die, Fold, LegalCommand, Text, Violation, command, event, field, ids,
    require,
};
use std::collections::HashSet;

/// Try a wait jump: use a waited component ahead of the next act of a lower persona (EX-25), be it
/// in the list or a jump (EX-27a).
#[command(player, "{combatant}: jump ahead[ with the {component}]", actor)]
pub struct Jump {
    /// The combatant.
    pub combatant: CombatantId,
    /// The waited component to use (EX-29). Leave it out to use both, with the option `jump_both`.
    pub component: Option<Component>,
    /// The act in words, such as its target.
    pub action: Option<Text<200>>,
    /// The d20 of the AWE roll, if rolled at the table. By default the server rolls.
    pub roll: Option<D20>,
    /// The referee's d20, if rolled at the table. Only with `awe_mode` `opposed_d20`.
    pub referee_roll: Option<D20>,
}

impl Jump {
    /// The game master rolls the referee's die.
    pub(crate) fn actor(&self) -> Actor<'_> {
        if self.referee_roll.is_some() {
            Actor::Gm
        } else {
            Actor::of(&self.combatant)
        }
    }
}

/// Decline what a persona is asked: to jump ahead of a lower persona's jump (EX-27a) or of the
/// announced act, with the option `jump_window` (EX-25b), or to attack in a mental duel, which ends
/// (EX-32a).
#[command(player, "{combatant}: keep waiting[{standing} until further notice]")]
pub struct Pass {
    /// The combatant.
    pub combatant: CombatantId,
    /// True if the persona passes at all later acts too, unasked, until `ask_again` (EX-25c).
    #[default]
    pub standing: bool,
}

/// End a standing `pass`: the persona is asked again at each announced act (EX-25c).
#[command(player, "{combatant}: ask me about jumps again")]
pub struct AskAgain {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Let the announced act or jump happen: all who could still jump ahead of it pass (EX-25b).
#[command(gm, "Let the announced act happen")]
pub struct Resolve {}

/// A persona announced a wait jump. It waits until the personas above have jumped ahead of it or
/// passed (EX-27a).
#[event("{combatant} will jump ahead with the {components}[: {action}].")]
pub struct JumpAnnounced {
    /// The combatant.
    pub combatant: CombatantId,
    /// The waited components that it will use.
    pub components: Vec<Component>,
    /// The act in words.
    pub action: Option<Text<200>>,
    /// The d20 of the AWE roll, if rolled at the table.
    pub roll: Option<D20>,
    /// The referee's d20, if rolled at the table.
    pub referee_roll: Option<D20>,
    /// The personas above that passed at the act and are asked about the jump (EX-27a).
    #[default]
    pub asked_anew: Vec<CombatantId>,
}

impl JumpAnnounced {
    /// What the persona will do, in words.
    pub(super) fn plan(&self) -> String {
        let with: Vec<String> = self
            .components
            .iter()
            .map(|part| format!("the {part}"))
            .collect();
        let uses = format!("will jump ahead with {}", with.join(" and "));
        with_action(uses, self.action.as_ref())
    }
}

/// A persona tried to jump ahead of a lower persona's act (EX-25).
#[event(
    "{combatant} {combatant:rolls|roll} {die} and [{success}{combatant:jumps|jump}]\
     [{!success}{combatant:fails|fail} to jump] ahead[ of {before}]\
     [{success} with the {components}][: {action}]."
)]
pub struct Jumped {
    /// The combatant.
    pub combatant: CombatantId,
    /// The waited components: used after a success (EX-27), still waited after a failure (EX-28).
    pub components: Vec<Component>,
    /// The act in words.
    pub action: Option<Text<200>>,
    /// The personas whose act it precedes.
    pub before: Vec<CombatantId>,
    /// The d20 of the AWE roll.
    pub die: Die,
    /// AWE and level.
    pub bonus: i64,
    /// The referee's d20, with the option `opposed_d20`.
    pub referee_die: Option<Die>,
    /// True if it succeeded.
    pub success: bool,
    /// The hidden personas above that are asked no more about the act behind it: players would see
    /// that they are.
    #[default]
    pub passed_over: Vec<CombatantId>,
}

/// A persona lets the announced act or jump happen (EX-25b, EX-27a), or declines a mental duel,
/// which ends (EX-32a).
#[event(
    "{combatant} [{!duel}{combatant:keeps|keep} waiting][{standing} until further notice]\
     [{duel}{combatant:declines|decline} the mental duel]."
)]
pub struct Passed {
    /// The combatant.
    pub combatant: CombatantId,
    /// True if the persona passes at all later acts too, unasked (EX-25c).
    pub standing: bool,
    /// True if it was a mental duel that the persona declined.
    pub duel: bool,
}

/// A persona is asked again whether it jumps, after a standing answer (EX-25c).
#[event("{combatant} {combatant:wants|want} to be asked about jumps again.")]
pub struct AskedAgain {
    /// The combatant.
    pub combatant: CombatantId,
}

impl Jump {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let persona = play.combatant("combatant", &self.combatant)?;
        let encounter = play.encounter();
        let components = jumping(encounter, self)?;
        let next = rank_of_next_act(encounter);
        for component in &components {
            may_jump(encounter, persona, *component, next)?;
        }
        first_try(encounter, persona)?;
        in_window(encounter, persona)?;
        let opposed = encounter.options.awe_mode == AweMode::OpposedD20;
        let expected = opposed || self.referee_roll.is_none();
        require(
            expected,
            "no_referee_roll",
            field("referee_roll"),
            || "The referee rolls only if the option \"awe_mode\" is \"opposed_d20\". Remove \"referee_roll\".",
        )?;
        let waits = waits_for_higher(encounter, persona);
        let jump = JumpAnnounced {
            combatant: self.combatant.clone(),
            components,
            action: self.action.clone(),
            roll: self.roll,
            referee_roll: self.referee_roll,
            asked_anew: if waits {
                passed_above(encounter, persona)
            } else {
                Vec::new()
            },
        };
        if waits {
            play.emit(jump);
        } else {
            roll_and_jump(play, jump);
        }
        Ok(())
    }
}

/// What a jump uses: the component that it names, or both if one roll is enough for them.
fn jumping(encounter: &Encounter, c: &Jump) -> Result<Vec<Component>, Violation> {
    if let Some(component) = c.component {
        return Ok(vec![component]);
    }
    let one_roll = encounter.options.jump_both;
    require(
        one_roll,
        "component_missing",
        "EX-29",
        || "Each component jumps with a roll of its own. Add \"component\": move or act.",
    )?;
    Ok(vec![Component::Move, Component::Act])
}

/// Refuses a component that has not waited.
fn waited(c: &Combatant, component: Component) -> Result<(), Violation> {
    let id = &c.id;
    let spending = c.state.of(component);
    left(
        id,
        component,
        spending,
        "Jump with a component that waited.",
    )?;
    let waited = spending == Spending::Waited;
    require(waited, "not_waited", "EX-25", || {
        format!("{id} hasn't waited with the {component}. Only a component that waited can jump.")
    })
}

/// Makes the Normal AWE roll of a jump (EX-26), which takes place if the roll succeeds (EX-27).
/// Else the component stays waited (EX-28).
fn roll_and_jump(play: &mut Play<'_>, jump: JumpAnnounced) {
    let encounter = play.encounter();
    let Some(persona) = encounter.get(&jump.combatant) else {
        return;
    };
    let mode = encounter.options.awe_mode;
    let bonus = persona.stats.awe.get() + persona.level_or_first();
    let before = act_behind(encounter, &jump.combatant);
    let hidden = hidden_above(encounter, persona);
    let die = play.die(jump.roll);
    let face = i64::from(die.face);
    let opposed = mode == AweMode::OpposedD20;
    let referee_die = opposed.then(|| play.die(jump.referee_roll));
    let against = referee_die.map_or(18, |die| i64::from(die.face));
    let success = if mode == AweMode::RollUnder {
        face <= bonus
    } else {
        face + bonus >= against
    };
    let passed_over = if success { hidden } else { Vec::new() };
    let id = jump.combatant.clone();
    play.emit(Jumped {
        combatant: jump.combatant,
        components: jump.components,
        action: jump.action,
        before,
        die,
        bonus,
        referee_die,
        success,
        passed_over,
    });
    rest(play, &id);
}

/// The personas whose act comes after the jump of `id`: the next jumper, or those asked.
fn act_behind(encounter: &Encounter, id: &CombatantId) -> Vec<CombatantId> {
    let jumps = encounter.state.jumps.iter().rev();
    let mut others = jumps.filter(|jump| jump.combatant != *id);
    match others.next() {
        Some(jump) => vec![jump.combatant.clone()],
        None => encounter.state.asked.clone(),
    }
}

/// The visible personas above a jumper that have passed: the next act is a jump now, about which
/// they are asked (EX-27a).
fn passed_above(encounter: &Encounter, jumper: &Combatant) -> Vec<CombatantId> {
    let kept = &encounter.state.kept;
    ids(above(encounter, jumper).filter(|c| !c.hidden && kept.contains(&c.id)))
}

/// The personas with a higher initiative.
fn above<'t>(
    encounter: &'t Encounter,
    persona: &'t Combatant,
) -> impl Iterator<Item = &'t Combatant> {
    let all = encounter.iter();
    all.filter(|c| c.state.rank < persona.state.rank)
}

/// The hidden personas above a visible one that has jumped, which are asked no more about the act
/// behind it: players would see that they are.
fn hidden_above(encounter: &Encounter, jumper: &Combatant) -> Vec<CombatantId> {
    if jumper.hidden {
        return Vec::new();
    }
    let kept = &encounter.state.kept;
    ids(above(encounter, jumper).filter(|c| c.hidden && !kept.contains(&c.id)))
}

/// Rolls for the announced jumps that no persona above may still jump ahead of. A mental duel comes
/// first.
pub(super) fn take_jumps(play: &mut Play<'_>) {
    loop {
        let encounter = play.encounter();
        let state = &encounter.state;
        let Some(jump) = state.jumps.last() else {
            return;
        };
        let is_next = state.phase == Phase::Pass && state.duel.is_empty();
        if !is_next || !deciders(encounter).is_empty() {
            return;
        }
        roll_and_jump(play, jump.clone());
    }
}

/// The rank of the persona whose act is next: the last announced jump comes before the list.
fn rank_of_next_act(encounter: &Encounter) -> u32 {
    let jump = encounter.state.jumps.last();
    let jumper = jump.and_then(|jump| encounter.get(&jump.combatant));
    let rank = jumper.and_then(|jumper| jumper.state.rank);
    rank.unwrap_or(encounter.state.cursor)
}

/// Refuses a jump ahead of the act of a persona of rank `next`, whatever has been answered.
fn may_jump(
    encounter: &Encounter,
    persona: &Combatant,
    component: Component,
    next: u32,
) -> Result<(), Violation> {
    let id = &persona.id;
    in_unit(encounter, "EX-25")?;
    no_duel(encounter)?;
    fit(persona)?;
    let asked = &encounter.state.asked;
    require(!asked.contains(id), "own_place", "EX-30", || {
        format!("The list is at {id}, so no jump is needed. Send \"declare\".")
    })?;
    listed(persona)?;
    waited(persona, component)?;
    let jumps = &encounter.state.jumps;
    let has_announced = jumps.iter().any(|jump| jump.combatant == *id);
    require(!has_announced, "announced_already", "EX-27b", || {
        format!("{id} has announced a jump. Wait until it takes place.")
    })?;
    if persona.state.rank.is_some_and(|rank| rank < next) {
        return Ok(());
    }
    if let Some(jump) = jumps.last() {
        let first = &jump.combatant;
        let detail = format!("{first} has announced a jump, which comes first. Wait for it.");
        return Err(Violation::new("higher_decides_first", "EX-27a", detail));
    }
    let asked = joined(asked);
    let detail =
        format!("{id} has no higher initiative than {asked}. Wait for the act of a lower persona.");
    Err(Violation::new("not_lower", "EX-25a", detail))
}

/// Refuses a second try over the same act of the list, or a jump ahead of it.
fn first_try(encounter: &Encounter, persona: &Combatant) -> Result<(), Violation> {
    let id = &persona.id;
    let failed = encounter.state.failed.contains(id);
    require(!failed, "jump_failed", "EX-28a", || {
        format!("{id} has failed to jump ahead of this act. Wait for the next one.")
    })
}

/// Refuses a jump outside the window, of a persona that keeps waiting, and before a higher one has
/// decided (EX-25b, EX-27a).
fn in_window(encounter: &Encounter, persona: &Combatant) -> Result<(), Violation> {
    let id = &persona.id;
    let open = window_open(encounter);
    let asked = &encounter.state.asked;
    let may_come = open || !any_must_announce(encounter, asked);
    require(may_come, "not_announced", "EX-25b", || {
        let asked = joined(asked);
        format!("{asked} must announce an act before a jump. Wait for it.")
    })?;
    // A hidden persona passes at acts of the list only: it is not asked about a jump.
    let is_asked = !persona.hidden || encounter.state.jumps.is_empty();
    let has_passed = is_asked && encounter.state.kept.contains(id);
    let keeps = persona.state.keeps_waiting || has_passed;
    require(!keeps, "keeps_waiting", "EX-25b", || {
        format!(
            "{id} has passed. Wait for the next act, or send \"ask_again\" if waiting until further notice."
        )
    })?;
    if open && let Some(first) = higher_undecided(encounter, persona) {
        let first = &first.id;
        let detail =
            format!("{first} has the higher initiative and decides first. Wait for that answer.");
        return Err(Violation::new("higher_decides_first", "EX-27a", detail));
    }
    Ok(())
}

pub(super) fn any_must_announce(encounter: &Encounter, asked: &[CombatantId]) -> bool {
    let mut asked = asked.iter().filter_map(|id| encounter.get(id));
    asked.any(|c| must_announce(encounter, c))
}

/// A persona with a higher initiative that has to decide first. A hidden one does not count:
/// players would see that it waits.
fn higher_undecided<'t>(encounter: &'t Encounter, persona: &Combatant) -> Option<&'t Combatant> {
    let next = rank_of_next_act(encounter);
    let mut personas = encounter.iter();
    personas
        .find(|c| c.state.rank < persona.state.rank && !c.hidden && undecided(encounter, c, next))
}

/// True if a persona could jump ahead of the act of a persona of rank `next`.
fn could_jump(encounter: &Encounter, c: &Combatant, next: u32) -> bool {
    !c.state.keeps_waiting
        && (may_jump(encounter, c, Component::Move, next).is_ok()
            || may_jump(encounter, c, Component::Act, next).is_ok())
}

/// True if a persona that is asked announces its acts: a visible one could jump ahead of them. A
/// hidden persona announces none, since no player sees them come.
pub(super) fn must_announce(encounter: &Encounter, c: &Combatant) -> bool {
    if !encounter.options.jump_window || c.hidden {
        return false;
    }
    a_visible_one_could_jump(encounter, encounter.state.cursor)
}

/// True if a jump of a persona is announced, and waits for a visible one above. Players do not see
/// that of a hidden persona come, nor the act of one.
fn waits_for_higher(encounter: &Encounter, persona: &Combatant) -> bool {
    let Some(rank) = persona.state.rank else {
        return false;
    };
    !persona.hidden && asks_visible(encounter) && a_visible_one_could_jump(encounter, rank)
}

/// True if a visible persona could jump ahead of the act of a persona of rank `next`.
fn a_visible_one_could_jump(encounter: &Encounter, next: u32) -> bool {
    let failed = &encounter.state.failed;
    let mut others = encounter.iter();
    others.any(|c| !c.hidden && !failed.contains(&c.id) && could_jump(encounter, c, next))
}

fn is_visible(encounter: &Encounter, id: &CombatantId) -> bool {
    encounter.get(id).is_some_and(|c| !c.hidden)
}

fn asks_visible(encounter: &Encounter) -> bool {
    let mut asked = encounter.state.asked.iter();
    asked.any(|id| is_visible(encounter, id))
}

/// True if the next act is announced, and waits for the personas that may jump ahead of it.
fn window_open(encounter: &Encounter) -> bool {
    match encounter.state.jumps.last() {
        Some(jump) => is_visible(encounter, &jump.combatant) && asks_visible(encounter),
        None => is_act_announced(encounter),
    }
}

/// True if an act of the list is announced that personas may jump ahead of.
fn is_act_announced(encounter: &Encounter) -> bool {
    if !encounter.options.jump_window {
        return false;
    }
    let Some(plan) = announced(encounter) else {
        return false;
    };
    let happens = plan.movement == Some(Use::Now) || plan.act == Some(Use::Now);
    happens && is_visible(encounter, &plan.combatant)
}

/// True if a persona has to jump or pass before the next act, of a persona of rank `next`.
fn undecided(encounter: &Encounter, c: &Combatant, next: u32) -> bool {
    let state = &encounter.state;
    could_jump(encounter, c, next) && !state.kept.contains(&c.id) && !state.failed.contains(&c.id)
}

/// Who has to jump ahead of the next act or pass, the highest initiative first (EX-27a).
pub(super) fn deciders(encounter: &Encounter) -> Vec<CombatantId> {
    if !window_open(encounter) {
        return Vec::new();
    }
    let next = rank_of_next_act(encounter);
    // A hidden persona is asked only about acts of the list: players would see that it is asked.
    let hidden_too = encounter.state.jumps.is_empty();
    let mut deciders = Vec::new();
    for c in encounter.iter() {
        if (hidden_too || !c.hidden) && undecided(encounter, c, next) {
            deciders.push(c);
        }
    }
    deciders.sort_by_key(|c| c.state.rank);
    ids(deciders)
}

/// Refuses an answer of the list while personas may jump ahead of the next act.
pub(super) fn no_open_jumps(encounter: &Encounter) -> Result<(), Violation> {
    let deciders = deciders(encounter);
    let is_over_jump = !encounter.state.jumps.is_empty();
    let rule = if is_over_jump { "EX-27a" } else { "EX-25b" };
    require(deciders.is_empty(), "jumps_open", rule, || {
        let jumpers = joined(&deciders);
        format!(
            "{jumpers} may still jump ahead of the next act. Each sends \"jump\" or \"pass\" first."
        )
    })
}

impl Pass {
    /// Declines a mental duel (EX-32a), or a jump ahead of the next act (EX-25b, EX-27a).
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        play.combatant("combatant", id)?;
        let encounter = play.encounter();
        let duel = encounter.state.duel.contains(id);
        let is_asked = duel || deciders(encounter).contains(id);
        require(is_asked, "nothing_to_pass", "EX-25b", || {
            format!(
                "{id} isn't asked to jump or to duel. Wait for an announced act or jump, or a duel."
            )
        })?;
        require(
            !duel || !self.standing,
            "standing_in_duel",
            field("standing"),
            || "One pass ends a mental duel. Remove \"standing\".",
        )?;
        play.emit(Passed {
            combatant: id.clone(),
            standing: self.standing,
            duel,
        });
        Ok(())
    }
}

impl AskAgain {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        let keeps_waiting = play.combatant("combatant", id)?.state.keeps_waiting;
        require(keeps_waiting, "asked_anyway", "EX-25c", || {
            format!("{id} doesn't keep waiting until further notice. Leave \"ask_again\" out.")
        })?;
        play.emit(AskedAgain {
            combatant: id.clone(),
        });
        Ok(())
    }
}

impl Resolve {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let deciders = deciders(play.encounter());
        let detail = "No persona is asked to jump now. See \"pending\".";
        require(!deciders.is_empty(), "nothing_to_resolve", "EX-25b", || {
            detail
        })?;
        for combatant in deciders {
            play.emit(Passed {
                combatant,
                standing: false,
                duel: false,
            });
        }
        Ok(())
    }
}

impl JumpAnnounced {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Exp>) {
        let asked_anew: HashSet<&CombatantId> = self.asked_anew.iter().collect();
        let state = fold.state();
        state.kept.retain(|id| !asked_anew.contains(id));
        state.jumps.push(Self {
            asked_anew: Vec::new(),
            ..self.clone()
        });
    }
}

impl Jumped {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Exp>) {
        let jumps = &mut fold.state().jumps;
        jumps.retain(|jump| jump.combatant != self.combatant);
        if self.success {
            set_all(fold, &self.combatant, &self.components, Spending::Done);
            fold.state().kept.extend_from_slice(&self.passed_over);
        } else {
            fold.state().failed.push(self.combatant.clone());
        }
    }
}

impl Passed {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Exp>) {
        if self.duel {
            fold.state().duel.clear();
            return;
        }
        fold.state().kept.push(self.combatant.clone());
        fold.change_state(&self.combatant, |state| {
            state.keeps_waiting |= self.standing;
        });
    }
}

impl AskedAgain {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Exp>) {
        fold.change_state(&self.combatant, |state| state.keeps_waiting = false);
    }
}

/// The wait jumps of personas that have waited, and the answers of those that are asked to jump.
pub(super) fn options(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    for c in encounter.iter() {
        if waits(c, Component::Move) || waits(c, Component::Act) {
            let jump = LegalCommand::by::<Jump>(&c.id, "EX-25");
            legal.push(awe_roll(encounter, jump.required("component")));
        }
    }
    if encounter.options.jump_both {
        for c in encounter.iter() {
            if waits(c, Component::Move) && waits(c, Component::Act) {
                let jump = LegalCommand::by::<Jump>(&c.id, "EX-29")
                    .labelled("{combatant}: jump ahead with move and act")
                    .without(&["component"]);
                legal.push(awe_roll(encounter, jump));
            }
        }
    }
    for id in &deciders(encounter) {
        legal.push(LegalCommand::by::<Pass>(id, "EX-25b"));
    }
    legal.push(LegalCommand::of::<Resolve>("EX-25b").preferred());
}

fn waits(c: &Combatant, component: Component) -> bool {
    c.state.of(component) == Spending::Waited
}

/// The dice of a wait jump, by the way in which its AWE roll is made (EX-26).
fn awe_roll(encounter: &Encounter, jump: LegalCommand) -> LegalCommand {
    if encounter.options.awe_mode == AweMode::OpposedD20 {
        jump
    } else {
        jump.without(&["referee_roll"])
    }
}
