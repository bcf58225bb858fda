//! The judging of the scenarios S5-S7, S14, X2, X8, on plain values.

use super::*;
use crate::inbound::lanes::Source;

fn at(ms: i64) -> Moment {
    Moment::from_millis(1_772_445_600_000 + ms)
}

/// An event about one lane.
fn event(id: &str, happened: Option<i64>, arrived: i64, news: &[(&str, &str, Rank)]) -> EventFacts {
    EventFacts {
        first: FirstKey { at: at(arrived), event: EventId::new(id), tie: [0; 16] },
        name: "x.y".into(),
        happened: happened.map(at),
        nature: Nature::Real,
        known: true,
        news: news
            .iter()
            .map(|(lane, status, rank)| News { lane: Lane::new(*lane), status: (*status).into(), rank: *rank })
            .collect(),
        twin: [u8::try_from(id.len() % 256).unwrap(); 16],
    }
}

fn own<'a>(lane: &'a str, status: &'a str) -> (&'a str, &'a str, Rank) {
    (lane, status, Rank::Own)
}

fn seen(lane: &str, status: &str, when: i64) -> Sighting {
    Sighting { lane: Lane::new(lane), status: status.into(), at: at(when) }
}

fn lane<'a>(judged: &'a Judged, name: &str) -> &'a LaneState {
    judged.lanes.iter().find(|state| state.lane.as_str() == name).unwrap()
}

#[test]
fn an_older_target_moves_its_own_lane_and_not_the_roll_up() {
    let roll_up = event("ev_6", Some(5_000), 6_000, &[own("post:p", "partial"), own("post:p/li", "failed")]);
    let target = event(
        "ev_7",
        Some(2_000),
        450_000,
        &[own("post:p/ig", "published"), ("post:p", "publishing", Rank::CarriedAlong)],
    );
    let judged = judge(&[roll_up, target], &[]);
    let late = &judged.events[1];
    assert_eq!(late.placing, Placing::Late);
    assert_eq!(late.late_by_ms, Some(448_000));
    assert_eq!(late.overtaken_by, Some(EventId::new("ev_6")));
    assert_eq!(late.stale_lanes, [Lane::new("post:p")]);
    assert!(late.applied && judged.events[0].applied);
    assert_eq!(lane(&judged, "post:p").status.as_deref(), Some("partial"));
    assert_eq!(lane(&judged, "post:p/ig").status.as_deref(), Some("published"));
    assert_eq!(lane(&judged, "post:p/ig").confirmed, None);
}

#[test]
fn equal_instants_that_contradict_are_a_tie_until_a_fetch() {
    let events = [event("ev_8", Some(0), 1_000, &[own("a", "off")]), event("ev_9", Some(0), 4_000, &[own("a", "on")])];
    let judged = judge(&events, &[]);
    assert!(judged.events.iter().all(|event| event.placing == Placing::Tie && event.late_by_ms.is_none()));
    let tied = lane(&judged, "a");
    assert_eq!((tied.tie, tied.status.as_deref(), tied.wants_fetch, &tied.event), (true, None, true, &None));

    let settled = judge(&events, &[seen("a", "on", 0)]);
    let state = lane(&settled, "a");
    assert_eq!((state.tie, state.status.as_deref(), state.confirmed), (false, Some("on"), Some(at(0))));
    assert_eq!((state.source, &state.event), (Source::Event, &Some(EventId::new("ev_9"))));

    let before = judge(&events, &[seen("a", "on", -1)]);
    assert!(lane(&before, "a").tie, "a fetch made before that instant settles nothing");
}

#[test]
fn equal_instants_that_agree_are_no_tie() {
    let events = [event("ev_b", Some(0), 1_000, &[own("a", "on")]), event("ev_a", Some(0), 4_000, &[own("a", "on")])];
    let judged = judge(&events, &[]);
    assert!(judged.events.iter().all(|event| event.placing == Placing::InOrder));
    assert_eq!(lane(&judged, "a").event, Some(EventId::new("ev_a")), "the smallest id, whoever came first");
}

#[test]
fn a_roll_up_outranks_what_is_carried_along_at_one_instant() {
    let events = [
        event("ev_1", Some(0), 1_000, &[own("post:p/a", "published"), ("post:p", "publishing", Rank::CarriedAlong)]),
        event("ev_2", Some(0), 2_000, &[own("post:p", "published")]),
        event("ev_3", Some(0), 3_000, &[own("post:p/b", "failed"), ("post:p", "partial", Rank::CarriedAlong)]),
    ];
    let judged = judge(&events, &[]);
    assert!(judged.events.iter().all(|event| event.placing == Placing::InOrder));
    assert_eq!(lane(&judged, "post:p").status.as_deref(), Some("published"));
    assert_eq!(judged.events[2].stale_lanes, [Lane::new("post:p")]);
}

#[test]
fn fetches_confirm_overrule_or_lose() {
    let one = [event("ev", Some(0), 100, &[own("a", "on")])];
    let agreed = judge(&one, &[seen("a", "on", 60_000)]);
    assert_eq!(lane(&agreed, "a").confirmed, Some(at(60_000)));
    assert_eq!(lane(&agreed, "a").as_of, at(0));

    let differs = judge(&one, &[seen("a", "off", 60_000), seen("a", "on", 30_000)]);
    let state = lane(&differs, "a");
    assert_eq!((state.source, state.status.as_deref(), state.as_of), (Source::Observation, Some("off"), at(60_000)));
    assert!(!state.wants_fetch);

    let near = judge(&one, &[seen("a", "off", 3_000)]);
    assert!(lane(&near, "a").wants_fetch, "within seconds the two clocks cannot be told apart");

    let older = judge(&one, &[seen("a", "off", -60_000)]);
    let state = lane(&older, "a");
    assert_eq!((state.source, state.status.as_deref(), state.confirmed), (Source::Event, Some("on"), None));
    assert!(!state.wants_fetch);
    assert!(lane(&judge(&one, &[seen("a", "off", -3_000)]), "a").wants_fetch);

    let alone = judge(&[], &[seen("a", "gone", 0)]);
    assert_eq!(lane(&alone, "a").status.as_deref(), Some("gone"));
}

#[test]
fn what_is_clearly_older_than_a_fetch_before_it_is_stale() {
    let late = [event("ev", Some(0), 60_000, &[own("a", "on")])];
    let judged = judge(&late, &[seen("a", "off", 50_000)]);
    assert_eq!(judged.events[0].stale_lanes, [Lane::new("a")]);
    assert!(!judged.events[0].applied);
    let near = judge(&late, &[seen("a", "off", 5_000)]);
    assert!(near.events[0].stale_lanes.is_empty() && !near.events[0].applied, "too near to call it older");
    let after = judge(&late, &[seen("a", "off", 70_000)]);
    assert!(after.events[0].applied, "the fetch came after it");
}

#[test]
fn tests_and_odd_ones_move_nothing_and_overtake_nobody() {
    let mut test = event("ev_test", Some(500_000), 501_000, &[]);
    test.nature = Nature::Test;
    let mut odd = event("ev_odd", Some(500_000), 501_500, &[own("a", "failed")]);
    odd.nature = Nature::Odd;
    let real = event("ev_real", Some(1_000), 600_000, &[own("a", "fine")]);
    let judged = judge(&[test, odd, real], &[]);
    assert_eq!(judged.events[2].placing, Placing::InOrder);
    assert!(!judged.events[0].applied && !judged.events[1].applied && judged.events[2].applied);
    assert_eq!(judged.events[1].flags, [EventFlag::OddTest]);
    assert_eq!(judged.lanes.len(), 1);
    assert_eq!(lane(&judged, "a").status.as_deref(), Some("fine"));
}

#[test]
fn clocks_ahead_are_skew_and_never_negative_lateness() {
    let slightly = event("ev_a", Some(240_000), 0, &[own("a", "on")]);
    let wild = event("ev_b", Some(3_600_001), 0, &[own("a", "off")]);
    let sharp = event("ev_c", Some(3_600_000), 0, &[own("a", "sharp")]);
    let judged = judge(&[slightly, wild.clone()], &[]);
    assert_eq!(judged.events[0].placing, Placing::InOrder);
    assert_eq!(judged.events[0].flags, [EventFlag::ClockSkew]);
    assert_eq!(judged.events[1].placing, Placing::Unplaced);
    assert_eq!(judged.events[1].flags, [EventFlag::ClockSkew]);
    let state = lane(&judged, "a");
    assert_eq!((state.status.as_deref(), state.wants_fetch), (Some("on"), true));
    assert_eq!(lane(&judge(&[sharp], &[]), "a").status.as_deref(), Some("sharp"));

    let ahead = [event("ev_1", Some(20_000), 0, &[own("a", "on")]), event("ev_2", Some(9_000), 1_000, &[])];
    assert_eq!(judge(&ahead, &[]).events[1].late_by_ms, Some(0), "clocks differ; no delay is negative");
    assert!(judge(&[wild], &[]).lanes.is_empty());
}

#[test]
fn no_instant_no_place() {
    let mut timeless = event("ev", None, 0, &[own("a", "failed")]);
    timeless.known = false;
    let judged = judge(&[timeless], &[]);
    assert_eq!(judged.events[0].placing, Placing::Unplaced);
    assert_eq!(judged.events[0].flags, [EventFlag::UnknownEvent, EventFlag::NoTimestamp]);
    assert!(judged.lanes.is_empty());
}

#[test]
fn twins_are_both_flagged_and_neither_is_a_copy() {
    let mut events = [event("t1", Some(0), 0, &[own("a", "on")]), event("t2", Some(0), 1, &[own("a", "on")])];
    let judged = judge(&events, &[]);
    assert!(judged.events.iter().all(|event| event.flags == [EventFlag::Twin]));
    events[1].name = "x.z".into();
    assert!(judge(&events, &[]).events.iter().all(|event| event.flags.is_empty()));
}

#[test]
fn the_one_that_happened_latest_is_named() {
    let events = [
        event("ev_1", Some(10_000), 11_000, &[]),
        event("ev_2", Some(30_000), 31_000, &[]),
        event("ev_3", Some(20_000), 32_000, &[]),
        event("ev_4", Some(5_000), 33_000, &[]),
    ];
    let judged = judge(&events, &[]);
    assert_eq!(judged.events[2].overtaken_by, Some(EventId::new("ev_2")));
    assert_eq!(judged.events[3].overtaken_by, Some(EventId::new("ev_2")));
    assert_eq!(judged.events[1].overtaken_by, None);
}
