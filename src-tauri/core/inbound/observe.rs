//! State fetched from Pozy goes into the log and settles what events alone cannot: ties, clocks that disagree, and
//! whether what we believe still holds (design 3.5, R5).

use std::collections::BTreeSet;

use rusqlite::Connection;

use super::record::rejudge_resource;
use crate::{
    error::Result,
    ids::ObservationId,
    pozy::post,
    store::{
        observations::{self, NewObservation},
        tellings,
    },
};

/// Records a fetch and judges the resources it tells of anew. Runs inside a piece of write work.
///
/// # Errors
/// `Storage` if the log cannot be written.
pub fn record_observation(connection: &Connection, new: &NewObservation<'_>) -> Result<ObservationId> {
    let observation = observations::append(connection, new)?;
    let body = new.body.unwrap_or_default();
    tellings::keep_fetch(connection, new)?;
    let mut touched = BTreeSet::new();
    for seen in post::read(new.path, new.status, body) {
        observations::append_sighting(connection, observation, new.at, &seen)?;
        touched.insert(seen.resource);
    }
    for resource in &touched {
        rejudge_resource(connection, resource)?;
    }
    Ok(observation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ids::ImportId,
        inbound::test_log::{Came, TestLog},
    };

    fn fetch(log: &TestLog, at: &str, path: &str, status: u16, body: &str) {
        let at = at.parse().unwrap();
        let new = NewObservation { at, workspace: None, path, status, body: Some(body.as_bytes()), import: None };
        record_observation(&log.db, &new).unwrap();
        assert_eq!(observations::count_equal(&log.db, at, path, status, new.body, ImportId(0)).unwrap(), 1);
        assert_eq!(observations::count_equal(&log.db, at, path, status, None, ImportId(0)).unwrap(), 0);
    }

    fn lane(log: &TestLog, name: &str) -> (String, String) {
        let row = log.rows(&format!("SELECT status, source FROM lanes WHERE lane = '{name}'")).remove(0);
        (row["status"].as_str().unwrap().to_owned(), row["source"].as_str().unwrap().to_owned())
    }

    #[test]
    fn a_fetch_of_accounts_settles_a_tie_and_one_that_is_gone_is_gone() {
        let log = TestLog::new();
        for (id, name) in [("ev_8", "account.disconnected"), ("ev_9", "account.connected")] {
            let body = format!(
                r#"{{"id":"{id}","event":"{name}","timestamp":"2026-03-02T10:00:00Z","account":{{"accountId":"ac_a"}}}}"#
            );
            log.record(&Came::imported("2026-03-02T10:00:01Z", 35, 204), &body);
        }
        let accounts = r#"{"accounts":[{"_id":"ac_a","status":"connected","isActive":true}]}"#;
        fetch(&log, "2026-03-02T10:01:00Z", "/v1/accounts?profileId=pr_1", 200, accounts);
        assert_eq!(lane(&log, "account:ac_a"), ("connected".into(), "event".into()));
        fetch(&log, "2026-03-02T10:05:00Z", "/v1/accounts/ac_a", 404, "");
        assert_eq!(lane(&log, "account:ac_a"), ("gone".into(), "observation".into()));
    }

    #[test]
    fn a_post_that_only_a_fetch_tells_of_has_lanes_too() {
        let log = TestLog::new();
        let body =
            r#"{"post":{"_id":"po","status":"published","platforms":[{"accountId":"ac","status":"published"}]}}"#;
        fetch(&log, "2026-03-02T10:01:00Z", "/v1/posts/po", 200, body);
        assert_eq!(lane(&log, "post:po/ac"), ("published".into(), "observation".into()));
    }
}
