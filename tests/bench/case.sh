#!/usr/bin/env bash
# Builds a case of 5000 rows, writes its page, opens the page in Chromium, and prints it to A4: how long opening takes, and
# whether any column is cut. The report goes to standard output. PDF=FILE keeps the printed pages for a person to look at.
#
# Installs what it needs (apt, Rust, Node) and says so.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source .ci/needs.sh

need_packages "to compile, and to open and print the page" gcc libc6-dev pkg-config chromium
need_rust
need_ui_packages
[[ -n "${REPRISE:-}" ]] || cargo build --release --bin reprise >&2
REPRISE="${REPRISE:-target/release/reprise}" node tests/bench/case.mjs
