//! The budgets of the design beside what was measured: one row each, in Markdown, gathered by all.sh from every group.

use crate::figures::{digits, median, median_and_range};

/// What a figure must be.
#[derive(Clone, Copy)]
pub(crate) enum Limit {
    AtLeast(f64),
    AtMost(f64),
}

/// A row of the table: number, what it is of, the budget, the median with its range, and whether it is met. Says so if
/// nothing was measured.
pub(crate) fn row(number: &str, what: &str, limit: Limit, unit: &str, values: &[f64]) -> String {
    let (sign, bound, met) = match limit {
        Limit::AtLeast(bound) => ("at least", bound, median(values) >= bound),
        Limit::AtMost(bound) => ("at most", bound, median(values) <= bound),
    };
    let (figure, verdict) = if values.is_empty() {
        ("not measured".to_owned(), "unknown".to_owned())
    } else if met {
        (format!("{}{unit}", median_and_range(values)), "met".to_owned())
    } else {
        (format!("{}{unit}", median_and_range(values)), format!("missed: {} × it", digits(median(values) / bound)))
    };
    format!("| {number} | {what} | {sign} {}{unit} | {figure} | {verdict} |\n", short(bound))
}

/// A budget as it is written: without zeros behind the point.
fn short(bound: f64) -> String {
    format!("{bound}")
}
