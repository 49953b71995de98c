//! What only one ruleset needs tested, where a transcript cannot show it.

mod custom;
mod dc20;
mod dc20_merges;
mod exp;
mod exp_jumps;
mod windows;
