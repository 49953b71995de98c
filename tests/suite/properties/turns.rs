//! Follows the events of a fight: turns and rounds begin and end once.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What the events so far say of turns and rounds.
#[derive(Debug, Clone, Default)]
pub struct Turns {
    round: Option<i64>,
    within: bool,
    open: BTreeSet<String>,
    over: BTreeSet<String>,
    /// Who waits in the middle of its turn, to return to it in this round or a later one.
    waiting: BTreeSet<String>,
    /// Who has just returned: some rulesets start the turn then, others go on with it.
    returned: BTreeSet<String>,
    /// Whose turn was broken off, by leaving or by the game master: its end may still come.
    left: BTreeSet<String>,
    overridden: bool,
    /// Whether a combatant may have several turns in a round, and several rounds may end at once.
    several: bool,
    /// The turns of this round, by the order and by being picked.
    taken: BTreeMap<String, u64>,
}

/// A property, and how it fails.
type Wrong = (&'static str, String);

impl Turns {
    /// Whether the game master set somebody's turn in this round: then somebody may well act twice.
    pub fn overridden(&self) -> bool {
        self.overridden
    }

    /// The turns of a ruleset whose definition says how many there are.
    pub fn several() -> Self {
        Self {
            several: true,
            ..Self::default()
        }
    }

    /// The turns that each combatant has had in this round.
    pub fn taken(&self) -> &BTreeMap<String, u64> {
        &self.taken
    }

    /// Follows the events of one transition.
    pub fn follow(&mut self, events: &[Value]) -> Result<(), Wrong> {
        let all = || Value::Array(events.to_vec());
        events.iter().try_for_each(|event| {
            self.one(event)
                .map_err(|property| (property, format!("{event} in {}", all())))
        })
    }

    fn one(&mut self, event: &Value) -> Result<(), &'static str> {
        let who = || event["combatant"].as_str().unwrap_or_default().to_owned();
        match event["type"].as_str().unwrap_or_default() {
            "round_started" => {
                let round = event["round"].as_i64();
                let next = self.round.is_none_or(|before| round == Some(before + 1));
                if self.within || !next {
                    return Err("rounds follow one another");
                }
                let [open, waiting] = [&mut self.open, &mut self.waiting].map(std::mem::take);
                *self = Self {
                    round,
                    within: true,
                    open,
                    waiting,
                    several: self.several,
                    ..Self::default()
                };
            }
            "round_ended" => {
                let ended = event["round"].as_i64();
                if !self.within || ended != self.round && !(self.several && ended > self.round) {
                    return Err("a round ends once");
                }
                self.round = ended;
                self.within = false;
            }
            "turn_started" if !self.open.insert(who()) && !self.returned.remove(&who()) => {
                return Err("a turn starts once");
            }
            "turn_ended" => {
                self.returned.remove(&who());
                if !self.open.remove(&who()) && !self.left.remove(&who()) {
                    return Err("a turn that ends has started");
                }
                if !self.over.insert(who()) && !self.overridden && !self.several {
                    return Err("nobody's turn ends twice in a round");
                }
            }
            "turn_opened" if event["origin"] == "normal" || event["origin"] == "early" => {
                for id in event["combatants"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                {
                    *self.taken.entry(id.to_owned()).or_default() += 1;
                }
            }
            "turn_spent" => *self.taken.entry(who()).or_default() += 1,
            "delayed" => {
                self.open.remove(&who());
                self.waiting.insert(who());
                if let Some(taken) = self.taken.get_mut(&who()) {
                    *taken = taken.saturating_sub(1);
                }
            }
            "returned" => {
                if self.waiting.remove(&who()) {
                    self.open.insert(who());
                    self.returned.insert(who());
                }
                *self.taken.entry(who()).or_default() += 1;
            }
            // Who swaps in its own turn gives it back.
            "places_swapped" if self.open.remove(&who()) => {
                if let Some(taken) = self.taken.get_mut(&who()) {
                    *taken = taken.saturating_sub(1);
                }
            }
            "delay_lapsed" => _ = self.waiting.remove(&who()),
            // The game master may break off a turn: its end may come, or it is as if it had never
            // begun.
            "overridden" => {
                self.overridden = true;
                self.left.append(&mut self.open);
            }
            // The game master gives a turn back: its owner may act again in the round.
            "corrected" if event["acted"] == false => _ = self.over.remove(&who()),
            "combatant_left" if self.open.remove(&who()) => _ = self.left.insert(who()),
            "combatant_left" => _ = self.waiting.remove(&who()),
            "combatant_joined" => {
                let who = event["details"]["id"].as_str().unwrap_or_default();
                self.taken.remove(who);
                for set in [
                    &mut self.open,
                    &mut self.over,
                    &mut self.left,
                    &mut self.waiting,
                ] {
                    set.remove(who);
                }
            }
            _ => {}
        }
        Ok(())
    }
}

#[test]
fn turns_and_rounds_that_do_not_fit_are_seen() {
    use serde_json::json;
    let round = |kind: &str, n: i64| json!({"type": kind, "round": n});
    let turn = |kind: &str, who: &str| json!({"type": kind, "combatant": who});
    let complete = [
        round("round_started", 1),
        turn("turn_started", "a"),
        turn("turn_ended", "a"),
    ];
    let broken = |more: &[Value]| {
        let mut turns = Turns::default();
        turns.follow(&complete).expect("a sound beginning");
        turns.follow(more).err().map(|(property, _)| property)
    };
    assert_eq!(
        broken(&[
            turn("turn_started", "b"),
            turn("turn_ended", "b"),
            round("round_ended", 1)
        ]),
        None
    );
    assert_eq!(
        broken(&[turn("turn_started", "a"), turn("turn_ended", "a")]),
        Some("nobody's turn ends twice in a round")
    );
    assert_eq!(
        broken(&[turn("turn_started", "b"), turn("turn_started", "b")]),
        Some("a turn starts once")
    );
    assert_eq!(
        broken(&[turn("turn_ended", "b")]),
        Some("a turn that ends has started")
    );
    assert_eq!(
        broken(&[round("round_started", 2)]),
        Some("rounds follow one another")
    );
    assert_eq!(
        broken(&[round("round_ended", 1), round("round_started", 3)]),
        Some("rounds follow one another")
    );
    assert_eq!(
        broken(&[round("round_ended", 1), round("round_ended", 1)]),
        Some("a round ends once")
    );
    assert_eq!(
        broken(&[
            turn("overridden", "a"),
            turn("turn_started", "a"),
            turn("turn_ended", "a")
        ]),
        None
    );
}
