#!/usr/bin/env bash
# Compares receiving: `reprise listen` beside the recipe of Pozy's documentation on Node and PostgreSQL. Takes about
# five minutes after building. The report is printed in Markdown; to keep it: tests/bench/ingest.sh >tests/bench/RESULTS.md
# Arguments go to the driver, --help lists them.
#
# Installs what it needs (apt, Rust, Node) and says so. The PostgreSQL it starts is its own: on loopback, with a data
# folder that is removed at the end. BENCH_FOLDER chooses the disk; a folder in memory would measure nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source .ci/needs.sh

need_packages "to compile and to run the peers" gcc libc6-dev pkg-config util-linux procps postgresql
need_rust
need_node
npm --prefix tests/bench/peers ci --no-audit --no-fund --loglevel=error >&2
postgres="$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)"

folder="$(mktemp -d "${BENCH_FOLDER:-/var/tmp}/reprise-bench.XXXXXX")"
# PostgreSQL's own account must be able to walk into it; what lies below stays private.
chmod 711 "$folder"
trap 'rm -rf "$folder"' EXIT
cargo bench --quiet --bench ingest -- --postgres "$postgres" --folder "$folder" "$@"
