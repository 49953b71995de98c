//! The catalogue of DC20, in our own words.

use crate::vocabulary::{Commands, Decision, Manifest, Rule};

pub(super) static MANIFEST: Manifest = Manifest {
    id: "dc20",
    title: "DC20 Starting Combat",
    author: "The Dungeon Coach (DC20 RPG, 0.10.5 beta)",
    source: "https://thedungeoncoach.com",
    summary: "Players' characters check against an Encounter DC, then the teams take turns alternately; turns can be shared, delayed, merged and left empty.",
    commands: super::Command::SPECS,
    round: "round",
    conditions: &[
        "surprised",
        "stunned",
        "stunned-2",
        "stunned-3",
        "stunned-4",
    ],
    down: "deaths-door",
    decisions: DECISIONS,
    rules: RULES,
    presets: &[],
};

const DECISIONS: &[Decision] = &[
    Decision::new("start", &["start"], "The game master starts the fight."),
    Decision::new(
        "claim",
        &["claim", "pass", "resolve"],
        "The players claim the turn for one of their characters.",
    ),
    Decision::new(
        "assign",
        &["assign", "resolve"],
        "The game master assigns the turn to a combatant.",
    ),
    Decision::new("end_turn", &["end_turn"], "The turn in progress ends."),
    Decision::new(
        "legendary",
        &["legendary", "resolve"],
        "The game master spends a legendary action or continues the fight.",
    ),
];

const RULES: &[Rule] = &[
    Rule::official(
        "DC-1",
        "A table by level and difficulty gives the Encounter DC: normal is 2 above easy, hard 4.",
    ),
    Rule::official(
        "DC-2",
        "The game master sets one DC for the encounter; the table only helps.",
    ),
    Rule::official(
        "DC-3",
        "An act that starts the fight happens before Initiative or on its character's first turn.",
    ),
    Rule::official(
        "DC-4",
        "Only players' characters make the Initiative Check: d20, Combat Mastery and Agility.",
    ),
    Rule::supplementary("DC-5", "Combat Mastery is half the level, rounded up."),
    Rule::official(
        "DC-6",
        "Modifiers of Agility Checks do not count for the Initiative Check, unless they name it.",
    ),
    Rule::supplementary(
        "DC-7",
        "A check succeeds when it reaches the DC; by option it must be above the DC.",
    ),
    Rule::official(
        "DC-8",
        "Success gives one d6 Inspiration Die for one Check or Save of this combat.",
    ),
    Rule::supplementary(
        "DC-9",
        "A natural 20 is a critical success, a natural 1 a critical failure.",
    ),
    Rule::supplementary(
        "DC-9a",
        "A natural 20 or 1 decides success or failure whatever the total.",
    ),
    Rule::official(
        "DC-10",
        "A critical success gives ADV on one Check or Save in round 1.",
    ),
    Rule::official(
        "DC-11",
        "After a critical failure the first Attack against the character in round 1 has ADV.",
    ),
    Rule::supplementary(
        "DC-12",
        "A critical success brings the reward of a success as well.",
    ),
    Rule::official(
        "DC-13",
        "The PC team takes the first turn when at least half of the characters succeed.",
    ),
    Rule::official("DC-14", "Otherwise the enemy team takes the first turn."),
    Rule::official(
        "DC-15",
        "There are as many PC Turns as characters, and as many Enemy Turns.",
    ),
    Rule::supplementary(
        "DC-15a",
        "There is no encounter without a player's character.",
    ),
    Rule::official("DC-16", "The teams' turns alternate from the first one on."),
    Rule::supplementary(
        "DC-16a",
        "A turn that is added later stands so that the teams alternate.",
    ),
    Rule::official(
        "DC-17",
        "In round 1 the PC team decides at the start of each PC Turn who takes it.",
    ),
    Rule::official(
        "DC-18",
        "Of several claims for a PC Turn the highest check wins, once all have claimed or passed.",
    ),
    Rule::official(
        "DC-19",
        "Characters with equal results may share a PC Turn and act in it together.",
    ),
    Rule::supplementary(
        "DC-19a",
        "Of equal claims that do not all share, all but one pass, or the game master decides.",
    ),
    Rule::supplementary(
        "DC-19b",
        "Sharing leaves PC Turns empty; the number of Enemy Turns stays.",
    ),
    Rule::official(
        "DC-20",
        "The game master divides the enemies among the Enemy Turns, at once or during the round, and moves those that have not acted.",
    ),
    Rule::official(
        "DC-21",
        "With fewer enemies than Enemy Turns the game master picks the turns that are used.",
    ),
    Rule::official(
        "DC-22",
        "An empty Enemy Turn stays in the order and is skipped.",
    ),
    Rule::official(
        "DC-23",
        "An Enemy Turn is empty once all its enemies are defeated.",
    ),
    Rule::supplementary(
        "DC-23a",
        "A dead or removed combatant leaves its turn empty; the Enemy Turns stay.",
    ),
    Rule::official(
        "DC-24",
        "New enemies can join any Enemy Turn, empty or not.",
    ),
    Rule::supplementary(
        "DC-24a",
        "An enemy in a turn that has passed acts next round; a new PC adds a turn for each team.",
    ),
    Rule::supplementary(
        "DC-24b",
        "A taken turn asks once for an enemy or NPC that finds no empty one: it gets a turn, or is set aside.",
    ),
    Rule::official(
        "DC-25",
        "While characters share a PC Turn, the next two turns of each enemy team and of the NPCs can merge, also round the order, so that the teams alternate.",
    ),
    Rule::official(
        "DC-26",
        "Several enemy teams rotate; the game master or a Fate Check says which is first.",
    ),
    Rule::supplementary(
        "DC-26a",
        "Only the start of the rotation is decided: a Fate Check of 10 or more is for the team listed first.",
    ),
    Rule::supplementary(
        "DC-27",
        "A Fate Check is a plain d20 without modifiers and criticals.",
    ),
    Rule::official(
        "DC-28",
        "NPCs that are not hostile are a team of their own in the rotation.",
    ),
    Rule::official(
        "DC-29",
        "An important NPC can count as a character for the number of turns and take a PC Turn.",
    ),
    Rule::supplementary(
        "DC-29a",
        "An important NPC makes no check and is not counted; it adds a turn for each team.",
    ),
    Rule::official(
        "DC-30",
        "The order chosen in round 1 holds in all later rounds.",
    ),
    Rule::supplementary(
        "DC-30a",
        "A combatant that changes teams loses its place: a turn of the new team asks for it in this round, or in the next if it has acted.",
    ),
    Rule::official(
        "DC-31",
        "Combat, its first round and Action Points begin when the first turn is assigned.",
    ),
    Rule::official(
        "DC-32",
        "A combatant delays at any moment of its own turn, and at no other time.",
    ),
    Rule::supplementary(
        "DC-32a",
        "A turn can be delayed several times; it starts once in a round.",
    ),
    Rule::official(
        "DC-33",
        "A delayed turn moves permanently to a later PC Turn, and shares it.",
    ),
    Rule::official(
        "DC-34",
        "Or it moves to the next PC Turn after a visible enemy, or a new one; behind an enemy without a turn the place is held until it is assigned.",
    ),
    Rule::supplementary(
        "DC-34a",
        "If another team follows the enemy, a delayed turn takes the next PC Turn.",
    ),
    Rule::supplementary(
        "DC-34b",
        "A delayed turn moves with its enemy; if no turn of the enemy comes any more, it takes the next PC Turn.",
    ),
    Rule::official(
        "DC-35",
        "The turn that a combatant moved away from is skipped, in later rounds too.",
    ),
    Rule::official(
        "DC-36",
        "Spent Action Points come back at the end of the new turn, not when it is delayed.",
    ),
    Rule::official(
        "DC-37",
        "No turn is delayed to an earlier turn or to an Enemy Turn.",
    ),
    Rule::official(
        "DC-38",
        "A round is over after every turn; the combat is over when the game master says so.",
    ),
    Rule::official("DC-39", "A round lasts 12 seconds, so five are a minute."),
    Rule::official(
        "DC-40",
        "An effect of n rounds ends at the start of the same creature's turn n rounds later.",
    ),
    Rule::supplementary(
        "DC-40a",
        "An effect counts from the turn in which it is made, also if its maker is dead.",
    ),
    Rule::official(
        "DC-41",
        "The first round is one turn for each creature; an effect of one round outlasts it.",
    ),
    Rule::official(
        "DC-42",
        "A creature unaware of an unseen team is Surprised until the end of its first turn.",
    ),
    Rule::official(
        "DC-43",
        "Surprised takes 2 from the Action Points and from their maximum, once.",
    ),
    Rule::supplementary(
        "DC-43a",
        "A surprised turn ends with the condition first, then all points come back.",
    ),
    Rule::supplementary(
        "DC-44",
        "There are at most 4 Action Points, for the combatant's turn and its reactions.",
    ),
    Rule::supplementary("DC-45", "Action Points come back at the end of its turn."),
    Rule::supplementary(
        "DC-46",
        "A turn that starts without Action Points ends at once, and they come back.",
    ),
    Rule::supplementary(
        "DC-47",
        "Each ADV rolls one more d20 and the best counts; with DisADV the worst.",
    ),
    Rule::supplementary(
        "DC-49",
        "A readied action is paid at once and precedes its trigger. The next turn ends it.",
    ),
    Rule::supplementary(
        "DC-50",
        "Stunned takes its number of Action Points, Death's Door 3; the turn remains.",
    ),
    Rule::official(
        "DC-52",
        "A legendary monster acts between the PC Turns and spends a point or two each time.",
    ),
    Rule::official(
        "DC-53",
        "The points left can be spent at the end of the round, just before all come back.",
    ),
    Rule::supplementary(
        "DC-54",
        "Option: after a PC Turn it acts once for each character in that turn.",
    ),
];
