//! Redacts transitions for viewers who may not know all.
//!
//! Versions count every transition, also those of which a viewer is told nothing. What changes in a viewer's view is always told, if
//! only as `someone_acts`.

use super::document::unread;
use super::game::TypedGame;
use super::{Game, Role, TokenRecord, Viewer};
use crate::vocabulary::*;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// Somebody who looks and is not the game master.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Eyes<'a> {
    /// The id of the token.
    pub token: &'a str,
    /// The combatants that are its own; it sees them even where they are hidden.
    pub own: &'a [CombatantId],
}

impl Viewer {
    /// The eyes that it sees with; None for a game master, who sees all.
    pub fn eyes(&self) -> Option<Eyes<'_>> {
        (!self.is_gm()).then_some(Eyes { token: &self.token, own: &self.combatants })
    }

    /// The encounter as it may see it: all of it for a game master.
    pub fn sight_of(&self, game: &Arc<dyn Game>) -> Arc<dyn Game> {
        self.eyes().map_or_else(|| game.clone(), |eyes| game.seen_by(&eyes))
    }
}

impl TokenRecord {
    /// The eyes of a player, who may know more than everybody.
    fn player(&self) -> Option<Eyes<'_>> {
        (self.role == Role::Player).then_some(Eyes { token: &self.id, own: &self.combatants })
    }
}

/// What those are told of a log entry who may not know all.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Redactions {
    /// What they are told, where that is not the entry as it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    account: Option<RedactedEntry>,
    /// What the holders of single tokens are told instead, by the token's id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    owners: BTreeMap<String, Owned>,
    /// How older programs numbered the entry for viewers.
    #[serde(default, rename = "version", skip_serializing, deserialize_with = "unread")]
    _version: (),
}

/// What the owner of hidden combatants is told.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Owned {
    /// What it is told, where that is not what everybody is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    account: Option<RedactedEntry>,
    /// Of how many more entries older programs told it.
    #[serde(default, rename = "ahead", skip_serializing, deserialize_with = "unread")]
    _ahead: (),
}

/// A log entry as it is told.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RedactedEntry {
    /// The types of the commands of which something is told.
    pub commands: Vec<String>,
    /// What is told, in order; a JSON array.
    pub events: Box<RawValue>,
    /// Whether it is not told who sent it: whoever it is acts for somebody of whom is only told that somebody acts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsigned: bool,
}

impl RedactedEntry {
    /// Whether nothing is told.
    pub fn is_empty(&self) -> bool {
        self.events.get() == "[]"
    }

    /// Whether it says the same.
    fn says_as(&self, other: &Self) -> bool {
        self.events.get() == other.events.get() && self.commands == other.commands && self.unsigned == other.unsigned
    }
}

impl Redactions {
    /// What the viewer `eyes` is told of the entry; None where that is the entry as it stands.
    pub fn to(&self, eyes: &Eyes<'_>) -> Option<&RedactedEntry> {
        let own = self.owners.get(eyes.token);
        own.and_then(|own| own.account.as_ref()).or(self.account.as_ref())
    }

    /// The ids of the tokens whose holders are told something else than everybody.
    pub fn tokens(&self) -> impl Iterator<Item = &str> {
        self.owners.keys().map(String::as_str)
    }

    /// The same without what holders of single tokens are told.
    pub fn unowned(self) -> Self {
        Self { owners: BTreeMap::new(), ..self }
    }

    /// Every account of the entry.
    pub(super) fn accounts(&self) -> impl Iterator<Item = &RedactedEntry> {
        self.account.iter().chain(self.owners.values().filter_map(|own| own.account.as_ref()))
    }
}

/// Somebody acts, from a place among what is told on. On the way from one turn to the next it may seem so for a moment: that is told
/// only where a turn began meanwhile.
struct HiddenTurn {
    place: usize,
    index: usize,
    real: bool,
}

/// A transition that is to be told.
pub(super) struct Transition<'t, R: Ruleset> {
    pub before: &'t TypedGame<R>,
    pub after: &'t Table<R>,
    pub events: &'t [Event<R>],
    /// The type of each command, and how many events there were after it.
    pub commands: &'t [(&'t str, usize)],
}

impl<R: Ruleset> Transition<'_, R> {
    /// What is told of it to viewers who may not know all. Nothing is kept where all is told to all.
    pub fn tell(&self) -> Result<Option<Redactions>, serde_json::Error> {
        // Everybody learns that something was taken back; what it was shows in the state alone.
        if self.events.iter().any(Event::jumps) {
            return Ok(None);
        }
        let everybody = Eyes { token: "", own: &[] };
        let account = if self.is_plain() { None } else { self.account(&everybody)? };
        let mut owners = BTreeMap::new();
        // Tokens of the same combatants are told the same.
        let mut told: HashMap<&[CombatantId], Option<RedactedEntry>> = HashMap::new();
        for eyes in self.owners() {
            let own = match told.get(eyes.own) {
                Some(own) => own.clone(),
                None => told.entry(eyes.own).or_insert(self.account(&eyes)?).clone(),
            };
            let own = match own {
                None if account.is_some() => Some(self.whole()?),
                own => own,
            };
            let own = own.filter(|own| !account.as_ref().is_some_and(|account| account.says_as(own)));
            if own.is_some() {
                owners.insert(eyes.token.to_owned(), Owned { account: own, _ahead: () });
            }
        }
        let told = Redactions { account, owners, _version: () };
        Ok((told.account.is_some() || !told.owners.is_empty()).then_some(told))
    }

    /// Whether all may be told to all.
    fn is_plain(&self) -> bool {
        let open = |event: &Event<R>| match event {
            Event::Shared(SharedEvent::Noted(e)) => e.readers == Readers::All,
            Event::Shared(_) => true,
            // They carry whole combatants.
            Event::Roster(_) => false,
            Event::Own(event) => !R::secret(event),
        };
        let before = &self.before.table;
        !self.events.is_empty()
            && before.foe_hp.exact()
            && before.hides_nothing()
            && self.after.hides_nothing()
            && self.events.iter().all(open)
    }

    /// The players who may know more of it than everybody.
    fn owners(&self) -> impl Iterator<Item = Eyes<'_>> {
        let veiled = |c: &&Combatant<R>| c.hidden || self.after.veils_hp(c);
        let combatants = self.before.table.iter().chain(self.after.iter()).filter(veiled);
        let veiled: HashSet<&CombatantId> = combatants.map(|c| &c.id).collect();
        let players = self.before.meta.tokens.iter().filter_map(TokenRecord::player);
        players.filter(move |eyes| eyes.own.iter().any(|id| veiled.contains(id)))
    }

    /// For how many different audiences it is redacted.
    pub fn audiences(&self) -> usize {
        let owners: HashSet<&[CombatantId]> = self.owners().map(|eyes| eyes.own).collect();
        owners.len() + 1
    }

    /// The entry as it stands.
    fn whole(&self) -> Result<RedactedEntry, serde_json::Error> {
        let commands = self.commands.iter().map(|(verb, _)| (*verb).to_owned()).collect();
        Ok(RedactedEntry { commands, events: to_raw_value(self.events)?, unsigned: false })
    }

    /// What `eyes` are told; None where that is the entry as it stands.
    fn account(&self, eyes: &Eyes<'_>) -> Result<Option<RedactedEntry>, serde_json::Error> {
        let before = &self.before.table;
        let audience = Audience::of(before, eyes.own);
        let (start, someone) = (before.seen_by(&audience), R::someone_acts(before, &audience));
        let mut told = self.retold(audience, &start);
        if told.is_empty() && start != self.after.redacted(eyes.own) {
            told.push((0, Event::Shared(SharedEvent::SomeoneActs(SomeoneActs {}))));
        }
        // A transition of which nothing came is none.
        let is_someone = |(_, event): &(usize, Event<R>)| matches!(event, Event::Shared(SharedEvent::SomeoneActs(_)));
        let unsigned = someone || told.iter().any(is_someone);
        if !unsigned && !told.is_empty() && told.iter().map(|(_, event)| event).eq(self.events) {
            return Ok(None);
        }
        let mut indices = told.iter().map(|(index, _)| *index).peekable();
        let mut commands = Vec::with_capacity(self.commands.len());
        for (verb, end) in self.commands {
            if indices.next_if(|index| index < end).is_some() {
                commands.push((*verb).to_owned());
                while indices.next_if(|index| index < end).is_some() {}
            }
        }
        let events: Vec<&Event<R>> = told.iter().map(|(_, event)| event).collect();
        Ok(Some(RedactedEntry { commands, events: to_raw_value(&events)?, unsigned }))
    }

    /// What is told of each event, with its place among all of them. The events cost as much each as they say, a change of the
    /// roster as much as the table.
    fn retold(&self, mut audience: Audience<'_>, start: &Table<R>) -> Vec<(usize, Event<R>)> {
        let mut whole = self.before.table.clone();
        let mut effects = audience.effects(&whole);
        let mut someone_before = R::someone_acts(&whole, &audience);
        let mut told = Vec::with_capacity(self.events.len());
        let acts = || Event::Shared(SharedEvent::SomeoneActs(SomeoneActs {}));
        let mut veil: Option<HiddenTurn> = None;
        for (index, event) in self.events.iter().enumerate() {
            let roster = match event {
                Event::Roster(event) => Some((event, whole.seen_by(&audience.at(&whole)))),
                _ => None,
            };
            let before = match event {
                Event::Own(event) if R::looks_back(event) => Some(whole.state.clone()),
                _ => None,
            };
            whole.apply(event);
            let hides = roster.as_ref().and_then(|(event, before)| learn(&mut audience, event, before));
            let someone = if may_pass_on(event) { R::someone_acts(&whole, &audience) } else { someone_before };
            let redaction = Redaction {
                audience: &audience,
                start,
                whole: &whole,
                before: before.as_ref(),
                someone_acts: someone,
                effects: &effects,
                after: OnceCell::new(),
            };
            match &roster {
                Some((event, before)) => told.extend(redaction.roster(event, before).into_iter().map(|e| (index, e))),
                None => told.extend(redaction.tell(event).map(|event| (index, event))),
            }
            let real = matches!(event, Event::Shared(SharedEvent::TurnStarted(e)) if !audience.knows(&e.combatant));
            match (someone_before, someone, &mut veil) {
                (false, true, _) => veil = Some(HiddenTurn { place: told.len(), index, real }),
                (true, true, Some(veil)) => veil.real |= real,
                (true, false, _) => {
                    if let Some(HiddenTurn { place, index, .. }) = veil.take().filter(|veil| veil.real) {
                        told.insert(place, (index, acts()));
                    }
                }
                _ => {}
            }
            if let Some(id) = hides {
                audience.forget(id);
            }
            match event {
                Event::Shared(SharedEvent::EffectAdded(e)) if audience.sees_effect(&e.effect) => {
                    effects.insert(e.effect.id.clone());
                }
                Event::Shared(SharedEvent::EffectEnded(e)) => drop(effects.remove(&e.effect)),
                Event::Roster(_) => effects = audience.effects(&whole),
                _ => {}
            }
            someone_before = someone;
        }
        if let Some(HiddenTurn { place, index, .. }) = veil {
            told.insert(place, (index, acts()));
        }
        told
    }
}

/// Lets the audience know who is revealed; answers who hides before its eyes, and is known until that is told.
fn learn<'e, R: Ruleset>(
    audience: &mut Audience<'_>, event: &'e RosterEvent<R>, before: &Table<R>,
) -> Option<&'e CombatantId> {
    let (RosterEvent::CombatantJoined { combatant } | RosterEvent::CombatantUpdated { combatant }) = event;
    let id = &combatant.id;
    if audience.sees(combatant) {
        audience.learn(id);
    } else if before.get(id).is_some() {
        return Some(id);
    } else {
        audience.forget(id);
    }
    None
}

/// Whether it may depend on an event who acts or must choose.
fn may_pass_on<R: Ruleset>(event: &Event<R>) -> bool {
    let Event::Shared(event) = event else { return true };
    !matches!(
        event,
        SharedEvent::EffectAdded(_)
            | SharedEvent::EffectTicked(_)
            | SharedEvent::EffectEnded(_)
            | SharedEvent::Damaged(_)
            | SharedEvent::Healed(_)
            | SharedEvent::Noted(_)
    )
}
