#!/usr/bin/env bash
# Runs the groups of benchmarks, ingest, read, import and window, and the smaller ones search, frames and case, and writes
# tests/bench/RESULTS.md: the budgets of the design beside what was measured, why they fall short (SHORT.md), then each
# group's report. Takes about two hours on two cores once everything is built, most of it for making the long log; the
# computer should have nothing else to do, and 50 GB of its disk free.
#
#   tests/bench/all.sh [GROUP ...]      only these groups; what the others said last time stays
#   tests/bench/all.sh written          none of them; only writes the results again
#
# LOGS=FOLDER keeps the logs that are measured, so that the next run finds them (27 GB); LONG, MIDDLE and SHORT say how many
# arrivals they hold (10000000, 1000000, 10000). REPORTS=FOLDER is where each group's report is kept (target/bench).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source .ci/needs.sh

groups=("$@")
((${#groups[@]})) || groups=(ingest read import window search frames case)
long="${LONG:-10000000}" middle="${MIDDLE:-1000000}" short="${SHORT:-10000}"
reports="${REPORTS:-target/bench}"
mkdir -p "$reports"
if [[ -n "${LOGS:-}" ]]; then
    logs="$LOGS"
    mkdir -p "$logs"
else
    logs="$(mktemp -d "${BENCH_FOLDER:-/var/tmp}/reprise-logs.XXXXXX")"
    trap 'rm -rf "$logs"' EXIT
fi

# The folder of a log with so many arrivals, made unless it is there.
log_of() {
    local folder="$logs/$1"
    if [[ ! -f "$folder/reprise.db" ]]; then
        say "Making a log of $1 arrivals."
        rm -rf "$folder.part"
        tests/bench/data.sh "$1" "$folder.part" >&2 || return 1
        mv "$folder.part" "$folder"
    fi
    printf '%s\n' "$folder"
}

# A report of a group that prints no heading of its own.
titled() {
    printf '# %s\n\nMade by `%s` on %s. Load average before the run: %s.\n\n' "$1" "$2" "$(date -u +%F)" "$(cut -d' ' -f1-3 /proc/loadavg)"
    "$2"
}

# A group's report is replaced only by a whole one.
keep() {
    local name="$1"
    shift
    "$@" >"$reports/$name.part" || fail "$name failed; its report of before stays."
    mv "$reports/$name.part" "$reports/$name.md"
}

for group in "${groups[@]}"; do
    say "Benchmarks: $group"
    case "$group" in
        ingest)
            log="$(log_of "$long")"
            keep ingest tests/bench/ingest.sh --log "$log" --budgets "$PWD/$reports/ingest.budgets"
            ;;
        read)
            few="$(log_of "$short")"
            for n in "$middle" "$long"; do
                log="$(log_of "$n")"
                keep "read-$n" tests/bench/read.sh "$log" --small "$few" --budgets "$PWD/$reports/read-$n.budgets"
            done
            ;;
        import) BUDGETS="$PWD/$reports/import.budgets" keep import tests/bench/import.sh "${IMPORT_MB:-1000}" ;;
        window)
            few="$(log_of "$short")"
            log="$(log_of "$long")"
            BUDGETS="$PWD/$reports/window.budgets" keep window tests/bench/window.sh "$few" "$log"
            ;;
        search) keep search titled "Searching by the index and by looking" tests/bench/search.sh ;;
        frames) keep frames titled "The Timeline in a browser" tests/bench/frames.sh ;;
        case) keep case titled "The page of a case" tests/bench/case.sh ;;
        # Only writes the results, from the reports that are there.
        written) ;;
        *) fail "There is no group $group: ingest, read, import, window, search, frames, case; written for none." ;;
    esac
done

parts=(ingest "read-$middle" "read-$long" import window search frames case)
{
    printf '# Benchmarks\n\nThe budgets of the design, each beside what was measured: the median of the rounds (lowest to highest). '
    printf 'Ratios are of what ran side by side; absolute figures are those of the machine that each report names.\n\n'
    printf '| # | what | budget | measured | |\n|---|---|---|---|---|\n'
    for part in "${parts[@]}"; do
        [[ ! -f "$reports/$part.budgets" ]] || cat "$reports/$part.budgets"
    done | sort -s -t '|' -k 2,2V
    printf '\n'
    # Kept by hand: why, and what could be done.
    cat tests/bench/SHORT.md
    for part in "${parts[@]}"; do
        printf '\n'
        if [[ -f "$reports/$part.md" ]]; then
            sed 's/^#/##/' "$reports/$part.md"
        else
            printf '## %s\n\nNot run.\n' "$part"
        fi
    done
} >"$reports/RESULTS.part"
mv "$reports/RESULTS.part" tests/bench/RESULTS.md
say "Written: tests/bench/RESULTS.md"
