//! A model behind an OpenAI-compatible `/embeddings` endpoint.

use serde::Deserialize;
use serde_json::json;

use crate::inference::check;
use crate::llm::{BadOptions, Client, ErrorKind, LlmError, LlmOptions};
use crate::tls_roots;

/// Most texts of a request.
const BATCH: usize = 16;
/// Longest text that is sent, in characters; embedding models read about as much.
const LONGEST: usize = 8_000;
/// Largest answer, in bytes: a batch of 4,096 numbers each.
const MAX_ANSWER: u64 = 4 << 20;

/// A model at a server.
#[derive(Debug)]
pub(super) struct Api {
    client: Client,
    model: String,
}

/// The answer. Unknown fields are ignored.
#[derive(Deserialize)]
struct Answer {
    data: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    index: usize,
    embedding: Vec<f64>,
}

impl Api {
    pub(super) fn new(options: &LlmOptions) -> Result<Self, BadOptions> {
        let model = options.model.trim().to_owned();
        if model.is_empty() {
            return Err(BadOptions::NoModel);
        }
        let client = Client::new(options, "embeddings", MAX_ANSWER, tls_roots::machine)?;
        Ok(Self { client, model })
    }

    pub(super) fn model(&self) -> &str {
        &self.model
    }

    /// The vectors of texts; none for a text without visible characters, which servers refuse.
    pub(super) fn embed(&self, texts: &[&str]) -> Result<Vec<Option<Vec<f32>>>, LlmError> {
        let mut made = vec![None; texts.len()];
        let sent: Vec<(usize, &str)> = texts
            .iter()
            .enumerate()
            .map(|(at, text)| (at, head(text.trim())))
            .filter(|(_, text)| !text.is_empty())
            .collect();
        for batch in sent.chunks(BATCH) {
            let input: Vec<&str> = batch.iter().map(|(_, text)| *text).collect();
            let request = json!({"model": self.model, "input": input, "encoding_format": "float"});
            let vectors = read(&self.client.ask(&request)?, batch.len())?;
            for ((at, _), vector) in batch.iter().zip(vectors) {
                if let Some(slot) = made.get_mut(*at) {
                    *slot = Some(vector);
                }
            }
        }
        Ok(made)
    }
}

/// The vectors of an answer, in the order of the request.
fn read(body: &[u8], expected: usize) -> Result<Vec<Vec<f32>>, LlmError> {
    let invalid = |why: String| ErrorKind::Invalid.because(why);
    let mut answer: Answer = serde_json::from_slice(body).map_err(|error| {
        invalid(format!("{:?} error at {}:{}", error.classify(), error.line(), error.column()))
    })?;
    answer.data.sort_by_key(|entry| entry.index);
    if !answer.data.iter().map(|entry| entry.index).eq(0..expected) {
        return Err(invalid(format!("{} vectors for {expected} texts", answer.data.len())));
    }
    let vectors = answer.data.iter().map(|entry| check(&entry.embedding));
    let vectors: Vec<Vec<f32>> =
        vectors.collect::<Result<_, _>>().map_err(|error| invalid(error.to_string()))?;
    match vectors.windows(2).any(|pair| pair[0].len() != pair[1].len()) {
        true => Err(invalid("vectors of different lengths".to_owned())),
        false => Ok(vectors),
    }
}

fn head(text: &str) -> &str {
    text.char_indices().nth(LONGEST).map_or(text, |(end, _)| text.split_at(end).0)
}
