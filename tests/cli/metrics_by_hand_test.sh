#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every figure of the result JSON is what the definitions of metrics.md give for the event log: with requests run
# again or extended, variable batches, staggered arrivals, both deliveries, predictions that take time, rows that join
# and leave a standing batch, prompts read in chunks, both ways of preemption, ageing, objectives, a cancelled run.
source "$(dirname "$0")/support.sh"
check=$(cd "$(dirname "$0")" && pwd)/metrics_by_hand.py
cd "$work" || exit 1
command -v python3 >/dev/null || skip "python3 computes the figures and is not here"

by_hand() { # NAME: judges result.json with events.jsonl
    expect 0 "$1, by hand" python3 "$check" result.json events.jsonl
    [[ $out == *figures* ]] || fail "$1: no run was judged"
    sed 's/^/    /' <<<"$out"
}

# Lengths from 1 to 400 tokens, predictions from 60 too few to 109 too many.
awk 'BEGIN { for (i = 0; i < 300; ++i) {
    predicted = 1 + i * 37 % 400 + i * 61 % 170 - 60
    printf "{\"prompt_tokens\": %d, \"output_tokens\": %d, \"predicted_tokens\": %d}\n",
           1 + i * 7 % 60, 1 + i * 37 % 400, (predicted < 1 ? 1 : predicted) } }' >requests.jsonl
cat >session.json <<'END_OF_SESSION'
{"schema": "batchscope.session/1", "name": "by hand",
 "backend": {"type": "simulated", "preset": "vicuna-7b-a100"},
 "workload": {"source": {"type": "file", "path": "requests.jsonl"}, "lengths": {"mode": "replayed"},
              "arrivals": {"process": "poisson", "rate": 1.5}, "seed": 11},
 "strategies": [
  {"name": "vanilla", "batching": {"type": "static", "rows": 16, "window_s": 2}},
  {"name": "one by one", "batching": {"type": "none"}},
  {"name": "batch end", "batching": {"type": "static", "rows": 8, "delivery": "batch-end"}},
  {"name": "again", "predictor": {"type": "noisy-oracle", "noise": "laplace", "scale_tokens": 60,
                                  "per_call_s": 0.05, "per_request_s": 0.001},
   "ordering": {"type": "sjf"}, "correction": {"type": "fcr"}, "limits": {"max_new_tokens": 300},
   "batching": {"type": "grouped", "group": 64, "rows": 16, "delivery": "batch-end"}},
  {"name": "vbs by table", "predictor": {"type": "recorded"}, "ordering": {"type": "sjf"},
   "correction": {"type": "fcr"}, "batching": {"type": "grouped", "group": 100, "rows": 16, "vbs": "table"}},
  {"name": "vbs by memory", "predictor": {"type": "noisy-oracle", "noise": "log-normal", "scale_tokens": 40},
   "ordering": {"type": "sjf"}, "correction": {"type": "fcr"}, "limits": {"kv_bytes": 5000000000},
   "batching": {"type": "grouped", "group": 300, "rows": 16, "vbs": "memory"}},
  {"name": "extend", "predictor": {"type": "recorded"}, "ordering": {"type": "sjf"},
   "correction": {"type": "extend"}, "batching": {"type": "grouped", "group": 64, "rows": 16}}]}
END_OF_SESSION
expect 0 "staggered arrivals" "$CLI" run session.json --no-store --json result.json --events events.jsonl \
    --repetitions 2 --same-seed
by_hand "staggered arrivals"
[[ $(grep -c "figures, completed" <<<"$out") -eq 14 ]] || fail "expected seven strategies, twice"
for name in again "vbs by table" "vbs by memory"; do
    grep "^$name:" <<<"$out" | grep -q " 0 run again" && fail "$name recomputed nothing: the case is too tame"
done
expect 0 "all at once" "$CLI" run session.json --no-store --json result.json --events events.jsonl \
    --set workload.arrivals.process=all-at-once
by_hand "all at once"

# Continuous: 800 MB hold the KV cache of 1,525 tokens, fewer than a dozen rows may come to. Arrivals are slow enough
# that at times the preempted alone wait.
cat >continuous.json <<'END_OF_SESSION'
{"schema": "batchscope.session/1", "name": "by hand",
 "backend": {"type": "simulated", "preset": "vicuna-7b-a100"},
 "workload": {"source": {"type": "file", "path": "requests.jsonl"}, "lengths": {"mode": "replayed"},
              "arrivals": {"process": "poisson", "rate": 2.2}, "seed": 5},
 "strategies": [
  {"name": "fcfs", "batching": {"type": "continuous", "slots": 16}, "limits": {"max_new_tokens": 300},
   "slo": {"ttft_s": 1, "tpot_s": 0.032, "e2el_s": null}},
  {"name": "chunks", "predictor": {"type": "recorded"}, "ordering": {"type": "sjf"},
   "batching": {"type": "continuous", "slots": 16, "chunked_prefill": true, "token_budget": 20}},
  {"name": "recompute", "predictor": {"type": "oracle"}, "ordering": {"type": "srpt"},
   "batching": {"type": "continuous", "slots": 12, "preemption": "recompute"}, "limits": {"kv_bytes": 800000000}},
  {"name": "recompute in chunks", "predictor": {"type": "recorded"},
   "ordering": {"type": "srpt", "ageing": {"absolute_s": 20, "factor": 4}},
   "batching": {"type": "continuous", "slots": 12, "preemption": "recompute", "chunked_prefill": true,
                "token_budget": 24}, "limits": {"kv_bytes": 800000000}},
  {"name": "keep srpt", "predictor": {"type": "noisy-oracle", "noise": "laplace", "scale_tokens": 60,
                                      "per_call_s": 0.02, "per_request_s": 0.001},
   "ordering": {"type": "srpt", "ageing": {"absolute_s": 15, "factor": null}},
   "batching": {"type": "continuous", "slots": 12, "preemption": "keep-kv"}, "limits": {"kv_bytes": 800000000}},
  {"name": "keep mlfq", "ordering": {"type": "mlfq", "ageing": {"absolute_s": 10, "factor": null}},
   "batching": {"type": "continuous", "slots": 8, "preemption": "keep-kv", "chunked_prefill": true,
                "token_budget": 32}, "limits": {"kv_bytes": 800000000}, "slo": {"ttft_s": 2}}]}
END_OF_SESSION
continuous() { # NAME: the run just made shows what its strategies are there for
    by_hand "$1"
    local name shown
    for shown in "chunks: [1-9][0-9]* chunks" "recompute: [1-9][0-9]* recomputed" \
        "recompute in chunks: [1-9][0-9]* recomputed" "recompute in chunks: [1-9][0-9]* promoted" \
        "recompute in chunks: [1-9][0-9]* chunks" "keep srpt: [1-9][0-9]* kept" "keep srpt: [1-9][0-9]* promoted" \
        "keep mlfq: [1-9][0-9]* kept" "keep mlfq: [1-9][0-9]* promoted" "keep mlfq: [1-9][0-9]* chunks"; do
        name=${shown%%:*}
        grep "^$name: " <<<"$out" | grep -qE " ${shown#*: }" || fail "$1: '$name' shows no ${shown##* }: too tame"
    done
}
expect 0 "continuous" "$CLI" run continuous.json --no-store --json result.json --events events.jsonl
continuous "continuous"
expect 0 "continuous, all at once" "$CLI" run continuous.json --no-store --json result.json --events events.jsonl \
    --set workload.arrivals.process=all-at-once
continuous "continuous, all at once"

# Measured: durations pass by pass, prefills kept from predicting, and a run that was stopped in its middle.
[[ $HAS_TORCH == 1 ]] || finish
cat >measured.json <<'END_OF_SESSION'
{"schema": "batchscope.session/1", "name": "by hand", "backend": {"type": "torch", "model": "demo"},
 "workload": {"source": {"type": "demo"}, "requests": 24, "seed": 3,
              "arrivals": {"process": "even", "rate": 40}},
 "strategies": [
  {"name": "vanilla", "batching": {"type": "static", "rows": 4}, "limits": {"max_new_tokens": 60}},
  {"name": "seqsch", "predictor": {"type": "pooled-mlp"}, "ordering": {"type": "sjf"}, "correction": {"type": "fcr"},
   "batching": {"type": "grouped", "group": 12, "rows": 4, "bin_width": 1}, "limits": {"max_new_tokens": 60}}]}
END_OF_SESSION
expect 0 "measured" "$CLI" run measured.json --no-store --json result.json --events events.jsonl
by_hand "measured"
# Who shares a group follows from the machine's speed here: that rows run again is left to the simulated cases.
grep -q '"held_prefill":true' events.jsonl || fail "no prefill was kept: the case is too tame"

"$CLI" run measured.json --no-store --strategy vanilla --set workload.requests=1024 --set batching.rows=1 \
    --set workload.arrivals.process=all-at-once --json result.json --events events.jsonl >out.txt 2>err.txt &
run=$!
for _ in $(seq 2400); do
    grep -q "1024 requests" err.txt && break
    kill -0 "$run" 2>/dev/null || break
    sleep 0.05
done
sleep 1
kill -INT "$run"
code=0
wait "$run" || code=$?
[[ $code -eq 5 ]] || fail "Ctrl-C: exit code $code, $(tail -n 3 err.txt)"
by_hand "cancelled"
grep -qE '^vanilla: .* cancelled, .* [1-9][0-9]* completed' <<<"$out" || fail "the run was not met in its middle"
finish
