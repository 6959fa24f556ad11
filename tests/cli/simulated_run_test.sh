#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A simulated run of a request file is a pure function of its inputs: same figures, byte-identical events, file order.
source "$(dirname "$0")/support.sh"
cd "$work" || exit 1

requests 200 requests.jsonl
session requests.jsonl session.json
for i in 1 2; do
    expect 0 "run $i" "$CLI" run session.json --no-store --json "r$i.json" --events "e$i.jsonl"
done
cmp e1.jsonl e2.jsonl || fail "the event logs of two runs differ"
[[ $(wc -l <e1.jsonl) -gt 600 ]] || fail "the event log is too short"
[[ $(grep -c '"event":"run"' e1.jsonl) -eq 3 ]] || fail "expected one heading line a run"
cmp <(sed -E '/"(commit|started|uuid)/d' r1.json) <(sed -E '/"(commit|started|uuid)/d' r2.json) ||
    fail "the figures of two runs differ"
OMP_NUM_THREADS=1 LC_ALL=C expect 0 "with one thread" "$CLI" run session.json --no-store --events e3.jsonl
cmp e1.jsonl e3.jsonl || fail "threads or locale changed the events"

# All arrive at once and vanilla takes them first come first served: batches of 16 in file order.
picked=$(sed -n '/"event":"run"/,$p' e1.jsonl | awk '/"event":"run"/ { ++run } run == 1' |
    grep -o '"event":"picked".*' | grep -o '"request":[0-9]*' | cut -d: -f2)
if [[ -z $picked ]]; then
    picked=$(awk '/"event":"run"/ { ++run } run == 1 && /"picked"/' e1.jsonl | grep -o '"request":[0-9]*' | cut -d: -f2)
fi
[[ $picked == "$(seq 0 199)" ]] || fail "vanilla did not keep file order: $(head -c 200 <<<"$picked")"

expect 0 "another seed" "$CLI" run session.json --no-store --seed 7 --set workload.requests=50 --events e4.jsonl
expect 0 "the same again" "$CLI" run session.json --no-store --seed 7 --set workload.requests=50 --events e5.jsonl
cmp e4.jsonl e5.jsonl || fail "a drawn workload is not repeatable"
expect 0 "Poisson arrivals" "$CLI" run session.json --no-store --strategy vanilla --events e6.jsonl \
    --set workload.arrivals.process=poisson --set workload.arrivals.rate=2
expect 0 "Poisson arrivals again" "$CLI" run session.json --no-store --strategy vanilla --events e7.jsonl \
    --set workload.arrivals.process=poisson --set workload.arrivals.rate=2
cmp e6.jsonl e7.jsonl || fail "Poisson arrivals are not repeatable"
cmp -s e6.jsonl e1.jsonl && fail "arrivals changed nothing"
finish
