//! The catalogue of Seize the initiative, in our own words.

use crate::vocabulary::{Commands, Decision, Manifest, Rule};

/// The conditions of those who cannot seize, but can be chosen (WA-15a).
pub(super) const DISABLED: &[&str] = &["unconscious", "incapacitated", "stunned"];

pub(super) static MANIFEST: Manifest = Manifest {
    id: "seize",
    title: "Seize the initiative",
    author: "shoedog0727 (The New World, on World Anvil)",
    source: "https://worldanvil.com/w/the-new-world-shoedog0727/a/initiative-article",
    summary: "A roll decides the first turn. After a turn, its player chooses who acts next; combatants that lost hit points may seize that turn.",
    commands: super::Command::SPECS,
    round: "round",
    conditions: DISABLED,
    down: "unconscious",
    decisions: DECISIONS,
    rules: RULES,
    presets: &[],
};

const DECISIONS: &[Decision] = &[
    Decision::new("start", &["start"], "The game master starts the fight."),
    Decision::new("end_turn", &["end_turn"], "The turn in progress ends."),
    Decision::new(
        "seize",
        &["seize", "pass", "resolve"],
        "Combatants that lost hit points seize the next turn or pass.",
    ),
    Decision::new(
        "nominate",
        &["nominate"],
        "The last to act chooses the next combatant.",
    ),
    Decision::new(
        "nominate_first",
        &["nominate"],
        "The last to act chooses the first combatant of the round.",
    ),
];

const RULES: &[Rule] = &[
    Rule::official(
        "WA-1",
        "When a fight starts, all combatants roll once: d20 and Initiative Bonus.",
    ),
    Rule::official(
        "WA-2",
        "The Initiative Bonus is the DEX modifier, unless a combatant has another bonus.",
    ),
    Rule::official(
        "WA-3",
        "The game master may roll once for all enemies, or once for each group of them.",
    ),
    Rule::supplementary(
        "WA-3a",
        "A group's roll counts for all its members, also as a 20 or a 1; each has its own turn.",
    ),
    Rule::supplementary(
        "WA-3b",
        "All sides but `players` and those in the option `not_enemies` are enemies.",
    ),
    Rule::official(
        "WA-4",
        "The highest result takes the first turn of the fight.",
    ),
    Rule::official(
        "WA-5",
        "Between equal results the higher Initiative Bonus wins.",
    ),
    Rule::supplementary(
        "WA-5a",
        "Full ties roll off; after that players' characters go first, then the first to join.",
    ),
    Rule::official(
        "WA-6",
        "A 20 goes first of all and has one extra Action, in its first turn only.",
    ),
    Rule::supplementary(
        "WA-6a",
        "The die, or by option `crit_on` the result, counts as a 20 or a 1; a 20 wins.",
    ),
    Rule::supplementary(
        "WA-6b",
        "The extra Action is one more use of a standard action, once.",
    ),
    Rule::official("WA-7", "A 1 takes no turn in round 1."),
    Rule::supplementary(
        "WA-7a",
        "Round 1 does not wait for a 1; if all rolled a 1, the highest bonus starts round 2.",
    ),
    Rule::official(
        "WA-8",
        "After a turn, its controller chooses who acts next: the player or the game master.",
    ),
    Rule::supplementary(
        "WA-8a",
        "The controller chooses even if the combatant died; a sole survivor acts again.",
    ),
    Rule::official(
        "WA-9",
        "A combatant that has had a turn in this round cannot be chosen.",
    ),
    Rule::official(
        "WA-10",
        "A round ends when all combatants in the fight have had a turn.",
    ),
    Rule::official(
        "WA-11",
        "The last to act in a round chooses another combatant to start the next round.",
    ),
    Rule::official(
        "WA-12",
        "A combatant that loses hit points before its turn of the round may seize the next one.",
    ),
    Rule::supplementary(
        "WA-12a",
        "A loss in the last turn of a round gives no right to seize in the next round.",
    ),
    Rule::supplementary(
        "WA-12b",
        "A loss between two turns counts for the turn before, until the choice; between rounds it does not count.",
    ),
    Rule::supplementary(
        "WA-12c",
        "A hurt combatant that cannot act may seize if it can act again before the choice.",
    ),
    Rule::official(
        "WA-13",
        "A combatant decides whether to seize when the turn that hurt it is over.",
    ),
    Rule::official(
        "WA-14",
        "A seizer chooses who acts next after its own turn, unless that turn is seized again.",
    ),
    Rule::official(
        "WA-15",
        "Several that seize after the same turn act by Initiative Bonus, the highest first.",
    ),
    Rule::supplementary(
        "WA-15a",
        "Seized turns come in the order of the turns that hurt; a seizer put out of action loses the turn.",
    ),
    Rule::official(
        "WA-16",
        "Any source of the loss counts: friend, foe, hazard or the combatant itself.",
    ),
    Rule::official(
        "WA-17",
        "Seizing costs nothing and is possible in every round.",
    ),
    Rule::official("WA-18", "The roll decides the first turn only."),
    Rule::official("WA-19", "One lost hit point is enough."),
    Rule::supplementary(
        "WA-19a",
        "Damage to temporary hit points is no loss of hit points.",
    ),
    Rule::official(
        "WA-20",
        "A combatant that has had its turn of the round, or is having it, cannot seize.",
    ),
];
