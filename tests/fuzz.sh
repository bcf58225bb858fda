#!/usr/bin/env bash
# Drives every place where bytes of strangers are read with LLVM's fuzzer: tests/fuzz.sh [MINUTES] [TARGET ...]
#
# MINUTES (10) is for each target; two run at a time (REPRISE_FUZZ_AT_ONCE). What is found stays in target/fuzz/TARGET: new inputs in `corpus`,
# those that fail in `found`. With REPRISE_FUZZ_KEEP=1 the smallest inputs that reach the same are kept in
# tests/fuzz/corpus, where ./test reads them. A failing input belongs there, too, once what it shows is mended.
# Ends with 1 if anything was found.
set -euo pipefail
cd "$(dirname "$0")/.."
minutes="${1:-10}"
(($# == 0)) || shift
mapfile -t all < <(ls tests/fuzz/corpus)
targets=("${@:-${all[@]}}")

export RUSTC_WORKSPACE_WRAPPER="$PWD/tests/fuzz/rustc.sh" CARGO_PROFILE_DEV_OPT_LEVEL=2
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target/fuzz/build}"
cargo build --features fuzzing --example fuzz
fuzz="$PWD/$CARGO_TARGET_DIR/debug/examples/fuzz"
[[ "$CARGO_TARGET_DIR" != /* ]] || fuzz="$CARGO_TARGET_DIR/debug/examples/fuzz"

# Kept inputs are put together by how much they reach, at most 24 KB of them.
keep() {
    local target="$1" new="target/fuzz/$1/least" file size=0
    rm -rf "$new" && mkdir -p "$new"
    REPRISE_FUZZ="$target" "$fuzz" -merge=1 -max_len=512 "$new" "tests/fuzz/corpus/$target" "target/fuzz/$target/corpus" \
        >"target/fuzz/$target/merge.log" 2>&1
    # The inputs that were written by hand stay, whatever they reach.
    find "tests/fuzz/corpus/$target" -type f -regex '.*/[0-9a-f]+' -size -1k -delete
    size=$(cat "tests/fuzz/corpus/$target"/* | wc -c)
    local count
    count=$(find "tests/fuzz/corpus/$target" -type f | wc -l)
    while read -r file; do
        ((count < 40)) || break
        size=$((size + $(wc -c <"$new/$file")))
        ((size <= 16384)) || break
        cp "$new/$file" "tests/fuzz/corpus/$target/${file:0:12}"
        count=$((count + 1))
    done < <(ls -S -r "$new")
}

run() {
    local target="$1" place="target/fuzz/$1"
    mkdir -p "$place/corpus" "$place/found"
    if REPRISE_FUZZ="$target" nice -n 10 "$fuzz" -max_total_time=$((minutes * 60)) -timeout=10 -rss_limit_mb=1024 \
        -max_len=4096 -dict=tests/fuzz/words.dict -artifact_prefix="$place/found/" -print_final_stats=1 \
        "$place/corpus" "tests/fuzz/corpus/$target" >"$place/log" 2>&1; then
        [[ -z "${REPRISE_FUZZ_KEEP:-}" ]] || keep "$target"
        echo "$target: $(sed -n 's/^stat::number_of_executed_units: //p' "$place/log") inputs in $minutes min, nothing found," \
            "reached $(grep -o 'cov: [0-9]*' "$place/log" | tail -1)"
    else
        echo "$target: FOUND, see $place/log and $place/found"
        return 1
    fi
}
export -f run keep
export minutes fuzz
printf '%s\n' "${targets[@]}" | xargs -P "${REPRISE_FUZZ_AT_ONCE:-2}" -I{} bash -c 'set -euo pipefail; run {}'
