//! What takes turns.

use super::{
    ArmorClass, CombatantId, Erasable, FoeHp, HitPoints, Level, MemberId, Mention, Metadata, Name,
    Notes, Ruleset, SeenBy, SheetLink, Slug, word,
};
use crate::json::{FieldError, read_fields};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, DeserializeOwned, Deserializer, IntoDeserializer};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;
use std::fmt;
use std::marker::PhantomData;
use utoipa::ToSchema;

/// Maximum members of a group.
pub const MAX_MEMBERS: usize = 50;

/// Hit points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Hp {
    /// Current hit points.
    pub current: HitPoints,
    /// Maximum; the current number by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<HitPoints>,
    /// Temporary hit points, lost first.
    #[serde(default)]
    #[schema(default = 0)]
    pub temp: HitPoints,
}

/// Changes of hit points: each part keeps its value if it is left out.
#[skip_serializing_none]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HpChanges {
    /// Current hit points. Fewer are damage, more are healing. Needed to begin to track them.
    pub current: Option<HitPoints>,
    /// Maximum. One below the current hit points lowers them: damage.
    pub max: Option<HitPoints>,
    /// Temporary hit points. Fewer are no damage.
    pub temp: Option<HitPoints>,
}

impl From<Hp> for HpChanges {
    fn from(hp: Hp) -> Self {
        Self {
            current: Some(hp.current),
            max: hp.max,
            temp: Some(hp.temp),
        }
    }
}

/// Kind of combatant.
#[word]
pub enum Kind {
    /// A player's character.
    Pc,
    /// A character or monster of the game master, or a group that acts as one.
    Npc,
    /// A trap, a spell, a timer: it takes turns, and can't be defeated.
    Hazard,
}

/// Hit points in a word, for viewers who may not know the numbers.
#[word]
pub enum Band {
    /// All hit points left.
    Unhurt,
    /// More than half left.
    Hurt,
    /// At most half left.
    Bloodied,
    /// At most a quarter left.
    Critical,
    /// None left.
    Down,
}

impl Hp {
    /// These hit points in a word; temporary ones do not count.
    pub fn band(&self) -> Band {
        let current = self.current.get();
        let max = self.max.unwrap_or(self.current).get();
        if current == 0 {
            Band::Down
        } else if current >= max {
            Band::Unhurt
        } else if current * 4 <= max {
            Band::Critical
        } else if current * 2 <= max {
            Band::Bloodied
        } else {
            Band::Hurt
        }
    }
}

/// One member of a group that acts as one combatant.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Member {
    /// Id of the member, unique in the group.
    pub id: MemberId,
    /// Hit points, if tracked.
    pub hp: Option<Hp>,
    /// Hit points in a word, for viewers that may not know the numbers.
    pub hp_band: Option<Band>,
    /// Conditions.
    pub conditions: Vec<Slug>,
}

impl Member {
    /// The member with what `choice` leaves of its hit points.
    fn without_hp(&self, choice: FoeHp) -> Self {
        let Self {
            id,
            hp,
            hp_band: _,
            conditions,
        } = self;
        Self {
            id: id.clone(),
            hp: None,
            hp_band: banded(*hp, choice),
            conditions: conditions.clone(),
        }
    }
}

/// A member's id, or the member.
// `H` is its hit points: `Hp` for a newcomer, `HpChanges` for a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum MemberDraft<H> {
    /// The id alone.
    Id(MemberId),
    /// The member.
    Whole(MemberSpec<H>),
}

/// By hand, because the derived error does not say why neither fits.
impl<'de, H: Deserialize<'de>> Deserialize<'de> for MemberDraft<H> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MemberVisitor<H>(PhantomData<H>);
        impl<'de, H: Deserialize<'de>> de::Visitor<'de> for MemberVisitor<H> {
            type Value = MemberDraft<H>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member's id, or an object with its id and hit points")
            }
            fn visit_str<E: de::Error>(self, id: &str) -> Result<Self::Value, E> {
                MemberId::deserialize(id.into_deserializer()).map(MemberDraft::Id)
            }
            fn visit_map<A: de::MapAccess<'de>>(self, fields: A) -> Result<Self::Value, A::Error> {
                MemberSpec::deserialize(MapAccessDeserializer::new(fields)).map(MemberDraft::Whole)
            }
        }
        deserializer.deserialize_any(MemberVisitor(PhantomData))
    }
}

/// A member of a group with its hit points and conditions.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MemberSpec<H> {
    /// Id, unique in the group.
    pub id: MemberId,
    /// Hit points, to track them.
    pub hp: Option<H>,
    /// Conditions, at most 32.
    #[schema(max_items = 32)]
    pub conditions: Option<Vec<Slug>>,
}

impl<H> MemberSpec<H> {
    /// The id alone.
    pub fn of(id: MemberId) -> Self {
        Self {
            id,
            hp: None,
            conditions: None,
        }
    }
}

/// A combatant: what all rulesets know of it, and what its ruleset adds.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(bound = "")]
#[schema(bound = "R: Ruleset")]
pub struct Combatant<R: Ruleset> {
    /// Id of the combatant, unique in the encounter.
    pub id: CombatantId,
    /// Name for people.
    pub name: Name,
    /// Side, usually `players` or `monsters`.
    pub side: Slug,
    /// Kind of combatant.
    pub kind: Kind,
    /// Name of the player who decides for it, or `gm`.
    pub controller: Name,
    /// True if players can't see it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hidden: bool,
    /// Hit points, if tracked.
    pub hp: Option<Hp>,
    /// Hit points in a word, for viewers that may not know the numbers; never in the true
    /// encounter.
    pub hp_band: Option<Band>,
    /// The members of a group that acts as one; empty for a single combatant.
    #[serde(default, skip_serializing_if = "is_default")]
    pub members: Vec<Member>,
    /// Conditions.
    #[serde(default, skip_serializing_if = "is_default")]
    pub conditions: Vec<Slug>,
    /// Armor class.
    pub armor_class: Option<ArmorClass>,
    /// Readers of the armor class; None for its player and the game master.
    pub armor_class_seen_by: Option<SeenBy>,
    /// Level.
    pub level: Option<Level>,
    /// Readers of the level; None for all.
    pub level_seen_by: Option<SeenBy>,
    /// Notes.
    pub notes: Option<Notes>,
    /// Readers of the notes; None for the game master.
    pub notes_seen_by: Option<SeenBy>,
    /// Address of its sheet.
    pub link: Option<SheetLink>,
    /// Readers of the address; None for its player and the game master.
    pub link_seen_by: Option<SeenBy>,
    /// The person that a chat mentions when its turn starts, for the game master alone.
    pub mention: Option<Mention>,
    /// Texts of the client's own.
    #[serde(default, skip_serializing_if = "is_default")]
    pub metadata: Metadata,
    /// True if its turn of this round has ended.
    #[serde(default, skip_serializing_if = "is_default")]
    pub acted: bool,
    /// Position in the order of joining, from 1; 0 for players and spectators.
    #[serde(default, skip_serializing_if = "is_default")]
    pub joined: u32,
    /// Combatant fields of the ruleset that clients set.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schema(value_type = Object)]
    pub stats: R::CombatantStats,
    /// Ruleset-specific combatant state.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schema(value_type = Object)]
    pub state: R::CombatantState,
}

/// Default values are not stored, so that documents stay small.
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The condition of a combatant that is out of the fight for now, and not defeated.
pub const ASIDE: &str = "aside";

/// Conditions that take a combatant (or a member of a group) out of the fight, in every ruleset.
pub const OUT: [&str; 3] = ["dead", "defeated", ASIDE];

/// The ids of these combatants.
pub fn ids<'a, R: Ruleset>(
    combatants: impl IntoIterator<Item = &'a Combatant<R>>,
) -> Vec<CombatantId> {
    combatants.into_iter().map(|c| c.id.clone()).collect()
}

impl<R: Ruleset> Combatant<R> {
    /// Whether it is still in the fight: neither dead nor defeated nor set aside, and of a group at
    /// least one member not.
    pub fn active(&self) -> bool {
        self.free_of(|_| false)
    }

    /// Whether it is in the fight and has none of these conditions, and of a group at least one
    /// member has neither.
    pub fn free_of(&self, stops: impl Fn(&str) -> bool) -> bool {
        if !are_free_of(&self.conditions, &stops) {
            return false;
        }
        if self.members.is_empty() {
            return true;
        }
        self.members
            .iter()
            .any(|member| are_free_of(&member.conditions, &stops))
    }

    /// The condition that it gets when its hit points are gone. None for a hazard.
    pub fn down(&self) -> Option<Slug> {
        match self.kind {
            Kind::Pc => Some(Slug::fixed(R::MANIFEST.down)),
            Kind::Npc => Some(Slug::fixed("defeated")),
            Kind::Hazard => None,
        }
    }

    /// Its level; 1 if it has none.
    pub fn level_or_first(&self) -> i64 {
        self.level.map_or(1, Level::get)
    }

    /// Whether `reader` may not know some part of its sheet, or that it has readers of its own.
    pub fn hides_sheet_from(&self, reader: SeenBy) -> bool {
        let hides = |is_known: bool, set: Option<SeenBy>, readers: SeenBy| {
            if is_known {
                readers < reader
            } else {
                set.is_some()
            }
        };
        let armor_class = self.armor_class.is_some();
        let (level, notes, link) = (
            self.level.is_some(),
            self.notes.is_some(),
            self.link.is_some(),
        );
        hides(
            armor_class,
            self.armor_class_seen_by,
            self.armor_class_readers(),
        ) || hides(level, self.level_seen_by, self.level_readers())
            || hides(notes, self.notes_seen_by, self.notes_readers())
            || hides(link, self.link_seen_by, self.link_readers())
            || self.mention.is_some()
    }

    fn armor_class_readers(&self) -> SeenBy {
        self.armor_class_seen_by.unwrap_or(SeenBy::Player)
    }

    fn level_readers(&self) -> SeenBy {
        self.level_seen_by.unwrap_or(SeenBy::All)
    }

    fn notes_readers(&self) -> SeenBy {
        self.notes_seen_by.unwrap_or(SeenBy::Gm)
    }

    fn link_readers(&self) -> SeenBy {
        self.link_seen_by.unwrap_or(SeenBy::Player)
    }

    /// The combatant as a reader knows it who is not the game master: with the parts of its sheet that
    /// `reader` may see, and with `hp`, where that is hidden, with what it leaves of its hit points.
    pub fn known_to(&self, reader: SeenBy, hp: Option<FoeHp>) -> Self {
        let Self {
            id,
            name,
            side,
            kind,
            controller,
            hidden,
            hp: hit_points,
            hp_band,
            members,
            conditions,
            armor_class,
            armor_class_seen_by,
            level,
            level_seen_by,
            notes,
            notes_seen_by,
            link,
            link_seen_by,
            mention: _,
            metadata,
            acted,
            joined,
            stats,
            state,
        } = self;
        let sees_armor_class = armor_class.is_some() && self.armor_class_readers() >= reader;
        let sees_level = level.is_some() && self.level_readers() >= reader;
        let sees_notes = notes.is_some() && self.notes_readers() >= reader;
        let sees_link = link.is_some() && self.link_readers() >= reader;
        Self {
            id: id.clone(),
            name: name.clone(),
            side: side.clone(),
            kind: *kind,
            controller: controller.clone(),
            hidden: *hidden,
            hp: hit_points.filter(|_| hp.is_none()),
            hp_band: hp.map_or(*hp_band, |choice| banded(*hit_points, choice)),
            members: match hp {
                Some(choice) => members.iter().map(|m| m.without_hp(choice)).collect(),
                None => members.clone(),
            },
            conditions: conditions.clone(),
            armor_class: armor_class.filter(|_| sees_armor_class),
            armor_class_seen_by: armor_class_seen_by.filter(|_| sees_armor_class),
            level: level.filter(|_| sees_level),
            level_seen_by: level_seen_by.filter(|_| sees_level),
            notes: notes.clone().filter(|_| sees_notes),
            notes_seen_by: notes_seen_by.filter(|_| sees_notes),
            link: link.clone().filter(|_| sees_link),
            link_seen_by: link_seen_by.filter(|_| sees_link),
            mention: None,
            metadata: metadata.clone(),
            acted: *acted,
            joined: *joined,
            stats: stats.clone(),
            state: state.clone(),
        }
    }

    /// Names of the fields that clients set and in which it differs from `before`. Hit points in a
    /// word count as hit points.
    pub fn changed_fields(&self, before: &Self) -> Vec<Slug> {
        let hp = self.hp != before.hp || self.hp_band != before.hp_band;
        let shared = [
            ("name", self.name != before.name),
            ("side", self.side != before.side),
            ("kind", self.kind != before.kind),
            ("controller", self.controller != before.controller),
            ("hidden", self.hidden != before.hidden),
            ("hp", hp),
            ("members", self.members != before.members),
            ("conditions", self.conditions != before.conditions),
            ("armor_class", self.armor_class != before.armor_class),
            (
                "armor_class_seen_by",
                self.armor_class_seen_by != before.armor_class_seen_by,
            ),
            ("level", self.level != before.level),
            ("level_seen_by", self.level_seen_by != before.level_seen_by),
            ("notes", self.notes != before.notes),
            ("notes_seen_by", self.notes_seen_by != before.notes_seen_by),
            ("link", self.link != before.link),
            ("link_seen_by", self.link_seen_by != before.link_seen_by),
            ("mention", self.mention != before.mention),
            ("metadata", self.metadata != before.metadata),
        ];
        let mut changed = Vec::new();
        for (field, differs) in shared {
            if differs {
                changed.push(Slug::fixed(field));
            }
        }
        let old = fields_of(&before.stats);
        let new = fields_of(&self.stats);
        for (field, value) in &new {
            if old.get(field) != Some(value) {
                changed.extend(Slug::new(field));
            }
        }
        for field in old.keys() {
            if !new.contains_key(field) {
                changed.extend(Slug::new(field));
            }
        }
        changed
    }

    /// Whether it has the condition `name`.
    pub fn has(&self, name: &str) -> bool {
        self.conditions.iter().any(|c| c == name)
    }

    /// Whether its hit points are tracked, or those of its members.
    pub fn tracks_hp(&self) -> bool {
        self.hp.is_some() || self.members.iter().any(|m| m.hp.is_some())
    }

    /// Whether it is a group whose hit points are those of its members alone.
    pub fn hurt_by_member(&self) -> bool {
        self.hp.is_none() && self.members.iter().any(|m| m.hp.is_some())
    }

    /// The conditions of each of its members, and its own.
    pub fn all_conditions(&self) -> impl Iterator<Item = &Vec<Slug>> {
        self.members
            .iter()
            .map(|m| &m.conditions)
            .chain([&self.conditions])
    }

    /// The member named `id`.
    pub fn member(&self, id: &MemberId) -> Option<&Member> {
        self.members.iter().find(|m| m.id == *id)
    }
}

/// The fields of a ruleset's stats as JSON.
fn fields_of(stats: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(stats) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

/// Whether no condition takes out of the fight or is one that `stops`.
pub fn are_free_of(conditions: &[Slug], stops: impl Fn(&str) -> bool) -> bool {
    !conditions
        .iter()
        .any(|c| OUT.contains(&c.as_str()) || stops(c.as_str()))
}

/// Hit points in a word, if `choice` tells one.
fn banded(hp: Option<Hp>, choice: FoeHp) -> Option<Band> {
    match choice {
        FoeHp::Banded => Some(hp?.band()),
        FoeHp::Exact | FoeHp::None => None,
    }
}

/// A combatant as a client describes it: the fields that all rulesets share.
// `H` is its hit points: `Hp` for a newcomer, `HpChanges` for a change.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DraftFields)]
pub struct Draft<H> {
    /// Id of the combatant, unique in the encounter. Made from the name by default.
    pub id: Option<CombatantId>,
    /// Name for people; the id by default. A combatant needs a name or an id.
    pub name: Option<Name>,
    /// Side: `players` for the players' characters, any other word for others. By default
    /// `players`, or `monsters` for a kind other than `pc`.
    pub side: Option<Slug>,
    /// Kind of combatant: by default `pc` on the side `players`, else `npc`.
    pub kind: Option<Kind>,
    /// Name of the player who decides for it: by default `player` for a player's character, else
    /// `gm`.
    pub controller: Option<Name>,
    /// True if players can't see it.
    pub hidden: Option<bool>,
    /// Hit points, to track them.
    pub hp: Option<H>,
    /// Members of a group that acts as one combatant, at most 50.
    #[schema(max_items = 50)]
    pub members: Option<Vec<MemberDraft<H>>>,
    /// Conditions, at most 32.
    #[schema(max_items = 32)]
    pub conditions: Option<Vec<Slug>>,
    /// Armor class.
    pub armor_class: Option<ArmorClass>,
    /// Readers of the armor class: by default its player and the game master.
    pub armor_class_seen_by: Option<SeenBy>,
    /// Level. EXP and DC20 count it, 1 if it is missing; DC20 counts up to 20.
    pub level: Option<Level>,
    /// Readers of the level: by default all.
    pub level_seen_by: Option<SeenBy>,
    /// Notes, at most 1000 characters; an empty text removes them.
    #[schema(value_type = Option<String>, max_length = 1000)]
    pub notes: Option<Erasable<Notes>>,
    /// Readers of the notes: by default the game master.
    pub notes_seen_by: Option<SeenBy>,
    /// Address of its sheet; an empty text removes it.
    #[schema(value_type = Option<String>, max_length = 300, pattern = "^(https?://[^\\s]+)?$")]
    pub link: Option<Erasable<SheetLink>>,
    /// Readers of the address: by default its player and the game master.
    pub link_seen_by: Option<SeenBy>,
    /// The person that a chat mentions when its turn starts, such as the id of a user of Discord: 1 to
    /// 64 letters, digits and `-_.:`; an empty text removes it. The game master alone sees it.
    #[schema(value_type = Option<String>, pattern = "^[0-9A-Za-z_.:-]{0,64}$")]
    pub mention: Option<Erasable<Mention>>,
    /// Texts that the client keeps with it. A change replaces all of them.
    pub metadata: Option<Metadata>,
}

/// The names of the fields of a [`Draft`].
pub const DRAFT_FIELDS: [&str; 19] = [
    "id",
    "name",
    "side",
    "kind",
    "controller",
    "hidden",
    "hp",
    "members",
    "conditions",
    "armor_class",
    "armor_class_seen_by",
    "level",
    "level_seen_by",
    "notes",
    "notes_seen_by",
    "link",
    "link_seen_by",
    "mention",
    "metadata",
];

impl<H: DeserializeOwned> Draft<H> {
    /// Reads a combatant's JSON object: the shared fields, and the rest as the ruleset's own stats
    /// laid over `stats`. A stat that is an object keeps the entries that are left out.
    pub fn split<R: Ruleset>(
        value: Value,
        stats: &R::CombatantStats,
    ) -> Result<(Self, R::CombatantStats), FieldError> {
        let Value::Object(fields) = value else {
            return Err(FieldError::malformed(
                "",
                "Expected an object: a combatant's fields, such as its name.",
            ));
        };
        let mut shared = Map::new();
        let mut laid = fields_of(stats);
        for (name, value) in fields {
            if DRAFT_FIELDS.contains(&name.as_str()) {
                shared.insert(name, value);
                continue;
            }
            match (laid.get_mut(&name), value) {
                (Some(Value::Object(kept)), Value::Object(given)) => kept.extend(given),
                (_, value) => {
                    laid.insert(name, value);
                }
            }
        }
        Ok((
            read_fields(&shared, &[])?,
            read_fields(&laid, &DRAFT_FIELDS)?,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn hit_points_are_a_word_by_quarters_and_halves() {
        let band = |current: u32, max: u32| {
            let hp: Hp = serde_json::from_value(json!({"current": current, "max": max, "temp": 9}))
                .expect("hit points");
            hp.band()
        };
        for (current, word) in [
            (0, Band::Down),
            (1, Band::Critical),
            (5, Band::Critical),
            (6, Band::Bloodied),
            (10, Band::Bloodied),
            (11, Band::Hurt),
            (19, Band::Hurt),
            (20, Band::Unhurt),
        ] {
            assert_eq!(band(current, 20), word, "{current} of 20");
        }
        assert_eq!(band(0, 0), Band::Down);
    }
}
