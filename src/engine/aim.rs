//! Whom a command is for: a combatant, a member of a group, or several combatants at once.

use super::Refusal;
use crate::json::FieldError;
use crate::vocabulary::{CombatantId, Encounter, Member, MemberId, Play, Ruleset};
use std::collections::HashSet;

/// A combatant, or a member of a group, that a command is for.
#[derive(Clone)]
pub(super) struct Aim {
    pub target: CombatantId,
    pub member: Option<MemberId>,
}

/// All that a command is for.
pub(super) struct Aims {
    pub all: Vec<Aim>,
    /// True if the command names several by `targets`.
    are_several: bool,
}

impl Aims {
    /// The one that `target` and `member` name, or each of `targets`.
    pub fn of<R: Ruleset>(
        play: &Play<'_, R>,
        target: Option<CombatantId>,
        member: Option<MemberId>,
        targets: Option<Vec<CombatantId>>,
    ) -> Result<Self, Refusal> {
        let Some(targets) = targets else {
            let Some(target) = target else {
                let message = "Name a combatant here, or several in \"targets\".";
                return Err(FieldError::meaningless("target", message).into());
            };
            return Ok(Self {
                all: vec![Aim { target, member }],
                are_several: false,
            });
        };
        if target.is_some() || member.is_some() {
            let message = "A command has either \"targets\" or \"target\" and \"member\". Send one \
                           of the two.";
            return Err(FieldError::meaningless("targets", message).into());
        }
        check_distinct(play, "targets", &targets)?;
        let alone = |target| Aim {
            target,
            member: None,
        };
        Ok(Self {
            all: targets.into_iter().map(alone).collect(),
            are_several: true,
        })
    }

    /// The same for hit points: a group among several is its members.
    pub fn at_hit_points<R: Ruleset>(self, play: &Play<'_, R>) -> Vec<Aim> {
        if !self.are_several {
            return self.all;
        }
        let whole = |aim: Aim| members_that_stand(play.encounter(), aim.target);
        self.all.into_iter().flat_map(whole).collect()
    }
}

/// The members of a group whose hit points are those of its members that have some left, or all if
/// none has; another combatant itself.
pub(super) fn members_that_stand<R: Ruleset>(
    encounter: &Encounter<R>,
    target: CombatantId,
) -> Vec<Aim> {
    let group = encounter.get(&target).filter(|c| c.hurt_by_member());
    let Some(group) = group else {
        return vec![Aim {
            target,
            member: None,
        }];
    };
    let stands = |m: &&Member| m.hp.is_none_or(|hp| hp.current.count() > 0);
    let any_stands = group.members.iter().any(|m| stands(&m));
    let hit = group.members.iter().filter(|m| !any_stands || stands(m));
    hit.map(|m| Aim {
        target: target.clone(),
        member: Some(m.id.clone()),
    })
    .collect()
}

/// Refuses the list at `path` if one of it is not there, or is named twice.
pub(super) fn check_distinct<R: Ruleset>(
    play: &Play<'_, R>,
    path: &str,
    targets: &[CombatantId],
) -> Result<(), Refusal> {
    if targets.is_empty() {
        let message = "The list is empty. Name at least one combatant.";
        return Err(FieldError::malformed(path, message).into());
    }
    let mut named = HashSet::new();
    for (index, target) in targets.iter().enumerate() {
        let place = format!("{path}.{index}");
        if !named.insert(target) {
            let message = "This combatant is named twice. Name it once.";
            return Err(FieldError::meaningless(place, message).into());
        }
        play.combatant(place, target)?;
    }
    Ok(())
}
