#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A batch whose keys and values can never fit is refused before anything runs or is kept, with the numbers: needed,
# allowed, and the largest that fits. The largest that fits runs.
source "$(dirname "$0")/support.sh"
cd "$work" || exit 1

# Prompts of 100 tokens and a cap of 100: 200 tokens a row of 524,288 bytes each (the preset's) = 104,857,600 bytes.
awk 'BEGIN { for (i = 0; i < 64; ++i) printf "{\"prompt_tokens\": 100, \"output_tokens\": 20, \"predicted_tokens\": 20}\n" }' >requests.jsonl
session requests.jsonl session.json
fixed=(--strategy vanilla --set limits.max_new_tokens=100 --db runs.db)
expect 3 "16 rows of memory for 10" "$CLI" run session.json "${fixed[@]}" --set limits.kv_bytes=1048576000
says "vanilla" "16 rows" "100 prompt" "100 new tokens" "1677721600 bytes" "1048576000 bytes" "10 rows" "batching.rows"
expect 3 "one byte too few" "$CLI" run session.json "${fixed[@]}" --set limits.kv_bytes=1048575999 --set batching.rows=10
says "9 rows"
expect 3 "memory for no row" "$CLI" run session.json "${fixed[@]}" --set limits.kv_bytes=104857599
says "0 rows" "limits.max_new_tokens"
expect 0 "the store" "$CLI" runs --db runs.db
says "No runs yet"
expect 0 "exactly enough" "$CLI" run session.json "${fixed[@]}" --set limits.kv_bytes=1048576000 --set batching.rows=10
expect 3 "one strategy of two" "$CLI" run session.json --db runs.db --set limits.kv_bytes=2000000000 \
    --set limits.max_new_tokens=100 --strategy vanilla --strategy vbs
says "strategy 'vbs'" "64 rows" "2000000000 bytes"
expect 0 "the store, where the other did not run either" "$CLI" runs --db runs.db
[[ $(grep -c completed <<<"$out") -eq 1 ]] || fail "expected the one run that fitted exactly: $out"
finish
