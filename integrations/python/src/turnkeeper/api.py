"""The types of the published document. integrations/python/build writes this file from openapi/openapi.json."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict


class _ChoiceRequired(TypedDict):
    field: str
    """The field of the command."""
    required: bool
    """False if the field may be left out."""
    schema: dict[str, Any]
    """The JSON Schema of the values that are accepted. References lead to the answer's `$defs`."""
    title: str
    """The field's name for people."""


class Choice(_ChoiceRequired, total=False):
    """An open field of a command."""

    advanced: bool
    """True for a field that a short form leaves out."""
    physical: bool
    """True for what the table itself rolled or dealt: a page can ask for it next to names."""


class _CombatantRequired(TypedDict):
    acted: bool
    """True if its turn of this round is over."""
    active: bool
    """True if it is still in the fight."""
    conditions: list[str]
    """Its conditions."""
    controller: str
    """The controller: `gm`, or a player's name."""
    hidden: bool
    """True while players cannot see it."""
    id: CombatantId
    """The id within the encounter."""
    kind: Literal["pc", "npc", "hazard"]
    """The kind."""
    members: list[Member]
    """The members of a group; empty for a single combatant."""
    name: str
    """The name for people."""
    side: str
    """The side."""


class Combatant(_CombatantRequired, total=False):
    """A combatant of an encounter."""

    armor_class: int
    """The armor class, if the viewer sees it."""
    armor_class_seen_by: Literal["gm", "player", "all"]
    """Readers of `armor_class`, if the viewer sees it and they are not the usual ones: its player and the game master."""
    hp: Hp
    """Hit points, if tracked and if the viewer sees them."""
    hp_band: Literal["unhurt", "hurt", "bloodied", "critical", "down"]
    """The hit points in a word, for viewers who do not see the numbers."""
    level: int
    """The level, if the viewer sees it."""
    level_seen_by: Literal["gm", "player", "all"]
    """Readers of `level`, if the viewer sees it and they are not the usual ones: all."""
    link: str
    """The address of its sheet, if the viewer sees it."""
    link_seen_by: Literal["gm", "player", "all"]
    """Readers of `link`, if the viewer sees it and they are not the usual ones: its player and the game master."""
    mention: str
    """The person that a chat mentions when its turn starts. Only the game master reads it."""
    metadata: Metadata
    """Texts that the client keeps with it."""
    notes: str
    """Notes on it, if the viewer sees them."""
    notes_seen_by: Literal["gm", "player", "all"]
    """Readers of `notes`, if the viewer sees it and they are not the usual ones: the game master."""


class CombatantDraft(TypedDict, total=False):
    """A combatant as a client describes it: the fields that all rulesets share."""

    armor_class: int
    """Armor class."""
    armor_class_seen_by: Literal["gm", "player", "all"]
    """Readers of the armor class: by default its player and the game master."""
    conditions: list[str]
    """Conditions, at most 32."""
    controller: str
    """Name of the player who decides for it: by default `player` for a player's character, else `gm`."""
    hidden: bool
    """True if players can't see it."""
    hp: Hp
    """Hit points, to track them."""
    id: CombatantId
    """Id of the combatant, unique in the encounter. Made from the name by default."""
    kind: Literal["pc", "npc", "hazard"]
    """Kind of combatant: by default `pc` on the side `players`, else `npc`."""
    level: int
    """Level. EXP and DC20 count it, 1 if it is missing; DC20 counts up to 20."""
    level_seen_by: Literal["gm", "player", "all"]
    """Readers of the level: by default all."""
    link: str
    """Address of its sheet; an empty text removes it."""
    link_seen_by: Literal["gm", "player", "all"]
    """Readers of the address: by default its player and the game master."""
    members: list[MemberDraft]
    """Members of a group that acts as one combatant, at most 50."""
    mention: str
    """The person that a chat mentions when its turn starts, such as the id of a user of Discord: 1 to 64 letters, digits and `-_.:`; an empty text removes it. The game master alone sees it."""
    metadata: Metadata
    """Texts that the client keeps with it. A change replaces all of them."""
    name: str
    """Name for people; the id by default. A combatant needs a name or an id."""
    notes: str
    """Notes, at most 1000 characters; an empty text removes them."""
    notes_seen_by: Literal["gm", "player", "all"]
    """Readers of the notes: by default the game master."""
    side: str
    """Side: `players` for the players' characters, any other word for others. By default `players`, or `monsters` for a kind other than `pc`."""


class _CombatantStatisticsRequired(TypedDict):
    combatant: CombatantId
    damage_dealt: int
    """Damage that names it as its `source`."""
    damage_taken: int
    """Damage that it took."""
    healed: int
    """Hit points that it regained."""
    seconds: int
    """Whole seconds from the starts of these turns to their ends, by the clock of the server: time in which it waits or delays is included, and breaks of the table."""
    turns: int
    """Turns that it has ended."""


class CombatantStatistics(_CombatantStatisticsRequired, total=False):
    """The numbers of one combatant, as far as the viewer's log tells them."""

    name: str
    """Its name; left out if it has left."""


class _CommandRequired(TypedDict):
    type: str
    """The kind of command. The ruleset's manifest lists all."""


class Command(_CommandRequired, total=False):
    """A command: one that every ruleset understands, or one of the ruleset's own."""

    combatant: CombatantId
    """The combatant that acts, if the command is one combatant's."""


class _CommandAnswerRequired(TypedDict):
    current: list[CombatantId]
    """The combatants whose turn it is."""
    encounter: Encounter
    """The encounter after the command, unless `Prefer` leaves it out."""
    events: list[Event]
    """The events, in order."""
    pending: Pending | None
    """The pending decision; null if there is none."""
    version: int
    """The version of the encounter after the command. `If-Match` takes it in quotes."""


class CommandAnswer(_CommandAnswerRequired, total=False):
    """The answer to one command or a list, also to a dry run. The encounter is the view that `GET` returns."""

    options: LegalCommands
    """The legal commands after the command, with `include=options`."""
    since: str
    """Since when `current` and `pending` are what they are, as in the encounter."""
    table: str
    """The turn table after the command, with `include=table`: the text of the encounter with `Accept: text/plain`."""


class _CommandInfoRequired(TypedDict):
    schema: dict[str, Any]
    """Its JSON Schema."""
    sender: Literal["player", "gm", "author", "source", "target"]
    """The roles that may send it."""
    shared: bool
    """True if every ruleset understands it."""
    summary: str
    """Its effect, in one line."""
    type: str
    """Its `type`."""


class CommandInfo(_CommandInfoRequired, total=False):
    """A command with its schema."""
    pass


class _CommandSpecRequired(TypedDict):
    sender: Literal["player", "gm", "author", "source", "target"]
    """The role that may send it."""
    summary: str
    """The effect of the command, in one line."""
    type: str
    """Its `type`."""


class CommandSpec(_CommandSpecRequired, total=False):
    """One command."""
    pass


class _ConversionRequired(TypedDict):
    creation: dict[str, Any]
    """The body for `POST /v1/encounters`."""
    encounter: str
    """The name of the fight that was taken."""
    encounters: list[str]
    """The names of the fights in the file, at most 100."""
    format: Literal["obsidian", "improved_initiative", "roll20", "five_etools", "foundry", "dnd_beyond", "avrae", "creatures"]
    """The tracker or builder that wrote the file."""
    left_out: list[LeftOut]
    """The parts of the file that have no place in it."""


class Conversion(_ConversionRequired, total=False):
    """A fight of another tracker as a creation."""
    pass


class _CreatedRequired(TypedDict):
    encounter: Encounter
    token: str
    """The game master's token. No other answer shows it."""


class Created(_CreatedRequired, total=False):
    """A new encounter and its game master's token."""

    left_out: list[LeftOut]
    """The parts of another tracker's file that have no place in the encounter."""
    tokens: list[CreatedToken]
    """The other tokens that the request asked for, in its order. No other answer shows them."""


class _CreatedTokenRequired(TypedDict):
    combatants: list[CombatantId]
    """The combatants that a player acts for; some may have left. A later combatant with the same id is not the player's."""
    id: str
    """The token's id. The list of tokens and the log show it; send it to revoke the token."""
    role: Literal["gm", "player", "spectator"]
    """The token's role."""
    token: str
    """The token. No other answer shows it."""


class CreatedToken(_CreatedTokenRequired, total=False):
    """A new token."""

    expires_at: str
    """The expiry of the token, RFC 3339 in UTC; left out if it never expires."""
    name: str
    """The name of the token's holder; left out if it has no name."""


class _DieRequired(TypedDict):
    face: int
    """The face that it shows, from 1 to `sides`."""
    given: bool
    """True when the table rolled it and sent it with the command; false when the server rolled it."""
    sides: int
    """How many sides it has."""


class Die(_DieRequired, total=False):
    """One die as it fell."""
    pass


class _EffectRequired(TypedDict):
    expires: Expiry
    """The time at which it ends, counted from its beginning."""
    hidden: bool
    """True if players can't see it."""
    id: str
    """Id of the effect, unique in the encounter."""
    name: str
    """Name for people."""


class Effect(_EffectRequired, total=False):
    """Something that lasts: a spell, a poison, a cooldown, a timer."""

    begins: Expiry
    """When it begins, by rounds or turns. Absent once it has begun."""
    expiry_hidden: bool
    """True if only the game master sees when it ends, because it counted the turns of a combatant that left while it was hidden."""
    last: bool
    """True if its time was up with its reminder: it ends once that is applied."""
    metadata: Metadata
    """Texts of the client's own."""
    reminder: Reminder
    """A reminder that comes until then."""
    source: CombatantId
    """The combatant that caused it."""
    target: CombatantId
    """Target combatant. Absent for scene-wide effects."""
    waits: bool
    """True if its reminder was due, and `apply_effect` was not sent since."""


class _EncounterRequired(TypedDict):
    combatants: list[Combatant]
    """The combatants in the order of joining."""
    created_at: str
    """The time of its creation, RFC 3339."""
    current: list[CombatantId]
    """The combatants whose turn it is: several if they share a turn, none between turns."""
    effects: list[Effect]
    """The active effects."""
    foe_hp: Literal["exact", "banded", "none"]
    """The form in which players and spectators see the hit points of foes."""
    id: str
    """The id of the encounter; unguessable."""
    name: str
    """The name for people."""
    options: dict[str, Any]
    """The ruleset's options. Its document has their schema."""
    order: list[OrderEntry]
    """All combatants, in the order of turns as far as the system knows it."""
    pending: Pending | None
    """The pending decision; null if there is none."""
    player_damage: bool
    """True if players may record damage and healing of their combatants."""
    player_effects: bool
    """True if players may add effects of their combatants."""
    player_undo: bool
    """True if players may undo their own last command."""
    round: int
    """The round (or unit), from 1; 0 before the first."""
    ruleset: str
    """The id of the ruleset."""
    state: dict[str, Any]
    """Ruleset-specific state of the encounter. The ruleset's document has its schema."""
    status: Literal["setup", "running", "ended"]
    """The status."""
    version: int
    """The version: the number of its newest log entry. `If-Match` takes it in quotes."""
    you: TokenInfo
    """The token that reads it."""


class Encounter(_EncounterRequired, total=False):
    """An encounter under any ruleset."""

    metadata: Metadata
    """Texts that the client keeps with it."""
    since: str
    """Since when `current` and `pending` are what they are, RFC 3339. Left out if the viewer sees a hidden combatant of its own: then only the game master knows."""
    turn_seconds: int
    """The seconds that a turn may take; left out if there is no set time."""


class _EventRequired(TypedDict):
    type: str
    """The kind of event. The ruleset's manifest lists all."""


class Event(_EventRequired, total=False):
    """An event: one that every ruleset has, or one of the ruleset's own."""

    text: str
    """The event as an English sentence, with the names that the reader knows. It may change with any release."""


class _EventInfoRequired(TypedDict):
    schema: dict[str, Any]
    """Its JSON Schema."""
    shared: bool
    """True if every ruleset has it."""
    summary: str
    """The event in one line."""
    type: str
    """Its `type`."""


class EventInfo(_EventInfoRequired, total=False):
    """An event with its schema."""
    pass


class _ExpiryRequired(TypedDict):
    at: Literal["round_end", "turn_start", "turn_end", "encounter_end", "removed"]


class Expiry(_ExpiryRequired, total=False):
    """When an effect ends. Counts say what remains."""

    of: CombatantId
    """The combatant whose turns count. By default the ruleset chooses one: usually the effect's source, else its target. Absent in an effect that counts rounds instead, because the combatant has left."""
    rounds: int
    """Round ends left."""
    turns: int
    """Turn ends left; 1 is the next one. Default: 1."""


class _ExportedEntryRequired(TypedDict):
    at: str
    """The time of its acceptance."""
    commands: list[str]
    """The types of the commands that were sent."""
    events: list[Event]
    """The events, in order, each with its sentence."""
    token: str
    """The id of the token that sent it."""
    version: int
    """The version that the request made."""


class ExportedEntry(_ExportedEntryRequired, total=False):
    """An entry of the log as it is stored and exported."""

    checkpoint: dict[str, Any]
    """The state after the entry. Every 256th entry carries it, and every undo and redo."""
    kept: list[dict[str, Any]]
    """Events that no client reads: each followed from another."""
    redactions: dict[str, Any]
    """The redacted forms for players and spectators, if they differ."""
    since: ExportedEntrySince
    """Since when the encounter waits for what it waits for, if the entry changed it."""
    token_name: str
    """The name that this token had then."""


class ExportedEntrySince(TypedDict, total=False):
    """Since when the encounter waits for what it waits for, if the entry changed it."""

    everybody: str
    """By the changes that all viewers see."""
    gm: str
    """By all changes."""


class _ExportedLogRequired(TypedDict):
    base: ExportedLogBase
    """The state that the log begins with."""
    entries: list[ExportedEntry]
    """Every entry after the base."""
    format: str
    """The name of this format."""
    ruleset: str
    """The id of the ruleset."""
    schema: int
    """The number of the shape of what it holds."""
    version: int
    """The version that the log ends at."""


class ExportedLog(_ExportedLogRequired, total=False):
    """The whole log of an encounter. It gives the same state wherever it is imported."""

    exported_at: str
    """When it was exported."""


class _ExportedLogBaseRequired(TypedDict):
    document: dict[str, Any]
    """The state as it is stored."""
    version: int
    """The version of this state."""


class ExportedLogBase(_ExportedLogBaseRequired, total=False):
    """The state that the log begins with."""
    pass


class _FeedLineDeletedRequired(TypedDict):
    type: Literal["deleted"]


class FeedLineDeleted(_FeedLineDeletedRequired, total=False):
    """The encounter was deleted. The stream ends."""
    pass


class _FeedLineKeepAliveRequired(TypedDict):
    type: Literal["keep_alive"]


class FeedLineKeepAlive(_FeedLineKeepAliveRequired, total=False):
    """Nothing happened."""
    pass


class _FeedLineSnapshotRequired(TypedDict):
    encounter: Encounter
    type: Literal["snapshot"]
    version: int
    """The version of the encounter."""


class FeedLineSnapshot(_FeedLineSnapshotRequired, total=False):
    """The encounter. The next transitions change it."""

    event_id: str
    """The place of the snapshot in the log. Only in streams of lines: `Last-Event-ID` takes it. A server-sent event has it as its id."""
    options: LegalCommands
    """The legal commands. Only in streams with `include`, unless an entry follows at once."""
    table: str
    """The turn table. Only in streams with `include`, unless an entry follows at once."""


class _FeedLineTransitionRequired(TypedDict):
    at: str
    """The time of its acceptance."""
    commands: list[str]
    """The types of the commands that were sent. Empty if the viewer may not know who acts."""
    events: list[Event]
    """The events, in order."""
    type: Literal["transition"]
    version: int
    """The version that the request made."""


class FeedLineTransition(_FeedLineTransitionRequired, total=False):
    """A new entry of the log."""

    encounter: Encounter
    """The encounter after it. Only in streams with `include`, unless another entry follows at once."""
    event_id: str
    """The place of the entry in the log. Only in streams of lines: `Last-Event-ID` takes it. A server-sent event has it as its id."""
    options: LegalCommands
    """The legal commands after it. Only in streams with `include`, unless another entry follows at once."""
    table: str
    """The turn table after it. Only in streams with `include`, unless another entry follows at once."""
    token: str
    """The id of the token that sent it. Left out if the viewer may not know who acts."""
    token_name: str
    """The name that this token had then. Left out if it had none, or if the viewer may not know who acts."""


class _HpRequired(TypedDict):
    current: int
    """Current hit points."""


class Hp(_HpRequired, total=False):
    """Hit points."""

    max: int
    """Maximum; the current number by default."""
    temp: int
    """Temporary hit points, lost first. Default: 0."""


class _LeftOutRequired(TypedDict):
    combatants: list[str]
    """The names of the first of them, at most 10."""
    count: int
    """How many combatants have it; 0 for a field of the fight."""
    field: str
    """The field of the file."""
    why: str
    """The reason, and the remedy."""


class LeftOut(_LeftOutRequired, total=False):
    """A part of a file that has no place in an encounter."""
    pass


class _LegalCommandRequired(TypedDict):
    choices: list[Choice]
    """The open fields."""
    command: dict[str, Any]
    """The decided part of the command."""
    complete: bool
    """True if `command` can be sent as it is. Otherwise fill in the required choices first."""
    group: Literal["decision", "turn", "reaction", "tools"]
    """The part of a page for it."""
    label: str
    """The words for a button, such as `Ann: end turn`."""
    primary: bool
    """True for the usual answer to what is pending: one for each combatant that may be the answer."""
    rule: str
    """The rule that allows it."""


class LegalCommand(_LegalCommandRequired, total=False):
    """A legal command: what is decided of it, and the choices that are open. Choices are independent of each other: any combination of their values is accepted."""

    actor: CombatantId
    """The combatant that acts, if the command is one combatant's."""
    row: str
    """The field that names the combatant on whose row the usual answer stands: decided, or the only required choice. A press on that row sends the command with it."""


class _LegalCommandsRequired(TypedDict):
    items: list[LegalCommand]
    """The legal commands, in the order in which a page shows them."""
    version: int
    """The version of the encounter."""


_LegalCommandsNamed = TypedDict("_LegalCommandsNamed", {"$defs": "dict[str, dict[str, Any]]"}, total=False)


class LegalCommands(_LegalCommandsRequired, _LegalCommandsNamed, total=False):
    """The commands that are legal now."""
    pass


class _LogEntryRequired(TypedDict):
    at: str
    """The time of its acceptance."""
    commands: list[str]
    """The types of the commands that were sent. Empty if the viewer may not know who acts."""
    events: list[Event]
    """The events, in order."""
    version: int
    """The version that the request made."""


class LogEntry(_LogEntryRequired, total=False):
    """An entry of the log: the change by one accepted request."""

    encounter: Encounter
    """The encounter after it. Only in streams with `include`, unless another entry follows at once."""
    event_id: str
    """The place of the entry in the log. Only in streams of lines: `Last-Event-ID` takes it. A server-sent event has it as its id."""
    options: LegalCommands
    """The legal commands after it. Only in streams with `include`, unless another entry follows at once."""
    table: str
    """The turn table after it. Only in streams with `include`, unless another entry follows at once."""
    token: str
    """The id of the token that sent it. Left out if the viewer may not know who acts."""
    token_name: str
    """The name that this token had then. Left out if it had none, or if the viewer may not know who acts."""


class _MemberRequired(TypedDict):
    conditions: list[str]
    """Conditions."""
    id: str
    """Id of the member, unique in the group."""


class Member(_MemberRequired, total=False):
    """One member of a group that acts as one combatant."""

    hp: Hp
    """Hit points, if tracked."""
    hp_band: Literal["unhurt", "hurt", "bloodied", "critical", "down"]
    """Hit points in a word, for viewers that may not know the numbers."""


class _MemberSpecRequired(TypedDict):
    id: str
    """Id, unique in the group."""


class MemberSpec(_MemberSpecRequired, total=False):
    """A member of a group with its hit points and conditions."""

    conditions: list[str]
    """Conditions, at most 32."""
    hp: MemberSpecHp
    """Hit points."""


class _MemberSpecHpRequired(TypedDict):
    current: int
    """Current hit points."""


class MemberSpecHp(_MemberSpecHpRequired, total=False):
    """Hit points."""

    max: int
    """Maximum; the current number by default."""
    temp: int
    """Temporary hit points, lost first. Default: 0."""


class _NewEncounterRequired(TypedDict):
    ruleset: str
    """The id of the ruleset."""


class NewEncounter(_NewEncounterRequired, total=False):
    """A new encounter under any ruleset."""

    combatants: list[CombatantDraft]
    """The combatants, at most 500. More can join later."""
    foe_hp: Literal["exact", "banded", "none"]
    """How players and spectators see the hit points of foes. Default: "banded"."""
    metadata: Metadata
    """Texts that the client keeps with it."""
    name: str
    """Name for people. Default: "Encounter"."""
    options: dict[str, Any]
    """The ruleset's options. Its document has their schema."""
    player_damage: bool
    """True if players may record damage and healing of their combatants. Default: false."""
    player_effects: bool
    """True if players may add effects of their combatants. Default: false."""
    player_undo: bool
    """True if a player may undo their own last command until someone else acts. Default: false."""
    seed: int
    """Makes the server's dice reproducible: a whole number from 0 to 18446744073709551615."""
    tokens: list[NewToken]
    """Tokens to create with the encounter, at most 50."""
    turn_seconds: int
    """The seconds that a turn may take; without it there is no set time. Clients count them from `since`; nothing ends by itself."""


class _NewTokenRequired(TypedDict):
    role: Literal["gm", "player", "spectator"]
    """The role."""


class NewToken(_NewTokenRequired, total=False):
    """A token to create."""

    combatants: list[CombatantId]
    """The combatants that a player acts for: at least one. Other roles have none."""
    expires_at: str
    """The expiry: RFC 3339, in the future, 9999-12-30T22:00:00Z at the latest. Without it and `expires_in` the token never expires."""
    expires_in: int
    """The seconds until it expires, ten years at most. Send `expires_at` instead for a later time."""
    name: str
    """The name of its holder, for people, in the game master's list and in the log. It grants no rights."""


class _OrderEntryRequired(TypedDict):
    acted: bool
    """True if the turn of this round has ended."""
    current: bool
    """True if the combatant has the turn."""
    initiative: float | None
    """The number that the order is sorted by; null if the system has none."""
    name: str
    """Name for people; of an empty turn, what players call it, such as `PC Turn 2`."""
    next: bool
    """True if the combatant acts next, as far as the order is known."""
    out: bool
    """True if the combatant is out of the fight."""


class OrderEntry(_OrderEntryRequired, total=False):
    """A row of the order."""

    because: Reason
    """Reason for the place. Absent for combatants without a place."""
    combatant: CombatantId
    """The combatant. Absent for an empty turn."""
    note: str
    """Remark of the ruleset, in a few words."""
    slot: str
    """The turn, if the system names or numbers turns, or the card dealt, such as `Q♠`."""
    team: str
    """The team of that turn, if the turns are those of teams: `players`, `npcs`, or the side of an enemy team."""
    turn: str
    """That turn as players call it, such as `PC Turn 2`, if this is more than its `slot`."""


class _PendingRequired(TypedDict):
    combatants: list[CombatantId]
    """Combatants whose players may decide."""
    commands: list[str]
    """Commands that answer the decision."""
    decision: str
    """Name of the decision. The manifest lists the names."""
    gm: bool
    """True if the game master decides, even if no combatant is named. The game master may decide for every combatant at any time."""
    rule: str
    """The rule that asks for the decision."""


class Pending(_PendingRequired, total=False):
    """The pending decision."""

    controllers: list[str]
    """Names of their players, each once, for people. Tokens say who may really send a command."""
    slot: str
    """The turn, phase or step that is next or in progress, if the system names it."""
    team: str
    """The team of that turn: `players`, `npcs`, or the side of an enemy team."""


class _ProblemRequired(TypedDict):
    code: str
    """A stable name for programs. `GET /problems` lists and explains all of them."""
    detail: str
    """The problem and the remedy."""
    instance: str
    """The path of the request."""
    status: int
    """The HTTP status."""
    title: str
    """The code in words."""
    type: str
    """The URI of this kind of problem: `/problems/` and the code. `GET` explains it."""


class Problem(_ProblemRequired, total=False):
    """A problem, for programs and for people."""

    current_version: int
    """The version of the encounter."""
    errors: list[ProblemErrors]
    """The fields that are wrong: the first one, or for a new encounter the first one of each combatant, at most 20."""
    oldest_version: int
    """The oldest version that the log holds."""
    pending: Pending
    """The pending decision, if the rules refuse a command."""
    request_id: str
    """The id of the request, as in the header `X-Request-Id`."""
    rule: str
    """The rule that refuses the request."""


class _ProblemErrorsRequired(TypedDict):
    message: str
    """The problem with the field, and the remedy."""
    path: str
    """The path of the field: names and list positions, separated by dots. Empty for the whole body."""


class ProblemErrors(_ProblemErrorsRequired, total=False):
    """A field that is wrong."""
    pass


class _ProblemTypeRequired(TypedDict):
    code: str
    """A stable name for programs: the `code` of its problem documents."""
    detail: str
    """The cause, and what to do."""
    section: str
    """Its heading on the page of errors, such as a ruleset's name."""
    title: str
    """The code in words: the `title` of its problem documents."""
    type: str
    """The URI of this kind of problem: the `type` of its problem documents."""


class ProblemType(_ProblemTypeRequired, total=False):
    """A kind of problem."""
    pass


class _ReasonRequired(TypedDict):
    reason: str
    """The reason in a few words, for people."""
    rule: str
    """The rule that sets the place."""


class Reason(_ReasonRequired, total=False):
    """Reason for a place in the order."""

    bonus: int
    """Bonus added to the dice."""
    dice: list[Die]
    """Dice rolled, in order."""
    named_by: CombatantId
    """The combatant that nominated this one, if any."""
    tie_rule: str
    """The rule that broke a tie, if any."""
    total: float
    """Total: the number that the order is sorted by, if any."""


class _ReminderRequired(TypedDict):
    due: Expiry
    """The moment at which it is due next: of a round or a turn. By default the turns are the target's, else the source's."""


class Reminder(_ReminderRequired, total=False):
    """A moment that comes again and again, and its consequences."""

    automatic: bool
    """True if it happens by itself, right after the command in which it is due. If not, the game master sends `apply_effect`. Default: false."""
    damage: int
    """Damage to the target, from the effect's source."""
    every: int
    """How many such moments there are from one time to the next. Default: 1."""
    heal: int
    """Hit points that the target regains."""
    recharge: ReminderRecharge
    """The die that ends the effect, such as a 5 or 6 for a dragon's breath."""


_ReminderRechargeRequiredNamed = TypedDict("_ReminderRechargeRequiredNamed", {"from": "int"})


class _ReminderRechargeRequired(_ReminderRechargeRequiredNamed):
    sides: int
    """The sides of the die."""


class ReminderRecharge(_ReminderRechargeRequired, total=False):
    """The die that ends the effect, such as a 5 or 6 for a dragon's breath."""
    pass


class _RuleRequired(TypedDict):
    id: str
    """Its id, such as `WA-15`. A letter at the end marks a decision of ours on what that rule leaves open: `WA-15a`. `TK-5` is a rule of all rulesets."""
    summary: str
    """The rule in one line."""


class Rule(_RuleRequired, total=False):
    """One rule of a catalogue."""

    for_players: str
    """The rule for players, if `summary` names lines of a definition."""


class _RulesetListRequired(TypedDict):
    items: list[RulesetSummary]
    """A summary of each ruleset."""
    shared_commands: list[CommandSpec]
    """The commands that every ruleset understands."""
    shared_rules: list[Rule]
    """The rules that hold in every ruleset. Refusals name them too."""


class RulesetList(_RulesetListRequired, total=False):
    """The rulesets, and what all of them share."""
    pass


class _RulesetManifestRequired(TypedDict):
    author: str
    """The publisher of the system."""
    combatant: dict[str, Any]
    """The JSON Schema of a combatant as a client describes it: the shared fields and those of the ruleset."""
    commands: list[CommandInfo]
    """The commands that can be sent: its own, then those that every ruleset understands."""
    conditions: list[str]
    """The conditions that it heeds, besides `dead`, `defeated` and `aside`."""
    decisions: list[RulesetManifestDecisions]
    """The decisions that an encounter may await."""
    down: str
    """The condition that a player's character gets when tracked hit points reach 0. An NPC gets `defeated`, which takes it out of the fight, and a hazard gets none. Any other condition leaves the combatant in the fight, and the ruleset says whether it acts."""
    events: list[EventInfo]
    """The events that can happen: its own, then those that every ruleset has."""
    id: str
    """Its id, as encounters name it."""
    options: dict[str, Any]
    """The JSON Schema of its options, with their defaults."""
    round: str
    """The system's word for a round, in lower case."""
    rules: list[Rule]
    """The rule catalogue: refusals and the order name these ids."""
    source: str
    """The address of its text."""
    summary: str
    """A description in a sentence or two."""
    title: str
    """Its title."""


class RulesetManifest(_RulesetManifestRequired, total=False):
    """A ruleset in full. Each schema in it is JSON Schema 2020-12 and stands alone."""

    presets: list[RulesetManifestPresets]
    """Options to start from. Left out if it has none."""


class _RulesetManifestDecisionsRequired(TypedDict):
    commands: list[str]
    """The commands that answer it."""
    id: str
    """Its id, as `pending.decision` names it."""
    summary: str
    """The decision in one sentence."""


class RulesetManifestDecisions(_RulesetManifestDecisionsRequired, total=False):
    """A decision that an encounter may await."""
    pass


class _RulesetManifestPresetsRequired(TypedDict):
    definition: dict[str, Any]
    """Its definition: the option `definition` in full."""
    id: str
    """Its id: the option `preset`."""
    plays: str
    """The games that are played so."""
    title: str
    """Its order of turns, in a few words."""


class RulesetManifestPresets(_RulesetManifestPresetsRequired, total=False):
    """Options to start from."""

    conditions: list[str]
    """The conditions that these games name, for people to choose from. Left out if none is known."""


class _RulesetSummaryRequired(TypedDict):
    author: str
    """The author or publisher of the system."""
    id: str
    """Its id, as encounters name it."""
    manifest: str
    """The address of its manifest, relative to this list."""
    openapi: str
    """The address of its OpenAPI document, relative to this list."""
    round: str
    """Its word for a round, in lower case."""
    source: str
    """The address of its text."""
    summary: str
    """The system in a sentence or two."""
    title: str
    """Its title."""


class RulesetSummary(_RulesetSummaryRequired, total=False):
    """A summary of a ruleset."""
    pass


class _StatisticsRequired(TypedDict):
    combatants: list[CombatantStatistics]
    """Each combatant, in the order of joining; then those that have left."""
    from_version: int
    """The version from which on entries are counted: 0, or the oldest that the log still holds."""
    version: int
    """The version up to which they are counted."""


class Statistics(_StatisticsRequired, total=False):
    """The numbers of a fight."""
    pass


class _TokenInfoRequired(TypedDict):
    combatants: list[CombatantId]
    """The combatants that a player acts for; some may have left. A later combatant with the same id is not the player's."""
    id: str
    """The token's id. The list of tokens and the log show it; send it to revoke the token."""
    role: Literal["gm", "player", "spectator"]
    """The token's role."""


class TokenInfo(_TokenInfoRequired, total=False):
    """A token's holder, as lists of tokens and encounters show it: never the token itself."""

    expires_at: str
    """The expiry of the token, RFC 3339 in UTC; left out if it never expires."""
    name: str
    """The name of the token's holder; left out if it has no name."""


CombatantId: TypeAlias = "str"
CommandRequest: TypeAlias = "Command | list[Command]"
"""One command, or a list of commands."""
FeedLine: TypeAlias = "FeedLineSnapshot | FeedLineTransition | FeedLineKeepAlive | FeedLineDeleted"
"""A line of a stream, or the data of a server-sent event."""
MemberDraft: TypeAlias = "str | MemberSpec"
"""A member's id, or the member."""
Metadata: TypeAlias = "dict[str, str]"
"""Texts that a client keeps with it, such as ids of other programs: echoed, never read."""
Status: TypeAlias = Literal["setup", "running", "ended"]
"""The status of an encounter."""
TokenRole: TypeAlias = Literal["gm", "player", "spectator"]
"""The role of a token."""
