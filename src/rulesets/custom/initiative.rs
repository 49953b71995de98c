//! Initiative: dice and numbers, or cards, for combatants, groups or sides.

use super::definition::{
    DeckRule, Definition, Dice, Fact, Keep, Key, KnownTotal, Lasts, Per, Rolled, SEAT, ScoreRule,
    Surprise,
};
use super::laps::lap_now;
use super::lines::{
    costs_turns, deck, delays_last, further_turn, has_clock, has_laps, has_own_score, has_places,
    is_low_first, is_of_side, is_seated, key_of, keys, leading_number, position_of, score_rule,
    segment, sign_of_score, sorts_by_score,
};
use super::pools::side_state;
use super::query::{
    change_by_conditions, change_by_wounds, definition, is_fixed, is_foe, number, turns, value,
};
use super::rank::Ranks;
use super::{
    Card, Cause, Changes, Combatant, Encounter, Initiative, InitiativeRolled, Placed, Play,
    Reshuffled, Roll, RolledPlace, RolledSide,
};
use crate::json::{CachedJson, FieldError};
use crate::rulesets::shared::seen_first;
use crate::vocabulary::{
    CombatantId, Die, Int, Property, Slug, Total, Values, Violation, field, ids, require,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Maximum roll-offs of a tie.
const ROLL_OFFS: usize = 3;
/// More than any sum of dice, so that an earlier roll-off decides before a later one.
const ROLL_OFF_FACTOR: i64 = 1000;
/// More than all roll-offs come to.
const ROLLED: i64 = 1_000_000_000_000;

/// What the table rolled and dealt where it leaves both to the server.
pub(super) const NOTHING: Roll = Roll {
    rolls: BTreeMap::new(),
    totals: BTreeMap::new(),
    tie_rolls: BTreeMap::new(),
    cards: BTreeMap::new(),
    first_side: None,
};

/// Combatants that share an initiative.
struct Unit<'t> {
    /// The word of their group or side; none for a combatant with an initiative of its own.
    word: Option<&'t Slug>,
    /// The first of them, whom players see if they see any.
    first: &'t Combatant,
    members: Vec<&'t Combatant>,
    /// What the table rolled for it.
    roll: Option<i64>,
    /// The initiative that the table knows.
    total: Option<Total>,
    /// What the table rolled for it in roll-offs.
    tie_rolls: Vec<i64>,
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
            total: None,
            tie_rolls: Vec::new(),
            card: None,
        }
    }

    /// What a command calls it.
    fn name(&self) -> &str {
        match self.word {
            Some(word) => word.as_str(),
            None => self.first.id.as_str(),
        }
    }

    /// The members that count: hidden ones only where there are no others, so that their numbers do
    /// not show.
    fn counted(&self) -> impl Iterator<Item = &'t Combatant> {
        let members = self.members.iter().copied();
        members.filter(|c| c.hidden == self.first.hidden)
    }

    /// Its dice: none where it is dealt a card, or its initiative is fixed or made of numbers alone.
    fn dice(&self, definition: &Definition) -> Option<Dice> {
        if is_fixed(definition, self.first) {
            return None;
        }
        own_dice(definition, self.first)
    }

    /// The initiative that is known: by the command, whatever dice it has too, else by the first member
    /// that brought one, unless the command has dice.
    fn known_total(&self) -> Option<Total> {
        let mut brought = self.counted().filter_map(|c| c.stats.initiative);
        let brought = brought.next().filter(|_| self.roll.is_none());
        self.total.or_else(|| brought.map(KnownTotal::total))
    }

    /// The first roll that a member brought to which these dice come.
    fn brought_roll(&self, dice: Dice) -> Option<i64> {
        for c in self.counted() {
            if let Some(roll) = c.stats.roll
                && dice.check(roll.get()).is_ok()
            {
                return Some(roll.get());
            }
        }
        None
    }
}

/// The units of the active combatants, but for those that keep delaying without a new initiative. Those
/// that players see come first.
fn units(encounter: &Encounter) -> Vec<Unit<'_>> {
    let definition = definition(encounter);
    let keep_delaying = delays_last(definition, Lasts::Used);
    let rolling = encounter
        .active()
        .filter(|c| !(keep_delaying && c.state.delaying));
    let mut units: Vec<Unit<'_>> = Vec::new();
    let mut by_word: HashMap<&Slug, usize> = HashMap::new();
    for c in seen_first(rolling) {
        let word = shared_word(definition, c);
        let at = word.and_then(|word| by_word.get(word));
        if let Some(unit) = at.and_then(|at| units.get_mut(*at)) {
            unit.members.push(c);
            continue;
        }
        if let Some(word) = word {
            by_word.insert(word, units.len());
        }
        units.push(Unit::new(word, c));
    }
    units
}

/// The units that a command can name: a name means the first that has it.
fn units_by_name(encounter: &Encounter) -> Vec<Unit<'_>> {
    let mut units = units(encounter);
    let mut known = BTreeSet::new();
    units.retain(|unit| known.insert(unit.name().to_owned()));
    units
}

/// The word of the group or side with which a combatant shares its initiative.
fn shared_word<'t>(definition: &Definition, c: &'t Combatant) -> Option<&'t Slug> {
    match score_rule(definition)?.per {
        Per::Combatant => None,
        Per::Group => c.stats.group.as_ref(),
        Per::Side => Some(&c.side),
    }
}

/// Sets what the table rolled and dealt for the units, and returns the cards that are out of the
/// deck then. Refuses what cannot be.
fn apply_brought(
    encounter: &Encounter,
    units: &mut [Unit<'_>],
    given: &Roll,
) -> Result<Vec<Card>, Violation> {
    let definition = definition(encounter);
    for (name, sum) in &given.rolls {
        let path = format!("rolls.{}", name.as_str());
        let Some(unit) = unit_named(units, name) else {
            return Err(not_rolled(path, name));
        };
        let Some(dice) = unit.dice(definition) else {
            return Err(not_rolled(path, name));
        };
        if let Err(detail) = dice.check(sum.get()) {
            return Err(Violation::field("impossible_roll", path, detail));
        }
        unit.roll = Some(sum.get());
    }
    for (name, total) in &given.totals {
        let path = format!("totals.{}", name.as_str());
        if let Some(detail) = no_totals(definition) {
            return Err(Violation::field("no_totals", path, detail));
        }
        let Some(unit) = unit_named(units, name) else {
            return Err(not_rolled(path, name));
        };
        unit.total = Some(total.total());
    }
    for (name, sums) in &given.tie_rolls {
        let path = format!("tie_rolls.{}", name.as_str());
        let Some(unit) = unit_named(units, name) else {
            return Err(not_rolled(path, name));
        };
        unit.tie_rolls = checked_roll_offs(definition, unit, sums, &path)?;
    }
    let mut out = encounter.state.cards.clone();
    for (name, card) in &given.cards {
        let path = format!("cards.{}", name.as_str());
        let Some(deck) = deck(definition) else {
            return Err(not_rolled(path, name));
        };
        let Some(unit) = unit_named(units, name) else {
            return Err(not_rolled(path, name));
        };
        let is_in = Card::deck(deck.size.get()).contains(card) && !out.contains(card);
        require(is_in, "card_is_out", field(path), || {
            format!(
                "{} is dealt already or out of the deck. Name another card.",
                card.sign()
            )
        })?;
        unit.card = Some(*card);
        out.push(*card);
    }
    Ok(out)
}

/// The sums of a unit's roll-offs; refuses what its dice can't show.
fn checked_roll_offs(
    definition: &Definition,
    unit: &Unit<'_>,
    sums: &[Int<1, 900>],
    path: &str,
) -> Result<Vec<i64>, Violation> {
    if !rolls_off(definition) {
        let detail = "Ties don't roll off in this order. Remove \"tie_rolls\", or add die to definition.order.";
        return Err(Violation::field("no_roll_off", path.to_owned(), detail));
    }
    if sums.len() > ROLL_OFFS {
        let detail = format!("A tie rolls off at most {ROLL_OFFS} times. Send fewer sums.");
        return Err(Violation::field("impossible_roll", path.to_owned(), detail));
    }
    let dice = roll_off_dice(definition, unit.first);
    let mut checked = Vec::with_capacity(sums.len());
    for (i, sum) in sums.iter().enumerate() {
        if let Err(detail) = dice.check(sum.get()) {
            return Err(Violation::field(
                "impossible_roll",
                format!("{path}.{i}"),
                detail,
            ));
        }
        checked.push(sum.get());
    }
    Ok(checked)
}

/// The sums that the table may bring for roll-offs, if the order has any.
pub(super) fn table_roll_offs(encounter: &Encounter) -> Option<Values> {
    let definition = definition(encounter);
    if !rolls_off(definition) {
        return None;
    }
    let mut rolls = Vec::new();
    for unit in units_by_name(encounter) {
        let [least, most] = roll_off_dice(definition, unit.first).sums();
        let sums = Values::List {
            items: Box::new(Values::Range(least, most)),
            unique: false,
            length: [1, ROLL_OFFS],
        };
        rolls.push(Property::optional(unit.name().to_owned(), sums));
    }
    Some(Values::Object(rolls))
}

/// True if combatants that are equal roll dice.
fn rolls_off(definition: &Definition) -> bool {
    key_of(definition, &Fact::Die).is_some()
}

/// The sums that the table may bring for each unit that rolls.
pub(super) fn table_rolls(encounter: &Encounter) -> Values {
    let definition = definition(encounter);
    let mut rolls = Vec::new();
    for unit in units_by_name(encounter) {
        if let Some(dice) = unit.dice(definition) {
            let [least, most] = dice.sums();
            let name = unit.name().to_owned();
            rolls.push(Property::optional(name, Values::Range(least, most)));
        }
    }
    Values::Object(rolls)
}

/// The reason why no combatant comes with a known initiative, if none may.
fn no_totals(definition: &Definition) -> Option<&'static str> {
    if deck(definition).is_some() {
        return Some("Cards set this order. Send cards, or remove definition.score.deck.");
    }
    let detail = "Initiative is no key of this order. Add score to definition.order.";
    (!sorts_by_score(definition)).then_some(detail)
}

/// True if combatants may come with a known initiative.
pub(super) fn takes_totals(definition: &Definition) -> bool {
    no_totals(definition).is_none()
}

/// The known initiatives that the table may bring, for each unit.
pub(super) fn table_totals(encounter: &Encounter) -> Values {
    let mut totals = Vec::new();
    for unit in units_by_name(encounter) {
        totals.push(Property::optional(
            unit.name().to_owned(),
            KnownTotal::any(),
        ));
    }
    Values::Object(totals)
}

/// A card that the table may have dealt to a unit: one, because no card is dealt twice.
pub(super) fn table_cards(encounter: &Encounter) -> Values {
    let mut names = Vec::new();
    for unit in units(encounter) {
        names.push(unit.name().to_owned());
    }
    let dealt = &encounter.state.cards;
    let mut left = Vec::new();
    let size = deck(definition(encounter)).map_or(0, |deck| deck.size.get());
    for card in Card::deck(size) {
        if !dealt.contains(&card) {
            left.push(card);
        }
    }
    Values::map(Values::words(names), Card::choice(left), 1)
}

fn unit_named<'u, 't>(units: &'u mut [Unit<'t>], name: &CombatantId) -> Option<&'u mut Unit<'t>> {
    units.iter_mut().find(|unit| unit.name() == name.as_str())
}

fn not_rolled(path: String, name: &CombatantId) -> Violation {
    let detail = format!(
        "{name} has no dice or card of its own in this order. Name a combatant, group or side, as score.per says."
    );
    Violation::field("not_rolled", path, detail)
}

/// Refuses a known initiative that the order does not take.
pub(super) fn check_known(definition: &Definition, c: &Combatant) -> Result<(), FieldError> {
    match no_totals(definition) {
        Some(detail) if c.stats.initiative.is_some() => {
            Err(FieldError::meaningless("initiative", detail))
        }
        _ => Ok(()),
    }
}

/// Refuses a combatant's own roll that the dice of its side do not come to.
pub(super) fn check_own_roll(definition: &Definition, c: &Combatant) -> Result<(), FieldError> {
    let Some(roll) = c.stats.roll else {
        return Ok(());
    };
    let Some(dice) = own_dice(definition, c) else {
        let detail = "This order rolls no dice for the combatant. Remove roll, or set definition.score.dice.";
        return Err(FieldError::meaningless("roll", detail));
    };
    dice.check(roll.get())
        .map_err(|wrong| FieldError::meaningless("roll", wrong))
}

/// The dice of a combatant's side.
pub(super) fn side_dice(definition: &Definition, c: &Combatant) -> Option<Dice> {
    let (dice, _) = rolled_by(score_rule(definition)?, c);
    dice
}

/// The dice and bonuses of a combatant.
fn rolled_by<'d>(score: &'d ScoreRule, c: &Combatant) -> Rolled<'d> {
    score.of_choice(is_foe(c), c.state.declared.as_ref())
}

/// The dice of a combatant: those of its side, and its further ones.
fn own_dice(definition: &Definition, c: &Combatant) -> Option<Dice> {
    let dice = side_dice(definition, c)?;
    let score = score_rule(definition)?;
    Some(match &score.more_dice {
        Some(name) => dice.with_more(number(definition, c, name)),
        None => dice,
    })
}

/// The dice of a roll-off: those of the initiative, or a d20 where not all have dice.
fn roll_off_dice(definition: &Definition, c: &Combatant) -> Dice {
    let rule = score_rule(definition);
    let of_team = |is_foe| rule.and_then(|rule| rule.of_team(is_foe).0);
    let is_rolled = [false, true].map(of_team).iter().all(Option::is_some);
    // All roll the same dice, whoever has further ones.
    let dice = of_team(is_foe(c)).filter(|_| is_rolled && !is_fixed(definition, c));
    dice.unwrap_or(Dice {
        count: 1,
        sides: 20,
    })
}

/// A sum that the table rolled, with its die: a sum of several dice is no die.
fn given_sum(dice: Dice, sum: i64) -> (Vec<Die>, i64) {
    if dice.count > 1 {
        return (Vec::new(), sum);
    }
    let die = Die {
        sides: dice.sides,
        face: u16::try_from(sum).unwrap_or(1),
        given: true,
    };
    (vec![die], sum)
}

/// Rolls dice once, and adds them up.
fn roll_sum(play: &mut Play<'_>, dice: Dice) -> (Vec<Die>, i64) {
    let mut rolled = Vec::new();
    let mut total = 0;
    for _ in 0..dice.count {
        let die = play.roll(dice.sides);
        total += i64::from(die.face);
        rolled.push(die);
    }
    (rolled, total)
}

/// The most dice that a combatant rolls at once, with all roll-offs.
pub(super) fn most_dice(definition: &Definition, c: &Combatant) -> usize {
    let mut most = 0;
    if rolls_off(definition) {
        most += ROLL_OFFS * usize::from(roll_off_dice(definition, c).count);
    }
    let rule = score_rule(definition);
    let (Some(rule), Some(dice)) = (rule, own_dice(definition, c)) else {
        return most;
    };
    let advantage = rule.advantage.as_ref();
    let further = advantage.map_or(0, |name| number(definition, c, name).clamp(-3, 3).abs());
    let mut rolls = 1 + usize::try_from(further).unwrap_or(0);
    if definition.surprise == Surprise::Disadvantage {
        rolls += 1;
    }
    most + rolls * usize::from(dice.count)
}

/// Whether anything is rolled, dealt or known: numbers alone say their order without being asked.
pub(super) fn rolls_anything(definition: &Definition) -> bool {
    definition.score.is_some() || rolls_off(definition)
}

/// Rolls or deals for everybody, and sorts places or sides.
pub(super) fn roll_all(play: &mut Play<'_>, given: &Roll) -> Result<(), Violation> {
    // Nothing but dice happens until the initiative of all is known.
    let encounter = &play.encounter().clone();
    let mut units = units(encounter);
    let out = apply_brought(encounter, &mut units, given)?;
    roll_units(play, encounter, units, out, given);
    Ok(())
}

/// Gives all their places where nothing is rolled.
pub(super) fn deal_places(play: &mut Play<'_>) {
    let encounter = &play.encounter().clone();
    let units = units(encounter);
    roll_units(play, encounter, units, Vec::new(), &NOTHING);
}

fn roll_units(
    play: &mut Play<'_>,
    encounter: &Encounter,
    units: Vec<Unit<'_>>,
    out: Vec<Card>,
    given: &Roll,
) {
    let definition = definition(encounter);
    let Some(rule) = score_rule(definition) else {
        return;
    };
    let mut roller = Roller {
        encounter,
        definition,
        rule,
        out,
        held: given.cards.values().copied().collect(),
        discarded: Vec::new(),
        reshuffled: false,
    };
    let mut rolled = Vec::new();
    for unit in units {
        let initiative = roller.initiative(play, &unit);
        rolled.push((unit, initiative));
    }
    roller.roll_off(play, &mut rolled);
    let mut known = InitiativeRolled {
        places: Vec::new(),
        side_places: Vec::new(),
        discarded: Vec::new(),
    };
    if rule.per == Per::Side {
        known.side_places = roller.sides(rolled);
        rolled = roller.members();
    }
    if has_places(definition) {
        known.places = roller.places(play, rolled);
    }
    if roller.reshuffled {
        play.emit(Reshuffled {});
    }
    known.discarded = roller.discarded;
    play.emit(known);
}

/// The places of a combatant that comes into a fight whose initiative is known: its group's, or new
/// ones.
pub(super) fn newcomer(play: &mut Play<'_>, id: &CombatantId, last: bool) -> Placed {
    let encounter = &play.encounter().clone();
    let definition = definition(encounter);
    let (Some(c), Some(rule)) = (encounter.get(id), score_rule(definition)) else {
        return Placed {
            places: Vec::new(),
            last,
            discarded: Vec::new(),
        };
    };
    let mut held = Vec::new();
    for place in &encounter.state.places {
        held.extend(place.initiative.card);
        held.extend(&place.initiative.spare);
    }
    let mut roller = Roller {
        encounter,
        definition,
        rule,
        out: encounter.state.cards.clone(),
        held,
        discarded: Vec::new(),
        reshuffled: false,
    };
    let initiative = match roller.group_initiative(c) {
        Some(initiative) => initiative,
        None if rule.per == Per::Side => roller.of_numbers(&Unit::new(None, c)),
        None => roller.initiative(play, &Unit::new(None, c)),
    };
    let mut places = roller.places_of(play, c, &initiative);
    if costs_turns(definition) && has_laps(definition) {
        for place in &mut places {
            place.turn = lap_now(encounter);
        }
    }
    if roller.reshuffled {
        play.emit(Reshuffled {});
    }
    Placed {
        places,
        last,
        discarded: roller.discarded,
    }
}

/// Makes initiative by a rule.
struct Roller<'t> {
    encounter: &'t Encounter,
    definition: &'t Definition,
    rule: &'t ScoreRule,
    /// The cards that are out.
    out: Vec<Card>,
    /// Those of them that are in play in this round.
    held: Vec<Card>,
    /// Those of them that were drawn and do not count.
    discarded: Vec<Card>,
    /// True if the deck has run out, and the discards went back.
    reshuffled: bool,
}

impl<'t> Roller<'t> {
    /// The factor of the initiative, so that the lowest is first.
    fn sign(&self) -> i64 {
        sign_of_score(self.definition)
    }

    /// The keys of the order, before anybody sits around the table.
    fn ranks(&self) -> Ranks<'_> {
        Ranks::new(self.definition, self.encounter.round, None)
    }

    /// The initiative of one unit.
    fn initiative(&mut self, play: &mut Play<'_>, unit: &Unit<'_>) -> Initiative {
        if let Some(deck) = &self.rule.deck {
            return self.deal(play, deck, unit);
        }
        if let Some(total) = unit.known_total() {
            return Initiative {
                key: self.key(unit),
                total,
                known: true,
                ..Initiative::default()
            };
        }
        if is_fixed(self.definition, unit.first) {
            let total = self.own_number(unit, self.rule.fixed.as_ref());
            return Initiative {
                key: self.key(unit),
                total: total.into(),
                fixed: true,
                ..Initiative::default()
            };
        }
        if !sorts_by_score(self.definition) {
            return self.of_numbers(unit);
        }
        let bonus = self.bonus(unit);
        let (dice, sum) = self.roll(play, unit);
        Initiative {
            key: self.key(unit),
            total: (sum + bonus).into(),
            bonus,
            dice,
            ..Initiative::default()
        }
    }

    /// The initiative of one whose numbers alone decide.
    fn of_numbers(&self, unit: &Unit<'_>) -> Initiative {
        Initiative {
            key: self.key(unit),
            total: self.leading_number(unit).into(),
            ..Initiative::default()
        }
    }

    /// What the keys of the order compare that a unit brings, lowest first.
    fn key(&self, unit: &Unit<'_>) -> Vec<i64> {
        let keys = keys(self.definition);
        if self.rule.per == Per::Side && unit.word.is_some() {
            // A side brings nothing: what its members bring decides between them.
            return vec![0; keys.len()];
        }
        let mut all = Vec::with_capacity(keys.len());
        for key in keys {
            let sign = key.sign();
            all.push(match &key.fact {
                Fact::Foe => sign * i64::from(is_foe(unit.first)),
                Fact::Seat => self.seat_of(unit),
                Fact::Number(name) => {
                    let number = |c: &Combatant| number(self.definition, c, name);
                    sign * best(unit, key.highest, number)
                }
                // Dice are rolled when all else is known: who rolls none comes after those who do.
                _ => 0,
            });
        }
        all
    }

    /// The number that decides first, in an order without the initiative.
    fn leading_number(&self, unit: &Unit<'_>) -> i64 {
        match leading_number(self.definition) {
            Some((name, highest)) => best(unit, highest, |c| number(self.definition, c, name)),
            None => 0,
        }
    }

    /// The seat of a unit.
    fn seat_of(&self, unit: &Unit<'_>) -> i64 {
        number(self.definition, unit.first, &Slug::fixed(SEAT))
    }

    /// A number of the first member, if the rule names one.
    fn own_number(&self, unit: &Unit<'_>, name: Option<&Slug>) -> i64 {
        match name {
            Some(name) => number(self.definition, unit.first, name),
            None => 0,
        }
    }

    /// What is added to the dice.
    fn bonus(&self, unit: &Unit<'_>) -> i64 {
        let (_, add) = rolled_by(self.rule, unit.first);
        let mut bonus = 0;
        for term in add {
            let highest = !is_low_first(self.definition);
            bonus += best(unit, highest, |c| value(self.definition, Some(c), term));
        }
        bonus
    }

    /// The dice of a unit and their sum: what the table rolled, else what a member brought, else
    /// what the server rolls.
    fn roll(&self, play: &mut Play<'_>, unit: &Unit<'_>) -> (Vec<Die>, i64) {
        let Some(dice) = unit.dice(self.definition) else {
            return (Vec::new(), 0);
        };
        let Some(sum) = unit.roll.or_else(|| unit.brought_roll(dice)) else {
            let low_first = is_low_first(self.definition);
            return keep(play, dice, self.advantage(unit), low_first);
        };
        given_sum(dice, sum)
    }

    /// How many more rolls a unit has; below 0 the worst roll counts.
    fn advantage(&self, unit: &Unit<'_>) -> i64 {
        let mut advantage = self
            .own_number(unit, self.rule.advantage.as_ref())
            .clamp(-3, 3);
        if self.definition.surprise == Surprise::Disadvantage
            && unit.counted().any(|c| c.state.surprised)
        {
            advantage -= 1;
        }
        advantage
    }

    /// The cards that are left in the deck.
    fn rest(&self, deck: &DeckRule) -> Vec<Card> {
        let mut rest = Card::deck(deck.size.get());
        rest.retain(|card| !self.out.contains(card));
        rest
    }

    /// Deals a unit its cards, of which one counts: the one that the table dealt, or one and a
    /// further one for each point of `advantage`.
    fn deal(&mut self, play: &mut Play<'_>, deck: &DeckRule, unit: &Unit<'_>) -> Initiative {
        if let Some(card) = unit.card {
            self.out.push(card);
            self.held.push(card);
            return self.of_card(unit, Some(card), Vec::new());
        }
        let redraw = value(self.definition, Some(unit.first), &deck.redraw);
        let advantage = self.advantage(unit);
        let mut cards = Vec::new();
        for _ in 0..=advantage.abs() {
            cards.extend(self.draw(play, deck, redraw));
        }
        cards.sort_by_key(|card| card.key(self.sign()));
        if advantage < 0 {
            cards.reverse();
        }
        let mut spare = cards.split_off(cards.len().min(1));
        if deck.keep == Keep::Best || advantage < 0 {
            self.held.retain(|card| !spare.contains(card));
            self.discarded.append(&mut spare);
        }
        self.of_card(unit, cards.first().copied(), spare)
    }

    /// The same initiative with another card.
    fn with_card(&self, initiative: &Initiative, card: Option<Card>) -> Initiative {
        Initiative {
            total: card.map_or(0, Card::value).into(),
            card,
            spare: Vec::new(),
            changes: Changes::default(),
            ..initiative.clone()
        }
    }

    /// The initiative of a card; without one it is the last.
    fn of_card(&self, unit: &Unit<'_>, card: Option<Card>, spare: Vec<Card>) -> Initiative {
        let without = Initiative {
            key: self.key(unit),
            ..Initiative::default()
        };
        Initiative {
            spare,
            ..self.with_card(&without, card)
        }
    }

    /// Draws a card, and again while it is worth no more than `redraw` and others are left. If the
    /// deck has run out, the discards go back.
    fn draw(&mut self, play: &mut Play<'_>, deck: &DeckRule, redraw: i64) -> Option<Card> {
        let mut rest = self.rest(deck);
        if rest.is_empty() {
            self.out.clone_from(&self.held);
            self.discarded.clear();
            self.reshuffled = true;
            rest = self.rest(deck);
        }
        loop {
            let sides = u16::try_from(rest.len()).ok()?;
            if sides == 0 {
                return None;
            }
            let face = usize::from(play.roll(sides).face);
            let card = rest.remove(face.saturating_sub(1).min(rest.len() - 1));
            self.out.push(card);
            if card.value() > redraw || rest.is_empty() {
                self.held.push(card);
                return Some(card);
            }
            self.discarded.push(card);
        }
    }

    /// Lets those roll dice that are equal up to these, at most [`ROLL_OFFS`] times, if the order says
    /// so.
    fn roll_off(&self, play: &mut Play<'_>, rolled: &mut [(Unit<'_>, Initiative)]) {
        let keys = keys(self.definition);
        let Some(at) = position_of(self.definition, &Fact::Die) else {
            return;
        };
        let sign = keys.get(at).map_or(1, Key::sign);
        for round in 0..ROLL_OFFS {
            let tied = self.tied(rolled, at);
            if tied.is_empty() {
                break;
            }
            for (unit, initiative) in &mut *rolled {
                let is_tied = !unit.first.hidden && tied.contains(&self.up_to_dice(initiative, at));
                let Some(key) = initiative.key.get_mut(at) else {
                    continue;
                };
                // The first roll-off decides before the second: a combatant that is out of the tie
                // keeps its rank.
                *key *= ROLL_OFF_FACTOR;
                if is_tied {
                    let dice = roll_off_dice(self.definition, unit.first);
                    let (faces, sum) = match unit.tie_rolls.get(round) {
                        Some(sum) => given_sum(dice, *sum),
                        None => roll_sum(play, dice),
                    };
                    *key += sign * sum;
                    initiative.dice.extend(faces);
                }
            }
        }
        // Where the lowest is first too, who has not rolled comes after those that have.
        for (_, initiative) in rolled {
            if let Some(key) = initiative.key.get_mut(at)
                && *key > 0
            {
                *key -= ROLLED;
            }
        }
    }

    /// What those have in common that are equal up to the dice, at this position among the keys. A tie
    /// with hidden combatants would show that they are there.
    fn tied(&self, rolled: &[(Unit<'_>, Initiative)], at: usize) -> BTreeSet<Vec<[i64; 2]>> {
        let mut seen = BTreeSet::new();
        let mut tied = BTreeSet::new();
        for (unit, initiative) in rolled {
            if unit.first.hidden {
                continue;
            }
            let key = self.up_to_dice(initiative, at);
            if !seen.insert(key.clone()) {
                tied.insert(key);
            }
        }
        tied
    }

    /// What an initiative is sorted by up to the dice. Who begins is decided before anyone sits.
    fn up_to_dice(&self, initiative: &Initiative, at: usize) -> Vec<[i64; 2]> {
        if is_of_side(self.definition, &Fact::Die) {
            return self.ranks().of_side(initiative);
        }
        let from = self.seat_key().map_or(0, |seat| seat.saturating_add(1));
        self.ranks()
            .values(initiative, 0, from..at.saturating_add(1))
    }

    /// The position of the seat among the keys of the order.
    fn seat_key(&self) -> Option<usize> {
        position_of(self.definition, &Fact::Seat)
    }

    /// The seat that begins around the table: the first of those that players see by the keys after the
    /// seat.
    fn first_seat(&self, rolled: &[(Unit<'_>, Initiative)]) -> Option<i64> {
        let from = self.seat_key()?.saturating_add(1);
        let end = keys(self.definition).len();
        let first = rolled.iter().min_by_key(|(unit, initiative)| {
            let key = self.ranks().values(initiative, 0, from..end);
            (unit.first.hidden, key)
        });
        first.map(|(unit, _)| self.seat_of(unit))
    }

    /// The initiative of a combatant's group, if the group has one. That of hidden ones alone would show
    /// that they are there.
    fn group_initiative(&self, c: &Combatant) -> Option<Initiative> {
        if self.rule.per != Per::Group || has_clock(self.definition) {
            return None;
        }
        let group = c.stats.group.as_ref()?;
        for place in &self.encounter.state.places {
            let Some(mate) = self.encounter.get(&place.combatant) else {
                continue;
            };
            let is_mate = mate.stats.group.as_ref() == Some(group) && (c.hidden || !mate.hidden);
            if is_mate && place.turn == 0 {
                return Some(place.initiative.without(&Cause::ALL));
            }
        }
        None
    }

    /// The places of all, first to last.
    fn places(
        &mut self,
        play: &mut Play<'_>,
        rolled: Vec<(Unit<'_>, Initiative)>,
    ) -> Vec<RolledPlace> {
        let first_seat = self.first_seat(&rolled);
        let ranks = Ranks::new(self.definition, self.encounter.round, first_seat);
        let mut places = Vec::new();
        for (unit, initiative) in rolled {
            for c in unit.members {
                places.extend(self.places_of(play, c, &initiative));
            }
        }
        places.sort_by_cached_key(|place| {
            let joined = self.encounter.get(&place.combatant).map(|c| c.joined);
            let key = ranks.values(&place.initiative, place.turn, 0..ranks.end());
            (key, joined, place.turn)
        });
        places
    }

    /// The combatants, whose numbers decide within the sides.
    fn members(&self) -> Vec<(Unit<'t>, Initiative)> {
        let mut members = Vec::new();
        for c in seen_first(self.encounter.active()) {
            let unit = Unit::new(None, c);
            let initiative = self.of_numbers(&unit);
            members.push((unit, initiative));
        }
        members
    }

    /// The sides, first to last. One that `first_side` names comes before all others.
    fn sides(&self, rolled: Vec<(Unit<'_>, Initiative)>) -> Vec<RolledSide> {
        let yielding = self.definition.surprise == Surprise::Yields && self.encounter.round <= 1;
        let mut sides = Vec::new();
        for (unit, initiative) in rolled {
            sides.push(RolledSide {
                side: unit.first.side.clone(),
                yields: yielding && unit.counted().all(|c| c.state.surprised),
                combatants: ids(unit.members).into(),
                initiative: initiative.into(),
            });
        }
        let goes_first = |side: &RolledSide| {
            side_state(&self.encounter.state, &side.side).is_some_and(|known| known.first)
        };
        sides.sort_by_cached_key(|side| {
            let key = self.ranks().of_side(&side.initiative);
            (!goes_first(side), side.yields, key)
        });
        sides
    }

    /// The places of a combatant with this initiative: one for each of its turns.
    fn places_of(
        &mut self,
        play: &mut Play<'_>,
        c: &Combatant,
        initiative: &Initiative,
    ) -> Vec<RolledPlace> {
        let initiative = self.initiative_of_turns(play, c, initiative);
        let mut places = Vec::with_capacity(initiative.len());
        for (turn, initiative) in initiative.into_iter().enumerate() {
            places.push(RolledPlace {
                combatant: c.id.clone(),
                turn,
                initiative,
            });
        }
        places
    }

    /// The initiative of each turn of a combatant. On a clock it has one turn, from the present tick on.
    fn initiative_of_turns(
        &mut self,
        play: &mut Play<'_>,
        c: &Combatant,
        initiative: &Initiative,
    ) -> Vec<CachedJson<Initiative>> {
        let initiative = &self.with_wounds(c, initiative);
        if has_clock(self.definition) {
            let now = Total::from(i64::from(self.encounter.state.tick));
            let tick = if initiative.known {
                initiative.total.max(now)
            } else {
                now + initiative.total.max(Total::ZERO)
            };
            return vec![initiative.shifted(tick - initiative.total).into()];
        }
        let count = turns(self.definition, c);
        let mut all = vec![self.in_segment(initiative.clone(), 0, count).into()];
        // The dice stand with the first turn alone.
        let undiced = Initiative {
            dice: Vec::new(),
            ..initiative.clone()
        };
        let mut shift = 0;
        for turn in 1..count {
            let mut further = if let Some(deck) = &self.rule.deck {
                let card = self.draw(play, deck, 0);
                self.with_wounds(c, &self.with_card(&undiced, card))
            } else if is_seated(self.definition) || !has_own_score(self.definition) {
                undiced.clone()
            } else {
                shift += self.sign() * further_turn(self.definition);
                undiced.shifted(shift.into())
            };
            further = self.in_segment(further, turn, count);
            all.push(further.into());
        }
        all
    }

    /// The initiative of a turn in its segment of the round, if the order goes by segments.
    fn in_segment(&self, mut initiative: Initiative, turn: usize, turns: usize) -> Initiative {
        for (at, key) in keys(self.definition).iter().enumerate() {
            if key.fact == Fact::Segment
                && let Some(value) = initiative.key.get_mut(at)
            {
                *value = key.sign() * i64::try_from(segment(turn, turns)).unwrap_or(i64::MAX);
            }
        }
        initiative
    }

    /// An initiative with the changes of a combatant's wounds and conditions.
    fn with_wounds(&self, c: &Combatant, initiative: &Initiative) -> Initiative {
        let wounds = change_by_wounds(self.definition, c);
        let conditions = change_by_conditions(self.definition, c);
        let wounded = initiative.changed(Cause::Wounds, wounds);
        wounded.changed(Cause::Condition, conditions)
    }
}

/// Rolls once, and once more for each point of `advantage`; the best roll counts, below 0 the worst.
fn keep(play: &mut Play<'_>, dice: Dice, advantage: i64, low_first: bool) -> (Vec<Die>, i64) {
    let mut rolled = Vec::new();
    let mut sums = Vec::new();
    for _ in 0..=advantage.abs() {
        let (faces, sum) = roll_sum(play, dice);
        rolled.extend(faces);
        sums.push(sum);
    }
    let keeps_lowest = (advantage >= 0) == low_first;
    let kept = if keeps_lowest {
        sums.iter().min()
    } else {
        sums.iter().max()
    };
    (rolled, kept.copied().unwrap_or(0))
}

/// The best of what those of a unit have that count.
fn best(unit: &Unit<'_>, highest: bool, value: impl Fn(&Combatant) -> i64) -> i64 {
    let values = unit.counted().map(value);
    let best = if highest { values.max() } else { values.min() };
    best.unwrap_or(0)
}
