//! Sends messages at a steady pace until its standard input closes: what the window benchmark is looked at under. The
//! same program started with `BENCH_SENDS_TO`; at the end it prints `{"sent":N}`.

use std::{
    env,
    io::Read as _,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use reprise_core::clock::Clock;

use crate::{
    Outcome,
    dice::Dice,
    drive::{Pace, drive},
    load::{Load, Target},
};

/// Names the receiver's address.
pub(crate) const VARIABLE: &str = "BENCH_SENDS_TO";
/// How many a second.
const PACE: &str = "BENCH_PACE";
/// Seconds of one load; the end is looked for between two.
const SECONDS: u32 = 2;
const CONNECTIONS: usize = 8;
/// Copies in a hundred arrivals.
const COPIES: usize = 20;

/// Sends to `address`, which checks no signatures.
///
/// # Errors
/// If an arrival is not accepted.
pub(crate) async fn send(address: &str) -> Outcome<()> {
    let target = Target::webhook(address, "none")?;
    let pace: u32 = env::var(PACE)?.parse()?;
    let over = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&over);
    std::thread::spawn(move || {
        let mut input = Vec::new();
        // However reading ends, nobody is there any more who could ask for the end.
        drop(std::io::stdin().read_to_end(&mut input));
        told.store(true, Ordering::Relaxed);
    });
    let clock = Clock::wall();
    // No two senders of one log may use the same ids.
    let mut dice = Dice::new(u64::try_from(clock.now().millis())? ^ (u64::from(std::process::id()) << 40));
    let each = usize::try_from(pace * SECONDS)?;
    let mut sent = 0;
    while !over.load(Ordering::Relaxed) {
        let load = Load::new(&mut dice, &target, each, COPIES, clock.now())?;
        let drive = drive(&target, &load.requests, CONNECTIONS, Pace::Open(pace)).await?;
        if drive.accepted != each {
            return Err(format!("{} of {each} arrivals were accepted", drive.accepted).into());
        }
        sent += each;
    }
    println!("{{\"sent\":{sent}}}");
    Ok(())
}
