//! The encounters of an application.

use super::line::MAX_PAGE;
use super::{App, AppError};
use crate::engine::Summary;

/// So many encounters are on a page at most.
pub const MAX_LISTED: usize = 100;

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
