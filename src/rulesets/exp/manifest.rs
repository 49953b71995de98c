//! What never changes about EXP.

use crate::vocabulary::{Commands, Manifest, Rule};

pub(super) static MANIFEST: Manifest = Manifest {
    id: "exp",
    title: "EXP",
    author: "Hugh (mobilehugh), EXP: The Game of Technological Chaos",
    source: "https://github.com/mobilehugh/EXP_Documents",
    summary: "Everybody rolls for each two-second unit. A high initiative is a tactical advantage: in pass after pass through \
              the list one may wait with the move, the attack or both, and only the lowest must spend what it has left.",
    commands: super::Command::SPECS,
    conditions: &["unconscious", "stunned", "paralyzed"],
    down: "defeated",
    rules: RULES,
};

const RULES: &[Rule] = &[
    Rule::official("EX-1", "Initiative is a d20 with DEX and level."),
    Rule::official("EX-2", "Everybody rolls at once, once for each unit; the roll holds for all its passes."),
    Rule::official("EX-3", "When the unit is over everybody rolls again."),
    Rule::official("EX-4", "The referee's crowds may share one roll; important personas roll for themselves."),
    Rule::official("EX-5", "The list is descending, and ranks advantage, not the order of the acts."),
    Rule::official("EX-6", "No ties stay in the list, not even between friends."),
    Rule::official("EX-7", "Tied personas roll a plain d10 each as a further digit; the higher one wins."),
    Rule::supplementary("EX-8", "Where the digits tie too, another digit is rolled."),
    Rule::official("EX-9", "The winner of the initiative gets no bonus to attacks."),
    Rule::supplementary("EX-10", "A natural 20 or 1 on an initiative roll is just a number."),
    Rule::supplementary("EX-11", "Option: what somebody carries changes its initiative."),
    Rule::official("EX-12", "Each persona has one move and one attack or action in a unit, each to be used once."),
    Rule::official("EX-13", "In each pass the list is asked from the highest to the lowest."),
    Rule::official(
        "EX-14",
        "Whoever is asked and is not the lowest uses each component that is left now, or waits with it.",
    ),
    Rule::official("EX-15", "The lowest persona that has anything left must not wait: it spends all that it has."),
    Rule::official(
        "EX-16",
        "After the forced one the next pass begins at the top, among those who have anything left.",
    ),
    Rule::official("EX-17", "A forced persona that has used one component owes only the other."),
    Rule::official("EX-18", "Whoever has nothing left is done, and is passed over."),
    Rule::official(
        "EX-19",
        "The unit is over when nobody has anything left, after no more passes than there are personas.",
    ),
    Rule::supplementary("EX-20", "Move and action come in any order, and any action may stand for the attack."),
    Rule::supplementary("EX-21", "Where nobody waits, one pass does, in the order of the list."),
    Rule::official("EX-22", "Waiting with one component leaves the other free: all mixtures are legal."),
    Rule::official("EX-23", "A persona that is killed, knocked out, stunned or paralyzed loses what it waited with."),
    Rule::supplementary("EX-24", "Only anthros can be stunned or knocked out, aliens and robots never."),
    Rule::official("EX-25", "Whoever has waited may try to act ahead of a lower persona: a wait jump."),
    Rule::official("EX-26", "A wait jump needs a Normal AWE roll; an option says how that is made."),
    Rule::official("EX-27", "A wait jump that comes off puts the move or the attack before the lower persona's act."),
    Rule::official(
        "EX-28",
        "One that fails changes nothing: the component waits on, and the lower persona goes first.",
    ),
    Rule::official("EX-29", "Move and attack jump separately."),
    Rule::official("EX-30", "Acting when a later pass comes to one's own place is no jump and needs no roll."),
    Rule::official("EX-31", "A mental attack can be made at any moment of the unit, outside the list."),
    Rule::official(
        "EX-32",
        "Two mental attackers who face each other roll a d20 with MSTR and level; the higher is first.",
    ),
    Rule::official("EX-33", "Physical mutations, and robots' devices like them, go by the list."),
    Rule::supplementary("EX-34", "A robot has no mental strength and no psionics."),
    Rule::official("EX-35", "Initiative knows no surprise: everybody in the fight rolls. An ambush is another matter."),
    Rule::supplementary("EX-42", "Durations count units, of which thirty make a minute."),
    Rule::supplementary("AEX2", "A component that must be spent may be spent on nothing."),
    Rule::supplementary("AEX4", "A ten is the highest digit of a tie."),
    Rule::supplementary("AEX5", "A wait jump that failed is not tried again over the same act."),
    Rule::supplementary("AEX6", "A wait jump goes only over a lower persona, and only before its act is done."),
    Rule::supplementary("AEX7", "Of two who jump over the same act the higher one goes first."),
    Rule::supplementary("AEX8", "A mental attack uses up the attack of the unit, and is never a wait jump."),
    Rule::supplementary(
        "AEX9",
        "What was not asked for yet is lost only where its owner still cannot act when the list comes to it.",
    ),
    Rule::supplementary(
        "AEX10",
        "A crowd is one place in the list: each of it answers, and all of it are forced. A player's persona with its word is in it.",
    ),
    Rule::supplementary("AEX11", "Whoever joins when a unit is going on rolls for the next one."),
    Rule::supplementary("AEX13", "An act that is announced is done as announced, after the jumps ahead of it."),
    Rule::supplementary(
        "AEX14",
        "The list waits for a mental duel. Others may attack with their minds meanwhile. A duellist may decline. One who declines \
         or falls out before the first attack ends the duel.",
    ),
];
