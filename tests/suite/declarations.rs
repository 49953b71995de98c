//! What the attributes of `src/macros` say of a declaration that is wrong, and where.

use crate::support::rustc::errors_of;
use rstest::rstest;

/// The text is a file's, from its second line on; the error stands at the line and column where the
/// marked words begin.
#[rstest]
#[case::an_unknown_sender(
    "#[command(<all>, \"Start\")]\n/// Start.\nstruct Start {}",
    "`gm`, `player`, `author` or `source` is expected."
)]
#[case::no_summary(
    "#[command(gm, \"Start\")]\nstruct <Start> {}",
    "The doc comment of a command is its summary. Write one."
)]
#[case::a_player_without_a_combatant(
    "/// End a turn.\n#[command(player, \"End turn\")]\nstruct <EndTurn> {}",
    "For whom does a player send it? Add a field `combatant`, or `actor` after the label and a method of this name."
)]
#[case::a_word_after_the_label(
    "/// Start.\n#[command(gm, \"Start\", <sender>)]\nstruct Start {}",
    "Only `actor` may follow the label."
)]
#[case::fields_twice(
    "#[commands]\nenum Command {\n    Start <{}>,\n}",
    "The struct of this name has the fields. Leave them out here."
)]
#[case::no_list(
    "#[events]\nstruct <Event> {}",
    "An enum that lists structs is expected."
)]
#[case::a_comment_in_a_list(
    "#[events]\nenum Event {\n    <#[doc = \"Started.\"]>\n    Started,\n}",
    "Only `#[name = \"...\"]` may stand here. The struct has the doc comment."
)]
#[case::no_sentence(
    "/// It passed.\n#[event(<silent>)]\nstruct Passed {}",
    "A sentence is expected, or `tells_itself`, `untold`, `row` or `redacts_itself`."
)]
#[case::no_names(
    "#[event(\"Passed.\")]\nstruct <Passed>(u32);",
    "A struct with named fields is expected."
)]
#[case::a_value_by_default(
    "/// Roll.\n#[command(gm, \"Roll\")]\nstruct Roll {\n    <#[default = 3]>\n    dice: u32,\n}",
    "`#[default]` has no value: it is that of the type."
)]
#[case::a_row_without_a_sentence(
    "/// A roll.\n#[fact(<row>)]\nstruct Roll {}",
    "The sentence of the row follows `row`."
)]
#[case::a_word_for_commands("#[commands(<shared>)]\nenum Command {}", "unexpected token")]
#[case::another_word_for_events("#[events(<own>)]\nenum Event {}", "Only `shared` may stand here.")]
#[case::a_word_with_data(
    "#[word]\nenum Way {\n    Moved <{ by: u32 }>,\n}",
    "A word has no data."
)]
fn a_wrong_declaration_is_refused_where_it_is_wrong(
    #[case] declaration: &str,
    #[case] message: &str,
) {
    let (before, _) = declaration.split_once('<').expect("a marked place");
    let line = before.matches('\n').count() + 2;
    let column = before.len() - before.rfind('\n').map_or(0, |end| end + 1) + 1;
    let text = declaration.replacen('<', "", 1).replacen('>', "", 1);
    let errors = errors_of(&format!(
        "use turnkeeper_macros::*;\n{text}\nfn main() {{}}\n"
    ));
    assert!(
        errors.contains(&format!("error: {message}"))
            && errors.contains(&format!(":{line}:{column}\n")),
        "expected {message:?} at {line}:{column}, got\n{errors}"
    );
}
