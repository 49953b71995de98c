//! Calls of every store and what each is answered: see `tests/store.json`. Part of the conformance
//! suite.

use serde::Deserialize;
use serde_json::{Value, json};
use turnkeeper::store::{Committed, Entry, Found, NewEncounter, Store, StoreError};

use super::conformance::KEPT;
use super::{Stand, answered, entry, filled, imported, logged, rebased, unlogged};

/// Calls about one encounter, one after the other.
#[derive(Deserialize)]
struct Script {
    name: String,
    /// The number of log entries of the encounter; where there is none, it is not created.
    entries: Option<u64>,
    calls: Vec<Step>,
}

#[derive(Debug, Deserialize)]
struct Step {
    #[serde(flatten)]
    call: Call,
    /// What follows the id of the encounter in that of another one.
    #[serde(default)]
    of: String,
    /// The answer, or some of its members.
    is: Value,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Call {
    Create {
        document: String,
        revision: Option<u64>,
        base: Option<(u64, String)>,
        #[serde(default)]
        entries: Vec<u64>,
    },
    Commit {
        /// The revision that is expected; the next one is made.
        on: u64,
        document: String,
        entry: Option<u64>,
        new_base: Option<(u64, String)>,
        answer: Option<(u8, String)>,
    },
    Load {
        known: Option<u64>,
        key: Option<u8>,
    },
    /// Reads the log after a version, up to a number of entries and of bytes.
    Log(u64, usize, usize),
    Base {},
    Delete {},
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

fn found(found: &Found) -> Value {
    let [document, answer] =
        [&found.document, &found.answer].map(|bytes| bytes.as_deref().map(text));
    json!({"revision": found.revision, "version": found.version, "document": document, "answer": answer})
}

/// The first and the last version of entries without a gap.
fn range(entries: &[Entry]) -> Value {
    let Some((first, last)) = entries.first().zip(entries.last()) else {
        return json!([]);
    };
    assert_eq!(
        entries,
        (first.version..=last.version)
            .map(entry)
            .collect::<Vec<_>>()
    );
    json!([first.version, last.version])
}

impl Call {
    async fn answer(&self, store: &dyn Store, id: &str) -> Result<Value, StoreError> {
        Ok(match self {
            Self::Create {
                document,
                revision,
                base,
                entries,
            } => {
                let (version, base) = base
                    .as_ref()
                    .map_or((0, document), |(version, base)| (*version, base));
                let new = imported(document, base, version, entries);
                let existing = store
                    .create(
                        id,
                        NewEncounter {
                            revision: revision.unwrap_or(1),
                            ..new
                        },
                    )
                    .await?;
                json!(existing.as_deref().map(text))
            }
            Self::Commit {
                on,
                document,
                entry,
                new_base,
                answer,
            } => {
                let commit = entry.map_or_else(
                    || unlogged(*on, document),
                    |entry| logged(*on, document, entry),
                );
                let commit = new_base.iter().fold(commit, |commit, (version, base)| {
                    rebased(commit, *version, base)
                });
                let commit = answer.iter().fold(commit, |commit, (key, answer)| {
                    answered(commit, *key, answer)
                });
                match store.commit(id, commit).await? {
                    Committed::Done => json!("done"),
                    Committed::Anew => json!("anew"),
                    Committed::Conflict(newest) => json!({"conflict": found(&newest)}),
                    Committed::Replayed(answer) => json!({"replayed": text(&answer)}),
                }
            }
            Self::Load { known, key } => found(
                &store
                    .load(id, *known, key.map(|key| [key; 32]).as_ref())
                    .await?,
            ),
            Self::Log(after, limit, bytes) => {
                let page = store.log(id, *after, *limit, *bytes).await?;
                json!({"base_version": page.base_version, "version": page.version, "entries": range(&page.entries)})
            }
            Self::Base {} => {
                let base = store.base(id).await?;
                json!({"version": base.version, "document": text(&base.document)})
            }
            Self::Delete {} => {
                store.delete(id).await?;
                json!("done")
            }
        })
    }
}

pub async fn calls_are_answered_as_written(stand: &impl Stand, id: &str) {
    let scripts: Vec<Script> =
        serde_json::from_str(include_str!("../../store.json")).expect("scripts");
    let store = stand.store(KEPT);
    for (n, script) in scripts.iter().enumerate() {
        let id = format!("{id}-{n}");
        if let Some(entries) = script.entries {
            filled(&*store, &id, entries).await;
        }
        for step in &script.calls {
            let answer = match step.call.answer(&*store, &format!("{id}{}", step.of)).await {
                Ok(answer) => answer,
                Err(StoreError::Missing) => json!("missing"),
                Err(StoreError::Corrupt(_)) => json!("corrupt"),
                Err(error) => panic!("{}: {step:?}: {error}", script.name),
            };
            let as_written = match &step.is {
                Value::Object(members) => {
                    members.iter().all(|(name, value)| answer[name] == *value)
                }
                whole => answer == *whole,
            };
            assert!(as_written, "{}: {step:?}: {answer}", script.name);
        }
    }
}
