//! The catalogue of Venture, in our own words.

use crate::vocabulary::{Commands, Manifest, Rule};

pub(super) static MANIFEST: Manifest = Manifest {
    id: "venture",
    title: "Venture",
    author: "the authors of Venture, a rewrite of Exalted",
    source: "Venture, Systems, Combat: Turn Order and Initiative (/systems/combat/turn-order-and-initiative/ of its site)",
    summary: "Initiative is a track from -20 to 20 that rises, falls and crashes in the fight; the highest who has not acted goes next.",
    commands: super::Command::SPECS,
    conditions: &["prone"],
    down: "defeated",
    rules: RULES,
};

const RULES: &[Rule] = &[
    Rule::official(
        "VE-1",
        "Turns are played only where all who fight are Worthy Foes; one roll settles any other fight.",
    ),
    Rule::official("VE-2", "Whoever fights rolls Join Battle: Wits and Awareness."),
    Rule::official("VE-3", "From stealth or seclusion Dexterity may stand for Wits, Stealth for Awareness, or both."),
    Rule::official(
        "VE-4",
        "When talk turns violent Manipulation may stand for Wits, Socialize for Awareness, or both.",
    ),
    Rule::official("VE-5", "Initiative starts at 3 and one more for each success, at most 20."),
    Rule::official("VE-6", "Joining Battle comes with a free action that harms nobody and that nobody opposes."),
    Rule::official("VE-7", "Free actions come in turn order: the later ones see the earlier."),
    Rule::official("VE-8", "There is one free action each; what harms somebody or is opposed is none."),
    Rule::official("VE-9", "The highest Initiative acts first, then downwards; ticks without anybody are skipped."),
    Rule::official("VE-10", "A turn is one combat action and one reflexive move."),
    Rule::official("VE-11", "After the combat action a flurry opens a second one, for Initiative."),
    Rule::official("VE-12", "When one's tick is reached one may delay, and act later, never earlier."),
    Rule::supplementary(
        "VE-13",
        "Changes on the track hold at once: the highest who has not acted is next, and nobody acts twice in a round.",
    ),
    Rule::official("VE-14", "Start of turn, 1: what lasts one turn is over: Onslaught, expired hazards and poisons."),
    Rule::official("VE-15", "Start of turn, 2: whoever Rushed or Disengaged and got no move of it can move now."),
    Rule::official(
        "VE-16",
        "Start of turn, 3: a Crashed one with 3 recovery tokens spends them and is at Initiative 3.",
    ),
    Rule::official("VE-17", "Start of turn, 4: anima flux and whatever else happens when a turn begins."),
    Rule::official("VE-18", "Start of turn, 5: the combat action and the reflexive move are there again."),
    Rule::official("VE-19", "End of turn, 1: 5 Initiative, unless one is Crashed or Prone or has attacked."),
    Rule::official("VE-20", "End of turn, 2: a Crashed one gets a recovery token, and another if it did not attack."),
    Rule::official(
        "VE-21",
        "End of turn, 3: a flurry costs 3 Initiative for each action; at 0 or less one is Crashed.",
    ),
    Rule::official("VE-22", "End of turn, 4: 5 motes come back."),
    Rule::official("VE-23", "At 0 or less one is Crashed, above 0 one is not."),
    Rule::official("VE-24", "Initiative stays between -20 and 20."),
    Rule::official("VE-25", "A cost written with an i is paid in Initiative."),
    Rule::official(
        "VE-26",
        "Initiative comes from turns without an attack, and 5 from forcing an opponent into Crash.",
    ),
    Rule::official(
        "VE-27",
        "Initiative goes by being attacked, by costs, by going into Crash, by decisive killing blows.",
    ),
    Rule::supplementary(
        "VE-28",
        "A decisive killing blow, as an option every decisive attack, brings the attacker down to its base, 3, or 2 and half the Stamina.",
    ),
    Rule::supplementary("VE-29", "Who is Crashed uses no Perilous Charms."),
    Rule::supplementary(
        "VE-30",
        "Every attack adds a point of Onslaught to its target, hit or missed, each one off Defense.",
    ),
    Rule::supplementary(
        "VE-31",
        "Option: crashing the one who crashed you adds a new Join Battle roll to your Initiative.",
    ),
    Rule::supplementary("VE-33", "Option: an unusual Join Battle swaps the attribute or the ability, not both."),
    Rule::supplementary("AVE1", "A flurry costs 3 for each combat action that was taken; moves cost nothing."),
    Rule::supplementary(
        "AVE2",
        "A flurry is paid at the end of the turn, so it needs no Initiative when it is declared.",
    ),
    Rule::supplementary("AVE3", "Who is Crashed may flurry."),
    Rule::supplementary(
        "AVE4",
        "A delayed turn comes between two others, and after all others of the round at the latest.",
    ),
    Rule::supplementary(
        "AVE5",
        "On one tick players' characters act first, then more successes, then who joined first.",
    ),
    Rule::supplementary("AVE8", "Recovery spends all tokens; going into Crash and leaving it clears them."),
    Rule::supplementary("AVE9", "A die of 7, 8 or 9 is one success, a 10 is two."),
    Rule::supplementary("AVE11", "Recovery sets Initiative to 3, however low it was."),
    Rule::supplementary("AVE12", "Whatever lifts one above 0 ends the Crash at once."),
    Rule::supplementary(
        "AVE16",
        "An attack outside the own turn takes no combat action and does not count at the end of a turn; the game master records it.",
    ),
    Rule::supplementary("AVE17", "A decisive attack whose damage takes the last hit point strikes a killing blow."),
    Rule::supplementary(
        "AVE18",
        "A timed change of Initiative is taken back at the start of a turn, step 1, with what else lasts one turn.",
    ),
    Rule::supplementary(
        "AVE19",
        "What the game master corrects has neither cost nor bonus; a corrected Crash holds until the Initiative changes next.",
    ),
];
