//! What a run ran on, as far as the system tells.

use std::fs;

use crate::Outcome;

/// Cores, processor, memory and system, in one sentence.
pub(crate) fn machine() -> Outcome<String> {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let field = |text: &str, name: &str| {
        let row = text.lines().find(|row| row.starts_with(name)).unwrap_or_default();
        row.split_once(':').map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
    };
    let processor = field(&read("/proc/cpuinfo"), "model name");
    let cores = std::thread::available_parallelism()?;
    let memory = field(&read("/proc/meminfo"), "MemTotal");
    let kernel = read("/proc/sys/kernel/osrelease");
    let system = read("/etc/os-release");
    let system = system.lines().find_map(|row| row.strip_prefix("PRETTY_NAME=")).unwrap_or_default().trim_matches('"');
    Ok(format!("{cores} cores ({processor}), memory {memory}, {system}, Linux {}", kernel.trim()))
}

/// The load averages of the last one, five and fifteen minutes.
pub(crate) fn load() -> Outcome<String> {
    let text = fs::read_to_string("/proc/loadavg")?;
    Ok(text.split(' ').take(3).collect::<Vec<_>>().join(" "))
}
