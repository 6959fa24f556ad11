#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Public reports that show in what a person sees of a run: S9, S11, Q5, Q8, Q10, Q11, Q13, S13. The cost model is SSJF's:
# the pass that reads takes 0.1 s, each later one 0.02 s, whatever its rows.
source "$(dirname "$0")/support.sh"
cd "$work" || exit 1
command -v python3 >/dev/null || skip "python3 reads the JSON and is not here"

session_of() { # SOURCE ARRIVALS STRATEGIES: session.json on SSJF's cost model
    cat >session.json <<END_OF_SESSION
{"schema": "batchscope.session/1", "name": "reported", "backend": {"type": "simulated", "preset": "${preset:-ssjf}"},
 "workload": {"source": {"type": "file", "path": "$1"}, "lengths": {"mode": "replayed"}, "arrivals": {$2}},
 "strategies": [$3]}
END_OF_SESSION
}
run() { # NAME [ARGUMENT...]: runs it into result.json and events.jsonl
    expect 0 "$1" "$CLI" run session.json --no-store --json result.json --events events.jsonl "${@:2}"
}
judge() { # NAME CODE: python with r[name] = the run's object
    local code=0
    python3 - "$2" >judged 2>&1 <<'END_OF_PYTHON' || code=$?
import json, math, sys
def refuse(word): raise ValueError(word + " is no JSON")
with open("result.json", encoding="utf-8") as file:
    r = {run["name"]: run for run in json.load(file, parse_constant=refuse)["runs"]}
def near(a, b): return a is not None and math.isclose(a, b, rel_tol=1e-9)
for line in sys.argv[1].strip().splitlines():
    if not eval(line): sys.exit(f"not so: {line.strip()}: " + json.dumps(
        {name: {key: run[key] for key in run if key in line} for name, run in r.items()}))
END_OF_PYTHON
    if [[ $code -eq 0 ]]; then echo "ok: $1"; else fail "$1: $(tail -n 1 judged)"; fi
}
equal_requests() { # N PROMPT OUTPUT
    awk -v n="$1" -v p="$2" -v o="$3" 'BEGIN { for (i = 0; i < n; ++i)
        printf "{\"prompt_tokens\": %d, \"output_tokens\": %d}\n", p, o }' >requests.jsonl
}

# S9: with a slot for everybody no order can matter; the figures are the same, and why is said.
requests 30 requests.jsonl
batching='"batching": {"type": "continuous", "slots": 64}, "predictor": {"type": "oracle"}'
preset=vicuna-7b-a100 session_of requests.jsonl '"process": "poisson", "rate": 3' \
    "{\"name\": \"first\", $batching}, {\"name\": \"short\", \"ordering\": {\"type\": \"sjf\"}, $batching}"
same='all(r["first"][k] == r["short"][k] for k in ("e2el_s", "ttft_s", "queueing_delay_s", "makespan_s", "itl_s"))'
run "nobody queues" # but for the end of the pass in hand
tr '\n' ' ' <<<"$out$err" | tr -s ' ' | grep -q "The queue was empty 9[0-9]\.[0-9] % of the time: order can hardly matter" ||
    fail "S9: nothing says why there is no gain: $out"
judge "S9: the same numbers" "$same
all(0 < x['queue_busy_share'] < 0.1 for x in r.values())"
run "nobody queues at all" --set workload.arrivals.process=all-at-once
[[ $(tr '\n' ' ' <<<"$out$err" | tr -s ' ') == *"The queue was empty 100.0 % of the time: order cannot matter"* ]] ||
    fail "S9: nothing says that order cannot matter: $out"
judge "S9: the same numbers, all at once" "$same
all(x['queue_busy_share'] == 0 for x in r.values())"
# ... and with two slots it does matter, and nothing of the kind is said.
run "most queue" --set batching.slots=2
[[ $out$err == *"The queue was empty"* ]] && fail "S9: a long queue is said to be empty"
judge "S9: a gain" 'r["short"]["e2el_s"]["mean"] < 0.9 * r["first"]["e2el_s"]["mean"]'

# Q11: ten requests, one at a time: each takes 0.1 + 5 * 0.02 = 0.2 s. The i-th waits i * 0.2 s, 0.9 s on average.
equal_requests 10 8 5
session_of requests.jsonl '"process": "all-at-once"' '{"name": "alone", "batching": {"type": "none"}},
    {"name": "standing", "batching": {"type": "continuous", "slots": 1}}'
run "ten, one at a time"
judge "Q11: TTFT holds the wait, service TTFT does not" '
all(near(x["ttft_s"]["mean"], 1.0) and near(x["service_ttft_s"]["mean"], 0.1) for x in r.values())
all(near(x["ttft_s"]["p50"], 1.0) and near(x["queueing_delay_s"]["mean"], 0.9) for x in r.values())'

# Q10: eight equal requests, one by one and in one batch. A request's time in service is 0.1 + 20 * 0.02 = 0.5 s in both,
# its gaps are 0.02 s; tokens a second are tokens / time: 20 / 0.5 s and 160 / 0.5 s.
equal_requests 8 8 20
session_of requests.jsonl '"process": "all-at-once"' '{"name": "one", "batching": {"type": "static", "rows": 1}},
    {"name": "eight", "batching": {"type": "static", "rows": 8}}'
run "batch 1 and 8"
judge "Q10: latencies are a request's, rates are tokens over time" '
all(near(x["tpot_s"]["mean"], 0.02) and near(x["itl_s"]["mean"], 0.02) for x in r.values())
near(r["eight"]["e2el_s"]["mean"], 0.5)
near(r["one"]["e2el_s"]["mean"] - r["one"]["queueing_delay_s"]["mean"], 0.5)
near(r["one"]["output_token_throughput"], 40) and near(r["eight"]["output_token_throughput"], 320)
near(r["one"]["makespan_s"], 4) and near(r["eight"]["makespan_s"], 0.5)'

# Q8: sixteen long requests on four slots, one of them longer: the tail pulls the whole run's rate down, and the rate of
# the time at which all slots were taken stands beside it under its own name.
awk 'BEGIN { for (i = 0; i < 17; ++i)
    printf "{\"prompt_tokens\": 8, \"output_tokens\": %d}\n", i == 16 ? 4000 : 400 }' >requests.jsonl
session_of requests.jsonl '"process": "all-at-once"' '{"name": "four", "batching": {"type": "continuous", "slots": 4},
    "limits": {"max_new_tokens": 4000}}'
run "a long tail"
judge "Q8: both rates" '
near(r["four"]["request_throughput"], 17 / r["four"]["makespan_s"])
r["four"]["steady_request_throughput"] > 2 * r["four"]["request_throughput"]'

# Q5, Q13: what is not known is null, never 0 and never NaN, in every format. One request of one token has no TPOT, no gap,
# no rate of arrival, no steady window on two slots, no agreement of its prediction.
equal_requests 1 8 1
session_of requests.jsonl '"process": "all-at-once"' '{"name": "single", "predictor": {"type": "oracle"},
    "batching": {"type": "static", "rows": 2}}'
expect 0 "a single token, kept" "$CLI" run session.json --db single.db --json result.json --events events.jsonl
judge "Q13: unknown is null" '
all(r["single"]["tpot_s"][k] is None and r["single"]["itl_s"][k] is None for k in ("mean", "p50", "p99"))
r["single"]["tpot_s"]["n"] == 0 and r["single"]["achieved_arrival_rate"] is None
r["single"]["goodput"] is None and r["single"]["starved_requests"] is None
r["single"]["steady_request_throughput"] is None and r["single"]["prediction_error"]["kendall_tau_b"] is None
r["single"]["prediction_error"]["mae"] == 0 and r["single"]["provenance"]["device"] is None'
for format in json jsonl; do
    expect 0 "as $format" "$CLI" export single --db single.db --format "$format" --out "exported.$format"
done
python3 - <<'END_OF_PYTHON' || fail "Q5: an export is no strict JSON"
import json
def refuse(word): raise ValueError(word + " is no JSON")
for name in ("exported.json", "result.json"):
    json.loads(open(name, encoding="utf-8").read(), parse_constant=refuse)
for name in ("exported.jsonl", "events.jsonl"):
    lines = open(name, encoding="utf-8").read().splitlines()
    assert len(lines) > 5, name
    for line in lines:
        json.loads(line, parse_constant=refuse)
END_OF_PYTHON
# A rate without end is refused by name, or is all at once: never an Infinity in a file.
for rate in 1e999 -1 0; do
    sed "s/\"all-at-once\"/\"poisson\", \"rate\": $rate/" session.json >rate.json
    expect 3 "a rate of $rate" "$CLI" run rate.json --no-store
    says rate
done

# S13: half a request a second that takes 0.1 + 1495 * 0.02 = 30 s is fifteen in flight.
equal_requests 40 8 1495
session_of requests.jsonl '"process": "even", "rate": 0.5' '{"name": "many", "limits": {"max_new_tokens": 1500},
    "batching": {"type": "continuous", "slots": 64}}'
run "half a request a second"
tr '\n' ' ' <<<"$out$err" | tr -s ' ' | grep -qE "0\.5[0-9]* requests/s that take 30(\.[0-9])? s each: about 15" ||
    fail "S13: no hint of fifteen in flight: $out"

# S11: four slots, a context of 2,048 tokens for each request: the one that would pass it ends at what is left of it, the
# others as they would without it.
awk 'BEGIN { for (i = 0; i < 4; ++i)
    printf "{\"prompt_tokens\": %d, \"output_tokens\": 300}\n", i == 2 ? 2000 : 1000 }' >requests.jsonl
preset=vicuna-7b-a100 session_of requests.jsonl '"process": "all-at-once"' \
    '{"name": "four", "batching": {"type": "continuous", "slots": 4}}'
run "one passes the context"
ends=$(grep '"row-ended"' events.jsonl |
    sed -E 's/.*"request":([0-9]+).*"cause":"([a-z]+)","output_tokens":([0-9]+).*/\1 \2 \3/' | sort)
[[ $ends == $'0 length 300\n1 length 300\n2 cap 48\n3 length 300' ]] || fail "S11: the rows ended so: $ends"
judge "S11: all are answered" 'r["four"]["completed"] == 4 and r["four"]["failed"] == 0'
finish
