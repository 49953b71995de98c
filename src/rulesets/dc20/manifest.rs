//! The catalogue of DC20, in our own words.

use crate::vocabulary::{Commands, Manifest, Rule};

pub(super) static MANIFEST: Manifest = Manifest {
    id: "dc20",
    title: "DC20 Starting Combat",
    author: "The Dungeon Coach (DC20 RPG, 0.10.5 beta)",
    source: "https://thedungeoncoach.com",
    summary: "Players' characters check against an Encounter DC, then the teams take turns alternately; turns can be shared, delayed, merged and left empty.",
    commands: super::Command::SPECS,
    conditions: &["surprised", "stunned", "stunned-2", "stunned-3", "stunned-4"],
    down: "deaths-door",
    rules: RULES,
};

const RULES: &[Rule] = &[
    Rule::official(
        "DC-1",
        "A table by the characters' level and the difficulty gives the Encounter DC; normal is 2 above easy, hard 4.",
    ),
    Rule::official("DC-2", "The game master sets one DC for the encounter; the table only helps."),
    Rule::official(
        "DC-3",
        "A character's act that starts the fight is carried out before Initiative, or must be taken on that character's first turn: the game master says which.",
    ),
    Rule::official("DC-4", "Only players' characters make the Initiative Check: d20, Combat Mastery and Agility."),
    Rule::supplementary("DC-5", "Combat Mastery is half the level, rounded up."),
    Rule::official("DC-6", "What changes Agility Checks does not touch the Initiative Check, unless it names it."),
    Rule::supplementary("DC-7", "A check succeeds when it reaches the DC; an option asks for more than the DC."),
    Rule::official("DC-8", "Success gives one d6 Inspiration Die for one Check or Save of this combat."),
    Rule::supplementary("DC-9", "A natural 20 is a critical success, a natural 1 a critical failure."),
    Rule::official("DC-10", "A critical success gives ADV on one Check or Save in round 1."),
    Rule::official("DC-11", "After a critical failure the first Attack against the character in round 1 has ADV."),
    Rule::supplementary("DC-12", "A critical success brings the reward of a success as well."),
    Rule::official("DC-13", "The PC team takes the first turn when at least half of the characters succeed."),
    Rule::official("DC-14", "Else the enemy team takes it."),
    Rule::official("DC-15", "There are as many PC Turns as characters, and as many Enemy Turns."),
    Rule::official("DC-16", "The teams' turns alternate from the first one on."),
    Rule::official("DC-17", "In round 1 the PC team says at the start of each PC Turn which character takes it."),
    Rule::official(
        "DC-18",
        "Where several claim the same PC Turn the highest check result gets it; a claim stands until all who could take or share the turn have claimed or passed.",
    ),
    Rule::official("DC-19", "Characters with equal results may share a PC Turn and act in it together."),
    Rule::official(
        "DC-20",
        "The game master divides the enemies among the Enemy Turns as they like, at once or during the round.",
    ),
    Rule::official("DC-21", "With fewer enemies than Enemy Turns the game master picks the turns that are used."),
    Rule::official("DC-22", "An empty Enemy Turn stays in the order and is skipped."),
    Rule::official("DC-23", "An Enemy Turn is empty once all its enemies are defeated."),
    Rule::official(
        "DC-24",
        "New enemies can be put into any Enemy Turn, empty or not; for an enemy in reserve no empty turn asks.",
    ),
    Rule::official(
        "DC-25",
        "When characters share a turn, the next two Enemy Turns of each team can be merged into one, once for that turn; the later ones move up.",
    ),
    Rule::official(
        "DC-26",
        "Several enemy teams have turns of their own and rotate with the PC team; a Fate Check or the game master says which is first.",
    ),
    Rule::supplementary("DC-27", "A Fate Check is a plain d20 without modifiers and criticals."),
    Rule::official("DC-28", "NPCs who are not hostile are a team of their own in the rotation."),
    Rule::official("DC-29", "An important NPC can count as a character for the number of turns and take a PC Turn."),
    Rule::official("DC-30", "What was chosen in round 1 is the order of all later rounds."),
    Rule::official(
        "DC-31",
        "The combat and its first round begin when the first turn is assigned; then there are Action Points.",
    ),
    Rule::official("DC-32", "One delays at any moment of one's own turn, and at no other time."),
    Rule::official(
        "DC-33",
        "A delayed turn moves for good to a later PC Turn and is taken together with whoever has that turn.",
    ),
    Rule::official(
        "DC-34",
        "Or it moves until after a visible enemy; after the last turn of all a new PC Turn is made. Behind an enemy without a turn the place is held until it is assigned.",
    ),
    Rule::official("DC-35", "The turn that was left is skipped, in later rounds too."),
    Rule::official(
        "DC-36",
        "Action Points that are spent come back at the end of the new turn, not when it is delayed.",
    ),
    Rule::official("DC-37", "Nobody delays to an earlier turn or to an Enemy Turn."),
    Rule::official(
        "DC-38",
        "A round is over when every turn was had; the combat is over when the game master says so.",
    ),
    Rule::official("DC-39", "A round lasts 12 seconds, so five are a minute."),
    Rule::official(
        "DC-40",
        "An effect of n rounds lasts from the start of the turn that made it to the start of the same creature's turn n rounds later.",
    ),
    Rule::official("DC-41", "The first round is one turn for everybody; an effect of one round reaches into the next."),
    Rule::official(
        "DC-42",
        "Whoever is caught unaware by an unseen team is Surprised until the end of its first turn.",
    ),
    Rule::official("DC-43", "Surprised takes 2 from the Action Points and from their maximum, once."),
    Rule::supplementary("DC-44", "There are 4 Action Points at most, for one's own turn and for reactions."),
    Rule::supplementary("DC-45", "Action Points come back at the end of one's own turn."),
    Rule::supplementary("DC-46", "A turn that starts without Action Points ends at once, and they come back."),
    Rule::supplementary("DC-47", "With ADV so many more d20 are rolled and the best counts; with DisADV the worst."),
    Rule::supplementary(
        "DC-49",
        "A held action is paid for at once and happens before its trigger, or is lost when the next turn starts.",
    ),
    Rule::supplementary(
        "DC-50",
        "Stunned takes as many Action Points as it says, Death's Door 3; a character at 0 hit points still has its turn.",
    ),
    Rule::official("DC-52", "A legendary monster acts between the PC Turns and spends a point or two each time."),
    Rule::official("DC-53", "What it has left can be spent at the end of the round, just before all comes back."),
    Rule::supplementary("DC-54", "Option: after a PC Turn it acts as often as characters are in that turn."),
    Rule::supplementary("ADC2", "The natural 20 or 1 settles success or failure whatever the total."),
    Rule::supplementary(
        "ADC4",
        "At the end of a surprised turn the condition goes first, then the points come back in full.",
    ),
    Rule::supplementary(
        "ADC5",
        "Equal claims that are not shared are the PC team's to decide: all agree to share, or all but one pass.",
    ),
    Rule::supplementary("ADC6", "Sharing leaves PC Turns empty; the number of Enemy Turns stays."),
    Rule::supplementary(
        "ADC7",
        "After an enemy whose turn another team follows, a delayed turn takes the next PC Turn.",
    ),
    Rule::supplementary(
        "ADC8",
        "A turn can be delayed several times; its start counts once a round and what goes on is the same turn.",
    ),
    Rule::supplementary(
        "ADC10",
        "An effect made on another's turn counts that one's turns; of somebody out of the fight they count at its place in the order.",
    ),
    Rule::supplementary(
        "ADC11",
        "The rotation of the teams is fixed, only its starting point changes; 10 or more is for the team that is listed first.",
    ),
    Rule::supplementary("ADC12", "Nobody has two places in the order."),
    Rule::supplementary(
        "ADC13",
        "An important NPC makes no check and does not count for the half; it adds a turn for every team.",
    ),
    Rule::supplementary(
        "ADC14",
        "An enemy put into a turn that has passed acts next round; a new character adds a PC Turn and an Enemy Turn.",
    ),
    Rule::supplementary("ADC15", "Whoever is dead or gone leaves its turn empty; the Enemy Turns stay."),
    Rule::supplementary("ADC17", "There is no encounter without a player's character."),
];
