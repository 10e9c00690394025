//! Handlers of every surface at once: whatever reaches them waits for ever, which is how a call
//! that was accepted is told from one that was answered.

use std::future::pending;

use toolwright_runtime::tool::GuardParams;
use toolwright_runtime::{
    Call, Completion, ErrorKind, Failure, Guard, Respond, Roles, Stage, Staged, Subject, Tool,
};

pub(super) struct Accepts;

/// Whatever the guards of a tool give.
impl<T: Tool, P: Send + 'static> Respond<T, P> for Accepts {
    async fn respond(
        &self,
        _: &Call,
        _: T::Request,
        _: P,
    ) -> Result<Completion<T::Response>, Failure<T::Error>> {
        pending().await
    }
}

impl<T: Tool> Stage<T> for Accepts {
    type Plan = ();

    /// Not an `async fn`, which would keep the request, and that may not be shared.
    fn stage(
        &self,
        _: &Call,
        _: &T::Request,
    ) -> impl Future<Output = Result<Staged<()>, Failure<T::Error>>> + Send {
        pending()
    }
}

/// Guards pass: some of them decide before the arguments are read.
impl<G: GuardParams> Guard<G> for Accepts {
    type Pass = ();

    async fn check(&self, _: &Call, _: G) -> Result<(), Failure<G::Error>> {
        Ok(())
    }
}

impl<E: ErrorKind> Roles<E> for Accepts {
    async fn roles_of(&self, _: &Call, _: &Subject) -> Result<Option<Vec<String>>, Failure<E>> {
        pending().await
    }
}
