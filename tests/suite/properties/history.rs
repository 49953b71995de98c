//! Undo: every version's state comes back, redo gives back what was undone, and play goes on from
//! there.

use super::judge::Action;
use super::numbers;
use super::player::Played;
use crate::support::table::{Table, seeded};
use serde_json::{Value, json};
use turnkeeper::engine::AnyEncounter;

/// How many plays of each ruleset there are by default. Each version of a play is gone back to, so
/// that the work grows with the square of its length.
const PLAYS: u64 = 6;

/// The state, but for the version, and for who has ever joined: no undo takes that back.
fn state(game: &dyn AnyEncounter) -> String {
    let checkpoint = game.checkpoint().expect("a checkpoint");
    let mut checkpoint: Value = serde_json::from_str(checkpoint.get()).expect("JSON");
    let table = checkpoint["encounter"].as_object_mut().expect("a table");
    for field in ["version", "joined", "used_ids"] {
        table.remove(field);
    }
    for combatant in table["combatants"].as_array_mut().expect("combatants") {
        combatant["joined"].take();
    }
    checkpoint["encounter"].to_string()
}

fn send(table: &mut Table, action: &Action) -> Result<bool, String> {
    Ok(table
        .try_send(action.command.clone(), &mut seeded(action.dice))?
        .is_ok())
}

fn rewind(table: &mut Table, command: Value) -> Result<(), String> {
    let sent = command.to_string();
    let action = Action {
        command,
        dice: 0,
        advance: true,
    };
    if send(table, &action)? {
        Ok(())
    } else {
        Err(format!("{sent} was refused"))
    }
}

fn same(what: &str, expected: &dyn AnyEncounter, table: &Table) -> Result<(), String> {
    let (expected, got) = (state(expected), state(&*table.game));
    if expected == got {
        Ok(())
    } else {
        Err(format!("{what}:\n  expected {expected}\n  got      {got}"))
    }
}

/// Plays it again, and then all of it backwards.
fn judge(played: &Played) -> Result<(), String> {
    let mut table = Table::create(played.creation.clone());
    // What made each version.
    let mut made = Vec::new();
    for action in played.actions.iter().filter(|action| action.advance) {
        if send(&mut table, action)? {
            made.push(action);
        }
    }
    let games: Vec<_> = table.past.iter().chain([&table.game]).cloned().collect();
    for (version, game) in games.iter().enumerate().take(games.len() - 1) {
        let mut back = table.clone();
        rewind(&mut back, json!({"type": "undo", "to_version": version}))?;
        same(&format!("undo to version {version}"), &**game, &back)?;
        let mut forth = back.clone();
        rewind(&mut forth, json!({"type": "redo"}))?;
        same(
            &format!("redo after undo to version {version}"),
            &*table.game,
            &forth,
        )?;
        // The same command with the same dice leads to the same state; what itself goes back
        // depends on the versions, and an id that is made from a name on who has joined.
        let next = made[version];
        let named =
            next.command["type"] == "add_combatant" && next.command["details"]["id"].is_null();
        if !named && next.command["type"] != "undo" && next.command["type"] != "redo" {
            if !send(&mut back, next)? {
                return Err(format!(
                    "after undo to version {version}, {} is refused",
                    next.command
                ));
            }
            same(
                &format!("the same command after undo to version {version}"),
                &*games[version + 1],
                &back,
            )?;
        }
    }
    let mut steps = Vec::new();
    while table
        .legal_commands()
        .iter()
        .any(|option| option.command["type"] == "undo")
    {
        steps.push(table.game.clone());
        rewind(&mut table, json!({"type": "undo"}))?;
    }
    same("undo to the very beginning", &*games[0], &table)?;
    let refused = table.refuse(json!({"type": "undo"}));
    if refused.code != "nothing_to_undo" {
        return Err(format!("undoing nothing was refused as {}", refused.code));
    }
    for before in steps.iter().rev() {
        rewind(&mut table, json!({"type": "redo"}))?;
        same("redo, step by step", &**before, &table)?;
    }
    Ok(())
}

#[test]
fn every_version_of_a_play_comes_back_by_undo_and_goes_again_by_redo() {
    let mut wrong = Vec::new();
    for subject in super::subjects() {
        let play = |number: u64| {
            judge(&subject.play(4 * number, number)).map_err(|e| format!("play {number}: {e}"))
        };
        wrong.extend(
            numbers(PLAYS)
                .into_iter()
                .take(1000)
                .find_map(|n| play(n).err())
                .map(|e| format!("{}, {e}", subject.id)),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
