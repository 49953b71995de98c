//! What is legal now: the ruleset's offers, each tried out, and the shared commands.
//!
//! There is no second set of rules here: an offer is listed because deciding it was accepted.

use super::game::Live;
use super::{Game, MAX_COMBATANTS, MAX_CONDITIONS, Request, Role, Viewer};
use crate::vocabulary::{Dice, Offer, Ruleset, Status, Table, Values};
use serde_json::{Value, json};

/// Dice for trying out: what is legal never depends on them.
pub(super) struct Trial;

impl Dice for Trial {
    fn roll(&mut self, sides: u16) -> u16 {
        sides.div_ceil(2)
    }
}

/// Everything that is legal now and this viewer's to send.
pub(super) fn offers<R: Ruleset>(live: &Live<R>, viewer: &Viewer) -> Vec<Offer> {
    let table = &live.table;
    let mut offers = Vec::new();
    if viewer.role == Role::Spectator {
        return offers;
    }
    if table.status != Status::Ended {
        offers.extend(R::offers(table).into_iter().filter_map(|offer| tried(live, viewer, offer)));
    }
    if !viewer.is_gm() {
        return offers;
    }
    offers.extend(shared(table));
    if table.status == Status::Running && table.active().next().is_some() {
        let take_over = Offer::of("override", "TK-5").whom("combatant", true, table.active().map(|c| &c.id));
        offers.extend(tried(live, viewer, take_over));
    }
    offers.extend(history(live));
    offers
}

/// The offer with the values that are accepted; None when nothing of it is.
fn tried<R: Ruleset>(live: &Live<R>, viewer: &Viewer, mut offer: Offer) -> Option<Offer> {
    let mut choices = std::mem::take(&mut offer.choices);
    let mut accepted = accepts(live, viewer, &offer.command);
    for choice in &mut choices {
        let filled = |value: &Value| {
            let mut filled = offer.clone();
            filled.set(choice.field, value.clone());
            filled.command
        };
        let values = match &mut choice.values {
            Values::OneOf(values) => values,
            Values::Range { min, .. } if !sendable(live, viewer, &filled(&json!(min))) => {
                choice.values = Values::OneOf(Vec::new());
                continue;
            }
            _ => continue,
        };
        values.retain(|value| accepts(live, viewer, &filled(value)));
        if choice.required {
            offer.set(choice.field, values.first()?.clone());
            accepted = true;
        }
    }
    choices.retain(|choice| !matches!(&choice.values, Values::OneOf(values) if values.is_empty()));
    offer.choices = choices;
    accepted.then_some(offer)
}

fn accepts<R: Ruleset>(live: &Live<R>, viewer: &Viewer, command: &Value) -> bool {
    let sent = |request: &Request| live.authorize(viewer, request).is_ok() && live.play(request, &mut Trial).is_ok();
    Request::read(command.clone()).is_ok_and(|request| sent(&request))
}

/// Whether it is the viewer's to send, legal or not.
fn sendable<R: Ruleset>(live: &Live<R>, viewer: &Viewer, command: &Value) -> bool {
    viewer.is_gm() || Request::read(command.clone()).is_ok_and(|request| live.authorize(viewer, &request).is_ok())
}

/// The shared commands that are legal now.
fn shared<R: Ruleset>(table: &Table<R>) -> Vec<Offer> {
    let note = Offer::of("note", "TK-1").like("text", "text of at most 2000 characters", Some(json!("...")));
    if table.status == Status::Ended {
        return vec![note];
    }
    let everybody = || table.iter().map(|c| &c.id);
    let mut offers = vec![note, Offer::of("end_encounter", "TK-1")];
    if table.combatants.len() < MAX_COMBATANTS {
        let example = json!({"name": "Newcomer", "side": "monsters"});
        offers.push(Offer::of("add_combatant", "TK-2").like("combatant", "a combatant, as at creation", Some(example)));
    }
    let effect = json!({"name": "Effect", "expires": {"at": "round_end", "rounds": 1}});
    offers.push(Offer::of("add_effect", "TK-2").like(
        "effect",
        "an effect: name, expires, target, source",
        Some(effect),
    ));
    if !table.effects.is_empty() {
        let effects = table.effects.iter().map(|e| e.id.as_str());
        offers.push(Offer::of("remove_effect", "TK-2").choose("effect", true, effects));
    }
    if table.combatants.is_empty() {
        return offers;
    }
    for verb in ["damage", "heal"] {
        let offer = Offer::of(verb, "TK-1").whom("target", true, everybody());
        offers.push(offer.range("amount", true, 1, 1_000_000));
    }
    let mut examples = (1..).map(|n| if n == 1 { "marked".to_owned() } else { format!("marked-{n}") });
    let example = examples.find(|name| !table.iter().any(|c| c.has(name)));
    let unladen = table.iter().filter(|c| c.conditions.len() < MAX_CONDITIONS).map(|c| &c.id);
    let set = Offer::of("set_condition", "TK-3").whom("target", true, unladen);
    offers.push(set.like("condition", "a condition that it does not have", example.map(Value::from)));
    for c in table.iter().filter(|c| !c.conditions.is_empty()) {
        let conditions = c.conditions.iter().map(|c| c.as_str());
        let clear = Offer::of("clear_condition", "TK-3").with("target", c.id.as_str());
        offers.push(clear.choose("condition", true, conditions));
    }
    let update = Offer::of("update_combatant", "TK-2").whom("combatant", true, everybody());
    offers.push(update.like("changes", "the fields that change, as at creation", Some(json!({}))));
    offers.push(Offer::of("remove_combatant", "TK-2").whom("combatant", true, everybody()));
    offers.retain(|o| !o.fields().is_some_and(|f| f.values().any(Value::is_null)));
    offers
}

/// The ways back that there are.
fn history<R: Ruleset>(live: &Live<R>) -> Vec<Offer> {
    let (undo, redo) = live.timeline.open();
    let last = i64::try_from(live.table.version).unwrap_or(i64::MAX).saturating_sub(1);
    let undo = undo.then(|| Offer::of("undo", "TK-7").range("to_version", false, 0, last));
    undo.into_iter().chain(redo.then(|| Offer::of("redo", "TK-7"))).collect()
}
