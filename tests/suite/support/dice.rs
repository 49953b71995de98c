//! Dice that a test writes down beforehand.

use turnkeeper::vocabulary::Dice;

/// Dice that fall as written; what does not fit is kept as a complaint.
#[derive(Debug, Clone)]
pub struct ScriptedDice {
    faces: Vec<u16>,
    rolled: usize,
    complaints: Vec<String>,
}

impl ScriptedDice {
    /// Dice that show `faces` in this order.
    pub fn new(faces: &[u16]) -> Self {
        Self {
            faces: faces.to_vec(),
            rolled: 0,
            complaints: Vec::new(),
        }
    }

    /// What did not fit since the last call: dice that were missing, or faces that the die does not
    /// have.
    pub fn complaints(&mut self) -> Vec<String> {
        std::mem::take(&mut self.complaints)
    }

    /// What did not fit, now that nothing more is rolled: the dice that are left over too.
    pub fn verdict(&mut self) -> Vec<String> {
        let left = self.faces.get(self.rolled..).unwrap_or_default();
        let left = (!left.is_empty()).then(|| format!("the dice {left:?} are left over"));
        self.complaints().into_iter().chain(left).collect()
    }
}

impl Dice for ScriptedDice {
    fn roll(&mut self, sides: u16) -> u16 {
        let face = self.faces.get(self.rolled).copied();
        self.rolled += 1;
        match face {
            Some(face) if (1..=sides).contains(&face) => face,
            Some(face) => {
                self.complaints.push(format!(
                    "die {} is a d{sides}: the script says {face}",
                    self.rolled
                ));
                1
            }
            None => {
                self.complaints.push(format!(
                    "die {} (a d{sides}) is missing from the script",
                    self.rolled
                ));
                1
            }
        }
    }
}

#[test]
fn scripted_dice_fall_as_written_and_no_others() {
    let combatants = serde_json::json!([{"id": "ann"}, {"id": "bob"}]);
    let creation = serde_json::json!({"ruleset": "active-initiative", "combatants": combatants});
    let mut table = super::table::Table::create(creation);
    table
        .roll(&[3, 17], serde_json::json!({"type": "start"}))
        .expect("a start");
    assert_eq!(table.at("current"), serde_json::json!(["bob"]));
    let mut dice = ScriptedDice::new(&[7, 2, 5]);
    assert_eq!((dice.roll(6), dice.roll(6)), (1, 2));
    assert_eq!(
        dice.verdict(),
        [
            "die 1 is a d6: the script says 7",
            "the dice [5] are left over"
        ]
    );
}
