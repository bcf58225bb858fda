#!/usr/bin/env bash
# How smoothly the Timeline pans and zooms over a long log, and how soon a message is on the screen:
# `tests/bench/frames.sh [ARRIVALS]`, 100000 unless said otherwise.
# Prints the times between frames in Chromium without a graphics card; a window with one only does better.
#
# Installs what it needs (apt, Rust, Node) and says so. REPRISE=PROGRAM measures that program and builds nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source .ci/needs.sh

need_packages "to open the screens" chromium
need_ui_packages
if [[ -z "${REPRISE:-}" ]]; then
    need_packages "to compile" gcc libc6-dev pkg-config
    need_rust
    need_built_ui
    cargo build --release --bin reprise >&2
fi
REPRISE="${REPRISE:-target/release/reprise}" node tests/bench/frames.mjs "${1:-100000}"
