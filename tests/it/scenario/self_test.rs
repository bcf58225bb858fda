//! The runner must fail when it should: every kind of check is given a wrong expectation of a known output.

use std::{collections::BTreeMap, fs, path::Path};

use rstest::rstest;
use serde_json::{Value, json};

use super::{play::check_run, script::Scenario, script::Step, script::read_step, stage::Stage};
use crate::program::{Place, Ran};

fn stage() -> Stage {
    Stage::new(Place::new(), Path::new("none"), &BTreeMap::new()).expect("a stage")
}

fn checked(step: Value) -> Result<(), String> {
    let Step::Run(run) = read_step(&json!({"run": step})).expect("a step") else { panic!("no run") };
    let ran = Ran {
        exit: Some(1),
        out: "{\"job\":\"job_1\",\"state\":\"unknown\",\"next_at\":null}\n{\"job\":\"job_2\",\"state\":\"done\"}\n"
            .into(),
        err: "{\"code\":\"refused\",\"message\":\"The key is too old.\"}\n".into(),
    };
    check_run(&run, &ran, &mut stage())
}

#[rstest]
#[case(json!({"exit": 0}))]
#[case(json!({"exit": {"$any": [0, 2]}}))]
#[case(json!({"prints": {"count": 1}}))]
#[case(json!({"prints": {"lines": [{"job": "job_3"}]}}))]
#[case(json!({"prints": {"lines": [{"state": "done"}, {"state": "done"}]}}))]
#[case(json!({"prints": {"lines": [{"job": "job_1", "next_at": {"$some": true}}]}}))]
#[case(json!({"prints": {"tally": [[{"state": "done"}, 2]]}}))]
#[case(json!({"prints": {"never": [{"state": "unknown"}]}}))]
#[case(json!({"says": ["job_3"]}))]
#[case(json!({"problem": {"code": "usage"}}))]
#[case(json!({"take": {"next": "next_at"}}))]
fn a_wrong_expectation_fails(#[case] mut step: Value) {
    step["words"] = json!("jobs");
    let right = json!({
        "words": "jobs", "exit": 1, "says": ["job_2"], "problem": {"code": "refused"}, "take": {"one": "job"},
        "prints": {"count": 2, "lines": [{"state": "done"}, {"state": "unknown"}], "tally": [[{"state": "done"}, 1]],
                   "never": [{"state": "failed"}]}
    });
    assert_eq!(checked(right), Ok(()), "the output is as it should be");
    if step.get("exit").is_none() {
        step["exit"] = json!(1);
    }
    assert!(checked(step).is_err());
}

#[test]
fn what_differs_under_one_name_fails() {
    let mut stage = stage();
    let mut check = |out: &str, apart: Value| {
        let run = json!({"run": {"words": "lanes", "prints": {"same": "either order", "apart_from": apart}}});
        let Step::Run(run) = read_step(&run).expect("a step") else { panic!("no run") };
        check_run(&run, &Ran { exit: Some(0), out: out.into(), err: String::new() }, &mut stage)
    };
    assert_eq!(check("{\"lane\":\"a\"}\n{\"lane\":\"b\"}\n", json!([])), Ok(()));
    assert_eq!(check("{\"lane\":\"b\"}\n{\"lane\":\"a\"}\n", json!([])), Ok(()), "the order of lines is free");
    assert!(check("{\"lane\":\"b\"}\n{\"lane\":\"c\"}\n", json!([])).is_err());
    assert_eq!(check("{\"lane\":\"b\",\"seq\":1}\n{\"lane\":\"a\",\"seq\":2}\n", json!(["seq"])), Ok(()));
}

#[rstest]
#[case(json!([{"run": {"words": "jobs", "print": {"count": 1}}}]))]
#[case(json!([{"run": {"words": "jobs", "prints": {"lines": [{"at": {"$form": 1}}]}}}]))]
#[case(json!([{"jump": {}}]))]
#[case(json!([{"until": {"seconds": 1, "step": {"ledger": {}, "kill": "x"}}}]))]
#[case(json!([{"orders": {"files": ["a", "b"], "at": ["2026-03-02T10:00:00Z"], "play": []}}]))]
#[case(json!([]))]
fn a_slip_of_the_pen_is_refused_when_the_file_is_read(#[case] play: Value) {
    let text = json!({"says": "x", "covers": ["R1"], "play": play}).to_string();
    assert!(Scenario::read(&text).is_err());
}

/// A stage whose program is the shell: a command `jobs` runs the file of that name.
#[cfg(unix)]
fn parrot() -> Stage {
    let place = Place::of(Path::new("/bin/sh"));
    for command in ["jobs", "serve"] {
        fs::write(place.files().join(command), "echo '{\"job\":\"job_1\",\"state\":\"done\"}'\n").expect("a file");
    }
    Stage::new(place, Path::new("none"), &BTreeMap::new()).expect("a stage")
}

#[cfg(unix)]
#[rstest]
#[case(json!([{"run": {"words": "jobs", "prints": {"lines": [{"state": "unknown"}]}}}]), "step 1")]
#[case(json!([{"run": {"words": "jobs"}}, {"run": {"words": "jobs", "exit": 1}}]), "step 2")]
#[case(json!([{"until": {"seconds": 0, "step": {"run": {"words": "jobs", "exit": 1}}}}]), "step 1")]
#[case(json!([{"holds": {"seconds": 1, "step": {"run": {"words": "jobs", "exit": 1}}}}]), "step 1")]
#[case(json!([{"run": {"words": "resend <job>"}}]), "step 1: nothing is called <job>")]
#[case(json!([{"start": {"words": "serve"}}, {"kill": "listen"}]), "step 2")]
#[case(json!([{"write": {"file": "a", "text": "sk_1"}}, {"read": {"file": "a", "hides": ["sk_1"]}}]), "step 2")]
#[case(json!([{"ledger": {}}]), "step 1: no sandbox")]
fn a_scenario_that_does_not_hold_fails_at_its_step(#[case] play: Value, #[case] at: &str) {
    let text = json!({"says": "x", "covers": ["R1"], "play": play}).to_string();
    let scenario = Scenario::read(&text).expect("well formed");
    let problem = super::play::play(&scenario, &mut parrot()).expect_err("it must not hold");
    assert!(problem.starts_with(at), "{problem}");
}
