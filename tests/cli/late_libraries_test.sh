#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# libtorch and sentencepiece are mapped only when a model is loaded: not for help, parts, a store, a simulated run.
source "$(dirname "$0")/support.sh"
cd "$work" || exit 1

requests 20 requests.jsonl
session requests.jsonl session.json

# The dynamic loader names every file it maps.
maps() {
    local name=$1
    shift
    LD_DEBUG=files LD_DEBUG_OUTPUT="$work/trace" "$@" >/dev/null 2>&1 </dev/null
    cat "$work"/trace.* >mapped.txt 2>/dev/null
    rm -f "$work"/trace.*
    grep -q 'libbatchscope_scheduler' mapped.txt || fail "$name: the loader's trace is empty, the check sees nothing"
}
stays_away() {
    maps "$@"
    for library in libtorch libc10 sentencepiece; do
        grep -q "$library" mapped.txt && fail "$1: $library is mapped"
    done
    echo "ok: $1"
}
stays_away "--help" "$CLI" --help
stays_away "list-parts" "$CLI" list-parts
stays_away "a simulated run" "$CLI" run session.json
stays_away "runs" "$CLI" runs
stays_away "inspect of an absent folder" "$CLI" inspect nowhere

demo="$SOURCE_DIR/resources/models/demo"
if [[ -e $demo/config.json ]]; then
    maps "inspect" "$CLI" inspect demo
    grep -q libtorch mapped.txt && fail "inspect: libtorch is mapped"
    if [[ $HAS_TORCH == 1 ]]; then
        maps "generate" "$CLI" generate --model demo --ids "1 2 3" --max-new-tokens 1
        grep -q libtorch mapped.txt || fail "generate did not map libtorch: this test would not see it"
    fi
fi
finish
