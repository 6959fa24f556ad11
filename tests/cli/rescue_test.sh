#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A store that goes away during a run: the run ends whole, is kept in another store, and both are told.
source "$(dirname "$0")/support.sh"
cd "$work" || exit 1

# Long enough to be met in the middle: as many batches as requests.
requests "$([[ ${SANITIZED:-0} == 1 ]] && echo 6000 || echo 60000)" requests.jsonl
session requests.jsonl session.json

# lose NAME COMMAND...: runs with the store NAME.db in a folder of its own and does COMMAND to it when events come.
lose() {
    local name=$1
    shift
    mkdir "$name" && cd "$name" || exit 1
    "$CLI" run ../session.json --db runs.db --strategy vanilla --set batching.rows=1 --json result.json >out.txt 2>err.txt &
    local run=$! code=0
    for _ in $(seq 1200); do
        grep -q requests err.txt 2>/dev/null && break
        kill -0 "$run" 2>/dev/null || break
        sleep 0.02
    done
    "$@" || fail "$name: $* did not work"
    wait "$run" || code=$?
    [[ $code -eq 1 ]] || fail "$name: exit code $code, expected 1: $(cat err.txt)"
    for words in "runs.db" "The run goes on" "are kept in" "--db"; do
        grep -qF -- "$words" err.txt || fail "$name: the message does not say '$words': $(cat err.txt)"
    done
    rescued=$(echo batchscope-rescued-*.db)
    [[ -e $rescued ]] || fail "$name: there is no rescued store: $(ls)"
    grep -qF "$rescued" err.txt || fail "$name: the rescued store is not named"
    expect 0 "$name: the rescued store" "$CLI" runs --db "$rescued"
    says vanilla completed
    expect 0 "$name: the rescued run" "$CLI" export 1 --db "$rescued" --format csv --out run.csv
    [[ $(wc -l <run.csv) -eq $(($(wc -l <../requests.jsonl) + 1)) ]] || fail "$name: requests are missing"
    grep -q '"completed": '"$(wc -l <../requests.jsonl)" result.json || fail "$name: the result JSON is not whole"
    cd ..
}

# A file removed is not made again, and one that took its place is left alone.
lose removed rm runs.db
[[ ! -e removed/runs.db ]] || fail "the removed store was made again"
replaced() {
    mv runs.db old.db && echo "another file" >runs.db
}
lose replaced replaced
[[ $(<replaced/runs.db) == "another file" ]] || fail "the file in the store's place was changed"
finish
