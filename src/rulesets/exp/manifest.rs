//! The catalogue of EXP, in our own words.

use crate::vocabulary::{Commands, Decision, Manifest, Rule};

pub(super) static MANIFEST: Manifest = Manifest {
    id: "exp",
    title: "EXP",
    author: "Hugh (mobilehugh), EXP: The Game of Technological Chaos",
    source: "https://github.com/mobilehugh/EXP_Documents",
    summary: "A high initiative is an advantage: in pass after pass a persona may wait, and only the lowest must spend all.",
    commands: super::Command::SPECS,
    round: "unit",
    conditions: &["unconscious", "stunned", "paralyzed"],
    down: "defeated",
    decisions: DECISIONS,
    rules: RULES,
    presets: &[],
};

const DECISIONS: &[Decision] = &[
    Decision::new("start", &["start"], "The game master starts the fight."),
    Decision::new("roll", &["roll"], "Initiative is rolled for the unit."),
    Decision::new(
        "declare",
        &["declare", "announce"],
        "The asked combatant declares what it does at its rank, or that it waits.",
    ),
    Decision::new(
        "spend_all",
        &["declare", "announce"],
        "The asked combatant uses all that it has left in this unit.",
    ),
    Decision::new(
        "jump",
        &["jump", "pass", "resolve"],
        "Waiting combatants jump before the announced act or jump, or keep waiting.",
    ),
    Decision::new(
        "mental_attack",
        &["mental_attack", "pass"],
        "The combatants of a mental duel attack each other again or pass.",
    ),
];

const RULES: &[Rule] = &[
    Rule::official("EX-1", "Initiative is a d20 with DEX and level."),
    Rule::official(
        "EX-2",
        "All personas roll at once, once for each unit. The roll holds for all passes of the unit.",
    ),
    Rule::supplementary(
        "EX-2a",
        "A persona that joins or returns during a unit rolls for the next one.",
    ),
    Rule::official("EX-3", "When the unit is over, all personas roll again."),
    Rule::official(
        "EX-4",
        "The referee's crowds may share one roll; important personas roll for themselves.",
    ),
    Rule::supplementary(
        "EX-4a",
        "A crowd is one place in the list, with the bonus of the member that joined first. Each member answers, and all of them are forced. \
         A player's persona may belong to it.",
    ),
    Rule::official(
        "EX-5",
        "The list is descending, and ranks advantage, not the order of the acts.",
    ),
    Rule::official(
        "EX-6",
        "No ties stay in the list, not even between friends.",
    ),
    Rule::official(
        "EX-7",
        "Tied personas roll a plain d10 each as a further digit; the higher one wins.",
    ),
    Rule::supplementary("EX-7a", "A ten is the highest digit of a tie."),
    Rule::supplementary("EX-8", "If the digits tie too, another digit is rolled."),
    Rule::official(
        "EX-9",
        "The winner of the initiative gets no bonus to attacks.",
    ),
    Rule::supplementary(
        "EX-10",
        "A natural 20 or 1 on an initiative roll is just a number.",
    ),
    Rule::supplementary("EX-11", "Option: encumbrance changes the initiative."),
    Rule::official(
        "EX-12",
        "Each persona has one move and one attack or action in a unit, each to be used once.",
    ),
    Rule::official(
        "EX-13",
        "In each pass the list is asked from the highest to the lowest.",
    ),
    Rule::official(
        "EX-14",
        "A persona that is asked and is not the lowest uses each component left, or waits with it.",
    ),
    Rule::official(
        "EX-15",
        "The lowest persona that has anything left must not wait and spends all components left.",
    ),
    Rule::supplementary(
        "EX-15a",
        "A component that must be spent may be spent on nothing.",
    ),
    Rule::official(
        "EX-16",
        "After the forced persona the next pass begins at the top, for all with anything left.",
    ),
    Rule::official(
        "EX-17",
        "A forced persona that has used one component owes only the other.",
    ),
    Rule::official(
        "EX-18",
        "A persona with nothing left is done, and is passed over.",
    ),
    Rule::official(
        "EX-19",
        "The unit is over when no persona has anything left, after at most one pass for each persona.",
    ),
    Rule::supplementary(
        "EX-20",
        "Move and action come in any order, and any action may replace the attack.",
    ),
    Rule::supplementary(
        "EX-21",
        "If no persona waits, one pass in the order of the list is enough.",
    ),
    Rule::official(
        "EX-22",
        "Waiting with one component leaves the other free: all mixtures are legal.",
    ),
    Rule::official(
        "EX-23",
        "A persona that is killed, knocked out, stunned or paralyzed loses the components that waited.",
    ),
    Rule::supplementary(
        "EX-23a",
        "A persona that cannot act loses unasked components only when the list comes to it.",
    ),
    Rule::official(
        "EX-25",
        "A persona that has waited may try to act ahead of a lower persona: a wait jump.",
    ),
    Rule::supplementary(
        "EX-25a",
        "A wait jump goes only over a lower persona, and only before its act is done.",
    ),
    Rule::supplementary(
        "EX-25b",
        "Option: an act is announced if a persona could jump ahead of it, and waits until all who could have jumped or passed. \
         A hidden persona's act is not announced.",
    ),
    Rule::supplementary(
        "EX-25c",
        "A persona may pass at all later acts, unasked, until its player ends that.",
    ),
    Rule::official(
        "EX-26",
        "A wait jump needs a Normal AWE roll; an option says how it is made.",
    ),
    Rule::official(
        "EX-27",
        "A successful wait jump puts the move or the attack before the lower persona's act.",
    ),
    Rule::supplementary(
        "EX-27a",
        "Of two personas that jump over the same act, the higher one goes first: a jump is announced, and waits until all who waited \
         above have jumped ahead of it or passed. Then they jump over the act behind it no more.",
    ),
    Rule::supplementary(
        "EX-27b",
        "An announced act is done as announced, after the jumps ahead of it.",
    ),
    Rule::official(
        "EX-28",
        "A failed wait jump changes nothing: the component waits, the lower persona goes first.",
    ),
    Rule::supplementary(
        "EX-28a",
        "A failed wait jump cannot be tried again over the same act, nor over a jump ahead of it.",
    ),
    Rule::official(
        "EX-29",
        "Move and attack jump separately (option: also with one roll).",
    ),
    Rule::official(
        "EX-30",
        "Acting in its own place in a later pass is no jump and needs no roll.",
    ),
    Rule::official(
        "EX-31",
        "A mental attack can be made at any moment of the unit, outside the list.",
    ),
    Rule::supplementary(
        "EX-31a",
        "A mental attack uses up the attack of the unit (option: nothing, once a unit), and is never a wait jump.",
    ),
    Rule::official(
        "EX-32",
        "Two mental attackers who face each other roll d20 + MSTR + level; the higher is first.",
    ),
    Rule::supplementary(
        "EX-32a",
        "The list waits for a mental duel; others may attack with their minds meanwhile. A duellist that passes or falls \
         before the first attack ends it.",
    ),
    Rule::official(
        "EX-33",
        "Physical mutations, and robots' devices like them, go by the list.",
    ),
    Rule::supplementary("EX-34", "A robot has no mental strength and no psionics."),
    Rule::official(
        "EX-35",
        "Initiative has no surprise: all in the fight roll.",
    ),
    Rule::supplementary(
        "EX-42",
        "Durations count units, of which thirty make a minute.",
    ),
];
