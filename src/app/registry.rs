//! Values that are shared under a name for as long as somebody uses them.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Weak};

/// The values in use, by name.
pub(super) struct Registry<T>(Mutex<HashMap<String, Weak<Registered<T>>>>);

/// A value in use. The registry forgets it with its last user.
pub(super) struct Registered<T> {
    name: String,
    value: T,
    registry: Arc<Registry<T>>,
}

impl<T> Default for Registry<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Deref for Registered<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> Drop for Registered<T> {
    fn drop(&mut self) {
        let mut values = self.registry.0.lock();
        // Another value may have taken its place.
        if values
            .get(&self.name)
            .is_some_and(|value| value.strong_count() == 0)
        {
            values.remove(&self.name);
        }
    }
}

impl<T> Registry<T> {
    /// The value of this name, if it is in use.
    pub fn get(&self, name: &str) -> Option<Arc<Registered<T>>> {
        self.0.lock().get(name)?.upgrade()
    }

    /// The value of this name, a new one if none is in use.
    pub fn get_or_insert(
        self: &Arc<Self>,
        name: &str,
        new: impl FnOnce() -> T,
    ) -> Arc<Registered<T>> {
        let mut values = self.0.lock();
        if let Some(value) = values.get(name).and_then(Weak::upgrade) {
            return value;
        }
        let value = Arc::new(Registered {
            name: name.to_owned(),
            value: new(),
            registry: self.clone(),
        });
        values.insert(name.to_owned(), Arc::downgrade(&value));
        value
    }

    /// All values in use.
    pub fn all(&self) -> Vec<Arc<Registered<T>>> {
        self.0.lock().values().filter_map(Weak::upgrade).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_shared_while_it_is_used_and_forgotten_unless_another_has_its_place() {
        let registry = Arc::new(Registry::default());
        let first = registry.get_or_insert("e", || 1);
        assert_eq!(**registry.get_or_insert("e", || 2), 1);
        assert_eq!(registry.all().len(), 1);
        // The last user of the first has gone, and the registry has not heard of it yet.
        registry.0.lock().clear();
        let second = registry.get_or_insert("e", || 2);
        drop(first);
        assert_eq!(registry.get("e").map(|value| **value), Some(2));
        drop(second);
        assert!(registry.0.lock().is_empty());
    }
}
