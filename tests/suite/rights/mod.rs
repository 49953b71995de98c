//! Who may send what: the whole matrix by machine and what is listed for whom, below HTTP; rounds without a game master, over it.

mod lists;
mod matrix;
mod rounds;
