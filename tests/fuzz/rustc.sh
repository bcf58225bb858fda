#!/usr/bin/env bash
# Stands between cargo and rustc: the core and the targets count what a run reaches, for LLVM's fuzzer; nothing else does.
# These flags need no nightly compiler. Every crate that is counted must end in the fuzzing program.
set -euo pipefail
rustc="$1"
shift
case " $* " in
*" --crate-name reprise_core "* | *" --crate-name fuzz "*)
    exec "$rustc" "$@" -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
        -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
        -Cllvm-args=-sanitizer-coverage-trace-compares
    ;;
esac
exec "$rustc" "$@"
