//! The log put to use: undo, time travel, the live feed, export and import, retention, and the
//! schema of what is stored.

mod admission;
mod bytes;
pub mod feed;
mod followers;
mod lost;
mod schema;
mod shape;
mod transfer;
mod travel;

use crate::e2e::{Api, Setup};

/// A server that keeps at least this number of entries of each log.
async fn keeping(keep: u64) -> Api {
    Api::set_up(Setup {
        keep: Some(keep),
        ..Setup::default()
    })
    .await
}
