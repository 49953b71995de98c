//! Scores: dice and numbers, or cards, for combatants, groups or sides.

use super::definition::*;
use super::query::{definition, has_places, is_foe, is_pinned, number, turns, value};
use super::*;
use crate::json::CachedJson;
use crate::vocabulary::{Die, Int, field, require};
use std::collections::{BTreeMap, BTreeSet};

/// What the table rolled and dealt where it leaves both to the server.
pub(super) const NOTHING: Roll = Roll {
    rolls: BTreeMap::new(),
    cards: BTreeMap::new(),
};

/// Combatants that share a score.
struct Unit<'t> {
    /// The word of their group or side; none for a combatant with a score of its own.
    word: Option<&'t Slug>,
    /// The first of them, whom players see if they see any.
    first: &'t Combatant,
    members: Vec<&'t Combatant>,
    /// What the table rolled for it.
    roll: Option<i64>,
    /// The card that the table dealt to it.
    card: Option<Card>,
}

impl<'t> Unit<'t> {
    fn new(word: Option<&'t Slug>, first: &'t Combatant) -> Self {
        Self {
            word,
            first,
            members: vec![first],
            roll: None,
            card: None,
        }
    }

    /// What a command calls it.
    fn name(&self) -> &str {
        self.word.map_or(self.first.id.as_str(), Slug::as_str)
    }

    /// The members that count: hidden ones only where there are no others, so that their numbers do
    /// not show.
    fn counted(&self) -> impl Iterator<Item = &'t Combatant> {
        self.members
            .iter()
            .copied()
            .filter(|c| c.hidden == self.first.hidden)
    }

    /// Its dice: none where it is dealt a card, or its score is pinned or made of numbers alone.
    fn dice(&self, definition: &Definition) -> Option<Dice> {
        side_dice(definition, self.first).filter(|_| !is_pinned(definition, self.first))
    }
}

/// The units of the active combatants, but for those that keep waiting without a new score. Those
/// that players see come first.
fn units(encounter: &Encounter) -> Vec<Unit<'_>> {
    let definition = definition(encounter);
    let per = definition
        .score
        .as_ref()
        .map_or(Per::Combatant, |score| score.per);
    let keeps = definition
        .wait
        .as_ref()
        .is_some_and(|wait| wait.lasts == Lasts::Used);
    let rolling = encounter.active().filter(|c| !(keeps && c.state.waiting));
    let (hidden, shown): (Vec<_>, Vec<_>) = rolling.partition(|c| c.hidden);
    let mut units: Vec<Unit<'_>> = Vec::new();
    for c in shown.into_iter().chain(hidden) {
        let word = match per {
            Per::Combatant => None,
            Per::Group => c.stats.group.as_ref(),
            Per::Side => Some(&c.side),
        };
        match units
            .iter_mut()
            .find(|unit| word.is_some() && unit.word == word)
        {
            Some(unit) => unit.members.push(c),
            None => units.push(Unit::new(word, c)),
        }
    }
    units
}

/// Gives the units what the table rolled and dealt, and returns the cards that are out. Refuses
/// what cannot be.
fn give(
    encounter: &Encounter,
    units: &mut [Unit<'_>],
    given: &Roll,
) -> Result<Vec<Card>, Violation> {
    let definition = definition(encounter);
    let unknown = |field: &str, name: &CombatantId| {
        let detail = format!(
            "{name} has none of its own in this order: name a combatant, group or side as score.per says"
        );
        Violation::field("not_rolled", format!("{field}.{}", name.as_str()), detail)
    };
    for (name, sum) in &given.rolls {
        let unit = units
            .iter_mut()
            .find(|unit| unit.name() == name.as_str())
            .ok_or_else(|| unknown("rolls", name))?;
        let dice = unit
            .dice(definition)
            .ok_or_else(|| unknown("rolls", name))?;
        let impossible = |detail| {
            Violation::field(
                "impossible_roll",
                format!("rolls.{}", name.as_str()),
                detail,
            )
        };
        dice.check(sum.get()).map_err(impossible)?;
        unit.roll = Some(sum.get());
    }
    let dealt = definition.score.as_ref().is_some_and(|score| score.cards);
    let mut out = encounter.state.cards.clone();
    for (name, card) in &given.cards {
        let unit = units
            .iter_mut()
            .find(|unit| dealt && unit.name() == name.as_str());
        let unit = unit.ok_or_else(|| unknown("cards", name))?;
        let path = field(format!("cards.{}", name.as_str()));
        require(!out.contains(card), "card_is_out", path, || {
            format!("{card} is out already: name another card")
        })?;
        unit.card = Some(*card);
        out.push(*card);
    }
    Ok(out)
}

/// Refuses a combatant's own roll that the dice of its side do not come to.
pub(super) fn check_own_roll(definition: &Definition, c: &Combatant) -> Result<(), FieldError> {
    let Some(roll) = c.stats.roll else {
        return Ok(());
    };
    let none = || "no dice are rolled for it: leave it out (definition.score.dice)".to_owned();
    let checked = side_dice(definition, c)
        .ok_or_else(none)
        .and_then(|dice| dice.check(roll.get()));
    checked.map_err(|wrong| FieldError::meaningless("roll", wrong))
}

/// The dice of a combatant's side.
pub(super) fn side_dice(definition: &Definition, c: &Combatant) -> Option<Dice> {
    let score = definition.score.as_ref()?;
    score
        .foes
        .as_ref()
        .filter(|_| is_foe(c))
        .map_or(score.dice, |foes| foes.dice)
}

fn sum(play: &mut Play<'_>, dice: Dice) -> (Vec<Die>, i64) {
    let dice: Vec<Die> = (0..dice.count).map(|_| play.roll(dice.sides)).collect();
    let sum = dice.iter().map(|die| i64::from(die.face)).sum();
    (dice, sum)
}

/// Rolls or deals for everybody, and sorts places or sides.
pub(super) fn roll_all(play: &mut Play<'_>, given: &Roll) -> Result<(), Violation> {
    // Nothing but dice happens until all scores are known.
    let encounter = &play.encounter().clone();
    let definition = definition(encounter);
    let mut units = units(encounter);
    let out = give(encounter, &mut units, given)?;
    let Some(rule) = &definition.score else {
        return Ok(());
    };
    let held = given.cards.values().copied().collect();
    let mut scorer = Scorer {
        encounter,
        definition,
        rule,
        out,
        held,
        reshuffled: false,
    };
    let mut scores: Vec<Score> = units.iter().map(|unit| scorer.score(play, unit)).collect();
    scorer.roll_off(play, &units, &mut scores);
    let scores = units.iter().zip(scores.into_iter().map(CachedJson::from));
    let mut scored = Scored {
        places: Vec::new(),
        sides: Vec::new(),
    };
    if has_places(definition) {
        for (unit, score) in scores {
            scored.places.extend(
                unit.members
                    .iter()
                    .flat_map(|c| scorer.places_of(play, c, &score)),
            );
        }
        let joined = |place: &ScoredPlace| encounter.get(&place.combatant).map(|c| c.joined);
        scored
            .places
            .sort_by_cached_key(|place| (place.score.key.clone(), joined(place), place.turn));
    } else {
        let yielding = definition.surprise == Surprise::Yields && encounter.round <= 1;
        let side = |(unit, score): (&Unit<'_>, CachedJson<Score>)| ScoredSide {
            side: unit.first.side.clone(),
            combatants: ids(unit.members.iter().copied()).into(),
            yields: yielding && unit.counted().all(|c| c.state.surprised),
            score,
        };
        scored.sides = scores.map(side).collect();
        scored
            .sides
            .sort_by_cached_key(|side| (side.yields, side.score.key.clone()));
    }
    if scorer.reshuffled {
        play.emit(Reshuffled {});
    }
    play.emit(scored);
    Ok(())
}

/// The places of a combatant that comes into a fight whose scores are known: its group's, or new
/// ones.
pub(super) fn newcomer(play: &mut Play<'_>, id: &CombatantId) -> Vec<ScoredPlace> {
    let encounter = &play.encounter().clone();
    let definition = definition(encounter);
    let Some((c, rule)) = encounter.get(id).zip(definition.score.as_ref()) else {
        return Vec::new();
    };
    let group = c
        .stats
        .group
        .as_ref()
        .filter(|_| rule.per == Per::Group && definition.clock.is_none());
    let mates = |other: &Combatant| {
        group.is_some() && other.stats.group.as_ref() == group && (c.hidden || !other.hidden)
    };
    let mut first_places = encounter
        .state
        .places
        .iter()
        .filter(|place| place.turn == 0);
    let mate = first_places.find(|place| encounter.get(&place.combatant).is_some_and(mates));
    let out = encounter.state.cards.clone();
    let held = encounter
        .state
        .places
        .iter()
        .filter_map(|place| place.score.card)
        .collect();
    let mut scorer = Scorer {
        encounter,
        definition,
        rule,
        out,
        held,
        reshuffled: false,
    };
    let score = mate.map_or_else(
        || scorer.score(play, &Unit::new(None, c)).into(),
        |place| place.score.clone(),
    );
    let places = scorer.places_of(play, c, &score);
    if scorer.reshuffled {
        play.emit(Reshuffled {});
    }
    places
}

/// Makes scores by a rule.
struct Scorer<'t> {
    encounter: &'t Encounter,
    definition: &'t Definition,
    rule: &'t ScoreRule,
    /// The cards that are out.
    out: Vec<Card>,
    /// Those of them that are in play in this round.
    held: Vec<Card>,
    /// Whether the deck has run out, and the discards went back.
    reshuffled: bool,
}

impl Scorer<'_> {
    /// What a score and its numbers are multiplied by, so that the lowest is first.
    fn sign(&self) -> i64 {
        if self.rule.low_first { 1 } else { -1 }
    }

    /// The score of one unit.
    fn score(&mut self, play: &mut Play<'_>, unit: &Unit<'_>) -> Score {
        let (definition, rule, sign) = (self.definition, self.rule, self.sign());
        if rule.cards {
            return self.deal(play, unit.card);
        }
        let best = |of: &dyn Fn(&Combatant) -> i64| {
            let values = unit.counted().map(of);
            if rule.low_first {
                values.min()
            } else {
                values.max()
            }
            .unwrap_or(0)
        };
        let foe = is_foe(unit.first);
        let ties = rule.ties.iter().map(|tie| match tie.as_str() {
            "players" => i64::from(foe),
            "foes" => i64::from(!foe),
            "roll" => 0,
            _ => sign * best(&|c| number(definition, c, tie)),
        });
        let own = |name: &Option<Slug>| {
            name.as_ref()
                .map_or(0, |name| number(definition, unit.first, name))
        };
        if is_pinned(definition, unit.first) {
            let total = own(&rule.pinned);
            let key = [sign * total, 1].into_iter().chain(ties).collect();
            return Score {
                key,
                total,
                pinned: true,
                ..Score::default()
            };
        }
        let add = rule
            .foes
            .as_ref()
            .filter(|_| foe)
            .map_or(&rule.add, |foes| &foes.add);
        let bonus: i64 = add
            .iter()
            .map(|term| best(&|c| value(definition, Some(c), term)))
            .sum();
        let surprised = definition.surprise == Surprise::Disadvantage
            && unit.counted().any(|c| c.state.surprised);
        let edge = own(&rule.edge).clamp(-3, 3) - i64::from(surprised);
        let dice = unit.dice(definition);
        let possible = |sum: &i64| dice.is_some_and(|dice| dice.check(*sum).is_ok());
        let brought = || {
            unit.counted()
                .filter_map(|c| c.stats.roll)
                .map(Int::get)
                .find(possible)
        };
        let (dice, sum) = match (dice, unit.roll.or_else(brought)) {
            (None, _) => (Vec::new(), 0),
            // A sum of several dice is no die.
            (Some(dice), Some(sum)) if dice.count > 1 => (Vec::new(), sum),
            (Some(Dice { sides, .. }), Some(sum)) => (
                vec![Die {
                    sides,
                    face: u16::try_from(sum).unwrap_or(1),
                    given: true,
                }],
                sum,
            ),
            (Some(dice), None) => keep(play, dice, edge, rule.low_first),
        };
        let total = sum + bonus;
        Score {
            key: [sign * total, 0].into_iter().chain(ties).collect(),
            total,
            bonus,
            dice,
            ..Score::default()
        }
    }

    /// The cards that are left in the deck.
    fn rest(&self) -> Vec<Card> {
        Card::deck()
            .filter(|card| !self.out.contains(card))
            .collect()
    }

    /// Deals a card: the one that is given, or one of those that are left. If the deck has run out,
    /// the discards go back; with none left the score is the last.
    fn deal(&mut self, play: &mut Play<'_>, given: Option<Card>) -> Score {
        let mut rest = self.rest();
        if given.is_none() && rest.is_empty() {
            self.out.clone_from(&self.held);
            self.reshuffled = true;
            rest = self.rest();
        }
        let drawn = given.or_else(|| {
            let sides = u16::try_from(rest.len()).ok().filter(|sides| *sides > 0)?;
            let face = usize::from(play.roll(sides).face);
            rest.get(face.saturating_sub(1)).copied()
        });
        self.out.extend(drawn);
        self.held.extend(drawn);
        Score {
            key: drawn.map_or(vec![0, 0], Card::key),
            total: drawn.map_or(0, Card::value),
            card: drawn,
            ..Score::default()
        }
    }

    /// Lets equal scores roll again, at most 3 times, where the rule says so.
    fn roll_off(&self, play: &mut Play<'_>, units: &[Unit<'_>], scores: &mut [Score]) {
        let Some(at) = self.rule.ties.iter().position(|tie| tie == "roll") else {
            return;
        };
        // After the score itself and whether it is pinned.
        let at = at + 2;
        for _ in 0..3 {
            // A tie with hidden combatants would show that they are there.
            let shown = units
                .iter()
                .zip(&*scores)
                .filter(|(unit, _)| !unit.first.hidden);
            let mut keys: Vec<_> = shown.map(|(_, score)| score.key.clone()).collect();
            keys.sort_unstable();
            let tied: BTreeSet<_> = keys
                .chunk_by(PartialEq::eq)
                .filter(|equal| equal.len() > 1)
                .flatten()
                .collect();
            if tied.is_empty() {
                return;
            }
            for (unit, score) in units.iter().zip(&mut *scores) {
                let again = !unit.first.hidden && tied.contains(&score.key);
                let dice = unit.dice(self.definition).filter(|_| again);
                let Some(key) = score.key.get_mut(at) else {
                    continue;
                };
                // The first roll-off decides before the second: a combatant that is out of the tie
                // keeps its rank.
                *key *= 1000;
                if let Some(dice) = dice {
                    let (dice, sum) = sum(play, dice);
                    *key += self.sign() * sum;
                    score.dice.extend(dice);
                }
            }
        }
    }

    /// The places of a combatant with this score: one for each of its turns.
    fn places_of(
        &mut self,
        play: &mut Play<'_>,
        c: &Combatant,
        score: &CachedJson<Score>,
    ) -> Vec<ScoredPlace> {
        let sign = self.sign();
        let worse = |by: i64| {
            let mut worse = Score::clone(score);
            worse.total += by;
            worse
                .key
                .first_mut()
                .into_iter()
                .for_each(|key| *key += sign * by);
            worse
        };
        let place = |turn: u32, score: CachedJson<Score>| ScoredPlace {
            combatant: c.id.clone(),
            turn,
            score,
        };
        if self.definition.clock.is_some() {
            let tick = i64::from(self.encounter.state.tick) + score.total.max(0);
            return vec![place(0, worse(tick - score.total).into())];
        }
        let mut places = vec![place(0, score.clone())];
        for turn in 1..turns(self.definition, c) {
            let further = if self.rule.cards {
                self.deal(play, None)
            } else {
                worse(sign * self.rule.again.get() * i64::from(turn))
            };
            places.push(place(turn, further.into()));
        }
        places
    }
}

/// Rolls once, and once more for each point of `edge`; the best roll counts, below 0 the worst.
fn keep(play: &mut Play<'_>, dice: Dice, edge: i64, low_first: bool) -> (Vec<Die>, i64) {
    let rolls: Vec<_> = (0..=edge.abs()).map(|_| sum(play, dice)).collect();
    let sums = rolls.iter().map(|(_, sum)| *sum);
    let kept = if (edge >= 0) == low_first {
        sums.min()
    } else {
        sums.max()
    };
    (
        rolls.into_iter().flat_map(|(dice, _)| dice).collect(),
        kept.unwrap_or(0),
    )
}
