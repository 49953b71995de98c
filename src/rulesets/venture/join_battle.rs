//! Joining Battle: the pool, the roll, and the place on the track (VE-1 to VE-5, VE-9, VE-33).

use super::{Combatant, Encounter, Play, Venture};
use crate::vocabulary::{
    CombatantId, D10, Die, Fields, Fold, Int, LegalCommand, Property, Violation, command, event,
    fact, field, require, word,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_with::skip_serializing_none;
use std::sync::Arc;
use utoipa::ToSchema;

/// Join Battle with one combatant (VE-2), before the fight starts or as a newcomer.
#[command(player, "{combatant}: join battle")]
pub struct JoinBattle {
    /// The combatant.
    pub combatant: CombatantId,
    /// The way into the fight.
    #[default]
    pub approach: Approach,
    /// The attribute of the pool.
    #[default]
    pub attribute: Attribute,
    /// The ability of the pool.
    #[default]
    pub ability: Ability,
    /// Extra dice for stunts, Charms and wounds; fewer dice if negative.
    #[default]
    pub bonus_dice: Int<-40, 40>,
    /// The successes, if the table counted them; then leave out `faces`.
    #[advanced]
    #[physical]
    pub successes: Option<Int<0, 100>>,
    /// The d10s that the table rolled, at most the whole pool. The server rolls the rest.
    #[schema(max_items = 80)]
    #[default]
    pub faces: Vec<D10>,
}

/// A Join Battle roll: the pool, and the dice or successes from the table.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default, ToSchema, Fields)]
#[serde(deny_unknown_fields, default)]
#[schema(default)]
pub struct Join {
    /// The way into the fight.
    pub approach: Approach,
    /// The attribute of the pool.
    pub attribute: Attribute,
    /// The ability of the pool.
    pub ability: Ability,
    /// Extra dice for stunts, Charms and wounds; fewer dice if negative.
    pub bonus_dice: Int<-40, 40>,
    /// The successes, if the table counted them; then leave out `faces`.
    pub successes: Option<Int<0, 100>>,
    /// The d10s that the table rolled, at most the whole pool. The server rolls the rest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 80)]
    pub faces: Vec<D10>,
}

/// A Join Battle pool.
#[fact]
pub struct Pool {
    /// The way into the fight.
    pub approach: Approach,
    /// The attribute.
    pub attribute: Attribute,
    /// The ability.
    pub ability: Ability,
}

/// The way into the fight, which decides the possible Join Battle pools.
#[word]
pub enum Approach {
    /// With weapons drawn: Wits and Awareness (VE-2).
    #[default]
    Default,
    /// From stealth or seclusion: Dexterity may replace Wits, and Stealth Awareness (VE-3).
    Stealth,
    /// When talk turns violent: Manipulation may replace Wits, and Socialize Awareness (VE-4).
    Escalation,
}

/// An attribute of a Join Battle pool.
#[word]
pub enum Attribute {
    /// Wits.
    #[default]
    Wits,
    /// Dexterity, from stealth (VE-3).
    Dexterity,
    /// Manipulation, when talk turns violent (VE-4).
    Manipulation,
}

/// An ability of a Join Battle pool.
#[word]
pub enum Ability {
    /// Awareness.
    #[default]
    Awareness,
    /// Stealth, from stealth (VE-3).
    Stealth,
    /// Socialize, when talk turns violent (VE-4).
    Socialize,
}

/// A Join Battle roll.
#[fact]
pub struct JoinRoll {
    /// The chosen pool.
    pub dice_pool: Pool,
    /// The d10s in the order of rolling; none if the table gave the successes.
    pub dice: Vec<Die>,
    /// The successes: 7 and up counts one, 10 counts two (VE-2a).
    pub successes: i64,
}

/// A combatant Joined Battle and has a place on the track (VE-5).
#[event("{combatant} {combatant:joins|join} battle at Initiative {initiative}.")]
pub struct JoinedBattle {
    /// The combatant.
    pub combatant: CombatantId,
    /// The pool, the dice and the successes.
    pub join_battle: JoinRoll,
    /// 3 and the successes, at most 20.
    pub initiative: i64,
    /// Its motes.
    pub motes: i64,
}

impl JoinBattle {
    /// Lets one combatant Join Battle: before the start, by its player's own dice, or as a newcomer.
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        let joined = play.combatant("combatant", id)?.state.join_battle.is_some();
        require(!joined, "already_joined", "VE-2", || {
            format!("{id} has already joined battle. Leave that out.")
        })?;
        worthy(play.fighter("combatant", id, "VE-9")?)?;
        join_battle(play, id, &self.join())
    }

    /// Its Join Battle roll.
    fn join(&self) -> Join {
        let Self {
            combatant: _,
            approach,
            attribute,
            ability,
            bonus_dice,
            successes,
            faces,
        } = self.clone();
        Join {
            approach,
            attribute,
            ability,
            bonus_dice,
            successes,
            faces,
        }
    }
}

pub(super) fn worthy(c: &Combatant) -> Result<(), Violation> {
    require(c.stats.worthy_foe, "not_a_worthy_foe", "VE-1", || {
        format!(
            "{} isn't a Worthy Foe. Send \"settle\" for that fight, or set \"worthy_foe\".",
            c.id
        )
    })
}

/// Rolls Join Battle for `id` and puts it on the track (VE-5).
pub(super) fn join_battle(
    play: &mut Play<'_>,
    id: &CombatantId,
    join: &Join,
) -> Result<(), Violation> {
    let roll = roll(play, id, join)?;
    let stats = &play.combatant("combatant", id)?.stats;
    let max = stats.max_motes.get();
    let motes = stats.motes.map_or(max, |motes| motes.get().min(max));
    let initiative = (3 + roll.successes).min(20);
    play.emit(JoinedBattle {
        combatant: id.clone(),
        join_battle: roll,
        initiative,
        motes,
    });
    Ok(())
}

/// A Join Battle roll, with a pool that the approach allows (VE-2 to VE-4).
pub(super) fn roll(
    play: &mut Play<'_>,
    id: &CombatantId,
    join: &Join,
) -> Result<JoinRoll, Violation> {
    let Join {
        approach,
        attribute,
        ability,
        ..
    } = *join;
    let pool = Pool {
        approach,
        attribute,
        ability,
    };
    let (unusual_attribute, unusual_ability, rule) = approach.swaps();
    let fits = [Attribute::Wits, unusual_attribute].contains(&attribute)
        && [Ability::Awareness, unusual_ability].contains(&ability);
    require(fits, "pool_not_allowed", rule, || match approach {
        Approach::Default => {
            "This approach rolls wits and awareness. Send those or another approach."
        }
        Approach::Stealth => {
            "From stealth, dexterity can replace wits, and stealth can replace awareness. Send one of those."
        }
        Approach::Escalation => {
            "When talk turns violent, manipulation can replace wits, and socialize can replace awareness. \
             Send one of those."
        }
    })?;
    let both = attribute != Attribute::Wits && ability != Ability::Awareness;
    let detail = "This encounter allows one swap. Swap the attribute or the ability, not both.";
    require(
        !(both && play.encounter().options.single_swap),
        "pool_not_allowed",
        "VE-33",
        || detail,
    )?;
    if let Some(successes) = join.successes {
        let detail = "\"successes\" and \"faces\" exclude each other. Send one of them.";
        require(
            join.faces.is_empty(),
            "successes_or_faces",
            field("faces"),
            || detail,
        )?;
        return Ok(JoinRoll {
            dice_pool: pool,
            dice: Vec::new(),
            successes: successes.get(),
        });
    }
    let size = play.combatant("combatant", id)?.stats.dice(&pool) + join.bonus_dice.get();
    let size = usize::try_from(size).unwrap_or(0);
    let given = join.faces.len();
    require(given <= size, "too_many_dice", field("faces"), || {
        format!("{id}'s pool has {size} dice, not {given}. Send fewer, or raise \"bonus_dice\".")
    })?;
    let dice: Vec<_> = (0..size)
        .map(|i| play.die(join.faces.get(i).copied()))
        .collect();
    // VE-2a
    let successes = dice.iter().map(|die| match die.face {
        10 => 2,
        7..=9 => 1,
        _ => 0,
    });
    Ok(JoinRoll {
        dice_pool: pool,
        successes: successes.sum(),
        dice,
    })
}

impl Approach {
    /// The attribute and the ability that it allows besides Wits and Awareness, and the rule.
    fn swaps(self) -> (Attribute, Ability, &'static str) {
        match self {
            Self::Default => (Attribute::Wits, Ability::Awareness, "VE-2"),
            Self::Stealth => (Attribute::Dexterity, Ability::Stealth, "VE-3"),
            Self::Escalation => (Attribute::Manipulation, Ability::Socialize, "VE-4"),
        }
    }
}

impl Join {
    /// What options offer of it: a roll at the table, with the usual pool.
    pub(super) fn usual() -> Vec<Property> {
        Self::only(&["bonus_dice", "successes"])
    }
}

impl JoinedBattle {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        fold.change(&self.combatant, |c| {
            c.state.join_battle = Some(Arc::new(self.join_battle.clone()));
            c.state.initiative = self.initiative;
            c.stats.motes = Some(Int::clamped(self.motes));
        });
    }
}

/// The approaches, each with the pools that it allows (VE-2 to VE-4).
pub(super) fn options(encounter: &Encounter, legal: &mut Vec<LegalCommand>, id: &CombatantId) {
    let usual = LegalCommand::by::<JoinBattle>(id, "VE-2").without(&["approach"]);
    legal.push(usual_ability(usual_attribute(usual)));
    for approach in [Approach::Stealth, Approach::Escalation] {
        let (attribute, ability, rule) = approach.swaps();
        let join = LegalCommand::by::<JoinBattle>(id, rule).with("approach", json!(approach));
        let attributes = [json!("wits"), json!(attribute)];
        let abilities = [json!("awareness"), json!(ability)];
        let [both, attribute_swapped, ability_swapped] = join_labels(approach);
        let join = join
            .choose("attribute", attributes)
            .choose("ability", abilities);
        if !encounter.options.single_swap {
            legal.push(join.labelled(both));
            continue;
        }
        // Only one of the two may be swapped (VE-33).
        legal.push(usual_ability(join.clone().labelled(attribute_swapped)));
        legal.push(usual_attribute(join.labelled(ability_swapped)));
    }
}

fn usual_attribute(join: LegalCommand) -> LegalCommand {
    join.choose("attribute", ["wits"]).advanced("attribute")
}

fn usual_ability(join: LegalCommand) -> LegalCommand {
    join.choose("ability", ["awareness"]).advanced("ability")
}

fn join_labels(approach: Approach) -> [&'static str; 3] {
    match approach {
        Approach::Stealth => [
            "{combatant}: join battle from hiding",
            "{combatant}: join battle from hiding with Dexterity",
            "{combatant}: join battle from hiding with Stealth",
        ],
        _ => [
            "{combatant}: join battle as talk turns violent",
            "{combatant}: join battle as talk turns violent with Manipulation",
            "{combatant}: join battle as talk turns violent with Socialize",
        ],
    }
}
