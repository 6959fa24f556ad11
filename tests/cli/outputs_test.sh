#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a command writes never replaces what it reads, and an output that was not delivered is a failure.
source "$(dirname "$0")/support.sh"
cd "$work" || exit 1

requests 20 requests.jsonl
session requests.jsonl session.json
cp requests.jsonl requests.before
cp session.json session.before
ln -s session.json link.json

expect 2 "a result in place of the session" "$CLI" run session.json --no-store --json session.json
says session.json "would replace"
expect 2 "the same through a link" "$CLI" run session.json --no-store --json link.json
expect 2 "the same through another name" "$CLI" run session.json --no-store --json "$work/./session.json"
expect 2 "events in place of the requests" "$CLI" run session.json --no-store --events requests.jsonl
says requests.jsonl
expect 2 "one file for results and events" "$CLI" run session.json --no-store --json both.txt --events both.txt
[[ ! -e both.txt ]] || fail "a refused command wrote a file"
expect 2 "a result in place of the store" "$CLI" run session.json --db new.db --json new.db
expect 0 "a good store" "$CLI" run session.json --db runs.db --strategy vanilla
cp runs.db runs.before
# What the output tells to type does it.
expect 0 "runs in a store of one's own" "$CLI" run session.json --db "our own.db"
hint=$(grep -o 'batchscope-cli compare.*' <<<"$out")
expect 0 "the hint: $hint" bash -c "${hint/#batchscope-cli/\"\$CLI\"}"
says vanilla sorted
expect 2 "an export in place of its store" "$CLI" export 1 --db runs.db --out runs.db
mv runs.db runs.md
expect 2 "a report in place of its store" "$CLI" report 1 --db runs.md --out runs.md
expect 2 "lengths in place of their prompts" "$CLI" collect-lengths --model demo --data requests.jsonl --out requests.jsonl
expect 2 "lengths without a place, told first" "$CLI" collect-lengths --model demo --data requests.jsonl --out nowhere/x
expect 2 "logits without a place, told first" "$CLI" generate --model demo --prompt hi --logits nowhere/x
cmp -s requests.jsonl requests.before || fail "the requests were changed"
cmp -s session.json session.before || fail "the session was changed"
expect 0 "the store is whole" "$CLI" export 1 --db runs.md --format json

# Seeds: the parser's own conversion would take -1 for the largest number.
for seed in -1 99999999999999999999999 1.5 0x10 ten; do
    expect 2 "the seed $seed" "$CLI" run session.json --no-store --seed=$seed
    says "$seed" "18446744073709551615"
done
expect 0 "the largest seed" "$CLI" run session.json --no-store --strategy vanilla --seed 18446744073709551615
for value in nan inf -1; do
    expect 2 "the temperature $value" "$CLI" generate --model demo --prompt hi --temperature=$value
    expect 2 "the top-p $value" "$CLI" generate --model demo --prompt hi --top-p=$value
    expect 2 "bench at the temperature $value" "$CLI" bench --model demo --data x.json --strategy vanilla --temperature=$value
done

if [[ -w /dev/full ]]; then
    for command in "runs --db runs.md" "list-parts" "run session.json --no-store" "export 1 --db runs.md --format csv"; do
        # shellcheck disable=SC2086
        expect 1 "$command on a full disk" bash -c '"$0" "$@" >/dev/full' "$CLI" $command
        [[ -n $err ]] || fail "nothing was said"
    done
    # Forty strategies: the table is written before it is complete, and what it lacks must not cost the result.
    sed -n '1,/"strategies"/p' session.json >many.json
    for i in {1..40}; do
        echo " {\"name\": \"strategy $i\", \"batching\": {\"type\": \"static\", \"rows\": $i}},"
    done >>many.json
    echo ' {"name": "last", "batching": {"type": "none"}}]}' >>many.json
    expect 1 "a table that is not delivered" bash -c '"$0" "$@" >/dev/full' "$CLI" run many.json --no-store --json kept.json
    [[ -s kept.json ]] || fail "the result went with the table"
    # What is said beside the output is never worth a run.
    expect 0 "notes on a full disk" bash -c '"$0" "$@" 2>/dev/full' "$CLI" run session.json --no-store --json full.json
    expect 3 "a complaint on a full disk" bash -c '"$0" "$@" 2>/dev/full' "$CLI" run nowhere.json --no-store
fi

# A reader that goes away, and a file that may not grow, end no run.
sed 's/"name": "scripted"/"name": "scripted", "unknown": 1/' session.json >noted.json
expect 0 "a reader of notes that has gone" bash -c '"$0" "$@" 2> >(true); exit $?' "$CLI" run noted.json --db gone.db --json gone.json
expect 0 "a reader of the table that has gone" bash -c '"$0" "$@" | true; [[ ${PIPESTATUS[0]} -lt 2 ]]' "$CLI" run noted.json --no-store --json gone_table.json
[[ -s gone.json && -s gone_table.json ]] || fail "the result went with the reader"
expect 1 "a store that may not grow" bash -c 'ulimit -f 60; "$0" "$@"' "$CLI" run session.json --db limited.db
says limited.db

# Descriptors that come closed: no file may be taken for them.
expect 0 "a closed standard error" bash -c '"$0" "$@" 2>&-' "$CLI" run session.json --db closed.db --json closed.json
expect 1 "a closed output" bash -c '"$0" "$@" >&-' "$CLI" run session.json --no-store --json closed_output.json
expect 1 "everything closed" bash -c '"$0" "$@" <&- >&- 2>&-' "$CLI" run session.json --db closed.db --json closed_all.json
for file in closed closed_output closed_all; do
    [[ $(head -c 1 $file.json) == "{" ]] || fail "$file.json is not what a result is"
done
expect 0 "the store is whole after all of them" "$CLI" export 6 --db closed.db --format json
finish
