//! Combatants in events, which depend on the ruleset, as the published document shows them.
#![expect(dead_code, reason = "only their schemas are used")]

use turnkeeper::vocabulary::{
    ArmorClass, Band, CombatantId, CombatantStateSchema, Hp, Kind, Level, Member, Mention,
    Metadata, Notes, SeenBy, SheetLink, Slug, StatsSchema, Text,
};
use utoipa::ToSchema;

/// The fields that every combatant shows.
#[derive(ToSchema)]
pub struct CombatantFields {
    /// The id within the encounter.
    pub id: CombatantId,
    /// The name for people.
    pub name: Text<80>,
    /// The side.
    pub side: Slug,
    /// The kind.
    pub kind: Kind,
    /// The controller: `gm`, or a player's name.
    pub controller: Text<80>,
    /// True while players cannot see it.
    #[schema(required = false)]
    pub hidden: bool,
    /// Hit points, if tracked and if the viewer sees them.
    #[schema(required = false)]
    pub hp: Hp,
    /// The hit points in a word, for viewers who do not see the numbers.
    #[schema(required = false)]
    pub hp_band: Band,
    /// The members of a group; empty for a single combatant.
    #[schema(required = false)]
    pub members: Vec<Member>,
    /// Its conditions.
    #[schema(required = false)]
    pub conditions: Vec<Slug>,
    /// The armor class, if the viewer sees it.
    #[schema(required = false)]
    pub armor_class: ArmorClass,
    /// Readers of `armor_class`, if the viewer sees it and they are not the usual ones: its player and the game master.
    #[schema(required = false)]
    pub armor_class_seen_by: SeenBy,
    /// The level, if the viewer sees it.
    #[schema(required = false)]
    pub level: Level,
    /// Readers of `level`, if the viewer sees it and they are not the usual ones: all.
    #[schema(required = false)]
    pub level_seen_by: SeenBy,
    /// Notes on it, if the viewer sees them.
    #[schema(required = false)]
    pub notes: Notes,
    /// Readers of `notes`, if the viewer sees it and they are not the usual ones: the game master.
    #[schema(required = false)]
    pub notes_seen_by: SeenBy,
    /// The address of its sheet, if the viewer sees it.
    #[schema(required = false)]
    pub link: SheetLink,
    /// Readers of `link`, if the viewer sees it and they are not the usual ones: its player and the game master.
    #[schema(required = false)]
    pub link_seen_by: SeenBy,
    /// The person that a chat mentions when its turn starts. Only the game master reads it.
    #[schema(required = false)]
    pub mention: Mention,
    /// Texts that the client keeps with it.
    #[schema(required = false)]
    pub metadata: Metadata,
    /// True if its turn of this round is over.
    #[schema(required = false)]
    pub acted: bool,
}

/// A combatant as an event carries it. Fields with their usual value are left out.
#[derive(ToSchema)]
pub struct CombatantEntry {
    /// The fields that every combatant shows.
    #[serde(flatten)]
    pub fields: CombatantFields,
    /// Counts the combatants in the order of joining.
    #[schema(required = false, minimum = 1)]
    pub joined: u32,
    /// The fields of its ruleset that clients set.
    #[schema(required = false)]
    pub stats: StatsSchema,
    /// Ruleset-specific combatant state.
    #[schema(required = false)]
    pub state: CombatantStateSchema,
}

/// A change of the roster.
#[derive(ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RosterChange {
    /// A combatant joined.
    #[schema(title = "CombatantJoined")]
    CombatantJoined {
        /// The combatant as it joined.
        details: CombatantEntry,
    },
    /// A combatant changed.
    #[schema(title = "CombatantUpdated")]
    CombatantUpdated {
        /// The combatant as it is now.
        details: CombatantEntry,
        /// Names of the fields that changed.
        #[schema(value_type = Vec<String>)]
        changed: Vec<Slug>,
    },
}
