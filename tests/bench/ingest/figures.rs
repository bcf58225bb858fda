//! Figures over rounds: the median with its range, in as many digits as it is worth.

use std::time::Duration;

pub(crate) fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

pub(crate) fn mib(bytes: u64) -> f64 {
    bytes as f64 / 1_048_576.0
}

/// The middle of `values`; not a number if there are none.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}

/// Median (lowest to highest).
pub(crate) fn median_and_range(values: &[f64]) -> String {
    let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    match values {
        [] => "none".to_owned(),
        [only] => digits(*only),
        _ => format!("{} ({} to {})", digits(median(values)), digits(lowest), digits(highest)),
    }
}

/// As many digits as the figure is worth.
pub(crate) fn digits(value: f64) -> String {
    match value.abs() {
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        1.0.. => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}
