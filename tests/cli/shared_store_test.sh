#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# One store, several programs: two runs at the same time are both there, whole. A store that may only be read is read,
# and nothing is lost where it cannot be written; that of a newer version is left alone.
source "$(dirname "$0")/support.sh"
cd "$work" || exit 1

requests 400 requests.jsonl
session requests.jsonl session.json

# Two processes, from the making of the store on; what each kept says which requests it had.
for store in one.db two.db three.db; do
    "$CLI" run session.json --db "$store" --repetitions 4 --same-seed --set workload.requests=300 >a.out 2>a.err &
    a=$!
    "$CLI" run session.json --db "$store" --repetitions 4 --same-seed --set workload.requests=400 >b.out 2>b.err &
    b=$!
    wait "$a" || fail "the one with 300 requests: $(cat a.err)"
    wait "$b" || fail "the one with 400 requests: $(cat b.err)"
    expect 0 "$store: runs" "$CLI" runs --db "$store"
    [[ $(grep -c " completed " <<<"$out") -eq 24 ]] || fail "expected 24 completed runs, found: $out"
    for requests in 300 400; do
        [[ $(grep -cE " completed .* $requests " <<<"$out") -eq 12 ]] || fail "expected 12 runs of $requests requests"
    done
done
# The runs of one process are equal whatever the other wrote between them.
declare -A logs
for id in $(awk '/ completed / { print $1 }' <<<"$out"); do
    "$CLI" export "$id" --db three.db --format jsonl --out log.jsonl || fail "run $id cannot be read"
    key="$(awk -v id="$id" '$1 == id { print $5, $6 }' <<<"$out")"
    sum=$(cksum <log.jsonl)
    [[ ${logs[$key]:-$sum} == "$sum" ]] || fail "two runs of $key have other events"
    logs[$key]=$sum
done
[[ ${#logs[@]} -eq 6 ]] || fail "expected 3 strategies on 2 workloads, found: ${!logs[*]}"

if python3 -c 'import sqlite3' 2>/dev/null; then
    cp one.db newer.db
    python3 -c 'import sqlite3; sqlite3.connect("newer.db").execute("PRAGMA user_version = 99")'
    cp newer.db before.db
    for command in "run session.json --strategy vanilla" "runs" "export 1" "compare 1 2" "report 1 --out r.md"; do
        # shellcheck disable=SC2086
        expect 1 "a newer store: $command" "$CLI" $command --db newer.db
        says newer.db "version 99" "update Batchscope"
    done
    cmp newer.db before.db || fail "the newer store was changed"
fi

# Rights bind no administrator: somebody else then.
somebody=()
if [[ $(id -u) -eq 0 ]]; then
    somebody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    chmod 755 "$work"
    "${somebody[@]}" "$CLI" --version >/dev/null 2>&1 || skip "nobody may start $CLI here: rights are not tried"
fi
mkdir shut open
cp one.db shut/runs.db
cp one.db open/runs.db
chmod 555 shut
chmod 777 open
chmod 444 shut/runs.db open/runs.db
cp open/runs.db before.db
for store in shut/runs.db open/runs.db; do
    expect 1 "a run into $store, which is for reading" "${somebody[@]}" "$CLI" run session.json --db "$store"
    says "$store" "cannot be written" "--db"
    expect 0 "runs of $store" "${somebody[@]}" "$CLI" runs --db "$store"
    says vanilla completed
    expect 0 "a comparison from $store" "${somebody[@]}" "$CLI" compare 1 2 --db "$store"
    expect 0 "an export from $store" "${somebody[@]}" "$CLI" export 1 --db "$store" --format csv
    cmp -s "$store" before.db || fail "$store was changed"
done
expect 1 "a store that cannot be made" "${somebody[@]}" "$CLI" run session.json --db shut/new.db
says shut/new.db "cannot be written" "--db"
chmod 755 shut
finish
