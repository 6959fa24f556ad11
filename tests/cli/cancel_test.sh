#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Ctrl-C ends a run as cancelled with what it has; a killed one is shown as interrupted with what it has.
source "$(dirname "$0")/support.sh"
cd "$work" || exit 1

# Long enough to be met in the middle: as many batches as requests.
requests "$([[ ${SANITIZED:-0} == 1 ]] && echo 25000 || echo 250000)" requests.jsonl
session requests.jsonl session.json

begin_run() { # in the background; returns when its events are being written
    "$CLI" run session.json --db "$1" --strategy vanilla --set batching.rows=1 >out.txt 2>err.txt &
    run=$!
    for _ in $(seq 1200); do
        grep -q requests err.txt 2>/dev/null && return
        kill -0 "$run" 2>/dev/null || break
        sleep 0.05
    done
    fail "the run did not begin: $(cat err.txt)"
}

begin_run cancelled.db
sleep 0.2
kill -INT "$run"
code=0
wait "$run" || code=$?
[[ $code -eq 5 ]] || fail "Ctrl-C: exit code $code, expected 5"
grep -q "Kept as run" out.txt || fail "Ctrl-C: the run was not kept"
expect 0 "runs after Ctrl-C" "$CLI" runs --db cancelled.db
says cancelled
expect 0 "a whole run beside it" "$CLI" run session.json --db cancelled.db --strategy vanilla --set workload.requests=100
expect 0 "a comparison with the cancelled run" "$CLI" compare 2 1 --db cancelled.db
says "end: was cancelled after completing"
[[ $out == *better* || $out == *worse* ]] && fail "a cancelled run was called better or worse: $(head -n 3 <<<"$out")"
expect 0 "the cancelled run's requests" "$CLI" export 1 --db cancelled.db --format csv --out cancelled.csv

begin_run killed.db
sleep 0.6 # the writer commits every 250 ms
kill -KILL "$run"
wait "$run" 2>/dev/null
expect 0 "runs after kill -9" "$CLI" runs --db killed.db
says interrupted
[[ $out == *running* ]] && fail "a dead run is shown as running"
expect 0 "a run beside it" "$CLI" run session.json --db killed.db --strategy vanilla --set workload.requests=100
finish
