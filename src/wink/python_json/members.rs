//! The members of an object: a sorted list, because most objects are small and come sorted.

use super::Json;

/// Members by name. `String` order is code point order, as Python sorts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Members(Vec<(String, Json)>);

impl Members {
    /// No members.
    pub fn new() -> Self {
        Self::default()
    }

    fn find(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(key, _)| key.as_str().cmp(name))
    }

    /// A member and its name as stored.
    pub fn get_key_value(&self, name: &str) -> Option<(&String, &Json)> {
        let (key, value) = self.0.get(self.find(name).ok()?)?;
        Some((key, value))
    }

    /// A member.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.get_key_value(name).map(|(_, value)| value)
    }

    /// Whether there is such a member.
    pub fn contains_key(&self, name: &str) -> bool {
        self.find(name).is_ok()
    }

    /// Sets a member.
    pub fn insert(&mut self, name: String, value: Json) {
        match self.find(&name) {
            Ok(index) => self.0[index].1 = value,
            Err(index) => self.0.insert(index, (name, value)),
        }
    }

    /// Removes a member.
    pub fn remove(&mut self, name: &str) -> Option<Json> {
        self.find(name).ok().map(|index| self.0.remove(index).1)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All, sorted by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&String, &Json)> {
        self.0.iter().map(|(name, value)| (name, value))
    }

    /// The names, sorted.
    pub fn keys(&self) -> impl Iterator<Item = &String> {
        self.0.iter().map(|(name, _)| name)
    }
}

impl FromIterator<(String, Json)> for Members {
    /// Of members with the same name the last one counts.
    fn from_iter<I: IntoIterator<Item = (String, Json)>>(members: I) -> Self {
        let mut members: Vec<_> = members.into_iter().collect();
        if !members.is_sorted_by(|one, next| one.0 < next.0) {
            members.sort_by(|one, other| one.0.cmp(&other.0));
            // The sort is stable: the last of equal names is the last in the source.
            members.reverse();
            members.dedup_by(|one, kept| one.0 == kept.0);
            members.reverse();
        }
        Self(members)
    }
}
