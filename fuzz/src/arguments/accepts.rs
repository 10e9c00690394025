//! Handlers of every surface at once: whatever reaches them waits for ever, which is how a call
//! that was accepted is told from one that was answered.

use std::future::pending;

use toolwright_runtime::tool::GuardParams;
use toolwright_runtime::{
    Call, ErrorKind, Failure, Guard, Handle, HandleGuarded, Roles, Stage, Staged, Subject, Tool,
};

pub(super) struct Accepts;

impl<T: Tool> Handle<T> for Accepts {
    async fn handle(&self, _: &Call, _: T::Request) -> Result<T::Response, Failure<T::Error>> {
        pending().await
    }
}

/// Tools whose plan is staged only where a guard does not make an exception.
impl<T: Tool> HandleGuarded<T, Option<()>> for Accepts {
    async fn handle(
        &self,
        _: &Call,
        _: T::Request,
        _: Option<()>,
    ) -> Result<T::Response, Failure<T::Error>> {
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
