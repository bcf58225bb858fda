#!/usr/bin/env bash
# Measures the import of log lines: lines a second, peak memory, how soon it stops, and that a second run adds nothing.
# Builds its own file, of real-looking posts in fourteen languages with the tries that made them:
# `tests/bench/import.sh [MEGABYTES]`, 200 unless said otherwise; the budget is of 1000. Prints the report in Markdown. Five
# minutes for 1000.
#
# REPRISE=PROGRAM measures that program; BENCH_FOLDER chooses the disk; BUDGETS=FILE writes the budgets that it tells of.
set -euo pipefail
cd "$(dirname "$0")/../.."
source .ci/needs.sh

size_mb="${1:-200}"
need_packages "to compile" gcc libc6-dev pkg-config
need_rust
program="${REPRISE:-target/release/reprise}"
[[ -n "${REPRISE:-}" ]] || cargo build --quiet --release --bin reprise >&2

dir="$(mktemp -d "${BENCH_FOLDER:-/var/tmp}/reprise-import.XXXXXX")"
trap 'rm -rf "$dir"' EXIT
export XDG_DATA_HOME="$dir/home" XDG_STATE_HOME="$dir/home" XDG_CONFIG_HOME="$dir/home" XDG_CACHE_HOME="$dir/home"
file="$dir/log.jsonl"
# Nine of ten posts with their try; a fifth of the arrivals are copies.
BENCH_LINES=$((size_mb * 1000000)) cargo bench --quiet --profile "${BENCH_PROFILE:-bench}" --bench ingest >"$file"
lines="$(wc -l <"$file")"
sync
load="$(cut -d' ' -f1-3 /proc/loadavg)"

# Runs an import and says: seconds, seconds of processor, peak memory in MB, and its report.
measure() {
    local begun ended peak=0 now
    begun="$(date +%s.%N)"
    "$program" --json --data "$1" import "$file" >"$dir/report" 2>"$dir/problem" &
    local pid=$!
    while now="$(awk '/^VmHWM/ { print $2 }' "/proc/$pid/status" 2>/dev/null)" && [[ -n "$now" ]]; do
        peak="$now"
        [[ -z "${2:-}" ]] || { sleep "$2"; kill -INT "$pid" || true; begun="$(date +%s.%N)"; break; }
        sleep 0.1
    done
    wait "$pid" || true
    ended="$(date +%s.%N)"
    awk -v a="$begun" -v b="$ended" -v kb="$peak" 'BEGIN { printf "%.2f %.0f\n", b - a, kb / 1024 }'
}

field() { sed -E "s/.*\"$1\":([0-9]+).*/\1/" "$dir/report"; }

read -r seconds peak <<<"$(measure "$dir/first")"
added="$(field added)"
read -r again peak_again <<<"$(measure "$dir/first")"
added_again="$(field added)"
read -r stopped _ <<<"$(measure "$dir/second" 2)"
kept="$(field added)"
whole="$("$program" --json --data "$dir/second" export | wc -l)"

[[ "$kept" == "$whole" ]] || fail "Stopped, the import says $kept lines, and the log holds $whole."
[[ "$added_again" == 0 ]] || fail "The same file again added $added_again lines."

printf '# Importing\n\nMade by `tests/bench/import.sh %s` on %s. Machine: %s cores, %s. Load average before the run: %s.\n\n' \
    "$size_mb" "$(date -u +%F)" "$(nproc)" "$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)" "$load"
awk -v lines="$lines" -v mb="$size_mb" -v s="$seconds" -v peak="$peak" -v again="$again" -v peak_again="$peak_again" \
    -v added="$added" -v added_again="$added_again" -v stopped="$stopped" -v kept="$kept" -v whole="$whole" \
    -v budgets="${BUDGETS:-}" 'BEGIN {
    print "| what | figure |"
    print "|---|---|"
    printf "| file | %d MB, %d lines |\n", mb, lines
    printf "| import | %.1f s, %.0f lines/s, %d added |\n", s, lines / s, added
    printf "| peak memory (RSS) | %d MB |\n", peak
    printf "| the same file again | %.1f s, %.0f lines/s, %d added, %d MB |\n", again, lines / again, added_again, peak_again
    printf "| stopped after 2 s | within %.2f s; %d lines in, %d lines in the log |\n", stopped, kept, whole
    if (budgets == "") exit
    rate = lines / s
    most = peak > peak_again ? peak : peak_again
    printf "| P10 | memory of an import of %d MB | at most 200 MB | %d MB | %s |\n", mb, most, \
        most <= 200 ? "met" : sprintf("missed: %.2f × it", most / 200) >budgets
    printf "| P10 | lines a second | at least 40000 | %.0f | %s |\n", rate, \
        (rate >= 40000 ? "met" : sprintf("missed: %.3f × it", rate / 40000)) >budgets
    printf "| P10 | cancelled within | at most 1 s | %.2f s | %s |\n", stopped, \
        stopped <= 1 ? "met" : sprintf("missed: %.2f × it", stopped) >budgets
}'
