//! No question of the Timeline may read a whole table: it is asked at every pan, on logs of any length.

use super::*;
use crate::store::{migrate::in_memory, timemap};

/// The steps by which SQLite would answer.
fn plan(sql: &str) -> Vec<String> {
    let db = in_memory();
    let mut statement = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let steps = statement.query_map([], |row| row.get::<_, String>(3)).unwrap();
    steps.map(|step| step.unwrap()).collect()
}

#[test]
fn every_question_is_answered_by_seeks() {
    let mut questions: Vec<String> =
        [TRIES, JOBS_OF, HEAD, COPIES, ASIDE, SEEN].into_iter().chain(WALKS).map(str::to_owned).collect();
    questions.extend([events_sql(), tests_sql()]);
    questions.extend(timemap::MARKS.map(|(table, column)| timemap::walk(table, column)));
    for sql in questions {
        for step in plan(&sql) {
            let table = ["arrivals", "events", "attempts", "observations", "sightings", "standings", "job_states"];
            let whole = table.iter().any(|table| step.starts_with(&format!("SCAN {table}")));
            assert!(!whole, "`{step}` reads a whole table: {sql}");
        }
    }
}

#[test]
fn tests_are_found_by_their_own_index() {
    let steps = plan(&tests_sql());
    assert!(steps.iter().any(|step| step.contains("events_tests")), "{steps:?}");
}
