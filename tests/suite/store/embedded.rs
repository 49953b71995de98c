//! The embedded store.

use std::sync::Arc;
use std::time::Duration;

use crate::support::sources::{Source, files};
use tempfile::TempDir;
use turnkeeper::store::embedded::EmbeddedStore;
use turnkeeper::store::{Committed, Store, StoreConfig, StoreError};

use super::conformance::conformance;
use super::{
    Stand, answered, bytes, eventually, filled, logged, new, rebased, unlogged, whole_log,
};

struct Directory(TempDir);

impl Directory {
    fn new() -> Self {
        Self(TempDir::new().expect("a temporary directory"))
    }

    fn open(&self, config: StoreConfig) -> EmbeddedStore {
        EmbeddedStore::open(self.0.path().join("made/when/missing"), config)
            .expect("an embedded store")
    }
}

impl Stand for Directory {
    fn stores(&self, count: usize, config: StoreConfig) -> Vec<Arc<dyn Store>> {
        let store = Arc::new(self.open(config));
        (0..count)
            .map(|_| store.clone() as Arc<dyn Store>)
            .collect()
    }
}

conformance!(Directory::new());

#[tokio::test]
async fn everything_is_there_when_it_is_opened_again() {
    let directory = Directory::new();
    let store = directory.open(StoreConfig::default());
    filled(&store, "e", 5).await;
    let commit = answered(rebased(logged(6, "v6", 6), 2, "v2"), 1, "a");
    assert_eq!(store.commit("e", commit).await.unwrap(), Committed::Done);
    let salt = store.salt().await.unwrap();
    drop(store);
    for _ in 0..2 {
        let store = directory.open(StoreConfig::default());
        let encounter = store.load("e", None, Some(&[1; 32])).await.unwrap();
        assert_eq!((encounter.revision, encounter.version), (7, 6));
        assert_eq!(
            (encounter.document, encounter.answer),
            (Some(bytes("v6")), Some(bytes("a")))
        );
        assert_eq!(store.base("e").await.unwrap().document, bytes("v2"));
        assert_eq!(whole_log(&store, "e", 0).await.len(), 4);
        assert_eq!(
            store.create("e", new("x")).await.unwrap(),
            Some(bytes("v0"))
        );
        assert_eq!(store.salt().await.unwrap(), salt);
    }
}

#[tokio::test]
async fn a_second_opener_learns_which_file_is_in_use() {
    let directory = Directory::new();
    let first = directory.open(StoreConfig::default());
    let path = directory.0.path().join("made/when/missing");
    let Err(refused) = EmbeddedStore::open(&path, StoreConfig::default()) else {
        panic!("two at once")
    };
    assert!(
        refused.contains(&path.join("turnkeeper.db").display().to_string()),
        "{refused}"
    );
    assert!(
        refused.contains("one process only") && refused.contains("REDIS_URL"),
        "{refused}"
    );
    first.ready().await.unwrap();
    drop(first);
    directory
        .open(StoreConfig::default())
        .ready()
        .await
        .unwrap();
}

#[tokio::test]
async fn a_directory_that_cannot_be_is_named() {
    let directory = Directory::new();
    let file = directory.0.path().join("a file");
    std::fs::write(&file, "not a directory").unwrap();
    let Err(refused) = EmbeddedStore::open(&file, StoreConfig::default()) else {
        panic!("in a file")
    };
    assert!(refused.contains(&file.display().to_string()), "{refused}");
}

#[tokio::test]
async fn a_file_that_is_no_database_is_named_and_left_alone() {
    let directory = Directory::new();
    let file = directory.0.path().join("turnkeeper.db");
    std::fs::write(&file, "my diary").unwrap();
    let Err(refused) = EmbeddedStore::open(directory.0.path(), StoreConfig::default()) else {
        panic!("a diary")
    };
    assert!(refused.contains(&file.display().to_string()), "{refused}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "my diary");
}

#[test]
fn a_file_of_no_bytes_is_told_and_left_alone() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("turnkeeper.db");
    std::fs::write(&file, "").unwrap();
    let Err(refused) = EmbeddedStore::open(directory.path(), StoreConfig::default()) else {
        panic!("an empty file")
    };
    assert!(
        refused.contains(&file.display().to_string()) && refused.contains("empty (0 bytes)"),
        "{refused}"
    );
    assert!(refused.contains("Put a backup in its place"), "{refused}");
    assert_eq!(std::fs::metadata(&file).unwrap().len(), 0);
}

#[tokio::test]
async fn a_start_that_was_killed_is_made_good_by_the_next() {
    for rest in [&b""[..], &[0; 5000], b"not a database"] {
        let directory = TempDir::new().unwrap();
        let unfinished = directory.path().join("turnkeeper.db.new");
        let open = || {
            EmbeddedStore::open(directory.path(), StoreConfig::default())
                .expect("an embedded store")
        };
        std::fs::write(&unfinished, rest).unwrap();
        filled(&open(), "e", 3).await;
        assert!(!unfinished.exists(), "it has become the file");
        std::fs::write(&unfinished, rest).unwrap();
        assert_eq!(open().load("e", None, None).await.unwrap().version, 3);
        assert!(!unfinished.exists(), "it is removed");
    }
}

#[tokio::test]
async fn a_damaged_file_is_refused_in_words_or_opened_and_never_a_panic() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("turnkeeper.db");
    let store = EmbeddedStore::open(directory.path(), StoreConfig::default()).unwrap();
    for n in 0..20 {
        filled(&store, &format!("e{n}"), 3).await;
    }
    drop(store);
    let sound = std::fs::read(&path).unwrap();
    let mut damaged: Vec<Vec<u8>> = vec![sound[..sound.len() / 2].to_vec(), sound[..4096].to_vec()];
    // In the header every byte has a meaning; elsewhere a page at a time is overwritten.
    for at in 0..320 {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x41;
        damaged.push(bytes);
    }
    for page in 1..sound.len() / 4096 {
        let whole = page * 4096..(page + 1) * 4096;
        if sound[whole.clone()].iter().any(|byte| *byte != 0) {
            for (range, with) in [
                (whole.clone(), 0),
                (whole.clone(), 0xff),
                (whole.start..whole.start + 64, 0x77),
            ] {
                let mut bytes = sound.clone();
                bytes[range].fill(with);
                damaged.push(bytes);
            }
        }
    }
    let mut refusals = 0;
    for bytes in damaged {
        std::fs::write(&path, bytes).unwrap();
        if let Err(refused) = EmbeddedStore::open(directory.path(), StoreConfig::default()) {
            refusals += 1;
            assert!(refused.contains(&path.display().to_string()), "{refused}");
            let remedies = ["Put a backup in its place", "The store has layout"];
            assert!(
                remedies.iter().any(|words| refused.contains(words)),
                "{refused}"
            );
        }
    }
    assert!(refusals > 20, "{refusals} are refused");
}

#[tokio::test]
async fn writes_that_were_queued_before_closing_are_written() {
    let directory = Directory::new();
    let store = directory.open(StoreConfig::default());
    for n in 0..100 {
        let id = format!("e{n}");
        // The first poll queues the write. Nobody waits for its end.
        let _ = futures::poll!(store.create(&id, new("v0")));
    }
    drop(store);
    let store = directory.open(StoreConfig::default());
    for n in 0..100 {
        assert_eq!(
            store
                .load(&format!("e{n}"), None, None)
                .await
                .unwrap()
                .revision,
            1
        );
    }
}

#[tokio::test(flavor = "current_thread")]
async fn a_full_queue_refuses_at_once_and_accepts_again() {
    let directory = Directory::new();
    let store = directory.open(StoreConfig::default());
    let writes = (0..5000).map(|n| {
        let (store, id) = (&store, format!("e{n}"));
        async move { store.create(&id, new(&"x".repeat(4000))).await }
    });
    // All start before any is answered, faster than they can be written.
    let results = futures::future::join_all(writes).await;
    let refused = results
        .iter()
        .filter(|result| matches!(result, Err(StoreError::Unavailable(_))))
        .count();
    let written = results
        .iter()
        .filter(|result| matches!(result, Ok(None)))
        .count();
    assert_eq!(refused + written, 5000);
    assert!(
        refused > 0 && written >= 1024,
        "{written} written, {refused} refused"
    );
    assert_eq!(store.create("later", new("v0")).await.unwrap(), None);
}

#[tokio::test]
async fn an_encounter_of_another_time_to_live_follows_the_new_one_from_its_next_commit() {
    let directory = Directory::new();
    let never = StoreConfig {
        ttl: None,
        ..StoreConfig::default()
    };
    let short = StoreConfig {
        ttl: Some(Duration::from_millis(700)),
        ..StoreConfig::default()
    };
    filled(&directory.open(never), "e", 0).await;
    let store = directory.open(short);
    tokio::time::sleep(Duration::from_millis(800)).await;
    assert_eq!(
        store.commit("e", unlogged(1, "v0")).await.unwrap(),
        Committed::Done
    );
    eventually("it expires", async || {
        matches!(store.load("e", None, None).await, Err(StoreError::Missing))
    })
    .await;
    filled(&store, "f", 0).await;
    drop(store);
    let store = directory.open(never);
    assert_eq!(
        store.commit("f", unlogged(1, "v0")).await.unwrap(),
        Committed::Done
    );
    tokio::time::sleep(Duration::from_millis(800)).await;
    assert_eq!(store.load("f", None, None).await.unwrap().revision, 2);
}

#[test]
fn the_machines_clock_ends_no_encounter() {
    // The store's own time is tested beside it, in src/store/embedded/clock.rs.
    for (file, text) in files("src/store/embedded", "rs") {
        let code = Source::read(&text).code;
        assert!(
            !["SystemTime", "UNIX_EPOCH", "jiff"]
                .iter()
                .any(|clock| code.contains(clock)),
            "{file}"
        );
    }
}

#[tokio::test]
async fn what_was_swept_makes_room_in_the_file() {
    let directory = Directory::new();
    let file = directory.0.path().join("made/when/missing/turnkeeper.db");
    let short = StoreConfig {
        ttl: Some(Duration::from_millis(300)),
        answers: Duration::from_millis(100),
    };
    let store = directory.open(short);
    let mut sizes = Vec::new();
    for round in 0..10 {
        for n in 0..100 {
            let id = format!("{round}/{n}");
            store.create(&id, new(&"x".repeat(20_000))).await.unwrap();
        }
        sizes.push(std::fs::metadata(&file).unwrap().len());
        tokio::time::sleep(Duration::from_millis(800)).await;
    }
    // 40 MB in all, of which about two rounds live at once; the file grows by doubling.
    assert!(sizes[9] <= 20_000_000, "the file only grows: {sizes:?}");
}

#[tokio::test]
async fn each_file_has_a_salt_of_its_own() {
    let salt = async || {
        Directory::new()
            .open(StoreConfig::default())
            .salt()
            .await
            .unwrap()
    };
    assert_ne!(salt().await, salt().await);
}
