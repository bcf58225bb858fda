//! The account of a bulk: how far it is, how long it still takes, and in the end what was foretold against what came.
//! Pure.

use serde::Serialize;
use ts_rs::TS;

use super::{
    came::RowState,
    group::{Deed, Group},
};
use crate::clock::Moment;

/// A row as far as the account needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its group.
    pub group: Group,
    /// Where it stands.
    pub state: RowState,
    /// True if a person decided that its group runs.
    pub chosen: bool,
    /// True if it made a post.
    pub made: bool,
    /// True if another post with the words of that one is live beside it.
    pub second: bool,
    /// When it began and ended.
    pub took: Option<(Moment, Moment)>,
}

/// How far a bulk is, and in the end what was foretold against what came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[ts(rename = "BulkAccount", export_to = "wire.ts")]
pub struct Account {
    /// Rows that run.
    pub of: u32,
    /// Rows that are over.
    pub over: u32,
    /// Rows that are being done.
    pub under_way: u32,
    /// Rows that wait to be asked again.
    pub open: u32,
    /// Rows that came as foretold.
    pub as_foretold: u32,
    /// Rows that came otherwise.
    pub differed: u32,
    /// Rows of which nothing was sent, since their forecast had changed.
    pub changed: u32,
    /// Rows whose outcome is still open.
    pub unsettled: u32,
    /// Rows that were not run.
    pub left_alone: u32,
    /// Posts made.
    pub posts_created: u32,
    /// Posts made beside which another one with the same words is live.
    pub second_live: u32,
    /// Time left, milliseconds; none before the first row is over, or if nothing runs.
    pub left_ms: Option<i64>,
}

/// Adds up the rows. `held` is until when the whole bulk waits.
#[must_use]
pub fn account(lines: &[Line], at_once: u32, held: Option<Moment>, now: Moment) -> Account {
    let mut sum = Account::default();
    let count = |n: &mut u32, yes: bool| *n += u32::from(yes);
    for line in lines {
        let runs = line.chosen && line.group.deed().is_some();
        count(&mut sum.of, runs);
        count(&mut sum.left_alone, !runs);
        if !runs {
            continue;
        }
        count(&mut sum.over, line.state.is_over());
        count(&mut sum.under_way, line.state == RowState::Begun);
        count(&mut sum.open, line.state == RowState::Open);
        count(&mut sum.as_foretold, line.state == RowState::Done);
        count(&mut sum.differed, line.state == RowState::Differs);
        count(&mut sum.changed, line.state == RowState::Changed);
        count(&mut sum.unsettled, line.state == RowState::Unsettled);
        count(&mut sum.posts_created, line.made);
        count(&mut sum.second_live, line.second);
    }
    sum.left_ms = left(lines, i64::from(sum.of - sum.over), i64::from(at_once.max(1)), held, now);
    sum
}

/// The usual time of a row that was sent, for all that remain, and the wait that Pozy asked for.
fn left(lines: &[Line], remain: i64, at_once: i64, held: Option<Moment>, now: Moment) -> Option<i64> {
    let sent = lines.iter().filter(|line| matches!(line.group.deed(), Some(Deed::AskAgain | Deed::PostAgain)));
    let mut took: Vec<i64> =
        sent.filter_map(|line| line.took).map(|(began, ended)| ended.ms_since(began).max(0)).collect();
    took.sort_unstable();
    let usual = took.get(took.len() / 2).copied().filter(|_| remain > 0)?;
    let rounds = (remain + at_once - 1) / at_once;
    let wait = held.map_or(0, |until| until.ms_since(now).max(0));
    Some(rounds.saturating_mul(usual).saturating_add(wait))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(group: Group, state: RowState, ms: Option<i64>) -> Line {
        let took = ms.map(|ms| (Moment(0), Moment(0).plus_millis(ms)));
        Line { group, state, chosen: true, made: false, second: false, took }
    }

    #[test]
    fn what_is_not_run_is_left_alone_and_the_rest_adds_up() {
        let lines = [
            line(Group::AskAgain, RowState::Done, Some(100)),
            Line { made: true, second: true, ..line(Group::PostAgain, RowState::Differs, Some(300)) },
            line(Group::AskAgain, RowState::Open, None),
            line(Group::AskAgain, RowState::Begun, None),
            line(Group::AskAgain, RowState::Unsettled, Some(500)),
            line(Group::AskAgain, RowState::Changed, None),
            line(Group::LookFirst, RowState::Waits, None),
            Line { chosen: false, ..line(Group::FailedTargets, RowState::Waits, None) },
        ];
        let sum = account(&lines, 3, None, Moment(0));
        assert_eq!((sum.of, sum.over, sum.under_way, sum.open, sum.left_alone), (6, 4, 1, 1, 2));
        assert_eq!((sum.as_foretold, sum.differed, sum.unsettled, sum.changed), (1, 1, 1, 1));
        assert_eq!((sum.posts_created, sum.second_live), (1, 1));
        assert_eq!(sum.left_ms, Some(300), "one round of three at the usual time");
    }

    #[test]
    fn time_left_counts_rounds_and_the_wait_and_is_not_made_up() {
        let waits = line(Group::AskAgain, RowState::Waits, None);
        let done = line(Group::AskAgain, RowState::Done, Some(200));
        assert_eq!(account(&[waits; 7], 3, None, Moment(0)).left_ms, None, "nothing was measured yet");
        let lines = [done, waits, waits, waits, waits];
        assert_eq!(account(&lines, 3, None, Moment(0)).left_ms, Some(400));
        let held = Some(Moment(0).plus_seconds(30));
        assert_eq!(account(&lines, 3, held, Moment(0)).left_ms, Some(30_400));
        assert_eq!(account(&[done; 3], 3, held, Moment(0)).left_ms, None, "it is over");
    }
}
