#!/bin/sh
# Makes a dictionary for the log's packed bytes: tests/dictionary/train.sh NUMBER FILE
#
# NUMBER goes into every packed row and says which dictionary unpacks it, so a dictionary that a released program packed with
# never changes and never goes: a better one gets the next number and a place beside it in store/packed.rs.
set -eu
cd "$(dirname "$0")/../.."
samples=$(mktemp -d)
trap 'rm -rf "$samples"' EXIT
python3 tests/dictionary/samples.py "$samples" src-tauri/core/pozy/pozy.json src-tauri/core/pozy/zernio.json
zstd --train -r "$samples" --maxdict=8192 --dictID="$1" -o "$2" -f -q
