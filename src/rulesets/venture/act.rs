//! Combat actions: an attack, a Rush, a Disengage, a flurry (VE-8, VE-10, VE-11, VE-15, VE-27,
//! VE-28, VE-30).

use super::initiative::{Blow, change};
use super::track::{in_battle, in_turn, on_track};
use super::{
    BaseInitiative, Cause, Combatant, DecisiveReset, Encounter, Join, Phase, Play, Venture,
};
use crate::vocabulary::{
    Actor, CombatantId, ConditionSet, Fields, Fold, Hit, HitPoints, Int, LegalCommand, MemberId,
    Property, Slug, Text, Values, Violation, command, event, field, require, shared_list,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use utoipa::ToSchema;

/// Take a combat action (VE-10), an attack if `attack` is true.
#[command(
    player,
    "[{combatant}: {!attack}act][{combatant}: {attack}{!decisive}attack]\
     [{combatant}: {decisive}decisive attack][{!combatant}Attack][{reflexive} outside the turn]",
    actor
)]
pub struct Act {
    /// The combatant.
    pub combatant: CombatantId,
    /// The action, for the log.
    pub action: Option<Text<200>>,
    /// True if it is an attack (VE-19).
    #[default]
    pub attack: bool,
    /// True if the attack is decisive.
    #[default]
    pub decisive: bool,
    /// True if the attack happens outside the attacker's turn, like a counterattack. It takes no
    /// combat action and does not count at the end of a turn. Game master only (VE-10a).
    #[default]
    pub reflexive: bool,
    /// The targets of the attack, hit or missed: at most 50, each once. At least one if it is
    /// `reflexive`.
    #[schema(max_items = 50)]
    #[default]
    pub attacked: Vec<Target>,
    /// The Initiative that the attack costs the attacker, instead of the amount by the options
    /// (VE-27).
    #[advanced]
    pub attacker_loses: Option<Int<0, 40>>,
}

impl Act {
    /// The game master rules on acts that take combatants out of the fight, and on attacks outside the
    /// attacker's turn.
    pub(crate) fn actor(&self) -> Actor<'_> {
        if self.reflexive || self.attacked.iter().any(Target::is_ruling) {
            Actor::Gm
        } else {
            Actor::of(&self.combatant)
        }
    }
}

/// A target of an attack.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Fields)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The combatant that is attacked.
    pub combatant: CombatantId,
    /// The Initiative that it loses; by default the option `attacked_loss` (VE-27).
    pub loses: Option<Int<0, 40>>,
    /// True if a decisive attack kills it, which costs the attacker Initiative, game master only
    /// (VE-27).
    #[serde(default)]
    #[schema(default = false)]
    pub killed: bool,
    /// Damage of a decisive attack, game master only. A killing blow if it takes the last hit point
    /// (VE-28a).
    pub damage: Option<HitPoints>,
    /// The member of a group that is killed or takes the damage.
    pub member: Option<MemberId>,
    /// The attacker's new Join Battle roll, if this shifts the fight (VE-31).
    pub rejoin: Option<Join>,
}

impl Target {
    /// Whether it deals damage or kills, which is the game master's ruling.
    fn is_ruling(&self) -> bool {
        self.killed || self.damage.is_some()
    }
}

/// Take a combat action that closes in on another combatant.
#[command(player, "{combatant}: rush")]
pub struct Rush {
    /// The combatant.
    pub combatant: CombatantId,
    /// True if it moved as part of the action. If not, the move can follow until its next turn has
    /// started (VE-15).
    #[default]
    pub moved: bool,
}

/// Take a combat action that breaks away from all close combatants.
#[command(player, "{combatant}: disengage")]
pub struct Disengage {
    /// The combatant.
    pub combatant: CombatantId,
    /// True if it moved as part of the action. If not, the move can follow until its next turn has
    /// started (VE-15).
    #[default]
    pub moved: bool,
}

/// Start a flurry: a second combat action after the first. Both cost Initiative at the end of the
/// turn (VE-11, VE-21).
#[command(player, "{combatant}: flurry")]
pub struct Flurry {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant took a combat action (VE-10).
#[event(
    "[{!reflexive}{!attack}{combatant} {combatant:takes|take} a combat action]\
     [{!reflexive}{attack}{combatant} {combatant:attacks|attack}]\
     [{reflexive}{combatant} {combatant:attacks|attack} outside the turn]\
     [{decisive} decisively][: {action}]."
)]
pub struct ActionTaken {
    /// The combatant.
    pub combatant: CombatantId,
    /// The action, if the command said it.
    pub action: Option<Text<200>>,
    /// True if it was an attack.
    pub attack: bool,
    /// True if it was a decisive attack.
    pub decisive: bool,
    /// True if a Rush or Disengage leaves a move over.
    pub follow_up: bool,
    /// True if it is an attack outside the attacker's turn, which takes no combat action (VE-10a).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reflexive: bool,
}

/// A combatant was attacked, hit or missed: its Onslaught rises (VE-30).
#[event("{combatant} {combatant:attacks|attack} {target}, whose Onslaught is {onslaught}.")]
pub struct Attacked {
    /// The combatant.
    pub combatant: CombatantId,
    /// The combatant that was attacked.
    pub target: CombatantId,
    /// The target's Onslaught after that, which lowers its Defense.
    pub onslaught: u32,
}

/// A combatant started a flurry, for a second combat action (VE-11).
#[event("{combatant} {combatant:starts|start} a flurry.")]
pub struct Flurried {
    /// The combatant.
    pub combatant: CombatantId,
}

impl Act {
    /// A combat action; an attack with all its consequences for its targets (VE-27) and the
    /// attacker (VE-28).
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        if self.reflexive {
            in_battle(play, id)?;
            let phase = &play.encounter().state.phase;
            let detail = "Attacks come after the free actions. Finish those first.";
            require(
                !matches!(phase, Phase::FreeActions { .. }),
                "free_actions_first",
                "VE-8",
                || detail,
            )?;
            require(phase.acting() != Some(id), "own_turn", "VE-10a", || {
                format!("It's {id}'s own turn. Leave out \"reflexive\".")
            })?;
        } else {
            may_take_action(play, id)?;
        }
        let of_an_attack = self.decisive
            || self.reflexive
            || !self.attacked.is_empty()
            || self.attacker_loses.is_some();
        let detail = "\"attacked\", \"decisive\", \"reflexive\" and \"attacker_loses\" belong to an attack. Set \"attack\".";
        require(
            self.attack || !of_an_attack,
            "not_an_attack",
            field("attack"),
            || detail,
        )?;
        let detail = "An attack outside the turn needs whom it hits or misses. Add \"attacked\".";
        require(
            !self.reflexive || !self.attacked.is_empty(),
            "targets_missing",
            field("attacked"),
            || detail,
        )?;
        let detail = "An attack can have 50 targets. Send fewer.";
        require(
            self.attacked.len() <= 50,
            "too_many_targets",
            field("attacked"),
            || detail,
        )?;
        play.emit(ActionTaken {
            combatant: id.clone(),
            action: self.action.clone(),
            attack: self.attack,
            decisive: self.decisive,
            follow_up: false,
            reflexive: self.reflexive,
        });
        let mut kills = false;
        for (i, target) in self.attacked.iter().enumerate() {
            let killed =
                check_target(play, self, i, target).and_then(|()| attack(play, id, target));
            kills |= killed.map_err(|refused| refused.within(&format!("attacked.{i}")))?;
        }
        let options = &play.encounter().options;
        let attacker = play.combatant("combatant", id)?;
        let resets = match options.decisive_reset {
            DecisiveReset::KillingBlow => kills,
            DecisiveReset::Always => self.decisive,
            DecisiveReset::Never => false,
        };
        let base = match options.base_initiative {
            BaseInitiative::Three => 3,
            BaseInitiative::Stamina => 2 + (attacker.stats.stamina.get() + 1) / 2,
        };
        let above_base = if resets {
            (attacker.state.initiative - base).max(0)
        } else {
            0
        };
        let loss = self.attacker_loses.map_or(above_base, |loss| loss.get());
        change(play, id, -loss, Cause::OwnAttack, None)
    }
}

fn check_target(
    play: &Play<'_>,
    act: &Act,
    index: usize,
    target: &Target,
) -> Result<(), Violation> {
    let id = &target.combatant;
    in_battle(play, id)?;
    let distinct = *id != act.combatant
        && act
            .attacked
            .iter()
            .take(index)
            .all(|before| before.combatant != *id);
    require(distinct, "target_not_distinct", field("combatant"), || {
        format!("{id} is already the attacker or a target. Send each target once.")
    })?;
    let conditions = play.conditions(id, target.member.as_ref())?;
    let dead = conditions.iter().any(|condition| condition == "dead");
    require(
        !(target.killed && dead),
        "condition_already_set",
        "TK-3",
        || format!("That member of {id} is already dead. Choose another one."),
    )?;
    let detail = "Only a decisive attack deals damage or kills. Set \"decisive\".";
    require(
        act.decisive || !target.is_ruling(),
        "not_decisive",
        "VE-27",
        || detail,
    )
}

/// Attacks one target: Onslaught, hit or missed (VE-30), the Initiative lost (VE-27), damage and
/// death. Returns whether it is a killing blow.
fn attack(play: &mut Play<'_>, by: &CombatantId, target: &Target) -> Result<bool, Violation> {
    let id = &target.combatant;
    let onslaught = play
        .combatant("combatant", id)?
        .state
        .onslaught
        .saturating_add(1);
    play.emit(Attacked {
        combatant: by.clone(),
        target: id.clone(),
        onslaught,
    });
    let loss = target
        .loses
        .map_or(play.encounter().options.attacked_loss.get(), |loss| {
            loss.get()
        });
    let blow = Blow {
        by,
        rejoin: target.rejoin.clone().unwrap_or_default(),
    };
    change(play, id, -loss, Cause::Attacked, Some(blow))?;
    let mut falls = None;
    if let Some(amount) = target.damage {
        let damaged = play.wound(&Hit {
            target: id,
            member: target.member.as_ref(),
            amount,
            source: Some(by),
        })?;
        falls = play.fall(&damaged)?;
        play.emit(damaged);
    }
    let condition = if target.killed {
        Some(Slug::fixed("dead"))
    } else {
        falls
    };
    let Some(condition) = condition else {
        return Ok(false);
    };
    play.emit(ConditionSet {
        combatant: id.clone(),
        member: target.member.clone(),
        condition,
    });
    Ok(true)
}

impl Rush {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        manoeuvre(play, &self.combatant, "rush", self.moved)
    }
}

impl Disengage {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        manoeuvre(play, &self.combatant, "disengage", self.moved)
    }
}

/// A Rush or Disengage: a combat action whose move may come later (VE-15).
fn manoeuvre(
    play: &mut Play<'_>,
    id: &CombatantId,
    action: &'static str,
    moved: bool,
) -> Result<(), Violation> {
    may_take_action(play, id)?;
    play.emit(ActionTaken {
        combatant: id.clone(),
        action: Some(Text::fixed(action)),
        attack: false,
        decisive: false,
        follow_up: !moved,
        reflexive: false,
    });
    Ok(())
}

fn may_take_action(play: &Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let state = &in_turn(play, id, "VE-10")?.state;
    require(
        state.has_action() || state.flurrying,
        "no_action_left",
        "VE-10",
        || format!("{id} has already taken a combat action. Send \"flurry\" for a second one."),
    )?;
    require(state.has_action(), "no_action_left", "VE-11", || {
        format!("{id} has already taken both actions of the flurry. Send \"end_turn\".")
    })
}

impl Flurry {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        let state = &in_turn(play, id, "VE-11")?.state;
        require(!state.flurrying, "already_flurrying", "VE-11", || {
            format!("{id} has already started a flurry. Send the second action.")
        })?;
        require(state.actions_taken > 0, "no_action_yet", "VE-11", || {
            format!(
                "{id} hasn't taken a combat action yet. Send the first action before \"flurry\"."
            )
        })?;
        play.emit(Flurried {
            combatant: id.clone(),
        });
        Ok(())
    }
}

impl Attacked {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        fold.change(&self.target, |c| c.state.onslaught = self.onslaught);
    }
}

impl ActionTaken {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        if self.reflexive {
            return;
        }
        fold.change(&self.combatant, |c| {
            c.state.actions_taken = c.state.actions_taken.saturating_add(1);
            c.state.attacked |= self.attack;
            c.state.follow_up |= self.follow_up;
        });
    }
}

impl Flurried {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        fold.change(&self.combatant, |c| c.state.flurrying = true);
    }
}

/// The combat actions of the combatant that has the turn or is next.
pub(super) fn options(
    encounter: &Encounter,
    targets: &Targets<'_>,
    actor: &CombatantId,
) -> Vec<LegalCommand> {
    let act = LegalCommand::by::<Act>(actor, "VE-10");
    let mut legal = vec![act.clone().only(&["action"])];
    if let Some(c) = encounter.get(actor) {
        let act = act.labelled("{combatant}: attack");
        legal.push(attacking(targets, c, act));
    }
    legal.push(LegalCommand::by::<Rush>(actor, "VE-15"));
    legal.push(LegalCommand::by::<Disengage>(actor, "VE-15"));
    legal.push(LegalCommand::by::<Flurry>(actor, "VE-11"));
    legal
}

/// The attacks outside the attacker's turn (VE-10a).
pub(super) fn outside_the_turn(
    encounter: &Encounter,
    targets: &Targets<'_>,
    legal: &mut Vec<LegalCommand>,
) {
    for c in on_track(encounter) {
        let act = LegalCommand::by::<Act>(&c.id, "VE-10a")
            .labelled("{combatant}: attack outside the turn")
            .with("reflexive", true);
        legal.push(attacking(targets, c, act).required("attacked"));
    }
}

/// For each side, the combatants that it attacks, its foes first: a list that options share.
pub(super) type Targets<'t> = BTreeMap<&'t Slug, Arc<[Value]>>;

/// The combatants on the track as each side attacks them: its foes first.
pub(super) fn targets_by_side(encounter: &Encounter) -> Targets<'_> {
    let mut lists = BTreeMap::new();
    for attacker in on_track(encounter) {
        lists.entry(&attacker.side).or_insert_with(|| {
            let mut targets: Vec<&Combatant> = on_track(encounter).collect();
            targets.sort_by_key(|c| c.side == attacker.side);
            shared_list(targets.into_iter().map(|c| &c.id))
        });
    }
    lists
}

/// An attack on one of the targets of the attacker's side.
fn attacking(targets: &Targets<'_>, attacker: &Combatant, act: LegalCommand) -> LegalCommand {
    let attack = act.with("attack", true).without(&["reflexive"]);
    let Some(targets) = targets.get(&attacker.side) else {
        return attack;
    };
    let mut target = vec![Property::required(
        "combatant",
        Values::among(targets, vec![json!(attacker.id)]),
    )];
    target.extend(Target::only(&["loses"]));
    attack.open("attacked", Values::only(Values::Object(target)))
}
