//! The catalogue of Active Initiative, in our own words.

use crate::vocabulary::{Commands, Decision, Manifest, Rule};

pub(super) static MANIFEST: Manifest = Manifest {
    id: "active-initiative",
    title: "Active Initiative",
    author: "Giffyglyph (Darker Dungeons)",
    source: "https://giffyglyph.com/darkerdungeons/grimoire/4.0.0/en/active_initiative.html",
    summary: "After a turn, its player chooses who acts next; enemies may steal that turn with inspiration or after damage.",
    commands: super::Command::SPECS,
    round: "round",
    conditions: INCAPACITATING,
    down: "unconscious",
    decisions: DECISIONS,
    rules: RULES,
    presets: &[],
};

/// The conditions of those who cannot act (AI-18a).
pub(super) const INCAPACITATING: &[&str] = &[
    "incapacitated",
    "paralyzed",
    "petrified",
    "stunned",
    "unconscious",
];

const DECISIONS: &[Decision] = &[
    Decision::new("start", &["start"], "The game master starts the fight."),
    Decision::new("end_turn", &["end_turn"], "The turn in progress ends."),
    Decision::new(
        "nominate",
        &["nominate", "interrupt", "pass"],
        "The last to act chooses the next combatant.",
    ),
    Decision::new(
        "nominate_first",
        &["nominate", "interrupt", "pass"],
        "The last to act chooses the first combatant of the round.",
    ),
    Decision::new(
        "begin_turn",
        &["begin_turn", "interrupt", "pass"],
        "The chosen combatant starts the turn.",
    ),
    Decision::new(
        "interrupt",
        &["interrupt", "pass", "resolve"],
        "Combatants that could interrupt do so or pass.",
    ),
];

const RULES: &[Rule] = &[
    Rule::official(
        "AI-1",
        "A round has no order in advance: each turn chooses the next.",
    ),
    Rule::official(
        "AI-2",
        "The combatant that triggered the scene takes the first turn; the game master decides which one that is.",
    ),
    Rule::official(
        "AI-3",
        "If the trigger is unclear, all combatants roll, and the highest result takes the first turn.",
    ),
    Rule::official("AI-4", "A rolled initiative decides the first turn only."),
    Rule::supplementary(
        "AI-5",
        "A rolled initiative adds the INT modifier; higher DEX, then higher WIS break a tie.",
    ),
    Rule::supplementary(
        "AI-5a",
        "A full tie is rolled off once; after that the first to join goes first.",
    ),
    Rule::official(
        "AI-6",
        "A trap, a spell or another hazard can take the first turn.",
    ),
    Rule::official(
        "AI-7",
        "One combatant has a turn at a time and chooses the next one when it ends.",
    ),
    Rule::supplementary(
        "AI-7a",
        "The controller chooses even if the combatant died; the game master chooses for a combatant that left.",
    ),
    Rule::official(
        "AI-8",
        "Any combatant in the fight that has not acted this round can be chosen: friend, foe or hazard.",
    ),
    Rule::official(
        "AI-9",
        "A combatant that has acted this round cannot be chosen.",
    ),
    Rule::official(
        "AI-10",
        "A combatant cannot choose itself in the middle of a round.",
    ),
    Rule::official(
        "AI-11",
        "The chosen combatant takes the turn, without passing or delaying.",
    ),
    Rule::official(
        "AI-12",
        "A combatant can ready an action on its own turn; its place in the round stays the same.",
    ),
    Rule::official(
        "AI-13",
        "If a readied action is the last act of a turn, the combatant whose turn it is still chooses.",
    ),
    Rule::official(
        "AI-14",
        "A group of monsters is one combatant with one turn for all its members.",
    ),
    Rule::official(
        "AI-15",
        "Use at least one monster or group for every two players.",
    ),
    Rule::supplementary(
        "AI-16",
        "A combatant gets a turn by opening the scene, by being chosen, or by an interrupt.",
    ),
    Rule::official(
        "AI-17",
        "Interrupts come between the choice of the next combatant and the start of its turn.",
    ),
    Rule::supplementary(
        "AI-17a",
        "Option: combatants hurt in a turn may steal the next one before the choice, except allies of the last to act.",
    ),
    Rule::supplementary(
        "AI-17b",
        "The next turn waits until each visible combatant that could interrupt has interrupted or passed, or the game master resolves.",
    ),
    Rule::supplementary(
        "AI-17c",
        "Option: each chosen turn waits for the game master, so that the wait shows no hidden combatant.",
    ),
    Rule::official(
        "AI-18",
        "Only a combatant that has not acted this round can interrupt.",
    ),
    Rule::supplementary(
        "AI-18a",
        "A combatant that cannot act can be chosen, but cannot interrupt.",
    ),
    Rule::official("AI-19", "One inspiration point pays for an interrupt."),
    Rule::official(
        "AI-20",
        "Damage taken in the last turn pays for an interrupt.",
    ),
    Rule::supplementary(
        "AI-20a",
        "Damage in a combatant's own turn pays for no interrupt after it, not even in a new round.",
    ),
    Rule::supplementary(
        "AI-20b",
        "Damage between two turns counts for the turn before, even between two rounds.",
    ),
    Rule::official("AI-21", "A combatant cannot steal the turn of an ally."),
    Rule::official(
        "AI-22",
        "The interrupter takes the next turn; the one chosen before has not acted and can be chosen again.",
    ),
    Rule::supplementary(
        "AI-22a",
        "After an interrupt others may still interrupt, each once before a turn and without refunds.",
    ),
    Rule::official(
        "AI-23",
        "A combatant that interrupted chooses the next one when its turn ends.",
    ),
    Rule::official(
        "AI-24",
        "Once the turn has started, it is too late to interrupt.",
    ),
    Rule::official(
        "AI-25",
        "Damage from before the last turn pays for no interrupt.",
    ),
    Rule::official(
        "AI-26",
        "Damage pays for no interrupt by a combatant that has acted this round.",
    ),
    Rule::official(
        "AI-27",
        "All combatants that were hurt in a turn and have not acted may interrupt after it.",
    ),
    Rule::supplementary(
        "AI-28",
        "Only players' characters (option: also their allies) hold inspiration points, at most three each.",
    ),
    Rule::supplementary(
        "AI-29",
        "An inspiration point can instead buy advantage on a roll, declared before rolling.",
    ),
    Rule::official(
        "AI-30",
        "Variant: the game master starts with one interrupt point per player, or with a number set by option.",
    ),
    Rule::official(
        "AI-31",
        "Variant: a point pays for an interrupt by one of the game master's combatants.",
    ),
    Rule::official(
        "AI-32",
        "Variant: the game master can spend one point per round.",
    ),
    Rule::official(
        "AI-33",
        "Variant: remaining points are lost when the scene ends.",
    ),
    Rule::official(
        "AI-34",
        "Variant: an interrupt after damage costs no point and does not count as the one of the round.",
    ),
    Rule::official(
        "AI-35",
        "A round ends when all combatants in the fight have acted.",
    ),
    Rule::supplementary(
        "AI-35a",
        "A round also ends when only combatants out of the fight have not acted.",
    ),
    Rule::official(
        "AI-36",
        "At the end of a round every duration in rounds drops by one; at zero the effect ends.",
    ),
    Rule::official(
        "AI-37",
        "An effect from this round loses its first round at the end of this round.",
    ),
    Rule::official(
        "AI-38",
        "The end of a round does not change effects that end with a combatant's turn.",
    ),
    Rule::official(
        "AI-39",
        "An effect that lasts until a combatant's next turn ends when that turn starts, in any round.",
    ),
    Rule::official(
        "AI-40",
        "Cooldowns and timers in rounds drop in the same step.",
    ),
    Rule::official(
        "AI-41",
        "While the conflict lasts, a new round starts, and the last to act chooses who starts it.",
    ),
    Rule::official(
        "AI-42",
        "The last to act cannot choose itself to start the next round.",
    ),
    Rule::supplementary(
        "AI-42a",
        "The last to act may interrupt the combatant that it chose to start the round: an interrupt is no choice.",
    ),
    Rule::supplementary(
        "AI-43",
        "If no other combatant is in the fight, the last to act starts the next round too.",
    ),
    Rule::official(
        "AI-44",
        "In a new round no combatant has acted yet, and the game master may spend a point again.",
    ),
];
