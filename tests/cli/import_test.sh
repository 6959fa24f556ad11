#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What importers make of files, and workloads out of traces and distributions, from the command line. A file of tens of
# megabytes takes no more memory than its longest row and a few numbers a request.
source "$(dirname "$0")/support.sh"
cd "$work" || exit 1

cat >trace.csv <<'END'
TIMESTAMP,ContextTokens,GeneratedTokens
2023-11-16 18:15:46.6805900,374,44
2023-11-16 18:15:50.9951690,396,109
2023-11-16 18:15:48.0000000,91,16
2023-11-16 18:15:52.0000000,91,0
soon,1,1
END
expect 0 "a trace" "$CLI" import trace.csv --describe
says "azure" "5: 3 gave 3 requests, 2 skipped" "1 row came earlier" "date and time" "row 4 (line 5)" "GeneratedTokens" \
    "row 5 (line 6)" "0:00:04"
expect 0 "zero tokens clipped" "$CLI" import trace.csv --describe --zero-tokens clip
says "5: 4 gave 4 requests, 1 skipped" "1 of them said 0 tokens"
expect 2 "nothing asked" "$CLI" import trace.csv
says "--describe"
expect 2 "an unknown format" "$CLI" import trace.csv --describe --format parquet
expect 3 "the wrong format" "$CLI" import trace.csv --describe --format burstgpt
says "Request tokens" "ContextTokens"
expect 3 "an absent file" "$CLI" import nowhere.csv --describe
says "nowhere.csv"
printf '<html><body>404</body></html>\n' >page.json
expect 3 "a web page" "$CLI" import page.json --describe
says "an HTML page"
printf 'arrived_at,num_prefill_tokens,num_decode_tokens\n1700000000000,5,5\n1700000002000,5,5\n' >epoch.csv
expect 0 "milliseconds since 1970" "$CLI" import epoch.csv --describe
says "milliseconds" "since 1970" "0:00:02"
expect 0 "another unit" "$CLI" import epoch.csv --describe --time-unit us
says "microseconds" "--time-unit"

session trace.csv base.json
sed 's/"source": {[^}]*}/"source": {"type": "trace", "path": "trace.csv", "speed": 2}/' base.json >replay.json
expect 0 "a replayed trace" "$CLI" run replay.json --no-store --strategy vanilla --json replay-out.json
says "row 4 (line 5)" "sorted by time"
grep -q 'trace, 2 times as fast' replay-out.json || fail "the arrivals are not told in the result"
sed 's/"source": {[^}]*}/"source": {"type": "synthetic", "prompt_tokens": 100}/; s/"lengths": {"mode": "replayed"}/"requests": 64/' \
    base.json >made.json
expect 3 "no lengths" "$CLI" run made.json --no-store --strategy vanilla
says "workload.source.output_tokens"
made=(--no-store --strategy vanilla --set 'workload.source.output_tokens={"distribution":"lognormal","mean":80,"sigma":0.5}')
expect 0 "synthetic lengths" "$CLI" run made.json "${made[@]}" --events m1.jsonl
expect 0 "the same again" "$CLI" run made.json "${made[@]}" --events m2.jsonl
cmp m1.jsonl m2.jsonl || fail "a synthetic workload is not repeatable"
expect 0 "bursts" "$CLI" run made.json "${made[@]}" --set workload.arrivals.process=gamma --set workload.arrivals.rate=2 \
    --set workload.arrivals.cv=2 --events m3.jsonl --json m3.json
grep -q 'gamma 2/s, cv 2 (shape 0.25)' m3.json || fail "cv and shape are not both told"
expect 0 "a closed loop" "$CLI" run made.json "${made[@]}" \
    --set 'workload.arrivals={"process":"closed-loop","clients":4,"think_s":0.5}' --events m4.jsonl --json m4.json
grep -q 'closed loop of 4 clients' m4.json || fail "the closed loop is not told"
expect 3 "a burstiness of 0" "$CLI" run made.json "${made[@]}" --set workload.arrivals.process=gamma \
    --set workload.arrivals.rate=2 --set workload.arrivals.shape=0
says "workload.arrivals.shape" "above 0"

# 1.5 million rows, 57 MB: far more than the memory that is allowed for reading them.
if [[ ${SANITIZED:-0} -eq 0 ]]; then
    awk 'BEGIN { print "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type"
        for (i = 0; i < 1500000; ++i)
            printf "%d,ChatGPT,%d,%d,%d,Conversation log\n", i, 1 + i % 4000, 1 + i % 900, 2 + i % 4000 + i % 900 }' >large.csv
    (ulimit -v 262144 && "$CLI" import large.csv --describe) >out 2>err || fail "a large trace: $(tail -n 3 err)"
    grep -q '1500000: 1500000 gave 1500000 requests, 0 skipped' out || fail "a large trace: $(cat out)"
    sed 's/"source": {[^}]*}/"source": {"type": "trace", "path": "large.csv"}/' base.json >large.json
    expect 0 "its first requests" "$CLI" run large.json --no-store --strategy vanilla --set workload.requests=100
    says "first 100 requests"
fi
finish
