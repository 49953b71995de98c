//! The encounters of an application.

use super::create::ID_BYTES;
use super::views::MAX_PAGE;
use super::{App, AppError};
use crate::engine::Summary;
use crate::store::listed_id;
use data_encoding::BASE32_NOPAD_NOCASE as BASE32;

/// So many encounters are on a page at most.
pub const MAX_LISTED: usize = 100;

/// Whether a page can have ended with this: a place in a list, of an encounter with an id such as [`App::create`] gives.
pub fn is_cursor(text: &str) -> bool {
    let made = |id: &str| BASE32.decode(id.as_bytes()).is_ok_and(|bytes| bytes.len() == ID_BYTES);
    listed_id(text).is_some_and(|id| made(id) && !id.bytes().any(|b| b.is_ascii_uppercase()))
}

/// A page of the encounters of an application.
pub struct Summaries {
    /// The encounters, newest first, without those that this program cannot read.
    pub items: Vec<Summary>,
    /// Where the next page begins, where something may follow.
    pub next: Option<String>,
}

impl App {
    /// At most `limit` of an application's encounters, newest first: those before the place `cursor`, which another page ended with.
    pub async fn list(&self, application: &str, cursor: Option<&str>, limit: usize) -> Result<Summaries, AppError> {
        let listing = self.store.list(application, cursor, limit.min(MAX_LISTED), MAX_PAGE).await?;
        let items = listing.items.iter().filter_map(|listed| match self.rulesets.load(&listed.document) {
            Ok(game) => Some(game.summary()),
            // Damaged, or a newer program's: that is no reason to show none of the others.
            Err(error) => {
                let encounter: String = listed.id.chars().take(8).collect();
                tracing::warn!(encounter, %error, "left out of a list");
                None
            }
        });
        Ok(Summaries { items: items.collect(), next: listing.next })
    }
}
