//! What follows from definition and state: who may act, who picks, who has a reaction.

use super::candidates::candidates;
use super::definition::{
    DeckRule, Definition, Fact, Gain, Gives, Key, Lasts, OUTNUMBERED, Only, Owner, Partner, Per,
    PoolRule, Prepare, ReactionRule, ScoreRule, StepRule, Surprise, SwapWhen, Team, Term,
    TurnCostRule, Turns, Unconscious, When, Who,
};
use super::manifest::MANIFEST;
use super::{
    Cause, Combatant, Encounter, Event, GapAt, InitiativeChanged, Mode, Place, PoolChanged,
    SidePoolChanged, SideState, State, TablePoolChanged, Turn, TurnOrigin,
};
use crate::json::CachedJson;
use crate::vocabulary::{CombatantId, Int, Kind, Slug, spaced};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

/// The most points of a pool.
const MAX_POINTS: u32 = 100;
/// How deep turns may interrupt one another.
pub(super) const MAX_DEPTH: usize = 8;

pub(super) fn definition(encounter: &Encounter) -> &Definition {
    encounter.options.definition()
}

/// The line of the definition for a field of a pool.
pub(super) fn pool_line(name: &Slug, field: &str) -> String {
    format!("pools.{name}.{field}")
}

/// The line of the definition for a field of a reaction.
pub(super) fn reaction_line(name: &Slug, field: &str) -> String {
    format!("reactions.{name}.{field}")
}

/// The reaction by which combatants delay their turns, if they may.
pub(super) fn delay_rule(definition: &Definition) -> Option<(&Slug, &ReactionRule)> {
    let mut reactions = definition.reactions.iter();
    reactions.find(|(_, rule)| rule.prepare == Prepare::Delay)
}

/// A combatant's number of this name.
pub(super) fn number(definition: &Definition, c: &Combatant, name: &Slug) -> i64 {
    let own = c.stats.numbers.get(name);
    match own.or_else(|| definition.numbers.get(name)) {
        Some(number) => number.get(),
        None => 0,
    }
}

/// What a term comes to for a combatant, or for the table, which has no numbers.
pub(super) fn value<const MIN: i64, const MAX: i64>(
    definition: &Definition,
    c: Option<&Combatant>,
    term: &Term<MIN, MAX>,
) -> i64 {
    match (term, c) {
        (Term::Fixed(fixed), _) => fixed.get(),
        (Term::Number(name), Some(c)) => number(definition, c, name).clamp(MIN, MAX),
        (Term::Number(_), None) => 0.clamp(MIN, MAX),
    }
}

/// The turns of a combatant in a round.
pub(super) fn turns(definition: &Definition, c: &Combatant) -> usize {
    match &definition.turns {
        Turns::Count(turns) => usize::try_from(value(definition, Some(c), turns)).unwrap_or(0),
        // The next one.
        Turns::Unlimited | Turns::WhileScore | Turns::ByTick => 1,
    }
}

/// Whether combatants have turns until the game master ends the round.
pub(super) fn has_unlimited_turns(definition: &Definition) -> bool {
    definition.turns == Turns::Unlimited
}

/// Whether the game master may end the round now: it has begun, no turn is in progress, and rounds
/// are not ticks.
pub(super) fn may_end_round(encounter: &Encounter) -> bool {
    matches!(encounter.state.mode, Mode::Choosing | Mode::Gap { .. })
        && encounter.state.turns.is_empty()
        && !has_clock(definition(encounter))
}

/// The most points of a pool, and those at the start.
pub(super) fn pool_size(
    definition: &Definition,
    c: Option<&Combatant>,
    pool: &PoolRule,
) -> (u32, u32) {
    let max = points_of_term(definition, c, &pool.max);
    (max, pool_start(definition, c, pool, max))
}

/// The points of a pool at the start: the most that it holds, unless the pool says less.
fn pool_start(definition: &Definition, c: Option<&Combatant>, pool: &PoolRule, max: u32) -> u32 {
    match &pool.start {
        Some(start) => points_of_term(definition, c, start).min(max),
        None => max,
    }
}

/// The points of a pool after a gain: those that are more than it may hold stay.
pub(super) fn gained(
    definition: &Definition,
    c: Option<&Combatant>,
    gain: &Gain,
    before: u32,
    max: u32,
) -> u32 {
    match gain {
        Gain::Max => max,
        Gain::Points(points) => {
            let more = points_of_term(definition, c, points);
            before.saturating_add(more).min(max.max(before))
        }
    }
}

/// The most points of a side's pool, and those at the start.
pub(super) fn side_pool_size(encounter: &Encounter, side: &Slug, pool: &PoolRule) -> (u32, u32) {
    let definition = definition(encounter);
    if !is_outnumbered(pool) {
        return pool_size(definition, None, pool);
    }
    let max = outnumbered_by(encounter, side);
    (max, pool_start(definition, None, pool, max))
}

/// Whether a pool holds a point for each combatant that its side has fewer than the largest.
pub(super) fn is_outnumbered(pool: &PoolRule) -> bool {
    matches!(&pool.max, Term::Number(word) if *word == OUTNUMBERED)
}

/// How many combatants a side has fewer than the largest side. Hidden ones count only for a side
/// that has no others, or the points would show that they are there.
pub(super) fn outnumbered_by(encounter: &Encounter, side: &Slug) -> u32 {
    let mut seen: BTreeMap<&Slug, u32> = BTreeMap::new();
    let mut hidden = 0;
    for c in encounter.active() {
        if !c.hidden {
            *seen.entry(&c.side).or_default() += 1;
        } else if c.side == *side {
            hidden += 1;
        }
    }
    let own = seen.get(side).copied().unwrap_or(hidden);
    let largest = seen.values().max().copied().unwrap_or(0);
    largest.saturating_sub(own).min(MAX_POINTS)
}

fn points_of_term(definition: &Definition, c: Option<&Combatant>, term: &Term<0, 100>) -> u32 {
    u32::try_from(value(definition, c, term)).unwrap_or(0)
}

/// Whether a combatant has as many turns as there are choices, so that it declares none and fits
/// all.
pub(super) fn has_every_choice(definition: &Definition, c: &Combatant) -> bool {
    match &definition.declare {
        Some(declare) => turns(definition, c) >= declare.choices.len(),
        None => false,
    }
}

/// Whether a combatant is a foe of the players.
pub(super) fn is_foe(c: &Combatant) -> bool {
    c.side != "players"
}

/// Whether a combatant is one of `who`.
pub(super) fn fits(definition: &Definition, who: &Who, c: &Combatant) -> bool {
    fits_body(who, definition, c)
        && (who.declared.is_empty()
            || has_declared_one_of(definition, who, c)
            || has_every_choice(definition, c))
}

/// The same by side and numbers alone.
fn fits_body(who: &Who, definition: &Definition, c: &Combatant) -> bool {
    if let Some(team) = who.side
        && (team == Team::Foes) != is_foe(c)
    {
        return false;
    }
    let has = who.has.as_ref();
    has.is_none_or(|name| number(definition, c, name) > 0)
}

fn has_declared_one_of(definition: &Definition, who: &Who, c: &Combatant) -> bool {
    match declared(definition, c) {
        Some(choice) => who.declared.contains(choice),
        None => false,
    }
}

/// What a combatant has declared, or the choice that comes first if it may still pass.
pub(super) fn declared<'t>(definition: &'t Definition, c: &'t Combatant) -> Option<&'t Slug> {
    if let Some(choice) = &c.state.declared {
        return Some(choice);
    }
    let declare = definition.declare.as_ref();
    let declare =
        declare.filter(|declare| declare.passing && fits_body(&declare.who, definition, c))?;
    let is_reversed = key_of(definition, &Fact::Choice).is_some_and(|key| key.highest);
    let mut choices = declare.choices.iter();
    if is_reversed {
        choices.next_back()
    } else {
        choices.next()
    }
}

/// Whether a combatant must declare before the round goes on.
pub(super) fn must_declare(encounter: &Encounter, c: &Combatant) -> bool {
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

/// Whether a combatant is surprised, so that its first turn passes unused.
pub(super) fn is_surprised(definition: &Definition, c: &Combatant) -> bool {
    definition.surprise == Surprise::Skips && c.state.surprised
}

/// Whether it has no turns while it is unconscious.
pub(super) fn is_skipped(definition: &Definition, c: &Combatant) -> bool {
    definition.unconscious == Unconscious::Skips && c.has(MANIFEST.down)
}

/// What the combatants roll: where their numbers alone decide, it is a score of nothing.
pub(super) fn score_rule(definition: &Definition) -> Option<&ScoreRule> {
    static NOTHING: LazyLock<ScoreRule> = LazyLock::new(ScoreRule::default);
    let score = definition.score.as_ref();
    score.or_else(|| has_places(definition).then(|| &*NOTHING))
}

/// The keys of the order.
pub(super) fn keys(definition: &Definition) -> &[Key] {
    const ALWAYS: Only = Only {
        round: None,
        from_round: None,
        lap: None,
    };
    static USUAL: [Key; 2] = [
        Key {
            fact: Fact::Score,
            highest: true,
            only: ALWAYS,
        },
        Key {
            fact: Fact::Late,
            highest: false,
            only: ALWAYS,
        },
    ];
    match &definition.order {
        Some(keys) => keys,
        None if scores_sides(definition) => &USUAL[..1],
        None if definition.score.is_some() => &USUAL,
        None => &[],
    }
}

/// The key of the order that compares this: of several the one that always counts.
pub(super) fn key_of<'d>(definition: &'d Definition, fact: &Fact) -> Option<&'d Key> {
    let mut keys = keys(definition).iter().filter(|key| key.fact == *fact);
    let mut always = keys.clone();
    let always = always.find(|key| key.only == Only::default());
    always.or_else(|| keys.next())
}

/// Whether sides have the initiative, not combatants.
pub(super) fn scores_sides(definition: &Definition) -> bool {
    let score = definition.score.as_ref();
    score.is_some_and(|score| score.per == Per::Side)
}

/// Whether a key is one of the initiative of a side.
pub(super) fn is_of_side(definition: &Definition, fact: &Fact) -> bool {
    scores_sides(definition) && matches!(fact, Fact::Score | Fact::Late | Fact::Die)
}

/// Whether a key compares combatants by something of their own, so that each has a place.
fn is_own(definition: &Definition, fact: &Fact) -> bool {
    match fact {
        Fact::Score | Fact::Late | Fact::Die => !scores_sides(definition),
        Fact::Seat | Fact::Number(_) => true,
        Fact::Foe
        | Fact::Lap
        | Fact::Segment
        | Fact::Choice
        | Fact::Side
        | Fact::Outnumbered
        | Fact::Again { .. } => false,
    }
}

/// Whether combatants have places: something of their own decides between them.
pub(super) fn has_places(definition: &Definition) -> bool {
    let mut keys = keys(definition).iter();
    keys.any(|key| is_own(definition, &key.fact))
}

/// Whether something of the combatants' own decides between them in this round.
pub(super) fn has_places_now(encounter: &Encounter) -> bool {
    let definition = definition(encounter);
    let round = encounter.round;
    let mut keys = keys(definition).iter();
    keys.any(|key| is_own(definition, &key.fact) && key.only.counts_in(round))
}

/// Whether sides take turns, so that one of them goes first.
pub(super) fn has_sides(definition: &Definition) -> bool {
    let mut keys = keys(definition).iter();
    keys.any(|key| match key.fact {
        Fact::Side | Fact::Again { .. } => true,
        Fact::Score => scores_sides(definition),
        _ => false,
    })
}

/// Whether one that acts again in the next round comes after another side.
pub(super) fn keeps_last_side(definition: &Definition) -> bool {
    let across = Fact::Again {
        across_rounds: true,
    };
    key_of(definition, &across).is_some()
}

/// Whether each round has initiative of its own.
pub(super) fn rerolls(definition: &Definition) -> bool {
    score_rule(definition).is_some_and(|score| score.reroll)
}

/// The deck, if the order is dealt in cards.
pub(super) fn deck(definition: &Definition) -> Option<&DeckRule> {
    score_rule(definition)?.deck.as_ref()
}

/// The pool that pays for turns, and what they cost, if points pay.
pub(super) fn pool_of_turns(definition: &Definition) -> Option<(&Slug, &TurnCostRule)> {
    let rule = definition.turn_cost.as_ref()?;
    Some((rule.pool.as_ref()?, rule))
}

/// The cost of turns if they come by tick, so that initiative is time.
pub(super) fn clock(definition: &Definition) -> Option<&TurnCostRule> {
    let cost = definition.turn_cost.as_ref();
    cost.filter(|_| has_clock(definition))
}

/// Whether initiative is time.
pub(super) fn has_clock(definition: &Definition) -> bool {
    definition.turns == Turns::ByTick
}

/// Whether turns cost initiative, so that combatants have no fixed count of them.
pub(super) fn costs_turns(definition: &Definition) -> bool {
    matches!(definition.turns, Turns::WhileScore | Turns::ByTick)
}

/// Whether a combatant's further turns come after all have had one.
pub(super) fn has_laps(definition: &Definition) -> bool {
    key_of(definition, &Fact::Lap).is_some()
}

/// How much later each further turn of a combatant is.
pub(super) fn further_turn(definition: &Definition) -> i64 {
    match definition.changes.further_turn {
        Some(later) => later.get(),
        None if has_laps(definition) => 0,
        None => 10,
    }
}

/// The twelfth of a round in which a turn falls, of one that has this many: they are spread evenly, and
/// the last is at the end.
pub(super) fn segment(turn: usize, turns: usize) -> usize {
    let turn = turn.saturating_add(1);
    turn.saturating_mul(12).div_ceil(turns.max(turn))
}

/// The lap in which somebody acts, or else the next one does, from 0.
pub(super) fn lap_now(encounter: &Encounter) -> usize {
    let taken = |id: &CombatantId| {
        if has_places(definition(encounter)) {
            let place = open_place(encounter, id).or_else(|| last_begun(encounter, id))?;
            return Some(encounter.state.places.get(place)?.turn);
        }
        usize::try_from(encounter.get(id)?.state.turns_taken).ok()
    };
    if let Some(id) = top(encounter).and_then(|turn| turn.combatants.first()) {
        let costs = costs_turns(definition(encounter));
        if has_places(definition(encounter)) && !costs {
            let begun = last_begun(encounter, id);
            let place = begun.and_then(|at| encounter.state.places.get(at));
            return place.map_or(0, |place| place.turn);
        }
        return taken(id).unwrap_or(0).saturating_sub(usize::from(!costs));
    }
    let next = candidates(encounter);
    next.first().and_then(taken).unwrap_or(0)
}

/// Whether combatants act around the table.
pub(super) fn is_seated(definition: &Definition) -> bool {
    key_of(definition, &Fact::Seat).is_some()
}

/// Whether initiative is a key of the order.
pub(super) fn sorts_by_score(definition: &Definition) -> bool {
    key_of(definition, &Fact::Score).is_some()
}

/// The first number that is a key of the order, and whether the highest is first.
pub(super) fn leading_number(definition: &Definition) -> Option<(&Slug, bool)> {
    let mut keys = keys(definition).iter();
    keys.find_map(|key| match &key.fact {
        Fact::Number(name) => Some((name, key.highest)),
        _ => None,
    })
}

pub(super) fn is_low_first(definition: &Definition) -> bool {
    key_of(definition, &Fact::Score).is_some_and(|key| !key.highest)
}

/// The factor of the initiative, so that the lowest is first.
pub(super) fn sign_of_score(definition: &Definition) -> i64 {
    key_of(definition, &Fact::Score).map_or(-1, Key::sign)
}

/// What a combatant's lost hit points change now.
pub(super) fn change_by_wounds(definition: &Definition, c: &Combatant) -> i64 {
    let (Some(wounds), Some(hp)) = (&definition.changes.wounds, &c.hp) else {
        return 0;
    };
    let max = hp.max.unwrap_or(hp.current).get();
    let lost = (max - hp.current.get()).max(0);
    lost / wounds.each.get() * wounds.by.get()
}

/// What a combatant's conditions change now.
pub(super) fn change_by_conditions(definition: &Definition, c: &Combatant) -> i64 {
    let conditions = definition.changes.conditions.iter();
    let present = conditions.filter(|(condition, _)| c.has(condition.as_str()));
    present.map(|(_, change)| change.get()).sum()
}

/// Whether combatants may delay, for as long as this.
pub(super) fn delays_last(definition: &Definition, lasts: Lasts) -> bool {
    delay_rule(definition).is_some_and(|(_, rule)| rule.lasts == lasts)
}

/// Whether this round's initiative is still to be rolled.
pub(super) fn owes_roll(encounter: &Encounter) -> bool {
    score_rule(definition(encounter)).is_some() && !encounter.state.rolled
}

/// True if a combatant may act, by all but the order.
pub(super) fn is_ready(encounter: &Encounter, c: &Combatant) -> bool {
    let definition = definition(encounter);
    c.active()
        && !is_skipped(definition, c)
        && has_turn_left(definition, c)
        && can_pay_turn(encounter, c)
        && !keeps_delaying(definition, c)
        && fits(definition, &definition.who, c)
        && has_step(definition, c)
}

/// Whether a combatant has a turn left. Where turns cost initiative, its place says so.
fn has_turn_left(definition: &Definition, c: &Combatant) -> bool {
    costs_turns(definition) || c.state.turns_left > 0
}

/// Whether a combatant delays, and its delay does not end when its place comes again.
fn keeps_delaying(definition: &Definition, c: &Combatant) -> bool {
    c.state.delaying && !delays_last(definition, Lasts::Place)
}

/// Whether a combatant takes part in a step of a shared turn, where it has steps.
fn has_step(definition: &Definition, c: &Combatant) -> bool {
    let steps = all_steps(definition);
    let mut those = steps.iter();
    steps.is_empty() || those.any(|step| fits(definition, &step.who, c))
}

/// The steps of a shared turn.
pub(super) fn all_steps(definition: &Definition) -> &[StepRule] {
    match &definition.together {
        Some(together) => &together.steps,
        None => &[],
    }
}

/// The places that are still to come up.
pub(super) fn open_places(encounter: &Encounter) -> impl Iterator<Item = &CachedJson<Place>> {
    let definition = definition(encounter);
    let places = encounter.state.places.iter();
    places.filter(move |place| !is_over(definition, place))
}

/// Whether a place comes up no more in this round. On a clock none is over; where turns cost
/// initiative else, it is over without any.
pub(super) fn is_over(definition: &Definition, place: &Place) -> bool {
    if has_clock(definition) {
        return false;
    }
    place.done || costs_turns(definition) && place.initiative.total <= 0
}

/// The first place of a combatant.
pub(super) fn place_of<'t>(encounter: &'t Encounter, id: &CombatantId) -> Option<&'t Place> {
    let mut places = encounter.state.places.iter();
    places
        .find(|place| place.combatant == *id)
        .map(|place| &**place)
}

/// The first place of a combatant that is still to come up.
pub(super) fn open_place(encounter: &Encounter, id: &CombatantId) -> Option<usize> {
    let places = encounter.state.places.iter();
    let definition = definition(encounter);
    let is_open = |place: &CachedJson<Place>| place.combatant == *id && !is_over(definition, place);
    places
        .enumerate()
        .find_map(|(at, place)| is_open(place).then_some(at))
}

/// What many questions about an encounter need: the places of each combatant, and the sides that can
/// act. Each is made when it is first asked for, so that asking for every combatant looks through
/// the places once.
pub(super) struct Survey<'t> {
    pub(super) encounter: &'t Encounter,
    places: OnceCell<HashMap<&'t CombatantId, PlacesOfOne<'t>>>,
    able: OnceCell<BTreeSet<(&'t Slug, bool)>>,
}

/// The places of one combatant.
struct PlacesOfOne<'t> {
    first: &'t Place,
    has_open: bool,
}

impl<'t> Survey<'t> {
    pub(super) fn of(encounter: &'t Encounter) -> Self {
        Self {
            encounter,
            places: OnceCell::new(),
            able: OnceCell::new(),
        }
    }

    fn places(&self) -> &HashMap<&'t CombatantId, PlacesOfOne<'t>> {
        self.places.get_or_init(|| {
            let definition = definition(self.encounter);
            let mut places: HashMap<_, PlacesOfOne<'t>> = HashMap::new();
            for place in &self.encounter.state.places {
                let of_one = places.entry(&place.combatant).or_insert(PlacesOfOne {
                    first: place,
                    has_open: false,
                });
                of_one.has_open |= !is_over(definition, place);
            }
            places
        })
    }

    /// The first place of a combatant.
    fn place_of(&self, id: &CombatantId) -> Option<&'t Place> {
        Some(self.places().get(id)?.first)
    }

    /// Whether a combatant has a place that is still to come up.
    pub(super) fn has_open_place(&self, id: &CombatantId) -> bool {
        self.places().get(id).is_some_and(|places| places.has_open)
    }

    /// The sides of which a combatant can act: with true those of hidden combatants.
    fn able(&self) -> &BTreeSet<(&'t Slug, bool)> {
        self.able.get_or_init(|| {
            let by_places = has_places(definition(self.encounter));
            let mut able = BTreeSet::new();
            for c in self.encounter.iter() {
                let comes_up = !by_places || self.has_open_place(&c.id);
                if comes_up && is_ready(self.encounter, c) {
                    able.insert((&c.side, c.hidden));
                }
            }
            able
        })
    }
}

/// A combatant's next place.
pub(super) fn next_place<'t>(encounter: &'t Encounter, id: &CombatantId) -> Option<&'t Place> {
    let place = encounter.state.places.get(open_place(encounter, id)?)?;
    Some(place)
}

/// The place of a combatant for which it may still choose another card.
pub(super) fn place_to_choose<'t>(encounter: &'t Encounter, id: &CombatantId) -> Option<&'t Place> {
    let mut places = encounter.state.places.iter();
    let place = places.find(|place| place.combatant == *id && may_choose_card(place))?;
    Some(place)
}

/// Whether a place may still have another card.
pub(super) fn may_choose_card(place: &Place) -> bool {
    !place.done && !place.initiative.spare.is_empty()
}

/// The combatants that may still choose which of their cards counts.
pub(super) fn choosing_cards(encounter: &Encounter) -> impl Iterator<Item = &Combatant> {
    let mut choosing = HashSet::new();
    for place in &encounter.state.places {
        if may_choose_card(place) {
            choosing.insert(&place.combatant);
        }
    }
    encounter.active().filter(move |c| choosing.contains(&c.id))
}

/// Where the last of a combatant's turns stands that have begun in this round.
pub(super) fn last_begun(encounter: &Encounter, id: &CombatantId) -> Option<usize> {
    let mut places = encounter.state.places.iter();
    places.rposition(|place| place.done && place.combatant == *id)
}

/// Beside whose place a combatant goes that moves now, and whether after it: the turn that is going
/// on, else the last one. If its combatant has left, the place after it tells where it stood.
pub(super) fn beside_now(encounter: &Encounter) -> (Option<&CombatantId>, bool) {
    let state = &encounter.state;
    if let Some(turn) = top(encounter) {
        (turn.combatants.first(), false)
    } else if let Some(last) = &state.last {
        (Some(last), true)
    } else {
        (state.stood_before.as_ref(), false)
    }
}

/// The turn that is going on: the last one in which there is anybody.
pub(super) fn top(encounter: &Encounter) -> Option<&Turn> {
    let mut turns = encounter.state.turns.iter();
    turns.rfind(|turn| !turn.combatants.is_empty())
}

/// What the turn that is going on costs; None if it costs nothing, as a bought one.
pub(super) fn cost_of_turn(encounter: &Encounter) -> Option<&TurnCostRule> {
    match top(encounter) {
        Some(turn) if turn.origin == TurnOrigin::Bought => None,
        _ => definition(encounter).turn_cost.as_ref(),
    }
}

/// What a turn of a combatant costs at least and at most: no more points than it has.
pub(super) fn price_of_turn(encounter: &Encounter, id: &CombatantId) -> Option<[u32; 2]> {
    let rule = cost_of_turn(encounter)?;
    let [least, most] = rule.cost.map(Int::count);
    match (&rule.pool, encounter.get(id)) {
        (Some(pool), Some(c)) => Some([least, most.min(points(encounter, c, pool))]),
        _ => Some([least, most]),
    }
}

/// The event that pays for a turn that ends at this cost, or the usual one; None if it costs nothing.
pub(super) fn payment(encounter: &Encounter, id: &CombatantId, cost: Option<u32>) -> Option<Event> {
    let rule = cost_of_turn(encounter)?;
    let Some(pool) = &rule.pool else {
        return change_by_turn(encounter, id, cost).map(Event::from);
    };
    let c = encounter.get(id)?;
    let cost = cost.unwrap_or(rule.usual().count());
    let left = points(encounter, c, pool).saturating_sub(cost);
    let pool = pool.clone();
    Some(match definition(encounter).pools.get(&pool)?.of {
        Owner::Combatant => PoolChanged {
            combatant: id.clone(),
            pool,
            left,
        }
        .into(),
        Owner::Side => SidePoolChanged {
            side: c.side.clone(),
            pool,
            left,
        }
        .into(),
        Owner::Table => TablePoolChanged { pool, left }.into(),
    })
}

/// Whether a combatant has the points that a turn costs at least.
fn can_pay_turn(encounter: &Encounter, c: &Combatant) -> bool {
    let Some((pool, rule)) = pool_of_turns(definition(encounter)) else {
        return true;
    };
    let [least, _] = rule.cost;
    points(encounter, c, pool) >= least.count()
}

/// What becomes of a combatant's initiative if its turn ends at this cost, or the usual one; None if
/// the turn costs nothing.
fn change_by_turn(
    encounter: &Encounter,
    id: &CombatantId,
    cost: Option<u32>,
) -> Option<InitiativeChanged> {
    let usual = cost_of_turn(encounter)?.usual();
    let cost = cost.unwrap_or(usual.count());
    let mut by = later_by(definition(encounter), cost);
    if has_clock(definition(encounter)) {
        // A place whose tick has passed counts from the present one.
        let stands_at = place_of(encounter, id)?.initiative.total;
        by += (i64::from(encounter.state.tick) - stands_at).max(0);
    }
    change_of_initiative(encounter, id, Cause::Turn, by)
}

/// A cost in initiative as a change of it: it puts a combatant later.
pub(super) fn later_by(definition: &Definition, cost: u32) -> i64 {
    sign_of_score(definition) * i64::from(cost)
}

/// What becomes of a combatant's initiative by a change; None if it has no place.
pub(super) fn change_of_initiative(
    encounter: &Encounter,
    id: &CombatantId,
    cause: Cause,
    by: i64,
) -> Option<InitiativeChanged> {
    let from = place_of(encounter, id)?.initiative.total;
    Some(InitiativeChanged {
        combatant: id.clone(),
        from,
        to: from.saturating_add(by),
        cause,
    })
}

/// The steps of the turn that is going on.
pub(super) fn steps(encounter: &Encounter) -> &[StepRule] {
    match top(encounter) {
        Some(turn) if turn.origin == TurnOrigin::Normal => all_steps(definition(encounter)),
        _ => &[],
    }
}

/// The step of the turn that is going on.
pub(super) fn step_now(encounter: &Encounter) -> Option<&StepRule> {
    steps(encounter).get(top(encounter)?.step)
}

/// The names of the choice and the step that are going on, where the order goes by choices, or a step
/// has a name.
pub(super) fn names_now(encounter: &Encounter) -> Vec<String> {
    let mut names = Vec::new();
    if let Some(choice) = choice_now(encounter) {
        let mut words = String::new();
        spaced(choice.as_str(), &mut words);
        names.push(words);
    }
    if let Some(name) = step_now(encounter).and_then(|step| step.name.as_ref()) {
        let mut words = String::new();
        spaced(name.as_str(), &mut words);
        names.push(format!("{words} step"));
    }
    names
}

/// The choice that all have declared that act now, or that may act next.
fn choice_now(encounter: &Encounter) -> Option<&Slug> {
    key_of(definition(encounter), &Fact::Choice)?;
    let acting = match top(encounter) {
        Some(turn) => turn.combatants.clone(),
        None => candidates(encounter),
    };
    let mut choices = acting
        .iter()
        .map(|id| declared(definition(encounter), encounter.get(id)?));
    let first = choices.next()??;
    choices.all(|choice| choice == Some(first)).then_some(first)
}

/// Whose turn it is, and not done with its step.
pub(super) fn current(encounter: &Encounter) -> impl Iterator<Item = &CombatantId> {
    let turn = top(encounter).into_iter();
    turn.flat_map(move |turn| {
        let sharing = turn.combatants.iter();
        sharing.filter(move |id| has_to_act(encounter, turn, id))
    })
}

/// Whether a combatant that shares this turn acts in its step and is not done.
fn has_to_act(encounter: &Encounter, turn: &Turn, id: &CombatantId) -> bool {
    let Some(c) = encounter.get(id) else {
        return false;
    };
    if !c.active() || turn.done.contains(id) {
        return false;
    }
    let steps = steps(encounter);
    match steps.get(turn.step) {
        Some(step) => fits(definition(encounter), &step.who, c),
        None => steps.is_empty(),
    }
}

/// Whether one of the turns that are going on is this combatant's.
pub(super) fn in_a_turn(encounter: &Encounter, id: &CombatantId) -> bool {
    let mut turns = encounter.state.turns.iter();
    turns.any(|turn| turn.combatants.contains(id))
}

/// Whether the turn that is going on is this combatant's.
pub(super) fn in_top_turn(encounter: &Encounter, id: &CombatantId) -> bool {
    top(encounter).is_some_and(|turn| turn.combatants.contains(id))
}

/// When combatants react.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    /// Before the first turn of a round by the order.
    RoundStart,
    /// Within a turn.
    WithinTurn,
    /// After a turn that ended or was delayed.
    AfterTurn,
    /// Before the round ends.
    RoundEnd,
    /// While a choice of who acts next is open.
    Choice,
}

/// The opening that there is now, if combatants can react.
pub(super) fn opening(encounter: &Encounter) -> Option<Opening> {
    match encounter.state.mode {
        Mode::Gap { at, .. } => Some(match at {
            GapAt::RoundStart => Opening::RoundStart,
            GapAt::AfterTurn => Opening::AfterTurn,
            GapAt::RoundEnd => Opening::RoundEnd,
        }),
        Mode::Turn if top(encounter).is_some() => Some(Opening::WithinTurn),
        Mode::Choosing => Some(Opening::Choice),
        _ => None,
    }
}

/// Whether a combatant may react at all: it is in the fight, and has not passed in this gap.
pub(super) fn may_respond(encounter: &Encounter, c: &Combatant) -> bool {
    if let Mode::Gap { passed, .. } = &encounter.state.mode
        && passed.contains(&c.id)
    {
        return false;
    }
    c.active() && !is_skipped(definition(encounter), c)
}

/// Whether it was this combatant's turn that ended or was delayed last.
fn was_last(encounter: &Encounter, c: &Combatant) -> bool {
    encounter.state.last.as_ref() == Some(&c.id)
}

/// Whether a combatant that delays may return in this opening.
pub(super) fn may_return(encounter: &Encounter, c: &Combatant, opening: Opening) -> bool {
    let Some((_, delay)) = delay_rule(definition(encounter)) else {
        return false;
    };
    let is_time = match opening {
        Opening::WithinTurn => delay.when != When::Gap,
        Opening::AfterTurn => delay.when != When::Turn && !was_last(encounter, c),
        Opening::RoundEnd => true,
        Opening::RoundStart | Opening::Choice => false,
    };
    c.state.delaying && is_time && has_room(encounter) && may_respond(encounter, c)
}

/// Whether one more turn may interrupt those that are going on.
fn has_room(encounter: &Encounter) -> bool {
    encounter.state.turns.len() < MAX_DEPTH
}

/// Whether a combatant may react in this opening, if it has a reaction.
pub(super) fn may_react(encounter: &Encounter, c: &Combatant, opening: Opening) -> bool {
    let is_own_turn = match opening {
        Opening::RoundStart => false,
        Opening::WithinTurn => in_a_turn(encounter, &c.id),
        Opening::AfterTurn | Opening::RoundEnd => was_last(encounter, c),
        Opening::Choice => encounter.state.last.is_none() || was_last(encounter, c),
    };
    let follows_lair =
        !matches!(opening, Opening::RoundStart | Opening::WithinTurn) && after_lair(encounter);
    !is_own_turn
        && !follows_lair
        && !c.state.delaying
        && !c.has(MANIFEST.down)
        && !is_surprised(definition(encounter), c)
        && may_respond(encounter, c)
}

/// The points that a combatant can spend from a pool.
pub(super) fn points(encounter: &Encounter, c: &Combatant, name: &Slug) -> u32 {
    let Some(pool) = definition(encounter).pools.get(name) else {
        return 0;
    };
    let pools = match pool.of {
        Owner::Combatant if c.state.pools.is_empty() => Some(&c.state.unseen_pools.0),
        Owner::Combatant => Some(&c.state.pools),
        Owner::Side => side_state(&encounter.state, &c.side).map(|side| &side.pools),
        Owner::Table => Some(&encounter.state.pools),
    };
    let points = pools.and_then(|pools| pools.get(name));
    points.copied().unwrap_or(0)
}

/// The state of a side.
pub(super) fn side_state<'t>(state: &'t State, side: &Slug) -> Option<&'t SideState> {
    let mut sides = state.sides.iter();
    sides.find(|known| known.side == *side)
}

/// The fewest and the most points that a reaction costs.
pub(super) fn price(rule: &ReactionRule) -> [u32; 2] {
    match &rule.cost.pool {
        Some(_) => rule.cost.points.map(Int::count),
        None => [0, 0],
    }
}

/// Whether a combatant has the points that a reaction costs at least.
fn has_points(encounter: &Encounter, c: &Combatant, rule: &ReactionRule) -> bool {
    let [least, _] = price(rule);
    match &rule.cost.pool {
        Some(pool) => points(encounter, c, pool) >= least,
        None => true,
    }
}

/// Whether a combatant has the turn that a reaction takes or costs.
pub(super) fn has_turn_for(survey: &Survey<'_>, c: &Combatant, rule: &ReactionRule) -> bool {
    if rule.gives() == Gives::OwnTurn && !is_ready(survey.encounter, c) {
        return false;
    }
    let needs_turn = rule.gives() == Gives::OwnTurn || rule.cost.turn;
    !needs_turn || has_open_turn(survey, c)
}

/// Whether a combatant has a turn of this round left, and its place has not come up.
fn has_open_turn(survey: &Survey<'_>, c: &Combatant) -> bool {
    let encounter = survey.encounter;
    let definition = definition(encounter);
    if let Some(clock) = clock(definition) {
        let last_tick = i64::from(encounter.round).saturating_mul(clock.ticks.get());
        let place = survey.place_of(&c.id);
        return place.is_some_and(|place| place.initiative.total <= last_tick);
    }
    if costs_turns(definition) {
        return survey.has_open_place(&c.id);
    }
    let is_open = !has_places(definition) || survey.has_open_place(&c.id);
    c.state.turns_left > 0 && is_open && !c.state.delaying
}

/// Whether a combatant has a reaction, can pay for it, and has not used it since the last turn
/// started.
fn can_pay(survey: &Survey<'_>, c: &Combatant, name: &Slug, rule: &ReactionRule) -> bool {
    !c.state.used.contains(name)
        && has_points(survey.encounter, c, rule)
        && has_initiative(survey, c, rule)
        && fits(definition(survey.encounter), &rule.who, c)
        && has_turn_for(survey, c, rule)
}

/// Whether a combatant has the initiative that a reaction costs. Where turns cost initiative too,
/// the highest first, it can't fall below 0.
pub(super) fn has_initiative(survey: &Survey<'_>, c: &Combatant, rule: &ReactionRule) -> bool {
    let cost = rule.cost.initiative.get();
    if cost == 0 {
        return true;
    }
    let definition = definition(survey.encounter);
    let counts_down = costs_turns(definition) && !has_clock(definition);
    match survey.place_of(&c.id) {
        Some(place) => !counts_down || place.initiative.total >= cost,
        None => false,
    }
}

/// Whether a combatant that [may react](may_react) may do it by this reaction.
pub(super) fn may_use(
    survey: &Survey<'_>,
    c: &Combatant,
    opening: Opening,
    name: &Slug,
    rule: &ReactionRule,
) -> bool {
    comes_in(survey.encounter, opening, rule) && can_use(survey, c, name, rule)
}

/// True if a reaction may be used in this opening.
fn comes_in(encounter: &Encounter, opening: Opening, rule: &ReactionRule) -> bool {
    let in_gap = matches!(rule.when, When::Gap | When::Any);
    let is_time = match opening {
        Opening::RoundStart => rule.when == When::RoundStart,
        Opening::WithinTurn => {
            matches!(rule.when, When::Turn | When::Any)
                || in_gap && rule.silent && !is_turn_of_lair(encounter)
        }
        Opening::AfterTurn | Opening::RoundEnd => in_gap,
        Opening::Choice => in_gap && rule.silent,
    };
    let fits_here = match rule.gives() {
        Gives::Action => true,
        Gives::Turn | Gives::OwnTurn => has_room(encounter),
        Gives::Skip => false,
    };
    is_time && fits_here
}

/// Whether it was a lair's turn that ended or was delayed last.
pub(super) fn after_lair(encounter: &Encounter) -> bool {
    let Some(last) = &encounter.state.last else {
        return false;
    };
    let last = encounter.get(last);
    last.is_some_and(|c| is_lair(definition(encounter), c))
}

/// Whether a lair has the turn. No reaction comes at its end.
fn is_turn_of_lair(encounter: &Encounter) -> bool {
    let turn = top(encounter);
    let first = turn.and_then(|turn| turn.combatants.first());
    let first = first.and_then(|id| encounter.get(id));
    first.is_some_and(|c| is_lair(definition(encounter), c))
}

/// Whether a combatant has prepared a reaction as its rule asks, and can pay for it.
fn can_use(survey: &Survey<'_>, c: &Combatant, name: &Slug, rule: &ReactionRule) -> bool {
    let is_prepared = match rule.prepare {
        Prepare::None => true,
        Prepare::Ready => c.state.readied_reactions.contains(name),
        Prepare::Delay => false,
    };
    is_prepared && can_pay(survey, c, name, rule)
}

/// Whether a combatant may let another side go first by this reaction.
pub(super) fn may_skip(
    survey: &Survey<'_>,
    c: &Combatant,
    name: &Slug,
    rule: &ReactionRule,
) -> bool {
    rule.gives() == Gives::Skip
        && can_pay(survey, c, name, rule)
        && lets_sides_skip(definition(survey.encounter))
        && another_side_can_act(survey, c)
}

/// Whether a combatant of another side can act, and its side has not let others go first. One that
/// players do not see counts only for those that they do not see either.
fn another_side_can_act(survey: &Survey<'_>, c: &Combatant) -> bool {
    let skipped = &survey.encounter.state.skipped;
    survey
        .able()
        .iter()
        .any(|(side, hidden)| **side != c.side && (c.hidden || !hidden) && !skipped.contains(side))
}

/// Whether a side chooses who acts for it, so that it may let another one go first.
pub(super) fn lets_sides_skip(definition: &Definition) -> bool {
    has_sides(definition) && definition.together.is_none()
}

/// Whether one of these, of which one acts next, may let another side go first.
pub(super) fn may_any_skip(encounter: &Encounter, candidates: &[CombatantId]) -> bool {
    let reactions = &definition(encounter).reactions;
    let survey = Survey::of(encounter);
    reactions.iter().any(|(name, rule)| {
        rule.gives() == Gives::Skip
            && candidates
                .iter()
                .filter_map(|id| encounter.get(id))
                .any(|c| may_skip(&survey, c, name, rule))
    })
}

/// The combatants that are asked in this opening: they have a reaction that is not silent.
pub(super) fn reacting(
    encounter: &Encounter,
    opening: Opening,
) -> impl Iterator<Item = &Combatant> {
    let mut rules: Vec<_> = definition(encounter).reactions.iter().collect();
    rules.retain(|(_, rule)| !rule.silent && comes_in(encounter, opening, rule));
    let survey = Survey::of(encounter);
    let swappers = if opening == Opening::RoundStart {
        swappers(&survey)
    } else {
        HashSet::new()
    };
    encounter.iter().filter(move |c| {
        if c.state.delaying {
            return may_return(encounter, c, opening);
        }
        let mut rules = rules.iter();
        rules.any(|(name, rule)| can_use(&survey, c, name, rule))
            && may_react(encounter, c, opening)
            || swappers.contains(&c.id) && may_respond(encounter, c)
    })
}

/// The combatants that may swap places before the first turn, if the definition asks for that. A hidden
/// partner counts only for hidden ones, or the question would show that it is there.
fn swappers<'t>(survey: &Survey<'t>) -> HashSet<&'t CombatantId> {
    let encounter = survey.encounter;
    let definition = definition(encounter);
    let rule = score_rule(definition).and_then(|score| score.swap.as_ref());
    let Some(rule) = rule.filter(|rule| rule.when == SwapWhen::RoundStart) else {
        return HashSet::new();
    };
    let mut partners: BTreeMap<(Option<&Slug>, bool), usize> = BTreeMap::new();
    let group = |c: &'t Combatant| (rule.with == Partner::Side).then_some(&c.side);
    let open: Vec<_> = encounter
        .active()
        .filter(|c| !c.state.delaying && survey.has_open_place(&c.id))
        .collect();
    for c in &open {
        *partners.entry((group(c), c.hidden)).or_default() += 1;
    }
    let count = |c: &'t Combatant, hidden| partners.get(&(group(c), hidden)).copied().unwrap_or(0);
    let mut swappers = HashSet::new();
    for c in open {
        let others = count(c, false) + if c.hidden { count(c, true) } else { 0 };
        if others > 1 && fits(definition, &rule.who, c) {
            swappers.insert(&c.id);
        }
    }
    swappers
}

/// The combatants that are asked in the gap that is open.
pub(super) fn asked(encounter: &Encounter) -> impl Iterator<Item = &Combatant> {
    let is_gap = matches!(encounter.state.mode, Mode::Gap { .. });
    let gap = opening(encounter).filter(|_| is_gap);
    gap.into_iter()
        .flat_map(|opening| reacting(encounter, opening))
}

/// Whether a combatant's initiative is fixed.
pub(super) fn is_fixed(definition: &Definition, c: &Combatant) -> bool {
    let Some(initiative) = score_rule(definition) else {
        return false;
    };
    match &initiative.fixed {
        Some(name) => number(definition, c, name) != 0,
        None => false,
    }
}

/// Whether a combatant stands for a lair: a hazard with a fixed initiative, which is no creature with a
/// turn.
pub(super) fn is_lair(definition: &Definition, c: &Combatant) -> bool {
    c.kind == Kind::Hazard && is_fixed(definition, c)
}
