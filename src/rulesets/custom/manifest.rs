//! The catalogue of `custom`: what the lines of a definition mean.

use super::Preset;
use crate::vocabulary::{Commands, Decision, Manifest, PresetSpec, Rule};

pub(super) static MANIFEST: Manifest = Manifest {
    id: "custom",
    title: "Custom",
    author: "your table",
    source: "docs/rulesets/custom.md of this project",
    summary: "Your table's own turn order, described by a definition. Start from a preset.",
    commands: super::Command::SPECS,
    round: "round",
    conditions: &["unconscious"],
    down: "unconscious",
    decisions: DECISIONS,
    rules: RULES,
    presets: PRESETS,
};

const DECISIONS: &[Decision] = &[
    Decision::new("start", &["start"], "The game master starts the fight."),
    Decision::new(
        "declare",
        &["declare", "resolve"],
        "Combatants declare what they will do this round.",
    ),
    Decision::new(
        "roll",
        &["roll", "resolve"],
        "Initiative is rolled for the round.",
    ),
    Decision::new(
        "keep_card",
        &["keep_card", "resolve"],
        "Combatants that were dealt several cards choose which of them counts.",
    ),
    Decision::new(
        "nominate",
        &[
            "nominate",
            "begin_turn",
            "pass",
            "react",
            "end_round",
            "resolve",
        ],
        "The last to act chooses the next combatant.",
    ),
    Decision::new(
        "begin_turn",
        &["begin_turn", "pass", "react", "end_round", "resolve"],
        "One of the combatants that may act starts a turn.",
    ),
    Decision::new(
        "end_turn",
        &["end_turn", "resolve"],
        "The turn in progress ends.",
    ),
    Decision::new(
        "react",
        &["react", "trigger", "return", "swap", "pass", "resolve"],
        "Combatants react between two turns, or before the first one, or pass.",
    ),
    Decision::new(
        "resolve",
        &["resolve"],
        "The game master starts the next round.",
    ),
];

const PRESETS: &[PresetSpec] = &[
    preset(
        Preset::D20,
        "d20",
        "Highest d20 first, with legendary and readied actions",
        "D&D 5e and its kin",
    )
    .with_conditions(&[
        "blinded",
        "charmed",
        "deafened",
        "exhaustion",
        "frightened",
        "grappled",
        "incapacitated",
        "invisible",
        "paralyzed",
        "petrified",
        "poisoned",
        "prone",
        "restrained",
        "stunned",
        "unconscious",
    ]),
    preset(
        Preset::D20Delay,
        "d20-delay",
        "Highest d20 first, with delayed turns",
        "Pathfinder 2e",
    )
    .with_conditions(&[
        "blinded",
        "clumsy",
        "confused",
        "controlled",
        "dazzled",
        "deafened",
        "doomed",
        "drained",
        "dying",
        "enfeebled",
        "fascinated",
        "fatigued",
        "fleeing",
        "frightened",
        "grabbed",
        "immobilized",
        "invisible",
        "off-guard",
        "paralyzed",
        "petrified",
        "prone",
        "quickened",
        "restrained",
        "sickened",
        "slowed",
        "stunned",
        "stupefied",
        "unconscious",
        "wounded",
    ]),
    preset(
        Preset::Zipper,
        "zipper",
        "Sides alternate, free order within a side",
        "Draw Steel; Lancer and Fabula Ultima with changes",
    )
    .with_conditions(&[
        "bleeding",
        "dazed",
        "frightened",
        "grabbed",
        "prone",
        "restrained",
        "slowed",
        "taunted",
        "weakened",
    ]),
    preset(
        Preset::FastSlow,
        "fast-slow",
        "Fast players, fast foes, slow players, slow foes",
        "Cosmere RPG; Shadow of the Demon Lord with changes",
    ),
    preset(
        Preset::Side,
        "side",
        "Each side rolls a d6 each round, free order within a side",
        "B/X D&D, Old-School Essentials",
    ),
    preset(
        Preset::Phases,
        "phases",
        "Declarations, then one shared turn for each side, in steps",
        "Old-School Essentials, in full",
    ),
    preset(
        Preset::Popcorn,
        "popcorn",
        "The last to act chooses the next",
        "Fate, Marvel Heroic",
    ),
    preset(
        Preset::Cards,
        "cards",
        "A card each round, with holding",
        "Savage Worlds",
    )
    .with_conditions(&[
        "bound",
        "distracted",
        "entangled",
        "exhausted",
        "fatigued",
        "incapacitated",
        "prone",
        "shaken",
        "stunned",
        "vulnerable",
    ]),
    preset(
        Preset::Clock,
        "clock",
        "The lowest tick acts, and a turn costs ticks",
        "Splittermond, Exalted 2e",
    ),
    preset(
        Preset::Spotlight,
        "spotlight",
        "Players act freely, and the game master buys turns",
        "Daggerheart with its tracker",
    )
    .with_conditions(&["hidden", "restrained", "vulnerable"]),
    preset(
        Preset::CallOfCthulhu,
        "call-of-cthulhu",
        "Highest dexterity first, readied guns earlier",
        "Call of Cthulhu 7e",
    ),
    preset(
        Preset::Gurps,
        "gurps",
        "Highest speed first, in the same order each round",
        "GURPS 4e",
    ),
    preset(
        Preset::WarhammerFantasy,
        "warhammer-fantasy",
        "Highest initiative first, with advantage of the sides",
        "Warhammer Fantasy Roleplay 4e",
    )
    .with_conditions(&[
        "ablaze",
        "bleeding",
        "blinded",
        "broken",
        "deafened",
        "entangled",
        "fatigued",
        "poisoned",
        "prone",
        "stunned",
        "surprised",
        "unconscious",
    ]),
    preset(
        Preset::YearZero,
        "year-zero",
        "Ten cards, lowest first, with swaps",
        "Forbidden Lands, Vaesen, Twilight: 2000 and other Year Zero games",
    ),
    preset(
        Preset::Dragonbane,
        "dragonbane",
        "Ten cards each round, lowest first, with swaps and parries",
        "Dragonbane",
    )
    .with_conditions(&[
        "angry",
        "dazed",
        "disheartened",
        "exhausted",
        "scared",
        "sickly",
    ]),
    preset(
        Preset::Genesys,
        "genesys",
        "Slots of a side, taken by any of the side",
        "Genesys, Star Wars by Fantasy Flight Games",
    )
    .with_conditions(&["disoriented", "immobilized", "prone", "staggered"]),
    preset(
        Preset::Shadowrun,
        "shadowrun",
        "Highest first, a pass takes 10, and wounds slow down",
        "Shadowrun 5e",
    ),
    preset(
        Preset::Mythras,
        "mythras",
        "Highest d10 first, in cycles of action points",
        "Mythras, RuneQuest 6",
    ),
    preset(
        Preset::FengShui,
        "feng-shui",
        "Highest shot first, and a turn costs shots",
        "Feng Shui 2",
    ),
    preset(
        Preset::StarTrekAdventures,
        "star-trek-adventures",
        "Sides alternate, and momentum or threat keeps the initiative",
        "Star Trek Adventures, other 2d20 games",
    ),
    preset(
        Preset::Shadowdark,
        "shadowdark",
        "Highest d20 begins, the others follow around the table",
        "Shadowdark RPG",
    ),
];

const fn preset(
    preset: Preset,
    id: &'static str,
    title: &'static str,
    plays: &'static str,
) -> PresetSpec {
    PresetSpec {
        id,
        title,
        plays,
        conditions: &[],
        definition: preset.definition(),
    }
}

const RULES: &[Rule] = &[
    Rule::official(
        "CU-1",
        "`turns`: turns of a combatant per round. A round ends when no combatant can act; with `unlimited` turns when the game master ends it.",
    )
    .for_players("A combatant acts in its turn and then ends it. The round is over when no one can act any more."),
    Rule::official(
        "CU-2",
        "`score`: combatants, groups or sides roll dice, with `more_dice` further ones, and add numbers. That is their initiative.",
    )
    .for_players("Initiative is rolled, and numbers are added to the roll."),
    Rule::official(
        "CU-3",
        "`score.fixed`: a combatant with this number has it as its initiative. By the key `late` it acts after all with the same one.",
    )
    .for_players("A combatant with a fixed initiative does not roll."),
    Rule::official(
        "CU-4",
        "`score.advantage`: more rolls or cards, of which the best or the worst counts.",
    )
    .for_players("Of several rolls or cards the best or the worst counts."),
    Rule::official(
        "CU-5",
        "`order`: who has the least key acts first, or the greatest with `-`; the next key decides between equals. `die` takes the dice of the score, or a d20. Those that stay equal choose. If a score or a number of theirs decides, their answer holds until an initiative changes; else they choose each time.",
    )
    .for_players("Between equals the next thing counts that the game compares, such as a number or a die. Those that stay equal choose."),
    Rule::official("CU-6", "`score.reroll`: all roll again each round.")
    .for_players("All roll again each round."),
    Rule::official(
        "CU-7",
        "`score.deck`: each gets a card. Of playing cards jokers come first and are equal, then ace to two, spades to clubs. A card up to `redraw` is drawn again. When the deck runs out, the discards go back.",
    )
    .for_players("Each gets a card. Jokers come first, then ace to two, spades to clubs."),
    Rule::official(
        "CU-8",
        "`deck.reshuffle`: all cards go back before each round, or after a round with a joker.",
    )
    .for_players("The cards are shuffled before each round, or after a round with a joker."),
    Rule::official(
        "CU-9",
        "`changes.further_turn`: further turns of a combatant come so much later, or have cards of their own.",
    )
    .for_players("Further turns of a combatant come later in the round."),
    Rule::official(
        "CU-10",
        "`who`: combatants that take turns. The others act by reactions alone.",
    )
    .for_players("Some combatants take no turns, and act by reactions alone."),
    Rule::official(
        "CU-11",
        "The keys `side` and `again`: sides go one after the other, or take turns. With `again_across_rounds`, the side that ended a round does not begin the next.",
    )
    .for_players("The sides act one after the other, or take turns."),
    Rule::official(
        "CU-12",
        "If a score or a number of the combatants decides, each has a place, and the first open place acts. Of tied places any may start.",
    ),
    Rule::official(
        "CU-13",
        "Without keys all are equal: any combatant that may act starts.",
    ),
    Rule::official(
        "CU-14",
        "`chooser` last: the last combatant to act chooses the next. Scores and numbers only say who begins.",
    )
    .for_players("The last combatant to act chooses the next."),
    Rule::official(
        "CU-15",
        "`together`: all that are equal, and match a step, share one turn.",
    )
    .for_players("Those that are equal act together."),
    Rule::official(
        "CU-16",
        "`steps`: parts of a shared turn. Steps with no matching combatants are skipped.",
    )
    .for_players("A shared turn has steps, and each combatant acts in its own."),
    Rule::official(
        "CU-17",
        "`declare.passing`: no combatant declares before the round. One that may act may pass, and comes with the next choice.",
    )
    .for_players("A combatant may pass, and comes with the next choice."),
    Rule::official(
        "CU-18",
        "`declare`: combatants declare at the start of a round. Declarations are shown when all have declared.",
    )
    .for_players("All declare at the start of a round. Declarations are shown when all have declared."),
    Rule::official(
        "CU-19",
        "A combatant with a turn for each choice declares none and matches all.",
    ),
    Rule::official(
        "CU-20",
        "`surprise` skips: a surprised combatant loses its first turn.",
    )
    .for_players("A surprised combatant loses its first turn."),
    Rule::official(
        "CU-21",
        "`surprise` disadvantage: surprised combatants roll once more, and the worst roll counts.",
    )
    .for_players("A surprised combatant rolls once more, and the worst roll counts."),
    Rule::official(
        "CU-22",
        "`surprise` yields: a side of which all are surprised comes last in round 1.",
    )
    .for_players("A side of which all are surprised comes last in round 1."),
    Rule::official(
        "CU-23",
        "`prepare` delay: a combatant delays its turn and takes it later. The end of the turn counts at once.",
    )
    .for_players("A combatant delays its turn and takes it later."),
    Rule::official(
        "CU-24",
        "`lasts`: a delay ends when the combatant's place comes, when the round ends, or when it returns.",
    )
    .for_players("A delay ends when the combatant's place comes, when the round ends, or when it returns."),
    Rule::official(
        "CU-25",
        "`moves`: a combatant that returns, or uses what it has readied, keeps its new place. A turn of this round that it has not had is lost then.",
    )
    .for_players("A combatant that returns from a delay, or uses a readied reaction, keeps that place."),
    Rule::official(
        "CU-26",
        "`when` of a delay: a combatant returns between two turns, within the turns of others, or at both. It is asked before the round ends.",
    )
    .for_players("A combatant that delays returns between two turns, or within the turn of another."),
    Rule::official(
        "CU-27",
        "`pools`: points of a combatant, a side or the table, up to a maximum.",
    )
    .for_players("Combatants, sides or the table have points to spend."),
    Rule::official(
        "CU-28",
        "`gain`: a pool gains points each round or at each own turn, up to its maximum. Else only `grant` adds some.",
    )
    .for_players("Points come back each round or each turn."),
    Rule::official(
        "CU-29",
        "`reactions`: a combatant acts outside its own turn, once by each reaction until the next turn starts. It may cost points of a pool, and give an action or one more turn.",
    )
    .for_players("A combatant reacts outside its own turn, once until the next turn starts."),
    Rule::official(
        "CU-30",
        "`prepare` ready: a combatant readies a reaction on its turn with `ready`, and uses it with `trigger` before its next turn.",
    )
    .for_players("A combatant readies an action in its turn, and uses it before its next turn."),
    Rule::official(
        "CU-31",
        "After a turn that ended or was delayed, and before the round ends, all who may react are asked, until each has reacted or passed; not for a reaction that is `silent`. No one reacts after a lair's turn, but one that delays may return before the round ends. Unconscious and surprised combatants do not react. With `when` round_start they are asked before the first turn of a round.",
    )
    .for_players("After a turn all who may react are asked. The unconscious and the surprised do not react."),
    Rule::official(
        "CU-32",
        "`turns` while_score: each turn costs initiative (`turn_cost`), combatants act while theirs is above 0, and the costs come back with the round. `turns` by_tick: initiative is time, each turn takes ticks, and a round has `ticks` of them.",
    )
    .for_players("A turn costs initiative, or takes time on the clock. The first one then acts next."),
    Rule::official(
        "CU-33",
        "`unconscious`: unconscious combatants keep their place, move before the current turn, or have no turns.",
    )
    .for_players("An unconscious combatant keeps its place, or has no turns."),
    Rule::official(
        "CU-34",
        "`join`: a newcomer acts at its place, in the next round, or at the end of this one.",
    )
    .for_players("A newcomer acts at its place, in the next round, or at the end of this one."),
    Rule::official(
        "CU-35",
        "A place that has passed waits for the next round. On a clock, a tick that has passed counts as the current one.",
    ),
    Rule::official(
        "CU-36",
        "`resolve` decides automatically, as the rules say if no one decides.",
    )
    .for_players("If no one decides, the rules do."),
    Rule::supplementary(
        "CU-37",
        "If turns come by tick, effects that count the turns of a combatant that takes none lose one whenever all others have had a turn.",
    ),
    Rule::official(
        "CU-38",
        "The key `lap`: further turns of a combatant come after all have had one.",
    )
    .for_players("Further turns come after all have had one."),
    Rule::official(
        "CU-39",
        "`changes`: lost hit points and conditions change the initiative while they last. The order is sorted again at once.",
    )
    .for_players("Wounds and conditions change the initiative while they last."),
    Rule::official(
        "CU-40",
        "`set_initiative`, `reorder`: the game master changes an initiative or a place. The order is sorted again at once.",
    )
    .for_players("The game master changes an initiative or a place."),
    Rule::official(
        "CU-41",
        "`score.swap`: two combatants exchange their open places. In its own turn a combatant gives the turn back. `when` says whether it swaps at no other time, or before the first turn of a round alone.",
    )
    .for_players("Two combatants exchange their places."),
    Rule::official(
        "CU-42",
        "The key `seat`: the first by the other keys begins, and the others follow around the table.",
    )
    .for_players("The first begins, and the others follow around the table."),
    Rule::official(
        "CU-43",
        "`deck.keep`: of several cards the best counts, or the one that the combatant chooses. It is asked after the deal.",
    )
    .for_players("Of several cards the best counts, or the one that the combatant chooses."),
    Rule::official(
        "CU-44",
        "`cost.initiative`: a reaction costs initiative. The order is sorted again at once.",
    )
    .for_players("The reaction costs initiative."),
    Rule::official(
        "CU-45",
        "`cost.turn`: a reaction costs a turn of this round. Effects count it at once.",
    )
    .for_players("The reaction costs a turn of this round."),
    Rule::official(
        "CU-46",
        "`gives` own_turn: a combatant takes its own turn of this round now. On a clock it has one if its tick is in this round.",
    )
    .for_players("The combatant takes its own turn of this round now."),
    Rule::official(
        "CU-47",
        "`gives` skip: a side that chooses who acts lets another side go first, once.",
    )
    .for_players("The side lets another side act first, once."),
    Rule::official(
        "CU-48",
        "Pools of a side: each side has points. `outnumbered` gives as many as the side has fewer combatants than the largest side.",
    )
    .for_players("Each side has points, and a smaller side may get more."),
    Rule::official(
        "CU-49",
        "A key with `round`, `from_round` or `lap` counts only then. When the round changes it, the order is sorted again.",
    )
    .for_players("Some of what the game compares counts in some rounds only."),
    Rule::official(
        "CU-50",
        "`chooser` side: any combatant of the side whose place comes may take it, and exchanges places with the one that had it.",
    )
    .for_players("Any combatant of the side may take the place that comes."),
    Rule::official(
        "CU-51",
        "The key `choice`: those come first that declared the first choice, with `-` the last.",
    )
    .for_players("The declarations decide who comes first."),
    Rule::official(
        "CU-52",
        "A combatant may come with its initiative, as `initiative` or in `totals` of `start` and `roll`. Nothing is rolled or added for it, but wounds and conditions change it.",
    )
    .for_players("An initiative that the table brings counts as it is."),
    Rule::official(
        "CU-53",
        "`end_round`: the game master ends the round. A turn in progress ends, and the remaining turns are lost; effects count one of them.",
    )
    .for_players("The game master ends the round. The remaining turns are lost."),
    Rule::official(
        "CU-54",
        "The key `segment`: the turns of a combatant are spread evenly over a round of twelve segments.",
    )
    .for_players("The turns of a combatant are spread evenly over a round of twelve segments."),
    Rule::official(
        "CU-55",
        "The key `outnumbered`: by how many combatants a side is fewer than the largest.",
    )
    .for_players("It counts by how many combatants a side is fewer than the largest."),
    Rule::official(
        "CU-56",
        "`score.choices`: combatants that declared a choice roll its dice, and add its numbers.",
    )
    .for_players("A combatant that declared a choice rolls its dice, and adds its numbers."),
    Rule::official(
        "CU-57",
        "`turn_cost.pool`: a turn costs points of a pool when it ends. A combatant that cannot pay the least has no turn.",
    )
    .for_players("A turn costs points when it ends. A combatant that cannot pay the least has no turn."),
    Rule::official(
        "CU-58",
        "`titles`: what the table calls numbers, choices, steps, reactions, pools, sides and conditions. They change no rule.",
    )
    .for_players("The names of a table change no rule."),
    Rule::official(
        "CU-59",
        "`change_definition`: the game master changes the definition, at once before the start, else from the next round on.",
    )
    .for_players("The game master changes the rules of the order, from the next round on once the fight has begun."),
];
