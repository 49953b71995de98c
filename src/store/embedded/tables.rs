//! Every change of the tables as a step of a write transaction.

use super::clock::Millis;
use super::rows::{
    BaseRow, EncounterRow, answer, stored, sum_of_answer, sum_of_entry, sum_of_value,
};
use super::schema::{APPLICATION, TABLES, shown};
use super::step::{Step, StepError, is_damage, store_error};
use crate::store::{
    Base, Commit, Committed, Entry, Found, LAYOUT, NewEncounter, Notice, StoreError, list_position,
};
use bytes::Bytes;
use rusqlite::{Connection, Transaction, params};
use std::collections::HashSet;
use std::sync::Arc;

/// Maximum encounters, and maximum answers, that one transaction sweeps.
const SWEEP: usize = 64;

/// The name of 32 random bytes of the store.
pub(super) const SALT: &str = "salt";
/// The name of the store's time when it was last kept, in 8 bytes.
pub(super) const TIME: &str = "time";

/// What a sweep has done.
#[derive(Default)]
pub(super) struct Swept {
    /// Whether there may be more to sweep.
    pub more: bool,
    /// The damage that it has met, in sentences.
    pub faults: Vec<String>,
}

/// All tables in one write transaction.
pub(super) struct Tables<'t> {
    pub(super) transaction: &'t Transaction<'t>,
    pub(super) now: Millis,
    /// How long an encounter lives after a write.
    pub(super) ttl: Option<Millis>,
    /// How long an answer lives.
    pub(super) keep: Millis,
    /// To be sent when the transaction is durable.
    pub(super) notices: Vec<Notice>,
    /// Whether positions in lists count on this time, so that it must be kept.
    pub(super) time_counts: bool,
}

impl Tables<'_> {
    fn expires(&self) -> Option<Millis> {
        self.ttl.map(|ttl| self.now.saturating_add(ttl))
    }

    /// Writes the row of an encounter, in place of the one that is there.
    fn put_encounter(&self, id: &str, row: &EncounterRow, document: &[u8]) -> rusqlite::Result<()> {
        let sql = "INSERT INTO encounters
                   (id, revision, version, expires, log_bytes, application, position, document, sum)
                   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                   ON CONFLICT (id) DO UPDATE SET revision = excluded.revision,
                   version = excluded.version, expires = excluded.expires,
                   log_bytes = excluded.log_bytes, document = excluded.document, sum = excluded.sum";
        let listed = row.listed.as_ref();
        self.transaction.prepare_cached(sql)?.execute(params![
            id,
            stored(row.revision),
            stored(row.version),
            row.expires.map(stored),
            stored(row.log_bytes),
            listed.map(|(application, _)| application),
            listed.map(|(_, position)| position),
            document,
            row.sum(id, document).value(),
        ])?;
        Ok(())
    }

    fn put_base(&self, id: &str, row: &BaseRow) -> rusqlite::Result<()> {
        let sql = "INSERT OR REPLACE INTO bases (id, version, document, first, sum)
                   VALUES (?, ?, ?, ?, ?)";
        self.transaction.prepare_cached(sql)?.execute(params![
            id,
            stored(row.base.version),
            &row.base.document[..],
            row.first.as_deref(),
            row.sum(id).value(),
        ])?;
        Ok(())
    }

    fn put_entry(&self, id: &str, entry: &Entry) -> rusqlite::Result<()> {
        let sql = "INSERT INTO log (id, version, entry, sum) VALUES (?, ?, ?, ?)";
        let sum = sum_of_entry(id, entry.version, &entry.bytes).value();
        let entry = params![id, stored(entry.version), &entry.bytes[..], sum];
        self.transaction.prepare_cached(sql)?.execute(entry)?;
        Ok(())
    }

    fn put_value(&self, name: &str, value: &[u8]) -> rusqlite::Result<()> {
        let sql = "INSERT OR REPLACE INTO meta (name, value, sum) VALUES (?, ?, ?)";
        let sum = sum_of_value(name, value).value();
        self.transaction
            .prepare_cached(sql)?
            .execute(params![name, value, sum])?;
        Ok(())
    }

    /// Keeps a new encounter. Returns the first base of one that exists.
    pub(super) fn create(&mut self, id: &str, new: &NewEncounter) -> Step<Option<Bytes>> {
        match EncounterRow::read(self.transaction, id, |_| false)? {
            Some(found) if found.lives(self.now) => {
                let BaseRow { base, first } = BaseRow::read(self.transaction, id)?;
                return Ok(Some(first.unwrap_or(base.document)));
            }
            Some(_) => self.remove(id)?,
            None => {}
        }
        let listed = new.application.as_ref();
        self.time_counts |= listed.is_some();
        let row = EncounterRow {
            revision: new.revision,
            version: new.version(),
            expires: self.expires(),
            log_bytes: new.log_bytes(),
            listed: listed.map(|application| (application.clone(), list_position(self.now, id))),
            document: None,
        };
        self.put_encounter(id, &row, &new.document)?;
        let base = BaseRow {
            base: new.base.clone(),
            first: None,
        };
        self.put_base(id, &base)?;
        for entry in &new.entries {
            self.put_entry(id, entry)?;
        }
        Ok(None)
    }

    pub(super) fn commit(&mut self, id: &str, commit: &Commit) -> Step<Committed> {
        let differs = |revision| revision != commit.expected;
        let before = EncounterRow::living(self.transaction, id, self.now, differs)?;
        if let Some((digest, _)) = &commit.answer
            && let Some(recorded) = answer(self.transaction, id, digest, self.answers_since())?
        {
            return Ok(Committed::Replayed(recorded));
        }
        if before.revision != commit.expected {
            return Ok(Committed::Conflict(Found {
                revision: before.revision,
                version: before.version,
                log_bytes: before.log_bytes,
                document: before.document,
                answer: None,
            }));
        }
        let entry = commit.entry.as_ref();
        let version = entry.map_or(before.version, |entry| entry.version);
        if entry.is_some() && version != before.version.saturating_add(1) {
            let reason = format!("entry {version} does not follow version {}", before.version);
            return Err(StoreError::Corrupt(reason).into());
        }
        let new_base = match &commit.new_base {
            Some(new) => Some(self.next_base(id, new, version)?),
            None => None,
        };
        let row = EncounterRow {
            revision: commit.revision,
            version,
            expires: self.expires(),
            log_bytes: commit.log_bytes,
            ..before
        };
        self.apply(id, commit, &row, new_base.as_ref())?;
        self.notices.push(Notice::Committed {
            id: Arc::from(id),
            version,
        });
        Ok(Committed::Done)
    }

    /// The row of a new base of a log that ends at `version`.
    fn next_base(&self, id: &str, new: &Base, version: u64) -> Step<BaseRow> {
        let BaseRow { base, first } = BaseRow::read(self.transaction, id)?;
        if !(base.version..=version).contains(&new.version) {
            let reason = format!(
                "a base at {} does not lie between {} and {version}",
                new.version, base.version
            );
            return Err(StoreError::Corrupt(reason).into());
        }
        Ok(BaseRow {
            base: new.clone(),
            first: first.or(Some(base.document)),
        })
    }

    /// Writes a commit that passed all checks.
    fn apply(
        &self,
        id: &str,
        commit: &Commit,
        row: &EncounterRow,
        new_base: Option<&BaseRow>,
    ) -> rusqlite::Result<()> {
        self.put_encounter(id, row, &commit.document)?;
        if let Some(entry) = &commit.entry {
            self.put_entry(id, entry)?;
        }
        if let Some(base) = new_base {
            self.put_base(id, base)?;
            let old = params![id, stored(base.base.version)];
            let sql = "DELETE FROM log WHERE id = ? AND version <= ?";
            self.transaction.prepare_cached(sql)?.execute(old)?;
        }
        if let Some((digest, answer)) = &commit.answer {
            let sql = "INSERT OR REPLACE INTO answers (id, digest, at, answer, sum)
                       VALUES (?, ?, ?, ?, ?)";
            let sum = sum_of_answer(id, digest, self.now, answer).value();
            let answer = params![id, digest, stored(self.now), &answer[..], sum];
            self.transaction.prepare_cached(sql)?.execute(answer)?;
        }
        Ok(())
    }

    /// The time at which the newest answers were given that are over.
    fn answers_since(&self) -> Option<Millis> {
        self.now.checked_sub(self.keep)
    }

    pub(super) fn delete(&mut self, id: &str) -> Step<()> {
        EncounterRow::living(self.transaction, id, self.now, |_| false)?;
        self.remove(id)?;
        self.notices.push(Notice::Deleted { id: Arc::from(id) });
        Ok(())
    }

    /// Removes everything that belongs to `id`.
    fn remove(&self, id: &str) -> rusqlite::Result<()> {
        for table in ["answers", "log", "bases", "encounters"] {
            let sql = format!("DELETE FROM {table} WHERE id = ?");
            self.transaction.prepare_cached(&sql)?.execute([id])?;
        }
        Ok(())
    }

    /// Does a step that nothing of is left if it meets damage: that is its own, and the others go on.
    pub(super) fn step<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Result<T, StoreError>> {
        let transaction = self.transaction;
        let run = |sql| transaction.prepare_cached(sql)?.execute([]).map(drop);
        run("SAVEPOINT step")?;
        let notices = self.notices.len();
        match work(self) {
            Err(error) if is_damage(&error) => {
                self.notices.truncate(notices);
                run("ROLLBACK TO step")?;
                run("RELEASE step")?;
                Ok(Err(store_error(&error)))
            }
            done => {
                let done = done?;
                run("RELEASE step")?;
                Ok(Ok(done))
            }
        }
    }

    /// Removes some of what has expired; true when there may be more. The index of times may be damaged,
    /// so the row itself says whether it has expired. What is damaged stays, and is passed over from
    /// then on.
    pub(super) fn sweep(&mut self, passed: &mut HashSet<String>) -> rusqlite::Result<Swept> {
        let mut swept = Swept::default();
        let most = i64::try_from(SWEEP.saturating_add(passed.len())).unwrap_or(i64::MAX);
        let sql = "SELECT id FROM encounters WHERE expires <= ? ORDER BY expires LIMIT ?";
        let due = self.step(|tables| {
            let mut statement = tables.transaction.prepare_cached(sql)?;
            let ids = statement.query_map(params![stored(tables.now), most], |row| row.get(0))?;
            ids.collect::<rusqlite::Result<Vec<String>>>()
        })?;
        let mut due = due.unwrap_or_else(|fault| {
            swept.faults.push(fault.to_string());
            Vec::new()
        });
        due.retain(|id| !passed.contains(id));
        swept.more = due.len() >= SWEEP;
        for id in due {
            let removed = self.step(|tables| match tables.remove_expired(&id) {
                Ok(()) => Ok(Ok(())),
                Err(StepError::Refused(fault)) => Ok(Err(fault)),
                Err(StepError::Failed(error)) => Err(error),
            })?;
            if let Err(fault) = removed.and_then(|removed| removed) {
                swept
                    .faults
                    .push(format!("encounter {}: {fault}", shown(&id)));
                passed.insert(id);
            }
        }
        if let Some(since) = self.answers_since() {
            match self.step(|tables| tables.remove_answers(since))? {
                Ok(removed) => swept.more |= removed == SWEEP,
                Err(fault) => swept.faults.push(format!("the answers: {fault}")),
            }
        }
        Ok(swept)
    }

    fn remove_expired(&mut self, id: &str) -> Step<()> {
        match EncounterRow::read(self.transaction, id, |_| false)? {
            Some(found) if !found.lives(self.now) => Ok(self.remove(id)?),
            _ => Err(
                StoreError::Corrupt("it has not expired when its time says so".to_owned()).into(),
            ),
        }
    }

    fn remove_answers(&mut self, since: Millis) -> rusqlite::Result<usize> {
        let most = i64::try_from(SWEEP).unwrap_or(i64::MAX);
        // The second comparison is with the row, not with the index.
        let sql = "DELETE FROM answers WHERE +at <= ?1 AND rowid IN
                   (SELECT rowid FROM answers WHERE at <= ?1 ORDER BY at LIMIT ?2)";
        let mut statement = self.transaction.prepare_cached(sql)?;
        statement.execute(params![stored(since), most])
    }

    /// Keeps the time for the next process.
    pub(super) fn keep_time(&self) -> rusqlite::Result<()> {
        self.put_value(TIME, &self.now.to_le_bytes())
    }

    /// The number of rows in all tables.
    #[cfg(test)]
    pub(super) fn rows(&self) -> Step<u64> {
        let mut rows = 0;
        for table in ["encounters", "bases", "log", "answers"] {
            let sql = format!("SELECT count(*) FROM {table}");
            rows += self
                .transaction
                .query_row(&sql, [], |row| row.get::<_, u32>(0))?;
        }
        Ok(rows.into())
    }
}

/// Makes the tables, the salt and the time of a new file, all in one transaction.
pub(super) fn make_tables(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", LAYOUT)?;
    transaction.execute_batch(TABLES)?;
    let tables = Tables {
        transaction: &transaction,
        now: 0,
        ttl: None,
        keep: 0,
        notices: Vec::new(),
        time_counts: false,
    };
    tables.keep_time()?;
    tables.put_value(SALT, &rand::random::<[u8; 32]>())?;
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::embedded::tests::{commit, new};

    /// A database in memory, which is looked at and written at chosen times.
    struct TestFile(Connection);

    impl TestFile {
        fn new() -> Self {
            let mut connection = Connection::open_in_memory().expect("a database in memory");
            make_tables(&mut connection).expect("tables");
            Self(connection)
        }

        /// Works at the time `now`, where encounters live for `ttl` after a write, and answers for
        /// 50 ms.
        fn at<T>(
            &self,
            now: Millis,
            ttl: Option<Millis>,
            work: impl FnOnce(&mut Tables<'_>) -> Step<T>,
        ) -> T {
            let transaction = self.0.unchecked_transaction().expect("a transaction");
            let result = work(&mut Tables {
                transaction: &transaction,
                now,
                ttl,
                keep: 50,
                notices: Vec::new(),
                time_counts: false,
            });
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
            self.at(now, None, |tables| {
                let found = EncounterRow::read(tables.transaction, "e", |_| false)?;
                Ok(found.is_some_and(|found| found.lives(now)))
            })
        }

        /// The number of rows after a sweep.
        fn swept(&self, now: Millis) -> u64 {
            self.at(now, None, |tables| {
                assert!(
                    !tables.sweep(&mut HashSet::new())?.more,
                    "one sweep is enough"
                );
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
            // Encounter and base.
            assert_eq!(file.swept(1099), 2);
            assert_eq!(file.commit(1050, TTL, 1), Committed::Done);
            // The entry more; the answer has ended.
            assert_eq!(file.swept(first), 3);
            assert_eq!(file.swept(1149), 3);
            assert_eq!(file.swept(1150), 0);
        }
    }

    #[test]
    fn a_write_after_a_sweep_prolongs_a_life() {
        let file = TestFile::new();
        file.create(1000, TTL, "e");
        assert_eq!(file.commit(1050, TTL, 1), Committed::Done);
        file.swept(1110);
        assert_eq!(file.commit(1120, TTL, 2), Committed::Done);
        // Encounter, base and two entries.
        assert_eq!(file.swept(1219), 4);
        assert_eq!(file.swept(1220), 0);
    }

    #[test]
    fn a_shorter_life_counts_from_the_next_write_and_none_has_no_end() {
        let file = TestFile::new();
        file.create(1000, Some(1000), "e");
        assert_eq!(file.commit(1000, TTL, 1), Committed::Done);
        assert_eq!(file.swept(1099), 3);
        assert_eq!(file.swept(1100), 0);
        file.create(2000, TTL, "e");
        assert_eq!(file.commit(2000, None, 1), Committed::Done);
        assert_eq!(file.swept(2100), 3);
        assert!(file.lives(Millis::MAX / 2));
    }

    #[test]
    fn the_sweep_removes_a_part_at_a_time() {
        let file = TestFile::new();
        let swept = |now| {
            file.at(now, None, |tables| {
                Ok((tables.sweep(&mut HashSet::new())?.more, tables.rows()?))
            })
        };
        for n in 0..=SWEEP {
            file.create(1000, TTL, &format!("e{n}"));
        }
        assert_eq!(swept(1100), (true, 2));
        assert_eq!(swept(1100), (false, 0));
        file.create(2000, None, "e");
        for version in 1..=SWEEP as u64 + 1 {
            assert_eq!(file.commit(2000, None, version), Committed::Done);
        }
        // Encounter, base and entries stay, and one of the answers.
        let left = SWEEP as u64 + 3;
        assert_eq!(swept(2049), (false, left + (left - 2)));
        assert_eq!(swept(2050), (true, left + 1));
        assert_eq!(swept(2050), (false, left));
    }
}
