//! No question of the Timeline may read a whole table: it is asked at every pan, on logs of any length.

use super::*;
use crate::store::{
    crowd::{ASIDE_BINS, Crowd, MANY_ASIDE, crowd_sql, telling_sql},
    density::{BINS, FILLED},
    listing::lanes_of_all_sql,
    migrate::in_memory,
    timemap,
};

/// The steps by which SQLite would answer.
fn plan(sql: &str) -> Vec<String> {
    let db = in_memory();
    let mut statement = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    // A plan needs no values.
    let mut rows = statement.raw_query();
    let mut steps = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        steps.push(row.get(3).unwrap());
    }
    steps
}

#[test]
fn every_question_is_answered_by_seeks() {
    let mut questions: Vec<String> = [
        TRIES,
        JOBS_OF,
        HEADS,
        SIZES,
        OUTSIDE,
        COPIES,
        ASIDE,
        SEEN,
        MANY_ASIDE,
        ASIDE_BINS,
        BINS,
        FILLED,
        timemap::ENDS,
        timemap::HAPPENED,
    ]
    .map(str::to_owned)
    .to_vec();
    questions.extend(WALKS.map(latest_sql));
    questions.extend([events_sql(), came_sql(), ends_sql(), tests_sql(), lanes_of_all_sql()]);
    let post = Resource::new("post:po_1");
    questions.extend([Crowd::Of(&post), Crowd::Tests].into_iter().flat_map(|of| [crowd_sql(of), telling_sql(of)]));
    questions.extend(timemap::MARKS.map(|(table, column)| timemap::walk(table, column)));
    for sql in questions {
        for step in plan(&sql) {
            // What an index cut to a span, or one step of a walk, is read whole; a table never is.
            let cut = ["SCAN recent", "SCAN CONSTANT ROW", "SCAN (subquery", "SCAN walk", "SCAN wanted", "SCAN spans"];
            let whole = step.starts_with("SCAN") && !cut.iter().any(|part| step.starts_with(part));
            assert!(!whole, "`{step}` reads a whole table: {sql}");
        }
    }
}

#[test]
fn tests_are_found_by_their_own_index() {
    let steps = plan(&tests_sql());
    assert!(steps.iter().any(|step| step.contains("events_tests")), "{steps:?}");
}
