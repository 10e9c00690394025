//! The transformer: six layers of attention and a feed-forward network, as in BERT.
//!
//! Takes token ids, gives the mean of their last states. Knows nothing of texts.

use super::linear::{Linear, Scaled};
use super::math::{gelu, layer_norm, softmax};
use super::weights::{Damaged, Matrix, Weights};
use super::wide::{self, Machine, Work};

/// Numbers of a token's state, and of the embedding.
pub(crate) const WIDTH: usize = 384;
const INNER: usize = 1536;
const LAYERS: usize = 6;
const HEADS: usize = 12;
const HEAD: usize = WIDTH / HEADS;
const WORDS: usize = 30_522;
const POSITIONS: usize = 512;

type State = [f32; WIDTH];

/// The model.
pub(crate) struct Encoder {
    words: Matrix,
    positions: Matrix,
    kind: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

struct Layer {
    query: Linear<WIDTH>,
    key: Linear<WIDTH>,
    value: Linear<WIDTH>,
    joined: Linear<WIDTH>,
    joined_norm: Norm,
    up: Linear<WIDTH>,
    down: Linear<INNER>,
    down_norm: Norm,
}

struct Norm {
    weight: Vec<f32>,
    bias: Vec<f32>,
}

impl Encoder {
    pub(crate) fn load() -> Result<Self, Damaged> {
        let weights = Weights::open()?;
        let kinds = weights.floats("embeddings.token_type_embeddings.weight", 2 * WIDTH)?;
        Ok(Self {
            words: weights.matrix("embeddings.word_embeddings.weight", WORDS, WIDTH)?,
            positions: weights.matrix("embeddings.position_embeddings.weight", POSITIONS, WIDTH)?,
            kind: kinds.into_iter().take(WIDTH).collect(),
            norm: norm(&weights, "embeddings.LayerNorm")?,
            layers: (0..LAYERS).map(|at| Layer::load(&weights, at)).collect::<Result<_, _>>()?,
        })
    }

    /// The mean of the tokens' last states, at length 1.
    pub(crate) fn encode(&self, ids: &[u32]) -> Vec<f32> {
        let states = self.last_states(ids);
        let mut mean = vec![0.0; WIDTH];
        for state in &states {
            mean.iter_mut().zip(state).for_each(|(sum, number)| *sum += number);
        }
        super::math::unit(&mut mean);
        mean
    }

    /// The tokens' last states, each at length 1.
    pub(crate) fn states(&self, ids: &[u32]) -> Vec<Vec<f32>> {
        let unit = |state: State| {
            let mut state = state.to_vec();
            super::math::unit(&mut state);
            state
        };
        self.last_states(ids).into_iter().map(unit).collect()
    }

    fn last_states(&self, ids: &[u32]) -> Vec<State> {
        let mut states: Vec<State> =
            ids.iter().enumerate().map(|(at, &id)| self.first_state(at, id)).collect();
        wide::run(Layers { layers: &self.layers, states: &mut states });
        states
    }

    fn first_state(&self, at: usize, id: u32) -> State {
        let word = self.words.row(id as usize, WIDTH);
        let position = self.positions.row(at, WIDTH);
        let mut state = [0.0; WIDTH];
        for (((sum, word), position), kind) in
            state.iter_mut().zip(word).zip(position).zip(&self.kind)
        {
            *sum = word + position + kind;
        }
        self.norm.apply(&mut state);
        state
    }
}

/// All layers over the states, one after the other.
struct Layers<'a> {
    layers: &'a [Layer],
    states: &'a mut [State],
}

impl Work for Layers<'_> {
    #[inline(always)]
    fn on(self, machine: impl Machine) {
        for layer in self.layers {
            layer.run(machine, self.states);
        }
    }
}

impl Layer {
    fn load(weights: &Weights, at: usize) -> Result<Self, Damaged> {
        let name = |part: &str| format!("encoder.layer.{at}.{part}");
        Ok(Self {
            query: linear(weights, &name("attention.self.query"), WIDTH)?,
            key: linear(weights, &name("attention.self.key"), WIDTH)?,
            value: linear(weights, &name("attention.self.value"), WIDTH)?,
            joined: linear(weights, &name("attention.output.dense"), WIDTH)?,
            joined_norm: norm(weights, &name("attention.output.LayerNorm"))?,
            up: linear(weights, &name("intermediate.dense"), INNER)?,
            down: linear(weights, &name("output.dense"), WIDTH)?,
            down_norm: norm(weights, &name("output.LayerNorm"))?,
        })
    }

    #[inline(always)]
    fn run(&self, machine: impl Machine, states: &mut [State]) {
        let input = Scaled::of(states);
        let seen = attention(
            &self.query.apply::<WIDTH>(machine, &input),
            &self.key.apply::<WIDTH>(machine, &input),
            &self.value.apply::<WIDTH>(machine, &input),
        );
        let joined = self.joined.apply::<WIDTH>(machine, &Scaled::of(&seen));
        self.joined_norm.add(states, &joined);
        let mut inner = self.up.apply::<INNER>(machine, &Scaled::of(states));
        for row in &mut inner {
            for number in row {
                *number = gelu(*number);
            }
        }
        let outer = self.down.apply::<WIDTH>(machine, &Scaled::of(&inner));
        self.down_norm.add(states, &outer);
    }
}

impl Norm {
    #[inline(always)]
    fn apply(&self, state: &mut State) {
        layer_norm(state, &self.weight, &self.bias);
    }

    /// Adds a layer's output to the states, and normalises them.
    #[inline(always)]
    fn add(&self, states: &mut [State], output: &[State]) {
        for (state, output) in states.iter_mut().zip(output) {
            state.iter_mut().zip(output).for_each(|(sum, number)| *sum += number);
            self.apply(state);
        }
    }
}

fn norm(weights: &Weights, name: &str) -> Result<Norm, Damaged> {
    Ok(Norm {
        weight: weights.floats(&format!("{name}.weight"), WIDTH)?,
        bias: weights.floats(&format!("{name}.bias"), WIDTH)?,
    })
}

fn linear<const K: usize>(
    weights: &Weights,
    name: &str,
    outputs: usize,
) -> Result<Linear<K>, Damaged> {
    Ok(Linear {
        matrix: weights.matrix(&format!("{name}.weight"), outputs, K)?,
        bias: weights.floats(&format!("{name}.bias"), outputs)?,
    })
}

/// What each token takes from all others, head by head.
#[inline(always)]
fn attention(queries: &[State], keys: &[State], values: &[State]) -> Vec<State> {
    let count = queries.len();
    let mut seen = vec![[0.0; WIDTH]; count];
    let mut turned = vec![0.0; HEAD * count];
    let mut scores = vec![0.0; count];
    let factor = 1.0 / (HEAD as f32).sqrt();
    for head in 0..HEADS {
        let part = head * HEAD..(head + 1) * HEAD;
        // Turned, so that scores of neighbouring tokens are computed side by side.
        for (token, key) in keys.iter().enumerate() {
            for (row, number) in turned.chunks_exact_mut(count).zip(&key[part.clone()]) {
                row[token] = *number;
            }
        }
        for (query, seen) in queries.iter().zip(&mut seen) {
            scores.fill(0.0);
            for (row, number) in turned.chunks_exact(count).zip(&query[part.clone()]) {
                for (score, key) in scores.iter_mut().zip(row) {
                    *score += number * factor * key;
                }
            }
            softmax(&mut scores);
            let mut sums = [0.0; HEAD];
            for (share, value) in scores.iter().zip(values) {
                for (sum, number) in sums.iter_mut().zip(&value.as_chunks::<HEAD>().0[head]) {
                    *sum += share * number;
                }
            }
            seen[part.clone()].copy_from_slice(&sums);
        }
    }
    seen
}
