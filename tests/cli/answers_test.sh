#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Public report S1, from the request file to the export: answer i belongs to prompt i, 256 of 256, whatever the order in
# which groups, bins, variable batches and recomputation served them.
source "$(dirname "$0")/support.sh"
cd "$work" || exit 1

# Request i answers with its own number of tokens, no two alike; predictions say nothing about them.
awk 'BEGIN { for (i = 0; i < 256; ++i)
    printf "{\"id\": \"repeat %d\", \"prompt_tokens\": %d, \"output_tokens\": %d, \"predicted_tokens\": %d}\n",
           i, 3 + i * 91 % 256, 1 + i * 141 % 256, 1 + i * 59 % 256 }' >requests.jsonl
session requests.jsonl session.json
for arrivals in all-at-once poisson; do
    rm -f runs.db
    rate=()
    [[ $arrivals == poisson ]] && rate=(--set workload.arrivals.rate=4)
    expect 0 "$arrivals" "$CLI" run session.json --db runs.db --set "workload.arrivals.process=$arrivals" "${rate[@]}"
    for strategy in vanilla sorted vbs; do
        expect 0 "export of $strategy" "$CLI" export "$strategy" --db runs.db --format csv
        right=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
            { i = NR - 2 }
            $column["request"] == i && $column["id"] == "repeat " i && $column["prompt_tokens"] == 3 + i * 91 % 256 &&
            $column["output_tokens"] == 1 + i * 141 % 256 { ++right }
            END { print right + 0 }' <<<"$out")
        [[ $right -eq 256 ]] || fail "$strategy, $arrivals: $right of 256 answers belong to their prompts"
    done
done
expect 0 "what was recomputed" "$CLI" export vbs --db runs.db --format jsonl
[[ $(grep -c attempt-abandoned <<<"$out") -gt 20 ]] || fail "too few were recomputed: the case is too tame"
finish
