//! The turn table as plain text: what a bot prints.

use super::view::pending;
use super::{OrderRow, order};
use crate::vocabulary::{Combatant, CombatantId, Encounter, Expiry, Hp, Names, Ruleset, Status};

/// The printed turn table.
pub(super) fn encounter<R: Ruleset>(encounter: &Encounter<R>) -> String {
    let mut out = String::new();
    let name = |id: &CombatantId| flat(encounter.combatant(id).unwrap_or(id.as_str()));
    let phase = match encounter.status {
        Status::Setup => "not started".to_owned(),
        Status::Running => R::moment(encounter),
        Status::Ended => "ended".to_owned(),
    };
    out += &format!(
        "{} - {}, {phase}\n",
        flat(encounter.name.as_str()),
        R::MANIFEST.title
    );
    let rows = order::rows(encounter);
    let name_width = rows
        .iter()
        .map(|row| flat(row.name).chars().count())
        .max()
        .unwrap_or(0);
    let side = |row: &OrderRow<'_>| match row.combatant.and_then(|id| encounter.get(id)) {
        Some(c) => c.side.to_string(),
        None => row.team.clone().unwrap_or_default(),
    };
    let side_width = rows.iter().map(|row| side(row).len()).max().unwrap_or(0);
    let places = places(&rows);
    for (row, place) in rows.iter().zip(places) {
        let mark = if row.current { '>' } else { ' ' };
        let acted = match (row.out, row.acted) {
            (true, _) => "out",
            (false, true) => "acted",
            (false, false) => "",
        };
        let (name, side) = (flat(row.name), side(row));
        let Some(c) = row.combatant.and_then(|id| encounter.get(id)) else {
            out += &format!("{mark} {place}{name:name_width$}  {side}\n");
            continue;
        };
        let line = format!(
            "{mark} {place}{name:name_width$}  {side:side_width$}  {acted:5}  {}",
            details(c, row)
        );
        out += &format!("{}\n", line.trim_end());
    }
    for effect in &encounter.effects {
        let on = effect
            .target
            .as_ref()
            .map_or(String::new(), |id| format!(" on {}", name(id)));
        // What is on the hidden is as hidden as they are.
        let bearer = effect.target.as_ref().and_then(|id| encounter.get(id));
        let hidden = if effect.hidden || bearer.is_some_and(|c| c.hidden) {
            ", hidden"
        } else {
            ""
        };
        let lasting = lasting(&effect.expires, R::MANIFEST.round, name);
        out += &format!("* {}{on}{hidden}{lasting}\n", flat(effect.name.as_str()));
    }
    if let Some(pending) = pending(encounter) {
        let mut who: Vec<String> = pending.combatants.iter().map(name).collect();
        // Who it is that acts unseen the reader may not know.
        if pending.gm && !pending.is_someone() {
            who.push("the game master".to_owned());
        }
        let by = if who.is_empty() {
            String::new()
        } else {
            format!(" by {}", who.join(", "))
        };
        let with = pending.commands.join(", ");
        let with = if with.is_empty() {
            with
        } else {
            format!(" ({with})")
        };
        let slot = pending
            .slot
            .as_ref()
            .map_or(String::new(), |slot| format!(" {slot}"));
        out += &format!(
            "awaiting: {}{slot}{by}{with}\n",
            pending.decision.replace('_', " ")
        );
    }
    out
}

/// What stands before the names: the initiative, else the turn or card; both where the turns are
/// those of teams.
fn places(rows: &[OrderRow<'_>]) -> Vec<String> {
    let initiative = |row: &OrderRow<'_>| row.initiative.map(|initiative| initiative.to_string());
    let slot = |row: &OrderRow<'_>| row.slot.clone();
    let mut places = vec![String::new(); rows.len()];
    let mut column = |cells: Vec<String>| {
        let width = cells.iter().map(String::len).max().unwrap_or(0);
        for (place, cell) in places.iter_mut().zip(cells).filter(|_| width > 0) {
            *place += &format!("{cell:>width$}  ");
        }
    };
    if rows.iter().any(|row| row.team.is_some()) {
        column(
            rows.iter()
                .map(|row| slot(row).unwrap_or_default())
                .collect(),
        );
        column(
            rows.iter()
                .map(|row| initiative(row).unwrap_or_default())
                .collect(),
        );
    } else {
        column(
            rows.iter()
                .map(|row| initiative(row).or(slot(row)).unwrap_or_default())
                .collect(),
        );
    }
    places
}

fn details<R: Ruleset>(c: &Combatant<R>, row: &OrderRow<'_>) -> String {
    let mut details: Vec<String> = Vec::new();
    details.extend(c.hidden.then(|| "hidden".to_owned()));
    let hp = |hp: &Hp| format!("{}/{}", hp.current, hp.max.unwrap_or(hp.current));
    details.extend(c.hp.as_ref().map(|h| format!("hp {}", hp(h))));
    details.extend(c.hp_band.map(|band| band.to_string()));
    details.extend(c.conditions.iter().map(|c| c.as_str().to_owned()));
    for member in c
        .members
        .iter()
        .filter(|m| m.hp.is_some() || m.hp_band.is_some() || !m.conditions.is_empty())
    {
        let mut about: Vec<String> = member.hp.iter().map(&hp).collect();
        about.extend(member.hp_band.map(|band| band.to_string()));
        about.extend(member.conditions.iter().map(|c| c.as_str().to_owned()));
        details.push(format!("{} {}", member.id, about.join(" ")));
    }
    details.extend((!row.note.is_empty()).then(|| flat(&row.note)));
    details.join(", ")
}

/// How long an effect lasts still.
fn lasting(expires: &Expiry, round: &str, name: impl Fn(&CombatantId) -> String) -> String {
    let turn = |edge: &str, of: &Option<CombatantId>, turns: i64| {
        let whose = of
            .as_ref()
            .map_or(String::new(), |of| format!(" of {}", name(of)));
        let which = if turns > 1 {
            format!("turn {turns}")
        } else {
            "the next turn".to_owned()
        };
        format!(", until the {edge} of {which}{whose}")
    };
    match expires {
        Expiry::RoundEnd { rounds } => format!(", {round}s left: {rounds}"),
        Expiry::TurnStart { of, turns } => turn("start", of, turns.get()),
        Expiry::TurnEnd { of, turns } => turn("end", of, turns.get()),
        Expiry::EncounterEnd {} | Expiry::Removed {} => String::new(),
    }
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
    let rank = |i: usize, line: &str| match line {
        _ if i == 0 => 0,
        line if line.starts_with("awaiting: ") => 1,
        line if line.starts_with('>') => 2,
        _ => 3,
    };
    let mut by_rank: Vec<(usize, usize)> = lines
        .iter()
        .enumerate()
        .map(|(i, line)| (rank(i, line), i))
        .collect();
    by_rank.sort_unstable();
    let (mut room, mut kept) = (
        most.saturating_sub(LEFT_OUT),
        Vec::with_capacity(lines.len()),
    );
    for (_, i) in by_rank {
        let size = lines.get(i).map_or(0, |line| line.chars().count() + 1);
        if size > room {
            break;
        }
        room -= size;
        kept.push(i);
    }
    kept.sort_unstable();
    let out: String = kept
        .iter()
        .filter_map(|i| lines.get(*i))
        .map(|line| format!("{line}\n"))
        .collect();
    format!("{out}... {} more lines\n", lines.len() - kept.len())
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
