//! Plays a transcript with its hidden combatants and without them: players see the same.

use super::{Seen, Step, Transcript};
use crate::properties::secrecy::{Sight, Stage, alike};
use crate::support::dice::ScriptedDice;
use crate::support::json::{at, difference};
use crate::support::sources;
use crate::support::table::owned;
use serde_json::{Value, json};
use turnkeeper::engine::Decided;
use turnkeeper::vocabulary::CombatantId;

/// Plays a transcript twice; everything that players see and should not, or that is not as written.
pub fn play(transcript: &Transcript, without: &[CombatantId]) -> Vec<String> {
    let mut fewer = transcript.create.clone();
    if let Some(combatants) = fewer["combatants"].as_array_mut() {
        combatants.retain(|c| !without.iter().any(|id| c["id"] == id.as_str()));
    }
    let stages = Stage::create(&transcript.create).zip(Stage::create(&fewer));
    let Some((with, without)) = stages else {
        return vec!["the encounter was not created".to_owned()];
    };
    let mut both = Both {
        with,
        without: Some(without),
        wrong: Vec::new(),
    };
    both.compare("the creation", None, None);
    for step in &transcript.steps {
        if let Err(broken) = both.take(step) {
            both.wrong.push(broken);
            break;
        }
    }
    both.wrong
}

/// The two plays.
struct Both {
    with: Stage,
    /// The play without the hidden; None after a step that it does not have.
    without: Option<Stage>,
    wrong: Vec<String>,
}

/// A command and what came of it.
type Led<'s> = Option<(&'s Decided, &'s Value)>;

/// What comes of a step's command, with these dice; why it cannot go on is an error.
fn send(stage: &Stage, step: &Step, dice: &[u16]) -> Result<(Stage, Decided), String> {
    let body = step.send.as_ref().ok_or("a step without a command")?;
    let mut dice = ScriptedDice::new(dice);
    let sender = owned(&*stage.game, &step.by);
    let sent = stage.send_as(&sender, body, &mut dice);
    let sent = sent.ok_or_else(|| format!("{body} is refused"))?;
    stage.folds(&sent.1);
    match dice.verdict().as_slice() {
        [] => Ok(sent),
        wrong => Err(format!("{body}: {}", wrong.join(", "))),
    }
}

impl Both {
    fn take(&mut self, step: &Step) -> Result<(), String> {
        let own = step.dice.as_deref().unwrap_or_default();
        let body = step.send.as_ref().ok_or("a step without a command")?;
        let (next, decided) = send(&self.with, step, own)?;
        let someone = next.someone(&self.with, &decided);
        self.with = next;
        let sights = self.with.sights(Some((&decided, body)));
        let what = body.to_string();
        match step.seen {
            Seen::Same | Seen::Nothing if someone => {
                return Err(format!("{what} gives a hidden combatant the turn"));
            }
            Seen::Same => {
                let without = self.without.take().ok_or("the plays have parted")?;
                let dice = step.dice_without.as_deref().unwrap_or(own);
                let (other, same) = send(&without, step, dice)?;
                self.without = Some(other);
                self.compare(&what, Some((&decided, body)), Some((&same, body)));
            }
            Seen::Nothing => {
                let without = self.without.take().ok_or("the plays have parted")?;
                self.without = Some(without.noted());
                self.compare(&what, None, None);
            }
            Seen::Someone => {
                self.without = None;
                let wrong = sights.iter().filter_map(|sight| somebody(sight).err());
                self.wrong
                    .extend(wrong.map(|wrong| format!("{what}: {wrong}")));
            }
            Seen::More => self.without = None,
        }
        self.look(step, &what, &sights);
        Ok(())
    }

    /// Compares what is seen in the two plays.
    fn compare(&mut self, after: &str, led: Led<'_>, other: Led<'_>) {
        let Some(without) = &self.without else { return };
        if let Err(different) = alike(&self.with.sights(led), &without.sights(other)) {
            self.wrong.push(format!("after {after}: {different}"));
        }
    }

    /// Looks at what the players read in the play with the hidden.
    fn look(&mut self, step: &Step, after: &str, sights: &[Sight]) {
        let (Some(players), Some(sight)) = (&step.players, sights.first()) else {
            return;
        };
        let mut note = |what: String| self.wrong.push(format!("after {after}, players: {what}"));
        let entry = sight.entry.as_ref().map_or("[]", |(_, events)| events);
        let events: Vec<Value> = serde_json::from_str(entry).expect("events");
        let types: Value = events.iter().map(|event| event["type"].clone()).collect();
        let expected = players.events.as_ref().map(|events| json!(events));
        if let Some(wrong) = expected.and_then(|events| difference("events", &events, &types)) {
            note(wrong);
        }
        let view: Value = serde_json::from_str(&sight.view).expect("JSON");
        for (path, expected) in &players.expect {
            match at(&view, path) {
                Ok(got) => difference(path, expected, &got)
                    .into_iter()
                    .for_each(&mut note),
                Err(nowhere) => note(format!("{path}: {nowhere}")),
            }
        }
        for part in players
            .shows
            .iter()
            .filter(|part| !sight.view.contains(*part))
        {
            note(format!("{part} is not in {}", sight.view));
        }
        for part in players
            .hides
            .iter()
            .filter(|part| sight.view.contains(*part))
        {
            note(format!("{part} is in {}", sight.view));
        }
    }
}

/// Whether a viewer reads that somebody acts, and not who.
fn somebody(sight: &Sight) -> Result<(), String> {
    if !sight.view.contains("\"decision\":\"someone_acts\"") {
        return Err(format!(
            "players do not see that someone acts; if that is right, they see \"more\". They see {}",
            sight.view
        ));
    }
    match &sight.entry {
        None => Err(
            "players read of nothing, and see what they saw before: they see \
                     \"nothing\" or \"more\""
                .to_owned(),
        ),
        Some((_, events)) if events.contains("someone_acts") && !events.contains("\"h") => Ok(()),
        Some((_, events)) => Err(format!("players read {events}")),
    }
}

/// Changes of a transcript that is as written, and the complaints that follow.
#[test]
fn the_runner_complains_of_what_players_see_and_should_not() {
    let file = "exp/hidden-tie.json";
    let text = sources::read(&sources::path(&format!("tests/transcripts/{file}")));
    let transcript: Value = serde_json::from_str(&text).expect("a transcript is JSON");
    assert_eq!(super::check(file, &text), [""; 0], "it is as written");
    for (place, value, complaint) in [
        (
            "/steps/0/dice_without",
            json!([9, 8]),
            "after {\"type\":\"start\"}: ",
        ),
        ("/steps/0/dice_without", json!([9]), "is missing"),
        (
            "/steps/0/seen",
            json!("someone"),
            "do not see that someone acts",
        ),
        (
            "/steps/0/seen",
            json!("nothing"),
            "after {\"type\":\"start\"}: ",
        ),
        ("/steps/0/players", json!({"events": []}), "players: events"),
        (
            "/steps/0/players",
            json!({"expect": {"round": 7}}),
            "players: round",
        ),
        (
            "/steps/0/players",
            json!({"shows": ["EX-7"]}),
            "EX-7 is not in",
        ),
        ("/steps/0/players", json!({"hides": ["EX-"]}), "EX- is in"),
        ("/without", json!(null), "only where `without` stands"),
    ] {
        let mut changed = transcript.clone();
        let (object, field) = place.rsplit_once('/').expect("a pointer");
        changed.pointer_mut(object).expect("an object")[field] = value;
        let complaints = super::check(file, &changed.to_string()).join("\n");
        assert!(complaints.contains(complaint), "{place}: {complaints}");
    }
}
