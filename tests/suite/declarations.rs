//! What the attributes of `src/macros` say of a declaration that is wrong, and where; and what options
//! take from one that is right.

use crate::support::rustc::errors_of;
use rstest::rstest;
use serde_json::{Value, json};
use turnkeeper::vocabulary::{
    CombatantId, Count, D20, LegalCommand, NoNames, Text, command, commands, word,
};

/// The text is a file's, from its second line on; the error stands at the line and column where the
/// marked words begin.
#[rstest]
#[case::an_unknown_sender(
    "#[command(<all>, \"Start\")]\n/// Start.\nstruct Start {}",
    "`gm`, `player`, `author`, `source` or `target` is expected."
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
    "Only `#[name = \"...\"]` or `#[kept]` may stand here. The struct has the doc comment."
)]
#[case::a_kept_command(
    "#[commands]\nenum Command {\n    #[kept]\n    <Start>,\n}",
    "Only an event can be kept."
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
#[case::no_ruleset_of_commands(
    "#[commands(<3>)]\nenum Command {}",
    "The type of the ruleset is expected."
)]
#[case::no_ruleset_of_events(
    "#[events(<3>)]\nenum Event {}",
    "The type of the ruleset is expected."
)]
#[case::a_word_with_data(
    "#[word]\nenum Way {\n    Moved <{ by: u32 }>,\n}",
    "A word has no data."
)]
#[case::a_table_of_no_fields(
    "#[derive(Fields)]\nstruct <Stats>(u32);",
    "A struct with named fields is expected."
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

/// Lift a stone.
#[command(gm, "Lift a stone")]
pub struct Lift {
    /// Who lifts it.
    pub combatant: CombatantId,
    /// How.
    #[default]
    pub way: Way,
    /// In how many tries.
    pub tries: Count,
    /// The die.
    #[advanced]
    pub die: Option<D20>,
    /// In words.
    #[serde(rename = "text")]
    pub words: Option<Text<20>>,
}

/// A way to lift.
#[word]
pub enum Way {
    /// Slowly.
    #[default]
    Slow,
    /// Fast.
    Fast,
}

/// The commands.
#[commands]
pub enum Act {
    Lift,
}

/// The open fields of an option: name, whether it is required, and its schema without a title.
fn open(option: LegalCommand) -> Vec<(&'static str, bool, Value)> {
    let mut option = option;
    option.describe_choices(&NoNames);
    let mut open = Vec::new();
    for mut choice in option.choices {
        if let Some(fields) = choice.schema.as_object_mut() {
            fields.remove("pattern");
        }
        open.push((choice.field, choice.required, choice.schema));
    }
    open
}

#[test]
fn an_option_is_open_to_what_the_types_of_its_fields_allow() {
    let slow = json!({"const": "slow", "title": "Slow"});
    let fast = json!({"const": "fast", "title": "Fast"});
    let way = json!({"oneOf": [slow, fast], "default": "slow"});
    let tries = json!({"type": "integer", "minimum": 1, "maximum": 10_000});
    let die = json!({"type": "integer", "minimum": 1, "maximum": 20});
    let text = json!({"type": "string", "maxLength": 20});
    let lift = LegalCommand::of::<Lift>("X-1");
    assert_eq!(
        open(lift.clone()),
        [
            ("way", false, way),
            ("tries", true, tries.clone()),
            ("die", false, die),
            ("text", false, text),
        ]
    );
    assert!(
        lift.choices
            .iter()
            .all(|c| c.advanced == (c.field == "die"))
    );
    let ann = CombatantId::new("ann").expect("an id");
    let narrowed = lift
        .without(&["text", "die"])
        .range("tries", 1, 3)
        .with("way", "fast")
        .whom("combatant", [&ann]);
    let ann = json!({"oneOf": [{"const": "ann", "title": "ann"}]});
    let few = json!({"type": "integer", "minimum": 1, "maximum": 3});
    assert_eq!(narrowed.command, json!({"type": "lift", "way": "fast"}));
    assert_eq!(
        open(narrowed),
        [("combatant", true, ann), ("tries", true, few)]
    );
}
