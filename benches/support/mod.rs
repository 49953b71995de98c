//! The encounter that benches of the engine play.

use turnkeeper::engine::Meta;

/// The meta of an encounter without tokens.
pub fn meta() -> Meta {
    Meta {
        id: "bench".into(),
        created_at: "2026-01-01T00:00:00Z".into(),
        seed: None,
        request: None,
        player_undo: false,
        player_effects: false,
        player_damage: false,
        tokens: Vec::new(),
    }
}
