//! A call whose arguments have not been read yet. Admission guards run at this point, so that an
//! unauthorized caller learns nothing about the arguments.

use std::marker::PhantomData;

use serde_json::value::RawValue;

use super::finish::Context;
use super::{DecodedCall, Refusal};
use crate::call::Call;
use crate::contract::SurfaceInfo;
use crate::dispatch::Outcome;
use crate::error::RawFailure;
use crate::tool::Tool;

/// One call of tool `T`, its arguments unread.
pub struct UndecodedCall<'a, T: Tool> {
    pub(super) context: Context<'a>,
    tool: PhantomData<fn() -> T>,
}

impl<'a, T: Tool> UndecodedCall<'a, T> {
    /// A call that has just arrived.
    pub fn new(surface: &'static SurfaceInfo, call: &'a Call) -> Self {
        Self { context: Context::new(surface, T::compiled(), call), tool: PhantomData }
    }

    /// The call.
    pub fn call(&self) -> &'a Call {
        self.context.call
    }

    /// A failure of the `internal` kind. The cause goes only to the log.
    pub fn internal(&self, cause: impl Into<String>) -> RawFailure {
        self.context.internal(cause.into())
    }

    /// Ends the call before its arguments are read.
    pub fn refused(self, refusal: Refusal) -> Outcome {
        self.context.refused(refusal)
    }

    /// Reads and validates the arguments. On failure, returns the outcome to send.
    pub fn decode(self, arguments: &RawValue) -> Result<DecodedCall<'a, T>, Outcome> {
        DecodedCall::read(self.context, arguments)
    }
}
