//! The targets of `tests/fuzz.sh` with their kept inputs, and with thousands that are made of them anew: always the same
//! ones, so that a failure comes again. `REPRISE_FUZZ_TIMES` sets how many are made of each kept input.

mod bend;
#[path = "../../fuzz/targets/mod.rs"]
mod targets;

use std::{
    collections::BTreeSet,
    env, fs,
    panic::catch_unwind,
    path::{Path, PathBuf},
};

use rstest::rstest;

use bend::Bender;
use targets::ALL;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz")
}

/// The kept inputs of a target, in the order of their names.
fn kept(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = folder().join("corpus").join(target);
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|no| panic!("{}: {no}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
        .iter()
        .map(|file| (file.file_name().unwrap().to_string_lossy().into_owned(), fs::read(file).unwrap()))
        .collect()
}

/// Holds for every kept input, and for what chance makes of it.
#[rstest]
fn whatever_bytes_come(#[values(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)] number: usize) {
    let target = &ALL[number];
    let kept = kept(target.name);
    assert!(!kept.is_empty(), "{} has inputs", target.name);
    let times: usize = env::var("REPRISE_FUZZ_TIMES").ok().and_then(|times| times.parse().ok()).unwrap_or(60);
    let words = fs::read_to_string(folder().join("words.dict")).unwrap();
    let mut bender = Bender::new(&words, kept.iter().map(|(_, bytes)| bytes.clone()).collect());
    for (name, bytes) in &kept {
        tried(target, bytes, name);
        for _ in 0..times {
            let bent = bender.bend(bytes);
            tried(target, &bent, name);
        }
    }
}

fn tried(target: &targets::Target, bytes: &[u8], of: &str) {
    let holds = target.holds;
    if let Err(problem) = catch_unwind(|| holds(bytes)) {
        let said = problem.downcast_ref::<String>().map_or("", String::as_str);
        panic!("{} does not hold for {:?}, made of {of}: {said}", target.name, String::from_utf8_lossy(bytes));
    }
}

#[test]
fn every_target_has_a_name_and_a_folder_of_its_own() {
    let names: BTreeSet<&str> = ALL.iter().map(|target| target.name).collect();
    assert_eq!(names.len(), ALL.len());
    let folders = fs::read_dir(folder().join("corpus")).unwrap();
    let folders: BTreeSet<String> =
        folders.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    assert_eq!(folders, names.into_iter().map(str::to_owned).collect());
}

/// Kept inputs are small: they are read by every run of the tests.
#[test]
fn kept_inputs_are_few_and_small() {
    for target in &ALL {
        let kept = kept(target.name);
        let size: usize = kept.iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(kept.len() <= 64 && size <= 24 << 10, "{}: {} inputs, {size} bytes", target.name, kept.len());
    }
}
