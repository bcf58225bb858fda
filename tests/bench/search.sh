#!/usr/bin/env bash
# Compares the first page of a search by the index of words with looking through the whole log for the same:
# `tests/bench/search.sh [ARRIVALS]`, 200000 unless said otherwise. Prints one table; quote its ratios.
#
# Installs what it needs (apt, Rust, Node) and says so. REPRISE=PROGRAM measures that program and builds nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source .ci/needs.sh

if [[ -z "${REPRISE:-}" ]]; then
    need_packages "to compile" gcc libc6-dev pkg-config
    need_rust
    cargo build --release --bin reprise >&2
fi
need_ui_packages
REPRISE="${REPRISE:-target/release/reprise}" node tests/bench/search.mjs "${1:-200000}"
