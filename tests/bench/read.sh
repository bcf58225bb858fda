#!/usr/bin/env bash
# Times what the screens ask of a long log, beside a scan by SQL of the same file: `tests/bench/read.sh FOLDER [OPTIONS]`.
# FOLDER holds a log, such as tests/bench/data.sh makes; a copy of it is read. --small FOLDER compares the program's memory
# with that for a short log, --help lists the rest. Prints the report in Markdown. Ten minutes for 10 million arrivals, and
# more if the index of words is not filled yet.
#
# As root it also takes the computer's page cache away, five times, for the first picture from a cold file (--no-cold
# leaves that out). REPRISE=PROGRAM measures that program; BENCH_FOLDER chooses the disk.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source .ci/needs.sh

[[ $# -ge 1 && "$1" != -* ]] || fail "Say which log: tests/bench/read.sh FOLDER [OPTIONS]"
log="$(realpath "$1")"
shift
need_packages "to compile" gcc libc6-dev pkg-config
need_rust
folder="$(mktemp -d "${BENCH_FOLDER:-/var/tmp}/reprise-read.XXXXXX")"
trap 'rm -rf "$folder"' EXIT
cargo bench --quiet --profile "${BENCH_PROFILE:-bench}" --bench read -- --log "$log" --folder "$folder" "$@"
