#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A locale with a decimal comma changes neither what is read nor what is written, by the command line and by the window,
# which takes its locale from the environment.
source "$(dirname "$0")/support.sh"
cd "$work" || exit 1

locale=$(locale -a 2>/dev/null | grep -iE '^(de_DE|fr_FR|da_DK)\.utf-?8$' | head -n 1)
if [[ -z $locale ]]; then
    # None is installed: make one, where its definition is.
    if localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" 2>/dev/null; then
        export LOCPATH=$work
        locale=de_DE.UTF-8
    else
        skip "no locale with a decimal comma is installed and none can be made (package locales)"
    fi
fi
[[ $(LC_ALL=$locale bash -c 'printf %.1f 1,5' 2>/dev/null) == 1,5 ]] || skip "$locale is there and has no effect"
requests 60 requests.jsonl
session requests.jsonl session.json
arguments=(run session.json --set workload.arrivals.process=poisson --set workload.arrivals.rate=2.5)
volatile='/"(commit|started|uuid)/d'
for language in C "$locale"; do
    name=${language%%.*}
    LC_ALL=$language expect 0 "a run in $language" "$CLI" "${arguments[@]}" --db "$name.db" --events "$name.jsonl" \
        --json "$name.json"
    sed "s/$name.db/DB/" <<<"$out" >"$name.table"
    sed -Ei "$volatile" "$name.json"
    for format in csv jsonl; do
        LC_ALL=$language expect 0 "its export as $format" "$CLI" export 1 --db "$name.db" --format $format
        sed -E 's/^[0-9a-f]{8}-[0-9a-f-]{27}/UUID/' <<<"$out" >"$name.exported.$format"
    done
done
name=${locale%%.*}
for what in jsonl json table exported.csv exported.jsonl; do
    cmp "C.$what" "$name.$what" || fail "$what differs: $(diff "C.$what" "$name.$what" | head -n 4)"
done

window=$(dirname "$CLI")/batchscope
if [[ -x $window ]]; then
    sed -i 's/"workload": {/"workload": {"arrivals": {"process": "poisson", "rate": 2.5}, /' session.json
    LC_ALL=$locale expect 0 "the window in $locale" "$window" --session session.json --run --screenshots shots --db w.db
    expect 0 "what it kept" "$CLI" export 1 --db w.db --format jsonl --out w.jsonl
    cmp C.exported.jsonl w.jsonl || fail "the window's events differ"
fi
finish
