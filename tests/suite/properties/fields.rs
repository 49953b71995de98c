//! What a command can hold is listed: every field of every command's schema stands in an option of
//! some transcript or random play, but for the exceptions that are listed with their reasons.

use super::player::Subject;
use crate::support::legal_commands::UNLISTED;
use crate::support::openapi::type_schema;
use crate::support::schema::Shapes;
use crate::support::table::{RULESETS, Table, seeded};
use crate::transcripts;
use serde_json::Value;
use std::collections::BTreeSet;
use turnkeeper::engine::AnyRuleset;
use turnkeeper::vocabulary::{LegalCommand, SharedCommand};

/// How many random plays of a ruleset are looked at beside its transcripts.
const PLAYS: u64 = 10;

/// A field of a command.
type Field = (String, String);

/// Every field of every command of a union.
fn known(shapes: &Shapes) -> BTreeSet<Field> {
    let variants = shapes.variants(shapes.root());
    let fields = |variant: &Value| -> Vec<Field> {
        let verb = variant["properties"]["type"]["enum"][0]
            .as_str()
            .expect("a type")
            .to_owned();
        let properties = variant["properties"].as_object().expect("fields");
        properties
            .keys()
            .filter(|field| *field != "type")
            .map(|field| (verb.clone(), field.clone()))
            .collect()
    };
    variants
        .iter()
        .flat_map(|variant| fields(variant))
        .collect()
}

/// The fields that an option lists: those of its command, and its choices.
fn listed(option: &LegalCommand) -> impl Iterator<Item = Field> {
    let verb = option.command["type"].as_str().expect("a type");
    let fixed = option
        .decided()
        .into_iter()
        .flat_map(|fields| fields.keys().map(String::as_str));
    let open = option.choices.iter().map(|choice| choice.field);
    fixed
        .chain(open)
        .map(|field| (verb.to_owned(), field.to_owned()))
}

/// The fields that are listed in the course of the transcripts and of random plays.
fn met(ruleset: &AnyRuleset) -> BTreeSet<Field> {
    let mut met = BTreeSet::new();
    let mut look = |table: &Table| met.extend(table.legal_commands().iter().flat_map(listed));
    transcripts::visit(ruleset.manifest, &mut look);
    let subject = Subject::of(ruleset);
    for number in 0..PLAYS {
        let played = subject.play(number, number);
        let mut table = Table::create(played.creation);
        for action in played.actions.into_iter().filter(|action| action.advance) {
            let answer = table.try_send(action.command, &mut seeded(action.dice));
            if answer.expect("a sound play").is_ok() {
                look(&table);
            }
        }
    }
    met
}

#[test]
fn every_field_of_every_command_is_listed_at_some_time() {
    let mut shared = known(&Shapes::of(&type_schema::<SharedCommand>()));
    let mut wrong = Vec::new();
    let name = |whose: &str, (verb, field): &Field| format!("{whose}: {verb}.{field}");
    for ruleset in RULESETS.iter() {
        let id = ruleset.manifest.id;
        let exceptions = UNLISTED.iter().filter(|(whose, ..)| *whose == id);
        let exceptions: BTreeSet<Field> = exceptions
            .map(|(_, verb, field, _)| ((*verb).to_owned(), (*field).to_owned()))
            .collect();
        let known = known(&Shapes::of_ruleset(id, |schemas| &schemas.command));
        let wanted: BTreeSet<Field> = known.difference(&exceptions).cloned().collect();
        let met = met(ruleset);
        shared.retain(|field| !met.contains(field));
        wrong.extend(
            wanted
                .difference(&met)
                .map(|field| format!("{} is in no option", name(id, field))),
        );
        let spare = exceptions
            .iter()
            .filter(|field| met.contains(*field) || !known.contains(*field));
        wrong.extend(spare.map(|field| format!("{} is listed, or is no field", name(id, field))));
    }
    wrong.extend(
        shared
            .iter()
            .map(|field| format!("{} is in no option", name("every ruleset", field))),
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
