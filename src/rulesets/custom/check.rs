//! What is wrong with a definition: the path of each mistake, and what would be right.

use super::definition::{
    Definition, InitiativeRule, Lasts, Owner, Per, PhaseRule, Pick, PoolRule, Refill, Surprise,
    Term, Unconscious, Who,
};
use super::query::{has_places, pool_line, rerolls};
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
            "This word has a meaning in initiative.ties. Choose another name.",
        );
    }
    if let Some(initiative) = &definition.initiative {
        wrong.initiative(initiative);
    }
    wrong.phases();
    wrong.declare();
    wrong.surprise();
    wrong.delay();
    for (name, pool) in &definition.pools {
        wrong.pool(name, pool);
    }
    wrong.clock();
    if definition.unconscious == Unconscious::Moves && !wrong.all_in_order() {
        wrong.note(
            "unconscious",
            "moves needs pick order in every phase. Use stays or skips, or set pick.",
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

    /// Whether every phase goes by initiative of combatants or groups.
    fn all_in_order(&self) -> bool {
        let mut phases = self.definition.phases.iter();
        phases.all(|phase| phase.pick == Pick::Order)
    }

    fn initiative(&mut self, initiative: &InitiativeRule) {
        self.terms("initiative.add", &initiative.add);
        if let Some(foes) = &initiative.foes {
            self.terms("initiative.foes.add", &foes.add);
        }
        self.size("initiative.ties", initiative.ties.len(), 0, 4);
        for (i, tie) in initiative.ties.iter().enumerate().take(4) {
            let path = format!("initiative.ties.{i}");
            if !TIE_WORDS.contains(&tie.as_str()) {
                self.number(path.clone(), Some(tie));
            }
            self.unless(
                !is_repeated(&initiative.ties, i),
                &path,
                "The list has this twice. Remove one.",
            );
        }
        let foes_roll = match &initiative.foes {
            Some(foes) => foes.dice.is_some(),
            None => true,
        };
        let all_roll = initiative.dice.is_some() && foes_roll;
        let rolls_off = initiative.ties.iter().any(|tie| tie == "roll");
        self.unless(
            !rolls_off || all_roll,
            "initiative.ties",
            "roll needs initiative.dice, and initiative.foes.dice if there is initiative.foes. Add dice, or remove roll.",
        );
        for (field, name) in [
            ("advantage", &initiative.advantage),
            ("fixed", &initiative.fixed),
        ] {
            let path = format!("initiative.{field}");
            self.number(path.clone(), name.as_ref());
            self.unless(
                name.is_none() || initiative.per != Per::Side,
                &path,
                "A side has no such number. Set per to combatant or group.",
            );
        }
        self.unless(
            initiative.advantage.is_none() || initiative.dice.is_some(),
            "initiative.advantage",
            "advantage needs dice. Add initiative.dice, or remove advantage.",
        );
        let alone = initiative.dice.is_none()
            && initiative.add.is_empty()
            && initiative.foes.is_none()
            && initiative.ties.is_empty()
            && initiative.fixed.is_none()
            && !initiative.low_first
            && initiative.per != Per::Side;
        let message = "cards can't go with dice, add, foes, fixed, ties, low_first or per side. Remove those.";
        self.unless(!initiative.cards || alone, "initiative.cards", message);
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
            self.who(&phase_field(i, "who"), &phase.who);
            let message = "order needs an initiative per combatant or group. Add initiative, or set pick to free, last or together.";
            self.unless(
                phase.pick != Pick::Order || places,
                &phase_field(i, "pick"),
                message,
            );
            self.size(&phase_field(i, "steps"), phase.steps.len(), 0, 8);
            self.unless(
                phase.steps.is_empty() || phase.pick == Pick::Together,
                &phase_field(i, "steps"),
                "steps need a shared turn. Set pick to together.",
            );
            self.unless(
                !phase.optional || matches!(phase.pick, Pick::Free | Pick::Last),
                &phase_field(i, "optional"),
                "optional needs a free choice. Set pick to free or last.",
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
        self.unless(
            declare.who.declared.is_empty(),
            "declare.who.declared",
            "Declarations are not known yet. Use side or has.",
        );
        for (i, choice) in declare.choices.iter().enumerate() {
            let path = format!("declare.choices.{i}");
            self.unless(
                !is_repeated(&declare.choices, i),
                &path,
                "The list has this twice. Remove one.",
            );
            let mut phases = definition.phases.iter();
            if !phases.any(|phase| takes(phase, choice)) {
                let message =
                    format!("No phase takes \"{choice}\". Add it to who.declared of a phase.");
                self.note(path, message);
            }
        }
    }

    fn surprise(&mut self) {
        let mut by_side = false;
        let mut dice = false;
        if let Some(initiative) = &self.definition.initiative {
            by_side = initiative.per == Per::Side;
            dice = initiative.dice.is_some();
        }
        match self.definition.surprise {
            Surprise::None | Surprise::Skips => {}
            Surprise::Disadvantage => {
                self.unless(
                    dice && !by_side,
                    "surprise",
                    "disadvantage needs initiative.dice per combatant or group. Add initiative.dice, or change surprise.",
                );
            }
            Surprise::Yields => {
                self.unless(
                    by_side,
                    "surprise",
                    "yields needs an initiative per side. Set initiative.per, or change surprise.",
                );
            }
        }
    }

    fn delay(&mut self) {
        let definition = self.definition;
        let Some(delay) = &definition.delay else {
            return;
        };
        self.unless(
            self.all_in_order(),
            "delay",
            "delay needs pick order in every phase. Set pick, or remove delay.",
        );
        self.unless(
            definition.turns == Definition::default().turns,
            "delay",
            "delay needs one turn per round. Remove turns, or delay.",
        );
        let rerolls = rerolls(definition);
        self.unless(
            !(delay.moves && rerolls),
            "delay.moves",
            "moves can't go with a new roll each round. Remove moves, or initiative.reroll.",
        );
        self.unless(
            !(delay.lasts == Lasts::Place && rerolls),
            "delay.lasts",
            "place can't go with a new roll each round. Use round or used.",
        );
    }

    fn pool(&mut self, name: &Slug, pool: &PoolRule) {
        let of_table = pool.of == Owner::Table;
        for (field, term) in [("max", Some(&pool.max)), ("start", pool.start.as_ref())] {
            if let Some(Term::Number(number)) = term {
                self.number(pool_line(name, field), Some(number));
                self.unless(
                    !of_table,
                    &pool_line(name, field),
                    "The table has no numbers. Set the points as a number.",
                );
            }
        }
        self.who(&pool_line(name, "spend.who"), &pool.spend.who);
        let [least, most] = pool.spend.cost;
        self.unless(
            least <= most,
            &pool_line(name, "spend.cost"),
            "The fewest points come first. Swap the two.",
        );
        let by_turn = matches!(pool.refill, Refill::Turn | Refill::Ready);
        self.unless(
            !(of_table && by_turn),
            &pool_line(name, "refill"),
            "The table has no turn. Use round or manual.",
        );
    }

    fn clock(&mut self) {
        let definition = self.definition;
        let Some(clock) = &definition.clock else {
            return;
        };
        let [least, most] = clock.cost;
        self.unless(
            least <= most,
            "clock.cost",
            "The fewest ticks come first. Swap the two.",
        );
        let plain = Definition::default();
        self.unless(
            definition.phases == plain.phases,
            "phases",
            "A clock has one plain phase. Remove phases.",
        );
        self.without_clock("turns", definition.turns != plain.turns);
        self.without_clock("delay", definition.delay.is_some());
        self.without_clock("declare", definition.declare.is_some());
        self.without_clock("surprise", definition.surprise == Surprise::Skips);
        self.without_clock("unconscious", definition.unconscious != Unconscious::Stays);
        let Some(initiative) = &definition.initiative else {
            return;
        };
        self.unless(
            initiative.low_first,
            "initiative.low_first",
            "On a clock the lowest tick acts. Set low_first to true.",
        );
        self.without_clock("initiative.reroll", initiative.reroll);
        self.without_clock("initiative.fixed", initiative.fixed.is_some());
        self.without_clock("initiative.cards", initiative.cards);
    }

    /// Notes a line that a definition with a clock must not have.
    fn without_clock(&mut self, path: &str, is_there: bool) {
        self.unless(!is_there, path, "A clock can't go with this. Remove it.");
    }
}

/// The path of a field of a phase.
fn phase_field(phase: usize, field: &str) -> String {
    format!("phases.{phase}.{field}")
}

/// Whether the word at this position is there before it too.
fn is_repeated(words: &[Slug], at: usize) -> bool {
    let mut before = words.iter().take(at);
    before.any(|word| Some(word) == words.get(at))
}

/// Whether combatants that declared this act in a phase.
fn takes(phase: &PhaseRule, choice: &Slug) -> bool {
    phase.who.declared.is_empty() || phase.who.declared.contains(choice)
}
