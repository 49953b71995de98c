//! Files of other trackers.

use super::import::IMPORTS;
use super::work::WhenFull;
use super::{App, AppError};
use crate::convert::{Conversion, Wish, convert};
use bytes::Bytes;
use std::sync::Arc;

const NONE: &str = "no ruleset takes the initiatives of other trackers";

impl App {
    /// Makes a creation of a file of another tracker: of the fight named `encounter`, for `ruleset`.
    /// With `is_strict` one of several must be named.
    pub async fn convert(
        self: &Arc<Self>,
        file: Bytes,
        ruleset: Option<String>,
        encounter: Option<String>,
        is_strict: bool,
    ) -> Result<Conversion, AppError> {
        let ruleset = match ruleset {
            Some(id) => self.rulesets.known(&id)?,
            None => match self.rulesets.for_trackers() {
                Some(usual) => usual,
                None => return Err(AppError::Internal(NONE.to_owned())),
            },
        };
        let (manifest, take_order) = (ruleset.manifest, ruleset.take_order);
        // A file may have as many bytes as a log.
        let convert = self.imports.run(IMPORTS, WhenFull::Refuse, move |_| {
            let wish = Wish {
                ruleset: manifest.id,
                down: manifest.down,
                take_order,
                encounter: encounter.as_deref(),
                is_strict,
            };
            convert(&file, &wish)
        });
        Ok(convert.await??)
    }
}
