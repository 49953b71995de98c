//! What a combatant's player has rolled before it counts.

use crate::vocabulary::Die;

/// The remark on a combatant that rolled these dice, if any: "rolled 17".
pub fn rolled(dice: &[Die]) -> Option<String> {
    let faces: Vec<String> = dice.iter().map(|die| die.face.to_string()).collect();
    (!faces.is_empty()).then(|| format!("rolled {}", faces.join(", ")))
}
