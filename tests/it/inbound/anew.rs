//! A log that other rules judged last.

use std::sync::Arc;

use reprise_core::{
    inbound::{
        catch_up,
        rejudge::{Anew, can_wait, rejudge_if_outdated, step, under_way},
    },
    store::listing,
};

use super::{
    desk::{Desk, account_event},
    pages::import,
};
use crate::wait::patiently;

#[tokio::test]
async fn newer_rules_judge_behind_the_screens_and_go_on_where_they_were() {
    let desk = Desk::open().await;
    let lines = (0..300_i64).map(|n| {
        let id = format!("ev_{:03}", n % 280);
        (n, account_event(&id, "account.connected", &format!("ac_{}", n % 7)))
    });
    import(&desk, lines.collect()).await;
    assert!(!can_wait(&desk.store).await.unwrap(), "what was never judged is not shown");
    rejudge_if_outdated(&desk.store, &desk.pozy).await.unwrap();
    assert_eq!(under_way(&desk.store).await.unwrap(), None);
    let (events, lanes) = (desk.events().await, listing::lanes(desk.store.pool(), None, 10).await.unwrap());

    let as_left_by_older_rules = "UPDATE settings SET value = '1' WHERE key = 'judged_by';
        UPDATE events SET placing = 'unplaced', applied = 0, flags = '[]', rules = 1; UPDATE lanes SET status = 'odd';
        UPDATE standings SET says = 'by older rules'";
    desk.store.write(move |log| Ok(log.execute_batch(as_left_by_older_rules)?)).await.unwrap();
    assert!(can_wait(&desk.store).await.unwrap());
    for _ in 0..2 {
        assert!(step(&desk.store, &desk.pozy).await.unwrap());
    }
    assert_eq!(under_way(&desk.store).await.unwrap(), Some(Anew { done: 100, of: 280 }));
    // Marked, so that it would be seen if it were judged twice.
    let mark = "UPDATE standings SET says = 'judged' WHERE seq = (SELECT first_seq FROM events WHERE event = 'ev_000')";
    desk.store.write(move |log| Ok(log.execute_batch(mark)?)).await.unwrap();

    // Another start.
    let behind = tokio::spawn(catch_up::keep_up(desk.store.clone(), Arc::clone(&desk.pozy)));
    let judged = async {
        while can_wait(&desk.store).await.unwrap() {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    };
    patiently("all to be judged", judged).await;
    behind.abort();
    assert_eq!(under_way(&desk.store).await.unwrap(), None);
    assert_eq!(desk.events().await, events);
    assert_eq!(listing::lanes(desk.store.pool(), None, 10).await.unwrap(), lanes);
    assert_eq!(desk.number("SELECT count(*) FROM standings WHERE says = 'judged'").await, 1, "it went on from there");
    assert_eq!(desk.number("SELECT count(*) FROM standings WHERE says = 'by older rules'").await, 0);
}
