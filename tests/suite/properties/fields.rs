//! What a command can hold is listed: every field of every command's schema stands in an option of
//! some play, but for the exceptions that are listed here with their reasons.

use super::judge::Judge;
use super::player::Subject;
use crate::support::legal_commands::UNLISTED;
use crate::support::openapi::type_schema;
use crate::support::schema::Shapes;
use crate::support::table::RULESETS;
use serde_json::Value;
use std::collections::BTreeSet;
use turnkeeper::vocabulary::{LegalCommand, SharedCommand};

/// The minimum and the maximum number of plays of a ruleset.
const PLAYS: std::ops::Range<u64> = 10..400;
/// The numbers of the plays stay below this: larger ones take long, and meet no more.
const LARGEST: u64 = 50;

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
        .fields()
        .into_iter()
        .flat_map(|fields| fields.keys().map(String::as_str));
    let open = option.choices.iter().map(|choice| choice.field);
    fixed
        .chain(open)
        .map(|field| (verb.to_owned(), field.to_owned()))
}

/// The fields that are listed in the course of random plays, of which there are as many as it takes
/// to meet all that are `wanted`.
fn met(subject: &Subject, wanted: &BTreeSet<Field>) -> BTreeSet<Field> {
    let mut met = BTreeSet::new();
    for number in 0..PLAYS.end {
        if number >= PLAYS.start && wanted.is_subset(&met) {
            break;
        }
        let played = subject.play(number % LARGEST, number);
        let mut judge = Judge::new(&played.creation)
            .expect("a sound play")
            .expect("a fight");
        met.extend(judge.legal_commands.iter().flat_map(listed));
        for action in played.actions.iter().filter(|action| action.advance) {
            let sound = judge.act(action);
            if sound.unwrap_or_else(|breach| panic!("{} {number}: {breach:?}", subject.id)) {
                met.extend(judge.legal_commands.iter().flat_map(listed));
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
        let subject = Subject::of(ruleset);
        let exceptions = UNLISTED.iter().filter(|(whose, ..)| *whose == subject.id);
        let exceptions: BTreeSet<Field> = exceptions
            .map(|(_, verb, field, _)| ((*verb).to_owned(), (*field).to_owned()))
            .collect();
        let known = known(&Shapes::of_ruleset(subject.id, |schemas| &schemas.command));
        let wanted: BTreeSet<Field> = known.difference(&exceptions).cloned().collect();
        let met = met(&subject, &wanted);
        shared.retain(|field| !met.contains(field));
        wrong.extend(
            wanted
                .difference(&met)
                .map(|field| format!("{} is in no option", name(subject.id, field))),
        );
        let spare = exceptions
            .iter()
            .filter(|field| met.contains(*field) || !known.contains(*field));
        wrong.extend(
            spare.map(|field| format!("{} is listed, or is no field", name(subject.id, field))),
        );
    }
    wrong.extend(
        shared
            .iter()
            .map(|field| format!("{} is in no option", name("every ruleset", field))),
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
