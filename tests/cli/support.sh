# SPDX-License-Identifier: GPL-3.0-or-later
# What the scripts share. Each begins: source "$(dirname "$0")/support.sh"
# shellcheck shell=bash
set -uo pipefail

: "${CLI:?the path of batchscope-cli}" "${SOURCE_DIR:?the source folder}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_DATA_HOME="$work/data-home"
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# expect CODE NAME COMMAND...: runs it, keeps its output in $out and $err, checks the exit code.
expect() {
    local code=$1 name=$2 got=0
    shift 2
    "$@" >"$work/out" 2>"$work/err" </dev/null || got=$?
    out=$(<"$work/out")
    err=$(<"$work/err")
    if [[ $got -eq $code ]]; then
        echo "ok: $name (exit $got)"
    else
        fail "$name: exit code $got, expected $code"
        sed 's/^/    | /' "$work/out" "$work/err" | tail -n 15
    fi
}

# says TEXT...: the last command's output holds each text.
says() {
    local text
    for text in "$@"; do
        [[ $out$err == *"$text"* ]] && continue
        fail "the message does not say '$text':"
        sed 's/^/    | /' "$work/out" "$work/err" | tail -n 8
    done
}

finish() {
    if [[ $failures -gt 0 ]]; then
        echo "$failures checks failed"
        exit 1
    fi
    exit 0
}

skip() {
    echo "skipped: $*"
    exit 77
}

# A request file of recorded lengths: requests N FILE. Lengths go up and down so that order matters.
requests() {
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; ++i)
        printf "{\"id\": \"q%d\", \"prompt_tokens\": %d, \"output_tokens\": %d, \"predicted_tokens\": %d}\n",
               i, 8 + i * 7 % 40, 1 + i * 37 % 400, 1 + i * 37 % 400 + i % 3 }' >"$2"
}

# A session on the simulator: session REQUEST_FILE FILE, three strategies.
session() {
    cat >"$2" <<END
{"schema": "batchscope.session/1", "name": "scripted",
 "backend": {"type": "simulated", "preset": "vicuna-7b-a100"},
 "workload": {"source": {"type": "file", "path": "$1"}, "lengths": {"mode": "replayed"}},
 "strategies": [
  {"name": "vanilla", "batching": {"type": "static", "rows": 16}},
  {"name": "sorted", "predictor": {"type": "recorded"}, "ordering": {"type": "sjf"},
   "batching": {"type": "grouped", "group": 64, "rows": 16}},
  {"name": "vbs", "predictor": {"type": "recorded"}, "ordering": {"type": "sjf"},
   "batching": {"type": "grouped", "group": 64, "rows": 16, "vbs": "table"}, "correction": {"type": "fcr"}}]}
END
}
