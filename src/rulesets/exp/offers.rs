//! What may be legal under EXP.

use super::decide::may_attack;
use super::*;
use crate::vocabulary::{Status, shared_list};

const ROLLS: &str = "an object from personas or crowds to the d20 that each rolled";
const TIE_ROLLS: &str = "an object from personas or crowds to a list of d10s, used where they tie";

pub(super) fn offers(table: &Table) -> Vec<Offer> {
    let state = &table.state;
    match state.phase {
        _ if table.status == Status::Ended => Vec::new(),
        Phase::Setup => vec![rolling(Offer::of("start", "EX-2"))],
        Phase::SomeoneActs => mental_attacks(table).collect(),
        Phase::Roll => vec![rolling(Offer::of("roll_unit", "EX-3"))],
        Phase::Pass if !state.duel.is_empty() => {
            let decline = state.duel.iter().map(|id| Offer::by("decline_duel", id, "AEX14"));
            mental_attacks(table).chain(decline).collect()
        }
        Phase::Pass => {
            let mut offers = Vec::new();
            for c in state.asked.iter().filter_map(|id| table.get(id)) {
                answers(table, c, &mut offers);
            }
            offers.extend(table.iter().filter(|c| !state.asked.contains(&c.id)).filter_map(|c| jump(table, c)));
            offers.extend(mental_attacks(table));
            let minds: Vec<_> = table.iter().filter(|c| may_attack(c)).collect();
            let opponents = shared_list(minds.iter().map(|c| &c.id));
            for c in &minds {
                let duel = Offer::of("mental_duel", "EX-32").with("combatant", c.id.as_str());
                offers.push(rolling(duel.among("opponent", true, &opponents, Some(&c.id))));
            }
            offers
        }
    }
}

fn rolling(offer: Offer) -> Offer {
    offer.like("rolls", ROLLS, None).like("tie_rolls", TIE_ROLLS, None)
}

/// The answers of one who is asked: what was announced, or else any.
fn answers(table: &Table, c: &Persona, offers: &mut Vec<Offer>) {
    let standing = &c.standing;
    let forced = lowest(table, standing.rank);
    let rule = if forced { "EX-15" } else { "EX-14" };
    if let Some(announced) = announced(table).filter(|announced| announced.combatant == c.id) {
        let mut offer = Offer::by("declare", &c.id, rule);
        let uses = [("move", announced.movement), ("act", announced.act)];
        for (field, what) in uses.into_iter().filter_map(|(field, what)| Some((field, what?))) {
            offer.set(field, word(what).into());
        }
        if let Some(order) = announced.order {
            offer.set("order", sequence(order).into());
        }
        offers.push(offer);
        return;
    }
    let uses = if forced { &[Use::Now, Use::Nothing][..] } else { &[Use::Now, Use::Wait, Use::Nothing] };
    for verb in ["declare", "announce"] {
        let text = |offer: Offer| {
            if verb == "announce" { offer.like("text", "in words, at most 200 characters", None) } else { offer }
        };
        let mut offer = Offer::by(verb, &c.id, rule);
        for (field, _) in [("move", standing.movement), ("act", standing.act)].iter().filter(|(_, left)| left.open()) {
            offer = offer.choose(field, true, uses.iter().map(|what| word(*what)));
        }
        offers.push(text(offer));
        if standing.movement.open() && standing.act.open() {
            let both = Offer::by(verb, &c.id, "EX-20").with("move", word(Use::Now)).with("act", word(Use::Now));
            let sequences = [Sequence::MoveFirst, Sequence::ActFirst].map(sequence);
            offers.push(text(both.choose("order", true, sequences)));
        }
    }
}

fn word(what: Use) -> &'static str {
    match what {
        Use::Now => "now",
        Use::Wait => "wait",
        Use::Nothing => "nothing",
    }
}

fn sequence(order: Sequence) -> &'static str {
    match order {
        Sequence::MoveFirst => "move_first",
        Sequence::ActFirst => "act_first",
    }
}

/// The wait jumps of one who has waited with something.
fn jump(table: &Table, c: &Persona) -> Option<Offer> {
    let standing = &c.standing;
    let waited = [("move", standing.movement), ("act", standing.act)].into_iter();
    let mut waited = waited.filter(|(_, left)| *left == Spending::Waited).map(|(name, _)| name).peekable();
    waited.peek()?;
    let offer = Offer::by("jump", &c.id, "EX-25").choose("component", true, waited).range("roll", false, 1, 20);
    let opposed = table.options.awe_mode == AweMode::OpposedD20;
    Some(if opposed { offer.range("referee_roll", false, 1, 20) } else { offer })
}

fn mental_attacks(table: &Table) -> impl Iterator<Item = Offer> {
    let targets = shared_list(table.iter().map(|c| &c.id));
    let attack =
        move |c: &Persona| Offer::by("mental_attack", &c.id, "EX-31").among("target", false, &targets, Some(&c.id));
    table.iter().filter(|c| may_attack(c)).map(attack)
}
