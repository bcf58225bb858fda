#!/usr/bin/env bash
# Measures the real window under Xvfb over a short and a long log: `tests/bench/window.sh SHORT LONG`, folders such as
# tests/bench/data.sh makes (10000 and 10000000 arrivals); copies of them are opened. How soon it can be used, its frames by
# the program's own recorder while 300 messages a second come and somebody pans and zooms, how soon a message is on the
# screen, and the memory of all its processes. Prints the report in Markdown; takes a quarter of an hour after building.
#
# Without a graphics card all is drawn by the processor: a window with one only does better.
# REPRISE_DESKTOP=PROGRAM measures that program; BENCH_FOLDER chooses the disk; ROUNDS, STARTS, FRAMES and MESSAGES how much
# is done; BUDGETS=FILE writes the budgets that the run tells of.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source .ci/needs.sh

[[ $# -eq 2 ]] || fail "Say which logs: tests/bench/window.sh SHORT LONG"
need_packages "to compile, and to open and drive the window" gcc libc6-dev pkg-config libwebkit2gtk-4.1-dev \
    webkit2gtk-driver xvfb xauth dbus dbus-x11
need_rust
need_node
profile="${BENCH_PROFILE:-bench}"
if [[ -z "${REPRISE_DESKTOP:-}" ]]; then
    need_built_ui
    cargo build --quiet --release --features embedded --bin reprise-desktop >&2
    REPRISE_DESKTOP=target/release/reprise-desktop
fi
# The sender is the ingest benchmark's.
BENCH_INGEST="$(cargo bench --quiet --profile "$profile" --bench ingest --no-run --message-format json |
    sed -n 's/.*"name":"ingest".*"executable":"\([^"]*\)".*/\1/p')"

folder="$(mktemp -d "${BENCH_FOLDER:-/var/tmp}/reprise-window.XXXXXX")"
trap 'rm -rf "$folder"' EXIT
copy() {
    mkdir "$2"
    cp --reflink=auto "$1"/reprise.db* "$2"
}
copy "$1" "$folder/short"
copy "$2" "$folder/long"
sync

printf '# The window\n\nMade by `tests/bench/window.sh` on %s. Machine: %s cores, %s. Load average before the run: %s.\n\n' \
    "$(date -u +%F)" "$(nproc)" "$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)" "$(cut -d' ' -f1-3 /proc/loadavg)"
export REPRISE_DESKTOP BENCH_INGEST BENCH_SCRATCH="$folder" BENCH_SHORT="$folder/short" BENCH_LONG="$folder/long"
export BENCH_BUDGETS="${BUDGETS:-}" TZ=UTC
xvfb-run -a -s "-screen 0 1440x900x24" dbus-run-session -- node tests/bench/window.mjs
