//! What a process holds while it runs: memory that is its share, open files, threads.

use std::{
    fs,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::task::JoinHandle;

const EVERY: Duration = Duration::from_secs(2);

/// What a process held at one moment.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sample {
    /// Its share of memory (PSS), KiB.
    pub(super) memory: u64,
    /// Open files, sockets among them.
    pub(super) files: u64,
    pub(super) threads: u64,
}

impl Sample {
    /// None where the system does not tell, or once the process is gone.
    fn of(process: u32) -> Option<Self> {
        let number = |file: &str, name: &str| -> Option<u64> {
            let text = fs::read_to_string(format!("/proc/{process}/{file}")).ok()?;
            let line = text.lines().find(|line| line.starts_with(name))?;
            line.split_whitespace().nth(1)?.parse().ok()
        };
        let files = fs::read_dir(format!("/proc/{process}/fd")).ok()?.count();
        Some(Self {
            memory: number("smaps_rollup", "Pss:")?,
            files: u64::try_from(files).ok()?,
            threads: number("status", "Threads:")?,
        })
    }
}

/// Looks at a process every two seconds until it is stopped.
pub(super) struct Gauge {
    samples: Arc<Mutex<Vec<Sample>>>,
    looking: JoinHandle<()>,
}

impl Gauge {
    pub(super) fn on(process: u32) -> Self {
        let samples = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&samples);
        let looking = tokio::spawn(async move {
            while let Some(sample) = Sample::of(process) {
                kept.lock().unwrap_or_else(PoisonError::into_inner).push(sample);
                tokio::time::sleep(EVERY).await;
            }
        });
        Self { samples, looking }
    }

    /// Ends with the process.
    pub(super) async fn stop(self) {
        self.looking.await.expect("it looked to the end");
    }

    /// So many samples so far.
    pub(super) fn count(&self) -> usize {
        self.samples.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    pub(super) fn held(&self) -> Held {
        let all = self.samples.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // The first tenth is the start: caches fill, threads come up.
        let settled = &all[all.len() / 10..];
        let third = settled.len() / 3;
        Held {
            first: Third::of(&settled[..third]),
            last: Third::of(&settled[settled.len() - third..]),
            most: all.iter().map(|sample| sample.memory).max().unwrap_or_default(),
        }
    }
}

/// A third of the time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Third {
    /// Median of the memory, KiB.
    pub(super) memory: u64,
    /// Medians and highest values of the rest.
    pub(super) files: (u64, u64),
    pub(super) threads: (u64, u64),
}

impl Third {
    fn of(samples: &[Sample]) -> Self {
        let sorted = |of: fn(&Sample) -> u64| {
            let mut all: Vec<u64> = samples.iter().map(of).collect();
            all.sort_unstable();
            (all.get(all.len() / 2).copied().unwrap_or_default(), all.last().copied().unwrap_or_default())
        };
        Self {
            memory: sorted(|sample| sample.memory).0,
            files: sorted(|sample| sample.files),
            threads: sorted(|sample| sample.threads),
        }
    }
}

/// What the process held in the first and in the last third of the time after its start.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Held {
    pub(super) first: Third,
    pub(super) last: Third,
    /// The most memory ever, KiB.
    pub(super) most: u64,
}

impl Held {
    /// Holds if memory stayed within a tenth, and neither files nor threads grew.
    pub(super) fn is_flat(&self) {
        let Self { first, last, .. } = self;
        assert!(last.memory * 10 <= first.memory * 11, "memory grew: {self:?}");
        assert!(last.files.0 <= first.files.0 + 2 && last.files.1 <= first.files.1 + 8, "open files grew: {self:?}");
        assert!(last.threads.0 <= first.threads.0 + 1, "threads grew: {self:?}");
    }
}
