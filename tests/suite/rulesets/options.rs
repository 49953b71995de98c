//! Options that are refused: a transcript shows only encounters that there are.

use crate::support::table::{Refused, Table};
use serde_json::{Value, json};

/// Creates an encounter of nobody with these options.
fn create(ruleset: &str, options: Value) -> Result<Table, Refused> {
    Table::try_create(json!({"ruleset": ruleset, "combatants": [], "options": options}))
}

fn refused(ruleset: &str, options: Value) -> Refused {
    match create(ruleset, options.clone()) {
        Ok(_) => panic!("{options} was accepted"),
        Err(refused) => refused,
    }
}

#[test]
fn interrupt_points_are_true_false_or_a_bounded_whole_number() {
    for sound in [json!(true), json!(false), json!(0), json!(100), json!(3.0)] {
        assert!(create("active-initiative", json!({"interrupt_points": sound})).is_ok(), "{sound}");
    }
    for (unsound, code) in [(json!("3"), "malformed"), (json!(1.5), "malformed"), (json!([]), "malformed")] {
        let refused = refused("active-initiative", json!({"interrupt_points": unsound}));
        assert_eq!((refused.code.as_str(), refused.field.as_deref()), (code, Some("options.interrupt_points")));
        assert!(refused.detail.contains("true, false or a whole number from 0 to 100"), "{}", refused.detail);
    }
    for far in [json!(-1), json!(101), json!(u64::MAX)] {
        let refused = refused("active-initiative", json!({"interrupt_points": far}));
        assert_eq!(
            (refused.code.as_str(), refused.field.as_deref()),
            ("meaningless", Some("options.interrupt_points"))
        );
    }
}

#[test]
fn not_enemies_holds_at_most_16_sides() {
    let sides = |count: usize| json!({"not_enemies": (0..count).map(|n| format!("side-{n}")).collect::<Vec<_>>()});
    assert!(create("seize", sides(16)).is_ok());
    let refused = refused("seize", sides(17));
    assert_eq!(refused.field.as_deref(), Some("options.not_enemies"));
    assert!(refused.detail.contains("at most 16 sides"), "{}", refused.detail);
}
