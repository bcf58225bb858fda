//! Many posts from one file: rows against the log and against each other (X15), sent once for good.

use pozy_sandbox::{Deed, Sandbox};
use reprise_core::outbound::{
    forecast::{Effect, Reason, Risk},
    many::{
        RowState,
        plan::{self, Planned},
        reading::{self, Kind, Sheet},
        send::{self, Sent},
    },
    outcome::State,
    sender,
};
use rstest::rstest;
use serde_json::{Value, json};

use super::world::World;
use crate::program::{Place, json_lines};

const HEAD: &str = "text,accounts,scheduledFor,timezone,key\n";
const MORNING: &str = "2031-05-06T09:00,Europe/London";
const EVENING: &str = "2031-05-06T19:00,Europe/London";

fn sheet(rows: &[String]) -> Sheet {
    reading::read(Kind::Table, format!("{HEAD}{}\n", rows.join("\n")).as_bytes(), 255).unwrap()
}

fn row(text: &str, account: &str, when: &str) -> String {
    format!("{text},linkedin:{account},{when},")
}

impl World {
    async fn planned(&self, sheet: &Sheet, confirmed: &[Effect]) -> Vec<Planned> {
        plan::plan(&self.store, &self.clock, &self.connection, sheet, confirmed, Risk::Blocked).await.unwrap()
    }

    async fn send_all(&self, sheet: &Sheet, confirmed: &[Effect]) -> Vec<Sent> {
        let mut sent = Vec::new();
        for row in self.planned(sheet, confirmed).await {
            let (store, clock, connection) = (&self.store, &self.clock, &self.connection);
            sent.push(send::send(store, clock, connection, &row, confirmed, Risk::Blocked).await.unwrap());
        }
        sent
    }
}

fn states(sent: &[Sent]) -> Vec<RowState> {
    sent.iter().map(|row| row.state).collect()
}

fn has(row: &Planned, code: Reason) -> bool {
    row.forecast.as_ref().unwrap().because.iter().any(|because| because.code == code)
}

#[tokio::test]
async fn what_was_shown_as_left_out_is_not_sent_in_the_same_run() {
    let world = World::start().await;
    let status = Deed::Status { status: 400, retry_after: None, code: None, body: None, headers: Default::default() };
    world.fault(status, 1);
    let file = sheet(&[row("Oysters at noon", "ac_li", MORNING), row("Oysters at noon", "ac_li", EVENING)]);
    assert_eq!(states(&world.send_all(&file, &[]).await), [RowState::Job(State::Stopped), RowState::LeftOut]);
    assert_eq!(world.posts(), 0, "the first was refused, and the second was never offered");
    let next = world.send_all(&file, &[]).await;
    assert_eq!(states(&next), [RowState::Job(State::Stopped), RowState::Job(State::Done)]);
}

#[tokio::test]
async fn a_file_is_sent_once_and_a_second_time_not_at_all() {
    let world = World::start().await;
    let file = sheet(&[row("Oysters at noon", "ac_li", MORNING), row("The ferry rests", "ac_li", MORNING)]);
    let first = world.send_all(&file, &[]).await;
    assert_eq!(states(&first), [RowState::Job(State::Done), RowState::Job(State::Done)]);
    let again = world.send_all(&file, &[]).await;
    assert_eq!(states(&again), [RowState::Job(State::Done), RowState::Job(State::Done)]);
    assert!(again.iter().all(|row| row.forecast.is_none()), "known rows are not foretold");
    assert_eq!(
        first.iter().map(|row| &row.job).collect::<Vec<_>>(),
        again.iter().map(|row| &row.job).collect::<Vec<_>>()
    );
    assert_eq!(world.posts(), 2);
}

#[tokio::test]
async fn rows_are_held_against_the_rows_before_them() {
    let world = World::start().await;
    let file = sheet(&[
        row("Oysters at noon today", "ac_li", MORNING),
        row("Oysters at noon today", "ac_ig", MORNING),
        row("Oysters at noon today", "ac_li", EVENING),
        row("Oysters at noon today!", "ac_li", EVENING),
        row("The ferry rests", "ac_li", MORNING),
    ]);
    let planned = world.planned(&file, &[]).await;
    let told: Vec<_> = planned.iter().map(|row| (row.state, row.forecast.as_ref().unwrap().effect)).collect();
    assert_eq!(
        told,
        [
            (RowState::Ready, Effect::CreatesFirst),
            (RowState::Ready, Effect::CreatesFirst),
            (RowState::LeftOut, Effect::RefusedSameContent),
            (RowState::LeftOut, Effect::CreatesSecond),
            (RowState::Ready, Effect::CreatesFirst),
        ],
        "equal words on another account are free"
    );
    assert!(has(&planned[2], Reason::SameContentThere) && has(&planned[3], Reason::NearContent));
    assert!(planned[2].forecast.as_ref().unwrap().says().contains("line 2 of this file"));
    let sent = world.send_all(&file, &[]).await;
    assert_eq!(sent.iter().filter(|row| row.state == RowState::Job(State::Done)).count(), 3);
    assert_eq!(world.posts(), 3);
    // Whoever means it names the effect, and only that one goes too.
    let meant = world.send_all(&file, &[Effect::CreatesSecond]).await;
    assert_eq!(states(&meant)[2..4], [RowState::LeftOut, RowState::Job(State::Done)]);
    assert_eq!(world.posts(), 4);
}

#[tokio::test]
async fn a_second_operators_file_is_flagged_row_by_row_before_anything_leaves() {
    let world = World::start().await;
    let texts = ["Oysters at noon", "The ferry rests", "Rope-making on Friday"];
    let first: Vec<String> = texts.iter().map(|text| row(text, "ac_li", MORNING)).collect();
    world.send_all(&sheet(&first), &[]).await;
    let second: Vec<String> = texts.iter().map(|text| row(text, "ac_li", EVENING)).collect();
    let planned = world.planned(&sheet(&second), &[]).await;
    assert!(
        planned.iter().all(|row| row.state == RowState::LeftOut && has(row, Reason::SameContentThere)),
        "{planned:?}"
    );
    assert!(states(&world.send_all(&sheet(&second), &[]).await).iter().all(|state| *state == RowState::LeftOut));
    assert_eq!(world.posts(), 3);
}

#[tokio::test]
async fn the_same_row_twice_is_the_same_words_twice_and_not_one_job() {
    let world = World::start().await;
    let file = sheet(&[row("Oysters at noon", "ac_li", MORNING), row("Oysters at noon", "ac_li", MORNING)]);
    let planned = world.planned(&file, &[]).await;
    assert_ne!(planned[0].form, planned[1].form);
    assert_eq!(states(&world.send_all(&file, &[]).await), [RowState::Job(State::Done), RowState::LeftOut]);
    assert_eq!(world.posts(), 1);
}

#[tokio::test]
async fn a_row_whose_time_has_passed_is_not_sent_at_once() {
    let world = World::start().await;
    let file =
        sheet(&[row("Oysters at noon", "ac_li", "2026-03-02T08:30,UTC"), row("Oysters at noon", "ac_li", MORNING)]);
    let planned = world.planned(&file, &[]).await;
    assert_eq!(planned[0].state, RowState::Wrong);
    assert!(planned[0].why.as_ref().unwrap().contains("has passed"));
    assert_eq!(planned[1].state, RowState::Ready, "a row that is not sent stands in no other's way");
}

#[rstest]
#[case::lost(Deed::CutAfter, 2)]
#[case::before(Deed::CutBefore, 2)]
#[tokio::test]
async fn a_row_without_an_answer_is_asked_with_its_own_key(#[case] deed: Deed, #[case] posts: usize) {
    let world = World::start().await;
    let file = sheet(&[row("Oysters at noon", "ac_li", MORNING), row("The ferry rests", "ac_li", MORNING)]);
    world.fault(deed, 1);
    let sent = world.send_all(&file, &[]).await;
    assert_eq!(states(&sent), [RowState::Job(State::Waiting), RowState::Job(State::Done)]);
    world.pass(30).await;
    let again = world.send_all(&file, &[]).await;
    assert_eq!(states(&again), [RowState::Job(State::Done), RowState::Job(State::Done)]);
    assert_eq!(world.posts(), posts);
}

#[tokio::test]
async fn a_429_is_told_as_a_wait_for_everybody() {
    let world = World::start().await;
    let deed = Deed::Status {
        status: 429,
        retry_after: Some(json!(30)),
        code: None,
        body: None,
        headers: std::collections::BTreeMap::new(),
    };
    world.fault(deed, 1);
    let file = sheet(&[row("Oysters at noon", "ac_li", MORNING), row("The ferry rests", "ac_li", MORNING)]);
    let planned = world.planned(&file, &[]).await;
    let (store, clock, connection) = (&world.store, &world.clock, &world.connection);
    let first = send::send(store, clock, connection, &planned[0], &[], Risk::Blocked).await.unwrap();
    assert_eq!((first.state, first.wait_until), (RowState::Job(State::Waiting), Some(clock.now().plus_seconds(30))));
    // Before that it is left alone.
    let early = send::send(store, clock, connection, &planned[0], &[], Risk::Blocked).await.unwrap();
    assert_eq!((early.state, world.posts()), (RowState::Job(State::Waiting), 0));
    world.pass(31).await;
    let then = send::send(store, clock, connection, &planned[0], &[], Risk::Blocked).await.unwrap();
    assert_eq!((then.state, then.wait_until, world.posts()), (RowState::Job(State::Done), None, 1));
}

#[tokio::test]
async fn a_job_that_never_left_goes_on_with_its_key() {
    let world = World::start().await;
    let file = sheet(&[row("Oysters at noon", "ac_li", MORNING)]);
    world.fault(Deed::CutBefore, 1);
    let sent = world.send_all(&file, &[]).await;
    let mark = sent[0].job.clone().unwrap();
    let key = world.view(&mark).await.facts.key;
    world.pass(10).await;
    sender::until_settled(&world.store, &world.clock, &world.connection, &mark).await.unwrap();
    let view = world.view(&mark).await;
    assert_eq!((view.judged.state, view.facts.key), (State::Done, key));
}

/// The program itself, on a file with a bit of everything.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_line_says_what_each_row_would_do_and_what_became_of_it() {
    let sandbox = Sandbox::start(pozy_sandbox::Options::default()).await.unwrap();
    let mut place = Place::new();
    place.set("POZY_API_KEY", sandbox.api_key());
    let text = "\u{feff}Text;Accounts;Scheduled For;Timezone;Mood\r\n\
                \"Oysters;\r\nat noon\";linkedin:ac_li;2031-05-06T09:00;Europe/London;calm\r\n\
                The ferry rests;linkedin:ac_li;2031-05-06T09:00;Europe/London;\r\n\
                The ferry rests!;linkedin:ac_li;2031-05-06T09:00;Europe/London;\r\n\
                Nobody hears this;;;;\r\n";
    std::fs::write(place.files().join("march.csv"), text).unwrap();
    let data = place.data();
    let run = |more: &[&str]| {
        let mut args = vec!["submit", "march.csv", "--pozy", sandbox.url(), "--json", "--data", data.to_str().unwrap()];
        args.extend_from_slice(more);
        let ran = place.run(&args).unwrap();
        (ran.exit, json_lines(&ran.out).unwrap(), ran.err)
    };
    let told = |rows: &[Value]| -> Vec<(u64, String, String)> {
        let word = |value: &Value| value.as_str().unwrap_or("none").to_owned();
        rows.iter()
            .map(|row| (row["line"].as_u64().unwrap(), word(&row["state"]), word(&row["forecast"]["effect"])))
            .collect()
    };
    let is = |line: u64, state: &str, effect: &str| (line, state.to_owned(), effect.to_owned());

    let (exit, rows, err) = run(&["--dry-run"]);
    let planned = [
        is(2, "ready", "creates_first"),
        is(4, "ready", "creates_first"),
        is(5, "left_out", "creates_second"),
        is(6, "wrong", "none"),
    ];
    assert_eq!((exit, told(&rows)), (Some(1), planned.to_vec()), "{err}");
    assert_eq!(rows[2]["forecast"]["risk"], "blocked");
    assert!(rows[2]["job"].is_null() && rows[3]["why"].as_str().unwrap().contains("no account"));
    assert!(sandbox.ledger().posts.is_empty(), "a dry run sends nothing");

    let (exit, rows, _) = run(&[]);
    let sent = [
        is(2, "done", "creates_first"),
        is(4, "done", "creates_first"),
        is(5, "left_out", "creates_second"),
        is(6, "wrong", "none"),
    ];
    assert_eq!((exit, told(&rows)), (Some(1), sent.to_vec()));
    assert_eq!(sandbox.ledger().posts.len(), 2);
    let (exit, rows, _) = run(&[]);
    assert_eq!((exit, told(&rows)[0].clone()), (Some(1), is(2, "done", "none")));
    assert_eq!(sandbox.ledger().posts.len(), 2, "the same file again sends nothing more");
    let (_, rows, _) = run(&["--confirm", "creates_second"]);
    assert_eq!(told(&rows)[2], is(5, "done", "creates_second"));
    assert_eq!(sandbox.ledger().posts.len(), 3);

    for wrong in [["--key", "k-1"], ["--path", "/v1/sms/messages"]] {
        assert_eq!(run(&wrong).0, Some(2));
    }
}
