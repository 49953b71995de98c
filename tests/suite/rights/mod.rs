//! Who may send what, below HTTP: the whole matrix by machine, what is listed for whom, and rounds without a game master.

mod lists;
mod matrix;
mod rounds;
