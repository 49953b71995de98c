//! The turn table as plain text: what a bot prints.

use super::narration::DistinctNames;
use super::view::pending;
use super::{OrderRow, order};
use crate::vocabulary::{
    Combatant, CombatantId, Effect, Encounter, Expiry, Hp, Member, Names, Pending, Ruleset, Status,
    possessive_ending, said,
};

/// The printed turn table.
pub(super) fn encounter<R: Ruleset>(encounter: &Encounter<R>) -> String {
    let names = DistinctNames::of(encounter);
    let mut out = heading(encounter);
    write_rows(encounter, &names, &mut out);
    for effect in &encounter.effects {
        out += &effect_line(encounter, &names, effect);
    }
    if let Some(pending) = pending(encounter) {
        out += &awaited_line(&names, &pending);
    }
    out
}

fn heading<R: Ruleset>(encounter: &Encounter<R>) -> String {
    let name = flat(encounter.name.as_str());
    let phase = match encounter.status {
        Status::Setup => "not started".to_owned(),
        Status::Running => R::moment(encounter),
        Status::Ended => "ended".to_owned(),
    };
    let game = R::game(&encounter.options);
    format!("{name} - {game}, {phase}\n")
}

fn write_rows<R: Ruleset>(encounter: &Encounter<R>, names: &DistinctNames<'_>, out: &mut String) {
    let rows = order::rows(encounter);
    let name_width = widest(rows.iter().map(|row| row_name(names, row)));
    let side_width = widest(rows.iter().map(|row| side(encounter, row)));
    for (row, place) in rows.iter().zip(places(&rows)) {
        let mark = if row.current { '>' } else { ' ' };
        let before = format!("{mark} {place}{:name_width$}", row_name(names, row));
        let side = side(encounter, row);
        let Some(combatant) = combatant(encounter, row) else {
            *out += &format!("{before}  {}\n", row.note);
            continue;
        };
        let acted = if row.out {
            "out"
        } else if row.acted {
            "acted"
        } else {
            ""
        };
        let details = details(encounter, combatant, row);
        let line = format!("{before}  {side:side_width$}  {acted:5}  {details}");
        *out += &format!("{}\n", line.trim_end());
    }
}

fn combatant<'e, R: Ruleset>(
    encounter: &'e Encounter<R>,
    row: &OrderRow<'_>,
) -> Option<&'e Combatant<R>> {
    encounter.get(row.combatant?)
}

/// The side of a row's combatant; empty for an empty turn.
fn side<R: Ruleset>(encounter: &Encounter<R>, row: &OrderRow<'_>) -> String {
    match combatant(encounter, row) {
        Some(combatant) => said(&combatant.side, encounter),
        None => String::new(),
    }
}

/// The characters of the longest of these cells.
fn widest(cells: impl IntoIterator<Item = impl AsRef<str>>) -> usize {
    let mut widest = 0;
    for cell in cells {
        widest = widest.max(cell.as_ref().chars().count());
    }
    widest
}

/// What stands before the names: the initiative, else the turn or card; both if the turns are
/// those of teams.
fn places(rows: &[OrderRow<'_>]) -> Vec<String> {
    let in_teams = rows.iter().any(|row| row.team.is_some());
    let mut slots = Vec::with_capacity(rows.len());
    let mut numbers = Vec::with_capacity(rows.len());
    for row in rows {
        let slot = row.slot.clone().unwrap_or_default();
        let number = match row.initiative {
            Some(initiative) => initiative.to_string(),
            None if in_teams => String::new(),
            None => slot.clone(),
        };
        slots.push(slot);
        numbers.push(number);
    }
    let mut places = vec![String::new(); rows.len()];
    if in_teams {
        add_column(&mut places, &slots);
    }
    add_column(&mut places, &numbers);
    places
}

/// Adds a column to the lines, unless all its cells are empty.
fn add_column(lines: &mut [String], cells: &[String]) {
    let width = widest(cells);
    if width == 0 {
        return;
    }
    for (line, cell) in lines.iter_mut().zip(cells) {
        *line += &format!("{cell:>width$}  ");
    }
}

fn details<R: Ruleset>(encounter: &Encounter<R>, c: &Combatant<R>, row: &OrderRow<'_>) -> String {
    let mut details = Vec::new();
    if c.hidden {
        details.push("hidden".to_owned());
    }
    if let Some(hp) = c.hp {
        details.push(format!("hp {}", of_max(hp)));
    }
    if let Some(armor_class) = c.armor_class {
        details.push(format!("AC {armor_class}"));
    }
    if let Some(band) = c.hp_band {
        details.push(band.to_string());
    }
    let conditions = c.conditions.iter();
    details.extend(conditions.map(|word| said(word, encounter)));
    for member in &c.members {
        let about = member_details(member, encounter);
        if !about.is_empty() {
            details.push(format!("{} {about}", member.id));
        }
    }
    if !row.note.is_empty() {
        details.push(flat(&row.note));
    }
    details.join(", ")
}

fn member_details(member: &Member, names: &dyn Names) -> String {
    let mut details = Vec::new();
    if let Some(hp) = member.hp {
        details.push(of_max(hp));
    }
    if let Some(band) = member.hp_band {
        details.push(band.to_string());
    }
    let conditions = member.conditions.iter();
    details.extend(conditions.map(|word| said(word, names)));
    details.join(" ")
}

fn of_max(hp: Hp) -> String {
    format!("{}/{}", hp.current, hp.max.unwrap_or(hp.current))
}

fn effect_line<R: Ruleset>(
    encounter: &Encounter<R>,
    names: &DistinctNames<'_>,
    effect: &Effect,
) -> String {
    let mut line = format!("* {}", flat(effect.name.as_str()));
    let mut hidden = effect.hidden;
    if let Some(target) = &effect.target {
        line += &format!(" on {}", name(names, target));
        // What is on the hidden is as hidden as they are.
        hidden |= encounter.get(target).is_some_and(|c| c.hidden);
    }
    if hidden {
        line += ", hidden";
    }
    line += &times::<R>(names, effect);
    line + "\n"
}

/// When an effect begins; else when it is due, and how long it lasts still.
fn times<R: Ruleset>(names: &DistinctNames<'_>, effect: &Effect) -> String {
    if let Some(begins) = &effect.begins {
        return counted::<R>(names, begins, ["begins in ", "", "from"]);
    }
    let due = effect.reminder.as_ref().map(|reminder| &reminder.due);
    let due = match due {
        Some(_) if effect.waits => ", due now".to_owned(),
        Some(due) => counted::<R>(names, due, ["due in ", "", "due at"]),
        None => String::new(),
    };
    due + &counted::<R>(names, &effect.expires, ["", " left", "until"])
}

/// The moment that an effect counts to, with the words before and after a number, and before a turn.
fn counted<R: Ruleset>(
    names: &DistinctNames<'_>,
    clock: &Expiry,
    [before, after, at]: [&str; 3],
) -> String {
    let (edge, of, turns) = match clock {
        Expiry::RoundEnd { rounds } => {
            let ending = if rounds.get() == 1 { "" } else { "s" };
            return format!(", {before}{rounds} {}{ending}{after}", R::MANIFEST.round);
        }
        Expiry::TurnStart { of, turns } => ("start", of, turns),
        Expiry::TurnEnd { of, turns } => ("end", of, turns),
        Expiry::EncounterEnd {} | Expiry::Removed {} => return String::new(),
    };
    let whose = match of {
        Some(of) => {
            let name = name(names, of);
            let ending = possessive_ending(&name);
            format!("{name}{ending}")
        }
        None => "the".to_owned(),
    };
    if turns.get() > 1 {
        format!(", {turns} turns{after}, {at} the {edge} of {whose} turn")
    } else {
        format!(", {at} the {edge} of {whose} next turn")
    }
}

fn awaited_line(names: &DistinctNames<'_>, pending: &Pending) -> String {
    let mut line = format!("awaiting: {}", pending.decision.replace('_', " "));
    if let Some(slot) = &pending.slot {
        line += &format!(" {slot}");
    }
    let mut who: Vec<String> = Vec::new();
    for id in &pending.combatants {
        who.push(name(names, id));
    }
    // Who it is that acts unseen the reader may not know.
    if pending.gm && !pending.is_someone() {
        who.push("the game master".to_owned());
    }
    if !who.is_empty() {
        line += &format!(" by {}", who.join(", "));
    }
    if !pending.commands.is_empty() {
        line += &format!(" ({})", pending.commands.join(", "));
    }
    line + "\n"
}

/// The name of a row's combatant, or `empty`.
fn row_name(names: &DistinctNames<'_>, row: &OrderRow<'_>) -> String {
    match row.combatant {
        Some(id) => name(names, id),
        None => flat(&row.name),
    }
}

/// The name of a combatant; its id if it has left.
fn name(names: &DistinctNames<'_>, id: &CombatantId) -> String {
    flat(names.combatant(id).unwrap_or(id.as_str()))
}

/// Names may hold line breaks; a table's row may not.
fn flat(name: &str) -> String {
    name.replace(['\n', '\t'], " ")
}

/// The room for the line that says how many were left out.
const LEFT_OUT: usize = 40;

/// A turn table of at most `most` characters, for chats. It keeps the title, the current combatants
/// and what is awaited, then the other lines from above, and says how many it left out.
pub fn fitted(encounter: &str, most: usize) -> String {
    if encounter.chars().count() <= most {
        return encounter.to_owned();
    }
    let lines: Vec<&str> = encounter.lines().collect();
    let mut by_rank: Vec<(usize, usize, &str)> = Vec::with_capacity(lines.len());
    for (place, line) in lines.iter().enumerate() {
        by_rank.push((rank(place, line), place, line));
    }
    by_rank.sort_unstable();
    let mut room = most.saturating_sub(LEFT_OUT);
    let mut kept: Vec<(usize, &str)> = Vec::with_capacity(lines.len());
    for (_, place, line) in by_rank {
        let size = line.chars().count() + 1;
        if size > room {
            break;
        }
        room -= size;
        kept.push((place, line));
    }
    kept.sort_unstable();
    let mut out = String::new();
    for (_, line) in &kept {
        out += line;
        out.push('\n');
    }
    format!("{out}... {} more lines\n", lines.len() - kept.len())
}

/// How early a line of a turn table is kept: the lower, the earlier.
fn rank(place: usize, line: &str) -> usize {
    if place == 0 {
        0
    } else if line.starts_with("awaiting: ") {
        1
    } else if line.starts_with('>') {
        2
    } else {
        3
    }
}

#[cfg(test)]
mod tests {
    use super::{LEFT_OUT, fitted};

    #[test]
    fn a_table_for_chats_keeps_the_current_and_the_awaited() {
        let rows: String = (0..100)
            .map(|n| format!("  Goblin {n}  monsters\n"))
            .collect();
        let encounter = format!(
            "Bridge - Seize, round 2\n{rows}> Ann  players\nawaiting: end turn by Ann (end_turn)\n"
        );
        let short = fitted(&encounter, 300);
        assert!(short.chars().count() <= 300, "{short}");
        assert!(
            short.starts_with("Bridge - Seize, round 2\n  Goblin 0 "),
            "{short}"
        );
        let left_out = encounter.lines().count() + 1 - short.lines().count();
        let end = format!(
            "> Ann  players\nawaiting: end turn by Ann (end_turn)\n... {left_out} more lines\n"
        );
        assert!(short.ends_with(&end), "{short}");
        assert_eq!(fitted(&encounter, 100_000), encounter);
    }

    #[test]
    fn the_head_of_a_table_and_what_is_awaited_come_before_all_turns_and_fill_the_room_to_the_last()
    {
        let encounter = format!("Bridge\n{}awaiting: x\n", "> Ann  players\n".repeat(50));
        let both = "Bridge\nawaiting: x\n";
        assert_eq!(
            fitted(&encounter, LEFT_OUT + both.len()),
            format!("{both}... 50 more lines\n")
        );
        assert_eq!(
            fitted(&encounter, LEFT_OUT + both.len() - 1),
            "Bridge\n... 51 more lines\n"
        );
    }
}
