#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The reference project's benchmark from a data set to its figures: rows without ids keep their labels on the way.
source "$(dirname "$0")/support.sh"
cd "$work" || exit 1
[[ $HAS_TORCH == 1 ]] || skip "this build has no torch plug-in"

cat >alpaca.json <<'END'
[{"instruction": "Say one word.", "input": "", "output": "Word."},
 {"instruction": "Name a colour."},
 {"text": "this is no row"},
 {"instruction": "Name a fruit.", "input": "red", "output": "Apple."},
 {"instruction": "Count to three.", "id": "own label"}]
END
expect 0 "collect-lengths" "$CLI" collect-lengths --model demo --data alpaca.json --max-length 12 --out lengths.jsonl
for label in "row 1" "row 2" "row 4" "own label"; do
    grep -q "\"id\":\"$label\"" lengths.jsonl || fail "no length is labelled '$label': $(cat lengths.jsonl)"
done
for strategy in vanilla gt; do
    options=()
    [[ $strategy == gt ]] && options=(--lengths lengths.jsonl --vbs --fcr)
    expect 0 "bench $strategy" "$CLI" bench --model demo --data alpaca.json --strategy $strategy "${options[@]}" \
        --batch-size 2 --max-length 12 --json $strategy.json
    grep -q '"completed": 4' $strategy.json || fail "bench $strategy did not answer the four rows"
done
# The same data set, one conversation a line: the same rows have the same labels.
sed -e 's/^\[/ /' -e 's/,$//' -e 's/\]$//' alpaca.json >alpaca.jsonl
expect 0 "collect-lengths of lines" "$CLI" collect-lengths --model demo --data alpaca.jsonl --max-length 12 --out lines.jsonl
cmp lengths.jsonl lines.jsonl || fail "lines have other labels or lengths than the list"
expect 0 "drawn rows find their lengths" "$CLI" bench --model demo --data alpaca.json --strategy gt --num-data 2 \
    --lengths lines.jsonl --max-length 12 --no-store
sed '/row 2/d' lengths.jsonl >short.jsonl
expect 3 "a length that is absent" "$CLI" bench --model demo --data alpaca.json --strategy gt --lengths short.jsonl
says short.jsonl "row 2" collect-lengths
finish
