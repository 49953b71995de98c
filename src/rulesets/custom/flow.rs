//! How a fight goes on: the one loop from turn to turn.

use super::candidates::chooser;
use super::cards::ask_for_cards;
use super::clock::{changes_before, reach_next_definition};
use super::declare::ask_for_declarations;
use super::gap::has_unasked;
use super::openings::{Opening, reacting};
use super::point::Point;
use super::roll::ask_for_roll;
use super::round::next_round;
use super::turn::{begin, continue_turn, skip_turn};
use super::walk::{Next, next};
use super::{ChoiceOpened, GapAt, GapOpened, Halted, Mode, Play, TurnOrigin};

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
    let coming = next(play.encounter());
    if let Next::Turn(who) | Next::Choice(who) = &coming
        && changes_before(play.encounter(), who)
    {
        reach_next_definition(play, who);
        return Some(Point::Declare);
    }
    match coming {
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
