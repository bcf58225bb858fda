#!/usr/bin/env bash
# Live traffic with random faults for a while: tests/soak.sh [MINUTES], 30 by default. Fails if both sides do not agree to
# the row, or memory, open files or threads of the receiver grow; else writes tests/SOAK.md.
set -euo pipefail
cd "$(dirname "$0")/.."
# Optimised as far as it goes without losing the checks of a debug build; nextest would end so long a test.
export CARGO_PROFILE_DEV_OPT_LEVEL="${CARGO_PROFILE_DEV_OPT_LEVEL:-2}" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target/soak}"
REPRISE_SOAK_MINUTES="${1:-30}" cargo test --test it -- --exact \
    trust::soak::live_traffic_with_random_faults_agrees_to_the_row --nocapture
