#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The recipe of the model in the box, cut to a moment: train, go on, collect lengths, train a predictor, run with it.
source "$(dirname "$0")/support.sh"
cd "$work" || exit 1
[[ $HAS_TORCH == 1 ]] || skip "this build has no torch plug-in"

tokens=4096 # two steps of the recipe
[[ ${SANITIZED:-0} == 1 ]] && tokens=2048
expect 0 "train-demo" "$CLI" train-demo --out model --tokens $tokens --workers 1 --held-out 1
says "Wrote the model" "all"
for file in config.json generation_config.json model.safetensors tokenizer.model template.json; do
    [[ -s model/$file ]] || fail "train-demo wrote no $file"
done
cp model/model.safetensors first
expect 0 "the same again" "$CLI" train-demo --out model --tokens $tokens --workers 1 --held-out 0
cmp -s model/model.safetensors first || fail "a finished training was not left as it is"
expect 3 "another recipe" "$CLI" train-demo --out model --tokens 8192 --workers 1 --held-out 0
says training.checkpoint recipe
expect 0 "inspect" "$CLI" inspect model
says "tokenizer.model"

expect 0 "collect-lengths" "$CLI" collect-lengths --model model --demo-split predictor --num-data 40 --max-length 6 \
    --out lengths.jsonl
[[ $(grep -c output_tokens lengths.jsonl) -eq 40 ]] || fail "expected 40 lengths"
# A model this young runs on: give the predictor lengths to tell apart.
awk '{ sub(/"output_tokens": *[0-9]+/, "\"output_tokens\":" (NR * 7 % 40 + 1)); print }' lengths.jsonl >varied.jsonl
expect 0 "train" "$CLI" train --type pooled-mlp --model model --lengths varied.jsonl --epochs 3
says "mean absolute error" "Kendall tau"
[[ -s model/predictors/pooled-mlp/predictor.json ]] || fail "no predictor was written"
head -n 3 varied.jsonl >few.jsonl
expect 3 "too few lengths" "$CLI" train --type pooled-mlp --model model --lengths few.jsonl
says few.jsonl collect-lengths

cat >session.json <<'END'
{"schema": "batchscope.session/1", "name": "young model",
 "backend": {"type": "torch", "model": "model"},
 "workload": {"source": {"type": "file", "path": "varied.jsonl"}, "requests": 24, "lengths": {"mode": "replayed"}},
 "strategies": [
  {"name": "vanilla", "batching": {"type": "static", "rows": 4}},
  {"name": "seqsch", "predictor": {"type": "pooled-mlp"}, "ordering": {"type": "sjf"},
   "batching": {"type": "grouped", "group": 24, "rows": 4, "bin_width": 10}, "correction": {"type": "fcr"}}]}
END
expect 0 "a measured run" "$CLI" run session.json --json result.json
says vanilla seqsch "measured on CPU"
useful=$(grep -o '"useful_output_tokens": *[0-9]*' result.json | sort -u | wc -l)
[[ $useful -eq 1 ]] || fail "the strategies delivered different token totals"
expect 0 "its report" "$CLI" report 1 2 --out report.md
grep -q "measured on CPU" report.md || fail "the report does not say where it was measured"
finish
