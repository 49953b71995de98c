//! What is wrong with a definition: the path of each mistake, and what would be right.

use super::definition::*;
use super::query::has_places;
use crate::json::FieldError;
use crate::vocabulary::Slug;

/// Words that `ties` takes besides the names of numbers.
pub(super) const TIE_WORDS: [&str; 3] = ["players", "foes", "roll"];

/// The most numbers of a definition.
pub(super) const MAX_NUMBERS: usize = 12;
/// The most pools of a definition.
pub(super) const MAX_POOLS: usize = 4;

/// The mistakes of a definition.
pub(super) fn check(definition: &Definition) -> Vec<FieldError> {
    let mut wrong = Wrong {
        definition,
        found: Vec::new(),
    };
    wrong.size("numbers", definition.numbers.len(), 0, MAX_NUMBERS);
    wrong.size("pools", definition.pools.len(), 0, MAX_POOLS);
    wrong.size("phases", definition.phases.len(), 1, 8);
    if let Some(declare) = &definition.declare {
        wrong.size("declare.choices", declare.choices.len(), 2, 6);
    }
    // The other checks look through these lists many times.
    if !wrong.found.is_empty() {
        return wrong.found;
    }
    wrong.term("turns", &definition.turns);
    if let Some(word) = TIE_WORDS
        .iter()
        .find(|word| definition.numbers.contains_key(&Slug::fixed(word)))
    {
        wrong.note(
            format!("numbers.{word}"),
            "this word has a meaning in score.ties: choose another name",
        );
    }
    if let Some(score) = &definition.score {
        wrong.score(score);
    }
    wrong.phases();
    wrong.declare();
    wrong.surprise();
    wrong.wait();
    for (name, pool) in &definition.pools {
        wrong.pool(name, pool);
    }
    wrong.clock();
    if definition.down == Down::Moves && !wrong.all_in_order() {
        wrong.note(
            "down",
            "moves needs places: every phase with pick order. Else say stays or skips",
        );
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

    fn unless(&mut self, right: bool, path: &str, message: &str) {
        if !right {
            self.note(path, message);
        }
    }

    fn size(&mut self, path: &str, count: usize, least: usize, most: usize) {
        if !(least..=most).contains(&count) {
            let message = match least {
                0 => format!("{most} at most, not {count}"),
                least => format!("{least} to {most} are expected, not {count}"),
            };
            self.note(path, message);
        }
    }

    fn number(&mut self, path: String, name: Option<&Slug>) {
        if let Some(name) = name.filter(|name| !self.definition.numbers.contains_key(*name)) {
            self.note(
                path,
                format!("there is no number {name}: add it to numbers, with its default"),
            );
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
        let choices = self
            .definition
            .declare
            .as_ref()
            .map_or(&[][..], |declare| &declare.choices);
        for (i, choice) in who
            .declared
            .iter()
            .enumerate()
            .filter(|(_, choice)| !choices.contains(choice))
        {
            self.note(
                format!("{path}.declared.{i}"),
                format!("{choice} is not among declare.choices"),
            );
        }
        self.size(&format!("{path}.declared"), who.declared.len(), 0, 6);
    }

    /// Whether every phase goes by scores of combatants or groups.
    fn all_in_order(&self) -> bool {
        self.definition
            .phases
            .iter()
            .all(|phase| phase.pick == Pick::Order)
    }

    fn score(&mut self, score: &ScoreRule) {
        self.terms("score.add", &score.add);
        if let Some(foes) = &score.foes {
            self.terms("score.foes.add", &foes.add);
        }
        self.size("score.ties", score.ties.len(), 0, 4);
        for (i, tie) in score.ties.iter().enumerate().take(4) {
            if !TIE_WORDS.contains(&tie.as_str()) {
                self.number(format!("score.ties.{i}"), Some(tie));
            }
            let twice = score.ties.iter().take(i).any(|other| other == tie);
            self.unless(!twice, &format!("score.ties.{i}"), "it appears twice");
        }
        let dice =
            score.dice.is_some() && score.foes.as_ref().is_none_or(|foes| foes.dice.is_some());
        let rolls = score.ties.iter().any(|tie| tie == "roll");
        self.unless(
            !rolls || dice,
            "score.ties",
            "roll needs score.dice, and score.foes.dice beside score.foes",
        );
        for (field, name) in [("edge", &score.edge), ("pinned", &score.pinned)] {
            self.number(format!("score.{field}"), name.as_ref());
            let own = name.is_none() || score.per != Per::Side;
            self.unless(
                own,
                &format!("score.{field}"),
                "a side has no such number: per is combatant or group",
            );
        }
        self.unless(
            score.edge.is_none() || score.dice.is_some(),
            "score.edge",
            "it needs score.dice",
        );
        let plain = score.dice.is_none()
            && score.add.is_empty()
            && score.foes.is_none()
            && score.ties.is_empty();
        let alone = plain && score.pinned.is_none() && !score.low_first && score.per != Per::Side;
        let message = "cards stand alone: without dice, add, foes, pinned, ties and low_first, per combatant or group";
        self.unless(!score.cards || alone, "score.cards", message);
    }

    fn terms(&mut self, path: &str, terms: &[Term<-1000, 1000>]) {
        self.size(path, terms.len(), 0, 4);
        for (i, term) in terms.iter().enumerate() {
            self.term(format!("{path}.{i}"), term);
        }
    }

    fn phases(&mut self) {
        let definition = self.definition;
        let places = has_places(definition);
        for (i, phase) in definition.phases.iter().enumerate() {
            let path = |field: &str| format!("phases.{i}.{field}");
            self.who(&path("who"), &phase.who);
            let message = "order needs a score per combatant or group: add score, or pick free, last or together";
            self.unless(phase.pick != Pick::Order || places, &path("pick"), message);
            self.size(&path("steps"), phase.steps.len(), 0, 8);
            let shared = phase.steps.is_empty() || phase.pick == Pick::Together;
            self.unless(
                shared,
                &path("steps"),
                "steps belong to a shared turn: pick is together",
            );
            let chosen = !phase.optional || matches!(phase.pick, Pick::Free | Pick::Last);
            self.unless(
                chosen,
                &path("optional"),
                "only where somebody picks: pick is free or last",
            );
            for (k, step) in phase.steps.iter().enumerate() {
                self.who(&format!("phases.{i}.steps.{k}.who"), &step.who);
            }
        }
    }

    fn declare(&mut self) {
        let definition = self.definition;
        let Some(declare) = &definition.declare else {
            return;
        };
        self.who("declare.who", &declare.who);
        let early = declare.who.declared.is_empty();
        self.unless(
            early,
            "declare.who.declared",
            "nothing is declared yet: say side or has",
        );
        for (i, choice) in declare.choices.iter().enumerate() {
            let path = format!("declare.choices.{i}");
            self.unless(
                !declare.choices.iter().take(i).any(|other| other == choice),
                &path,
                "it appears twice",
            );
            let taken = |phase: &PhaseRule| {
                phase.who.declared.is_empty() || phase.who.declared.contains(choice)
            };
            if !definition.phases.iter().any(taken) {
                self.note(
                    path,
                    format!("no phase takes {choice}: name it in the who.declared of one"),
                );
            }
        }
    }

    fn surprise(&mut self) {
        let score = self.definition.score.as_ref();
        let own_dice = score.is_some_and(|score| score.dice.is_some() && score.per != Per::Side);
        let sides = score.is_some_and(|score| score.per == Per::Side);
        match self.definition.surprise {
            Surprise::None | Surprise::Skips => {}
            Surprise::Disadvantage => {
                self.unless(
                    own_dice,
                    "surprise",
                    "disadvantage needs score.dice per combatant or group",
                );
            }
            Surprise::Yields => self.unless(sides, "surprise", "yields needs a score per side"),
        }
    }

    fn wait(&mut self) {
        let definition = self.definition;
        let Some(wait) = &definition.wait else { return };
        self.unless(
            self.all_in_order(),
            "wait",
            "it needs places: every phase with pick order",
        );
        let single = definition.turns == Definition::default().turns;
        self.unless(
            single,
            "wait",
            "it goes with one turn a round: leave turns out",
        );
        let reroll = definition.score.as_ref().is_some_and(|score| score.reroll);
        let moves = wait.moves && reroll;
        self.unless(
            !moves,
            "wait.moves",
            "a new roll each round leaves no place: leave it out, or score.reroll",
        );
        let lasts = wait.lasts == Lasts::Place && reroll;
        self.unless(
            !lasts,
            "wait.lasts",
            "a new roll each round leaves no place to come again: say round or used",
        );
    }

    fn pool(&mut self, name: &Slug, pool: &PoolRule) {
        let path = |field: &str| format!("pools.{name}.{field}");
        let encounter = pool.of == Owner::Table;
        for (field, term) in [("max", Some(&pool.max)), ("start", pool.start.as_ref())] {
            if let Some(Term::Number(name)) = term {
                self.number(path(field), Some(name));
                self.unless(
                    !encounter,
                    &path(field),
                    "the table has no numbers: say how many points",
                );
            }
        }
        self.who(&path("spend.who"), &pool.spend.who);
        let [least, most] = pool.spend.cost;
        self.unless(
            least <= most,
            &path("spend.cost"),
            "the fewest points come first",
        );
        let turn = matches!(pool.refill, Refill::Turn | Refill::Ready);
        self.unless(
            !(encounter && turn),
            &path("refill"),
            "the table has no turn: say round or hand",
        );
    }

    fn clock(&mut self) {
        let definition = self.definition;
        let Some(clock) = &definition.clock else {
            return;
        };
        let [least, most] = clock.cost;
        self.unless(least <= most, "clock.cost", "the fewest ticks come first");
        let plain = Definition::default();
        self.unless(
            definition.phases == plain.phases,
            "phases",
            "a clock has one plain phase: leave phases out",
        );
        let parts = [
            ("turns", definition.turns == plain.turns),
            ("wait", definition.wait.is_none()),
            ("declare", definition.declare.is_none()),
            ("surprise", definition.surprise != Surprise::Skips),
            ("down", definition.down == Down::Stays),
        ];
        for (path, right) in parts {
            self.unless(right, path, "it does not go with a clock: leave it out");
        }
        let Some(score) = &definition.score else {
            return;
        };
        self.unless(
            score.low_first,
            "score.low_first",
            "the lowest tick acts: say true",
        );
        for (path, right) in [
            ("reroll", !score.reroll),
            ("pinned", score.pinned.is_none()),
            ("cards", !score.cards),
        ] {
            self.unless(
                right,
                &format!("score.{path}"),
                "it does not go with a clock: leave it out",
            );
        }
    }
}
