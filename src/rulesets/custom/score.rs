//! Scores: dice and numbers, or cards, for combatants, groups or sides.

use super::definition::*;
use super::query::{definition, has_places, number, turns, value};
use super::*;
use crate::vocabulary::{CachedJson, Die, Int, Participants, field, require};
use std::collections::BTreeMap;

/// What the table rolled or dealt, by combatant, group or side.
#[derive(Default)]
pub(super) struct Given<'g> {
    pub rolls: Option<&'g BTreeMap<CombatantId, Int<1, 900>>>,
    pub cards: Option<&'g BTreeMap<CombatantId, Card>>,
}

/// Combatants that share a score.
struct Unit {
    /// The id of the combatant, or the word of the group or side.
    name: CombatantId,
    /// Whether it is a group or side: a group's word may be a combatant's id.
    shared: bool,
    members: Vec<CombatantId>,
}

/// The units of the active combatants that have no place, those that players see first.
fn units(table: &Table, who: impl Fn(&Fighter) -> bool) -> Vec<Unit> {
    let per = definition(table).score.as_ref().map_or(Per::Combatant, |score| score.per);
    let mut units: Vec<Unit> = Vec::new();
    for hidden in [false, true] {
        for c in table.active().filter(|c| c.hidden == hidden && who(c)) {
            let word = match (per, &c.stats.group) {
                (Per::Side, _) => Some(&c.side),
                (Per::Group, Some(group)) => Some(group),
                _ => None,
            };
            // Every word is an id.
            let name = word.and_then(|word| CombatantId::new(word.as_str())).unwrap_or(c.id.clone());
            let shared = word.is_some();
            match units.iter_mut().find(|unit| shared && unit.shared && unit.name == name) {
                Some(unit) => unit.members.push(c.id.clone()),
                None => units.push(Unit { name, shared, members: vec![c.id.clone()] }),
            }
        }
    }
    units
}

/// Refuses what the table cannot have rolled or dealt.
fn check_given(play: &Fight<'_>, units: &[Unit], given: &Given<'_>) -> Result<(), Violation> {
    let table = play.table();
    let unknown = |field: &str, name: &CombatantId| {
        let detail = format!("{name} has none here: name a combatant, group or side as score.per says");
        Violation::field("not_rolled", format!("{field}.{}", name.as_str()), detail)
    };
    for (name, sum) in given.rolls.into_iter().flatten() {
        let unit = units.iter().find(|unit| unit.name == *name).ok_or_else(|| unknown("rolls", name))?;
        let dice = dice_of(table, unit).ok_or_else(|| unknown("rolls", name))?;
        let impossible = |detail| Violation::field("impossible_roll", format!("rolls.{}", name.as_str()), detail);
        dice.check(sum.get()).map_err(impossible)?;
    }
    let dealt = definition(table).score.as_ref().is_some_and(|score| score.cards);
    let mut seen: Vec<Card> = table.state.cards.clone();
    for (name, card) in given.cards.into_iter().flatten() {
        if !dealt || !units.iter().any(|unit| unit.name == *name) {
            return Err(unknown("cards", name));
        }
        let (out, path) = (seen.contains(card), field(format!("cards.{}", name.as_str())));
        require(!out, "card_is_out", path, || format!("{card} is out already: name another card"))?;
        seen.push(*card);
    }
    Ok(())
}

/// Refuses a combatant's own roll that the dice of its side do not come to.
pub(super) fn check_own_roll(definition: &Definition, c: &Fighter) -> Result<(), FieldError> {
    let Some(roll) = c.stats.roll else { return Ok(()) };
    let none = || "no dice are rolled for it: leave it out (definition.score.dice)".to_owned();
    let checked = side_dice(definition, c).ok_or_else(none).and_then(|dice| dice.check(roll.get()));
    checked.map_err(|wrong| FieldError::meaningless("roll", wrong))
}

/// The dice of a combatant's side.
fn side_dice(definition: &Definition, c: &Fighter) -> Option<Dice> {
    let score = definition.score.as_ref()?;
    score.foes.as_ref().filter(|_| is_foe(c)).map_or(score.dice, |foes| foes.dice)
}

fn is_foe(c: &Fighter) -> bool {
    c.side != "players"
}

/// The dice of a unit: none where it is dealt a card, or its score is pinned or made of numbers alone.
fn dice_of(table: &Table, unit: &Unit) -> Option<Dice> {
    let first = unit.members.first().filter(|id| !query::is_pinned(table, id)).and_then(|id| table.get(id))?;
    side_dice(definition(table), first)
}

/// The members that count: hidden ones only where there are no others, so that their numbers do not show.
fn counted<'t>(table: &'t Table, members: &[CombatantId]) -> Vec<&'t Fighter> {
    let mut counted: Vec<_> = members.iter().filter_map(|id| table.get(id)).collect();
    if counted.iter().any(|c| !c.hidden) {
        counted.retain(|c| !c.hidden);
    }
    counted
}

fn sum(play: &mut Fight<'_>, dice: Dice) -> (Vec<Die>, i64) {
    let dice: Vec<Die> = (0..dice.count).map(|_| play.roll(dice.sides)).collect();
    let sum = dice.iter().map(|die| i64::from(die.face)).sum();
    (dice, sum)
}

/// Rolls or deals for everybody, and sorts places or sides.
pub(super) fn roll_all(play: &mut Fight<'_>, given: &Given<'_>) -> Result<(), Violation> {
    let table = play.table();
    let waits =
        |c: &Fighter| c.state.waiting && definition(table).wait.as_ref().is_some_and(|w| w.lasts == Lasts::Used);
    let units = units(table, |c| !waits(c));
    check_given(play, &units, given)?;
    if definition(table).score.is_none() {
        return Ok(());
    }
    let places = has_places(definition(table));
    let scores = scores(play, &units, given);
    let mut scored = Scored { places: Vec::new(), sides: Vec::new() };
    if places {
        let mut out: Vec<Card> = scores.iter().filter_map(|score| score.card).collect();
        for (unit, score) in units.iter().zip(scores) {
            for id in &unit.members {
                scored.places.extend(places_of(play, id, &score, &mut out));
            }
        }
        sort(play.table(), &mut scored.places);
    } else {
        scored.sides = sides(play.table(), &units, &scores);
    }
    play.own(scored);
    Ok(())
}

/// The sides with their scores, first to last.
fn sides(table: &Table, units: &[Unit], scores: &[CachedJson<Score>]) -> Vec<ScoredSide> {
    let yielding = definition(table).surprise == Surprise::Yields && table.round <= 1;
    let side = |(unit, score): (&Unit, &CachedJson<Score>)| {
        Some(ScoredSide {
            side: unit.members.first().and_then(|id| table.get(id))?.side.clone(),
            combatants: Participants(unit.members.clone()),
            yields: yielding && counted(table, &unit.members).iter().all(|c| c.state.surprised),
            score: score.clone(),
        })
    };
    let mut sides: Vec<_> = units.iter().zip(scores).filter_map(side).collect();
    sides.sort_by_cached_key(|side| (side.yields, side.score.key.clone()));
    sides
}

/// The score of each unit, with ties rolled off.
fn scores(play: &mut Fight<'_>, units: &[Unit], given: &Given<'_>) -> Vec<CachedJson<Score>> {
    let mut out = Vec::new();
    let mut scores: Vec<Score> = units.iter().map(|unit| score(play, unit, given, &mut out)).collect();
    let rule = definition(play.table()).score.clone();
    let roll = rule.as_ref().and_then(|rule| rule.ties.iter().position(|tie| tie == "roll"));
    if let (Some(rule), Some(at)) = (rule, roll) {
        // After the score itself and whether it is pinned.
        let at = at + 2;
        // A tie with hidden combatants would show that they are there.
        let hidden = |id: &CombatantId| play.table().get(id).is_some_and(|c| c.hidden);
        let shown: Vec<usize> =
            (0..).zip(units).filter(|(_, unit)| !unit.members.iter().all(hidden)).map(|(i, _)| i).collect();
        for _ in 0..3 {
            let keys: Vec<_> = scores.iter().map(|score| score.key.clone()).collect();
            let tied = |i: usize| shown.iter().any(|k| *k != i && keys.get(*k) == keys.get(i));
            let again: Vec<usize> = shown.iter().copied().filter(|i| tied(*i)).collect();
            if again.is_empty() {
                break;
            }
            // The first roll-off decides before the second: whoever is out of the tie keeps its rank.
            scores.iter_mut().filter_map(|score| score.key.get_mut(at)).for_each(|key| *key *= 1000);
            for i in again {
                let dice = units.get(i).and_then(|unit| dice_of(play.table(), unit));
                let Some(dice) = dice else { continue };
                let (dice, sum) = sum(play, dice);
                if let Some(score) = scores.get_mut(i) {
                    let sign = if rule.low_first { 1 } else { -1 };
                    score.key.get_mut(at).into_iter().for_each(|key| *key += sign * sum);
                    score.dice.extend(dice);
                }
            }
        }
    }
    scores.into_iter().map(CachedJson::from).collect()
}

/// The score of one unit; `out` are the cards that were dealt before it.
fn score(play: &mut Fight<'_>, unit: &Unit, given: &Given<'_>, out: &mut Vec<Card>) -> Score {
    let table = play.table();
    let definition = definition(table);
    let Some(rule) = definition.score.clone() else { return Score::default() };
    if rule.cards {
        let reserved: Vec<Card> = given.cards.into_iter().flat_map(BTreeMap::values).copied().collect();
        let given = given.cards.and_then(|cards| cards.get(&unit.name)).copied();
        return deal(play, given, &reserved, out);
    }
    let members = counted(table, &unit.members);
    let best =
        |values: &mut dyn Iterator<Item = i64>| if rule.low_first { values.min() } else { values.max() }.unwrap_or(0);
    let sign = if rule.low_first { 1 } else { -1 };
    let foe = unit.members.first().and_then(|id| table.get(id)).is_some_and(is_foe);
    let ties = rule.ties.iter().map(|tie| match tie.as_str() {
        "players" => i64::from(foe),
        "foes" => i64::from(!foe),
        "roll" => 0,
        _ => sign * best(&mut members.iter().map(|c| number(definition, c, tie))),
    });
    let ties = ties.collect::<Vec<_>>();
    let pinned = rule.pinned.as_ref().zip(members.first()).map(|(name, c)| number(definition, c, name));
    if let Some(total) = pinned.filter(|total| *total != 0) {
        let key = [sign * total, 1].into_iter().chain(ties).collect();
        return Score { key, total, pinned: true, ..Score::default() };
    }
    let add = rule.foes.as_ref().filter(|_| foe).map_or(&rule.add, |foes| &foes.add);
    let bonus: i64 = add.iter().map(|term| best(&mut members.iter().map(|c| value(definition, Some(c), term)))).sum();
    let surprised = rule.per != Per::Side
        && definition.surprise == Surprise::Disadvantage
        && members.iter().any(|c| c.state.surprised);
    let edge = rule.edge.as_ref().zip(members.first()).map_or(0, |(name, c)| number(definition, c, name).clamp(-3, 3));
    let edge = edge - i64::from(surprised);
    let dice = dice_of(table, unit);
    let possible = |sum: &i64| dice.is_some_and(|dice| dice.check(*sum).is_ok());
    let own = || members.iter().filter_map(|c| c.stats.roll).map(Int::get).find(possible);
    let given = given.rolls.and_then(|rolls| rolls.get(&unit.name)).map(|sum| sum.get()).or_else(own);
    let (dice, sum) = match (dice, given) {
        (None, _) => (Vec::new(), 0),
        // A sum of several dice is no die.
        (Some(dice), Some(sum)) if dice.count > 1 => (Vec::new(), sum),
        (Some(Dice { sides, .. }), Some(sum)) => {
            (vec![Die { sides, face: u16::try_from(sum).unwrap_or(1), given: true }], sum)
        }
        (Some(dice), None) => keep(play, dice, edge, rule.low_first),
    };
    let total = sum + bonus;
    Score { key: [sign * total, 0].into_iter().chain(ties).collect(), total, bonus, dice, ..Score::default() }
}

/// Rolls once, and once more for each point of `edge`; the best roll counts, below 0 the worst.
fn keep(play: &mut Fight<'_>, dice: Dice, edge: i64, low_first: bool) -> (Vec<Die>, i64) {
    let rolls: Vec<_> = (0..=edge.abs()).map(|_| sum(play, dice)).collect();
    let sums = rolls.iter().map(|(_, sum)| *sum);
    let kept = if (edge >= 0) == low_first { sums.min() } else { sums.max() };
    (rolls.into_iter().flat_map(|(dice, _)| dice).collect(), kept.unwrap_or(0))
}

/// Deals a card: the one that is given, or one of those that are left. With none left it stands last.
fn deal(play: &mut Fight<'_>, given: Option<Card>, reserved: &[Card], out: &mut Vec<Card>) -> Score {
    let table = play.table();
    let free = |card: &Card| !table.state.cards.contains(card) && !out.contains(card) && !reserved.contains(card);
    let rest: Vec<Card> = Card::deck().filter(free).collect();
    let drawn = given.or_else(|| {
        let sides = u16::try_from(rest.len()).ok().filter(|sides| *sides > 0)?;
        let face = usize::from(play.roll(sides).face);
        rest.get(face.saturating_sub(1)).copied()
    });
    out.extend(drawn);
    Score {
        key: drawn.map_or(vec![0, 0], Card::key),
        total: drawn.map_or(0, Card::value),
        card: drawn,
        ..Score::default()
    }
}

/// The places of a combatant with this score: one for each of its turns. `out` are the cards that were dealt before.
fn places_of(
    play: &mut Fight<'_>, id: &CombatantId, score: &CachedJson<Score>, out: &mut Vec<Card>,
) -> Vec<ScoredPlace> {
    let table = play.table();
    let definition = definition(table);
    let Some((c, rule)) = table.get(id).zip(definition.score.as_ref()) else { return Vec::new() };
    let turns = if definition.clock.is_some() { 1 } else { turns(definition, c).max(1) };
    let (cards, again) = (rule.cards, rule.again.get());
    let sign = if rule.low_first { 1 } else { -1 };
    let tick = i64::from(table.state.tick);
    let clock = definition.clock.is_some();
    let mut further = |play: &mut Fight<'_>, turn: u32| {
        if turn == 0 && !clock {
            return score.clone();
        }
        if cards {
            return deal(play, None, &[], out).into();
        }
        let mut later = Score::clone(score);
        let worse = if clock { later.total.max(0) + tick - later.total } else { sign * again * i64::from(turn) };
        later.total += worse;
        later.key.first_mut().into_iter().for_each(|key| *key += sign * worse);
        later.into()
    };
    (0..turns).map(|turn| ScoredPlace { combatant: id.clone(), turn, score: further(play, turn) }).collect()
}

/// Sorts places: by score, then in the order of joining.
fn sort(table: &Table, places: &mut [ScoredPlace]) {
    let joined = |place: &ScoredPlace| table.get(&place.combatant).map(|c| c.joined);
    places.sort_by_cached_key(|place| (place.score.key.clone(), joined(place), place.turn));
}

/// The places of a combatant that comes into a fight whose scores are known: its group's, or new ones.
pub(super) fn newcomer(play: &mut Fight<'_>, id: &CombatantId) -> Vec<ScoredPlace> {
    let table = play.table();
    let definition = definition(table);
    let Some((c, rule)) = table.get(id).zip(definition.score.as_ref()) else { return Vec::new() };
    let group = c.stats.group.as_ref().filter(|_| rule.per == Per::Group && definition.clock.is_none());
    let mate = group.and_then(|group| {
        let mates = |other: &Fighter| other.stats.group.as_ref() == Some(group) && (c.hidden || !other.hidden);
        let mate = |place: &&CachedJson<Place>| table.get(&place.combatant).is_some_and(mates);
        table.state.places.iter().filter(|place| place.turn == 0).find(mate).map(|place| place.score.clone())
    });
    let unit = Unit { name: c.id.clone(), shared: false, members: vec![c.id.clone()] };
    let mut out = Vec::new();
    let score = mate.unwrap_or_else(|| score(play, &unit, &Given::default(), &mut out).into());
    places_of(play, id, &score, &mut out)
}
