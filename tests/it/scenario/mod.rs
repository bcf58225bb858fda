//! Scenarios: situations from the field, played against the real headless program from outside, on real sockets.
//!
//! A scenario is `tests/scenarios/NAME.json` with its input files in `tests/scenarios/NAME/`; what it can say is in
//! `script.rs`, what its expectations mean in `fits.rs`. Each has a fresh log of its own and is a test of its own:
//! `cargo test --test it scenario::` plays all, `cargo test --test it scenario::NAME` one.

use std::{fs, path::Path};

use crate::program::Place;

mod fits;
mod play;
mod script;
mod self_test;
mod stage;
mod web;

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scenarios"))
}

/// Plays one scenario.
fn plays(name: &str) {
    let text = fs::read_to_string(folder().join(format!("{name}.json"))).expect("a scenario file");
    let scenario = script::Scenario::read(&text).unwrap_or_else(|problem| panic!("{name}: {problem}"));
    let mut stage =
        stage::Stage::new(Place::new(), &folder().join(name), &scenario.env).expect("a stage with the input files");
    if let Err(problem) = play::play(&scenario, &mut stage) {
        panic!("{name}: {}\n{problem}", scenario.says);
    }
}

macro_rules! scenarios {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            plays(stringify!($name));
        })*

        /// A file that nobody plays would look like a promise that is kept.
        #[test]
        fn every_scenario_file_is_played() {
            let mut files: Vec<String> = fs::read_dir(folder())
                .expect("the folder of scenarios")
                .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".json").map(str::to_owned))
                .collect();
            files.sort_unstable();
            let mut played = vec![$(stringify!($name)),*];
            played.sort_unstable();
            assert_eq!(files, played);
        }
    };
}

scenarios! {
    a_case_file_holds_no_secret
    a_har_becomes_tries_and_arrivals
    a_key_per_try
    a_post_and_its_webhooks
    a_test_webhook_comes_round
    a_thousand_arrivals_in_parallel
    a_time_that_comes_twice_or_never
    a_told_time_needs_a_sandbox
    a_waiting_job_is_cancelled
    aged_out_bodies_keep_their_events
    answer_lost_after_the_work
    asked_again_inside_the_keys_life
    bad_lines_are_named
    bodies_of_all_kinds
    clocks_that_disagree
    conflict_while_the_first_runs
    died_before_the_answer
    disconnect_told_after_the_reconnect
    equal_instants
    exit_codes
    export_and_import_are_one
    foretold_a_day_later
    foretold_two_hours_later
    how_long_to_wait
    keys_that_are_given
    live_rows_survive_export
    logs_of_other_programs
    one_key_many_bodies
    other_refusals_stop
    redelivered_after_bodies_aged_out
    refusal_is_not_failure
    refused_once_the_key_is_gone
    same_words_twice
    seven_causes_of_a_copy
    signatures
    submit_can_wait
    target_told_after_its_rollup
    tests_never_count
    three_copies_at_once
    twins_and_shared_posts
    two_failures_before_the_post
    waits_through_a_restart
    why_one_post_looks_like_two
    why_there_are_two_posts
}
