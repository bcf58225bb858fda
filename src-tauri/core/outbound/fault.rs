//! Places where a test may end the whole process, to prove that a crash there loses nothing and doubles nothing.
//! In a release build this file does nothing.

/// A place between "row written" and "answer stored".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The job is on disk, no attempt is.
    JobWritten,
    /// The attempt is on disk, no byte has left.
    AttemptWritten,
    /// The answer is here, not on disk.
    AnswerReceived,
    /// The answer is on disk, the lock still held.
    AnswerWritten,
    /// A row of a bulk is on disk as begun, nothing of it was sent.
    RowBegun,
    /// The answer to a row of a bulk is on disk, the row does not say so yet.
    RowAnswered,
}

/// Ends the process at once, as kill -9 would, if `REPRISE_DIE_AT` names this step.
#[cfg(debug_assertions)]
pub(super) fn may_die_at(step: Step) {
    let named = match step {
        Step::JobWritten => "job_written",
        Step::AttemptWritten => "attempt_written",
        Step::AnswerReceived => "answer_received",
        Step::AnswerWritten => "answer_written",
        Step::RowBegun => "row_begun",
        Step::RowAnswered => "row_answered",
    };
    if std::env::var_os("REPRISE_DIE_AT").is_some_and(|at| at == named) {
        std::process::abort();
    }
}

/// Does nothing.
#[cfg(not(debug_assertions))]
pub(super) const fn may_die_at(_: Step) {}
