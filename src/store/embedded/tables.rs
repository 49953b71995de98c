//! The tables of the file, and every change of them as a step of a write transaction.

use std::sync::Arc;

use bytes::Bytes;
use redb::{Database, ReadTransaction, ReadableTable, Table, TableDefinition, WriteTransaction};

use super::clock::Millis;
use crate::store::{Base, Commit, Committed, Found, KeyDigest, NewEncounter, Notice, StoreError, list_position};

/// The expiry of an encounter that never expires.
pub(super) const NEVER: Millis = Millis::MAX;

/// Revision, version, expiry, the time in [`EXPIRY`] that the newest commit counts on, document.
type DocumentRow = (u64, u64, Millis, Millis, &'static [u8]);

pub(super) const DOCUMENTS: TableDefinition<&str, DocumentRow> = TableDefinition::new("documents");
/// Version and document of the base.
pub(super) const BASES: TableDefinition<&str, (u64, &[u8])> = TableDefinition::new("bases");
/// The first base, once there is a newer one.
const CREATED: TableDefinition<&str, &[u8]> = TableDefinition::new("created");
pub(super) const LOG: TableDefinition<(&str, u64), &[u8]> = TableDefinition::new("log");
/// The time of an answer, and the answer.
pub(super) const ANSWERS: TableDefinition<(&str, &KeyDigest), (Millis, &[u8])> = TableDefinition::new("answers");
/// The answers by their times.
pub(super) const ANSWERED: TableDefinition<(Millis, &str, &KeyDigest), ()> = TableDefinition::new("answered");
/// The encounters by times at which the sweep looks at them. Commits need not move these, and some may be left over.
pub(super) const EXPIRY: TableDefinition<(Millis, &str), ()> = TableDefinition::new("expiry");
/// The encounters of each application by their positions.
pub(super) const LISTED: TableDefinition<(&str, &str), ()> = TableDefinition::new("listed");
/// The application of an encounter, and its position in the list.
pub(super) const OWNERS: TableDefinition<&str, (&str, &str)> = TableDefinition::new("owners");
pub(super) const META: TableDefinition<&str, &[u8]> = TableDefinition::new("meta");
pub(super) const SALT: &str = "salt";
/// The store's time when it was last kept, in 8 bytes.
const TIME: &str = "time";

/// Maximum encounters, and maximum answers, that one transaction sweeps.
const SWEEP: usize = 64;

pub(super) type Step<T> = Result<T, StepError>;

/// Why a step of a transaction did nothing.
pub(super) enum StepError {
    /// It was refused before it changed anything; the transaction goes on.
    Refused(StoreError),
    /// The database failed, and with it the whole transaction.
    Failed(redb::Error),
}

impl From<StoreError> for StepError {
    fn from(refusal: StoreError) -> Self {
        Self::Refused(refusal)
    }
}

impl<E: Into<redb::Error>> From<E> for StepError {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// All tables, open in one write transaction.
pub(super) struct Tables<'t> {
    documents: Table<'t, &'static str, DocumentRow>,
    bases: Table<'t, &'static str, (u64, &'static [u8])>,
    created: Table<'t, &'static str, &'static [u8]>,
    log: Table<'t, (&'static str, u64), &'static [u8]>,
    answers: Table<'t, (&'static str, &'static KeyDigest), (Millis, &'static [u8])>,
    answered: Table<'t, (Millis, &'static str, &'static KeyDigest), ()>,
    expiry: Table<'t, (Millis, &'static str), ()>,
    listed: Table<'t, (&'static str, &'static str), ()>,
    owners: Table<'t, &'static str, (&'static str, &'static str)>,
    meta: Table<'t, &'static str, &'static [u8]>,
    now: Millis,
    /// How long an encounter lives after a write.
    ttl: Option<Millis>,
    /// How long an answer lives.
    keep: Millis,
    /// To be sent when the transaction is durable.
    pub(super) notices: Vec<Notice>,
    /// Whether positions in lists count on this time, so that it must be kept.
    pub(super) time_counts: bool,
}

struct Head {
    revision: u64,
    version: u64,
    expires: Millis,
    indexed: Millis,
}

impl<'t> Tables<'t> {
    /// Opens the tables, and creates missing ones.
    pub(super) fn open(
        transaction: &'t WriteTransaction, now: Millis, ttl: Option<Millis>, keep: Millis,
    ) -> Result<Self, redb::Error> {
        Ok(Self {
            documents: transaction.open_table(DOCUMENTS)?,
            bases: transaction.open_table(BASES)?,
            created: transaction.open_table(CREATED)?,
            log: transaction.open_table(LOG)?,
            answers: transaction.open_table(ANSWERS)?,
            answered: transaction.open_table(ANSWERED)?,
            expiry: transaction.open_table(EXPIRY)?,
            listed: transaction.open_table(LISTED)?,
            owners: transaction.open_table(OWNERS)?,
            meta: transaction.open_table(META)?,
            now,
            ttl,
            keep,
            notices: Vec::new(),
            time_counts: false,
        })
    }

    fn head(&self, id: &str) -> Result<Option<Head>, redb::Error> {
        let row = self.documents.get(id)?;
        Ok(row.map(|row| {
            let (revision, version, expires, indexed, _) = row.value();
            Head { revision, version, expires, indexed }
        }))
    }

    fn living(&self, id: &str) -> Result<Option<Head>, redb::Error> {
        Ok(self.head(id)?.filter(|head| head.expires > self.now))
    }

    fn expires(&self) -> Millis {
        self.ttl.map_or(NEVER, |ttl| self.now.saturating_add(ttl))
    }

    /// Makes the sweep look at `id` no later than it expires. Returns its time in [`EXPIRY`].
    fn index(&mut self, id: &str, indexed: Millis, expires: Millis) -> Result<Millis, redb::Error> {
        if indexed > self.now && indexed <= expires {
            return Ok(indexed);
        }
        if expires != NEVER {
            self.expiry.insert((expires, id), ())?;
        }
        if indexed != NEVER {
            self.expiry.remove((indexed, id))?;
        }
        Ok(expires)
    }

    /// Keeps a new encounter. Returns the first base of one that exists.
    pub(super) fn create(&mut self, id: &str, new: &NewEncounter) -> Step<Option<Bytes>> {
        if self.living(id)?.is_some() {
            if let Some(first) = self.created.get(id)? {
                return Ok(Some(Bytes::copy_from_slice(first.value())));
            }
            let base = self.bases.get(id)?.ok_or_else(|| no_base(id))?;
            return Ok(Some(Bytes::copy_from_slice(base.value().1)));
        }
        self.remove(id)?;
        let expires = self.expires();
        let indexed = self.index(id, NEVER, expires)?;
        self.documents.insert(id, (new.revision, new.version(), expires, indexed, &new.document[..]))?;
        self.bases.insert(id, (new.base.version, &new.base.document[..]))?;
        for entry in &new.entries {
            self.log.insert((id, entry.version), &entry.bytes[..])?;
        }
        if let Some(application) = &new.application {
            let position = list_position(self.now, id);
            self.time_counts = true;
            self.listed.insert((application.as_str(), position.as_str()), ())?;
            self.owners.insert(id, (application.as_str(), position.as_str()))?;
        }
        Ok(None)
    }

    pub(super) fn commit(&mut self, id: &str, commit: &Commit) -> Step<Committed> {
        let head = self.living(id)?.ok_or(StoreError::Missing)?;
        if let Some((digest, _)) = &commit.answer
            && let Some(row) = self.answers.get((id, digest))?
        {
            let (at, answer) = row.value();
            if at.saturating_add(self.keep) > self.now {
                return Ok(Committed::Replayed(Bytes::copy_from_slice(answer)));
            }
        }
        if head.revision != commit.expected {
            let document = self.documents.get(id)?.map(|row| Bytes::copy_from_slice(row.value().4));
            let (revision, version) = (head.revision, head.version);
            return Ok(Committed::Conflict(Found { revision, version, document, answer: None }));
        }
        let version = commit.entry.as_ref().map_or(head.version, |entry| entry.version);
        if commit.entry.is_some() && version != head.version.saturating_add(1) {
            let reason = format!("entry {version} does not follow version {}", head.version);
            return Err(StoreError::Corrupt(reason).into());
        }
        if let Some(Base { version: new, .. }) = commit.new_base {
            let base = self.bases.get(id)?.ok_or_else(|| no_base(id))?.value().0;
            if !(base..=version).contains(&new) {
                let reason = format!("a base at {new} does not lie between {base} and {version}");
                return Err(StoreError::Corrupt(reason).into());
            }
        }
        self.apply(id, &head, commit, version)?;
        Ok(Committed::Done)
    }

    /// Writes a commit that passed all checks.
    fn apply(&mut self, id: &str, head: &Head, commit: &Commit, version: u64) -> Result<(), redb::Error> {
        let expires = self.expires();
        let indexed = self.index(id, head.indexed, expires)?;
        self.documents.insert(id, (commit.revision, version, expires, indexed, &commit.document[..]))?;
        if let Some(entry) = &commit.entry {
            self.log.insert((id, entry.version), &entry.bytes[..])?;
        }
        if let Some(new_base) = &commit.new_base {
            let base = self.bases.insert(id, (new_base.version, &new_base.document[..]))?;
            if let Some(first) = base
                && self.created.get(id)?.is_none()
            {
                self.created.insert(id, first.value().1)?;
            }
            self.log.retain_in((id, 0)..=(id, new_base.version), |_, _| false)?;
        }
        if let Some((digest, answer)) = &commit.answer {
            let before = self.answers.insert((id, digest), (self.now, &answer[..]))?;
            if let Some(before) = before {
                self.answered.remove((before.value().0, id, digest))?;
            }
            self.answered.insert((self.now, id, digest), ())?;
        }
        self.notices.push(Notice::Committed { id: Arc::from(id), version });
        Ok(())
    }

    pub(super) fn delete(&mut self, id: &str) -> Step<()> {
        self.living(id)?.ok_or(StoreError::Missing)?;
        self.remove(id)?;
        self.notices.push(Notice::Deleted { id: Arc::from(id) });
        Ok(())
    }

    /// Removes everything that belongs to `id`.
    fn remove(&mut self, id: &str) -> Result<(), redb::Error> {
        let Some(head) = self.head(id)? else {
            return Ok(());
        };
        self.documents.remove(id)?;
        self.bases.remove(id)?;
        self.created.remove(id)?;
        self.expiry.remove((head.indexed, id))?;
        if let Some(owner) = self.owners.remove(id)? {
            self.listed.remove(owner.value())?;
        }
        self.log.retain_in((id, 0)..=(id, u64::MAX), |_, _| false)?;
        let mut times = Vec::new();
        self.answers.retain_in((id, &[0; 32])..=(id, &[0xff; 32]), |(_, digest), (at, _)| {
            times.push((at, *digest));
            false
        })?;
        for (at, digest) in times {
            self.answered.remove((at, id, &digest))?;
        }
        Ok(())
    }

    /// Removes some of what has expired; true when there may be more.
    pub(super) fn sweep(&mut self) -> Result<bool, redb::Error> {
        let due = self.expiry.extract_from_if((0, "")..(self.now.saturating_add(1), ""), |_, ()| true)?.take(SWEEP);
        let due: Vec<String> = due.map(|row| Ok(row?.0.value().1.to_owned())).collect::<Result<_, redb::Error>>()?;
        for id in &due {
            match self.head(id)? {
                Some(head) if head.expires <= self.now => self.remove(id)?,
                // Another time follows, or none is needed.
                Some(head) if head.indexed > self.now || head.expires == NEVER => {}
                Some(head) => drop(self.expiry.insert((head.expires, id.as_str()), ())?),
                None => {}
            }
        }
        let mut old = 0;
        let end = self.now.checked_sub(self.keep).map_or(0, |last| last.saturating_add(1));
        for row in self.answered.extract_from_if((0, "", &[0; 32])..(end, "", &[0; 32]), |_, ()| true)?.take(SWEEP) {
            let row = row?;
            let (_, id, digest) = row.0.value();
            self.answers.remove((id, digest))?;
            old += 1;
        }
        Ok(due.len() == SWEEP || old == SWEEP)
    }

    /// Keeps the time for the next process.
    pub(super) fn keep_time(&mut self) -> Result<(), redb::Error> {
        self.meta.insert(TIME, &self.now.to_le_bytes()[..])?;
        Ok(())
    }

    /// The number of rows in all tables.
    #[cfg(test)]
    pub(super) fn rows(&mut self) -> Step<u64> {
        use redb::ReadableTableMetadata;
        let of_encounters = self.documents.len()? + self.bases.len()? + self.created.len()? + self.log.len()?;
        let of_answers = self.answers.len()? + self.answered.len()?;
        let of_lists = self.listed.len()? + self.owners.len()?;
        Ok(of_encounters + of_answers + of_lists + self.expiry.len()? + self.meta.len()?)
    }
}

/// Makes the tables and the salt of a new file.
pub(super) fn make_tables(database: &Database) -> Result<(), redb::Error> {
    let transaction = database.begin_write()?;
    let mut tables = Tables::open(&transaction, 0, None, 0)?;
    tables.meta.insert(SALT, &rand::random::<[u8; 32]>()[..])?;
    tables.keep_time()?;
    drop(tables);
    Ok(transaction.commit()?)
}

/// The time that the store has kept.
pub(super) fn kept_time(reading: &ReadTransaction) -> Result<Millis, redb::Error> {
    let meta = reading.open_table(META)?;
    let time = meta.get(TIME)?.and_then(|row| row.value().try_into().ok()).map(Millis::from_le_bytes);
    time.ok_or_else(|| redb::Error::Corrupted("the time is not 8 bytes".to_owned()))
}

/// Checks that a file has all tables, each of its type.
pub(super) fn check_tables(reading: &ReadTransaction) -> Result<(), redb::Error> {
    reading.open_table(DOCUMENTS)?;
    reading.open_table(BASES)?;
    reading.open_table(CREATED)?;
    reading.open_table(LOG)?;
    reading.open_table(ANSWERS)?;
    reading.open_table(ANSWERED)?;
    reading.open_table(EXPIRY)?;
    reading.open_table(LISTED)?;
    reading.open_table(OWNERS)?;
    reading.open_table(META)?;
    Ok(())
}

pub(super) fn no_base(id: &str) -> StoreError {
    StoreError::Corrupt(format!("encounter {id} has no base"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::embedded::tests::{commit, new};

    /// A file in memory, which is looked at and written at chosen times.
    struct TestFile(redb::Database);

    impl TestFile {
        fn new() -> Self {
            let builder = redb::Database::builder();
            Self(builder.create_with_backend(redb::backends::InMemoryBackend::new()).expect("a file in memory"))
        }

        /// Works at the time `now`, where encounters live for `ttl` after a write, and answers for 50 ms.
        fn at<T>(&self, now: Millis, ttl: Option<Millis>, work: impl FnOnce(&mut Tables<'_>) -> Step<T>) -> T {
            let transaction = self.0.begin_write().expect("a transaction");
            let result = work(&mut Tables::open(&transaction, now, ttl, 50).expect("tables"));
            transaction.commit().expect("a commit");
            result.ok().expect("a step that is done")
        }

        fn create(&self, now: Millis, ttl: Option<Millis>, id: &str) {
            assert_eq!(self.at(now, ttl, |tables| tables.create(id, &new(None))), None);
        }

        /// Commits version `version` with an answer under the key of that number.
        fn commit(&self, now: Millis, ttl: Option<Millis>, version: u64) -> Committed {
            self.at(now, ttl, |tables| tables.commit("e", &commit(version)))
        }

        fn lives(&self, now: Millis) -> bool {
            self.at(now, None, |tables| Ok(tables.living("e")?.is_some()))
        }

        /// The number of rows after a sweep.
        fn swept(&self, now: Millis) -> u64 {
            self.at(now, None, |tables| {
                assert!(!tables.sweep()?, "one sweep is enough");
                tables.rows()
            })
        }
    }

    const TTL: Option<Millis> = Some(100);

    #[test]
    fn an_encounter_lives_until_the_end_of_its_time_after_the_newest_write() {
        let file = TestFile::new();
        file.create(1000, TTL, "e");
        assert!(file.lives(1099) && !file.lives(1100));
        assert_eq!(file.commit(1090, TTL, 1), Committed::Done);
        assert!(file.lives(1189) && !file.lives(1190));
    }

    #[test]
    fn an_answer_is_repeated_until_the_end_of_its_time() {
        let file = TestFile::new();
        file.create(1000, None, "e");
        assert_eq!(file.commit(1000, None, 1), Committed::Done);
        assert_eq!(file.commit(1049, None, 1), Committed::Replayed(Bytes::from("answer")));
        assert!(matches!(file.commit(1050, None, 1), Committed::Conflict(_)));
    }

    #[test]
    fn the_sweep_removes_an_encounter_once_its_last_time_is_over() {
        // A sweep on the time that the creation has set, and one later.
        for first in [1100, 1120] {
            let file = TestFile::new();
            file.create(1000, TTL, "e");
            // Document, base and time.
            assert_eq!(file.swept(1099), 3);
            assert_eq!(file.commit(1050, TTL, 1), Committed::Done);
            // The entry more; the answer has ended.
            assert_eq!(file.swept(first), 4);
            assert_eq!(file.swept(1149), 4);
            assert_eq!(file.swept(1150), 0);
        }
    }

    #[test]
    fn a_write_after_a_sweep_leaves_no_time_behind() {
        let file = TestFile::new();
        file.create(1000, TTL, "e");
        assert_eq!(file.commit(1050, TTL, 1), Committed::Done);
        file.swept(1110);
        assert_eq!(file.commit(1120, TTL, 2), Committed::Done);
        // Document, base, two entries and the new time.
        assert_eq!(file.swept(1219), 5);
        assert_eq!(file.swept(1220), 0);
    }

    #[test]
    fn a_time_that_has_come_is_replaced_by_a_write() {
        let file = TestFile::new();
        file.create(1000, TTL, "e");
        assert_eq!(file.commit(1050, TTL, 1), Committed::Done);
        assert_eq!(file.commit(1100, TTL, 2), Committed::Done);
        // Document, base, two entries, two answers with their times, and one time.
        assert_eq!(file.at(1100, TTL, |tables| tables.rows()), 9);
    }

    #[test]
    fn a_shorter_life_counts_from_the_next_write_and_none_has_no_end() {
        let file = TestFile::new();
        file.create(1000, Some(1000), "e");
        assert_eq!(file.commit(1000, TTL, 1), Committed::Done);
        assert_eq!(file.swept(1099), 4);
        assert_eq!(file.swept(1100), 0);
        file.create(2000, TTL, "e");
        assert_eq!(file.commit(2000, None, 1), Committed::Done);
        // Without its time.
        assert_eq!(file.swept(2100), 3);
        assert!(file.lives(NEVER - 1));
    }

    #[test]
    fn the_sweep_removes_a_part_at_a_time() {
        let file = TestFile::new();
        let swept = |now| file.at(now, None, |tables| Ok((tables.sweep()?, tables.rows()?)));
        for n in 0..=SWEEP {
            file.create(1000, TTL, &format!("e{n}"));
        }
        assert_eq!(swept(1100), (true, 3));
        assert_eq!(swept(1100), (false, 0));
        file.create(2000, None, "e");
        for version in 1..=SWEEP as u64 + 1 {
            assert_eq!(file.commit(2000, None, version), Committed::Done);
        }
        // Document, base and entries stay, and of the answers one with its time.
        let left = SWEEP as u64 + 3;
        assert_eq!(swept(2049), (false, left + 2 * (left - 2)));
        assert_eq!(swept(2050), (true, left + 2));
        assert_eq!(swept(2050), (false, left));
    }
}
