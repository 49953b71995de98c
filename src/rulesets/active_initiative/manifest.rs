//! The catalogue of Active Initiative, in our own words.

use crate::vocabulary::{Commands, Manifest, Rule};

pub(super) static MANIFEST: Manifest = Manifest {
    id: "active-initiative",
    title: "Active Initiative",
    author: "Giffyglyph (Darker Dungeons)",
    source: "https://giffyglyph.com/darkerdungeons/grimoire/4.0.0/en/active_initiative.html",
    summary: "After a turn, its player names the next combatant; enemies may steal the turn for inspiration or after damage.",
    commands: super::Command::SPECS,
    round: "round",
    conditions: INCAPACITATING,
    down: "unconscious",
    rules: RULES,
};

/// The conditions of those who cannot act (AI-18a).
pub(super) const INCAPACITATING: &[&str] = &[
    "incapacitated",
    "paralyzed",
    "petrified",
    "stunned",
    "unconscious",
];

const RULES: &[Rule] = &[
    Rule::official(
        "AI-1",
        "No order is computed: a round is a chain of nominations.",
    ),
    Rule::official(
        "AI-2",
        "The combatant that triggered the scene takes its first turn; the game master says who.",
    ),
    Rule::official(
        "AI-3",
        "If the trigger is unclear, everybody rolls: the highest result takes the first turn.",
    ),
    Rule::official(
        "AI-4",
        "After the first turn a rolled initiative means nothing any more.",
    ),
    Rule::supplementary(
        "AI-5",
        "A rolled initiative adds the INT modifier; higher DEX, then higher WIS break a tie.",
    ),
    Rule::supplementary(
        "AI-5a",
        "A full tie of the opening roll is rolled off, once; what is equal still goes to the first to join.",
    ),
    Rule::official(
        "AI-6",
        "A trap, a spell or another hazard can take the first turn.",
    ),
    Rule::official(
        "AI-7",
        "One combatant has a turn at a time and names the next one at its end.",
    ),
    Rule::supplementary(
        "AI-7a",
        "The controller names even if its combatant died; if it left, the game master does.",
    ),
    Rule::official(
        "AI-8",
        "Anybody in the fight who has not acted this round can be named: friend, foe or hazard.",
    ),
    Rule::official("AI-9", "Nobody who has acted this round can be named."),
    Rule::official("AI-10", "Nobody names itself in the middle of a round."),
    Rule::official(
        "AI-11",
        "A named combatant takes the turn: there is no passing and no delaying.",
    ),
    Rule::official(
        "AI-12",
        "An action can be readied in one's own turn; the place in the round stays.",
    ),
    Rule::official(
        "AI-13",
        "If a readied action is a turn's last act, the turn's owner still names the next one.",
    ),
    Rule::official(
        "AI-14",
        "A group of monsters is one combatant with one turn for all its members.",
    ),
    Rule::official(
        "AI-15",
        "There had better be at least one monster or group to name for every two players.",
    ),
    Rule::supplementary(
        "AI-16",
        "A turn comes from opening the scene, from being named, or from an interrupt.",
    ),
    Rule::official(
        "AI-17",
        "Interrupts come between a nomination and the start of the named combatant's turn.",
    ),
    Rule::supplementary(
        "AI-17a",
        "Option: those hurt in a turn may steal the next one before anybody is named, unless they are allies of the last to act.",
    ),
    Rule::supplementary(
        "AI-17b",
        "A named combatant's turn may begin at once if no visible combatant could interrupt and the variant of points is not played.",
    ),
    Rule::official(
        "AI-18",
        "Only a combatant who has not acted this round can interrupt.",
    ),
    Rule::supplementary(
        "AI-18a",
        "Who cannot act takes a turn that comes to it, but steals none.",
    ),
    Rule::official(
        "AI-19",
        "An interrupt can be paid for with one inspiration point.",
    ),
    Rule::official(
        "AI-20",
        "Damage taken in the turn that has just ended pays for an interrupt.",
    ),
    Rule::supplementary(
        "AI-20a",
        "A combatant hurt in its own turn cannot interrupt after it, nor in a new round.",
    ),
    Rule::supplementary(
        "AI-20b",
        "Damage between two turns counts for the turn before, also between two rounds.",
    ),
    Rule::official("AI-21", "Nobody steals the turn of an ally."),
    Rule::official(
        "AI-22",
        "The interrupter takes the next turn; the named one has not acted and keeps no place.",
    ),
    Rule::supplementary(
        "AI-22a",
        "The window stays open after an interrupt: each interrupts once, without refunds.",
    ),
    Rule::official(
        "AI-23",
        "A combatant that interrupted names the next one when its turn ends.",
    ),
    Rule::official(
        "AI-24",
        "Once the named combatant's turn has begun it is too late to interrupt.",
    ),
    Rule::official(
        "AI-25",
        "Damage from an earlier turn than the last one pays for nothing.",
    ),
    Rule::official(
        "AI-26",
        "Being hurt gives nothing to a combatant who has acted this round.",
    ),
    Rule::official(
        "AI-27",
        "All who were hurt in a turn and have not acted may interrupt after it.",
    ),
    Rule::supplementary(
        "AI-28",
        "Nobody holds more than three inspiration points, and only players' characters any (option: also their allies).",
    ),
    Rule::supplementary(
        "AI-29",
        "An inspiration point can buy advantage on a roll instead, told before rolling.",
    ),
    Rule::official(
        "AI-30",
        "Variant: the game master starts with one point for each player, or as an option says.",
    ),
    Rule::official(
        "AI-31",
        "Variant: a point lets an unhurt combatant of the game master's steal the next turn.",
    ),
    Rule::official("AI-32", "Variant: one point at most is spent in a round."),
    Rule::official(
        "AI-33",
        "Variant: points that are left when the scene ends are lost.",
    ),
    Rule::official(
        "AI-34",
        "Variant: an interrupt for damage costs no point and leaves the round's allowance alone.",
    ),
    Rule::official(
        "AI-35",
        "A round ends when everybody in the fight has acted.",
    ),
    Rule::supplementary(
        "AI-35a",
        "Where all who have not acted are out of the fight the round ends by itself.",
    ),
    Rule::official(
        "AI-36",
        "At a round's end every duration in rounds drops by one, and at zero its effect is over.",
    ),
    Rule::official(
        "AI-37",
        "An effect from this round loses its first round at this round's end already.",
    ),
    Rule::official(
        "AI-38",
        "Effects that end with somebody's turn are not touched by the end of a round.",
    ),
    Rule::official(
        "AI-39",
        "An effect until one's next turn ends when that turn starts, in whatever round.",
    ),
    Rule::official(
        "AI-40",
        "Cooldowns and timers in rounds run down in the same step.",
    ),
    Rule::official(
        "AI-41",
        "While the conflict lasts, a new round starts; the last to act names its first one.",
    ),
    Rule::official(
        "AI-42",
        "The last to act cannot start the next round itself...",
    ),
    Rule::supplementary("AI-43", "...unless there is nobody else."),
    Rule::official(
        "AI-44",
        "With a new round nobody has acted, and the game master may spend a point again.",
    ),
];
