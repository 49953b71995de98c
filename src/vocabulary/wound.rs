//! Damage: what it does to hit points, and what condition follows when they are gone.

use super::{
    Combatant, CombatantId, Damaged, HitPoints, Hp, Member, MemberId, Play, Ruleset, Slug,
    Violation,
};

/// Damage to one combatant, or to a member of a group.
pub struct Hit<'w> {
    /// The combatant that takes it.
    pub target: &'w CombatantId,
    /// The member that takes it.
    pub member: Option<&'w MemberId>,
    /// Damage after all reductions.
    pub amount: HitPoints,
    /// The combatant that deals it.
    pub source: Option<&'w CombatantId>,
}

impl<R: Ruleset> Play<'_, R> {
    /// The event of a hit, which is not emitted. Refused for an unknown combatant or member, and
    /// if a member must be named.
    pub fn wound(&self, hit: &Hit<'_>) -> Result<Damaged, Violation> {
        let hp = self.hit_points(hit.target, hit.member)?;
        if let Some(source) = hit.source {
            self.combatant("source", source)?;
        }
        let amount = hit.amount.count();
        let mut damaged = Damaged {
            combatant: hit.target.clone(),
            member: hit.member.cloned(),
            amount,
            temp_lost: 0,
            hp_lost: amount,
            hp_left: None,
            source: hit.source.cloned(),
            set: false,
        };
        if let Some(hp) = hp {
            let before = hp.current.count();
            damaged.temp_lost = hp.temp.count().min(amount);
            damaged.hp_lost = before.min(amount - damaged.temp_lost);
            damaged.hp_left = Some(before - damaged.hp_lost);
        }
        Ok(damaged)
    }

    /// The condition that comes with the last hit point, unless it is there already.
    pub fn fall(&self, damaged: &Damaged) -> Result<Option<Slug>, Violation> {
        if damaged.hp_left != Some(0) || damaged.hp_lost == 0 {
            return Ok(None);
        }
        let target = &damaged.combatant;
        let Some(down) = self.combatant("target", target)?.down() else {
            return Ok(None);
        };
        let conditions = self.conditions(target, damaged.member.as_ref())?;
        Ok(if conditions.contains(&down) {
            None
        } else {
            Some(down)
        })
    }

    /// The hit points that damage and healing change; None if they are not tracked.
    pub fn hit_points(
        &self,
        target: &CombatantId,
        member: Option<&MemberId>,
    ) -> Result<Option<Hp>, Violation> {
        let combatant = self.combatant("target", target)?;
        match member {
            Some(member) => Ok(member_of(combatant, member)?.hp),
            None if combatant.hurt_by_member() => {
                let members = &combatant.members;
                let ids: Vec<&str> = members.iter().map(|member| member.id.as_str()).collect();
                let detail = format!(
                    "The members of {target} have hit points of their own. Add \"member\". Members: {}.",
                    ids.join(", ")
                );
                Err(Violation::field("member_needed", "member", detail))
            }
            None => Ok(combatant.hp),
        }
    }

    /// The conditions of a combatant, or of one of its members.
    pub fn conditions(
        &self,
        target: &CombatantId,
        member: Option<&MemberId>,
    ) -> Result<&Vec<Slug>, Violation> {
        let combatant = self.combatant("target", target)?;
        match member {
            Some(member) => Ok(&member_of(combatant, member)?.conditions),
            None => Ok(&combatant.conditions),
        }
    }
}

fn member_of<'c, R: Ruleset>(
    combatant: &'c Combatant<R>,
    id: &MemberId,
) -> Result<&'c Member, Violation> {
    combatant.member(id).ok_or_else(|| {
        let ids: Vec<&str> = combatant.members.iter().map(|m| m.id.as_str()).collect();
        let remedy = if ids.is_empty() {
            "Remove \"member\".".to_owned()
        } else {
            format!("Members: {}.", ids.join(", "))
        };
        let detail = format!("{} has no member \"{id}\". {remedy}", combatant.id);
        Violation::field("unknown_member", "member", detail)
    })
}
