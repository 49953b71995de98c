//! The catalogue of `custom`: what the lines of a definition mean.

use crate::vocabulary::{Commands, Manifest, Rule};

pub(super) static MANIFEST: Manifest = Manifest {
    id: "custom",
    title: "Custom",
    author: "your table",
    source: "docs/rulesets/custom.md of this project",
    summary: "A table's own turn order, described by a definition instead of a program; ten presets to start from.",
    commands: super::Command::SPECS,
    round: "round",
    conditions: &["unconscious"],
    down: "unconscious",
    rules: RULES,
};

const RULES: &[Rule] = &[
    Rule::official(
        "CU-1",
        "`turns`: the turns of a combatant in a round, which is over when nobody can act in it.",
    ),
    Rule::official(
        "CU-2",
        "`score`: combatants, groups or sides roll dice and add numbers; the order follows the scores.",
    ),
    Rule::official(
        "CU-3",
        "`score.pinned`: a pinned combatant stands at its number, after all with the same score.",
    ),
    Rule::official(
        "CU-4",
        "`score.edge`: more rolls, of which the best counts, or the worst.",
    ),
    Rule::official(
        "CU-5",
        "`score.ties`: equal scores are decided in this order; what stays equal is a free choice.",
    ),
    Rule::official("CU-6", "`score.reroll`: each round rolls again."),
    Rule::official(
        "CU-7",
        "`score.cards`: each is dealt a card; jokers come first and are equal, then ace to two, spades to clubs. When the deck runs out, the discards go back.",
    ),
    Rule::official("CU-8", "After a round with a joker all cards go back."),
    Rule::official(
        "CU-9",
        "`score.again`: further turns of a combatant stand at worse scores, or at cards of their own.",
    ),
    Rule::official(
        "CU-10",
        "`phases`: a round goes through them; in each, combatants that fit act, up to its limit of turns.",
    ),
    Rule::official(
        "CU-11",
        "`sides`: sides go one after the other, or alternate, or do not matter.",
    ),
    Rule::official(
        "CU-12",
        "`pick` order: the first open place acts; of equal places any may begin.",
    ),
    Rule::official("CU-13", "`pick` free: any combatant that may act begins."),
    Rule::official(
        "CU-14",
        "`pick` last: the combatant that acted last names the next.",
    ),
    Rule::official(
        "CU-15",
        "`pick` together: all that fit one of its steps act in one shared turn.",
    ),
    Rule::official(
        "CU-16",
        "`steps`: a shared turn goes through its steps; a step that fits nobody is skipped.",
    ),
    Rule::official(
        "CU-17",
        "`optional`: a combatant may pass, and act in a later phase.",
    ),
    Rule::official(
        "CU-18",
        "`declare`: choices are made at the start of a round and shown when all are made.",
    ),
    Rule::official(
        "CU-19",
        "A combatant with a turn for each choice declares none and fits all.",
    ),
    Rule::official(
        "CU-20",
        "`surprise` skips: the first turn of a surprised combatant passes unused.",
    ),
    Rule::official(
        "CU-21",
        "`surprise` disadvantage: the surprised roll once more, and the worst counts.",
    ),
    Rule::official(
        "CU-22",
        "`surprise` yields: a side that is wholly surprised comes last in round 1.",
    ),
    Rule::official(
        "CU-23",
        "`delay`: a combatant delays in its turn, whose end counts at once, and returns later.",
    ),
    Rule::official(
        "CU-24",
        "`delay.lasts`: the delay is over when the place comes, the round ends, or it returns.",
    ),
    Rule::official(
        "CU-25",
        "`delay.moves`: a combatant that returns keeps its new place.",
    ),
    Rule::official(
        "CU-26",
        "`delay.interrupts`: a combatant that delays may return within the turn of another.",
    ),
    Rule::official(
        "CU-27",
        "`pools`: points of a combatant or of the table, up to a maximum.",
    ),
    Rule::official(
        "CU-28",
        "`refill`: a pool is full again each round, each own turn, or by hand.",
    ),
    Rule::official(
        "CU-29",
        "`spend`: points buy an action or a turn, once for each pool until the next turn begins.",
    ),
    Rule::official(
        "CU-30",
        "`ready` fills a pool in the combatant's turn; its next turn empties it.",
    ),
    Rule::official(
        "CU-31",
        "After a turn that ended or was delayed, and before the round ends, all who may react are asked: a gap closes when each has reacted or passed. A lair's turn is followed by none; the unconscious and the surprised spend no points.",
    ),
    Rule::official(
        "CU-32",
        "`clock`: a turn costs ticks, the lowest tick acts, and `round` says how many ticks a round has.",
    ),
    Rule::official(
        "CU-33",
        "`down`: the unconscious keep their place, move before the turn that is going on, or have no turns.",
    ),
    Rule::official(
        "CU-34",
        "`join`: a newcomer acts at its place, in the next round, or at the end of this one.",
    ),
    Rule::official(
        "CU-35",
        "A place that has passed waits for the next round; a tick that has passed is the present one.",
    ),
    Rule::official(
        "CU-36",
        "`resolve` does what the rules say where nobody decides.",
    ),
    Rule::supplementary(
        "CU-37",
        "`clock`: effects that count the turns of a combatant that takes none lose one whenever all others have had a turn.",
    ),
];
