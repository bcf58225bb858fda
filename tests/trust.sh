#!/usr/bin/env bash
# Plays every fault and attack of tests/TRUST.md and writes the tables anew. REPRISE_KILL_ROUNDS sets how often receiver and
# sender are killed (a round is one kill of the receiver and four of the sender; 200 make a thousand), REPRISE_FAULT_ROUNDS
# how often pages are damaged. It mounts a small file system, so it wants to be root.
set -euo pipefail
cd "$(dirname "$0")/.."
export REPRISE_TRUST_FIGURES="$PWD/target/trust"
rm -rf "$REPRISE_TRUST_FIGURES"
filter='test(/^trust::/) - test(/^trust::(table|soak)/) + test(/^attack::/) + test(what_a_killed_receiver_answered) + test(senders_killed_at_random_moments)'
# A file system that is soon full, where one can be mounted; its row is written only then.
small="$PWD/target/trust-disk"
mkdir -p "$small"
mount -t tmpfs -o size=6m,mode=700 tmpfs "$small"
trap 'umount "$small"' EXIT
export REPRISE_SMALL_DISK="$small"
cargo nextest run --profile long --test it -E "$filter"
REPRISE_WRITE_TRUST=1 cargo nextest run --test it -E 'test(/^trust::table/)'
