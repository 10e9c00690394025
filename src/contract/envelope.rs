//! Envelope templates.

/// Templates of success and failure, as text with placeholders.
#[derive(Debug)]
pub struct Envelope {
    /// Success.
    pub success: &'static [Piece],
    /// Failure.
    pub failure: &'static [Piece],
}

/// A piece of JSON text (owned in the compiler, borrowed in tables), or a placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<Run = &'static str> {
    /// Literal text.
    Text(Run),
    /// `$data`: the handler's response.
    Data,
    /// `$error.code`
    ErrorCode,
    /// `$error.message`
    ErrorMessage,
    /// `$error.hint`, or null.
    ErrorHint,
    /// `$error.retryable`
    ErrorRetryable,
    /// `$error.details`, an object.
    ErrorDetails,
    /// `$spread: $error.details`: its members, each preceded by a comma.
    ErrorSpread,
    /// `$warnings`: an array of strings.
    Warnings,
    /// `$elapsed_ms`
    ElapsedMs,
    /// `$now_ms`: epoch milliseconds.
    NowMs,
    /// `$now`: RFC 3339, UTC.
    Now,
    /// `$version`: version of the product.
    Version,
    /// `$contract`: version of the contract.
    Contract,
    /// `$tool`: name in the spec.
    Tool,
    /// `$command`: the tool command's words without flags, joined by dots.
    Command,
    /// `$command_id`: all words of the tool command, joined by spaces.
    CommandId,
    /// `$command_path`: the same as an array.
    CommandPath,
    /// `$request_id`
    RequestId,
}

impl<Run> Piece<Run> {
    /// The same piece over another kind of text.
    pub fn map<Other>(self, text: impl FnOnce(Run) -> Other) -> Piece<Other> {
        match self {
            Self::Text(run) => Piece::Text(text(run)),
            Self::Data => Piece::Data,
            Self::ErrorCode => Piece::ErrorCode,
            Self::ErrorMessage => Piece::ErrorMessage,
            Self::ErrorHint => Piece::ErrorHint,
            Self::ErrorRetryable => Piece::ErrorRetryable,
            Self::ErrorDetails => Piece::ErrorDetails,
            Self::ErrorSpread => Piece::ErrorSpread,
            Self::Warnings => Piece::Warnings,
            Self::ElapsedMs => Piece::ElapsedMs,
            Self::NowMs => Piece::NowMs,
            Self::Now => Piece::Now,
            Self::Version => Piece::Version,
            Self::Contract => Piece::Contract,
            Self::Tool => Piece::Tool,
            Self::Command => Piece::Command,
            Self::CommandId => Piece::CommandId,
            Self::CommandPath => Piece::CommandPath,
            Self::RequestId => Piece::RequestId,
        }
    }
}
