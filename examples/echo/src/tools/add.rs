//! `add`

use toolwright_runtime::{Call, ErrorKind, Handle};

use crate::Server;
use crate::generated::{Add, AddRequest, AddResponse, Error, Result};

impl Handle<Add> for Server {
    async fn handle(&self, _: &Call, request: AddRequest) -> Result<AddResponse> {
        let sum = request.numbers.iter().try_fold(0_i64, |sum, number| sum.checked_add(*number));
        let sum = sum.ok_or_else(|| {
            Error::SumTooLarge.because("`numbers`: the sum does not fit into 64 bits")
        })?;
        Ok(AddResponse { sum })
    }
}
