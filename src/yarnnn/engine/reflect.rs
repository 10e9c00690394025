//! P3: refreshes a basket's signature: its words when enough has changed, its vector with every
//! write.

use serde_json::json;

use super::{Caller, Engine, Result};
use crate::extract::clean;
use crate::inference::{Centroid, Reflection, Signature, refresh_due, signature_words};
use crate::model::{Block, Fingerprint};
use crate::records::basket_vectors::{self, Place};
use crate::records::dumps::Dump;
use crate::records::signatures::{self, Record};
use crate::records::timeline::{self, Event, Kind};
use crate::records::{Tx, blocks, dumps};
use crate::sql::Value;

/// Newest blocks and dumps that a reflection summarises.
const BLOCKS: i64 = 50;
const DUMPS: i64 = 5;
/// Newest reflections that a signature is computed from.
const REFLECTIONS: i64 = 5;
/// Characters of a dump that are read for names.
const READ: usize = 8_000;
/// Names and keywords of a signature.
const WORDS: usize = 12;
/// Titles in a reflection.
const TITLES: usize = 8;

impl Engine {
    /// Updates the signature after a write to a basket.
    pub(super) fn record_write(
        &self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        basket: &str,
        session: &Fingerprint,
        mutations: u32,
    ) -> Result<()> {
        let at = self.now();
        let record = self.with_signature(tx, caller, basket, |record| {
            record.mutations = record.mutations.saturating_add(mutations);
        })?;
        self.with_vector(tx, caller.workspace_id(), &record, &session.model, |centroid| {
            Ok(centroid.add(&session.embedding, at)?)
        })
    }

    /// Updates the signature after a dump was withdrawn from a basket: its words are computed anew,
    /// without this dump.
    pub(super) fn record_withdrawal(
        &self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        dump: &Dump,
    ) -> Result<()> {
        let at = self.now();
        let session = &dump.fingerprint;
        let record = self.with_signature(tx, caller, &dump.basket_id, |record| {
            record.misrouted = true;
        })?;
        if session.embedding.is_empty() {
            return Ok(());
        }
        self.with_vector(tx, caller.workspace_id(), &record, &session.model, |centroid| {
            Ok(centroid.remove(&session.embedding, dump.created_at, at)?)
        })
    }

    /// Computes the words of a basket's signature anew, without what is no longer recalled.
    pub(super) fn refresh_words(
        &self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        basket: &str,
    ) -> Result<()> {
        self.with_signature(tx, caller, basket, |record| record.misrouted = true).map(drop)
    }

    /// Updates the signature after other changes to a basket.
    pub(super) fn changed(
        &self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        basket: &str,
        mutations: u32,
    ) -> Result<()> {
        let change = |record: &mut Record| {
            record.mutations = record.mutations.saturating_add(mutations);
        };
        self.with_signature(tx, caller, basket, change).map(drop)
    }

    /// Changes a basket's signature, and refreshes its words when due.
    fn with_signature(
        &self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        basket: &str,
        change: impl FnOnce(&mut Record),
    ) -> Result<Record> {
        let mut record = signatures::find(tx, basket)?.unwrap_or_else(|| Record {
            signature: Signature { basket_id: basket.to_owned(), ..Signature::default() },
            anchors: Vec::new(),
            mutations: 0,
            misrouted: false,
            reflection: None,
            active: true,
        });
        change(&mut record);
        let last = record.signature.last_refreshed;
        if refresh_due(last, record.mutations, record.misrouted, self.now()).is_some() {
            self.reflect(tx, caller, basket, &mut record)?;
        }
        signatures::save(tx, caller.workspace_id(), &record)?;
        if record.signature.last_refreshed != last {
            let pgvector = self.store.opened()?.vectors;
            basket_vectors::set_refreshed(tx, basket, record.signature.last_refreshed, pgvector)?;
        }
        Ok(record)
    }

    /// Changes the mean of a basket's writes in a model.
    pub(super) fn with_vector(
        &self,
        tx: &mut Tx<'_>,
        workspace: &str,
        record: &Record,
        model: &str,
        change: impl FnOnce(&mut Centroid) -> Result<()>,
    ) -> Result<()> {
        let basket = record.signature.basket_id.as_str();
        let mut centroid = basket_vectors::find(tx, basket, model)?;
        change(&mut centroid)?;
        let (active, last_refreshed) = (record.active, record.signature.last_refreshed);
        let place = Place { workspace, basket, model, active, last_refreshed };
        let pgvector = self.store.opened()?.vectors;
        Ok(basket_vectors::save(tx, &place, &centroid, self.now(), pgvector)?)
    }

    fn reflect(
        &self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        basket: &str,
        record: &mut Record,
    ) -> Result<()> {
        let at = self.now();
        let known = blocks::latest(tx, basket, BLOCKS)?;
        let recent = dumps::latest(tx, basket, DUMPS)?;
        let (headline, body) = headline_and_body(&known, &recent);
        let id = self.store.id();
        tx.execute(
            "INSERT INTO reflections_artifact (id, basket_id, headline, body, created_at)
             VALUES ($1, $2, $3, $4, $5)",
            &[(&id).into(), basket.into(), (&headline).into(), (&body).into(), at.into()],
        )?;
        let rows = tx.query(
            "SELECT headline, body FROM reflections_artifact WHERE basket_id = $1
             ORDER BY created_at DESC, id LIMIT $2",
            &[basket.into(), Value::from(REFLECTIONS)],
        )?;
        let told_before = rows
            .iter()
            .map(|row| Ok((row.get::<String>("headline")?, row.get::<String>("body")?)))
            .collect::<Result<Vec<_>>>()?;
        let reflections: Vec<Reflection<'_>> = told_before
            .iter()
            .map(|(headline, body)| Reflection { headline: Some(headline), body })
            .collect();
        let heads: Vec<&str> = recent.iter().map(|dump| head(&dump.body)).collect();
        let words = signature_words(&body, &reflections, &heads);
        let said = |pick: fn(&Dump) -> &Vec<String>| recent.iter().flat_map(pick).cloned();
        record.signature.entities =
            first_distinct(said(|dump| &dump.fingerprint.entities).chain(words.entities));
        record.signature.keywords =
            first_distinct(said(|dump| &dump.fingerprint.keywords).chain(words.keywords));
        record.signature.summary = Some(body);
        record.anchors = words.anchors;
        record.signature.last_refreshed = Some(at);
        record.mutations = 0;
        record.misrouted = false;
        let event = Event {
            kind: Kind::ReflectionComputed,
            basket: Some(basket),
            about: &id,
            preview: &headline,
            payload: json!({}),
        };
        timeline::add(tx, caller.workspace_id(), &event, &caller.source, at)?;
        record.reflection = Some(id);
        Ok(())
    }
}

/// A headline and a summary: of the blocks or, while there are none, of the dumps.
fn headline_and_body(known: &[Block], recent: &[Dump]) -> (String, String) {
    let said: Vec<String> = recent
        .iter()
        .filter_map(|dump| dump.fingerprint.summary.as_deref())
        .map(|text| clean(text).text.into_owned())
        .collect();
    let titles: Vec<String> = known
        .iter()
        .take(TITLES)
        .map(|block| format!("{}: {}.", block.semantic_type.as_str(), block.title))
        .collect();
    let first = recent.first().map(|dump| clean(head(&dump.body)).text.into_owned());
    let headline = known.first().map(|block| block.title.clone());
    let headline = headline.or_else(|| said.first().cloned()).or(first).unwrap_or_default();
    let mut body = said.into_iter().take(2).chain(titles).collect::<Vec<_>>().join(" ");
    if body.is_empty() {
        body.clone_from(&headline);
    }
    (line(&headline, 140), line(&body, 1_000))
}

fn line(text: &str, most: usize) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(most).collect()
}

fn head(text: &str) -> &str {
    match text.char_indices().nth(READ) {
        Some((end, _)) => text.get(..end).unwrap_or(text),
        None => text,
    }
}

/// The first [`WORDS`] distinct words.
fn first_distinct(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for word in words {
        let word = clean(&word).text.trim().to_owned();
        let known = kept.iter().any(|one| one.to_lowercase() == word.to_lowercase());
        if !word.is_empty() && !known {
            kept.push(word);
        }
        if kept.len() == WORDS {
            break;
        }
    }
    kept
}
