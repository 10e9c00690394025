//! What baskets are compared by besides their centroid: the vectors and words of their newest texts.
//!
//! A cache in this process, by basket and model; a profile is read anew when the basket's vector has
//! another revision. Holds words as hashes only.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::inference::{Signature, Wording};
use crate::records::{Tx, basket_vectors, dump_vectors};
use crate::sql;

/// Profiles that are cached; when there are more, all are read anew as they are needed.
const PROFILES: usize = 64;
/// The newest texts of a basket.
const MEMBERS: i64 = 16;
/// Characters of a text whose words are read.
const READ: usize = 4_000;

/// The cached profiles.
#[derive(Default)]
pub(super) struct Profiles {
    cached: Mutex<Cached>,
}

/// A basket and a model.
type Place = (String, String);
/// The revision of the basket's vector, and its name.
type Key = (i64, String);
type Cached = BTreeMap<Place, (Key, Arc<Profile>)>;

/// What a basket is compared by.
#[derive(Debug, Default)]
pub(super) struct Profile {
    /// The vectors of its newest texts.
    pub(super) members: Vec<Vec<f32>>,
    /// The words of its name and its newest texts.
    pub(super) wording: Wording,
}

impl Profiles {
    /// The profile of a basket in a model.
    pub(super) fn of(
        &self,
        tx: &mut Tx<'_>,
        workspace: &str,
        model: &str,
        basket: &Signature,
    ) -> sql::Result<Arc<Profile>> {
        let id = &basket.basket_id;
        let revision = basket_vectors::revision(tx, workspace, model, id)?.unwrap_or_default();
        let (place, key) = ((id.clone(), model.to_owned()), (revision, basket.name.clone()));
        if let Some((known, profile)) = self.lock().get(&place)
            && *known == key
        {
            return Ok(Arc::clone(profile));
        }
        let profile = Arc::new(read(tx, model, basket)?);
        let mut cached = self.lock();
        if cached.len() >= PROFILES {
            cached.clear();
        }
        cached.insert(place, (key, Arc::clone(&profile)));
        Ok(profile)
    }

    fn lock(&self) -> MutexGuard<'_, Cached> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read(tx: &mut Tx<'_>, model: &str, basket: &Signature) -> sql::Result<Profile> {
    let texts = dump_vectors::texts(tx, &basket.basket_id, model, MEMBERS)?;
    let said = texts.iter().flat_map(|text| [text.summary.as_str(), head(&text.body)]);
    let wording = Wording::of(said.chain([basket.name.as_str()]));
    Ok(Profile { wording, members: texts.into_iter().map(|text| text.vector).collect() })
}

fn head(text: &str) -> &str {
    text.char_indices().nth(READ).map_or(text, |(end, _)| text.split_at(end).0)
}
