//! The rules decide what is awaited (DC-18, DC-22, DC-24b, DC-52).

use super::assign::close_question;
use super::claim::close_contest;
use super::turn::close_legendary;
use super::{Phase, Play};
use crate::vocabulary::{Violation, command};

/// Let the rules decide what is awaited: the claims so far decide a PC Turn (DC-18), an Enemy or NPC
/// Turn begins as it is or stays empty (DC-22), and those for whom a taken one asked are set
/// aside (DC-24b); legendary actions are over (DC-52).
#[command(gm, "Resolve automatically")]
pub struct Resolve {}

impl Resolve {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        match play.encounter().state.phase {
            Phase::Claim => close_contest(play, &[], false)?,
            Phase::Assign => close_question(play),
            Phase::BetweenTurns | Phase::RoundEnd => close_legendary(play),
            _ => {
                let detail = "Nothing can be resolved automatically now. See \"pending\".";
                return Err(Violation::new("nothing_to_resolve", "DC-22", detail));
            }
        }
        Ok(())
    }
}
