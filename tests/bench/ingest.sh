#!/usr/bin/env bash
# Compares receiving: `reprise listen` beside the recipes of Pozy's documentation on Node and on Python with PostgreSQL,
# Redis, mitmdump, adnanh's webhook, and what our own parts cost without a store and with a bare journal. Five rounds take
# about ten minutes after building. The report is printed in Markdown.
# Arguments go to the driver, --help lists them: --log FOLDER also receives into a copy of a long log (tests/bench/data.sh).
#
# Installs what it needs (apt, Rust, Node, pip) and says so; a peer that cannot be installed is left out, and the report
# says which. Servers are its own: on loopback, with data folders that are removed at the end, stopped by their process
# ids. BENCH_FOLDER chooses the disk; a folder in memory would measure nothing. REPRISE=PROGRAM measures that program.
# BENCH_PROFILE=dev builds without optimisation, to try the benchmark itself.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source .ci/needs.sh

need_packages "to compile and to run the peers" gcc libc6-dev pkg-config util-linux procps postgresql
need_rust
need_node
npm --prefix tests/bench/peers ci --no-audit --no-fund --loglevel=error >&2
postgres="$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)"

# A peer more or less does not keep the others from running; the driver looks for each and says what is missing.
for peer in redis-server mitmproxy webhook; do
    (need_packages "a peer to compare with" "$peer") || say "$peer could not be installed; it is left out."
done
python=target/bench-python
python_peer() {
    need_packages "the recipe in Python" python3-venv
    [[ -x "$python/bin/gunicorn" ]] || /usr/bin/python3 -m venv "$python" >&2
    "$python/bin/pip" install --quiet --disable-pip-version-check --requirement tests/bench/peers/requirements.txt >&2
}
(python_peer) || say "The recipe in Python could not be installed; it is left out."

folder="$(mktemp -d "${BENCH_FOLDER:-/var/tmp}/reprise-bench.XXXXXX")"
# PostgreSQL's own account must be able to walk into it; what lies below stays private.
chmod 711 "$folder"
trap 'rm -rf "$folder"' EXIT
cargo bench --quiet --profile "${BENCH_PROFILE:-bench}" --bench ingest -- \
    --postgres "$postgres" --python "$PWD/$python/bin" --folder "$folder" "$@"
