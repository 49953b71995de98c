//! What is wrong with a definition: the path of each mistake, and what would be right.

use super::definition::{
    ChangesRule, Chooser, CostRule, DeckRule, Definition, Fact, Gain, Gives, Keep, Key, MAX,
    MAX_KEYS, OUTNUMBERED, Only, Owner, Per, PoolRule, Prepare, ReactionRule, Reshuffle, Rolled,
    SEAT, ScoreRule, Surprise, SwapWhen, Team, Term, TurnCostRule, Turns, Unconscious, When, Who,
};
use super::lines::{
    all_steps, alternates, costs_turns, has_clock, has_laps, has_places, is_low_first, is_of_side,
    is_seated, keys, lets_sides_skip, parts_sides, pool_line, position_of, reaction_line, rerolls,
    scores_sides, sorts_by_score,
};
use crate::json::FieldError;
use crate::vocabulary::Slug;

/// Why nothing changes a place around the table.
const SEATS_STAND: &str =
    "Around the table nothing changes a place. Remove this, or take seat out of order.";

/// The most numbers of a definition.
pub(super) const MAX_NUMBERS: usize = 12;
/// The most conditions that change the score.
const MAX_CONDITIONS: usize = 8;
/// The most pools of a definition.
pub(super) const MAX_POOLS: usize = 4;

/// The most titles of a definition.
const MAX_TITLES: usize = 40;
/// The most reactions of a definition.
pub(super) const MAX_REACTIONS: usize = 6;

/// The mistakes of a definition.
pub(super) fn check(definition: &Definition) -> Vec<FieldError> {
    let mut wrong = Wrong {
        definition,
        found: Vec::new(),
    };
    wrong.size("numbers", definition.numbers.len(), 0, MAX_NUMBERS);
    wrong.size("pools", definition.pools.len(), 0, MAX_POOLS);
    wrong.size("reactions", definition.reactions.len(), 0, MAX_REACTIONS);
    wrong.size("titles", definition.titles.len(), 0, MAX_TITLES);
    wrong.size("together.steps", all_steps(definition).len(), 0, 8);
    if let Some(order) = &definition.order {
        wrong.size("order", order.len(), 0, MAX_KEYS);
    }
    if let Some(declare) = &definition.declare {
        wrong.size("declare.choices", declare.choices.len(), 2, 6);
    }
    // The other checks look through these lists many times.
    if !wrong.found.is_empty() {
        return wrong.found;
    }
    wrong.turns();
    let reserved = Fact::WORDS.iter().map(|(word, _)| (*word, "order")).chain([
        (MAX, "gain of a pool"),
        ("unlimited", "turns"),
        ("while_score", "turns"),
        ("by_tick", "turns"),
    ]);
    for (word, line) in reserved {
        if definition.numbers.contains_key(&Slug::fixed(word)) {
            wrong.note(
                format!("numbers.{word}"),
                format!("This word has a meaning in {line}. Choose another name."),
            );
        }
    }
    if let Some(score) = &definition.score {
        wrong.score(score);
    }
    wrong.order();
    wrong.changes();
    wrong.acting();
    wrong.declare();
    wrong.surprise();
    wrong.reactions();
    for (name, pool) in &definition.pools {
        wrong.pool(name, pool);
    }
    wrong.unless(
        definition.unconscious != Unconscious::Moves || wrong.places_move(),
        "unconscious",
        "A place moves before the turn that goes on. Let order have a number or a score of combatants and no key of sides, take chooser last and together away, or use stays or skips.",
    );
    if wrong.found.is_empty() {
        wrong.somebody_acts();
    }
    wrong.found
}

struct Wrong<'d> {
    definition: &'d Definition,
    found: Vec<FieldError>,
}

impl Wrong<'_> {
    fn note(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.found.push(FieldError::meaningless(path, message));
    }

    fn unless(&mut self, holds: bool, path: &str, message: &str) {
        if !holds {
            self.note(path, message);
        }
    }

    fn size(&mut self, path: &str, count: usize, least: usize, most: usize) {
        if (least..=most).contains(&count) {
            return;
        }
        let message = if least == 0 {
            format!("Too many: {count}. Send at most {most}.")
        } else {
            format!("Expected {least} to {most}, not {count}.")
        };
        self.note(path, message);
    }

    fn number(&mut self, path: String, name: Option<&Slug>) {
        if let Some(name) = name
            && !self.definition.numbers.contains_key(name)
        {
            let message =
                format!("Unknown number \"{name}\". Add it to numbers, with its default.");
            self.note(path, message);
        }
    }

    fn term<const MIN: i64, const MAX: i64>(
        &mut self,
        path: impl Into<String>,
        term: &Term<MIN, MAX>,
    ) {
        if let Term::Number(name) = term {
            self.number(path.into(), Some(name));
        }
    }

    fn who(&mut self, path: &str, who: &Who) {
        self.number(format!("{path}.has"), who.has.as_ref());
        let choices = match &self.definition.declare {
            Some(declare) => &declare.choices[..],
            None => &[],
        };
        for (i, choice) in who.declared.iter().enumerate() {
            if !choices.contains(choice) {
                let message = format!("Unknown choice \"{choice}\". Add it to declare.choices.");
                self.note(format!("{path}.declared.{i}"), message);
            }
        }
        self.size(&format!("{path}.declared"), who.declared.len(), 0, 6);
    }

    /// Whether the same combatants would come first after each turn, if turns had no limit.
    fn has_a_first_for_ever(&self) -> bool {
        let definition = self.definition;
        let pays = definition.turn_cost.is_some();
        let takes_turns = alternates(definition) || has_laps(definition);
        has_places(definition) || !pays && !takes_turns && !keys(definition).is_empty()
    }

    /// Whether a place can stand beside any other one.
    fn places_move(&self) -> bool {
        self.goes_by_places() && !parts_sides(self.definition)
    }

    /// Whether turns come by places that combatants have.
    fn goes_by_places(&self) -> bool {
        let definition = self.definition;
        has_places(definition)
            && definition.chooser != Chooser::Last
            && definition.together.is_none()
    }

    fn score(&mut self, score: &ScoreRule) {
        self.terms("score.add", &score.add);
        if let Some(foes) = &score.foes {
            self.terms("score.foes.add", &foes.add);
        }
        self.choices(score);
        for (field, name) in [
            ("more_dice", &score.more_dice),
            ("advantage", &score.advantage),
            ("fixed", &score.fixed),
        ] {
            let path = format!("score.{field}");
            self.number(path.clone(), name.as_ref());
            self.unless(
                name.is_none() || score.per != Per::Side,
                &path,
                "A side has no such number. Set this line to null, or per to combatant or group.",
            );
        }
        self.unless(
            score.more_dice.is_none() || score.dice.is_some(),
            "score.more_dice",
            "more_dice needs dice. Add score.dice, or remove more_dice.",
        );
        self.unless(
            score.advantage.is_none() || score.dice.is_some() || score.deck.is_some(),
            "score.advantage",
            "advantage needs dice or cards. Add score.dice or score.deck, or remove advantage.",
        );
        self.without_cards(score);
        if let Some(deck) = &score.deck {
            self.deck(score, deck);
        }
        if let Some(swap) = &score.swap {
            self.who("score.swap.who", &swap.who);
        }
        self.unless(
            score.swap.is_none() || score.per != Per::Side,
            "score.swap",
            "Combatants swap their own places. Set per to combatant or group, or remove swap.",
        );
        self.unless(
            score.swap.as_ref().is_none_or(|swap| {
                let is_shared = self.definition.together.is_some();
                swap.when != SwapWhen::OwnTurn || !alternates(self.definition) && !is_shared
            }),
            "score.swap.when",
            "No turn is given back where sides take turns, or all share one. Set when to any or round_start.",
        );
        self.unless(
            score.swap.is_none() || has_places(self.definition),
            "score.swap",
            "Combatants have no places in this order. Add a score or a number to order, or remove swap.",
        );
    }

    /// The dice of those that declared a choice.
    fn choices(&mut self, score: &ScoreRule) {
        let declare = self.definition.declare.as_ref();
        self.size("score.choices", score.choices.len(), 0, 6);
        for (choice, rule) in score.choices.iter().take(6) {
            let path = format!("score.choices.{choice}");
            self.terms(&format!("{path}.add"), &rule.add);
            let is_known = declare.is_some_and(|declare| declare.choices.contains(choice));
            if !is_known {
                let message = format!("Unknown choice \"{choice}\". Add it to declare.choices.");
                self.note(path, message);
            }
        }
        if score.choices.is_empty() {
            return;
        }
        self.unless(
            declare.is_none_or(|declare| !declare.passing),
            "score.choices",
            "Dice are rolled after the declarations. Remove passing of declare, or choices.",
        );
        self.unless(
            score.reroll,
            "score.choices",
            "Combatants declare in each round, so all roll again. Set score.reroll to true, or remove choices.",
        );
        self.unless(
            score.per != Per::Side,
            "score.choices",
            "A side declares nothing. Set per to combatant or group, or remove choices.",
        );
    }

    /// The keys of the order: each once, and those where they say something.
    fn order(&mut self) {
        let definition = self.definition;
        let keys = keys(definition);
        for (i, key) in keys.iter().enumerate() {
            self.key(i, key);
            let is_same = |other: &Key| other.fact == key.fact && other.only == key.only;
            self.unless(
                !keys.iter().take(i).any(is_same),
                &format!("order.{i}"),
                "The list has this twice. Remove one.",
            );
        }
        let again = |across_rounds| position_of(definition, &Fact::Again { across_rounds });
        if let (Some(_), Some(at)) = (again(false), again(true)) {
            self.note(
                format!("order.{at}"),
                "Sides take turns in one way. Keep again, or again_across_rounds.",
            );
        }
        let by_score = sorts_by_score(definition);
        self.unless(
            by_score || definition.score.as_ref().is_none_or(is_without_score),
            "order",
            "The order leaves out the initiative. Add the key score, or set the line score to null.",
        );
        self.unless(
            !by_score || definition.score.is_some(),
            "order",
            "The key score sorts by an initiative that no line makes. Add the line score, or take the key away.",
        );
    }

    /// One key of the order, at this position.
    fn key(&mut self, at: usize, key: &Key) {
        let definition = self.definition;
        let path = format!("order.{at}");
        let mut before = keys(definition).iter().take(at);
        match &key.fact {
            Fact::Number(name) if !definition.numbers.contains_key(name) => {
                let message = format!(
                    "Unknown key \"{name}\". Use score, late, foe, die, lap, segment, choice, side, again, again_across_rounds, outnumbered, seat or a name of numbers."
                );
                self.note(path.clone(), message);
            }
            Fact::Seat => {
                self.number(path.clone(), Some(&Slug::fixed(SEAT)));
                self.unless(
                    before.all(|key| key.fact == Fact::Lap),
                    &path,
                    "Around the table the seat decides, and later keys say who begins. Put seat first, or after lap.",
                );
                self.unless(
                    key.only == Only::default(),
                    &path,
                    "Combatants sit in one circle for the fight. Send seat alone, without round or lap.",
                );
            }
            Fact::Die => {
                let by_side = is_of_side(definition, &Fact::Die);
                self.unless(
                    !by_side
                        || before
                            .next_back()
                            .is_some_and(|key| key.fact == Fact::Score),
                    &path,
                    "Sides roll the die between equal scores. Put it right after score.",
                );
            }
            Fact::Choice => self.unless(
                definition.declare.is_some(),
                &path,
                "choice compares what combatants declare. Add declare, or remove the key.",
            ),
            _ => {}
        }
        self.when(at, key);
        self.unless(
            key.fact != Fact::Side || !scores_sides(definition),
            &path,
            "The score says the order of the sides. Remove side, or set score.per to combatant or group.",
        );
        let is_late = key.fact == Fact::Late;
        self.unless(
            !is_late || !is_of_side(definition, &Fact::Late),
            &path,
            "A side has no fixed initiative. Remove late.",
        );
        let has_direction = !matches!(
            key.fact,
            Fact::Lap | Fact::Seat | Fact::Side | Fact::Again { .. }
        );
        self.unless(
            has_direction || !key.highest,
            &path,
            "The fewest turns, the next seat, the first side and the side that waits come first. Remove -.",
        );
    }

    /// When a key of the order counts.
    fn when(&mut self, at: usize, key: &Key) {
        let path = |field: &str| format!("order.{at}.{field}");
        let Only {
            round,
            from_round,
            lap,
        } = key.only;
        self.unless(
            round.is_none() || from_round.is_none(),
            &path("from_round"),
            "A key counts in one round, or from a round on. Remove one.",
        );
        let mut before = keys(self.definition).iter().take(at);
        let follows_lap = before.any(|key| key.fact == Fact::Lap && key.only == Only::default());
        self.unless(
            lap.is_none() || follows_lap,
            &path("lap"),
            "Without laps no key is for one of them. Put the key lap before this one, or remove lap.",
        );
    }

    fn terms(&mut self, path: &str, terms: &[Term<-1000, 1000>]) {
        self.size(path, terms.len(), 0, 4);
        for (i, term) in terms.iter().enumerate() {
            self.term(format!("{path}.{i}"), term);
        }
    }

    /// Who takes turns, who chooses, and what all share.
    fn acting(&mut self) {
        let definition = self.definition;
        self.who("who", &definition.who);
        let passes = definition
            .declare
            .as_ref()
            .is_some_and(|declare| declare.passing);
        self.unless(
            !passes || definition.who.declared.is_empty(),
            "who.declared",
            "Combatants pass to a choice when they may act. Use side or has, or remove declare.passing.",
        );
        for (i, step) in all_steps(definition).iter().enumerate() {
            self.who(&format!("together.steps.{i}.who"), &step.who);
        }
        self.unless(
            definition.chooser != Chooser::Side || has_places(definition),
            "chooser",
            "A slot is a place of the order. Add a number or a score of combatants to order, or remove chooser.",
        );
        self.unless(
            definition.together.is_none() || !passes,
            "declare.passing",
            "All that are equal share a turn, so no one passes. Remove passing, or together.",
        );
        self.unless(
            definition.chooser == Chooser::Candidates || definition.together.is_none(),
            "chooser",
            "All that are equal share a turn, so no one chooses. Remove chooser, or together.",
        );
    }

    fn declare(&mut self) {
        let definition = self.definition;
        let Some(declare) = &definition.declare else {
            return;
        };
        self.who("declare.who", &declare.who);
        self.unless(
            declare.who.declared.is_empty(),
            "declare.who.declared",
            "Declarations are not known yet. Use side or has.",
        );
        let by_choice = keys(definition).iter().any(|key| key.fact == Fact::Choice);
        self.unless(
            !declare.passing || by_choice,
            "declare.passing",
            "One that passes comes with its next choice. Add the key choice to order, or remove passing.",
        );
        for i in 0..declare.choices.len() {
            let path = format!("declare.choices.{i}");
            self.unless(
                !is_repeated(&declare.choices, i),
                &path,
                "The list has this twice. Remove one.",
            );
        }
    }

    fn surprise(&mut self) {
        let mut by_side = false;
        let mut dice = false;
        if let Some(score) = &self.definition.score {
            by_side = score.per == Per::Side;
            dice = score.dice.is_some();
        }
        match self.definition.surprise {
            Surprise::None | Surprise::Skips => {}
            Surprise::Disadvantage => {
                self.unless(
                    dice && !by_side,
                    "surprise",
                    "disadvantage needs score.dice per combatant or group. Add score.dice, or change surprise.",
                );
            }
            Surprise::Yields => {
                self.unless(
                    by_side,
                    "surprise",
                    "yields needs an initiative per side. Set score.per, or change surprise.",
                );
            }
        }
    }

    fn reactions(&mut self) {
        let definition = self.definition;
        let mut delays = 0;
        for (name, rule) in &definition.reactions {
            self.who(&reaction_line(name, "who"), &rule.who);
            self.cost(name, rule);
            self.gives(name, rule);
            self.unless(
                !rule.silent || rule.when != When::RoundStart,
                &reaction_line(name, "silent"),
                "Combatants are asked before the first turn of a round. Remove silent, or change when.",
            );
            self.moves(name, rule);
            if rule.prepare == Prepare::Delay {
                delays += 1;
                self.delay(name, rule);
            } else {
                let plain = ReactionRule::default();
                self.unless(
                    rule.lasts == plain.lasts,
                    &reaction_line(name, "lasts"),
                    "Only a delay lasts. Set prepare to delay, or remove lasts.",
                );
            }
        }
        self.unless(
            delays <= 1,
            "reactions",
            "A turn is delayed in one way. Keep one reaction with prepare delay.",
        );
    }

    fn cost_in_initiative(&mut self, name: &Slug, rule: &ReactionRule) {
        if rule.cost.initiative.get() == 0 {
            return;
        }
        let line = reaction_line(name, "cost.initiative");
        self.unless(
            has_places(self.definition),
            &line,
            "Initiative of a combatant or group pays. Add score, set score.per, or remove this.",
        );
        self.unless(!is_seated(self.definition), &line, SEATS_STAND);
        self.unless(
            !has_places(self.definition)
                || sorts_by_score(self.definition) && !scores_sides(self.definition),
            &line,
            "The initiative of combatants is no key of this order. Add score to order, with score.per combatant or group, or remove this.",
        );
    }

    fn cost(&mut self, name: &Slug, rule: &ReactionRule) {
        self.cost_in_initiative(name, rule);
        let line = reaction_line(name, "cost.points");
        let [least, most] = rule.cost.points;
        self.unless(
            least <= most,
            &line,
            "The fewest points come first. Swap the two.",
        );
        if let Some(pool) = &rule.cost.pool {
            let Some(known) = self.definition.pools.get(pool) else {
                let message = format!("Unknown pool \"{pool}\". Add it to pools.");
                self.note(reaction_line(name, "cost.pool"), message);
                return;
            };
            if let Term::Fixed(max) = known.max
                && max < least
            {
                let message = format!(
                    "Pool \"{pool}\" never has {least} points. Set fewer points, or a greater max."
                );
                self.note(line, message);
            }
        } else {
            self.unless(
                rule.cost.points == CostRule::default().points,
                &line,
                "Points come from a pool. Set cost.pool, or remove points.",
            );
        }
    }

    /// What a reaction gives and costs, against the turns that there are.
    fn gives(&mut self, name: &Slug, rule: &ReactionRule) {
        let definition = self.definition;
        let gives = reaction_line(name, "gives");
        let own_turn = rule.gives() == Gives::OwnTurn;
        if rule.cost.turn {
            let line = reaction_line(name, "cost.turn");
            self.unless(
                !own_turn,
                &line,
                "The combatant's own turn costs that turn itself. Remove turn.",
            );
            self.unless(
                !costs_turns(definition),
                &line,
                "Turns by score or tick have no fixed count. Remove turn, or set turns to a number.",
            );
            self.unless(
                definition.turns != Turns::Unlimited,
                &line,
                "Turns without a limit cost nothing. Remove turn, or set turns to a number.",
            );
        }
        self.unless(
            !(own_turn || rule.cost.turn) || !self.has_no_turns(),
            &gives,
            "Combatants have no turns of their own. Set turns.",
        );
        if rule.gives() != Gives::Skip {
            return;
        }
        self.unless(
            lets_sides_skip(definition),
            &gives,
            "skip needs sides that choose in turn. Add the key side or again to order, and remove together.",
        );
        self.unless(
            rule.prepare == Prepare::None,
            &reaction_line(name, "prepare"),
            "A side skips while it chooses who acts. Remove prepare.",
        );
        self.unless(
            rule.when == When::Gap,
            &reaction_line(name, "when"),
            "A side skips while it chooses who acts. Remove when.",
        );
        self.unless(
            !rule.silent,
            &reaction_line(name, "silent"),
            "A side skips while it chooses who acts. Remove silent.",
        );
    }

    /// Whether a place may move to where its combatant acts.
    fn moves(&mut self, name: &Slug, rule: &ReactionRule) {
        if !rule.moves {
            return;
        }
        let line = reaction_line(name, "moves");
        self.unless(
            rule.when != When::RoundStart,
            &line,
            "Before the first turn of a round there is none next to which a place moves. Set when to another word, or remove moves.",
        );
        self.unless(
            rule.prepare != Prepare::None,
            &line,
            "Only a delayed turn or a readied action moves the place. Set prepare to delay or ready, or remove moves.",
        );
        self.unless(
            self.places_move(),
            &line,
            "A place moves beside the turn that goes on. Let order have a number or a score of combatants and no key of sides, take chooser last and together away, or remove moves.",
        );
        self.unless(
            !rerolls(self.definition),
            &line,
            "A new roll each round gives new places. Remove moves, or score.reroll.",
        );
        self.unless(
            !costs_turns(self.definition),
            &line,
            "Turns by score or tick say where a place stands. Remove moves.",
        );
    }

    fn delay(&mut self, name: &Slug, rule: &ReactionRule) {
        let definition = self.definition;
        let line = |field| reaction_line(name, field);
        self.unless(
            rule.gives() == Gives::OwnTurn,
            &line("gives"),
            "A delay gives the delayed turn. Remove gives.",
        );
        self.unless(
            rule.when != When::RoundStart,
            &line("when"),
            "A combatant returns after a turn or within one. Use gap, turn or any.",
        );
        self.unless(
            !rule.silent,
            &line("silent"),
            "A combatant that delays is asked. Remove silent.",
        );
        self.unless(
            rule.cost == CostRule::default(),
            &line("cost"),
            "A delay costs the turn that it delays. Remove cost.",
        );
        self.unless(
            self.goes_by_places(),
            &line("prepare"),
            "Without a place, a combatant that waits just acts later. Add a number or a score of combatants to order, take chooser last and together away, or remove the reaction.",
        );
        self.unless(
            !costs_turns(definition),
            &line("prepare"),
            "Where turns cost initiative a turn is delayed by what it costs. Remove the reaction.",
        );
    }

    fn pool(&mut self, name: &Slug, pool: &PoolRule) {
        let owner = match pool.of {
            Owner::Combatant => None,
            Owner::Side => Some("A side"),
            Owner::Table => Some("The table"),
        };
        let PoolRule { gain, .. } = pool;
        for (field, term) in [
            ("max", Some(&pool.max)),
            ("start", pool.start.as_ref()),
            ("gain.round", gain.round.as_ref().and_then(Gain::points)),
            (
                "gain.own_turn",
                gain.own_turn.as_ref().and_then(Gain::points),
            ),
        ] {
            let line = pool_line(name, field);
            let Some(Term::Number(number)) = term else {
                continue;
            };
            if field == "max" && *number == OUTNUMBERED {
                self.unless(
                    pool.of == Owner::Side,
                    &line,
                    "Sides are outnumbered. Set of to side.",
                );
                continue;
            }
            self.number(line.clone(), Some(number));
            if let Some(owner) = owner {
                let message = format!("{owner} has no numbers. Set the points as a number.");
                self.note(line, message);
            }
        }
        if let Some(owner) = owner
            && pool.gain.own_turn.is_some()
        {
            let message = format!("{owner} has no turn of its own. Use gain.round, or grant.");
            self.note(pool_line(name, "gain.own_turn"), message);
        }
    }

    /// Whether combatants have no turns but what reactions give.
    fn has_no_turns(&self) -> bool {
        matches!(self.definition.turns, Turns::Count(Term::Fixed(turns)) if turns.get() == 0)
    }

    /// Refuses a definition under which nobody can ever act.
    fn somebody_acts(&mut self) {
        let definition = self.definition;
        let mut reactions = definition.reactions.values();
        if reactions.any(|rule| rule.gives() == Gives::Turn) {
            return;
        }
        self.unless(
            !self.has_no_turns() || costs_turns(definition),
            "turns",
            "No combatant can ever act. Set turns, or add a reaction that gives a turn.",
        );
        let acting = acting_teams(definition);
        self.unless(
            !acting.is_empty(),
            "who",
            "No combatant can ever act: no one matches who and one of the steps. Change who.",
        );
        self.unless(
            acting.is_empty() || acting.iter().any(|team| may_rise_above_0(definition, *team)),
            "turns",
            "No combatant can ever act: initiative must be above 0 for a turn. Add score.dice, or something to score.add.",
        );
    }

    fn deck(&mut self, score: &ScoreRule, deck: &DeckRule) {
        self.term("score.deck.redraw", &deck.redraw);
        self.unless(
            deck.reshuffle != Reshuffle::Joker || deck.size.get() == 54,
            "score.deck.reshuffle",
            "Only a deck of 54 has jokers. Use round or empty, or set size to 54.",
        );
        self.unless(
            deck.keep == Keep::Best || score.per != Per::Side && !is_seated(self.definition),
            "score.deck.keep",
            "choose needs places of combatants. Use best, or remove per side, and seat of order.",
        );
        let by_number = matches!(deck.redraw, Term::Number(_));
        self.unless(
            !by_number || score.per != Per::Side,
            "score.deck.redraw",
            "A side has no such number. Set the value as a number.",
        );
    }

    /// A card stands for dice and what is added to them.
    fn without_cards(&mut self, score: &ScoreRule) {
        if score.deck.is_none() {
            return;
        }
        for (line, is_set) in [
            ("dice", score.dice.is_some()),
            ("add", !score.add.is_empty()),
            ("foes", score.foes.is_some()),
            ("choices", !score.choices.is_empty()),
            ("fixed", score.fixed.is_some()),
        ] {
            self.unless(
                !is_set,
                &format!("score.{line}"),
                "A card stands for dice. Set this line to null, or remove deck.",
            );
        }
    }

    /// What changes an initiative needs one of a combatant, and sorts places.
    fn changes(&mut self) {
        let definition = self.definition;
        let changes = &definition.changes;
        self.size(
            "changes.conditions",
            changes.conditions.len(),
            0,
            MAX_CONDITIONS,
        );
        let is_own = sorts_by_score(definition) && !scores_sides(definition);
        for (path, is_there) in [
            ("changes.wounds", changes.wounds.is_some()),
            ("changes.conditions", !changes.conditions.is_empty()),
        ] {
            self.unless(
                !is_there || is_own,
                path,
                "This changes the initiative of combatants. Add the key score to order, with score.per combatant or group, or remove this.",
            );
            self.unless(!is_there || !is_seated(definition), path, SEATS_STAND);
        }
    }

    /// How many turns there are, and what they cost.
    fn turns(&mut self) {
        let definition = self.definition;
        if let Turns::Count(turns) = &definition.turns {
            self.term("turns", turns);
        }
        self.unless(
            definition.turns != Turns::Unlimited || !self.has_a_first_for_ever(),
            "turns",
            "The first of the order would act for ever. Take scores, numbers, foe, side and choice out of order, put again or lap into it, or set turns to a number.",
        );
        if let Some(turn_cost) = &definition.turn_cost {
            self.turn_cost(turn_cost);
        }
        if !costs_turns(definition) {
            return;
        }
        let costs = definition.turn_cost.as_ref();
        self.unless(
            costs.is_some_and(|costs| costs.pool.is_none()),
            "turns",
            "Turns by score or tick cost initiative. Add turn_cost without a pool, or set turns to a number.",
        );
        self.unless(
            self.goes_by_places() && sorts_by_score(definition) && !scores_sides(definition),
            "turns",
            "Turns by score or tick need the initiative of combatants. Add the key score to order, set score.per to combatant or group, and take chooser last and together away.",
        );
        self.unless(!is_seated(definition), "turns", SEATS_STAND);
        let score = definition.score.as_ref();
        self.unless(
            score.is_none_or(|score| score.deck.is_none()),
            "score.deck",
            "A turn costs no part of a card. Remove deck, or set turns to a number.",
        );
        if has_clock(definition) {
            self.clock();
        } else {
            self.unless(
                !is_low_first(definition),
                "turns",
                "Combatants act while their initiative is above 0, the highest first. Put -score into order, or set turns to by_tick.",
            );
        }
    }

    fn turn_cost(&mut self, rule: &TurnCostRule) {
        let definition = self.definition;
        let [least, most] = rule.cost;
        self.unless(
            least <= most,
            "turn_cost.cost",
            "The least cost comes first. Swap the two.",
        );
        self.unless(
            rule.usual
                .is_none_or(|usual| (least..=most).contains(&usual)),
            "turn_cost.usual",
            "The usual cost lies between the least and the greatest. Change usual, or cost.",
        );
        self.unless(
            has_clock(definition) || rule.ticks.get() == 1,
            "turn_cost.ticks",
            "Only turns by tick have ticks. Set turns to by_tick, or remove ticks.",
        );
        match &rule.pool {
            Some(pool) => {
                let max = definition.pools.get(pool).map(|pool| &pool.max);
                self.unless(
                    max.is_some(),
                    "turn_cost.pool",
                    "No pool has this name. Add it to pools.",
                );
                self.unless(
                    !matches!(max, Some(Term::Fixed(max)) if max.get() < least.get()),
                    "turn_cost.cost",
                    "The pool never has as many points as a turn costs. Set a lower cost, or a greater max of the pool.",
                );
            }
            None => self.unless(
                costs_turns(definition),
                "turn_cost",
                "A turn costs initiative only if turns come by it. Set turns to while_score or by_tick, or set pool.",
            ),
        }
    }

    /// Turns that come by tick: initiative is time.
    fn clock(&mut self) {
        let definition = self.definition;
        let score = definition.score.as_ref();
        let rerolls = score.is_some_and(|score| score.reroll);
        let is_fixed = score.is_some_and(|score| score.fixed.is_some());
        let plain = Definition::default();
        for (path, is_there) in [
            ("who", definition.who != plain.who),
            ("declare", definition.declare.is_some()),
            ("surprise", definition.surprise == Surprise::Skips),
            ("unconscious", definition.unconscious != Unconscious::Stays),
            ("score.reroll", rerolls),
            ("score.fixed", is_fixed),
        ] {
            self.unless(
                !is_there,
                path,
                "Turns by tick can't go with this. Set it to null, or change turns.",
            );
        }
        self.unless(
            !has_laps(definition),
            "order",
            "Turns by tick have no laps. Remove lap.",
        );
        let before_turns = "Rounds of ticks have no first turn before which combatants are asked. Set when to another word.";
        for (name, rule) in &definition.reactions {
            let line = reaction_line(name, "when");
            self.unless(rule.when != When::RoundStart, &line, before_turns);
        }
        let swaps = score.and_then(|score| score.swap.as_ref());
        self.unless(
            swaps.is_none_or(|swap| swap.when != SwapWhen::RoundStart),
            "score.swap.when",
            before_turns,
        );
        let mut first = keys(definition).iter().filter(|key| key.fact != Fact::Lap);
        let by_tick =
            |key: &Key| key.fact == Fact::Score && !key.highest && key.only == Only::default();
        self.unless(
            first.next().is_some_and(by_tick),
            "order",
            "The lowest tick acts. Put score first, without -.",
        );
    }
}

/// True if a score says no more than its owners, and so needs no key.
fn is_without_score(score: &ScoreRule) -> bool {
    *score
        == ScoreRule {
            per: if score.per == Per::Side {
                Per::Combatant
            } else {
                score.per
            },
            reroll: score.reroll,
            swap: score.swap.clone(),
            ..ScoreRule::default()
        }
}

/// True if the item at this position is there before it too.
fn is_repeated<T: PartialEq>(items: &[T], at: usize) -> bool {
    let mut before = items.iter().take(at);
    before.any(|item| Some(item) == items.get(at))
}

/// The teams of which combatants can take turns, and match a step if there are any.
fn acting_teams(definition: &Definition) -> Vec<Team> {
    let acting = matching(definition, &definition.who, vec![Team::Players, Team::Foes]);
    let steps = all_steps(definition);
    if steps.is_empty() {
        return acting;
    }
    let mut in_steps = Vec::new();
    for step in steps {
        in_steps.extend(matching(definition, &step.who, acting.clone()));
    }
    in_steps
}

/// Those of these teams of which combatants can match `who`, as far as the definition tells.
fn matching(definition: &Definition, who: &Who, mut teams: Vec<Team>) -> Vec<Team> {
    teams.retain(|one| who.side.is_none_or(|side| side == *one));
    let Some(declare) = &definition.declare else {
        return teams;
    };
    // A combatant with a turn for each choice matches every choice.
    let may_have_all = match definition.turns {
        Turns::Count(Term::Fixed(turns)) => {
            turns.get() >= i64::try_from(declare.choices.len()).unwrap_or(0)
        }
        Turns::Count(Term::Number(_)) => true,
        Turns::Unlimited | Turns::WhileScore | Turns::ByTick => false,
    };
    if !who.declared.is_empty() && !may_have_all {
        teams.retain(|one| declare.who.side.is_none_or(|side| side == *one));
    }
    teams
}

/// Whether combatants of a team can come to an initiative above 0, where turns cost it.
fn may_rise_above_0(definition: &Definition, team: Team) -> bool {
    let Some(score) = &definition.score else {
        return true;
    };
    if definition.turns != Turns::WhileScore || score.fixed.is_some() {
        return true;
    }
    let mut rolls = vec![score.of_team(team == Team::Foes)];
    rolls.extend(
        score
            .choices
            .values()
            .map(|rule| (rule.dice, &rule.add[..])),
    );
    let changes = &definition.changes;
    rolls
        .into_iter()
        .any(|rolled| rises_above_0(changes, rolled))
}

fn rises_above_0(changes: &ChangesRule, (dice, add): Rolled<'_>) -> bool {
    let mut most = dice.map_or(0, |dice| dice.sums()[1]);
    for term in add {
        most += match term {
            Term::Fixed(number) => number.get(),
            Term::Number(_) => 1000,
        };
    }
    let mut conditions = changes.conditions.values();
    most > 0
        || conditions.any(|change| change.get() > 0)
        || changes
            .wounds
            .as_ref()
            .is_some_and(|wounds| wounds.by.get() > 0)
}
