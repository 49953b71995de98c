//! A token that ends while its holder begins to follow.

use crate::e2e::{Api, Setup, embedded_store};
use crate::support::store::{Hook, Hooked};
use async_trait::async_trait;
use futures::future::BoxFuture;
use serde_json::json;
use std::sync::Arc;
use tokio::sync::Mutex;
use turnkeeper::app::{App, AppError, BearerToken};
use turnkeeper::engine::Rulesets;

/// What happens right after the next reading of an encounter.
#[derive(Default)]
struct AfterLoading(Mutex<Option<BoxFuture<'static, ()>>>);

#[async_trait]
impl Hook for AfterLoading {
    async fn loaded(&self) {
        let next = self.0.lock().await.take();
        if let Some(next) = next {
            next.await;
        }
    }
}

#[tokio::test]
async fn a_token_that_is_revoked_while_its_holder_begins_to_follow_opens_no_feed() {
    let (_data, inner) = embedded_store();
    let api = Api::on(inner.clone(), Setup::default()).await;
    let fight = api.fight().await;
    let store = Arc::new(Hooked {
        inner: inner.clone(),
        hook: AfterLoading::default(),
    });
    let here = Arc::new(App::new(store.clone(), Rulesets::shipped(), 1 << 20));
    let there = Arc::new(App::new(inner, Rulesets::shipped(), 1 << 20));
    for asked in [
        json!({"role": "player", "combatants": ["valiant"]}),
        json!({"role": "gm"}),
    ] {
        let (holder, token_id) = fight.hand_out(asked).await;
        let token = BearerToken::read(&holder.token).expect("a token");
        drop(
            here.follow(&fight.id, &token, None)
                .await
                .expect("it is good"),
        );
        let (there, id, gm) = (
            there.clone(),
            fight.id.clone(),
            BearerToken::read(&fight.token).expect("a token"),
        );
        let revoked = async move {
            there
                .revoke(&id, &gm, &token_id)
                .await
                .expect("it is revoked");
        };
        *store.hook.0.lock().await = Some(Box::pin(revoked));
        let refused = here.follow(&fight.id, &token, None).await.err();
        assert!(matches!(refused, Some(AppError::NotFound)), "{refused:?}");
    }
}
