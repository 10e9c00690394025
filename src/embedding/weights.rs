//! Reads tensors from the compiled-in safetensors file, without copying the large ones.

use serde_json::Value;

/// Aligned to nothing: numbers are read byte by byte.
static FILE: &[u8] = include_bytes!("data/minilm-int8.safetensors");

/// The compiled-in model is not the expected one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("The built-in embedding model is damaged: `{0}` is missing or has another size.")]
pub struct Damaged(pub(crate) String);

/// The tensors of the file.
pub(crate) struct Weights {
    header: Value,
    data: &'static [u8],
}

/// A matrix of 8-bit rows, each with its scale.
pub(crate) struct Matrix {
    /// One row after the other, two's complement.
    pub(crate) rows: &'static [u8],
    /// Row by row.
    pub(crate) scales: Vec<f32>,
}

impl Weights {
    pub(crate) fn open() -> Result<Self, Damaged> {
        let damaged = || Damaged("header".to_owned());
        let (length, rest) = FILE.split_first_chunk().ok_or_else(damaged)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| damaged())?;
        let (header, data) = rest.split_at_checked(length).ok_or_else(damaged)?;
        let header = serde_json::from_slice(header).map_err(|_| damaged())?;
        Ok(Self { header, data })
    }

    /// A row of floats with this length.
    pub(crate) fn floats(&self, name: &str, length: usize) -> Result<Vec<f32>, Damaged> {
        let bytes = self.bytes(name, "F32", length * 4)?;
        let (numbers, _) = bytes.as_chunks();
        Ok(numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }

    /// A matrix with so many rows and columns.
    pub(crate) fn matrix(
        &self,
        name: &str,
        rows: usize,
        columns: usize,
    ) -> Result<Matrix, Damaged> {
        Ok(Matrix {
            rows: self.bytes(name, "I8", rows * columns)?,
            scales: self.floats(&format!("{name}.scale"), rows)?,
        })
    }

    fn bytes(&self, name: &str, kind: &str, length: usize) -> Result<&'static [u8], Damaged> {
        let tensor = &self.header[name];
        let offset = |at: usize| {
            tensor["data_offsets"][at].as_u64().and_then(|offset| usize::try_from(offset).ok())
        };
        let range = offset(0).zip(offset(1)).map(|(start, end)| start..end);
        range
            .filter(|range| tensor["dtype"] == kind && range.len() == length)
            .and_then(|range| self.data.get(range))
            .ok_or_else(|| Damaged(name.to_owned()))
    }
}

impl Matrix {
    /// One row in floats.
    pub(crate) fn row(&self, row: usize, columns: usize) -> impl Iterator<Item = f32> {
        let scale = self.scales.get(row).copied().unwrap_or_default();
        let bytes = self.rows.get(row * columns..).unwrap_or_default();
        bytes.iter().take(columns).map(move |byte| f32::from(byte.cast_signed()) * scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tensor_that_is_not_there_or_not_so_large_has_a_named_error() {
        let weights = Weights::open().unwrap();
        for (name, length) in [("embeddings.LayerNorm.bias", 383), ("no.such", 384)] {
            let error = weights.floats(name, length).unwrap_err();
            assert_eq!(error, Damaged(name.to_owned()));
            assert!(error.to_string().contains(name), "{error}");
        }
        assert!(weights.matrix("embeddings.LayerNorm.bias", 1, 384 * 4).is_err());
    }
}
