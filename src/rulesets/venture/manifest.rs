//! The catalogue of Venture, in our own words.

use crate::vocabulary::{Commands, Decision, Manifest, Rule};

pub(super) static MANIFEST: Manifest = Manifest {
    id: "venture",
    title: "Venture",
    author: "the authors of Venture, a rewrite of Exalted",
    source: "Venture, Systems, Combat: Turn Order and Initiative (/systems/combat/turn-order-and-initiative/ of its site)",
    summary: "Initiative is a track from -20 to 20 that moves all the time; the highest combatant that has not acted is next.",
    commands: super::Command::SPECS,
    round: "round",
    conditions: &["prone"],
    down: "defeated",
    decisions: DECISIONS,
    rules: RULES,
    presets: &[],
};

const DECISIONS: &[Decision] = &[
    Decision::new("start", &["start"], "The game master starts the fight."),
    Decision::new(
        "settle",
        &["settle", "update_combatant", "remove_combatant"],
        "Opponents that are no Worthy Foes are settled without turns.",
    ),
    Decision::new("join_battle", &["join_battle"], "Newcomers Join Battle."),
    Decision::new(
        "free_action",
        &["free_action", "pass", "join_battle"],
        "Combatants take their free actions or pass.",
    ),
    Decision::new(
        "begin_turn",
        &["begin_turn", "delay", "return", "join_battle"],
        "The next combatant starts or delays the turn.",
    ),
    Decision::new(
        "follow_up",
        &["follow_up", "pass"],
        "The combatant makes the leftover move or gives it up.",
    ),
    Decision::new(
        "end_turn",
        &[
            "act",
            "rush",
            "disengage",
            "flurry",
            "move",
            "free_action",
            "pass",
            "end_turn",
        ],
        "The turn in progress continues with an action or a move, or ends.",
    ),
];

const RULES: &[Rule] = &[
    Rule::official(
        "VE-1",
        "A fight with Worthy Foes is played in turns; one roll settles any other fight.",
    ),
    Rule::official(
        "VE-2",
        "Every combatant rolls Join Battle: Wits and Awareness.",
    ),
    Rule::supplementary(
        "VE-2a",
        "A die of 7, 8 or 9 is one success, and a 10 is two.",
    ),
    Rule::official(
        "VE-3",
        "From stealth or seclusion, Dexterity may replace Wits, and Stealth may replace Awareness.",
    ),
    Rule::official(
        "VE-4",
        "When talk turns violent, Manipulation may replace Wits, and Socialize may replace Awareness.",
    ),
    Rule::official(
        "VE-5",
        "Initiative starts at 3, plus 1 for each success, at most 20.",
    ),
    Rule::official(
        "VE-6",
        "Joining Battle gives a free action that harms no combatant and that no combatant opposes.",
    ),
    Rule::official("VE-7", "Free actions come in turn order."),
    Rule::official(
        "VE-8",
        "Each combatant has one free action; an action that harms or is opposed is not free.",
    ),
    Rule::official(
        "VE-9",
        "The highest Initiative acts first, then downwards; ticks without a combatant are skipped.",
    ),
    Rule::supplementary(
        "VE-9a",
        "On the same tick players' characters act first, then more successes, then the first to join.",
    ),
    Rule::official(
        "VE-10",
        "A turn is one combat action and one reflexive move.",
    ),
    Rule::supplementary(
        "VE-10a",
        "An attack outside the attacker's turn takes no action and does not count at the end of a turn.",
    ),
    Rule::official(
        "VE-11",
        "After the combat action a flurry allows a second one, for Initiative.",
    ),
    Rule::supplementary("VE-11a", "A Crashed combatant may flurry."),
    Rule::official(
        "VE-12",
        "A combatant may delay when its tick is reached, and act later, never earlier.",
    ),
    Rule::supplementary(
        "VE-12a",
        "A delayed turn comes between two others, at the latest after all others of the round (option: in any later round).",
    ),
    Rule::supplementary(
        "VE-13",
        "Initiative changes take effect at once; the highest combatant that has not acted is next.",
    ),
    Rule::official(
        "VE-14",
        "Start of turn, 1: effects that last one turn end, such as Onslaught, hazards and poisons.",
    ),
    Rule::supplementary(
        "VE-14a",
        "A timed change of Initiative ends at the start of a turn, step 1.",
    ),
    Rule::official(
        "VE-15",
        "Start of turn, 2: a combatant that Rushed or Disengaged without moving can move.",
    ),
    Rule::official(
        "VE-16",
        "Start of turn, 3: a Crashed combatant spends 3 recovery tokens and has Initiative 3.",
    ),
    Rule::supplementary(
        "VE-16a",
        "Recovery spends all tokens; going into Crash and leaving it clears them.",
    ),
    Rule::supplementary(
        "VE-16b",
        "Recovery sets Initiative to 3, however low it was.",
    ),
    Rule::official(
        "VE-17",
        "Start of turn, 4: anima flux and other start-of-turn effects apply.",
    ),
    Rule::official(
        "VE-18",
        "Start of turn, 5: the combat action and the reflexive move are available again.",
    ),
    Rule::official(
        "VE-19",
        "End of turn, 1: 5 Initiative, unless the combatant is Crashed or Prone or has attacked.",
    ),
    Rule::official(
        "VE-20",
        "End of turn, 2: a Crashed combatant gets a recovery token, two if it did not attack.",
    ),
    Rule::official(
        "VE-21",
        "End of turn, 3: a flurry costs 3 Initiative for each action, which may cause a Crash.",
    ),
    Rule::supplementary(
        "VE-21a",
        "A flurry costs 3 for each combat action that was taken; moves cost nothing.",
    ),
    Rule::supplementary(
        "VE-21b",
        "A flurry is paid at the end of the turn, so it can start without Initiative.",
    ),
    Rule::official("VE-22", "End of turn, 4: the combatant regains 5 motes."),
    Rule::official(
        "VE-23",
        "A combatant at 0 or less is Crashed; above 0 it is not.",
    ),
    Rule::supplementary("VE-23a", "Any rise above 0 ends the Crash at once."),
    Rule::supplementary(
        "VE-23b",
        "A correction has no cost or bonus; a corrected Crash holds until the next change.",
    ),
    Rule::official("VE-24", "Initiative stays between -20 and 20."),
    Rule::official("VE-25", "A cost written with an i is paid in Initiative."),
    Rule::official(
        "VE-26",
        "A turn without an attack brings Initiative, and forcing an opponent into Crash brings 5.",
    ),
    Rule::official(
        "VE-27",
        "Being attacked, costs, going into Crash and decisive killing blows cost Initiative.",
    ),
    Rule::supplementary(
        "VE-28",
        "A decisive killing blow (option: any decisive attack) resets the attacker to its base: 3, or 2 and half the Stamina.",
    ),
    Rule::supplementary(
        "VE-28a",
        "A decisive attack whose damage takes the last hit point is a killing blow.",
    ),
    Rule::supplementary("VE-29", "A Crashed combatant cannot use Perilous Charms."),
    Rule::supplementary(
        "VE-30",
        "Every attack, hit or missed, adds a point of Onslaught, which lowers Defense by 1.",
    ),
    Rule::supplementary(
        "VE-31",
        "Option: crashing the combatant that crashed you adds a new Join Battle roll.",
    ),
    Rule::supplementary(
        "VE-33",
        "Option: an unusual Join Battle swaps the attribute or the ability, not both.",
    ),
];
