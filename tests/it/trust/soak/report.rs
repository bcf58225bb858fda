//! Writes `tests/SOAK.md`.

use std::{fs, path::Path};

use super::{agree::Agreed, gauge::Held};

const HEAD: &str = "# Soak

Made by `tests/soak.sh`; do not edit. `reprise listen` received and sent beside `reprise sandbox` while two posted through
`reprise submit` without a pause, strangers called the receiver, and faults struck at random. In the end every delivery in the
sandbox's ledger was one arrival in the log with the same answer, every message of a stranger was one arrival, every job had
made one post and every post had its job, and every lane held what its post was. API key and webhook secret stood in no file
and in no word of the program.
";

/// Writes what was played and held.
pub(super) fn write(played_ms: i64, agreed: &Agreed, held: &Held) {
    let percent = |first: u64, last: u64| (last as f64 / first.max(1) as f64 - 1.0) * 100.0;
    let mib = |kib: u64| kib as f64 / 1024.0;
    let (first, last) = (held.first, held.last);
    let counts = [
        ("Minutes", format!("{:.0}", played_ms as f64 / 60_000.0)),
        ("Posts, each one job and live once", agreed.posts.to_string()),
        ("Tries of them on the wire", agreed.attempts.to_string()),
        ("Events told by the sandbox", agreed.events.to_string()),
        ("Deliveries that left the sandbox = arrivals of them", agreed.deliveries.to_string()),
        ("Messages of strangers that were answered = arrivals of them", agreed.strangers.to_string()),
        ("Arrivals in the log", agreed.arrivals.to_string()),
        ("of them with a wrong signature or none", agreed.quarantined.to_string()),
        ("Lanes compared with the posts of the ledger", agreed.lanes.to_string()),
        ("Rows that differ", "0".to_owned()),
    ];
    let most = held.most;
    let held = [
        (
            "Memory (PSS), median",
            format!("{:.1} MiB", mib(first.memory)),
            format!("{:.1} MiB ({:+.1} %)", mib(last.memory), percent(first.memory, last.memory)),
        ),
        (
            "Open files, median and most",
            format!("{}, {}", first.files.0, first.files.1),
            format!("{}, {}", last.files.0, last.files.1),
        ),
        (
            "Threads, median and most",
            format!("{}, {}", first.threads.0, first.threads.1),
            format!("{}, {}", last.threads.0, last.threads.1),
        ),
    ];
    let mut text = HEAD.to_owned() + "\n| what | figure |\n|---|---:|\n";
    for (what, figure) in counts {
        text.push_str(&format!("| {what} | {figure} |\n"));
    }
    text.push_str("\nHeld by `reprise listen`, without the first tenth of the time:\n\n");
    text.push_str("| | first third | last third |\n|---|---:|---:|\n");
    for (what, first, last) in held {
        text.push_str(&format!("| {what} | {first} | {last} |\n"));
    }
    text.push_str(&format!("\nThe most memory ever was {:.1} MiB.\n", mib(most)));
    text.push_str("\nFaults that were ordered:\n\n| fault | times |\n|---|---:|\n");
    for (fault, times) in &agreed.faults {
        text.push_str(&format!("| {fault} | {times} |\n"));
    }
    fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/SOAK.md"), text).expect("a file");
}
