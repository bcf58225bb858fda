//! What screens and command line read, page by page, and what is left of it when bodies have aged out.

use reprise_core::{
    clock::Moment,
    ids::{EventId, ImportId},
    inbound::{
        arrival::{Arrival, Request, Told},
        catch_up,
        record::record,
        rejudge::rejudge_if_outdated,
        verify::Verified,
    },
    store::{
        arrivals, listing,
        pages::{self, Listed, Only},
        prune::prune,
    },
};
use std::sync::Arc;

use super::desk::{Desk, account_event};

fn at(second: i64) -> Moment {
    "2026-03-02T10:00:00Z".parse::<Moment>().unwrap().plus_seconds(second)
}

/// Imports bodies, each at its second.
pub(super) async fn import(desk: &Desk, lines: Vec<(i64, String)>) -> ImportId {
    let pozy = Arc::clone(&desk.pozy);
    let work = move |connection: &_| {
        let import = arrivals::new_import(connection, at(0), "told.jsonl")?;
        for (second, body) in &lines {
            let headers = [("X-Token".to_owned(), "t".to_owned())];
            let request = Request {
                at: at(*second),
                endpoint: "pozy",
                headers: &headers,
                body: Some(body.as_bytes()),
                verified: Verified::Unchecked,
            };
            record(
                connection,
                &Arrival::imported(
                    import,
                    &request,
                    Told { answer: Some(204), took_ms: Some(30), ..Told::default() },
                    &pozy,
                ),
                &pozy,
            )?;
        }
        Ok(import)
    };
    let import = desk.store.write(work).await.unwrap();
    // As the program does after each import.
    catch_up::all(&desk.store, &desk.pozy, |_| true).await.unwrap();
    import
}

fn mixed() -> Vec<(i64, String)> {
    let event = |n: i64| account_event(&format!("ev_{n}"), "account.connected", &format!("ac_{n}"));
    let test = r#"{"id":"ev_test","event":"webhook.test","timestamp":"2026-03-02T10:00:00Z"}"#;
    let mut lines: Vec<_> = (0..20).map(|n| (n, event(n))).collect();
    lines.extend([(20, event(3)), (21, "not json".into()), (21, "[]".into()), (21, event(4)), (22, test.into())]);
    lines.push((23, account_event("ev_tie", "account.disconnected", "ac_5")));
    lines
}

fn names(rows: &[Listed]) -> Vec<String> {
    let name = |row: &Listed| match row {
        Listed::Event(row) => row.event.to_string(),
        Listed::Aside(row) => format!("aside {}", row.seq.0),
    };
    rows.iter().map(name).collect()
}

#[tokio::test]
async fn pages_hold_every_row_once_last_arrival_first() {
    let desk = Desk::open().await;
    import(&desk, mixed()).await;
    let pool = desk.store.pool();
    let whole = pages::page(pool, None, 200, None).await.unwrap();
    assert_eq!(names(&whole.rows)[..6], ["ev_tie", "ev_test", "ev_4", "aside 23", "aside 22", "ev_3"]);
    assert_eq!((whole.rows.len(), whole.next.as_deref()), (24, None));
    for limit in [1, 2, 3, 7] {
        let (mut all, mut after) = (Vec::new(), None);
        loop {
            let page = pages::page(pool, after.as_deref(), limit, None).await.unwrap();
            all.extend(page.rows);
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(names(&all), names(&whole.rows), "pages of {limit}");
    }
    let only = async |only| names(&pages::page(pool, None, 200, Some(only)).await.unwrap().rows);
    assert_eq!(only(Only::Copies).await, ["ev_4", "ev_3"]);
    assert_eq!(only(Only::Tests).await, ["ev_test"]);
    assert_eq!(only(Only::Ties).await, ["ev_tie", "ev_5"]);
    assert_eq!(only(Only::SetAside).await, ["aside 23", "aside 22"]);
    assert!(only(Only::Late).await.is_empty());
    assert!(pages::page(pool, Some("nonsense"), 5, None).await.is_err());
}

#[tokio::test]
async fn full_listings_go_on_where_they_stopped() {
    let desk = Desk::open().await;
    import(&desk, mixed()).await;
    let pool = desk.store.pool();
    let whole = listing::arrivals(pool, None, 100).await.unwrap();
    assert_eq!(whole.len(), 26);
    assert!(
        whole.is_sorted_by_key(|row| (row.arrived, row.event.clone().map_or_else(String::new, |id| id.to_string())))
    );
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let page = listing::arrivals(pool, after.as_ref(), 4).await.unwrap();
        let Some(last) = page.last().cloned() else { break };
        all.extend(page);
        after = Some(last);
    }
    assert_eq!(all, whole);
    let events = listing::events(pool, None, 100).await.unwrap();
    let rest = listing::events(pool, Some(&events[9]), 100).await.unwrap();
    assert_eq!(rest, events[10..]);
    let lanes = listing::lanes(pool, None, 100).await.unwrap();
    assert_eq!(listing::lanes(pool, Some(&lanes[4].lane), 100).await.unwrap(), lanes[5..]);
    assert_eq!(listing::lane(pool, &lanes[4].lane).await.unwrap().as_ref(), Some(&lanes[4]));

    let copied = listing::event(pool, &EventId::new("ev_3")).await.unwrap().unwrap();
    assert_eq!((copied.arrivals, copied.cause.as_ref().unwrap().code.as_str()), (2, "lost_answer"));
    assert_eq!(copied.news[0].lane.as_str(), "account:ac_3");
    let of_event = listing::arrivals_of(pool, &copied.event, 10).await.unwrap();
    assert_eq!(of_event.iter().map(|row| row.copy).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(listing::last_live_arrival(pool).await.unwrap(), None);
}

#[tokio::test]
async fn bodies_age_out_and_nothing_else_does() {
    let desk = Desk::open().await;
    let post = r#"{"id":"ev_post","event":"post.published","timestamp":"2026-03-02T10:00:00Z","post":{"id":"po","status":"published","content":"Doors open at 9."}}"#;
    let mut lines: Vec<_> =
        (0..600).map(|n| (n, account_event(&format!("ev_{n}"), "account.connected", "ac"))).collect();
    lines.insert(0, (-5, post.into()));
    import(&desk, lines).await;
    let (events, arrivals) = (desk.events().await, desk.arrivals().await);
    assert_eq!(events[0].text.as_deref(), Some("Doors open at 9."));
    let pruned = prune(&desk.store, at(500)).await.unwrap();
    assert_eq!(pruned.bodies, 501);
    assert_eq!(desk.number("SELECT count(*) FROM bodies").await, 100);
    assert_eq!(desk.arrivals().await, arrivals);
    let after = desk.events().await;
    assert_eq!(after[0].text, None, "the words leave with their body");
    assert_eq!(after[1..], events[1..]);
    let gone = listing::arrival(desk.store.pool(), arrivals[0].seq).await.unwrap().unwrap();
    assert_eq!((gone.body, gone.body_len), (None, i64::try_from(post.len()).unwrap()));
    assert_eq!(prune(&desk.store, at(500)).await.unwrap().bodies, 0);
    let lanes = listing::lanes(desk.store.pool(), None, 10).await.unwrap();
    rejudge_if_outdated(&desk.store, &desk.pozy).await.unwrap();
    assert_eq!(desk.events().await, after, "judging needs no body");
    assert_eq!(listing::lanes(desk.store.pool(), None, 10).await.unwrap(), lanes);
}
