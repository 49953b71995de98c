//! The turn table as plain text: what a bot prints.

use super::view::pending;
use super::{OrderRow, order};
use crate::vocabulary::{Combatant, CombatantId, Expiry, Hp, Names, Ruleset, Status, Table};
use std::fmt::Write;

/// The printed turn table.
pub(super) fn table<R: Ruleset>(table: &Table<R>) -> String {
    let mut out = String::new();
    let name = |id: &CombatantId| flat(table.combatant(id).unwrap_or(id.as_str()));
    let phase = match table.status {
        Status::Setup => "not started".to_owned(),
        Status::Running => format!("round {}", table.round),
        Status::Ended => "ended".to_owned(),
    };
    line(&mut out, format_args!("{} - {}, {phase}", flat(table.name.as_str()), R::MANIFEST.title));
    let rows = order::rows(table);
    let name_width = rows.iter().map(|row| flat(row.name).chars().count()).max().unwrap_or(0);
    let side_width = table.iter().map(|c| c.side.as_str().len()).max().unwrap_or(0);
    for row in &rows {
        let Some(c) = table.get(row.combatant) else { continue };
        let mark = if row.current { '>' } else { ' ' };
        let acted = match (row.out, row.acted) {
            (true, _) => "out",
            (false, true) => "acted",
            (false, false) => "",
        };
        let (name, side) = (flat(row.name), c.side.as_str());
        let line_of = format!("{mark} {name:name_width$}  {side:side_width$}  {acted:5}  {}", details(c, row));
        line(&mut out, format_args!("{}", line_of.trim_end()));
    }
    for effect in &table.effects {
        let on = effect.target.as_ref().map_or(String::new(), |id| format!(" on {}", name(id)));
        // What is on the hidden is as hidden as they are.
        let bearer = effect.target.as_ref().and_then(|id| table.get(id));
        let hidden = if effect.hidden || bearer.is_some_and(|c| c.hidden) { ", hidden" } else { "" };
        line(&mut out, format_args!("* {}{on}{hidden}{}", flat(effect.name.as_str()), lasting(&effect.expires, name)));
    }
    if let Some(pending) = pending(table) {
        let mut who: Vec<String> = pending.combatants.iter().map(name).collect();
        // Who it is that acts unseen the reader may not know.
        if pending.gm && !pending.is_someone() {
            who.push("the game master".to_owned());
        }
        let by = if who.is_empty() { String::new() } else { format!(" by {}", who.join(", ")) };
        let with = pending.commands.join(", ");
        let with = if with.is_empty() { with } else { format!(" ({with})") };
        line(&mut out, format_args!("awaiting: {}{by}{with}", pending.decision.replace('_', " ")));
    }
    out
}

fn details<R: Ruleset>(c: &Combatant<R>, row: &OrderRow<'_>) -> String {
    let mut details: Vec<String> = Vec::new();
    details.extend(c.hidden.then(|| "hidden".to_owned()));
    let hp = |hp: &Hp| format!("{}/{}", hp.current, hp.max.unwrap_or(hp.current));
    details.extend(c.hp.as_ref().map(|h| format!("hp {}", hp(h))));
    details.extend(c.hp_band.map(|band| band.word().to_owned()));
    details.extend(c.conditions.iter().map(|c| c.as_str().to_owned()));
    for member in c.members.iter().filter(|m| m.hp.is_some() || m.hp_band.is_some() || !m.conditions.is_empty()) {
        let mut about: Vec<String> = member.hp.iter().map(&hp).collect();
        about.extend(member.hp_band.map(|band| band.word().to_owned()));
        about.extend(member.conditions.iter().map(|c| c.as_str().to_owned()));
        details.push(format!("{} {}", member.id, about.join(" ")));
    }
    details.extend((!row.note.is_empty()).then(|| flat(&row.note)));
    details.join(", ")
}

/// How long an effect lasts still.
fn lasting(expires: &Expiry, name: impl Fn(&CombatantId) -> String) -> String {
    let turn = |edge: &str, of: &Option<CombatantId>, turns: i64| {
        let whose = of.as_ref().map_or(String::new(), |of| format!(" of {}", name(of)));
        let which = if turns > 1 { format!("turn {turns}") } else { "the next turn".to_owned() };
        format!(", until the {edge} of {which}{whose}")
    };
    match expires {
        Expiry::RoundEnd { rounds } => format!(", rounds left: {rounds}"),
        Expiry::TurnStart { of, turns } => turn("start", of, turns.get()),
        Expiry::TurnEnd { of, turns } => turn("end", of, turns.get()),
        Expiry::EncounterEnd {} | Expiry::Removed {} => String::new(),
    }
}

/// Names may hold line breaks; a table's row may not.
fn flat(name: &str) -> String {
    name.replace(['\n', '\t'], " ")
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing into a string cannot fail.
    let _ = writeln!(out, "{text}");
}
