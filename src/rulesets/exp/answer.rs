//! What a persona that is asked does with its move and its act (EX-2, EX-13 to EX-15, EX-18, EX-20,
//! EX-25b, EX-27b).

use super::jump::{must_announce, no_open_jumps};
use super::list::{
    advance, answered, forget_answers, in_unit, joined, left, listed, no_duel, rest, with_action,
};
use super::state::{announced, lowest};
use super::{Combatant, Command, Component, Encounter, Exp, Play, Spending};
use crate::vocabulary::{
    CombatantId, Describe, Fold, LegalCommand, Listed, Names, Text, Violation, command, event,
    require, tell, word,
};
use serde_json::json;

const ALL_USES: [Use; 3] = [Use::Now, Use::Wait, Use::Nothing];

/// Answer the list: use, keep or give up the move and the attack or action (EX-14, EX-15).
#[command(
    player,
    "{combatant}:[{!move}{!act} declare][{move=now} move][{move=wait} wait with the move]\
     [{move=nothing} give up the move][{move?}{act?},][{act=now} act]\
     [{act=wait} wait with the act][{act=nothing} give up the act]"
)]
pub struct Declare {
    /// The combatant.
    pub combatant: CombatantId,
    /// The use of the move. Leave it out if the move is spent.
    #[serde(rename = "move")]
    pub movement: Option<Use>,
    /// The use of the attack or action. Leave it out if it is spent.
    pub act: Option<Use>,
    /// The component that comes first, if both happen now.
    pub order: Option<Sequence>,
}

/// Announce the answer that a persona will declare, so that others may jump ahead of it (EX-27b).
#[command(
    player,
    "{combatant}: announce[{move=now} move][{move=wait} wait with the move]\
     [{move=nothing} give up the move][{move?}{act?},][{act=now} act]\
     [{act=wait} wait with the act][{act=nothing} give up the act]"
)]
pub struct Announce {
    /// The combatant.
    pub combatant: CombatantId,
    /// The use of the move. Leave it out if the move is spent.
    #[serde(rename = "move")]
    pub movement: Option<Use>,
    /// The use of the attack or action. Leave it out if it is spent.
    pub act: Option<Use>,
    /// The component that comes first, if both happen now.
    pub order: Option<Sequence>,
    /// The act in words, such as its target.
    pub action: Option<Text<200>>,
}

/// A use of a component.
#[word]
pub enum Use {
    /// Use it now.
    Now,
    /// Wait with it. The lowest persona may not (EX-15).
    Wait,
    /// Let it go unused: stay put, hold fire (EX-15a).
    Nothing,
}

/// The order of two components (EX-20).
#[word]
pub enum Sequence {
    /// Move, then act.
    MoveFirst,
    /// Act, then move.
    ActFirst,
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

impl Announced {
    /// What the persona will do, in words.
    pub(super) fn plan(&self) -> String {
        let uses = used(self.movement, self.act, self.order, Use::base);
        with_action(format!("will {uses}"), self.action.as_ref())
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

impl Announce {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let answer = Declare {
            combatant: self.combatant.clone(),
            movement: self.movement,
            act: self.act,
            order: self.order,
        };
        answerable(play, &answer)?;
        let is_first = announced(play.encounter()).is_none();
        require(
            is_first,
            "announced_already",
            "EX-27b",
            || "An act is already announced. Send \"declare\" with the same fields.",
        )?;
        play.emit(Announced {
            combatant: answer.combatant,
            movement: answer.movement,
            act: answer.act,
            order: answer.order,
            action: self.action.clone(),
        });
        Ok(())
    }
}

impl Declare {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let forced = answerable(play, self)?;
        let id = &self.combatant;
        if let Some(plan) = announced(play.encounter()) {
            as_announced(play.encounter(), plan, self)?;
        } else if self.movement == Some(Use::Now) || self.act == Some(Use::Now) {
            let persona = play.combatant("combatant", id)?;
            let free = !must_announce(play.encounter(), persona);
            require(free, "not_announced", "EX-25b", || {
                format!("Others could jump ahead of {id}. Send \"announce\" first.")
            })?;
        }
        play.emit(Declared {
            combatant: id.clone(),
            movement: self.movement,
            act: self.act,
            order: self.order,
            forced,
        });
        rest(play, id);
        advance(play);
        Ok(())
    }
}

/// Refuses something else than the announced act, and that act while others may jump ahead of it.
fn as_announced(encounter: &Encounter, plan: &Announced, c: &Declare) -> Result<(), Violation> {
    let same = plan.combatant == c.combatant
        && plan.movement == c.movement
        && plan.act == c.act
        && plan.order == c.order;
    require(same, "not_as_announced", "EX-27b", || {
        let id = &plan.combatant;
        format!("The declaration differs from what {id} announced. Send the announced fields.")
    })?;
    no_open_jumps(encounter)
}

/// Refuses an answer of a persona that is not asked, and one that does not fit what it has left.
/// Returns whether it is forced.
fn answerable(play: &Play<'_>, c: &Declare) -> Result<bool, Violation> {
    let id = &c.combatant;
    let encounter = play.encounter();
    let persona = play.combatant("combatant", id)?;
    let state = &persona.state;
    in_unit(encounter, "EX-2")?;
    no_duel(encounter)?;
    let asked = &encounter.state.asked;
    let is_asked = asked.contains(id);
    if !is_asked && state.lost_all() {
        listed(persona)?;
    }
    require(is_asked || state.open(), "nothing_left", "EX-18", || {
        let asked = joined(asked);
        format!("{id} has nothing left in this unit. The list is at {asked}.")
    })?;
    require(is_asked, "not_asked", "EX-13", || {
        format!(
            "The list is at {}, not at {id}. Wait for the answer.",
            joined(asked)
        )
    })?;
    if !encounter.state.jumps.is_empty() {
        no_open_jumps(encounter)?;
    }
    let forced = lowest(encounter, state.rank, |_| true);
    fits(persona, Component::Move, c.movement, forced)?;
    fits(persona, Component::Act, c.act, forced)?;
    let both = c.movement == Some(Use::Now) && c.act == Some(Use::Now);
    let orderly = both || c.order.is_none();
    require(
        orderly,
        "nothing_to_order",
        "EX-20",
        || "\"order\" needs a move and an act, both now. Remove it.",
    )?;
    Ok(forced)
}

/// Refuses an answer about one component that is missing, of no use, or a wait of the lowest.
fn fits(
    persona: &Combatant,
    component: Component,
    what: Option<Use>,
    forced: bool,
) -> Result<(), Violation> {
    let id = &persona.id;
    let spending = persona.state.of(component);
    let (rule, choices) = if forced {
        ("EX-15", "now or nothing")
    } else {
        ("EX-14", "now, wait or nothing")
    };
    let Some(what) = what else {
        return require(!spending.open(), "component_missing", rule, || {
            format!("\"{component}\" is missing. Values: {choices}.")
        });
    };
    left(id, component, spending, &format!("Remove \"{component}\"."))?;
    let may_wait = !forced || what != Use::Wait;
    require(may_wait, "must_not_wait", rule, || {
        let reason = if persona.state.rank.is_some() {
            "is the lowest left in the list"
        } else {
            "has no later place in the list"
        };
        format!("{id} {reason} and can't wait. Values: {choices}.")
    })
}

impl Announced {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Exp>) {
        let state = fold.state();
        state.announced = Some(self.clone());
        state.kept.clear();
    }
}

impl Declared {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Exp>) {
        fold.change_state(&self.combatant, |state| {
            if let Some(what) = self.movement {
                state.move_status = spending(what);
            }
            if let Some(what) = self.act {
                state.act_status = spending(what);
            }
        });
        answered(fold.state(), &self.combatant);
        forget_answers(fold.state());
    }
}

/// What a declared use makes of a component.
fn spending(what: Use) -> Spending {
    match what {
        Use::Wait => Spending::Waited,
        Use::Now | Use::Nothing => Spending::Done,
    }
}

/// The answers of a persona that is asked: what it announced, or any.
pub(super) fn options(encounter: &Encounter, c: &Combatant, legal: &mut Vec<LegalCommand>) {
    let forced = lowest(encounter, c.state.rank, |_| true);
    let rule = if forced { "EX-15" } else { "EX-14" };
    if let Some(announced) = announced(encounter)
        && announced.combatant == c.id
    {
        let declare = Declare {
            combatant: announced.combatant.clone(),
            movement: announced.movement,
            act: announced.act,
            order: announced.order,
        };
        return legal.push(LegalCommand {
            command: json!(Command::Declare(declare)),
            ..LegalCommand::by::<Declare>(&c.id, rule).only(&[])
        });
    }
    if must_announce(encounter, c) {
        answer::<Announce>(c, rule, &ALL_USES, legal);
        answer::<Declare>(c, rule, &[Use::Nothing, Use::Wait], legal);
    } else {
        answer::<Declare>(c, rule, &ALL_USES, legal);
        answer::<Announce>(c, rule, &ALL_USES, legal);
    }
}

/// The answers of a persona: each use of the component that it has left; if it has both, both now,
/// both later, or each on its own.
fn answer<C: Listed>(
    c: &Combatant,
    rule: &'static str,
    uses: &[Use],
    legal: &mut Vec<LegalCommand>,
) {
    let components = [("move", c.state.move_status), ("act", c.state.act_status)];
    let open = components.iter().filter(|(_, left)| left.open());
    let fields: Vec<&'static str> = open.map(|(field, _)| *field).collect();
    let all = |what: &Use| {
        let answer = LegalCommand::by::<C>(&c.id, rule).without(&["move", "act"]);
        let answer = fields
            .iter()
            .fold(answer, |answer, field| answer.with(field, json!(what)));
        let in_order = fields.len() > 1 && *what == Use::Now;
        if in_order {
            answer
        } else {
            answer.without(&["order"])
        }
    };
    let [first, second] = fields[..] else {
        return legal.extend(uses.iter().map(all));
    };
    let same = uses.iter().filter(|what| **what != Use::Nothing);
    legal.extend(same.map(all));
    let each = || uses.iter().map(|what| json!(what));
    let apart = LegalCommand::by::<C>(&c.id, rule).without(&["order"]);
    let apart = apart.choose(first, each()).required(first);
    legal.push(apart.choose(second, each()).required(second));
}
