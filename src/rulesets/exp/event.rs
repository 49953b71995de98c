//! The events of EXP.

use super::{Component, InitiativeRoll, Sequence, Use};
use crate::vocabulary::{
    CombatantId, D10, D20, Describe, Die, Names, Participants, Text, event, events, tell, word,
};
use std::fmt::Write;

/// An event of EXP.
#[events]
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

/// A persona rolled ahead of the others, for the next unit.
#[event("{combatant} {combatant:rolls|roll} {die} for initiative.")]
pub struct Rolled {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20.
    pub die: Die,
    /// The d10s for ties, if rolled at the table.
    pub tie_dice: Vec<D10>,
}

/// All personas rolled initiative for a unit (EX-2), and the first pass begins.
#[event(tells_itself)]
pub struct InitiativeRolled {
    /// The list, highest first (EX-5), without ties (EX-6).
    pub ranking: Vec<InitiativeRoll>,
}

/// Another pass through the list begins at the top (EX-16).
#[event("Pass {pass} through the list starts.")]
pub struct PassStarted {
    /// The number of the pass in the unit.
    pub pass: u32,
}

/// The list has come to a persona that can still do something (EX-13).
#[event(tells_itself)]
pub struct Asked {
    /// The rank that is asked.
    pub rank: u32,
    /// The personas asked: one, or several of a crowd.
    pub combatants: Vec<CombatantId>,
    /// Those of them whose turns start with it. `turn_started` tells it of these.
    pub starting: Vec<CombatantId>,
    /// True if they are the lowest and must spend all components left (EX-15).
    pub forced: bool,
}

/// A persona announced its answer (EX-27b).
#[event(tells_itself)]
pub struct Announced {
    /// The combatant.
    pub combatant: CombatantId,
    /// The use of the move.
    #[serde(rename = "move")]
    pub movement: Option<Use>,
    /// The use of the attack or action.
    pub act: Option<Use>,
    /// The component that comes first.
    pub order: Option<Sequence>,
    /// The act in words.
    pub action: Option<Text<200>>,
}

/// A persona answered the list.
#[event(tells_itself)]
pub struct Declared {
    /// The combatant.
    pub combatant: CombatantId,
    /// The use of the move.
    #[serde(rename = "move")]
    pub movement: Option<Use>,
    /// The use of the attack or action.
    pub act: Option<Use>,
    /// The component that comes first.
    pub order: Option<Sequence>,
    /// True if it was the lowest and had to spend all that it had left (EX-15).
    pub forced: bool,
}

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

/// A persona tried to jump ahead of a lower persona's act (EX-25).
#[event(
    "{combatant} [{success}{combatant:jumps|jump}][{!success}{combatant:fails|fail} to jump] \
     ahead[ of {before}][: {action}]."
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

/// Two mental attackers rolled for the first attack (EX-32).
#[event(tells_itself)]
pub struct MentalDuelRolled {
    /// The two, the first attacker first.
    pub ranking: Vec<InitiativeRoll>,
}

/// A mental mutation attacked outside the list (EX-31).
#[event("{combatant} {combatant:attacks|attack}[ {target}] with the mind.")]
pub struct MentalAttacked {
    /// The combatant.
    pub combatant: CombatantId,
    /// The target.
    pub target: Option<CombatantId>,
    /// True if it spends the attack of the unit (EX-31a).
    pub spends_act: bool,
}

/// A persona lost unused components for this unit.
#[event(
    "{combatant} [{loss=joined late}joined late][{loss=cannot act}can't act]\
     [{loss=could not answer}can't act] and {combatant:loses|lose} the {components} of this unit."
)]
pub struct ComponentsLost {
    /// The combatant.
    pub combatant: CombatantId,
    /// The components lost.
    pub components: Vec<Component>,
    /// The reason for the loss.
    #[schema(inline)]
    pub loss: Loss,
}

/// A persona with nothing left got both components of the unit again: the game master gave it the
/// turn.
#[event("{combatant} {combatant:gets|get} both the move and the act of this unit again.")]
pub struct ComponentsRegained {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A mental duel ended before both had attacked: one of the two left or can no longer attack with
/// the mind, or the game master set whose turn it is (EX-32a).
#[event("The mental duel of {combatants} ends.")]
pub struct DuelEnded {
    /// The personas that have not attacked.
    pub combatants: Participants,
}

/// Tells that those whose turns have started already are asked again.
impl Describe for Asked {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        let mut others = self.combatants.clone();
        others.retain(|id| !self.starting.contains(id));
        if others.is_empty() {
            return false;
        }
        let does = match (self.forced, others.is_plural(names)) {
            (true, true) => "act and can't wait",
            (true, false) => "acts and can't wait",
            (false, true) => "act or wait",
            (false, false) => "acts or waits",
        };
        others.describe(names, out);
        write!(out, " {does}.").is_ok()
    }
}

impl Announced {
    /// What the persona will do, in words.
    pub(super) fn plan(&self) -> String {
        let uses = used(self.movement, self.act, self.order, Use::base);
        with_action(format!("will {uses}"), self.action.as_ref())
    }
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

fn with_action(plan: String, action: Option<&Text<200>>) -> String {
    match action {
        Some(action) => format!("{plan}: {}", action.as_str()),
        None => plan,
    }
}

/// A roll among others, as a row of the list.
struct Row<'a> {
    roll: &'a InitiativeRoll,
    ranking: &'a [InitiativeRoll],
}

impl Describe for Row<'_> {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        let written = self.roll.written(self.ranking);
        self.roll.combatants.describe(names, out) && write!(out, " {written}").is_ok()
    }

    fn is_row(&self) -> bool {
        true
    }
}

/// Tells a list of rolls.
fn tell_rolls(
    title: &str,
    ranking: &[InitiativeRoll],
    names: &dyn Names,
    out: &mut String,
) -> bool {
    let rows: Vec<Row<'_>> = ranking.iter().map(|roll| Row { roll, ranking }).collect();
    *out += title;
    rows.describe(names, out);
    write!(out, ".").is_ok()
}

impl Describe for InitiativeRolled {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        tell_rolls("Initiative: ", &self.ranking, names, out)
    }
}

impl Describe for MentalDuelRolled {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        tell_rolls("Mental duel: ", &self.ranking, names, out)
    }
}

impl Describe for Announced {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        let planned = used(self.movement, self.act, self.order, Use::base);
        let sentence = format!("{{combatant}} will {planned}[: {{action}}].");
        tell(&sentence, self, names, out)
    }
}

impl Describe for Declared {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        let done = used(self.movement, self.act, self.order, Use::verb);
        let sentence = format!("{{combatant}} {done}.");
        tell(&sentence, self, names, out)
    }
}

/// The words for the uses of both components, in their order: a part of a template.
fn used(
    movement: Option<Use>,
    act: Option<Use>,
    order: Option<Sequence>,
    words: impl Fn(Use, Component) -> String,
) -> String {
    match (movement, act) {
        (Some(Use::Wait), Some(Use::Wait)) | (Some(Use::Nothing), Some(Use::Nothing)) => {
            let both = words(movement.unwrap_or(Use::Nothing), Component::Move);
            format!("{both} and the act")
        }
        (Some(movement), Some(act)) => {
            let moves = words(movement, Component::Move);
            let acts = words(act, Component::Act);
            match order {
                Some(Sequence::ActFirst) => format!("{acts}, then {moves}"),
                Some(Sequence::MoveFirst) => format!("{moves}, then {acts}"),
                // "give up the move and act" would give up both.
                None if movement != Use::Now => format!("{acts} and {moves}"),
                None => format!("{moves} and {acts}"),
            }
        }
        (Some(movement), None) => words(movement, Component::Move),
        (None, Some(act)) => words(act, Component::Act),
        (None, None) => words(Use::Nothing, Component::Act),
    }
}

impl Use {
    /// The verb for a component, as what a combatant does.
    fn verb(self, component: Component) -> String {
        let verb = match (self, component) {
            (Self::Now, Component::Move) => "{combatant:moves|move}",
            (Self::Now, Component::Act) => "{combatant:acts|act}",
            (Self::Wait, Component::Move) => "{combatant:waits|wait} with the move",
            (Self::Wait, Component::Act) => "{combatant:waits|wait} with the act",
            (Self::Nothing, Component::Move) => "{combatant:gives|give} up the move",
            (Self::Nothing, Component::Act) => "{combatant:gives|give} up the act",
        };
        verb.to_owned()
    }

    /// The verb for a component, as what a combatant will do.
    fn base(self, component: Component) -> String {
        let verb = match (self, component) {
            (Self::Now, Component::Move) => "move",
            (Self::Now, Component::Act) => "act",
            (Self::Wait, Component::Move) => "wait with the move",
            (Self::Wait, Component::Act) => "wait with the act",
            (Self::Nothing, Component::Move) => "give up the move",
            (Self::Nothing, Component::Act) => "give up the act",
        };
        verb.to_owned()
    }
}

/// The reason for a loss of components.
#[word]
pub enum Loss {
    /// The persona can no longer act and loses what waited (EX-23).
    CannotAct,
    /// The persona could not act when the list came to it (EX-23a).
    CouldNotAnswer,
    /// The persona joined during the unit and rolls for the next one (EX-2a).
    JoinedLate,
}
