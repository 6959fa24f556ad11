#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What importers make of files, and workloads out of traces and distributions, from the command line. A file of tens of
# megabytes takes no more memory than its longest row and a few numbers a request.
source "$(dirname "$0")/support.sh"
cd "$work" || exit 1

# told STORE TEXT: the report of the store's first run says how requests arrived.
told() {
    "$CLI" report 1 --db "$1" --out report.md >/dev/null || fail "no report of $1"
    grep -qF "$2" report.md || fail "the report of $1 does not say '$2'"
}

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
expect 0 "a replayed trace" "$CLI" run replay.json --db replay.db --strategy vanilla
says "row 4 (line 5)" "sorted by time"
told replay.db 'trace, 2 times as fast'
sed 's/"source": {[^}]*}/"source": {"type": "synthetic", "prompt_tokens": 100}/; s/"lengths": {"mode": "replayed"}/"requests": 64/' \
    base.json >made.json
expect 3 "no lengths" "$CLI" run made.json --no-store --strategy vanilla
says "workload.source.output_tokens"
made=(--strategy vanilla --set 'workload.source.output_tokens={"distribution":"lognormal","mean":80,"sigma":0.5}')
expect 0 "synthetic lengths" "$CLI" run made.json "${made[@]}" --no-store --events m1.jsonl
expect 0 "the same again" "$CLI" run made.json "${made[@]}" --no-store --events m2.jsonl
cmp m1.jsonl m2.jsonl || fail "a synthetic workload is not repeatable"
expect 0 "bursts" "$CLI" run made.json "${made[@]}" --set workload.arrivals.process=gamma --set workload.arrivals.rate=2 \
    --set workload.arrivals.cv=2 --db gamma.db
told gamma.db 'gamma 2/s, cv 2 (shape 0.25)'
expect 0 "a closed loop" "$CLI" run made.json "${made[@]}" \
    --set 'workload.arrivals={"process":"closed-loop","clients":4,"think_s":0.5}' --db loop.db
told loop.db 'closed loop of 4 clients, think time in s: always 0.5'
expect 3 "a burstiness of 0" "$CLI" run made.json "${made[@]}" --no-store --set workload.arrivals.process=gamma \
    --set workload.arrivals.rate=2 --set workload.arrivals.shape=0
says "workload.arrivals.shape" "above 0"

# 60 MB of conversations under an address space that could not hold them beside the program.
if [[ ${SANITIZED:-0} -eq 0 ]]; then
    awk 'BEGIN { answer = sprintf("%6000s", ""); gsub(/ /, "word ", answer); printf "["
        for (i = 0; i < 2000; ++i)
            printf "%s{\"id\": \"c%d\", \"conversations\": [{\"from\": \"human\", \"value\": \"Question %d?\"}, {\"from\": \"gpt\", \"value\": \"%s\"}]}",
                   i ? ",\n" : "", i, i, answer
        print "]" }' >large.json
    (ulimit -v 65536 && "$CLI" import large.json --describe) >out 2>err || fail "a large data set: $(tail -n 3 err)"
    grep -q '2000: 2000 gave 2000 requests, 0 skipped' out || fail "a large data set: $(cat out)"
    sed 's/"source": {[^}]*}/"source": {"type": "dataset", "path": "large.json"}/' base.json >drawn.json
    expect 0 "a draw out of it" "$CLI" run drawn.json --no-store --strategy vanilla --set workload.requests=20
fi
finish
