#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Help everywhere with an example; usage errors end with 2 and say what to write instead.
source "$(dirname "$0")/support.sh"

expect 0 "--version" "$CLI" --version
says "batchscope-cli "
expect 0 "--help" "$CLI" --help
says "Exit codes:" "Examples:"
for command in run sweep advise bench generate inspect train-demo collect-lengths train list-parts runs compare export report; do
    expect 0 "$command --help" "$CLI" "$command" --help
    says "Example: batchscope-cli $command"
done
expect 0 "list-parts" "$CLI" list-parts
says fcfs sjf static grouped oracle noisy-oracle recorded pooled-mlp fcr "Default 16"

expect 2 "no command" "$CLI"
says "--help"
expect 2 "an unknown command" "$CLI" dance
expect 2 "an unknown option" "$CLI" run x.json --frobnicate
says "frobnicate" "run --help"
expect 2 "run without a session" "$CLI" run
says "SESSION"
expect 2 "a negative repetition" "$CLI" run x.json --repetitions -3
expect 2 "one run to compare" "$CLI" compare 1
says "two runs or more"
expect 2 "an unknown export format" "$CLI" export 1 --format xml
says "jsonl"
expect 2 "a report in another format" "$CLI" report 1 --out "$work/report.pdf"
says ".md"
expect 2 "two kinds of prompt" "$CLI" generate --model demo --prompt hello --ids "1 2"
says "exactly one"
expect 2 "ids that are words" "$CLI" generate --model demo --ids "1 two 3"
says "two"
expect 2 "VBS without predictions" "$CLI" bench --model demo --data x.json --strategy vanilla --vbs
says "seqsch"
expect 2 "gt without lengths" "$CLI" bench --model demo --data x.json --strategy gt
says "--lengths"
expect 2 "a place for results that does not exist" "$CLI" run x.json --json "$work/nowhere/out.json"
says "$work/nowhere" "does not exist"
finish
