//! The events of EXP.

use super::{Component, InitiativeRoll, Sequence, Use};
use crate::vocabulary::{
    CombatantId, D10, D20, Describe, Die, Names, OwnEvents, Participants, Redact, Tagged, Tellable,
    Text, Word, tell,
};
use macro_rules_attribute::derive;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use std::fmt::Write;
use utoipa::ToSchema;

/// An event of EXP.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Redact!, Tellable!, Tagged!, OwnEvents!)]
#[serde(tag = "type")]
#[allow(missing_docs, reason = "each variant is its struct, documented there")]
pub enum Event {
    #[serde(rename = "rolled")]
    Rolled(Rolled),
    #[serde(rename = "initiative_rolled")]
    InitiativeRolled(InitiativeRolled),
    #[serde(rename = "pass_started")]
    PassStarted(PassStarted),
    #[serde(rename = "asked")]
    Asked(Asked),
    #[serde(rename = "announced")]
    Announced(Announced),
    #[serde(rename = "declared")]
    Declared(Declared),
    #[serde(rename = "jump_announced")]
    JumpAnnounced(JumpAnnounced),
    #[serde(rename = "jumped")]
    Jumped(Jumped),
    #[serde(rename = "passed")]
    Passed(Passed),
    #[serde(rename = "asked_again")]
    AskedAgain(AskedAgain),
    #[serde(rename = "mental_duel_rolled")]
    MentalDuelRolled(MentalDuelRolled),
    #[serde(rename = "mental_attacked")]
    MentalAttacked(MentalAttacked),
    #[serde(rename = "components_lost")]
    ComponentsLost(ComponentsLost),
    #[serde(rename = "components_regained")]
    ComponentsRegained(ComponentsRegained),
    #[serde(rename = "duel_ended")]
    DuelEnded(DuelEnded),
}

/// A persona rolled ahead of the others, for the next unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Rolled {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20.
    pub die: Die,
    /// The d10s for ties, if rolled at the table.
    pub tie_dice: Vec<D10>,
}

/// All personas rolled initiative for a unit (EX-2), and the first pass begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct InitiativeRolled {
    /// The list, highest first (EX-5), without ties (EX-6).
    pub ranking: Vec<InitiativeRoll>,
}

/// Another pass through the list begins at the top (EX-16).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct PassStarted {
    /// The number of the pass in the unit.
    pub pass: u32,
}

/// The list has come to a persona that can still do something (EX-13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
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
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
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
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
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
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked_anew: Vec<CombatantId>,
}

impl Describe for JumpAnnounced {}

/// A persona tried to jump ahead of a lower persona's act (EX-25).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed_over: Vec<CombatantId>,
}

/// A persona lets the announced act or jump happen (EX-25b, EX-27a), or declines a mental duel,
/// which ends (EX-32a).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Passed {
    /// The combatant.
    pub combatant: CombatantId,
    /// True if the persona passes at all later acts too, unasked (EX-25c).
    pub standing: bool,
    /// True if it was a mental duel that the persona declined.
    pub duel: bool,
}

/// A persona is asked again whether it jumps, after a standing answer (EX-25c).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct AskedAgain {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Two mental attackers rolled for the first attack (EX-32).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct MentalDuelRolled {
    /// The two, the first attacker first.
    pub ranking: Vec<InitiativeRoll>,
}

/// A mental mutation attacked outside the list (EX-31).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct MentalAttacked {
    /// The combatant.
    pub combatant: CombatantId,
    /// The target.
    pub target: Option<CombatantId>,
    /// True if it spends the attack of the unit (EX-31a).
    pub spends_act: bool,
}

/// A persona lost unused components for this unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ComponentsRegained {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A mental duel ended before both had attacked: one of the two left or can no longer attack with
/// the mind, or the game master set whose turn it is (EX-32a).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct DuelEnded {
    /// The personas that have not attacked.
    pub combatants: Participants,
}

impl Asked {
    /// Tells that those whose turns have started already are asked again.
    fn tell_of_the_others(&self, names: &dyn Names, out: &mut String) -> bool {
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

/// The sentence that tells each event.
impl Describe for Event {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        let sentence = match self {
            Self::Rolled(_) => "{combatant} {combatant:rolls|roll} {die} for initiative.",
            Self::InitiativeRolled(e) => {
                return tell_rolls("Initiative: ", &e.ranking, names, out);
            }
            Self::PassStarted(_) => "Pass {pass} through the list starts.",
            Self::Asked(e) => return e.tell_of_the_others(names, out),
            Self::Announced(e) => {
                let planned = used(e.movement, e.act, e.order, Use::base);
                let sentence = format!("{{combatant}} will {planned}[: {{action}}].");
                return tell(&sentence, self, names, out);
            }
            Self::Declared(e) => {
                let done = used(e.movement, e.act, e.order, Use::verb);
                let sentence = format!("{{combatant}} {done}.");
                return tell(&sentence, self, names, out);
            }
            Self::JumpAnnounced(_) => {
                "{combatant} will jump ahead with the {components}[: {action}]."
            }
            Self::Jumped(_) => {
                "{combatant} [{success}{combatant:jumps|jump}][{!success}{combatant:fails|fail} to jump] \
                 ahead[ of {before}][: {action}]."
            }
            Self::Passed(_) => {
                "{combatant} [{!duel}{combatant:keeps|keep} waiting][{standing} until further notice]\
                 [{duel}{combatant:declines|decline} the mental duel]."
            }
            Self::AskedAgain(_) => {
                "{combatant} {combatant:wants|want} to be asked about jumps again."
            }
            Self::MentalDuelRolled(e) => {
                return tell_rolls("Mental duel: ", &e.ranking, names, out);
            }
            Self::MentalAttacked(_) => {
                "{combatant} {combatant:attacks|attack}[ {target}] with the mind."
            }
            Self::ComponentsLost(_) => {
                "{combatant} [{loss=joined late}joined late][{loss=cannot act}can't act]\
                 [{loss=could not answer}can't act] and {combatant:loses|lose} the {components} of this unit."
            }
            Self::ComponentsRegained(_) => {
                "{combatant} {combatant:gets|get} both the move and the act of this unit again."
            }
            Self::DuelEnded(_) => "The mental duel of {combatants} ends.",
        };
        tell(sentence, self, names, out)
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// The persona can no longer act and loses what waited (EX-23).
    CannotAct,
    /// The persona could not act when the list came to it (EX-23a).
    CouldNotAnswer,
    /// The persona joined during the unit and rolls for the next one (EX-2a).
    JoinedLate,
}
