//! Every change of the tables as a step of a write transaction.

use std::sync::Arc;

use bytes::Bytes;
use redb::{Database, ReadableTable, Table, TableHandle, WriteTransaction};

use super::clock::Millis;
use super::schema::{
    ANSWERED, ANSWERS, AnswerRow, BASES, CREATED, DOCUMENTS, DocumentRow, EXPIRY, LAYOUT_ROW,
    LISTED, LOG, META, OWNERS, SALT, TIME,
};
use super::sealed::{Row, Sealed, put, row, shown};
use super::step::{Step, if_sound};
use crate::store::{
    Base, Commit, Committed, Found, KeyDigest, LAYOUT, NewEncounter, Notice, StoreError,
    list_position,
};

/// The expiry of an encounter that never expires.
pub(super) const NEVER: Millis = Millis::MAX;

/// Maximum encounters, and maximum answers, that one transaction sweeps.
const SWEEP: usize = 64;

type SealedTable<'t, K, V> = Table<'t, K, Sealed<V>>;

/// All tables, open in one write transaction.
pub(super) struct Tables<'t> {
    documents: SealedTable<'t, &'static str, DocumentRow>,
    bases: SealedTable<'t, &'static str, (u64, &'static [u8])>,
    created: SealedTable<'t, &'static str, &'static [u8]>,
    log: SealedTable<'t, (&'static str, u64), &'static [u8]>,
    answers: SealedTable<'t, (&'static str, &'static KeyDigest), AnswerRow>,
    answered: Table<'t, (Millis, &'static str, &'static KeyDigest), ()>,
    expiry: Table<'t, (Millis, &'static str), ()>,
    listed: Table<'t, (&'static str, &'static str), ()>,
    owners: SealedTable<'t, &'static str, (&'static str, &'static str)>,
    meta: SealedTable<'t, &'static str, &'static [u8]>,
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

/// What the checks of a commit have found.
struct CheckedCommit {
    /// The version that it makes.
    version: u64,
    /// The time of an older answer under its key.
    last_answered: Option<Millis>,
    /// The first base, if the commit replaces it.
    first_base: Option<Bytes>,
}

impl<'t> Tables<'t> {
    /// Opens the tables, and creates missing ones.
    pub(super) fn open(
        transaction: &'t WriteTransaction,
        now: Millis,
        ttl: Option<Millis>,
        keep: Millis,
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

    fn head(&self, id: &str) -> Step<Option<Head>> {
        let row = row(&self.documents, id)?;
        Ok(row.map(|row| {
            let (revision, version, expires, indexed, ..) = row.value();
            Head {
                revision,
                version,
                expires,
                indexed,
            }
        }))
    }

    fn living(&self, id: &str) -> Step<Option<Head>> {
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
            if let Some(first) = row(&self.created, id)? {
                return Ok(Some(Bytes::copy_from_slice(first.value())));
            }
            let base = row(&self.bases, id)?.ok_or_else(|| no_base(id))?;
            return Ok(Some(Bytes::copy_from_slice(base.value().1)));
        }
        if let Some(expired) = self.head(id)? {
            self.remove(id, &expired)?;
        }
        let expires = self.expires();
        let indexed = self.index(id, NEVER, expires)?;
        let document = (
            new.revision,
            new.version(),
            expires,
            indexed,
            &new.document[..],
            new.log_bytes(),
        );
        put(&mut self.documents, id, document)?;
        put(
            &mut self.bases,
            id,
            (new.base.version, &new.base.document[..]),
        )?;
        for entry in &new.entries {
            put(&mut self.log, (id, entry.version), &entry.bytes[..])?;
        }
        if let Some(application) = &new.application {
            let position = list_position(self.now, id);
            self.time_counts = true;
            self.listed
                .insert((application.as_str(), position.as_str()), ())?;
            put(
                &mut self.owners,
                id,
                (application.as_str(), position.as_str()),
            )?;
        }
        Ok(None)
    }

    pub(super) fn commit(&mut self, id: &str, commit: &Commit) -> Step<Committed> {
        let head = self.living(id)?.ok_or(StoreError::Missing)?;
        let mut last_answered = None;
        if let Some((digest, _)) = &commit.answer
            && let Some(row) = row(&self.answers, (id, digest))?
        {
            let (at, answer) = row.value();
            if at.saturating_add(self.keep) > self.now {
                return Ok(Committed::Replayed(Bytes::copy_from_slice(answer)));
            }
            last_answered = Some(at);
        }
        if head.revision != commit.expected {
            let newest = row(&self.documents, id)?.ok_or(StoreError::Missing)?;
            let (revision, version, _, _, document, log_bytes) = newest.value();
            let document = Some(Bytes::copy_from_slice(document));
            return Ok(Committed::Conflict(Found {
                revision,
                version,
                log_bytes,
                document,
                answer: None,
            }));
        }
        let version = commit
            .entry
            .as_ref()
            .map_or(head.version, |entry| entry.version);
        if commit.entry.is_some() && version != head.version.saturating_add(1) {
            let reason = format!("entry {version} does not follow version {}", head.version);
            return Err(StoreError::Corrupt(reason).into());
        }
        let mut first_base = None;
        if let Some(Base { version: new, .. }) = commit.new_base {
            let row_of_base = row(&self.bases, id)?.ok_or_else(|| no_base(id))?;
            let (base, document) = row_of_base.value();
            if !(base..=version).contains(&new) {
                let reason = format!("a base at {new} does not lie between {base} and {version}");
                return Err(StoreError::Corrupt(reason).into());
            }
            if row(&self.created, id)?.is_none() {
                first_base = Some(Bytes::copy_from_slice(document));
            }
        }
        self.apply(
            id,
            &head,
            commit,
            CheckedCommit {
                version,
                last_answered,
                first_base,
            },
        )?;
        Ok(Committed::Done)
    }

    /// Writes a commit that passed all checks.
    fn apply(
        &mut self,
        id: &str,
        head: &Head,
        commit: &Commit,
        checked: CheckedCommit,
    ) -> Result<(), redb::Error> {
        let version = checked.version;
        let expires = self.expires();
        let indexed = self.index(id, head.indexed, expires)?;
        let document = (
            commit.revision,
            version,
            expires,
            indexed,
            &commit.document[..],
            commit.log_bytes,
        );
        put(&mut self.documents, id, document)?;
        if let Some(entry) = &commit.entry {
            put(&mut self.log, (id, entry.version), &entry.bytes[..])?;
        }
        if let Some(new_base) = &commit.new_base {
            put(
                &mut self.bases,
                id,
                (new_base.version, &new_base.document[..]),
            )?;
            if let Some(first) = &checked.first_base {
                put(&mut self.created, id, &first[..])?;
            }
            self.log
                .retain_in((id, 0)..=(id, new_base.version), |_, _| false)?;
        }
        if let Some((digest, answer)) = &commit.answer {
            put(&mut self.answers, (id, digest), (self.now, &answer[..]))?;
            if let Some(before) = checked.last_answered {
                self.answered.remove((before, id, digest))?;
            }
            self.answered.insert((self.now, id, digest), ())?;
        }
        self.notices.push(Notice::Committed {
            id: Arc::from(id),
            version,
        });
        Ok(())
    }

    pub(super) fn delete(&mut self, id: &str) -> Step<()> {
        let head = self.living(id)?.ok_or(StoreError::Missing)?;
        self.remove(id, &head)?;
        self.notices.push(Notice::Deleted { id: Arc::from(id) });
        Ok(())
    }

    /// Removes everything that belongs to `id`, whose document has this head.
    fn remove(&mut self, id: &str, head: &Head) -> Result<(), redb::Error> {
        if let Some(owner) = if_sound(row(&self.owners, id))? {
            self.listed.remove(owner.value())?;
        }
        for (at, digest) in self.answers_of(id)? {
            self.answered.remove((at, id, &digest))?;
        }
        self.documents.remove(id)?;
        self.bases.remove(id)?;
        self.created.remove(id)?;
        self.owners.remove(id)?;
        self.expiry.remove((head.indexed, id))?;
        self.log.retain_in((id, 0)..=(id, u64::MAX), |_, _| false)?;
        self.answers
            .retain_in((id, &[0; 32])..=(id, &[0xff; 32]), |_, _| false)?;
        Ok(())
    }

    /// The times and digests of the answers of `id`.
    fn answers_of(&self, id: &str) -> Result<Vec<(Millis, KeyDigest)>, redb::Error> {
        let mut found = Vec::new();
        for answer in self.answers.range((id, &[0; 32])..=(id, &[0xff; 32]))? {
            let (key, sealed) = answer?;
            let (_, digest) = key.value();
            // The time of a damaged answer is left to the sweep.
            if let Ok(row) =
                Row::check::<(&str, &KeyDigest)>(self.answers.name(), &key.value(), sealed)
            {
                found.push((row.value().0, *digest));
            }
        }
        Ok(found)
    }

    /// Removes some of what has expired; true when there may be more.
    pub(super) fn sweep(&mut self) -> Result<bool, redb::Error> {
        let due = self
            .expiry
            .extract_from_if((0, "")..(self.now.saturating_add(1), ""), |_, ()| true)?
            .take(SWEEP);
        let due: Vec<String> = due
            .map(|row| Ok(row?.0.value().1.to_owned()))
            .collect::<Result<_, redb::Error>>()?;
        for id in &due {
            match if_sound(self.head(id))? {
                Some(head) if head.expires <= self.now => self.remove(id, &head)?,
                // Another time follows, or none is needed.
                Some(head) if head.indexed > self.now || head.expires == NEVER => {}
                Some(head) => drop(self.expiry.insert((head.expires, id.as_str()), ())?),
                // A damaged one stays: its time is not known.
                None => {}
            }
        }
        let mut old = 0;
        let end = self
            .now
            .checked_sub(self.keep)
            .map_or(0, |last| last.saturating_add(1));
        for row in self
            .answered
            .extract_from_if((0, "", &[0; 32])..(end, "", &[0; 32]), |_, ()| true)?
            .take(SWEEP)
        {
            let row = row?;
            let (_, id, digest) = row.0.value();
            self.answers.remove((id, digest))?;
            old += 1;
        }
        Ok(due.len() == SWEEP || old == SWEEP)
    }

    /// Keeps the time for the next process.
    pub(super) fn keep_time(&mut self) -> Result<(), redb::Error> {
        Ok(put(&mut self.meta, TIME, &self.now.to_le_bytes()[..])?)
    }

    pub(super) fn keep_salt(&mut self, salt: &[u8; 32]) -> Result<(), redb::Error> {
        Ok(put(&mut self.meta, SALT, &salt[..])?)
    }

    pub(super) fn keep_layout(&mut self, layout: u32) -> Result<(), redb::Error> {
        Ok(put(&mut self.meta, LAYOUT_ROW, &layout.to_le_bytes()[..])?)
    }

    /// The number of rows in all tables.
    #[cfg(test)]
    pub(super) fn rows(&mut self) -> Step<u64> {
        use redb::ReadableTableMetadata;
        let of_encounters =
            self.documents.len()? + self.bases.len()? + self.created.len()? + self.log.len()?;
        let of_answers = self.answers.len()? + self.answered.len()?;
        let of_lists = self.listed.len()? + self.owners.len()?;
        Ok(of_encounters + of_answers + of_lists + self.expiry.len()? + self.meta.len()?)
    }
}

/// Makes the tables and the salt of a new file.
pub(super) fn make_tables(database: &Database) -> Result<(), redb::Error> {
    let transaction = database.begin_write()?;
    let mut tables = Tables::open(&transaction, 0, None, 0)?;
    tables.keep_time()?;
    tables.keep_salt(&rand::random())?;
    tables.keep_layout(LAYOUT)?;
    drop(tables);
    Ok(transaction.commit()?)
}

pub(super) fn no_base(id: &str) -> StoreError {
    StoreError::Corrupt(format!("encounter {} has no base", shown(id)))
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
            Self(
                builder
                    .create_with_backend(redb::backends::InMemoryBackend::new())
                    .expect("a file in memory"),
            )
        }

        /// Works at the time `now`, where encounters live for `ttl` after a write, and answers for
        /// 50 ms.
        fn at<T>(
            &self,
            now: Millis,
            ttl: Option<Millis>,
            work: impl FnOnce(&mut Tables<'_>) -> Step<T>,
        ) -> T {
            let transaction = self.0.begin_write().expect("a transaction");
            let result = work(&mut Tables::open(&transaction, now, ttl, 50).expect("tables"));
            transaction.commit().expect("a commit");
            result.expect("a step that is done")
        }

        fn create(&self, now: Millis, ttl: Option<Millis>, id: &str) {
            assert_eq!(
                self.at(now, ttl, |tables| tables.create(id, &new(None))),
                None
            );
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
        assert_eq!(
            file.commit(1049, None, 1),
            Committed::Replayed(Bytes::from("answer"))
        );
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
