#!/usr/bin/env bash
# Fills a log with arrivals for the benchmarks: tests/bench/data.sh ARRIVALS FOLDER
# Real-looking posts in fourteen languages, one arrival in five a copy, one in ten imported. Prints how many it recorded.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source .ci/needs.sh

[[ $# -ge 2 ]] || { echo "usage: tests/bench/data.sh ARRIVALS FOLDER" >&2; exit 2; }
need_packages "to compile" gcc libc6-dev pkg-config
need_rust
cargo bench --quiet --bench data -- --arrivals "$1" --data "$2"
