//! A table to play at: an encounter of any ruleset that holds every transition against the engine's
//! promises.

use super::contract;
use super::json::difference;
use crate::round_robin::RoundRobin;
use jiff::Timestamp;
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::{Arc, LazyLock};
use turnkeeper::engine::*;
use turnkeeper::json::{ErrorKind, read};
use turnkeeper::vocabulary::{
    CombatantId, Dice, Ground, LegalCommand, OwnCombatant, Registrar, Time,
};

/// Every ruleset that ships, and the tests' own.
pub static RULESETS: LazyLock<Rulesets> = LazyLock::new(|| {
    let mut rulesets = Rulesets::shipped();
    rulesets.add::<RoundRobin>();
    rulesets
});

/// What a new encounter is known by, with these tokens.
pub fn meta(tokens: Vec<TokenRecord>) -> Meta {
    let (id, created_at) = ("encounter".into(), "2026-01-01T00:00:00Z".into());
    Meta {
        id,
        created_at,
        seed: None,
        request: None,
        player_undo: false,
        player_effects: false,
        player_damage: false,
        tokens,
    }
}

/// The record of a token.
pub fn token(id: &str, role: Role, combatants: Vec<OwnCombatant>) -> TokenRecord {
    TokenRecord {
        id: id.into(),
        digest: String::new(),
        role,
        name: None,
        combatants,
        expires_at: None,
        replaced_at: None,
    }
}

/// A player whose token has this id, and who acts for these combatants.
pub fn player(token: &str, combatants: Vec<OwnCombatant>) -> Viewer {
    Viewer {
        role: Role::Player,
        combatants,
        ..Viewer::gm(token)
    }
}

/// The combatants of an encounter with these ids; for an id that none has, one that has left.
pub fn owned(game: &dyn AnyEncounter, ids: &[CombatantId]) -> Vec<OwnCombatant> {
    let left = |id: &CombatantId| OwnCombatant {
        id: id.clone(),
        joined: 0,
    };
    ids.iter()
        .map(|id| game.named(String::new(), id).unwrap_or_else(|_| left(id)))
        .collect()
}

/// Dice that follow from a number.
pub fn seeded(number: u64) -> SeededDice {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&number.to_le_bytes());
    SeededDice::new(seed)
}

/// An encounter in play.
#[derive(Clone)]
pub struct Table {
    /// The encounter as it is now.
    pub game: Arc<dyn AnyEncounter>,
    /// The encounter at every version before this one.
    pub past: Vec<Arc<dyn AnyEncounter>>,
    sent: u64,
}

/// Why a command was refused, as a test compares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The violation's code; `malformed` or `meaningless` where the command was not even read.
    pub code: String,
    /// The rule that it rests on.
    pub rule: Option<String>,
    /// The path of the field that is wrong.
    pub field: Option<String>,
    /// The sentence for people.
    pub detail: String,
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Fields(errors) => {
                let e = errors.into_iter().next().expect("a field is wrong");
                let code = if e.kind == ErrorKind::Meaningless {
                    "meaningless"
                } else {
                    "malformed"
                }
                .into();
                Self {
                    code,
                    rule: None,
                    field: Some(e.path),
                    detail: e.message,
                }
            }
            Refusal::Stopped => Self {
                code: "stopped".into(),
                rule: None,
                field: None,
                detail: "the work was stopped".into(),
            },
            Refusal::Forbidden { path, detail } => Self {
                code: "forbidden".into(),
                rule: None,
                field: Some(path),
                detail,
            },
            Refusal::Violation { path, violation } => {
                let (rule, field) = match violation.ground {
                    Ground::Rule(rule) => (Some(rule.to_owned()), None),
                    Ground::Field(field) => (None, Some(below(&path, &field))),
                };
                Self {
                    code: violation.code.into(),
                    rule,
                    field,
                    detail: violation.detail.into(),
                }
            }
        }
    }
}

fn below(path: &str, field: &str) -> String {
    if path.is_empty() {
        field.to_owned()
    } else {
        format!("{path}.{field}")
    }
}

/// What a request came to: the events, or why it was refused.
pub type Answer = Result<Vec<Value>, Refused>;

impl Table {
    /// A new encounter from the JSON of its creation.
    pub fn try_create(creation: Value) -> Result<Self, Refused> {
        let game = RULESETS.create(meta(Vec::new()), read(&creation).map_err(Refusal::from)?)?;
        Ok(Self {
            game,
            past: Vec::new(),
            sent: 0,
        })
    }

    /// A new encounter from the JSON of its creation, which must be sound.
    pub fn create(creation: Value) -> Self {
        Self::try_create(creation)
            .unwrap_or_else(|refused| panic!("the encounter was not created: {refused:?}"))
    }

    /// Sends a command or a list; an error tells which promise of the engine was broken.
    ///
    /// Promises: the published schema allows what is accepted, and not what is refused for its
    /// shape; a refusal changes nothing; an acceptance adds one version; folding its events on
    /// the encounter before it, as it is in memory and as it comes out of its document, gives the
    /// same document byte for byte; cached JSON is what would be written anew; each event has a
    /// sentence; neither these nor the reasons of refusals have ids where there are names.
    pub fn try_send(&mut self, body: Value, dice: &mut dyn Dice) -> Result<Answer, String> {
        let sent = body.clone();
        let answer = self.send_unchecked(body, dice)?;
        let has_shape = match &answer {
            Ok(_) => true,
            Err(refused) if refused.code == "malformed" => false,
            Err(_) => return Ok(answer),
        };
        if let Some(allowed) = contract::allows_commands(self.game.ruleset(), &sent)
            && allowed != has_shape
        {
            return Err(format!(
                "the schema allows {sent}: {allowed}, got {answer:?}"
            ));
        }
        Ok(answer)
    }

    fn send_unchecked(&mut self, body: Value, dice: &mut dyn Dice) -> Result<Answer, String> {
        let sent = body.to_string();
        let request = match Request::read(body) {
            Ok(request) => request,
            Err(refusal) => return Ok(Err(refusal.into())),
        };
        let before = self.document()?;
        let decided = self.decide(&request, dice)?;
        same(
            "the encounter that the request was sent to has changed",
            &before,
            &self.document()?,
        )?;
        let decided = match decided {
            Ok(decided) => decided,
            Err(refusal) => {
                let refused = Refused::from(refusal);
                explained(&*self.game, &refused, &sent)?;
                return Ok(Err(refused));
            }
        };
        let version = self.game.version() + 1;
        let after = decided.next.document().map_err(|e| e.to_string())?;
        if decided.next.version() != version {
            return Err(format!(
                "expected version {version}, got {}",
                decided.next.version()
            ));
        }
        let stored = RULESETS
            .load(&before)
            .map_err(|e| format!("the document before does not load: {e}"))?;
        for (how, game) in [("in memory", &self.game), ("from its document", &stored)] {
            let folded = fold(game, &decided)?;
            same(
                &format!("folding the events on the state before, {how}, gives another state"),
                &after,
                &folded,
            )?;
        }
        let reloaded = RULESETS
            .load(&after)
            .map_err(|e| format!("the document after does not load: {e}"))?;
        let again = reloaded.document().map_err(|e| e.to_string())?;
        same(
            "a document that is loaded and written again differs",
            &after,
            &again,
        )?;
        sentences(&*decided.next, &decided)?;
        // From here on the JSON of combatants comes from the cache.
        let cached = decided.next.document().map_err(|e| e.to_string())?;
        same(
            "a document that is written from the cache differs",
            &after,
            &cached,
        )?;
        let gm = Viewer::gm("gm");
        let view = decided.next.view(&gm).map_err(|e| e.to_string())?;
        let again = reloaded.view(&gm).map_err(|e| e.to_string())?;
        same(
            "a view from the cache differs",
            again.get().as_bytes(),
            view.get().as_bytes(),
        )?;
        self.past
            .push(std::mem::replace(&mut self.game, decided.next));
        serde_json::from_str(decided.events.get())
            .map(Ok)
            .map_err(|e| format!("the events are no JSON array: {e}"))
    }

    /// Sends a request of a viewer, who must have the right to it.
    pub fn try_send_as(
        &mut self,
        viewer: &Viewer,
        body: Value,
        dice: &mut dyn Dice,
    ) -> Result<Answer, String> {
        if viewer.role != Role::Gm
            && let Ok(request) = Request::read(body.clone())
        {
            let allowed = self.game.authorize(viewer, &request);
            let examined =
                allowed.and_then(|()| self.game.examine(&viewer.combatants, &request, &|| false));
            if let Err(refusal) = examined {
                return Ok(Err(refusal.into()));
            }
        }
        self.try_send(body, dice)
    }

    /// Decides, with what a request wants from the past.
    fn decide(
        &self,
        request: &Request,
        dice: &mut dyn Dice,
    ) -> Result<Result<Decided, Refusal>, String> {
        let rewind = match self.game.rewind_target(request) {
            Err(refusal) => return Ok(Err(refusal)),
            Ok(None) => {
                return Ok(self
                    .game
                    .decide(&[], request, time_after(&*self.game), dice, &|| false));
            }
            Ok(Some(rewind)) => rewind,
        };
        let past = usize::try_from(rewind.to_version)
            .ok()
            .and_then(|version| self.past.get(version));
        let past =
            past.ok_or_else(|| format!("{rewind:?} asks for a version that has not been"))?;
        self.game
            .rewind(&[], &rewind, &**past, time_after(&*self.game))
            .map(Ok)
            .map_err(|e| format!("a state cannot be restored: {e}"))
    }

    /// Sends with these dice, which must be just those that are rolled.
    pub fn roll(&mut self, dice: &[u16], body: Value) -> Answer {
        let mut dice = super::dice::ScriptedDice::new(dice);
        let answer = self
            .try_send(body, &mut dice)
            .unwrap_or_else(|broken| panic!("{broken}"));
        assert_eq!(
            dice.verdict(),
            Vec::<String>::new(),
            "the dice that are written do not fit"
        );
        answer
    }

    /// Sends; the dice are seeded by the number of requests before.
    pub fn send(&mut self, body: Value) -> Answer {
        self.sent += 1;
        self.try_send(body, &mut seeded(self.sent))
            .unwrap_or_else(|broken| panic!("{broken}"))
    }

    /// Sends what must be accepted; the types of the events.
    pub fn accept(&mut self, body: Value) -> Vec<String> {
        let sent = body.to_string();
        let events = self
            .send(body)
            .unwrap_or_else(|refused| panic!("{sent} was refused: {refused:?}"));
        events
            .iter()
            .map(|e| e["type"].as_str().unwrap_or_default().to_owned())
            .collect()
    }

    /// Sends what must be refused; why it was.
    pub fn refuse(&mut self, body: Value) -> Refused {
        let sent = body.to_string();
        match self.send(body) {
            Ok(events) => panic!("{sent} was accepted: {events:?}"),
            Err(refused) => refused,
        }
    }

    /// The encounter as JSON.
    pub fn view(&self) -> Value {
        let view = self
            .game
            .view(&Viewer::gm("gm"))
            .expect("an encounter is JSON");
        serde_json::from_str(view.get()).expect("a view is JSON")
    }

    /// What stands at a dotted path of the encounter's JSON.
    pub fn at(&self, path: &str) -> Value {
        super::json::at(&self.view(), path).unwrap_or_else(|wrong| panic!("{path}: {wrong}"))
    }

    /// What is legal now.
    pub fn legal_commands(&self) -> Vec<LegalCommand> {
        self.legal_commands_of(&Viewer::gm("gm"))
    }

    /// What is legal for a viewer.
    pub fn legal_commands_of(&self, viewer: &Viewer) -> Vec<LegalCommand> {
        match viewer.role {
            Role::Gm => self
                .game
                .options(viewer, &OptionsFilter::all(), 0, &|| false),
            _ => self.game.redacted(&viewer.combatants).options(
                viewer,
                &OptionsFilter::all(),
                0,
                &|| false,
            ),
        }
    }

    /// The stored document.
    pub fn document(&self) -> Result<Vec<u8>, String> {
        self.game.document().map_err(|e| e.to_string())
    }
}

/// A time for the next command that is another one for each version.
pub fn time_after(game: &dyn AnyEncounter) -> Time {
    let seconds = i64::try_from(game.version()).expect("a small version");
    Timestamp::from_second(seconds).expect("a time").into()
}

/// The log entry of a transition.
pub fn entry(decided: &Decided) -> LogEntry {
    LogEntry {
        version: decided.next.version(),
        at: String::new(),
        token: String::new(),
        token_name: None,
        commands: Vec::new(),
        events: decided.events.clone(),
        kept: decided.kept.clone(),
        redactions: decided.redactions.clone(),
        since: decided.since,
        checkpoint: decided.checkpoint.clone(),
    }
}

/// The sentence of each event; a note has none.
pub fn sentences_of(events: &RawValue) -> Vec<String> {
    let events: Vec<Value> = serde_json::from_str(events.get()).expect("events");
    let mut sentences = Vec::new();
    for event in &events {
        let text = event["text"].as_str().unwrap_or_default();
        let sentence = if event["type"] == "noted" { "" } else { text };
        sentences.push(sentence.to_owned());
    }
    sentences
}

/// The events as JSON without their sentences. The sentence of an event is its last field.
pub fn without_sentences(events: &str) -> String {
    let events: Vec<&RawValue> = serde_json::from_str(events).expect("events");
    let mut bare = Vec::new();
    for event in events {
        let json = event.get();
        let fields = match json.rfind(",\"text\":\"") {
            Some(end) if !json.starts_with("{\"type\":\"noted\"") => &json[..end],
            _ => json.strip_suffix('}').expect("an object"),
        };
        bare.push(format!("{fields}}}"));
    }
    format!("[{}]", bare.join(","))
}

/// Whether each event has a sentence, with names and without ids.
fn sentences(game: &dyn AnyEncounter, decided: &Decided) -> Result<(), String> {
    let events: Vec<Value> =
        serde_json::from_str(decided.events.get()).map_err(|e| e.to_string())?;
    let ids = ids(game)?;
    for event in events.iter().filter(|event| event["type"] != "noted") {
        if is_told_by_another(event) {
            continue;
        }
        let text = event["text"].as_str().ok_or("an event without a text")?;
        let id = id_in(text, &ids);
        if !text.ends_with(['.', '?'])
            || text.contains(['{', '[', ']'])
            || text.contains("  ")
            || id.is_some()
        {
            return Err(format!("{event} is told as {text:?}, with the id {id:?}"));
        }
    }
    Ok(())
}

/// Whether `turn_started` tells the event.
fn is_told_by_another(event: &Value) -> bool {
    match event["type"].as_str() {
        Some("turn_opened") => true,
        Some("asked") => event["combatants"] == event["starting"],
        _ => false,
    }
}

/// Whether a refusal has a reason with names and without ids. Ids that are taken or unknown are
/// told as ids, and a wrong value is told as it was `sent`, in quotes.
fn explained(game: &dyn AnyEncounter, refused: &Refused, sent: &str) -> Result<(), String> {
    let of_ids = ["combatant_exists", "unknown_combatant"].contains(&refused.code.as_str());
    let id = if of_ids {
        None
    } else {
        let ids = ids(game)?;
        let mut detail = refused.detail.clone();
        for id in &ids {
            let quoted = format!("\"{id}\"");
            if sent.contains(&quoted) {
                detail = detail.replace(&quoted, "");
            }
        }
        id_in(&detail, &ids).map(str::to_owned)
    };
    if id.is_some() || refused.detail.contains(['\u{2068}', '\u{2069}']) {
        return Err(format!("{refused:?} has the id {id:?}"));
    }
    Ok(())
}

/// The ids of combatants that are in no name.
fn ids(game: &dyn AnyEncounter) -> Result<Vec<String>, String> {
    let view: Value = serde_json::from_str(
        game.view(&Viewer::gm("gm"))
            .map_err(|e| e.to_string())?
            .get(),
    )
    .unwrap_or_default();
    let rows = view["order"].as_array().cloned().unwrap_or_default();
    let of = |row: &Value, field: &str| row[field].as_str().unwrap_or_default().to_owned();
    let names: Vec<String> = rows
        .iter()
        .map(|row| of(row, "name").to_lowercase())
        .collect();
    let ids = rows
        .iter()
        .map(|row| of(row, "combatant"))
        .filter(|id| !names.iter().any(|name| name.contains(&id.to_lowercase())));
    Ok(ids.collect())
}

fn id_in<'t>(text: &'t str, ids: &[String]) -> Option<&'t str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !"-_.:".contains(c));
    words
        .map(|word| word.trim_end_matches(['.', ':']))
        .find(|word| ids.iter().any(|id| id == word))
}

fn fold(game: &Arc<dyn AnyEncounter>, decided: &Decided) -> Result<Vec<u8>, String> {
    let entry = entry(decided);
    let folded = game
        .fold(&entry)
        .map_err(|e| format!("the events do not read back: {e}: {}", entry.events))?;
    folded.document().map_err(|e| e.to_string())
}

fn same(promise: &str, expected: &[u8], got: &[u8]) -> Result<(), String> {
    if expected == got {
        return Ok(());
    }
    let parse = |bytes| serde_json::from_slice::<Value>(bytes).unwrap_or_default();
    let differs = difference("", &parse(expected), &parse(got));
    Err(format!(
        "{promise}: {}",
        differs.unwrap_or_else(|| "the same JSON in other bytes".into())
    ))
}
