//! Whether both sides agree: each delivery that left is one arrival with the answer that was told, each message of a
//! stranger is one arrival, each job made one post, each post has its job, and each lane holds what the post is.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tokio::task::spawn_blocking;

use super::{
    Stage,
    traffic::{Traffic, locked},
};

/// What both sides agreed on.
#[derive(Clone, Debug, Default)]
pub(super) struct Agreed {
    pub(super) arrivals: usize,
    pub(super) deliveries: usize,
    pub(super) strangers: usize,
    pub(super) quarantined: usize,
    pub(super) events: usize,
    pub(super) posts: usize,
    pub(super) attempts: usize,
    pub(super) lanes: usize,
    pub(super) faults: BTreeMap<String, u64>,
}

/// What both sides hold now, if they are at rest and agree.
///
/// # Errors
/// What is still under way or differs.
pub(super) async fn agreed(stage: &Stage, traffic: &Traffic) -> Result<Agreed, String> {
    let jobs = lines(stage, "jobs").await;
    if let Some(open) = jobs.iter().find(|job| job["state"] != "done") {
        return Err(format!("a job is not done: {open}"));
    }
    let ledger = ledger(traffic).await;
    let waiting = told_in_vain(&ledger);
    for row in &waiting {
        traffic.redeliver(row).await;
    }
    if !waiting.is_empty() {
        return Err(format!("{} events were told in vain", waiting.len()));
    }
    let (log, lanes) = (lines(stage, "export").await, lines(stage, "lanes").await);
    if self::ledger(traffic).await["deliveries"] != ledger["deliveries"] {
        return Err("deliveries go on".to_owned());
    }
    let mut agreed = Agreed { faults: locked(&traffic.faults).clone(), ..Agreed::default() };
    posts(&jobs, &log, &ledger, traffic, &mut agreed)?;
    arrivals(&log, &ledger, traffic, &mut agreed)?;
    lanes_hold(&lanes, &ledger, &mut agreed)?;
    Ok(agreed)
}

async fn lines(stage: &Stage, command: &'static str) -> Vec<Value> {
    let place = stage.place.clone();
    spawn_blocking(move || place.lines(&[command])).await.expect("it ran")
}

async fn ledger(traffic: &Traffic) -> Value {
    let answer = traffic.client.get(format!("{}/sandbox/ledger", traffic.pozy)).send().await.expect("the sandbox");
    serde_json::from_slice(&answer.bytes().await.expect("a ledger")).expect("a ledger")
}

fn rows<'a>(ledger: &'a Value, name: &str) -> &'a [Value] {
    ledger[name].as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().unwrap_or_default()
}

/// One row of each event that was never taken.
fn told_in_vain(ledger: &Value) -> Vec<Value> {
    let mut open: BTreeMap<&str, &Value> = BTreeMap::new();
    let mut taken = BTreeSet::new();
    for row in rows(ledger, "deliveries") {
        if row["statusCode"] == 204 {
            taken.insert(text(row, "eventId"));
        }
        open.insert(text(row, "eventId"), row);
    }
    open.into_iter().filter(|(event, _)| !taken.contains(event)).map(|(_, row)| row.clone()).collect()
}

fn posts(jobs: &[Value], log: &[Value], ledger: &Value, traffic: &Traffic, agreed: &mut Agreed) -> Result<(), String> {
    let (posts, keys) = (rows(ledger, "posts"), rows(ledger, "keys"));
    let asked: BTreeSet<String> = locked(&traffic.posts).iter().cloned().collect();
    let there: BTreeSet<String> = posts.iter().map(|post| text(post, "content").to_owned()).collect();
    assert_eq!(posts.len(), there.len(), "the same words live twice");
    if (jobs.len(), posts.len(), keys.len(), &there) != (asked.len(), asked.len(), asked.len(), &asked) {
        return Err(format!("{} asked, {} jobs, {} posts, {} keys", asked.len(), jobs.len(), posts.len(), keys.len()));
    }
    let made: BTreeMap<&str, &str> = keys.iter().map(|row| (text(row, "key"), text(row, "post"))).collect();
    for job in jobs {
        if made.get(text(job, "key")) != Some(&text(job, "post")) {
            return Err(format!("a job and its post differ: {job}"));
        }
    }
    let mut creations: BTreeMap<&str, usize> = BTreeMap::new();
    let attempts = log.iter().filter(|line| line["kind"] == "attempt");
    for line in attempts {
        agreed.attempts += 1;
        let made = line["result"]["status"] == 201 || line["result"]["status"] == 207;
        *creations.entry(text(line, "job")).or_default() += usize::from(made);
    }
    assert!(creations.values().all(|times| *times <= 1), "a job was told twice that its post was made");
    agreed.posts = posts.len();
    Ok(())
}

fn arrivals(log: &[Value], ledger: &Value, traffic: &Traffic, agreed: &mut Agreed) -> Result<(), String> {
    let mut strangers = locked(&traffic.strangers).clone();
    let mut came: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for line in log.iter().filter(|line| line["kind"] == "arrival") {
        agreed.arrivals += 1;
        let answer = line["answer"].as_u64().unwrap_or_default();
        agreed.quarantined += usize::from(answer == 401);
        match line["headers"]["x-sent"].as_str() {
            Some(number) => {
                let told = number.parse().ok().and_then(|number: u64| strangers.remove(&number));
                match told.expect("a message that was sent, once") {
                    Some(told) => {
                        assert_eq!(u64::from(told), answer, "the answer that was decided is the one that came")
                    }
                    None => assert_eq!(answer, 413),
                }
                agreed.strangers += 1;
            }
            None => came.entry(text(&line["headers"], "x-pozy-event-id")).or_default().push(answer),
        }
    }
    // A full queue answers 503 and keeps nothing; what is too large may be cut off before it is known.
    strangers.retain(|_, told| told.is_some_and(|told| told != 503));
    assert!(strangers.is_empty(), "answered and missing: {strangers:?}");

    let mut left: BTreeMap<&str, Vec<Option<u64>>> = BTreeMap::new();
    for row in rows(ledger, "deliveries").iter().filter(|row| row["sent"] == true) {
        left.entry(text(row, "eventId")).or_default().push(row["statusCode"].as_u64());
        agreed.deliveries += 1;
    }
    agreed.events = left.len();
    for (event, told) in &left {
        let here = came.remove(event).unwrap_or_default();
        let count = |status: u64| here.iter().filter(|answer| **answer == status).count();
        let fits = |status: u64| told.iter().filter(|told| **told == Some(status)).count() <= count(status);
        let known = told.iter().flatten().all(|status| *status == 204 || *status == 401);
        if here.len() != told.len() || !fits(204) || !fits(401) || !known {
            return Err(format!("{event} was delivered as {told:?} and arrived as {here:?}"));
        }
    }
    if let Some((event, _)) = came.first_key_value() {
        return Err(format!("{event} arrived and the ledger does not know it"));
    }
    Ok(())
}

fn lanes_hold(lanes: &[Value], ledger: &Value, agreed: &mut Agreed) -> Result<(), String> {
    let held: BTreeMap<&str, &Value> = lanes.iter().map(|lane| (text(lane, "lane"), &lane["status"])).collect();
    for post in rows(ledger, "posts") {
        let id = text(post, "_id");
        let mut wanted = vec![(format!("post:{id}"), &post["status"])];
        for target in rows(post, "platforms") {
            let account = target["accountId"].as_str().or_else(|| target["accountId"]["_id"].as_str());
            wanted.push((format!("post:{id}/{}", account.unwrap_or_default()), &target["status"]));
        }
        for (lane, status) in wanted {
            if held.get(lane.as_str()) != Some(&status) {
                return Err(format!("{lane} holds {:?} and is {status}", held.get(lane.as_str())));
            }
            agreed.lanes += 1;
        }
    }
    Ok(())
}
