//! What is legal now: the ruleset's offers, each tried out, and the shared commands.
//!
//! There is no second set of rules here: an offer is listed because deciding it was accepted.

use super::game::Live;
use super::trial::{Trials, share};
use super::{MAX_COMBATANTS, MAX_CONDITIONS, Role, Stop, Viewer};
use crate::vocabulary::{Combatant, Member, Offer, Readers, Ruleset, Slug, Status, Table, shared_list};
use serde_json::{Value, json};
use std::collections::HashSet;

/// Everything that is legal now and this viewer's to send, where states since the version `oldest` are kept. When `stop` says so, it
/// ends early with a part of it.
pub(super) fn offers<R: Ruleset>(live: &Live<R>, viewer: &Viewer, oldest: u64, stop: Stop<'_>) -> Vec<Offer> {
    let table = &live.table;
    let mut offers = Vec::new();
    if viewer.role == Role::Spectator {
        return offers;
    }
    let mut trials = Trials::new(live, viewer, stop);
    if table.status != Status::Ended {
        offers.extend(R::offers(table).into_iter().filter_map(|offer| trials.tried(offer)));
    }
    if viewer.is_gm() {
        offers.extend(shared(table));
        if table.status == Status::Running && table.active().next().is_some() {
            let take_over = Offer::of("override", "TK-5").whom("combatant", true, table.active().map(|c| &c.id));
            offers.extend(trials.tried(take_over));
        }
        offers.extend(history(live, oldest));
    }
    trials.settle(&mut offers);
    share(&mut offers);
    offers
}

/// The shared commands that are legal now.
fn shared<R: Ruleset>(table: &Table<R>) -> Vec<Offer> {
    let note = Offer::of("note", "TK-1").like("text", "text of at most 2000 characters", Some(json!("...")));
    let note = note.choose("readers", false, [Readers::Gm, Readers::All].map(|readers| json!(readers)));
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
    let amount = |verb| Offer::of(verb, "TK-1").range("amount", true, 0, 1_000_000).with("amount", 1);
    let damage = amount("damage").among("source", false, &shared_list(everybody()), None);
    for offer in [damage, amount("heal")] {
        offers.extend(aimed(table, &offer, |c| !c.hurt_by_member(), |_| true));
    }
    let borne: HashSet<&str> = table.iter().flat_map(|c| c.all_conditions()).flatten().map(Slug::as_str).collect();
    let mut examples = (1..).map(|n| if n == 1 { "marked".to_owned() } else { format!("marked-{n}") });
    let example = examples.find(|name| !borne.contains(name.as_str()));
    let set = Offer::of("set_condition", "TK-3");
    let set = set.like("condition", "a condition that it does not have", example.map(Value::from));
    let room = |conditions: &[Slug]| conditions.len() < MAX_CONDITIONS;
    offers.extend(aimed(table, &set, |c| room(&c.conditions), |m| room(&m.conditions)));
    for c in table.iter() {
        let members = c.members.iter().map(|m| (Some(&m.id), &m.conditions));
        for (member, conditions) in [(None, &c.conditions)].into_iter().chain(members) {
            if conditions.is_empty() {
                continue;
            }
            let clear = Offer::of("clear_condition", "TK-3").with("target", c.id.as_str());
            let clear = match member {
                Some(member) => clear.with("member", member.as_str()),
                None => clear,
            };
            offers.push(clear.choose("condition", true, conditions.iter().map(Slug::as_str)));
        }
    }
    let update = Offer::of("update_combatant", "TK-2").whom("combatant", true, everybody());
    offers.push(update.like("changes", "the fields that change, as at creation", Some(json!({}))));
    offers.push(Offer::of("remove_combatant", "TK-2").whom("combatant", true, everybody()));
    offers.retain(|o| !o.fields().is_some_and(|f| f.values().any(Value::is_null)));
    offers
}

/// The offers of a command that is meant for somebody, or for a member of a group: one for all who are single, and, as members are
/// only their own group's, one for each group. `alone` are those for whom it is legal without a member.
fn aimed<R: Ruleset>(
    table: &Table<R>, offer: &Offer, alone: impl Fn(&Combatant<R>) -> bool, member: impl Fn(&Member) -> bool,
) -> Vec<Offer> {
    let (singles, groups): (Vec<_>, Vec<_>) = table.iter().partition(|c| c.members.is_empty());
    let singles = singles.into_iter().filter(|c| alone(c)).map(|c| &c.id);
    let mut offers = vec![offer.clone().whom("target", true, singles)];
    for c in groups {
        let mut members = c.members.iter().filter(|m| member(m)).map(|m| m.id.as_str()).peekable();
        let offer = offer.clone().with("target", c.id.as_str());
        let bare = alone(c) && members.peek().is_none();
        offers.push(if bare { offer } else { offer.choose("member", !alone(c), members) });
    }
    offers
}

/// The ways back that there are, to the version `oldest` and no further.
fn history<R: Ruleset>(live: &Live<R>, oldest: u64) -> Vec<Offer> {
    let (undo, redo) = live.timeline.ways();
    let number = |version: u64| i64::try_from(version).unwrap_or(i64::MAX);
    let last = live.table.version.saturating_sub(1);
    let undo = undo.filter(|_| oldest <= last).map(|single| {
        // Where a single step leads to a version that is gone, one that is kept is named.
        Offer::of("undo", "TK-7").range("to_version", single < oldest, number(oldest), number(last))
    });
    let redo = redo.filter(|version| *version >= oldest).map(|_| Offer::of("redo", "TK-7"));
    undo.into_iter().chain(redo).collect()
}
