#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sweeps and advice: told before they run, the same bytes for any number of threads, refused in words.
source "$(dirname "$0")/support.sh"
cd "$work" || exit 1

requests 60 requests.jsonl
session requests.jsonl session.json

for threads in 1 4; do
    expect 0 "a sweep on $threads threads" "$CLI" sweep session.json --vary batching.rows=4,8 \
        --vary workload.seed=1:3:1 --repetitions 2 --metric e2el_s.mean --metric request_throughput \
        --threads "$threads" --json "s$threads.json" --csv "s$threads.csv"
    says "36 runs: 2 of batching.rows × 3 of workload.seed" "e2el_s.mean s" "against vanilla" "too few"
    expect 0 "advice on $threads threads" "$CLI" advise session.json --threads "$threads" --json "a$threads.json"
    says "nothing beats in all three" "vanilla gives" "throughput:" "p99 latency:" "KV memory:"
done
cmp s1.json s4.json || fail "the sweep's JSON depends on the threads"
cmp s1.csv s4.csv || fail "the sweep's CSV depends on the threads"
cmp a1.json a4.json || fail "the advice depends on the threads"
[[ $(wc -l <s1.csv) -eq 37 ]] || fail "expected a line a run and a heading"
head -n 1 s1.csv | grep -q '^batching.rows,workload.seed,strategy,repetition,seed,refused,e2el_s.mean' ||
    fail "the CSV's heading is $(head -n 1 s1.csv)"

expect 0 "a sweep that is kept" "$CLI" sweep session.json --vary batching.rows=4,8 --strategy vanilla --db kept.db \
    --markdown sweep.md
says "Kept 2 runs in"
grep -q '^| batching.rows | strategy |' sweep.md || fail "the Markdown is $(head -n 3 sweep.md)"
expect 0 "what a sweep kept" "$CLI" compare "vanilla, rows 4" "vanilla, rows 8" --db kept.db
says "vanilla, rows 8"

expect 0 "repetitions over seeds" "$CLI" run session.json --no-store --repetitions 6 --json r.json \
    --set workload.arrivals.process=poisson --set workload.arrivals.rate=2 --warm-up 10r --window 1:20
says "each on a workload of its own (seeds 42 to 47)" "in the window" "left out: before" "95 % bootstrap"
python3 - <<'END' || fail "seeds and window in the result JSON"
import json
runs = json.load(open("r.json"))["runs"]
assert sorted({run["seed"] for run in runs}) == [42, 43, 44, 45, 46, 47], runs
assert all(run["window"]["requests_before"] >= 10 for run in runs)
assert all(run["window"]["to_s"] <= 20 for run in runs)
END
expect 0 "one seed for all" "$CLI" run session.json --no-store --repetitions 2 --same-seed
says "each a measurement of the same workload"
expect 2 "a warm-up without a unit" "$CLI" run session.json --no-store --warm-up 10
says "10s" "200r"
expect 2 "a window that ends before it begins" "$CLI" run session.json --no-store --window 9:3
says "FROM:TO"

expect 3 "an unknown key" "$CLI" sweep session.json --vary batching.row=1,2
says "--vary batching.row" "batching.rows"
expect 3 "an unknown figure" "$CLI" sweep session.json --metric e2el_s.maen
says "e2el_s.mean"
expect 3 "no end" "$CLI" sweep session.json --vary batching.rows=1:9:0
says "from:to:step"
expect 3 "a measured session" "$CLI" advise session.json --set backend.type=torch
says "simulator" "--set backend.type=simulated"
expect 2 "a place that is read" "$CLI" sweep session.json --json session.json
says "would replace"
expect 2 "one file for both" "$CLI" sweep session.json --json both --csv both
says "would replace"
finish
