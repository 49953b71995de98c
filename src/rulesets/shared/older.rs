//! Shapes that older logs and documents have.

use serde::{Deserialize, Deserializer};

#[derive(Deserialize)]
#[serde(untagged)]
enum Written<T> {
    All(Vec<T>),
    One(T),
    Flag(#[expect(dead_code, reason = "only its type is checked")] bool),
}

/// Reads a list of ids that used to be one id, or a flag; of a flag nobody knows who was meant.
pub fn several<'de, D: Deserializer<'de>, T: Deserialize<'de>, C: From<Vec<T>>>(
    deserializer: D,
) -> Result<C, D::Error> {
    let list = match Written::deserialize(deserializer)? {
        Written::All(all) => all,
        Written::One(one) => vec![one],
        Written::Flag(_) => Vec::new(),
    };
    Ok(list.into())
}

#[cfg(test)]
mod tests {
    use super::several;
    use crate::vocabulary::CombatantId;
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct Tie {
        #[serde(default, alias = "combatant", deserialize_with = "several")]
        tied: Vec<CombatantId>,
    }

    #[test]
    fn what_was_one_or_a_flag_is_read_as_a_list() {
        let read = |text| serde_json::from_str::<Tie>(text).map(|tie| tie.tied.len()).ok();
        let texts = [r#"{"tied":["a","b"]}"#, r#"{"combatant":"a"}"#, r#"{"tied":true}"#, "{}", r#"{"tied":7}"#];
        assert_eq!(texts.map(read), [Some(2), Some(1), Some(0), Some(0), None]);
    }
}
