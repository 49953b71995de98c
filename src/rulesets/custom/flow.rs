//! How a fight goes on: the one loop from turn to turn.

use super::candidates::chooser;
use super::cards::ask_for_cards;
use super::declare::ask_for_declarations;
use super::gap::has_unasked;
use super::openings::{Opening, reacting};
use super::roll::ask_for_roll;
use super::round::next_round;
use super::turn::{begin, continue_turn, skip_turn};
use super::walk::Next;
use super::walk::next;
use super::{ChoiceOpened, GapAt, GapOpened, Halted, Mode, Play, TurnOrigin};

/// A point from which a fight goes on by itself.
#[derive(Debug, Clone, Copy)]
pub(super) enum Point {
    /// The turn that is going on; without one, the end of a turn.
    Turn,
    /// The search for the next combatant, after any gap.
    Next,
    /// The end of the round, if all have declined to react before it.
    RoundEnd,
    /// The next round.
    NextRound,
    /// The declarations of the round, if it has any.
    Declare,
    /// The roll of the round, if one is due.
    Roll,
    /// The choice among the cards that the roll has dealt, if there is any.
    Dealt,
}

/// Goes on to where somebody decides. This is the only loop of the flow, and it has one bound: it
/// crosses the end of one round at most. A further round in which nobody can act stops in a gap.
pub(super) fn proceed(play: &mut Play<'_>, from: Point) {
    let mut crossed = false;
    let mut point = Some(from);
    while let Some(here) = point {
        point = match here {
            Point::Turn => continue_turn(play),
            Point::Next => find_next(play),
            Point::RoundEnd if crossed || has_unasked(play) => {
                play.emit(GapOpened {
                    at: GapAt::RoundEnd,
                });
                None
            }
            Point::RoundEnd | Point::NextRound => {
                crossed = true;
                next_round(play)
            }
            Point::Declare => ask_for_declarations(play),
            Point::Roll => ask_for_roll(play),
            Point::Dealt => ask_for_cards(play),
        };
    }
}

/// Begins the next turn, or asks who takes it; with nobody to act the round is over.
fn find_next(play: &mut Play<'_>) -> Option<Point> {
    let encounter = play.encounter();
    let starting = encounter.state.starting && encounter.state.turns.is_empty();
    if starting && reacting(encounter, Opening::RoundStart).next().is_some() {
        play.emit(GapOpened {
            at: GapAt::RoundStart,
        });
        return None;
    }
    let mode = play.encounter().state.mode.clone();
    match next(play.encounter()) {
        Next::Skip(id) => {
            skip_turn(play, &id);
            Some(Point::Turn)
        }
        Next::Turn(who) => {
            begin(play, who, TurnOrigin::Normal);
            Some(Point::Turn)
        }
        Next::Choice(_) => {
            if mode != Mode::Choosing {
                let chooser = chooser(play.encounter()).cloned();
                play.emit(ChoiceOpened { chooser });
            }
            None
        }
        Next::RoundEnd => Some(Point::RoundEnd),
        Next::Halted => {
            if mode != Mode::Halted {
                play.emit(Halted {});
            }
            None
        }
    }
}
