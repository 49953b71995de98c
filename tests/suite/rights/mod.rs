//! Who may send what: the full matrix and each viewer's options, below HTTP; rounds without a game
//! master, over HTTP.

mod lists;
mod matrix;
mod rounds;
mod sheets;
