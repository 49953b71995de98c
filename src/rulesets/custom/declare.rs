//! Declarations at the start of a round (CU-18, CU-19).

use super::definition::Definition;
use super::point::{Point, Then};
use super::query::{definition, fits, has_every_choice};
use super::refusal::ensure;
use super::{Combatant, Custom, Encounter, Mode, Play};
use crate::vocabulary::{CombatantId, Fold, LegalCommand, Slug, Violation, command, event, fact};

/// Declares a choice for the round.
#[command(player, "{combatant}: declare[ {choice}]")]
pub struct Declare {
    /// The combatant.
    pub combatant: CombatantId,
    /// One of the definition's choices.
    pub choice: Slug,
}

impl Declare {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<Then, Violation> {
        let id = &self.combatant;
        let fighter = play.combatant("combatant", id)?;
        let encounter = play.encounter();
        let Some(rule) = &definition(encounter).declare else {
            return Err(Violation::new(
                "nothing_to_declare",
                "CU-18",
                "Combatants declare nothing in this order. See definition.declare.",
            ));
        };
        let is_time = encounter.state.mode == Mode::Declaring;
        ensure(
            is_time,
            "not_declaring",
            "CU-18",
            "declare",
            || "Combatants declare only at the start of a round.",
        )?;
        let has_declared = fighter.state.has_declared;
        ensure(!has_declared, "has_declared", "CU-18", "declare", || {
            format!("{id} has already declared for this round.")
        })?;
        let must = must_declare(encounter, fighter);
        ensure(must, "declares_nothing", "CU-19", "declare.who", || {
            format!("{id} declares nothing in this order.")
        })?;
        if !rule.choices.contains(&self.choice) {
            let choices: Vec<_> = rule.choices.iter().map(Slug::as_str).collect();
            let choices = choices.join(", ");
            let detail = format!("Unknown choice \"{}\". Choices: {choices}.", self.choice);
            return Err(Violation::field("unknown_choice", "choice", detail));
        }
        play.emit(Declared {
            combatant: id.clone(),
            choice: Some(self.choice.clone()),
        });
        if undeclared(play.encounter()).next().is_none() {
            show(play);
            return Ok(Then::GoOn(Point::Roll));
        }
        Ok(Then::Wait)
    }
}

/// Combatants declare before anything else happens in the round.
#[event("All combatants declare what they will do.")]
pub struct DeclarationsOpened {}

impl DeclarationsOpened {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        fold.state().mode = Mode::Declaring;
    }
}

/// A combatant declared. Only the game master sees the choice until all have declared.
#[event("{combatant} {combatant:declares|declare}[ {choice}].")]
pub struct Declared {
    /// The combatant.
    pub combatant: CombatantId,
    /// The choice.
    pub choice: Option<Slug>,
}

impl Declared {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        let choice = self.choice.clone();
        fold.change_state(&self.combatant, |s| s.declare(choice));
    }
}

/// All have declared.
#[event("[Declared: {declarations}.][{!declarations}No combatant declares anything.]")]
pub struct DeclarationsShown {
    /// The declarations.
    pub declarations: Vec<Declaration>,
}

impl DeclarationsShown {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        for shown in &self.declarations {
            let choice = Some(shown.choice.clone());
            fold.change_state(&shown.combatant, |s| s.declare(choice));
        }
    }
}

/// A declaration.
#[fact(row, "{combatant} {choice}")]
pub struct Declaration {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its choice.
    pub choice: Slug,
}

pub(super) fn declare_options(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let Some(declare) = &definition(encounter).declare else {
        return;
    };
    for c in undeclared(encounter) {
        let choices = declare.choices.iter().map(Slug::as_str);
        let option = LegalCommand::by::<Declare>(&c.id, "CU-18");
        legal.push(option.choose("choice", choices).alike());
    }
}

/// Asks for the declarations of the round, if it has any.
pub(super) fn ask_for_declarations(play: &mut Play<'_>) -> Option<Point> {
    if undeclared(play.encounter()).next().is_some() {
        play.emit(DeclarationsOpened {});
        return None;
    }
    Some(Point::Roll)
}

/// Shows what was declared, with defaults for the rest.
pub(super) fn show(play: &mut Play<'_>) {
    let encounter = play.encounter();
    let mut declarations = Vec::new();
    for c in encounter.active() {
        if let Some(choice) = declaration(definition(encounter), c) {
            declarations.push(Declaration {
                combatant: c.id.clone(),
                choice,
            });
        }
    }
    play.emit(DeclarationsShown { declarations });
}

/// Whether a combatant must declare before the round goes on.
fn must_declare(encounter: &Encounter, c: &Combatant) -> bool {
    let definition = definition(encounter);
    let Some(declare) = &definition.declare else {
        return false;
    };
    c.active()
        && !declare.passing
        && !c.state.has_declared
        && fits(definition, &declare.who, c)
        && !has_every_choice(definition, c)
}

/// The combatants that must declare before the round goes on.
pub(super) fn undeclared(encounter: &Encounter) -> impl Iterator<Item = &Combatant> {
    encounter.iter().filter(|c| must_declare(encounter, c))
}

/// What an active combatant's declaration is when all are shown.
pub(super) fn declaration(definition: &Definition, c: &Combatant) -> Option<Slug> {
    let declare = definition.declare.as_ref()?;
    if declare.passing || has_every_choice(definition, c) {
        return None;
    }
    let declared = c.state.declared.as_ref();
    declared.or(declare.choices.first()).cloned()
}
