//! Single plays in which somebody hidden once showed, or could: each is played with the hidden and without them, and looks the same.

use super::secrecy::{Even, Sight, Stage, differs};
use serde_json::{Value, json};
use turnkeeper::vocabulary::Dice;

/// Dice that fall as written, and all alike where nothing is written.
struct Written(Vec<u16>);

impl Dice for Written {
    fn roll(&mut self, sides: u16) -> u16 {
        if self.0.is_empty() { Even(9).roll(sides) } else { self.0.remove(0) }
    }
}

/// The same play with somebody hidden and without, side by side.
struct Pair {
    with: Stage,
    without: Stage,
    /// What was seen of the play with the hidden last.
    seen: Vec<Sight>,
}

impl Pair {
    fn new(ruleset: &str, seen: &[Value], hidden: &[Value]) -> Self {
        let stage = |combatants: &[Value]| {
            let creation = json!({"ruleset": ruleset, "combatants": combatants});
            Stage::create(&creation).expect("a sound creation")
        };
        // The hidden come first: whatever goes by the order of joining could show them.
        let (with, without) = (stage(&[hidden, seen].concat()), stage(seen));
        let sights = with.sights(None);
        assert_eq!(differs(&sights, &without.sights(None)), None, "at the creation");
        Self { with, without, seen: sights }
    }

    /// Only the game master knows of it, and it happens only where there are hidden ones.
    fn secretly(&mut self, command: Value) -> &mut Self {
        let (next, decided) = self.with.send(&command, &mut Even(9)).unwrap_or_else(|| panic!("{command} is refused"));
        assert!(!next.someone(&decided), "{command} gives a hidden one the turn");
        self.with.folds(&decided);
        self.without = self.without.noted();
        assert_eq!(differs(&next.sights(None), &self.without.sights(None)), None, "after {command}");
        self.with = next;
        self
    }

    /// It happens in both plays and looks the same.
    fn openly(&mut self, command: Value) -> &mut Self {
        self.rolled(command, &[], &[])
    }

    /// The same with dice of its own in each play: the hidden roll too.
    fn rolled(&mut self, command: Value, with: &[u16], without: &[u16]) -> &mut Self {
        let sent = |stage: &Stage, dice: &[u16]| {
            stage.send(&command, &mut Written(dice.to_vec())).unwrap_or_else(|| panic!("{command} is refused"))
        };
        let ((next, decided), (next_without, decided_without)) = (sent(&self.with, with), sent(&self.without, without));
        assert!(!next.someone(&decided), "{command} gives a hidden one the turn");
        self.with.folds(&decided);
        let sights = next.sights(Some((&decided, &command)));
        let leak = differs(&sights, &next_without.sights(Some((&decided_without, &command))));
        assert_eq!(leak, None, "after {command}");
        (self.with, self.without, self.seen) = (next, next_without, sights);
        self
    }

    /// It gives a hidden one the turn, or asks for one: that somebody acts is all that is told.
    fn someone_acts(&mut self, command: Value) -> &mut Self {
        let (next, decided) = self.with.send(&command, &mut Even(9)).unwrap_or_else(|| panic!("{command} is refused"));
        self.with.folds(&decided);
        self.seen = next.sights(Some((&decided, &command)));
        for sight in &self.seen {
            assert!(sight.view.contains("\"decision\":\"someone_acts\""), "{}", sight.view);
            let told = &sight.entry.as_ref().expect("something is told").1;
            assert!(told.contains("someone_acts") && !told.contains("\"h"), "{told}");
        }
        self.with = next;
        self
    }

    /// It happens in the play with the hidden; what is told of it.
    fn with_lock(&mut self, command: Value) -> Vec<String> {
        let (next, decided) = self.with.send(&command, &mut Even(9)).unwrap_or_else(|| panic!("{command} is refused"));
        self.with.folds(&decided);
        self.seen = next.sights(Some((&decided, &command)));
        self.with = next;
        let told = self.seen[0].entry.as_ref().map_or("[]", |(_, events)| events);
        let events: Vec<Value> = serde_json::from_str(told).expect("events");
        events.iter().filter_map(|event| event["type"].as_str().map(str::to_owned)).collect()
    }

    /// The names of the turns that are seen.
    fn slots(&self) -> Vec<String> {
        slots(&self.seen[0].view)
    }

    /// The names of all turns.
    fn all_slots(&self) -> Vec<String> {
        slots(self.with.game.view().expect("a view").get())
    }
}

fn slots(view: &str) -> Vec<String> {
    let view: Value = serde_json::from_str(view).expect("JSON");
    let slots = view["state"]["slots"].as_array().expect("turns");
    slots.iter().filter_map(|slot| slot["id"].as_str().map(str::to_owned)).collect()
}

fn one(id: &str, side: &str) -> Value {
    json!({"id": id, "side": side})
}

fn hidden(id: &str, side: &str) -> Value {
    json!({"id": id, "side": side, "hidden": true})
}

fn dead(id: &str, side: &str) -> Value {
    json!({"id": id, "side": side, "hidden": true, "conditions": ["dead"]})
}

fn claim(id: &str) -> Value {
    json!({"type": "claim", "combatant": id})
}

/// Somebody passes on the turn.
fn pass(id: &str) -> Value {
    json!({"type": "pass", "combatant": id})
}

fn assign(id: &str) -> Value {
    json!({"type": "assign", "combatant": id})
}

fn end(id: &str) -> Value {
    json!({"type": "end_turn", "combatant": id})
}

fn add(id: &str, side: &str) -> Value {
    json!({"type": "add_combatant", "combatant": one(id, side)})
}

fn remove(id: &str) -> Value {
    json!({"type": "remove_combatant", "combatant": id})
}

/// A start at which Bo succeeds and Ann does not.
fn half() -> Value {
    json!({"type": "start", "rolls": {"c1": 1, "bo": 20}})
}

fn party() -> Vec<Value> {
    vec![one("c1", "players"), one("bo", "players"), one("orc", "monsters")]
}

#[test]
fn a_hidden_player_character_under_dc20_shows_neither_in_the_dc_nor_in_the_winner_nor_in_the_number_of_turns() {
    // Its level would raise the DC, its failure would lose the first turn, and itself would give every team one turn more.
    let rogue = json!({"id": "h1", "side": "players", "hidden": true, "level": 20, "agility": -5});
    let mut play = Pair::new("dc20", &party(), &[rogue]);
    play.rolled(half(), &[2], &[]);
    assert_eq!(play.slots(), ["p1", "e1", "p2", "e2"]);
    assert_eq!(play.all_slots(), ["p1", "e1", "p2", "e2", "p-h1"]);
    play.openly(claim("c1"))
        .openly(pass("bo"))
        .openly(end("c1"))
        .openly(assign("orc"))
        .openly(end("orc"))
        .openly(claim("bo"));
    play.secretly(json!({"type": "damage", "target": "h1", "amount": 3}));
    play.secretly(json!({"type": "set_condition", "target": "h1", "condition": "surprised"}));
    play.someone_acts(end("bo"));
    assert_eq!(play.slots(), ["p1", "e1", "p2", "e2"]);
    // Its turn goes by: the next round begins for all.
    let told = play.with_lock(end("h1"));
    assert_eq!(told, ["round_ended", "round_started", "slot_began", "turn_started"]);
    assert_eq!(play.slots(), ["p1", "e1", "p2", "e2"]);
}

#[test]
fn a_hidden_player_character_may_claim_an_earlier_turn_and_somebody_acts_is_all_that_is_told() {
    let mut play = Pair::new("dc20", &party(), &[hidden("h1", "players")]);
    play.rolled(half(), &[20], &[]).secretly(claim("h1"));
    // The others are asked as if nobody had claimed; then the game master goes on.
    play.someone_acts(json!({"type": "pass"}));
    // It has taken a turn of the others, who get another one at once.
    assert_eq!(play.slots(), ["p1", "e1", "p2", "e2", "p3", "e3"]);
    assert_eq!(play.with_lock(json!({"type": "damage", "target": "h1", "amount": 1})), [""; 0]);
    assert_eq!(play.with_lock(end("h1")), ["slot_opened"]);
}

#[test]
fn a_claim_of_a_hidden_player_character_under_dc20_changes_nothing_that_the_others_are_asked() {
    let rogue = json!({"id": "h1", "side": "players", "hidden": true, "agility": 1});
    let mut play = Pair::new("dc20", &party(), &[rogue]);
    // Its result is between those of Ann and Bo.
    play.rolled(half(), &[9], &[]).secretly(claim("h1")).openly(claim("c1"));
    play.openly(claim("bo"));
    let placed = "\"placed\":\"contested\"";
    assert!(play.seen[0].view.contains(placed), "{}", play.seen[0].view);
}

#[test]
fn an_enemy_behind_which_a_turn_is_held_under_dc20_is_not_named_once_it_hides() {
    let mut play = Pair::new("dc20", &[one("c1", "players"), one("orc", "monsters"), one("wolf", "monsters")], &[]);
    play.openly(json!({"type": "start", "rolls": {"c1": 20}})).openly(claim("c1"));
    play.openly(json!({"type": "delay", "combatant": "c1", "after": "orc"}));
    play.openly(json!({"type": "update_combatant", "combatant": "orc", "changes": {"hidden": true}}));
    assert!(!play.seen[0].view.contains("orc"), "{}", play.seen[0].view);
    // Where it is put moves nobody.
    let told = play.with_lock(json!({"type": "assign", "combatant": "orc", "slot": "e1", "also": ["wolf"]}));
    assert_eq!(told, ["assigned", "slot_began", "turn_started"]);
    assert_eq!(play.slots(), ["p1", "e1"]);
}

#[test]
fn a_hidden_player_character_that_is_revealed_under_dc20_joins_with_its_turn_and_gives_the_enemies_one() {
    let mut play = Pair::new("dc20", &party(), &[hidden("h1", "players")]);
    play.rolled(half(), &[2], &[]).openly(claim("c1")).openly(pass("bo"));
    let told = play.with_lock(json!({"type": "update_combatant", "combatant": "h1", "changes": {"hidden": false}}));
    assert_eq!(told, ["combatant_joined", "slot_added", "slot_added"]);
    assert_eq!(play.slots(), ["p1", "e1", "p2", "e2", "p-h1", "e3"]);
    assert_eq!(play.slots(), play.all_slots());
}

#[test]
fn a_hidden_player_character_that_joins_later_or_rises_again_adds_no_turn_that_is_seen_under_dc20() {
    let mut play = Pair::new("dc20", &party(), &[dead("h1", "players")]);
    play.openly(half()).openly(claim("c1")).openly(pass("bo"));
    play.secretly(json!({"type": "add_combatant", "combatant": hidden("h2", "players")}));
    play.secretly(json!({"type": "clear_condition", "target": "h1", "condition": "dead"}));
    assert_eq!(play.all_slots(), ["p1", "e1", "p2", "e2", "p-h2", "p-h1"]);
    // Another one who is seen gets the turns that it would get without them.
    play.openly(add("c9", "players"));
    assert_eq!(play.slots(), ["p1", "e1", "p2", "e2", "p3", "e3"]);
    play.openly(end("c1"));
}

#[test]
fn who_delays_past_the_last_enemy_under_dc20_gets_a_new_turn_and_not_that_of_one_who_is_hidden() {
    let mut play = Pair::new("dc20", &[one("c1", "players"), one("orc", "monsters")], &[hidden("h1", "players")]);
    play.rolled(json!({"type": "start", "rolls": {"c1": 20}}), &[2], &[]).openly(claim("c1"));
    play.openly(json!({"type": "assign", "combatant": "orc", "slot": "e1"}));
    play.openly(json!({"type": "delay", "combatant": "c1", "after": "orc"}));
    assert_eq!(play.slots(), ["p1", "e1", "p2"]);
    assert_eq!(play.all_slots(), ["p1", "e1", "p-h1", "p2"]);
}

#[test]
fn the_last_of_a_side_who_is_seen_leaves_and_its_team_stays_whether_a_hidden_one_is_left_or_not() {
    let wolves = [one("c1", "players"), one("orc", "monsters"), one("wolf", "wolves")];
    let mut play = Pair::new("dc20", &wolves, &[hidden("h1", "wolves"), dead("h2", "monsters")]);
    play.openly(json!({"type": "start", "rolls": {"c1": 20}, "first_team": "monsters"})).openly(claim("c1"));
    play.openly(remove("wolf")).openly(remove("orc"));
    assert_eq!(play.slots(), ["p1", "e1", "e1-2"]);
    play.secretly(remove("h1")).openly(add("c9", "wolves"));
}

#[test]
fn the_first_of_a_hidden_side_who_is_seen_brings_its_team_and_the_turns_of_it_in_events() {
    let mut play = Pair::new("dc20", &party(), &[hidden("h1", "shadows"), dead("h2", "gloom")]);
    play.openly(half()).openly(claim("c1")).openly(pass("bo"));
    assert_eq!(play.all_slots().len(), 8);
    play.openly(add("c9", "shadows"));
    let told = &play.seen[0].entry.as_ref().expect("something is told").1;
    assert_eq!((told.matches("team_joined").count(), told.matches("slot_added").count()), (1, 2), "{told}");
    // The team that was not seen may be first of the unseen, not of all.
    play.openly(end("c1"));
}

#[test]
fn a_hidden_one_who_is_revealed_in_its_own_turn_keeps_it_and_its_team_is_told_of() {
    let mut play = Pair::new("dc20", &[one("c1", "players"), one("orc", "monsters")], &[hidden("h1", "shadows")]);
    play.openly(json!({"type": "start", "rolls": {"c1": 20}})).openly(claim("c1")).openly(end("c1"));
    play.openly(assign("orc"));
    play.someone_acts(end("orc"));
    play.with_lock(assign("h1"));
    let told = play.with_lock(json!({"type": "update_combatant", "combatant": "h1", "changes": {"hidden": false}}));
    assert_eq!(told, ["combatant_joined", "team_joined", "slot_added", "slot_added"]);
    assert!(play.seen[0].view.contains("\"current\":[\"h1\"]"), "{}", play.seen[0].view);
    assert_eq!(play.slots(), play.all_slots());
    play.with_lock(end("h1"));
}

#[test]
fn hidden_npcs_under_dc20_have_turns_that_nobody_sees_also_where_one_of_them_is_seen_and_dead() {
    let fallen = json!({"id": "guide", "side": "npc", "conditions": ["dead"]});
    let seen = [one("c1", "players"), one("orc", "monsters"), fallen];
    let mut play = Pair::new("dc20", &seen, &[hidden("h1", "npc")]);
    play.openly(json!({"type": "start", "rolls": {"c1": 20}})).openly(claim("c1"));
    assert_eq!((play.slots(), play.all_slots().len()), (vec!["p1".to_owned(), "e1".to_owned()], 3));
    play.openly(add("c9", "npc"));
    assert_eq!(play.slots(), ["p1", "e1", "n1"]);
}

#[test]
fn enemy_turns_are_merged_under_dc20_past_those_of_a_hidden_team() {
    let mut play = Pair::new("dc20", &party(), &[dead("h1", "shadows")]);
    play.openly(json!({"type": "start", "rolls": {"c1": 20, "bo": 20}}));
    play.openly(json!({"type": "claim", "combatant": "c1", "others": ["bo"], "share": true}));
    play.openly(json!({"type": "merge"}));
}

#[test]
fn an_important_npc_and_a_legendary_monster_that_are_hidden_show_nothing_under_dc20() {
    let squire = json!({"id": "h1", "side": "npc", "hidden": true, "important": true});
    let dragon = json!({"id": "h2", "side": "monsters", "hidden": true, "max_lap": 3, "conditions": ["dead"]});
    let mut play = Pair::new("dc20", &party(), &[squire, dragon]);
    play.openly(half())
        .openly(claim("c1"))
        .openly(pass("bo"))
        .openly(end("c1"))
        .openly(assign("orc"))
        .openly(end("orc"));
    assert_eq!(play.slots(), ["p1", "e1", "p2", "e2"]);
}

#[test]
fn a_tie_with_one_who_is_hidden_is_none_under_active_initiative() {
    let seen = [json!({"id": "c1", "dex": 18}), json!({"id": "orc", "side": "monsters"})];
    let twin = json!({"id": "h1", "side": "monsters", "hidden": true, "dex": 5});
    let mut play = Pair::new("active-initiative", &seen, std::slice::from_ref(&twin));
    play.rolled(json!({"type": "start"}), &[15, 15, 8], &[15, 8]);
    assert!(!play.seen[0].view.contains("AI-5"), "{}", play.seen[0].view);
    let mut play = Pair::new("active-initiative", &seen, &[twin]);
    play.rolled(json!({"type": "start"}), &[15, 15, 15], &[15, 15]);
    assert!(play.seen[0].view.contains("AI-5"), "{}", play.seen[0].view);
}

#[test]
fn a_hidden_one_on_the_same_tick_does_not_count_under_venture() {
    // All stand on one tick. Bo is next, and shares the tick with nobody seen once the orc is gone.
    let mut play = Pair::new("venture", &party(), &[hidden("h1", "monsters")]);
    play.openly(json!({"type": "start"})).openly(json!({"type": "override", "combatant": "c1"})).openly(end("c1"));
    assert!(play.seen[0].view.contains("\"same_tick\":true"), "{}", play.seen[0].view);
    play.openly(remove("orc"));
    assert!(play.seen[0].view.contains("\"same_tick\":false"), "{}", play.seen[0].view);
}

#[test]
fn a_tie_and_a_roll_off_with_one_who_is_hidden_are_none_under_seize() {
    let seen = [json!({"id": "c1", "initiative_bonus": 2}), json!({"id": "orc", "side": "monsters"})];
    let start = json!({"type": "start"});
    // The same result with a lower bonus; a full tie, rolled off; and the same among those who are seen.
    let lower = json!({"id": "h1", "side": "monsters", "hidden": true, "initiative_bonus": 1});
    Pair::new("seize", &seen, &[lower]).rolled(start.clone(), &[14, 13, 4], &[13, 4]);
    let equal = json!({"id": "h1", "side": "monsters", "hidden": true, "initiative_bonus": 2});
    let mut play = Pair::new("seize", &seen, std::slice::from_ref(&equal));
    play.rolled(start.clone(), &[13, 13, 4, 16, 3], &[13, 4]);
    assert!(!play.seen[0].view.contains("tie_rule"), "{}", play.seen[0].view);
    let twins = [json!({"id": "c1", "initiative_bonus": 2}), json!({"id": "bo", "initiative_bonus": 2})];
    let mut play = Pair::new("seize", &twins, &[equal]);
    // A full tie of three: the dice of a roll-off come best first, c1's, bo's and that of the hidden one, who rolls last.
    play.rolled(start, &[13, 13, 13, 16, 12, 3], &[13, 13, 16, 12]);
    assert!(play.seen[0].view.contains("AWA2"), "{}", play.seen[0].view);
}

#[test]
fn one_who_is_hidden_in_a_group_decides_nothing_for_it_under_seize() {
    let seen = [one("c1", "players"), one("orc", "monsters")];
    let chief = json!({"id": "h1", "side": "monsters", "hidden": true, "initiative_bonus": 9});
    let together = json!({"type": "start", "enemies": "together"});
    Pair::new("seize", &seen, std::slice::from_ref(&chief)).rolled(together.clone(), &[10, 4], &[10, 4]);
    Pair::new("seize", &seen, &[chief]).rolled(together, &[10, 10, 12, 5], &[10, 10, 12, 5]);
}

#[test]
fn one_who_is_hidden_and_seizes_with_the_same_bonus_is_no_tie_under_seize() {
    let seen = [one("c1", "players"), one("bo", "players"), one("orc", "monsters")];
    let mut play = Pair::new("seize", &seen, &[hidden("h1", "monsters")]);
    play.rolled(json!({"type": "start"}), &[2, 15, 4, 3], &[15, 4, 3]);
    for who in ["bo", "orc"] {
        play.openly(json!({"type": "damage", "target": who, "amount": 2, "source": "c1"}));
    }
    play.secretly(json!({"type": "damage", "target": "h1", "amount": 2})).openly(end("c1"));
    play.secretly(json!({"type": "seize", "combatant": "h1"}));
    play.openly(json!({"type": "seize", "combatant": "bo"}));
    assert!(!play.seen[0].view.contains("AWA2"), "{}", play.seen[0].view);
}

#[test]
fn a_newcomers_turn_under_dc20_is_still_to_come_where_a_turn_of_the_hidden_has_gone_by() {
    let dragon = json!({"id": "wolf", "side": "wolves", "max_lap": 3});
    let mut play = Pair::new("dc20", &[one("c1", "players"), dragon], &[hidden("h1", "shadows")]);
    play.openly(json!({"type": "start", "rolls": {"c1": 20}})).secretly(remove("h1"));
    play.openly(claim("c1")).openly(end("c1")).openly(json!({"type": "pass"}));
    play.openly(assign("wolf")).openly(end("wolf"));
    assert!(play.seen[0].view.contains("\"phase\":\"round_end\""), "{}", play.seen[0].view);
    play.openly(add("c9", "shadows")).openly(json!({"type": "pass"}));
}
