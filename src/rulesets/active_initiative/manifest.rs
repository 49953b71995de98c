//! The catalogue of Active Initiative, in our own words.

use crate::vocabulary::{Commands, Manifest, Rule};

pub(super) static MANIFEST: Manifest = Manifest {
    id: "active-initiative",
    title: "Active Initiative",
    author: "Giffyglyph (Darker Dungeons)",
    source: "https://giffyglyph.com/darkerdungeons/grimoire/4.0.0/en/active_initiative.html",
    summary: "No order is rolled: whoever finishes a turn names the next, and enemies may steal it for inspiration or after damage.",
    commands: super::Command::SPECS,
    conditions: &[],
    down: "unconscious",
    rules: RULES,
};

const RULES: &[Rule] = &[
    Rule::official("AI-1", "No order is computed: a round is a chain of nominations."),
    Rule::official("AI-2", "Whoever triggered the scene takes its first turn; the game master says who."),
    Rule::official(
        "AI-3",
        "Where the trigger is unclear everybody rolls, and the single highest result takes the first turn.",
    ),
    Rule::official("AI-4", "After the first turn a rolled initiative means nothing any more."),
    Rule::supplementary("AI-5", "A rolled initiative adds the INT modifier; higher DEX, then higher WIS break a tie."),
    Rule::official("AI-6", "A trap, a spell or another hazard can take the first turn."),
    Rule::official("AI-7", "One combatant has a turn at a time and names the next one at its end."),
    Rule::official(
        "AI-8",
        "Anybody in the fight who has not acted this round can be named, friend or foe, group or hazard.",
    ),
    Rule::official("AI-9", "Nobody who has acted this round can be named."),
    Rule::official("AI-10", "Nobody names itself in the middle of a round."),
    Rule::official("AI-11", "Whoever is named takes the turn: there is no passing and no delaying."),
    Rule::official("AI-12", "An action can be readied in one's own turn; the place in the round stays."),
    Rule::official(
        "AI-13",
        "When a readied action is the last act of a turn, the turn's owner still names the next one.",
    ),
    Rule::official("AI-14", "A group of monsters is one combatant with one turn for all its members."),
    Rule::official("AI-15", "There had better be at least one monster or group to name for every two players."),
    Rule::supplementary(
        "AI-16",
        "A turn comes from opening the scene, from being named, or from an interrupt, and from nothing else.",
    ),
    Rule::official(
        "AI-17",
        "Interrupts come after a nomination and before the named combatant's turn begins, never inside a turn.",
    ),
    Rule::official("AI-18", "Only a combatant who has not acted this round can interrupt."),
    Rule::official("AI-19", "An interrupt can be paid for with one inspiration point."),
    Rule::official("AI-20", "Damage taken in the turn that has just ended pays for an interrupt."),
    Rule::official("AI-21", "Nobody steals the turn of an ally."),
    Rule::official(
        "AI-22",
        "The interrupter takes the next turn; the one who was named has not acted and keeps no place.",
    ),
    Rule::official("AI-23", "Whoever interrupted names the next one when that turn ends."),
    Rule::official("AI-24", "Once the named combatant's turn has begun it is too late to interrupt."),
    Rule::official("AI-25", "Damage from an earlier turn than the last one pays for nothing."),
    Rule::official("AI-26", "Being hurt gives nothing to a combatant who has acted this round."),
    Rule::official(
        "AI-27",
        "Everybody hurt in a turn who has not acted may interrupt after it: attacking exposes the attacker's side.",
    ),
    Rule::supplementary("AI-28", "Nobody holds more than three inspiration points."),
    Rule::supplementary("AI-29", "An inspiration point can buy advantage on a roll instead, told before rolling."),
    Rule::official(
        "AI-30",
        "Variant: the game master starts the scene with one interrupt point for each player, or as many as the option says.",
    ),
    Rule::official(
        "AI-31",
        "Variant: a point lets one of the game master's who has not acted steal the next turn unhurt.",
    ),
    Rule::official("AI-32", "Variant: one point at most is spent in a round."),
    Rule::official("AI-33", "Variant: points that are left when the scene ends are lost."),
    Rule::official("AI-34", "Variant: an interrupt for damage costs no point and leaves the round's allowance alone."),
    Rule::official("AI-35", "A round ends when everybody in the fight has acted."),
    Rule::official("AI-36", "At a round's end every duration in rounds drops by one, and at zero its effect is over."),
    Rule::official("AI-37", "An effect from this round loses its first round at this round's end already."),
    Rule::official("AI-38", "Effects that end with somebody's turn are not touched by the end of a round."),
    Rule::official("AI-39", "An effect until one's next turn ends when that turn starts, in whatever round."),
    Rule::official("AI-40", "Cooldowns and timers in rounds run down in the same step."),
    Rule::official(
        "AI-41",
        "While the conflict lasts a new round starts, and whoever acted last names its first combatant.",
    ),
    Rule::official("AI-42", "Whoever acted last cannot start the next round itself..."),
    Rule::supplementary("AI-43", "...unless there is nobody else."),
    Rule::official("AI-44", "With a new round nobody has acted, and the game master may spend a point again."),
    Rule::supplementary(
        "AAI2",
        "After an interrupt the window stays open; each combatant interrupts once in it, and nothing is refunded.",
    ),
    Rule::supplementary(
        "AAI6",
        "The right to name is the controller's: it outlives the combatant, and the game master has it where nobody else is left.",
    ),
    Rule::supplementary("AAI7", "Where all who have not acted are out of the fight the round ends by itself."),
    Rule::supplementary(
        "AAI13",
        "Damage of a round's last turn does not let the one whose turn it was interrupt into the next round's first turn.",
    ),
    Rule::supplementary(
        "AAI14",
        "Damage between two turns counts for the turn that has just ended until the next one begins, between rounds too.",
    ),
];
