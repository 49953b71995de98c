//! Damage: what it does to hit points, and what condition follows when they are gone.

use super::{
    Combatant, CombatantId, Damage, Damaged, Hp, Member, MemberId, Play, Ruleset, Slug, Violation,
};

impl<R: Ruleset> Play<'_, R> {
    /// The event of `damage`, which is not emitted, and the condition that the target or its member
    /// gets with its last hit point, unless it has it already. Refused for an unknown combatant or
    /// member, and where a member must be named.
    pub fn wound(&self, damage: &Damage) -> Result<(Damaged, Option<Slug>), Violation> {
        let (target, member) = (&damage.target, damage.member.as_ref());
        let hp = self.hit_points(target, member)?;
        if let Some(source) = &damage.source {
            self.combatant("source", source)?;
        }
        let amount = damage.amount.count();
        let temp_lost = hp.map_or(0, |hp| hp.temp.count().min(amount));
        let hp_lost = hp.map_or(amount, |hp| hp.current.count().min(amount - temp_lost));
        let left = hp.map(|hp| hp.current.count() - hp_lost);
        let fell = left == Some(0) && hp_lost > 0;
        let conditions = self.conditions(target, member)?;
        let down = if fell {
            self.encounter().get(target).and_then(Combatant::down)
        } else {
            None
        };
        let damaged = Damaged {
            combatant: target.clone(),
            member: damage.member.clone(),
            amount,
            temp_lost,
            hp_lost,
            hp: left,
            source: damage.source.clone(),
        };
        Ok((damaged, down.filter(|down| !conditions.contains(down))))
    }

    /// The hit points that damage and healing change; None where nobody keeps any.
    pub fn hit_points(
        &self,
        target: &CombatantId,
        member: Option<&MemberId>,
    ) -> Result<Option<Hp>, Violation> {
        let combatant = self.combatant("target", target)?;
        match member {
            Some(member) => Ok(member_of(combatant, member)?.hp),
            None if combatant.hurt_by_member() => {
                let members: Vec<&str> = combatant
                    .members
                    .iter()
                    .map(|member| member.id.as_str())
                    .collect();
                let members = members.join(", ");
                let detail = format!(
                    "the hit points of {target} are those of its members: name one of {members}"
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
        member.map_or(Ok(&combatant.conditions), |member| {
            Ok(&member_of(combatant, member)?.conditions)
        })
    }
}

fn member_of<'c, R: Ruleset>(
    combatant: &'c Combatant<R>,
    id: &MemberId,
) -> Result<&'c Member, Violation> {
    combatant.member(id).ok_or_else(|| {
        let detail = format!("{} has no member {id}", combatant.id);
        Violation::field("unknown_member", "member", detail)
    })
}
