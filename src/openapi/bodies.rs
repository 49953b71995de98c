//! Bodies that the program puts together from parts, or that depend on the ruleset, as the published document shows them.

use crate::engine::Summary;
use crate::vocabulary::{Band, CombatantId, Effect, FoeHp, Hp, Kind, Member, OrderEntry, Pending, Slug, Text};
use serde_json::Value;
use utoipa::ToSchema;

/// Makes a type for each schema that every ruleset has one of, and the list of them: the name in the document, what it is, and the
/// variants of the union that all rulesets share.
macro_rules! unions {
    ($($(#[doc = $doc:literal])+ $name:ident as $published:ident: $shared:expr;)+) => {
        $(
            $(#[doc = $doc])+
            #[derive(ToSchema)]
            #[schema(as = $published)]
            pub struct $name {}
        )+

        pub(super) const UNIONS: &[(&str, &str, &[&str])] = &[$((stringify!($published), concat!($($doc),+), $shared)),+];
    };
}

unions! {
    /// An encounter under any ruleset.
    EncounterSchema as Encounter: &[];
    /// A new encounter under any ruleset.
    NewEncounterSchema as NewEncounter: &[];
    /// A command: one that every ruleset understands, or one of the ruleset's own.
    CommandSchema as Command: &["SharedCommand"];
    /// An event: one that every ruleset has, or one of the ruleset's own.
    EventSchema as Event: &["SharedEvent", "RosterChange"];
    /// A combatant as a client describes it, under any ruleset.
    DraftSchema as CombatantDraft: &[];
    /// What a combatant brings that its ruleset asks for.
    StatsSchema as CombatantStats: &[];
    /// What play keeps about a combatant for its ruleset.
    CombatantStateSchema as CombatantState: &[];
}

/// One command, or a list of commands.
#[derive(ToSchema)]
#[serde(untagged)]
pub enum CommandRequest {
    /// A single command.
    One(CommandSchema),
    /// Commands that are applied all or nothing.
    List(#[schema(inline)] CommandList),
}

/// Commands that are applied all or nothing.
#[derive(ToSchema)]
#[schema(min_items = 1, max_items = 50)]
pub struct CommandList(pub Vec<CommandSchema>);

/// The fields that every encounter shows.
#[derive(ToSchema)]
pub struct EncounterFields {
    /// What the list of encounters shows too.
    #[serde(flatten)]
    pub summary: Summary,
    /// The combatants whose turn it is: several where a turn is shared, none between turns.
    pub current: Vec<CombatantId>,
    /// The decision that is awaited.
    #[schema(required = true)]
    pub pending: Option<Pending>,
    /// The order, where the system knows one.
    pub order: Vec<OrderEntry>,
    /// The effects that last.
    pub effects: Vec<Effect>,
    /// What players and spectators see of the hit points of foes.
    #[schema(inline)]
    pub foe_hp: FoeHp,
    /// Whether a player may undo their own last command.
    pub player_undo: bool,
}

/// The fields that every combatant shows.
#[derive(ToSchema)]
pub struct CombatantFields {
    /// Names the combatant within the encounter.
    pub id: CombatantId,
    /// Its name for people.
    pub name: Text<80>,
    /// The side that it is on.
    pub side: Slug,
    /// What kind it is.
    pub kind: Kind,
    /// Who decides for it: `gm`, or a player's name.
    pub controller: Text<80>,
    /// True while players cannot see it.
    #[schema(required = false)]
    pub hidden: bool,
    /// Its hit points, where they are tracked and the viewer sees them.
    #[schema(required = false)]
    pub hp: Hp,
    /// How it fares, for viewers who do not see its hit points.
    #[schema(required = false)]
    pub hp_band: Band,
    /// The members of a group; empty for a single combatant.
    #[schema(required = false)]
    pub members: Vec<Member>,
    /// Its conditions.
    #[schema(required = false)]
    pub conditions: Vec<Slug>,
    /// Whether its turn of this round is over.
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
    /// What the combatant brought for the ruleset.
    #[schema(required = false)]
    pub stats: StatsSchema,
    /// What play keeps about it for the ruleset.
    #[schema(required = false)]
    pub standing: CombatantStateSchema,
}

/// A change of the roster.
#[derive(ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RosterChange {
    /// A combatant joined.
    #[schema(title = "CombatantJoined")]
    CombatantJoined {
        /// The combatant as it joined.
        combatant: CombatantEntry,
    },
    /// A combatant changed.
    #[schema(title = "CombatantUpdated")]
    CombatantUpdated {
        /// The combatant as it is now.
        combatant: CombatantEntry,
    },
}

/// A new encounter and its game master's token.
#[derive(ToSchema)]
#[schema(as = Created)]
pub struct CreatedSchema {
    /// The encounter.
    pub encounter: EncounterSchema,
    /// The game master's token. No other answer shows it.
    pub token: String,
}

/// What a command changed: the whole encounter, or with `Prefer: return=minimal` only `current` and `pending`.
#[derive(ToSchema)]
pub struct CommandAnswer {
    /// The version that the command made. `If-Match` takes it in quotes.
    pub version: u64,
    /// What happened, in order.
    pub events: Vec<EventSchema>,
    /// The encounter after the command.
    #[schema(required = false)]
    pub encounter: EncounterSchema,
    /// The combatants whose turn it is.
    #[schema(required = false)]
    pub current: Vec<CombatantId>,
    /// The decision that is awaited.
    pub pending: Option<Pending>,
}

/// An entry of the log: what one accepted request changed.
#[derive(ToSchema)]
#[schema(as = LogEntry)]
pub struct LogEntrySchema {
    /// The version that the request made.
    pub version: u64,
    /// When it was accepted.
    #[schema(format = DateTime)]
    pub at: String,
    /// The id of the token that sent it. Left out where the viewer may not know who acts.
    #[schema(required = false)]
    pub by: String,
    /// The types of the commands that were sent.
    pub commands: Vec<String>,
    /// What happened, in order.
    pub events: Vec<EventSchema>,
}

/// A page of the log.
#[derive(ToSchema)]
pub struct LogPage {
    /// The entries, oldest first.
    pub items: Vec<LogEntrySchema>,
    /// The start of the next page: `after` takes it. Null when nothing follows yet.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
}

/// An entry of an exported log.
#[derive(ToSchema)]
pub struct ExportedEntry {
    /// The entry as the game master reads it.
    #[serde(flatten)]
    pub entry: LogEntrySchema,
    /// What players and spectators read, where that differs.
    #[schema(required = false, value_type = Object)]
    pub told: Value,
    /// The state after the entry. Every 256th entry carries it, and every undo and redo.
    #[schema(required = false, value_type = Object)]
    pub checkpoint: Value,
}

/// The whole log of an encounter. It gives the same state wherever it is imported.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ExportedLog)]
pub struct ExportedLogSchema {
    /// The name of this format.
    #[schema(pattern = "^turnkeeper-log$")]
    pub format: String,
    /// The number of this format.
    #[schema(minimum = 1, maximum = 1)]
    pub schema: u32,
    /// The id of the ruleset.
    pub ruleset: String,
    /// When it was exported.
    #[schema(required = false, format = DateTime)]
    pub exported_at: String,
    /// The version that the log ends at.
    pub version: u64,
    /// The state that the log begins with.
    #[schema(inline)]
    pub base: LogBase,
    /// Every entry after the base.
    pub entries: Vec<ExportedEntry>,
}

/// The state that a log begins with.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LogBase {
    /// The version of this state.
    pub version: u64,
    /// The state as it is stored.
    #[schema(value_type = Object)]
    pub document: Value,
}

/// The health of the process or its store.
#[derive(ToSchema)]
pub struct Health {
    /// `live` or `ready`.
    pub status: String,
}

/// A line of a stream, or the data of a server-sent event.
#[derive(ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FeedLine {
    /// The encounter that the next transitions change.
    Snapshot {
        /// The version of the encounter.
        version: u64,
        /// The encounter.
        encounter: EncounterSchema,
    },
    /// A new entry of the log.
    Transition(LogEntrySchema),
    /// Nothing happened.
    KeepAlive,
    /// The encounter was deleted. The stream ends.
    Deleted,
}
