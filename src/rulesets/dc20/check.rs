//! The Initiative Check (DC-4 to DC-11, DC-47).

use super::team::is_pc;
use super::{Combatant, Dc20, Play};
use crate::vocabulary::{
    CombatantId, D20, Die, Fold, Status, Violation, command, event, fact, is_default, require, word,
};

/// The highest level that counts.
const MAX_LEVEL: i64 = 20;

/// Roll the Initiative Check of a player's character (DC-4): before `start`, which then uses these
/// dice, or after the character joined later.
#[command(player, "{combatant}: roll initiative")]
pub struct Roll {
    /// The combatant.
    pub combatant: CombatantId,
    /// The natural d20 that counts, if rolled at the table. By default the server rolls.
    #[physical]
    pub roll: Option<D20>,
}

/// A player's character rolled for its Initiative Check before the start (DC-4).
#[event("{combatant} {combatant:rolls|roll} {dice} for initiative.")]
pub struct Rolled {
    /// The combatant.
    pub combatant: CombatantId,
    /// Every d20 that was rolled, several with ADV or DisADV.
    pub dice: Vec<Die>,
}

/// A player's character made its Initiative Check (DC-4).
#[event("{combatant}'s Initiative Check: {check}.")]
pub struct CheckMade {
    /// The combatant.
    pub combatant: CombatantId,
    /// The check. It gives an Inspiration Die (DC-8).
    pub check: Check,
    /// True if the character has ADV once in round 1 (DC-10).
    #[serde(default, skip_serializing_if = "is_default")]
    pub round_one_adv: bool,
    /// True if the first attack against the character has ADV (DC-11).
    #[serde(default, skip_serializing_if = "is_default")]
    pub attacked_with_adv: bool,
}

/// An Initiative Check.
#[fact(
    "{total}[{critical=none}{success}, success]\
     [{critical=none}{!success}, failure][{critical=success}, critical success]\
     [{critical=failure}, critical failure]"
)]
pub struct Check {
    /// Every d20 that was rolled, several with ADV or DisADV.
    pub dice: Vec<Die>,
    /// The face that counts.
    pub natural: u16,
    /// Combat Mastery, Agility and what features add.
    pub bonus: i64,
    /// The result, which decides between claims (DC-18).
    pub total: i64,
    /// True if it is a success (DC-7).
    pub success: bool,
    /// The kind of critical result, if any (DC-9).
    pub critical: Critical,
}

/// A critical result of a check (DC-9).
#[word]
pub enum Critical {
    /// Neither.
    None,
    /// A natural 20.
    Success,
    /// A natural 1.
    Failure,
}

impl Roll {
    /// A player rolls the Initiative Check of one character. Before the start these are only its dice:
    /// the DC is not known yet.
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        let roller = play.combatant("combatant", id)?;
        check_roller(roller)?;
        let checked = roller.state.check.is_some() || !roller.state.rolled.is_empty();
        require(!checked, "already_checked", "DC-4", || {
            format!("{id} has already rolled the Initiative Check. Each character rolls once.")
        })?;
        if play.encounter().status == Status::Setup {
            let dice = check_dice(play, id, self.roll);
            play.emit(Rolled {
                combatant: id.clone(),
                dice,
            });
        } else {
            make_check(play, id, self.roll);
        }
        Ok(())
    }
}

/// The dice of an Initiative Check: given, else those that its player rolled before the start, else
/// rolled by the server with ADV or DisADV (DC-47).
fn check_dice(play: &mut Play<'_>, id: &CombatantId, given: Option<D20>) -> Vec<Die> {
    let Some(c) = play.encounter().get(id) else {
        return Vec::new();
    };
    if given.is_some() {
        return vec![play.die(given)];
    }
    if !c.state.rolled.is_empty() {
        return c.state.rolled.clone();
    }
    let extra = c.stats.initiative_adv.get().unsigned_abs();
    (0..=extra).map(|_| play.roll(20)).collect()
}

/// Refuses a combatant that makes no Initiative Check (DC-4).
pub(super) fn check_roller(c: &Combatant) -> Result<(), Violation> {
    require(is_pc(c) && c.active(), "no_check", "DC-4", || {
        format!(
            "{} makes no Initiative Check. Name a player's character in the fight.",
            c.id
        )
    })
}

/// Makes an Initiative Check (DC-4 to DC-6), and returns whether it succeeded. A natural 20 or 1
/// decides whatever the total (DC-9a).
pub(super) fn make_check(play: &mut Play<'_>, id: &CombatantId, given: Option<D20>) -> bool {
    let roller = play.encounter().get(id);
    let Some((stats, level)) = roller.map(|c| (c.stats.clone(), c.level_or_first())) else {
        return false;
    };
    let dice = check_dice(play, id, given);
    let faces = dice.iter().map(|die| die.face);
    let counting = if stats.initiative_adv.get() < 0 {
        faces.min()
    } else {
        faces.max()
    };
    let natural = counting.unwrap_or(1);
    let mastery = (level.min(MAX_LEVEL) + 1) / 2;
    let bonus = mastery + stats.agility.get() + stats.initiative_bonus.get();
    let total = i64::from(natural) + bonus;
    let dc = play.encounter().state.dc.unwrap_or_default();
    let beaten = if play.encounter().options.strict_beat {
        total > dc
    } else {
        total >= dc
    };
    let (critical, success) = match natural {
        20 => (Critical::Success, true),
        1 => (Critical::Failure, false),
        _ => (Critical::None, beaten),
    };
    let by_round_one = play.encounter().round <= 1;
    play.emit(CheckMade {
        combatant: id.clone(),
        round_one_adv: by_round_one && critical == Critical::Success,
        attacked_with_adv: by_round_one && critical == Critical::Failure,
        check: Check {
            dice,
            natural,
            bonus,
            total,
            success,
            critical,
        },
    });
    success
}

impl Rolled {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        fold.change_state(&self.combatant, |s| s.rolled.clone_from(&self.dice));
    }
}

impl CheckMade {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Dc20>) {
        fold.change_state(&self.combatant, |s| {
            s.inspiration_die = self.check.success;
            s.round_one_adv = self.round_one_adv;
            s.attacked_with_adv = self.attacked_with_adv;
            s.check = Some(self.check.clone());
            s.rolled.clear();
        });
    }
}
