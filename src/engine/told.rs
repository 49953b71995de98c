//! What those are told of a transition who may not know all, and how they number what they are told.
//!
//! A transition of which somebody is told nothing is none for that viewer: versions, entity tags and cursors count what is told. So
//! that a number can be trusted, whatever changes in a viewer's view is told, were it only that somebody acts.

use super::game::Live;
use super::history::Timeline;
use super::{LoadError, Role, TokenRecord, Viewer};
use crate::vocabulary::*;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};

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
}

impl TokenRecord {
    /// The eyes of a player, who may know more than everybody.
    fn player(&self) -> Option<Eyes<'_>> {
        (self.role == Role::Player).then_some(Eyes { token: &self.id, own: &self.combatants })
    }
}

/// How many transitions those were told of who may not know all. Kept only where it is not the version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Counts {
    /// The number of the newest transition of which everybody was told.
    public: u64,
    /// The number of the transition whose state everybody sees; another one after an undo.
    content: u64,
    /// Of how many more the holder of a token was told, by the token's id: of what concerns only hidden combatants of its own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    ahead: BTreeMap<String, u64>,
}

impl Counts {
    /// Where all is told to all.
    pub fn plain(version: u64, content: u64) -> Self {
        Self { public: version, content, ahead: BTreeMap::new() }
    }

    /// The number of the newest transition that `eyes` were told of.
    pub fn number(&self, eyes: &Eyes<'_>) -> u64 {
        self.public.saturating_add(self.ahead.get(eyes.token).copied().unwrap_or(0))
    }

    /// The number of the transition whose state is seen.
    pub fn content(&self) -> u64 {
        self.content
    }

    /// The same without those of holders of single tokens.
    pub fn unowned(self) -> Self {
        Self { ahead: BTreeMap::new(), ..self }
    }

    /// Whether they can be those of an encounter at `version`.
    pub fn fit(&self, version: u64) -> bool {
        let ahead = |more: &u64| self.public.saturating_add(*more) <= version;
        self.content <= self.public && self.public <= version && self.ahead.values().all(ahead)
    }

    /// After the next log entry, of which `told` says what was told; None where it was told to all as it stands.
    pub fn after(&self, told: Option<&Told>) -> Result<Self, LoadError> {
        let Some(told) = told else {
            let public = self.public.saturating_add(1);
            return Ok(Self { public, content: public, ahead: self.ahead.clone() });
        };
        let seen = told.account.as_ref().is_none_or(|account| !account.is_empty());
        let public = self.public.saturating_add(u64::from(seen));
        let ahead = told.owners.iter().filter(|(_, own)| own.ahead > 0).map(|(id, own)| (id.clone(), own.ahead));
        let next = Self { public, content: if seen { public } else { self.content }, ahead: ahead.collect() };
        let grown = |(id, more): (&String, &u64)| *more <= self.ahead.get(id).map_or(1, |before| before + 1);
        if told.version != public || !next.ahead.iter().all(grown) {
            return Err(LoadError::Unreadable("told: it numbers what is told otherwise than those before".to_owned()));
        }
        Ok(next)
    }
}

/// What those are told of a log entry who may not know all.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Told {
    /// The number that it has for them; where they are told nothing, that of the entry before.
    version: u64,
    /// What they are told, where that is not the entry as it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    account: Option<Account>,
    /// What else holders of single tokens are told, by the token's id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    owners: BTreeMap<String, Owned>,
}

/// What the owner of hidden combatants is told.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Owned {
    /// Of how many more transitions than everybody.
    #[serde(default)]
    ahead: u64,
    /// What it is told, where that is not what everybody is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    account: Option<Account>,
}

/// A log entry as it is told.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Account {
    /// The types of the commands of which something is told.
    pub commands: Vec<String>,
    /// What is told, in order; a JSON array.
    pub events: Box<RawValue>,
    /// Whether it is not told who sent it: whoever it is acts for somebody of whom is only told that somebody acts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsigned: bool,
}

impl Account {
    /// Whether nothing is told.
    pub fn is_empty(&self) -> bool {
        self.events.get() == "[]"
    }
}

impl Told {
    /// The number that the entry has for `eyes`, and what they are told of it; None where that is the entry as it stands.
    pub fn to(&self, eyes: &Eyes<'_>) -> (u64, Option<&Account>) {
        let own = self.owners.get(eyes.token);
        let number = self.version.saturating_add(own.map_or(0, |own| own.ahead));
        (number, own.and_then(|own| own.account.as_ref()).or(self.account.as_ref()))
    }

    /// The ids of the tokens whose holders are told something else than everybody, or under another number.
    pub fn tokens(&self) -> impl Iterator<Item = &str> {
        self.owners.keys().map(String::as_str)
    }

    /// The same without what holders of single tokens are told.
    pub fn unowned(self) -> Self {
        Self { owners: BTreeMap::new(), ..self }
    }

    /// Every account of the entry.
    pub(super) fn accounts(&self) -> impl Iterator<Item = &Account> {
        self.account.iter().chain(self.owners.values().filter_map(|own| own.account.as_ref()))
    }
}

/// Somebody acts, from a place among what is told on. On the way from one turn to the next it may seem so for a moment: that is told
/// only where a turn began meanwhile.
struct Veil {
    place: usize,
    index: usize,
    real: bool,
}

/// A transition that is to be told.
pub(super) struct Transition<'t, R: Ruleset> {
    pub before: &'t Live<R>,
    pub after: &'t Table<R>,
    pub events: &'t [Event<R>],
    /// The type of each command, and how many events there were after it.
    pub commands: &'t [(&'t str, usize)],
    /// Where it goes back to, if it is an undo or redo.
    pub past: Option<&'t Live<R>>,
}

impl<R: Ruleset> Transition<'_, R> {
    /// What is told of it, and the counts after it. Nothing is kept where all is told to all and numbered as ever.
    pub fn tell(&self, timeline: &Timeline) -> Result<(Option<Told>, Option<Counts>), serde_json::Error> {
        let (now, version) = (self.before.counts(), self.after.version);
        let plain = self.is_plain();
        let everybody = Eyes { token: "", own: &[] };
        let account = if plain { None } else { self.account(&everybody, false)? };
        let seen = account.as_ref().is_none_or(|account| !account.is_empty());
        let public = now.public.saturating_add(u64::from(seen));
        let mut ahead = now.ahead.clone();
        // A token that was taken back is nobody's any more.
        ahead.retain(|id, _| self.before.meta.tokens.iter().any(|token| token.id == *id));
        let mut owners = BTreeMap::new();
        // Tokens of the same combatants are told the same.
        let mut told: HashMap<&[CombatantId], Option<Account>> = HashMap::new();
        for eyes in self.owners() {
            let own = match told.get(eyes.own) {
                Some(own) => own.clone(),
                None => told.entry(eyes.own).or_insert(self.account(&eyes, seen)?).clone(),
            };
            if !seen && own.as_ref().is_none_or(|own| !own.is_empty()) {
                *ahead.entry(eyes.token.to_owned()).or_default() += 1;
            }
            let own = match own {
                None if account.is_some() => Some(self.whole()?),
                own => own,
            };
            let alike = |a: &Account, b: &Account| {
                a.events.get() == b.events.get() && a.commands == b.commands && a.unsigned == b.unsigned
            };
            let own = own.filter(|own| !account.as_ref().is_some_and(|account| alike(account, own)));
            if let Some(own) = own {
                owners.insert(eyes.token.to_owned(), Owned { ahead: 0, account: Some(own) });
            }
        }
        for (token, more) in &ahead {
            owners.entry(token.clone()).or_insert(Owned { ahead: 0, account: None }).ahead = *more;
        }
        let content = match self.past {
            Some(past) => past.counts().content,
            None if seen => public,
            None => now.content,
        };
        let counts = Counts { public, content, ahead };
        let ordinary = counts == Counts::plain(version, timeline.content());
        let told = Told { version: public, account, owners };
        let told = (public != version || told.account.is_some() || !told.owners.is_empty()).then_some(told);
        Ok((told, (!ordinary).then_some(counts)))
    }

    /// Whether all may be told to all.
    fn is_plain(&self) -> bool {
        let open = |event: &Event<R>| match event {
            Event::Shared(SharedEvent::Noted(e)) => e.readers == Readers::All,
            // The whole table changes, and the number in it is another one.
            Event::Shared(SharedEvent::Undone(_) | SharedEvent::Redone(_)) => false,
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
    fn whole(&self) -> Result<Account, serde_json::Error> {
        let commands = self.commands.iter().map(|(verb, _)| (*verb).to_owned()).collect();
        Ok(Account { commands, events: to_raw_value(self.events)?, unsigned: false })
    }

    /// What `eyes` are told; None where that is the entry as it stands. `seen`: they must be told something.
    fn account(&self, eyes: &Eyes<'_>, seen: bool) -> Result<Option<Account>, serde_json::Error> {
        let before = &self.before.table;
        let audience = Audience::of(before, eyes.own);
        let (start, someone) = (before.seen_by(&audience), R::someone_acts(before, &audience));
        let mut told = match self.past {
            Some(past) => self.rewound(past, eyes, &start),
            None => self.retold(audience, &start),
        };
        let changed = || start != self.after.concealed(eyes.own);
        if told.is_empty() && (seen || changed()) {
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
        Ok(Some(Account { commands, events: to_raw_value(&events)?, unsigned }))
    }

    /// What is told of each event, with its place among all of them. The events cost as much each as they say, a change of the
    /// roster as much as the table.
    fn retold(&self, mut audience: Audience<'_>, start: &Table<R>) -> Vec<(usize, Event<R>)> {
        let mut whole = self.before.table.clone();
        let mut effects = audience.effects(&whole);
        let mut someone_before = R::someone_acts(&whole, &audience);
        let mut told = Vec::with_capacity(self.events.len());
        let acts = || Event::Shared(SharedEvent::SomeoneActs(SomeoneActs {}));
        let mut veil: Option<Veil> = None;
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
            let telling = Telling {
                audience: &audience,
                start,
                whole: &whole,
                before: before.as_ref(),
                someone_acts: someone,
                effects: &effects,
                after: OnceCell::new(),
            };
            match &roster {
                Some((event, before)) => told.extend(telling.roster(event, before).into_iter().map(|e| (index, e))),
                None => told.extend(telling.tell(event).map(|event| (index, event))),
            }
            let real = matches!(event, Event::Shared(SharedEvent::TurnStarted(e)) if !audience.knows(&e.combatant));
            match (someone_before, someone, &mut veil) {
                (false, true, _) => veil = Some(Veil { place: told.len(), index, real }),
                (true, true, Some(veil)) => veil.real |= real,
                (true, false, _) => {
                    if let Some(Veil { place, index, .. }) = veil.take().filter(|veil| veil.real) {
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
        if let Some(Veil { place, index, .. }) = veil {
            told.insert(place, (index, acts()));
        }
        told
    }

    /// What is told of an undo or redo: the number that the state had for these eyes. Nothing where they were told nothing of
    /// what it takes back.
    fn rewound(&self, past: &Live<R>, eyes: &Eyes<'_>, start: &Table<R>) -> Vec<(usize, Event<R>)> {
        let same = past.counts().content == self.before.counts().content && past.table.concealed(eyes.own) == *start;
        if same {
            return Vec::new();
        }
        let to_version = past.counts().number(eyes);
        let retold = |event: &Event<R>| match event {
            Event::Shared(SharedEvent::Undone(_)) => Event::Shared(SharedEvent::Undone(Undone { to_version })),
            Event::Shared(SharedEvent::Redone(_)) => Event::Shared(SharedEvent::Redone(Redone { to_version })),
            event => event.clone(),
        };
        self.events.iter().map(retold).enumerate().collect()
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
