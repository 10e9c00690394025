//! The embedding of a text, against the bare matrix products of the same shapes in 32-bit floats.

use std::hint::black_box;

use matrixmultiply::sgemm;
use toolwright_embedding::Embedder;

use crate::stats::{least, timed};
use crate::table::{Bar, Row, Table};
use crate::{Plan, Result};

const WIDTH: usize = 384;
const INNER: usize = 1_536;
const LAYERS: usize = 6;
const HEADS: usize = 12;
/// Words of a short note, of a finding and of the longest text that is read at once.
const WORDS: [usize; 3] = [8, 40, 250];

pub(super) fn measure(plan: &Plan, table: &mut Table) -> Result<()> {
    let embedder = Embedder::get()?;
    let weights = vec![0.01_f32; LAYERS * WIDTH * (4 * WIDTH + 2 * INNER)];
    for words in WORDS {
        let text = "water ".repeat(words);
        let tokens = embedder.token_ids(&text).len();
        let (mut ours, mut bare) = (Vec::new(), Vec::new());
        for _ in 0..plan.rounds.max(3) * 4 {
            ours.push(timed(|| embedder.embed(black_box(&text)).ok_or("no vector"))?.0);
            bare.push(timed(|| Ok::<_, String>(products(tokens, &weights)))?.0);
        }
        let row = Row::new("embedding of a text", "µs", least(ours));
        table.add(row.floor(least(bare), Bar::AtMost(2.0)).at(tokens, "tokens"));
    }
    Ok(())
}

/// All matrix products of the model, and nothing between them.
fn products(tokens: usize, weights: &[f32]) {
    let input = vec![0.5_f32; tokens * INNER];
    let mut output = vec![0.0_f32; tokens * INNER.max(tokens)];
    let mut multiply = |inputs: usize, outputs: usize, matrix: &[f32]| {
        assert!(matrix.len() >= inputs * outputs && input.len() >= tokens * inputs);
        assert!(output.len() >= tokens * outputs);
        let (a, b, c) = (input.as_ptr(), matrix.as_ptr(), output.as_mut_ptr());
        let (k, n) = (inputs as isize, outputs as isize);
        // SAFETY: the three slices are as long as the shapes need, as asserted.
        unsafe { sgemm(tokens, inputs, outputs, 1.0, a, k, 1, b, 1, k, 0.0, c, n, 1) }
    };
    for layer in weights.chunks_exact(weights.len() / LAYERS) {
        let (square, rest) = layer.split_at(4 * WIDTH * WIDTH);
        let (up, down) = rest.split_at(WIDTH * INNER);
        square.chunks_exact(WIDTH * WIDTH).for_each(|matrix| multiply(WIDTH, WIDTH, matrix));
        multiply(WIDTH, INNER, up);
        multiply(INNER, WIDTH, down);
        for _ in 0..HEADS {
            multiply(WIDTH / HEADS, tokens, weights);
            multiply(tokens, WIDTH / HEADS, weights);
        }
    }
    black_box(&output);
}
