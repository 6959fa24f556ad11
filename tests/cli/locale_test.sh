#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A locale with a decimal comma changes neither what is read nor what is written.
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
requests 60 requests.jsonl
session requests.jsonl session.json
arguments=(run session.json --no-store --set workload.arrivals.process=poisson --set workload.arrivals.rate=2.5)
LC_ALL=C expect 0 "in the C locale" "$CLI" "${arguments[@]}" --events c.jsonl --json c.json
plain=$out
LC_ALL=$locale expect 0 "in $locale" "$CLI" "${arguments[@]}" --events l.jsonl --json l.json
cmp c.jsonl l.jsonl || fail "the events differ"
[[ $out == "$plain" ]] || fail "the table differs"
finish
