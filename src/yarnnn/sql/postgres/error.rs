//! Maps PostgreSQL's errors to [`Error`].

use std::error::Error as _;

use ::postgres::error::DbError;
use rustls::CertificateError::{NotValidForName, NotValidForNameContext};

use crate::sql::error::{Error, Kind, Rule};
use crate::sql::session::{Failure, Retry};

/// Classifies an error of a statement, and whether to retry.
pub(super) fn failure(cause: &::postgres::Error) -> Failure {
    let Some(said) = cause.as_db_error() else {
        let lost =
            cause.is_closed() || cause.source().is_some_and(|source| source.is::<std::io::Error>());
        let (retry, error) =
            if lost { (Retry::Lost, disconnected()) } else { (Retry::No, unreadable()) };
        return Failure { error: error.internal(chain(cause)), retry };
    };
    let (found, retry) = judge(said);
    // The detail may contain values of the row: it is not logged.
    let code = format!("{} {}", said.code().code(), said.message());
    Failure { error: found.internal(code), retry }
}

/// Classifies a failure to connect.
pub(super) fn connecting(error: &::postgres::Error) -> Error {
    let text = chain(error);
    if error.as_db_error().is_some() {
        return failure(error).error;
    }
    // The crate distinguishes kinds only by their messages.
    let found = if text.starts_with("authentication error") {
        denied()
    } else if text.starts_with("error performing TLS") {
        unencrypted(error)
    } else if text.starts_with("invalid configuration") {
        Kind::Broken.because("The database URL is incomplete. Use `postgres://user@host/name`.")
    } else {
        disconnected()
    };
    found.internal(text)
}

/// An error and its sources.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}

/// Why there is no encrypted connection.
fn unencrypted(error: &::postgres::Error) -> Error {
    let cause = error.source().and_then(|source| source.downcast_ref::<std::io::Error>());
    let words = match cause.map(|cause| cause.get_ref().and_then(|cause| cause.downcast_ref())) {
        // A network failure during the handshake.
        Some(None) => return disconnected(),
        Some(Some(rustls::Error::InvalidCertificate(
            NotValidForName | NotValidForNameContext { .. },
        ))) => {
            "The database's certificate is for another host. Use the host that it names, or \
             `sslmode=verify-ca`."
        }
        Some(Some(rustls::Error::InvalidCertificate(_))) => {
            "The database's certificate is not trusted. Name the file of its root certificate: \
             `sslrootcert=path`."
        }
        Some(Some(_)) => "The database and this program do not agree on TLS 1.2 or 1.3.",
        None => "The database offers no TLS, which the URL's `sslmode` requires.",
    };
    Kind::Denied.because(words)
}

fn disconnected() -> Error {
    Kind::Unavailable.because("The database cannot be reached. Try again when it is back.")
}

fn denied() -> Error {
    Kind::Denied
        .because("The database denied it; nothing was written. Check the user's privileges.")
}

fn unreadable() -> Error {
    Kind::Broken.because("The database's answer is malformed.")
}

/// By the server's SQLSTATE, see appendix A of its manual.
fn judge(said: &DbError) -> (Error, Retry) {
    let code = said.code().code();
    let name = |fallback: Option<String>| said.constraint().map(str::to_owned).or(fallback);
    let missing = || {
        let (table, column) = (said.table()?, said.column()?);
        Some(format!("{table}_{column}_not_null"))
    };
    let error = match code {
        "40001" | "40P01" => {
            let error = Kind::Unavailable
                .because("Too many writes conflicted; nothing was written. Try again later.");
            return (error, Retry::Collided);
        }
        "23505" | "23P01" => Error::conflict(Rule::Unique, name(None)),
        "23503" | "23001" => Error::conflict(Rule::Foreign, name(None)),
        "23514" => Error::conflict(Rule::Check, name(None)),
        "23502" => Error::conflict(Rule::NotNull, name(missing())),
        "53100" => {
            Kind::Full.because("The database's disk is full; nothing was written. Free some space.")
        }
        "57014" | "55P03" => Kind::Unavailable
            .because("The database took too long; nothing was written. Try again later."),
        "25P03" | "57P01" | "57P02" | "57P03" | "57P05" => return (disconnected(), Retry::Lost),
        "42501" | "25006" => denied(),
        "3D000" => {
            Kind::Broken.because("The database that the URL names does not exist. Create it.")
        }
        "54000" | "54001" | "22001" => {
            Kind::Broken.because("A value is too large for the database; nothing was written.")
        }
        _ => match code.get(..2) {
            Some("08") => return (disconnected(), Retry::Lost),
            Some("28") => denied(),
            Some("53" | "58") => Kind::Unavailable
                .because("The database is overloaded; nothing was written. Try again later."),
            _ => {
                Kind::Broken.because("The database cannot run the statement; nothing was written.")
            }
        },
    };
    (error, Retry::No)
}
