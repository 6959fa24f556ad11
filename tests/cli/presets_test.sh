#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Cost models from the command line: what they say, a roofline in a session, what predictions cost.
source "$(dirname "$0")/support.sh"
cd "$work" || exit 1

expect 0 "every preset" "$CLI" list-presets
says "vicuna-7b-a100  (linear)" "29075.500000 µs" "fitted to" "off by 0.04 %" "vicuna-7b-h200-roofline  (roofline)" \
    "traffic.pass" "data sheet" "the longer of arithmetic and traffic"
expect 0 "one preset" "$CLI" list-presets ssjf
[[ $out != *vicuna* ]] || fail "more was printed than was asked for"
expect 3 "an unknown preset" "$CLI" list-presets vicuna-13b
says "vicuna-13b" "vicuna-7b-a100"
expect 0 "the figures of a roofline" "$CLI" list-parts
says "device.peak_tflops" "Default 312" "TFLOP/s" "model.bytes_per_weight"

requests 40 requests.jsonl
session requests.jsonl session.json
run=("$CLI" run session.json --no-store --strategy vanilla)
expect 0 "the preset" "${run[@]}" --json preset.json
expect 0 "a roofline" "${run[@]}" --json a100.json --set backend.roofline.device.peak_tflops=312
expect 0 "faster memory" "${run[@]}" --json h200.json --set backend.roofline.device.memory_gb_per_s=4800
makespan() { grep -o '"makespan_s": *[0-9.e-]*' "$1" | head -1 | grep -o '[0-9.e-]*$'; }
awk -v a="$(makespan a100.json)" -v b="$(makespan h200.json)" 'BEGIN { exit !(a > 2 * b && a < 2.4 * b) }' ||
    fail "4,800 GB/s against 2,039: $(makespan a100.json) s and $(makespan h200.json) s"
grep -q '"cost_model": *"roofline: 312 TFLOP/s, 4800 GB/s' h200.json || fail "the provenance does not name the figures"
expect 0 "the preset's file" "$CLI" run session.json --no-store --strategy vanilla --json again.json \
    --set backend.preset="$SOURCE_DIR/resources/presets/vicuna-7b-a100.json"
[[ $(makespan preset.json) == "$(makespan again.json)" ]] || fail "a preset's name and its file differ"
expect 3 "figures that do not go together" "${run[@]}" --set backend.roofline.model.kv_heads=5
says "backend.roofline" "model.kv_heads is 5"
expect 3 "a figure out of range" "${run[@]}" --set backend.roofline.device.peak_tflops=0
says "peak_tflops"
finish
