//! What the rules decide when they are asked to (CU-36).

use super::candidates::candidates;
use super::cards::choosing_cards;
use super::declare::show;
use super::initiative::NOTHING;
use super::openings::asked;
use super::point::{Point, Then};
use super::turn::{begin, next_step};
use super::{CardChoiceClosed, GapClosed, Mode, Play, TurnOrigin};
use crate::vocabulary::{Violation, command, ids};

/// Resolves the pending decision automatically: defaults, server dice, the first in order, the
/// next step, no reactions.
#[command(gm, "Resolve automatically")]
pub struct Resolve {}

impl Resolve {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<Then, Violation> {
        let encounter = play.encounter();
        match encounter.state.mode {
            Mode::Declaring => {
                show(play);
                Ok(Then::GoOn(Point::Roll))
            }
            Mode::Rolling => NOTHING.decide(play),
            Mode::Keeping => {
                let combatants = ids(choosing_cards(encounter)).into();
                play.emit(CardChoiceClosed { combatants });
                Ok(Then::GoOn(Point::Next))
            }
            Mode::Choosing => Ok(resolve_choice(play)),
            Mode::Turn => {
                next_step(play);
                Ok(Then::GoOn(Point::Turn))
            }
            Mode::Gap { .. } => {
                let asked = ids(asked(encounter));
                if !asked.is_empty() {
                    play.emit(GapClosed {
                        combatants: asked.into(),
                    });
                }
                Ok(Then::GoOn(Point::Next))
            }
            Mode::Setup | Mode::Halted | Mode::SomeoneActs => Err(Violation::new(
                "nothing_to_resolve",
                "CU-36",
                "No combatant is left to act. Add or heal one first.",
            )),
        }
    }
}

/// The first candidate begins.
fn resolve_choice(play: &mut Play<'_>) -> Then {
    let mut who = candidates(play.encounter());
    who.truncate(1);
    if who.is_empty() {
        return Then::GoOn(Point::Next);
    }
    begin(play, who, TurnOrigin::Normal);
    Then::GoOn(Point::Turn)
}
