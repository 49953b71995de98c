//! What every store must do for applications: lists of their encounters, and buckets of requests.

use std::collections::BTreeSet;
use std::time::Duration;

use turnkeeper::store::{Listing, NewEncounter, QuotaGrant, Store, StoreConfig, StoreError};

use super::{Stand, bytes, eventually, imported, logged, new};

/// A new encounter of an application. Other checks may run on the same store, so names must differ.
fn of(application: &str, text: &str) -> NewEncounter {
    NewEncounter {
        application: Some(application.to_owned()),
        ..new(text)
    }
}

fn ids(listing: &Listing) -> Vec<&str> {
    listing.items.iter().map(|item| item.id.as_str()).collect()
}

/// The full list, by pages of `limit`.
async fn listed(store: &dyn Store, application: &str, limit: usize) -> Vec<String> {
    let (mut all, mut before) = (Vec::new(), None::<String>);
    loop {
        let page = store
            .list(application, before.as_deref(), limit, 1 << 20)
            .await
            .unwrap();
        assert!(page.items.len() <= limit);
        all.extend(page.items.iter().map(|item| item.id.clone()));
        if page.next.is_none() {
            return all;
        }
        assert_ne!(page.next, before, "it goes on");
        before = page.next;
    }
}

pub async fn an_applications_encounters_are_listed_newest_first_in_pages(
    stand: &impl Stand,
    id: &str,
) {
    let store = stand.store(StoreConfig::default());
    let (one, other) = (format!("{id}-one"), format!("{id}-other"));
    assert_eq!(
        store.list(&one, None, 10, 1 << 20).await.unwrap(),
        Listing::default()
    );
    for n in 0..7 {
        let application = if n == 3 { &other } else { &one };
        assert_eq!(
            store
                .create(&format!("{id}-{n}"), of(application, "v0"))
                .await
                .unwrap(),
            None
        );
        tokio::time::sleep(Duration::from_millis(3)).await;
    }
    store
        .create(&format!("{id}-nobodys"), new("v0"))
        .await
        .unwrap();
    let brought = NewEncounter {
        application: Some(one.clone()),
        ..imported("v7", "v7", 6, &[7])
    };
    store
        .create(&format!("{id}-brought"), brought)
        .await
        .unwrap();
    store
        .commit(&format!("{id}-4"), logged(1, "v1", 1))
        .await
        .unwrap();
    let all: Vec<String> = ["brought", "6", "5", "4", "2", "1", "0"]
        .iter()
        .map(|n| format!("{id}-{n}"))
        .collect();
    let page = store.list(&one, None, 10, 1 << 20).await.unwrap();
    assert_eq!(
        (ids(&page), &page.next),
        (all.iter().map(String::as_str).collect(), &None)
    );
    assert_eq!(page.items[3].document, bytes("v1"), "as it is now");
    assert_eq!(page.items[0].document, bytes("v7"));
    for limit in [1, 2, 3, 7, 100] {
        assert_eq!(listed(&*store, &one, limit).await, all, "pages of {limit}");
    }
    for (n, application) in [
        ("4", Some(one.clone())),
        ("3", Some(other.clone())),
        ("brought", Some(one.clone())),
        ("nobodys", None),
    ] {
        assert_eq!(
            store.application(&format!("{id}-{n}")).await.unwrap(),
            application
        );
    }
    let missing = store.application(&format!("{id}-missing")).await;
    assert!(matches!(missing, Err(StoreError::Missing)), "{missing:?}");
    let exact = store.list(&one, None, 7, 1 << 20).await.unwrap();
    assert_eq!(exact.next, None, "nothing follows the last");
    assert_eq!(listed(&*store, &other, 10).await, [format!("{id}-3")]);
    for strange in ["", "0", "~", "zzz", "9999999999999-", "é"] {
        store.list(&one, Some(strange), 10, 1 << 20).await.unwrap();
    }
}

pub async fn what_is_deleted_or_expired_vanishes_from_the_list(stand: &impl Stand, id: &str) {
    let store = stand.store(StoreConfig {
        ttl: Some(Duration::from_millis(1500)),
        ..StoreConfig::default()
    });
    let name = format!("{id}-app");
    for n in 0..4 {
        store
            .create(&format!("{id}-{n}"), of(&name, "v0"))
            .await
            .unwrap();
        tokio::time::sleep(Duration::from_millis(3)).await;
    }
    store.delete(&format!("{id}-1")).await.unwrap();
    let left: Vec<String> = [3, 2, 0].iter().map(|n| format!("{id}-{n}")).collect();
    assert_eq!(listed(&*store, &name, 10).await, left);
    tokio::time::sleep(Duration::from_millis(900)).await;
    store
        .commit(&format!("{id}-2"), logged(1, "v1", 1))
        .await
        .unwrap();
    eventually("the idle ones vanish", async || {
        listed(&*store, &name, 1).await == [format!("{id}-2")]
    })
    .await;
    store.delete(&format!("{id}-2")).await.unwrap();
    assert_eq!(
        store.list(&name, None, 10, 1 << 20).await.unwrap(),
        Listing::default()
    );
    // A new encounter with the same id is listed for its own creator.
    store
        .create(&format!("{id}-1"), of(&format!("{id}-heir"), "v0"))
        .await
        .unwrap();
    assert_eq!(listed(&*store, &name, 10).await, [""; 0]);
    assert_eq!(
        listed(&*store, &format!("{id}-heir"), 10).await,
        [format!("{id}-1")]
    );
}

pub async fn a_creation_that_is_repeated_is_listed_once(stand: &impl Stand, id: &str) {
    let store = stand.store(StoreConfig::default());
    let name = format!("{id}-app");
    store.create(id, of(&name, "v0")).await.unwrap();
    for again in [of(&name, "v0"), of(&format!("{id}-other"), "v0"), new("v0")] {
        tokio::time::sleep(Duration::from_millis(3)).await;
        assert_eq!(store.create(id, again).await.unwrap(), Some(bytes("v0")));
    }
    assert_eq!(listed(&*store, &name, 10).await, [id]);
    assert_eq!(listed(&*store, &format!("{id}-other"), 10).await, [""; 0]);
}

pub async fn many_creators_are_all_listed(stand: &impl Stand, id: &str) {
    let stores = stand.stores(3, StoreConfig::default());
    let name = format!("{id}-app");
    let creations = (0..120).map(|n| {
        let (store, name, id) = (stores[n % 3].clone(), name.clone(), format!("{id}-{n}"));
        tokio::spawn(async move {
            store.create(&id, of(&name, "v0")).await.unwrap();
            id
        })
    });
    let created = futures::future::join_all(creations)
        .await
        .into_iter()
        .map(|id| id.unwrap());
    let created: BTreeSet<String> = created.collect();
    for limit in [7, 100] {
        let list = listed(&*stores[0], &name, limit).await;
        assert_eq!(
            (list.len(), &list.into_iter().collect()),
            (120, &created),
            "each once, in pages of {limit}"
        );
    }
}

pub async fn a_page_of_a_list_ends_after_so_many_bytes(stand: &impl Stand, id: &str) {
    let store = stand.store(StoreConfig::default());
    let name = format!("{id}-app");
    for n in 0..5 {
        store
            .create(&format!("{id}-{n}"), of(&name, &"x".repeat(100)))
            .await
            .unwrap();
    }
    for (bytes, expected) in [(250, 2), (200, 2), (199, 1), (0, 1), (1000, 5)] {
        let page = store.list(&name, None, 10, bytes).await.unwrap();
        assert_eq!(
            (page.items.len(), page.next.is_some()),
            (expected, expected < 5),
            "{bytes} bytes"
        );
        if let Some(next) = page.next {
            let rest = store.list(&name, Some(&next), 10, 1000).await.unwrap();
            assert_eq!(rest.items.len(), 5 - expected, "nothing is left out");
        }
    }
}

pub async fn a_bucket_grants_its_quota_once_in_a_window(stand: &impl Stand, id: &str) {
    let stores = stand.stores(2, StoreConfig::default());
    let window = Duration::from_millis(900);
    let acquire = async |store: usize, want| -> QuotaGrant {
        let grant = stores[store]
            .acquire_quota(id, want, 10, window)
            .await
            .unwrap();
        assert!(grant.ends_in <= window, "{grant:?}");
        grant
    };
    let counts = |grant: QuotaGrant| (grant.granted, grant.left);
    assert_eq!(counts(acquire(0, 4).await), (4, 6));
    assert_eq!(counts(acquire(1, 5).await), (5, 1));
    assert_eq!(counts(acquire(0, 3).await), (1, 0), "what is left");
    let refused = acquire(1, 1).await;
    assert_eq!(counts(refused), (0, 0));
    assert_eq!(
        counts(
            stores[0]
                .acquire_quota(&format!("{id}-other"), 1, 10, window)
                .await
                .unwrap()
        ),
        (1, 9)
    );
    tokio::time::sleep(refused.ends_in + Duration::from_millis(30)).await;
    assert_eq!(counts(acquire(1, 2).await), (2, 8), "a new window");
}

pub async fn a_bucket_that_many_take_from_is_never_exceeded(stand: &impl Stand, id: &str) {
    let stores = stand.stores(3, StoreConfig::default());
    let takers = (0..60).map(|n| {
        let (store, id) = (stores[n % 3].clone(), id.to_owned());
        tokio::spawn(async move {
            store
                .acquire_quota(&id, 3, 100, Duration::from_secs(60))
                .await
                .unwrap()
                .granted
        })
    });
    let granted: u32 = futures::future::join_all(takers)
        .await
        .into_iter()
        .map(|granted| granted.unwrap())
        .sum();
    assert_eq!(granted, 100);
}
