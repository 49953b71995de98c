//! The catalogue of Seize the initiative, in our own words.

use crate::vocabulary::{Commands, Manifest, Rule};

/// The conditions that keep somebody from seizing, though not from being picked (WA-15a).
pub(super) const DISABLED: &[&str] = &["unconscious", "incapacitated", "stunned"];

pub(super) static MANIFEST: Manifest = Manifest {
    id: "seize",
    title: "Seize the initiative",
    author: "shoedog0727 (The New World, on World Anvil)",
    source: "https://worldanvil.com/w/the-new-world-shoedog0727/a/initiative-article",
    summary: "A roll decides the first turn. After a turn, its player picks the next one; combatants that lost hit points may seize it.",
    commands: super::Command::SPECS,
    round: "round",
    conditions: DISABLED,
    down: "unconscious",
    rules: RULES,
};

const RULES: &[Rule] = &[
    Rule::official(
        "WA-1",
        "When a fight begins everybody in it rolls once: d20 and Initiative Bonus.",
    ),
    Rule::official(
        "WA-2",
        "The Initiative Bonus is the DEX modifier, unless a combatant has another one.",
    ),
    Rule::official(
        "WA-3",
        "The game master may roll once for all enemies, or once for each group of them.",
    ),
    Rule::supplementary(
        "WA-3a",
        "A group's roll is every member's, with what a 20 or 1 brings; each has its own turn.",
    ),
    Rule::supplementary(
        "WA-3b",
        "Every side but `players` is an enemy, unless the option `not_enemies` names it.",
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
        "Full ties roll off; else players' characters go first, then the first to join.",
    ),
    Rule::official(
        "WA-6",
        "A 20 goes before all others and has one extra Action, in its first turn only.",
    ),
    Rule::supplementary(
        "WA-6a",
        "The die shows a 20 or a 1, or by option `crit_on` the result does; a 20 wins.",
    ),
    Rule::supplementary(
        "WA-6b",
        "The extra Action is one more use of a standard action, once.",
    ),
    Rule::official("WA-7", "A 1 takes no turn at all in round 1."),
    Rule::supplementary(
        "WA-7a",
        "In round 1 a 1 has acted; if all rolled 1, the highest bonus opens round 2.",
    ),
    Rule::official(
        "WA-8",
        "After a turn, its controller picks the next one: its player, or the game master.",
    ),
    Rule::supplementary(
        "WA-8a",
        "The controller picks even if its combatant died; a sole survivor picks itself.",
    ),
    Rule::official("WA-9", "Nobody is picked who has had a turn in this round."),
    Rule::official(
        "WA-10",
        "A round ends when everybody in the fight has had a turn.",
    ),
    Rule::official(
        "WA-11",
        "The last of a round picks the first of the next round, and not itself.",
    ),
    Rule::official(
        "WA-12",
        "A combatant that loses hit points before its turn of the round may seize the next one.",
    ),
    Rule::supplementary(
        "WA-12a",
        "A loss in the last turn of a round gives nothing in the next round.",
    ),
    Rule::supplementary(
        "WA-12b",
        "A loss between turns counts for the turn before until a pick; between rounds never.",
    ),
    Rule::official(
        "WA-13",
        "Seizing is free to do or not to do, and decided when the turn that hurt is over.",
    ),
    Rule::official(
        "WA-14",
        "A seizer picks the next one after its own turn, unless that is seized again.",
    ),
    Rule::official(
        "WA-15",
        "Several who seize after one turn act by Initiative Bonus, the highest first.",
    ),
    Rule::supplementary(
        "WA-15a",
        "Seized turns follow the turns that hurt; a seizer put out of action loses its turn.",
    ),
    Rule::official(
        "WA-16",
        "It does not matter who or what hurt: friend, foe, hazard or oneself.",
    ),
    Rule::official(
        "WA-17",
        "Seizing costs nothing, and can be done in every round.",
    ),
    Rule::official(
        "WA-18",
        "The roll decides the first turn and nothing after it.",
    ),
    Rule::official("WA-19", "One lost hit point is enough, none is not."),
    Rule::supplementary(
        "WA-19a",
        "Damage that temporary hit points take is no loss of hit points.",
    ),
    Rule::official(
        "WA-20",
        "A combatant that has had its turn of the round, or is having it, cannot seize.",
    ),
];
