#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Published figures repeated: every example runs, ours come close to what was published, and what cannot be
# repeated is refused in words.
source "$(dirname "$0")/support.sh"
cd "$work" || exit 1

examples=$SOURCE_DIR/sessions/examples
sanitized=${SANITIZED:-0}

# Every example on the simulator runs as it stands.
for session in "$examples"/*.json; do
    grep -q '"simulated"' "$session" || continue
    name=$(basename "$session")
    less=()
    [[ $sanitized -eq 1 ]] && less=(--set workload.requests=20)
    expect 0 "run $name" "$CLI" run "$session" --no-store --json run.json --events events.jsonl "${less[@]}"
    runs=$(grep -c '"workload_hash"' run.json)
    [[ $runs -gt 0 && $(grep -c '"failed": *0' run.json) -eq $runs ]] || fail "$name: requests of its runs failed"
done

# The published rows of Sequence-Scheduling, beside ours.
expect 0 "repeat the README" "$CLI" repeat "$examples/10-published-seqsch-readme.json" --markdown rows.md
says "Published: Sequence-Scheduling's README" "vanilla" "seqsch + VBS + FCR" "With its quirks" "1: "
grep -q '^| vanilla | Throughput (requests/s)' rows.md || fail "the Markdown has no row of vanilla"
grep -q '^1\. ' rows.md || fail "the Markdown gives no reasons"

# A single repetition is the run itself, whatever draws its predictions.
expect 0 "run Table 4" "$CLI" run "$examples/11-published-seqsch-table-4.json" --no-store --strategy pooling-mlp --json run.json
expect 0 "repeat Table 4" "$CLI" repeat "$examples/11-published-seqsch-table-4.json" --markdown rows.md
rate=$(grep -o '"request_throughput": *[0-9.]*' run.json | head -n 1 | sed 's/.*: *//')
grep -q "^| Pooling + MLP | Throughput (requests/s) | 1.96 | $(printf '%.2f' "$rate") |" rows.md ||
    fail "repeat says $(grep 'Pooling + MLP | Throughput' rows.md), and run $rate"

# Few repetitions, the same figures for any number of threads.
for threads in 1 3; do
    expect 0 "repeat SSJF on $threads threads" "$CLI" repeat "$examples/13-published-ssjf-poisson.json" \
        --repetitions 2 --threads "$threads" --markdown "ssjf$threads.md"
done
cmp ssjf1.md ssjf3.md || fail "the figures depend on the threads"

# The README's table is what the command prints.
if [[ $sanitized -eq 0 ]]; then
    expect 0 "repeat everything" "$CLI" repeat --markdown all.md
    sed -n '/<!-- repeat: begin -->/,/<!-- repeat: end -->/p' "$SOURCE_DIR/README.md" | sed '1d;$d' >readme.md
    diff -u readme.md all.md >difference.txt ||
        fail "README.md is not what \`batchscope-cli repeat --markdown\` prints: $(head -n 20 difference.txt)"
fi

# Refusals.
requests 20 requests.jsonl
session requests.jsonl session.json
expect 3 "nothing published" "$CLI" repeat session.json
says "no \"published\" figures"
expect 2 "a place that is read" "$CLI" repeat session.json --markdown session.json
says "would replace"
published() { # published FIGURE FILE: session.json with that published figure
    sed '$ s/}$//' session.json >"$2"
    printf ', "published": {"figures": [%s]}}\n' "$1" >>"$2"
}
published '{"strategy": "vanila", "metric": "makespan_s", "value": 1}' broken.json
expect 3 "an unknown strategy" "$CLI" repeat broken.json
says "published.figures[0].strategy" "vanila"
published '{"strategy": "vanilla", "metric": "makespan", "value": 1}' broken.json
expect 3 "an unknown figure" "$CLI" repeat broken.json
says "published.figures[0].metric" "makespan"
published '{"strategy": "vanilla", "metric": "makespan_s", "value": [2, 1]}' broken.json
expect 3 "a band the wrong way round" "$CLI" repeat broken.json
says "published.figures[0].value" "lower number first"
published '{"strategy": "vanilla", "metric": "makespan_s", "value": 1, "measure": "change"}' broken.json
expect 3 "a change against nobody" "$CLI" repeat broken.json
says "published.figures[0].against"
published '{"strategy": "vanilla", "metric": "makespan_s", "value": 1, "at": {"batching.row": 4}}' broken.json
expect 3 "an unknown key" "$CLI" repeat broken.json
says "batching.row"
published '{"strategy": "vanilla", "metric": "makespan_s", "value": 1, "hint": 4}' broken.json
expect 3 "an unknown word" "$CLI" repeat broken.json
says "published.figures[0].hint"

# Quirks: unknown ones are refused with the list, known ones are part of the provenance.
expect 3 "an unknown quirk" "$CLI" run session.json --no-store --set 'compat=["S-99"]'
says "compat 'S-99'" "S-1, S-4, S-5"
expect 0 "a known quirk" "$CLI" run session.json --no-store --strategy vbs --set 'compat=["S-5"]' --json quirk.json
grep -q '"compat": *\[' quirk.json || fail "the result JSON does not tell the quirks"
says "repeating S-5 of the published code"
finish
