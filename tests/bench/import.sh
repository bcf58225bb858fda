#!/usr/bin/env bash
# Measures the import of log lines: lines a second, peak memory, how soon it stops, and that a second run adds nothing.
# Builds its own file: `tests/bench/import.sh [MEGABYTES]`, 200 unless said otherwise. Prints one table.
set -euo pipefail
cd "$(dirname "$0")/../.."

size_mb="${1:-200}"
program="${REPRISE:-target/release/reprise}"
[[ -n "${REPRISE:-}" ]] || cargo build --release --bin reprise

dir="$(mktemp -d "${TMPDIR:-/tmp}/reprise-import.XXXXXX")"
trap 'rm -rf "$dir"' EXIT
file="$dir/log.jsonl"

# Nine of ten lines are arrivals, three to a post, each tenth of them a copy; the rest are tries with their answers.
awk -v bytes=$((size_mb * 1000000)) '
function stamp(ms,   s) {
    s = int(ms / 1000)
    return strftime("%Y-%m-%dT%H:%M:%S", s, 1) sprintf(".%03dZ", ms % 1000)
}
BEGIN {
    ms = 1772445600000
    text = "Doors open at nine tonight. Bring a coat, the pier is windy and the last boat leaves at a quarter to eleven."
    for (n = 0; written < bytes; n++) {
        ms += 250
        post = sprintf("%024x", int(n / 3))
        if (n % 10 == 9) {
            line = sprintf("{\"kind\":\"attempt\",\"at\":\"%s\",\"job\":\"job_%d\",\"n\":1,\"method\":\"POST\",\"path\":\"/v1/posts\",\"workspace\":\"ws_a\",\"key\":\"k-%d\",\"request_id\":null,\"body\":{\"content\":\"%s %d\",\"platforms\":[{\"platform\":\"linkedin\",\"accountId\":\"ac_04\"}]},\"result\":{\"kind\":\"answered\",\"at\":\"%s\",\"status\":201,\"headers\":{\"content-type\":\"application/json\"},\"body\":{\"post\":{\"_id\":\"%s\",\"status\":\"scheduled\"}}}}", stamp(ms), n, n, text, n, stamp(ms + 400), post)
        } else {
            id = n % 10 == 5 ? n - 1 : n
            line = sprintf("{\"kind\":\"arrival\",\"at\":\"%s\",\"took_ms\":35,\"answer\":204,\"signature\":\"valid\",\"headers\":{\"content-type\":\"application/json\",\"user-agent\":\"Pozy-Webhooks/1.0\",\"x-pozy-event\":\"post.platform.published\",\"x-pozy-event-id\":\"ev_%d\"},\"body\":{\"id\":\"ev_%d\",\"event\":\"post.platform.published\",\"timestamp\":\"%s\",\"post\":{\"id\":\"%s\",\"content\":\"%s\",\"status\":\"publishing\"},\"platform\":{\"name\":\"linkedin\",\"status\":\"published\"},\"account\":{\"accountId\":\"ac_04\",\"platform\":\"linkedin\"}}}", stamp(ms), id, id, stamp(1772445600000 + 250 * (id + 1) - 1800), post, text)
        }
        print line
        written += length(line) + 1
    }
}' >"$file"
lines="$(wc -l <"$file")"

# Runs an import and says: seconds, seconds of processor, peak memory in MB, and its report.
measure() {
    local begun ended peak=0 now
    begun="$(date +%s.%N)"
    "$program" --json --data "$1" import "$file" >"$dir/report" 2>"$dir/problem" &
    local pid=$!
    while now="$(awk '/^VmHWM/ { print $2 }' "/proc/$pid/status" 2>/dev/null)" && [[ -n "$now" ]]; do
        peak="$now"
        [[ -z "${2:-}" ]] || { sleep "$2"; kill -INT "$pid"; begun="$(date +%s.%N)"; break; }
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

awk -v lines="$lines" -v mb="$size_mb" -v s="$seconds" -v peak="$peak" -v again="$again" -v peak_again="$peak_again" \
    -v added="$added" -v added_again="$added_again" -v stopped="$stopped" -v kept="$kept" -v whole="$whole" 'BEGIN {
    print "| what | figure |"
    print "|---|---|"
    printf "| file | %d MB, %d lines |\n", mb, lines
    printf "| import | %.1f s, %.0f lines/s, %d added |\n", s, lines / s, added
    printf "| peak memory | %d MB |\n", peak
    printf "| the same file again | %.1f s, %.0f lines/s, %d added, %d MB |\n", again, lines / again, added_again, peak_again
    printf "| stopped after 2 s | within %.2f s; %d lines in, %d lines in the log |\n", stopped, kept, whole
}'
