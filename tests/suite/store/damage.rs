//! Damage of the embedded store's file: it is found, told and never served; and copies of a store.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::TempDir;
use turnkeeper::store::embedded::{EmbeddedStore, back_up, check_file, file_in};
use turnkeeper::store::{Committed, Store, StoreConfig, StoreError};

use super::{answered, bytes, eventually, filled, logged, new, rebased, whole_log};

fn open(directory: &Path) -> EmbeddedStore {
    EmbeddedStore::open(directory, StoreConfig::default()).expect("an embedded store")
}

/// The document of an encounter: bytes that are found in the file.
fn document(id: &str) -> String {
    format!("the document of {id}: {}", "0123456789".repeat(50))
}

/// Makes a store of encounters `e0` to `e19`.
async fn made(directory: &Path) {
    let store = open(directory);
    for n in 0..20 {
        let id = format!("e{n}");
        store.create(&id, new(&document(&id))).await.unwrap();
        let commit = answered(
            rebased(logged(1, &document(&id), 1), 0, &document(&id)),
            1,
            "an answer",
        );
        assert_eq!(store.commit(&id, commit).await.unwrap(), Committed::Done);
    }
}

/// Flips a bit in each place of the file where `text` is.
fn flip(path: &Path, text: &str) {
    let mut bytes = std::fs::read(path).unwrap();
    let places: Vec<usize> = (0..bytes.len() - text.len())
        .filter(|at| bytes[*at..].starts_with(text.as_bytes()))
        .collect();
    assert!(!places.is_empty(), "{text} is in the file");
    for at in places {
        bytes[at + text.len() - 1] ^= 0x10;
    }
    std::fs::write(path, bytes).unwrap();
}

#[tokio::test]
async fn a_flipped_bit_is_told_and_not_served_and_all_else_is() {
    let directory = TempDir::new().unwrap();
    made(directory.path()).await;
    flip(&file_in(directory.path()), "the document of e7: ");
    let store = open(directory.path());
    assert!(matches!(
        store.load("e7", None, None).await,
        Err(StoreError::Corrupt(_))
    ));
    assert!(matches!(
        store.base("e7").await,
        Err(StoreError::Corrupt(_))
    ));
    let commit = store.commit("e7", logged(2, "v2", 2)).await;
    assert!(matches!(commit, Err(StoreError::Corrupt(_))), "{commit:?}");
    for n in (0..20).filter(|n| *n != 7) {
        let id = format!("e{n}");
        assert_eq!(
            store.load(&id, None, None).await.unwrap().document.unwrap(),
            document(&id)
        );
        assert_eq!(
            store.commit(&id, logged(2, "v2", 2)).await.unwrap(),
            Committed::Done
        );
    }
    assert!(
        store
            .damage()
            .expect("words")
            .contains("The store's file is damaged")
    );
}

#[tokio::test]
async fn damage_is_found_in_the_background_although_nobody_reads_it() {
    let directory = TempDir::new().unwrap();
    made(directory.path()).await;
    flip(&file_in(directory.path()), "entry 1");
    let store = open(directory.path());
    assert_eq!(store.damage(), None);
    eventually("it is found", async || store.damage().is_some()).await;
    assert!(matches!(
        store.log("e7", 0, 10, 1000).await,
        Err(StoreError::Corrupt(_))
    ));
}

#[tokio::test]
async fn a_check_names_what_is_damaged_and_changes_nothing() {
    let directory = TempDir::new().unwrap();
    made(directory.path()).await;
    let path = file_in(directory.path());
    let sound = std::fs::read(&path).unwrap();
    let report = check_file(&path).expect("a file that opens");
    assert_eq!((report.encounters, report.faults), (20, Vec::new()));
    let store = open(directory.path());
    let report = check_file(&path).expect("also while it is served");
    assert_eq!((report.encounters, report.faults), (20, Vec::new()));
    drop(store);
    std::fs::write(&path, &sound).unwrap();
    flip(&path, "the document of e7: ");
    let damaged = std::fs::read(&path).unwrap();
    let report = check_file(&path).expect("a file that opens");
    assert_eq!(report.encounters, 20);
    assert!(
        report
            .faults
            .iter()
            .any(|fault| fault.starts_with("encounter e7: ")),
        "{:?}",
        report.faults
    );
    assert!(
        !report
            .faults
            .iter()
            .any(|fault| fault.starts_with("encounter e8: ")),
        "{:?}",
        report.faults
    );
    assert!(std::fs::read(&path).unwrap() == damaged, "it is written to");
    // Whatever is wrong, it is said in words.
    for page in (0..sound.len() / 4096).filter(|page| {
        sound[page * 4096..(page + 1) * 4096]
            .iter()
            .any(|b| *b != 0)
    }) {
        let mut bytes = sound.clone();
        bytes[page * 4096 + 8..page * 4096 + 40].fill(0xa5);
        std::fs::write(&path, &bytes).unwrap();
        if let Err(refused) = check_file(&path) {
            assert!(refused.contains(&path.display().to_string()), "{refused}");
        }
    }
}

/// A place for backups.
fn target(directory: &TempDir, name: &str) -> PathBuf {
    directory.path().join(name)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_of_a_running_store_has_one_moment_of_it_and_goes_on_from_there() {
    let (directory, copies) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let store = Arc::new(open(directory.path()));
    filled(&*store, "quiet", 5).await;
    filled(&*store, "busy", 0).await;
    let over = Arc::new(AtomicBool::new(false));
    let writer = tokio::spawn({
        let (store, over) = (store.clone(), over.clone());
        async move {
            let mut version = 0;
            while !over.load(Ordering::SeqCst) {
                version += 1;
                assert_eq!(
                    store
                        .commit("busy", logged(version, "v", version))
                        .await
                        .unwrap(),
                    Committed::Done
                );
            }
            version
        }
    });
    let copy = target(&copies, "copy.db");
    for round in 0..3 {
        let (from, to) = (
            directory.path().to_owned(),
            target(&copies, &format!("{round}.db")),
        );
        let report = tokio::task::spawn_blocking(move || back_up(&from, &to))
            .await
            .unwrap()
            .expect("a backup");
        assert_eq!((report.encounters, report.faults), (2, Vec::new()));
    }
    over.store(true, Ordering::SeqCst);
    let written = writer.await.unwrap();
    std::fs::rename(target(&copies, "2.db"), &copy).unwrap();
    assert!(
        back_up(directory.path(), &copy).is_err_and(|refused| refused.contains("the file exists"))
    );
    assert!(
        std::fs::read_dir(copies.path()).unwrap().count() == 3,
        "only backups are left there"
    );
    let restored = TempDir::new().unwrap();
    std::fs::rename(&copy, file_in(restored.path())).unwrap();
    let restored = open(restored.path());
    assert_eq!(restored.salt().await.unwrap(), store.salt().await.unwrap());
    assert_eq!(
        restored.load("quiet", None, None).await.unwrap(),
        store.load("quiet", None, None).await.unwrap()
    );
    let busy = restored.load("busy", None, None).await.unwrap();
    assert!(busy.version <= written, "{} of {written}", busy.version);
    assert_eq!(
        whole_log(&restored, "busy", 0).await.len() as u64,
        busy.version
    );
    let next = logged(busy.revision, "v", busy.version + 1);
    assert_eq!(
        restored.commit("busy", next).await.unwrap(),
        Committed::Done
    );
}

#[tokio::test]
async fn a_backup_needs_no_server_and_tells_what_is_damaged() {
    let (directory, copies) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    made(directory.path()).await;
    let report = back_up(directory.path(), &target(&copies, "sound")).expect("a backup");
    assert_eq!((report.encounters, report.faults), (20, Vec::new()));
    flip(&file_in(directory.path()), "the document of e7: ");
    let report = back_up(directory.path(), &target(&copies, "damaged")).expect("a backup");
    assert_eq!(report.encounters, 20);
    assert!(
        report.faults.len() == 1 && report.faults[0].starts_with("encounter e7: "),
        "{:?}",
        report.faults
    );
    let missing = back_up(&target(&copies, "nowhere"), &target(&copies, "never"));
    assert!(missing.is_err_and(|refused| refused.contains("nowhere")));
    assert!(!target(&copies, "never").exists() && !target(&copies, "never.new").exists());
}

#[tokio::test]
async fn the_log_of_a_killed_server_is_not_written_over_a_backup_in_its_files_place() {
    let (directory, restored) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let store = open(directory.path());
    filled(&store, "e", 3).await;
    back_up(directory.path(), &file_in(restored.path())).expect("a backup");
    store.commit("e", logged(4, "later", 4)).await.unwrap();
    // The log as a kill leaves it.
    for name in ["turnkeeper.db-wal", "turnkeeper.db-shm"] {
        std::fs::copy(directory.path().join(name), restored.path().join(name)).unwrap();
    }
    // A check before the start, too, reads the backup alone.
    let report = check_file(&file_in(restored.path())).expect("a file that opens");
    assert_eq!((report.encounters, report.faults), (1, Vec::new()));
    let restored = open(restored.path());
    let found = restored.load("e", None, None).await.unwrap();
    assert_eq!((found.version, found.document), (3, Some(bytes("v3"))));
    assert_eq!(
        restored.commit("e", logged(4, "other", 4)).await.unwrap(),
        Committed::Done
    );
}
