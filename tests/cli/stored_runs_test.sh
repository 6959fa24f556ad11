#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# From a run to a report: run, runs, compare, export, report on the simulator.
source "$(dirname "$0")/support.sh"
cd "$work" || exit 1

requests 128 requests.jsonl
session requests.jsonl session.json
expect 1 "runs before there are any" "$CLI" runs
says "batchscope-cli run"
expect 0 "run" "$CLI" run session.json --json result.json
[[ $out == *"These figures are simulated with "* ]] || fail "the table hides that its figures are simulated: $out"
says vanilla sorted vbs "Kept as runs 1 2 3 in $XDG_DATA_HOME/batchscope/runs.db"
for key in '"runs"' '"effective_token_ratio"' '"makespan_s"' '"workload_hash"' '"provenance"' '"shares"' '"e2el_s"' '"slowdown"' \
    '"jains_index"' '"starved_requests": null' '"prediction_error"' '"mean_occupancy"' '"service_ttft_s"'; do
    grep -q "$key" result.json || fail "the result JSON has no $key"
done
expect 0 "runs" "$CLI" runs
says vanilla sorted vbs completed scripted
expect 0 "compare by number" "$CLI" compare 1 2 3
says vanilla sorted "Effective token ratio" "Slowdown, mean" "Fairness (Jain's index)" "Starved requests"
expect 0 "compare by name" "$CLI" compare vanilla sorted
expect 0 "export json" "$CLI" export 1 --out run.json
expect 0 "export csv" "$CLI" export 1 --format csv --out run.csv
[[ $(wc -l <run.csv) -eq 129 ]] || fail "expected a heading and 128 requests, got $(wc -l <run.csv) lines"
expect 0 "export jsonl" "$CLI" export vbs --format jsonl --out run.jsonl
grep -q run-ended run.jsonl || fail "the exported log has no end"
expect 0 "report" "$CLI" report 1 2 3 --out report.md
grep -q vanilla report.md || fail "the report does not name the baseline"
grep -qi simulated report.md || fail "the report hides that its figures are simulated"
grep -q 'Measured' report.md && fail "the report calls simulated figures measured: $(grep Measured report.md)"
grep -q ', |$' report.md && fail "the report has half a machine: $(grep ', |$' report.md)"
grep -q '"path":"requests.jsonl"' report.md || fail "the report does not name the workload's source"
# What its section Reproduce says gives the same events again: by its command, and by its session file.
expect 0 "the report's figures" "$CLI" run session.json --no-store --events before.jsonl
command=$(grep -m1 '^    batchscope-cli run' report.md | sed 's/^    batchscope-cli //')
[[ $command == "run session.json" ]] || fail "the report repeats itself by: $command"
# shellcheck disable=SC2086
expect 0 "the report's command" "$CLI" $command --no-store --events again.jsonl
cmp before.jsonl again.jsonl || fail "the report's command does not repeat the runs"
sed -n '/^```json/,/^```$/p' report.md | sed '/^```/d' >again.json
expect 0 "the report's session file" "$CLI" run again.json --no-store --events again.jsonl
cmp before.jsonl again.jsonl || fail "the report's session file does not repeat the runs"
expect 0 "a run with changes" "$CLI" run session.json --db changed.db --strategy "vanilla" --set workload.requests=64 --seed 7
expect 0 "its report" "$CLI" report 1 --db changed.db --out changed.md
grep -qF '    batchscope-cli run session.json --strategy vanilla --set workload.requests=64 --seed 7' changed.md ||
    fail "the report forgets what was set: $(grep 'batchscope-cli run' changed.md)"
if command -v python3 >/dev/null; then
    python3 - <<'END' || fail "the exported JSON does not add up"
import json
result = json.load(open("result.json"))
runs = {r["name"]: r for r in result["runs"]}
assert list(runs) == ["vanilla", "sorted", "vbs"], list(runs)
assert len({r["useful_output_tokens"] for r in runs.values()}) == 1, "useful tokens differ"
assert all(r["completed"] == 128 and r["failed"] == 0 for r in runs.values())
for r in runs.values():
    assert abs(sum(r["shares"].values()) - 1) < 1e-12, r["shares"]
assert runs["sorted"]["effective_token_ratio_strict"] > runs["vanilla"]["effective_token_ratio_strict"]
assert runs["sorted"]["makespan_s"] < runs["vanilla"]["makespan_s"]
json.load(open("run.json"))
[json.loads(line) for line in open("run.jsonl")]
END
fi

# A table with a mark explains it, one without does not; a few requests are no ground for a verdict.
expect 0 "64 requests" "$CLI" run session.json --no-store --set workload.requests=64
says "† 99th percentile of fewer than 100 values"
expect 0 "128 requests" "$CLI" run session.json --no-store
[[ $out == *†* ]] && fail "a mark without need: $out"
expect 0 "2 requests" "$CLI" run session.json --no-store --set workload.requests=2
says "2 requests are too few to tell"

expect 0 "repetitions" "$CLI" run session.json --repetitions 3 --strategy vanilla --strategy sorted
says "Kept as runs 4 5 6 7 8 9"
order=$("$CLI" runs | awk '$1 >= 4 && $1 <= 9 { print $1, ($0 ~ /vanilla/ ? "vanilla" : "sorted") }' | sort -n | cut -d' ' -f2 | xargs)
[[ $order == "vanilla sorted vanilla sorted vanilla sorted" ]] || fail "repetitions are not interleaved: $order"
expect 0 "--no-store" "$CLI" run session.json --no-store --strategy vanilla
[[ $out == *Kept* ]] && fail "--no-store kept something"
expect 2 "--db with --no-store" "$CLI" run session.json --no-store --db x.db
finish
