//! Reactions: used at once, or readied and used later.

use super::by_rule::ByRule;
use super::candidates::candidates;
use super::definition::{Definition, Gives, Owner, Prepare, ReactionRule};
use super::lines::{has_laps, later_by, lets_sides_skip, pool_line, reaction_line};
use super::manifest::MANIFEST;
use super::openings::{
    Opening, has_initiative, has_turn_for, may_react, may_return, may_skip, may_use, opening,
    readies_several,
};
use super::point::{Point, Then};
use super::pools::{points, price, set_points, spending};
use super::query::{
    beside_now, change_of_initiative, definition, fits, is_surprised, last_begun, next_place,
    open_place, top,
};
use super::refusal::{ensure, now};
use super::survey::Survey;
use super::turn::{begin, use_up_place};
use super::{
    Cause, Combatant, Custom, Encounter, Event, Mode, Place, PlaceMoved, Play, Return, TurnOrigin,
};
use crate::json::CachedJson;
use crate::vocabulary::{
    CombatantId, Fold, Int, LegalCommand, Moment, Slug, Violation, command, event,
};

/// Readies an action on the combatant's turn, to trigger before its next turn.
#[command(player, "{combatant}: ready an action")]
pub struct Ready {
    /// The combatant.
    pub combatant: CombatantId,
    /// A reaction that is readied.
    pub reaction: Slug,
}

impl Ready {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<Then, Violation> {
        let id = &self.combatant;
        let fighter = play.in_turn(id, "CU-30")?;
        let name = &self.reaction;
        let rule = reaction(play, name)?;
        let encounter = play.encounter();
        let line = reaction_line(name, "prepare");
        let is_readied = rule.prepare == Prepare::Ready;
        ensure(is_readied, "not_readied", "CU-30", &line, || {
            format!("Reaction \"{name}\" isn't readied. Send \"react\".")
        })?;
        check_who(encounter, fighter, name, rule)?;
        let is_own = top(encounter).is_some_and(|turn| turn.origin != TurnOrigin::Bought);
        ensure(is_own, "not_its_own_turn", "CU-30", &line, || {
            format!("{id} can ready an action only on a turn of the order.")
        })?;
        let is_ready = fighter.state.readied_reactions.contains(name);
        ensure(!is_ready, "already_ready", "CU-30", &line, || {
            format!("{id} has already readied reaction \"{name}\".")
        })?;
        play.emit(Readied {
            combatant: id.clone(),
            reaction: name.clone(),
        });
        Ok(Then::Wait)
    }
}

/// Uses a reaction outside the combatant's own turn.
#[command(player, "{combatant}: react with {reaction}")]
pub struct React {
    /// The combatant.
    pub combatant: CombatantId,
    /// The reaction.
    pub reaction: Slug,
    /// Points to spend; the fewest by default.
    pub cost: Option<Int<0, 100>>,
}

impl React {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<Then, Violation> {
        respond(play, &Use::of_reaction(self))
    }
}

/// Uses a readied reaction.
#[command(player, "{combatant}: use the readied action")]
pub struct Trigger {
    /// The combatant.
    pub combatant: CombatantId,
    /// The reaction that was readied.
    pub reaction: Slug,
    /// Points to spend; the fewest by default.
    pub cost: Option<Int<0, 100>>,
}

impl Trigger {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<Then, Violation> {
        respond(play, &Use::of_readied(self))
    }
}

/// A combatant reacted outside its own turn.
#[event(
    "{combatant} {combatant:reacts|react} with {reaction}[ for {cost} {pool} {cost:point|points}]."
)]
pub struct Reacted {
    /// The combatant.
    pub combatant: CombatantId,
    /// The reaction.
    pub reaction: Slug,
    /// The pool that paid. Absent if the reaction costs no points.
    pub pool: Option<Slug>,
    /// Points spent.
    pub cost: u32,
}

impl ByRule for Reacted {
    fn follow(&self, encounter: &mut Encounter) {
        spend_reaction(
            encounter,
            &self.combatant,
            &self.reaction,
            self.pool.as_ref(),
            self.cost,
        );
    }
}

/// A combatant readied a reaction.
#[event("{combatant} {combatant:readies|ready} an action.")]
pub struct Readied {
    /// The combatant.
    pub combatant: CombatantId,
    /// The reaction.
    pub reaction: Slug,
}

impl Readied {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        fold.change_state(&self.combatant, |s| {
            s.readied_reactions.push(self.reaction.clone());
        });
    }
}

/// A combatant used a readied reaction.
#[event(
    "{combatant} {combatant:uses|use} the readied action[ for {cost} {pool} {cost:point|points}]."
)]
pub struct Triggered {
    /// The combatant.
    pub combatant: CombatantId,
    /// The reaction.
    pub reaction: Slug,
    /// The pool that paid. Absent if the reaction costs no points.
    pub pool: Option<Slug>,
    /// Points spent.
    pub cost: u32,
}

impl ByRule for Triggered {
    fn follow(&self, encounter: &mut Encounter) {
        encounter.change_state(&self.combatant, |s| {
            s.readied_reactions.retain(|name| *name != self.reaction);
        });
        spend_reaction(
            encounter,
            &self.combatant,
            &self.reaction,
            self.pool.as_ref(),
            self.cost,
        );
    }
}

/// A combatant spent a turn of this round on a reaction.
#[event("{combatant} {combatant:spends|spend} a turn of this round.")]
pub struct TurnSpent {
    /// The combatant.
    pub combatant: CombatantId,
}

impl ByRule for TurnSpent {
    /// Uses up a turn of a combatant that acts in no turn for it.
    fn follow(&self, encounter: &mut Encounter) {
        let id = &self.combatant;
        let definition = encounter.options.definition();
        let place = if has_laps(definition) {
            // It still acts in this lap, and in fewer of those that come.
            let is_open = |place: &CachedJson<Place>| place.combatant == *id && !place.done;
            encounter.state.places.iter().rposition(is_open)
        } else {
            open_place(encounter, id)
        };
        let Some(c) = encounter.get_mut(id) else {
            return;
        };
        c.state.turns_left = c.state.turns_left.saturating_sub(1);
        c.acted = c.state.turns_left == 0;
        let side = c.side.clone();
        use_up_place(&mut encounter.state, place, &side, false);
    }
}

/// A side let another one go first.
#[event("The {side} let another side go first.")]
pub struct SideSkipped {
    /// The combatant that decided it.
    pub combatant: CombatantId,
    /// The side.
    pub side: Slug,
}

impl SideSkipped {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        fold.state().skipped.push(self.side.clone());
    }
}

/// Spends a combatant's points on a reaction, which it uses once until the next turn. What its side
/// or the table pays is an event of its own.
fn spend_reaction(
    encounter: &mut Encounter,
    id: &CombatantId,
    reaction: &Slug,
    pool: Option<&Slug>,
    cost: u32,
) {
    let options = encounter.options.clone();
    encounter.change_state(id, |s| {
        if let Some(pool) = pool
            && let Some(rule) = options.definition().pools.get(pool)
            && rule.of == Owner::Combatant
            && cost > 0
        {
            let before = s.pools.get(pool).copied().unwrap_or(0);
            set_points(&mut s.pools, pool, before.saturating_sub(cost));
        }
        if !s.used.contains(reaction) {
            s.used.push(reaction.clone());
        }
    });
}

/// The reactions that there are in an opening.
pub(super) fn reaction_options(
    encounter: &Encounter,
    opening: Opening,
    legal: &mut Vec<LegalCommand>,
) {
    let survey = Survey::of(encounter);
    for c in encounter.iter() {
        if may_return(encounter, c, opening) {
            legal.push(LegalCommand::by::<Return>(&c.id, "CU-24"));
        }
        if !may_react(encounter, c, opening) {
            continue;
        }
        for (name, rule) in &definition(encounter).reactions {
            if may_use(&survey, c, opening, name, rule) {
                legal.push(use_of(encounter, c, name, rule));
            }
        }
    }
}

/// The command by which a combatant uses a reaction.
pub(super) fn use_of(
    encounter: &Encounter,
    c: &Combatant,
    name: &Slug,
    rule: &ReactionRule,
) -> LegalCommand {
    let option = match rule.prepare {
        Prepare::Ready => {
            let option = LegalCommand::by::<Trigger>(&c.id, "CU-30");
            if readies_several(encounter) {
                option.labelled("{combatant}: use the readied {reaction}")
            } else {
                option
            }
        }
        Prepare::None | Prepare::Delay => LegalCommand::by::<React>(&c.id, rule_of(rule)),
    };
    let option = option.with("reaction", name.as_str());
    let Some(pool) = &rule.cost.pool else {
        return option.without(&["cost"]);
    };
    let [least, most] = price(rule);
    let most = most.min(points(encounter, c, pool));
    option
        .range("cost", least.into(), most.into())
        .or("cost", least)
}

/// The rule behind what a reaction gives or costs.
fn rule_of(rule: &ReactionRule) -> &'static str {
    match rule.gives() {
        Gives::Skip => "CU-47",
        Gives::OwnTurn => "CU-46",
        Gives::Action | Gives::Turn if rule.cost.turn => "CU-45",
        Gives::Action | Gives::Turn => "CU-29",
    }
}

/// The reaction of this name.
fn reaction<'p>(play: &'p Play<'_>, name: &Slug) -> Result<&'p ReactionRule, Violation> {
    let reactions = &definition(play.encounter()).reactions;
    if let Some(rule) = reactions.get(name) {
        return Ok(rule);
    }
    let known: Vec<_> = reactions.keys().map(Slug::as_str).collect();
    let detail = if known.is_empty() {
        "This encounter has no reactions. Add \"reactions\" to the definition.".to_owned()
    } else {
        format!(
            "Unknown reaction. Reactions of this encounter: {}.",
            known.join(", ")
        )
    };
    Err(Violation::field("unknown_reaction", "reaction", detail))
}

/// A reaction as a command asks for it.
struct Use<'c> {
    combatant: &'c CombatantId,
    reaction: &'c Slug,
    cost: Option<Int<0, 100>>,
    /// True if it was readied.
    readied: bool,
}

impl<'c> Use<'c> {
    pub(super) fn of_reaction(c: &'c React) -> Self {
        Self {
            combatant: &c.combatant,
            reaction: &c.reaction,
            cost: c.cost,
            readied: false,
        }
    }

    pub(super) fn of_readied(c: &'c Trigger) -> Self {
        Self {
            combatant: &c.combatant,
            reaction: &c.reaction,
            cost: c.cost,
            readied: true,
        }
    }
}

fn respond(play: &mut Play<'_>, wanted: &Use<'_>) -> Result<Then, Violation> {
    let id = wanted.combatant;
    let c = play.combatant("combatant", id)?;
    let rule = &reaction(play, wanted.reaction)?.clone();
    check_prepared(wanted, rule)?;
    let encounter = play.encounter();
    check_who(encounter, c, wanted.reaction, rule)?;
    check_unused(c, wanted.reaction)?;
    if rule.gives() == Gives::Skip {
        return skip(play, wanted, rule);
    }
    let opening = check_opening(encounter, c, wanted.reaction)?;
    check_readied(wanted, c)?;
    let cost = check_cost(encounter, c, wanted, rule)?;
    check_initiative(encounter, c, wanted.reaction, rule)?;
    check_turn(encounter, c, wanted.reaction, rule)?;
    let line = reaction_line(wanted.reaction, "when");
    let is_time = may_use(&Survey::of(encounter), c, opening, wanted.reaction, rule);
    ensure(is_time, "cannot_react", "CU-29", &line, || {
        format!(
            "{id} can't use reaction \"{}\" now. {}",
            wanted.reaction,
            now(encounter)
        )
    })?;
    pay(play, wanted, rule, cost);
    if rule.moves {
        move_to_now(play, id);
    }
    match rule.gives() {
        Gives::Turn => begin(play, vec![id.clone()], TurnOrigin::Bought),
        Gives::OwnTurn => begin(play, vec![id.clone()], TurnOrigin::Early),
        Gives::Action | Gives::Skip => {
            return Ok(Then::Settle);
        }
    }
    Ok(Then::GoOn(Point::Turn))
}

/// Moves the place of a combatant to where it acts. A turn of this round that it has not had is lost.
fn move_to_now(play: &mut Play<'_>, id: &CombatantId) {
    let encounter = play.encounter();
    let (beside, after) = beside_now(encounter);
    let beside = beside.filter(|beside| *beside != id).cloned();
    if beside.is_none() {
        return;
    }
    let open = next_place(encounter, id).map(|place| place.turn);
    let begun = last_begun(encounter, id).and_then(|at| encounter.state.places.get(at));
    play.emit(PlaceMoved {
        combatant: id.clone(),
        beside,
        after,
        turn: open.or(begun.map(|place| place.turn)),
        done: open.is_some(),
    });
}

/// Lets another side go first.
fn skip(play: &mut Play<'_>, wanted: &Use<'_>, rule: &ReactionRule) -> Result<Then, Violation> {
    let id = wanted.combatant;
    let name = wanted.reaction;
    let c = play.combatant("combatant", id)?;
    let encounter = play.encounter();
    let line = "order";
    let chooses = encounter.state.mode == Mode::Choosing
        && lets_sides_skip(definition(encounter))
        && candidates(encounter).contains(id);
    ensure(chooses, "cannot_skip", "CU-47", line, || {
        format!(
            "{id} can let another side go first only while {id}'s side chooses who acts. {}",
            now(encounter)
        )
    })?;
    let cost = check_cost(encounter, c, wanted, rule)?;
    check_initiative(encounter, c, name, rule)?;
    check_turn(encounter, c, name, rule)?;
    let skips = may_skip(&Survey::of(encounter), c, name, rule);
    ensure(
        skips,
        "no_other_side",
        "CU-47",
        line,
        || "No other side can act now. Choose who acts.",
    )?;
    let side = c.side.clone();
    pay(play, wanted, rule, cost);
    play.emit(SideSkipped {
        combatant: id.clone(),
        side,
    });
    Ok(Then::GoOn(Point::Next))
}

/// Pays for a reaction, and tells of it.
fn pay(play: &mut Play<'_>, wanted: &Use<'_>, rule: &ReactionRule, cost: u32) {
    let id = wanted.combatant;
    if let Some(pool) = rule.cost.pool.as_ref().filter(|_| cost > 0) {
        let encounter = play.encounter();
        let c = encounter.get(id);
        let paid = c.and_then(|c| spending(encounter, c, pool, cost));
        // What a combatant pays itself, the reaction tells.
        if let Some(paid) = paid.filter(|paid| !matches!(paid, Event::PoolChanged(_))) {
            play.emit(paid);
        }
    }
    let combatant = id.clone();
    let reaction = wanted.reaction.clone();
    let pool = rule.cost.pool.clone();
    if wanted.readied {
        play.emit(Triggered {
            combatant,
            reaction,
            pool,
            cost,
        });
    } else {
        play.emit(Reacted {
            combatant,
            reaction,
            pool,
            cost,
        });
    }
    let cost = rule.cost.initiative.count();
    let by = later_by(definition(play.encounter()), cost).into();
    if cost > 0
        && let Some(changed) = change_of_initiative(play.encounter(), id, Cause::Spent, by)
    {
        play.emit(changed);
    }
    if rule.cost.turn {
        play.count_effects(Moment::TurnStart(id));
        play.emit(TurnSpent {
            combatant: id.clone(),
        });
        play.count_effects(Moment::TurnEnd(id));
    }
}

/// Refuses a reaction by the wrong command.
fn check_prepared(wanted: &Use<'_>, rule: &ReactionRule) -> Result<(), Violation> {
    let name = wanted.reaction;
    let line = reaction_line(name, "prepare");
    match rule.prepare {
        Prepare::None => ensure(!wanted.readied, "not_readied", "CU-30", &line, || {
            format!("Reaction \"{name}\" isn't readied. Send \"react\".")
        }),
        Prepare::Ready => ensure(wanted.readied, "is_readied", "CU-30", &line, || {
            format!("Reaction \"{name}\" is readied. Send \"trigger\".")
        }),
        Prepare::Delay => ensure(false, "is_delayed", "CU-23", &line, || {
            format!("Reaction \"{name}\" is a delayed turn. Send \"delay\" and \"return\".")
        }),
    }
}

/// Refuses a combatant that does not have the reaction.
fn check_who(
    encounter: &Encounter,
    c: &Combatant,
    name: &Slug,
    rule: &ReactionRule,
) -> Result<(), Violation> {
    let line = reaction_line(name, "who");
    let is_for_it = fits(definition(encounter), &rule.who, c);
    ensure(is_for_it, "not_for_it", "CU-29", &line, || {
        format!("{} can't use reaction \"{name}\".", c.id)
    })
}

/// Refuses a reaction that the combatant has used since the last turn started.
fn check_unused(c: &Combatant, name: &Slug) -> Result<(), Violation> {
    let line = format!("reactions.{name}");
    let is_used = c.state.used.contains(name);
    ensure(!is_used, "used_already", "CU-29", &line, || {
        format!(
            "{} has used reaction \"{name}\" since the last turn started. Wait for the next turn.",
            c.id
        )
    })
}

/// Refuses to use what was not readied.
fn check_readied(wanted: &Use<'_>, c: &Combatant) -> Result<(), Violation> {
    let name = wanted.reaction;
    let line = reaction_line(name, "prepare");
    let is_ready = !wanted.readied || c.state.readied_reactions.contains(name);
    ensure(is_ready, "nothing_readied", "CU-30", &line, || {
        format!(
            "{} hasn't readied reaction \"{name}\". Send \"ready\" on the combatant's turn.",
            c.id
        )
    })
}

/// The points that the reaction costs; refuses what it can't cost, and what the pool can't pay.
fn check_cost(
    encounter: &Encounter,
    c: &Combatant,
    wanted: &Use<'_>,
    rule: &ReactionRule,
) -> Result<u32, Violation> {
    let name = wanted.reaction;
    let [least, most] = price(rule);
    let cost = wanted.cost.map_or(least, Int::count);
    let Some(pool) = &rule.cost.pool else {
        if wanted.cost.is_some() {
            let detail = format!("Reaction \"{name}\" costs no points. Remove \"cost\".");
            return Err(Violation::field("no_cost", "cost", detail));
        }
        return Ok(0);
    };
    let line = reaction_line(name, "cost.points");
    let is_price = (least..=most).contains(&cost);
    ensure(is_price, "impossible_cost", "CU-29", &line, || {
        format!("A use costs {least} to {most} points.")
    })?;
    let left = points(encounter, c, pool);
    let line = pool_line(pool, "max");
    ensure(left >= cost, "too_few_points", "CU-27", &line, || {
        format!("Pool \"{pool}\" has too few points: {left}.")
    })?;
    Ok(cost)
}

/// Refuses a combatant without the initiative that the reaction costs.
fn check_initiative(
    encounter: &Encounter,
    c: &Combatant,
    name: &Slug,
    rule: &ReactionRule,
) -> Result<(), Violation> {
    let line = reaction_line(name, "cost.initiative");
    let has_initiative = has_initiative(&Survey::of(encounter), c, rule);
    ensure(
        has_initiative,
        "too_little_initiative",
        "CU-44",
        &line,
        || {
            format!(
                "{} has too little initiative for reaction \"{name}\". Its cost: {}.",
                c.id, rule.cost.initiative
            )
        },
    )
}

/// Refuses a combatant without the turn that the reaction takes or costs.
fn check_turn(
    encounter: &Encounter,
    c: &Combatant,
    name: &Slug,
    rule: &ReactionRule,
) -> Result<(), Violation> {
    let (rule_id, field) = if rule.cost.turn {
        ("CU-45", "cost.turn")
    } else {
        ("CU-46", "gives")
    };
    let line = reaction_line(name, field);
    let has_turn = has_turn_for(&Survey::of(encounter), c, rule);
    ensure(has_turn, "no_turn_left", rule_id, &line, || {
        format!("{} has no turn of this round left for that.", c.id)
    })
}

/// The opening that there is now; refuses a combatant that may not react in it.
fn check_opening(encounter: &Encounter, c: &Combatant, name: &Slug) -> Result<Opening, Violation> {
    if let Some(why) = why_no_reaction(definition(encounter), c) {
        return Err(Violation::new("cannot_react", "CU-31", why));
    }
    if let Some(opening) = opening(encounter)
        && may_react(encounter, c, opening)
    {
        return Ok(opening);
    }
    let now = now(encounter);
    let line = reaction_line(name, "when");
    let detail = format!(
        "{} can't react now. {now} React after or during another combatant's turn. See definition.{line}.",
        c.id
    );
    Err(Violation::new("cannot_react", "CU-29", detail))
}

/// Why a combatant may not react, whatever the opening.
fn why_no_reaction(definition: &Definition, c: &Combatant) -> Option<String> {
    let id = &c.id;
    if !c.active() {
        return Some(format!("{id} can't react while out of the fight."));
    }
    if c.has(MANIFEST.down) {
        return Some(format!("{id} can't react while unconscious."));
    }
    if is_surprised(definition, c) {
        return Some(format!(
            "{id} is surprised, and can't react before {id}'s first turn. See definition.surprise."
        ));
    }
    if c.state.delaying {
        return Some(format!(
            "{id} has a delayed turn. Send \"return\" to take it first. See definition.reactions."
        ));
    }
    None
}
