#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Files made to break a reader, and names that are no files: nothing crashes, hangs or is replaced.
source "$(dirname "$0")/support.sh"
cd "$work" || exit 1

requests 20 requests.jsonl
session requests.jsonl session.json
run() { timeout -k 1 60 "$CLI" run "$@" --no-store --strategy vanilla; }

# Lists within lists: copying, writing or quoting such a value recurses.
brackets() { head -c 200000 /dev/zero | tr '\0' "$1"; }
deep="$(brackets '[')$(brackets ']')"
row='{"id": "a", "prompt_tokens": 8, "output_tokens": 5}'
printf '{"id": %s, "prompt_tokens": 8}\n%s\n' "$deep" "$row" >id.jsonl
printf '{"prompt_token_ids": [1, %s], "output_tokens": 8}\n%s\n' "$deep" "$row" >ids.jsonl
printf '%s\n%s\n%s\n' "$row" "$deep" "$row" >row.jsonl
printf 'id,prompt_token_ids,output_tokens\na,"%s",5\nb,7 8,5\n' "$deep" >cell.csv
for file in id.jsonl ids.jsonl row.jsonl cell.csv; do
    session $file deep.json
    expect 0 "the other rows of $file" run deep.json
    says skipped
done
printf '{"schema": "batchscope.cost-model/1", "name": %s}' "$deep" >preset.json
expect 3 "a deep preset" run session.json --set backend.preset="$work/preset.json"
says preset.json "nested"
printf '%s' "$deep" >list.json
printf '[{"instruction": %s}]' "$deep" >alpaca.json
printf '[{"conversations": %s}]' "$deep" >sharegpt.json
for file in list alpaca sharegpt; do
    sed "s#\"type\": \"file\", \"path\": \"requests.jsonl\"#\"type\": \"dataset\", \"path\": \"$file.json\"#" session.json >deep.json
    expect 3 "a deep data set, $file" run deep.json
    says "$file.json" nested
done
mkdir model
printf '%s' "$deep" >model/config.json
expect 4 "a deep model configuration" "$CLI" inspect model
says config.json nested
cp "$SOURCE_DIR/resources/models/demo/"{config.json,tokenizer.model} model
header="{\"__metadata__\": $deep}"
{ printf '\x51\x1a\x06\0\0\0\0\0'; printf '%s' "$header"; } >model/model.safetensors
expect 4 "a deep safetensors header" "$CLI" inspect model
says model.safetensors
expect 3 "a deep value of --set" run session.json --set notes="${deep:150000:100000}"
says "nested"
[[ ${#err} -lt 1000 ]] || fail "the message repeats the whole value"

# Pipes and devices where a file is read
mkfifo pipe
expect 3 "requests from a pipe" run session.json --set workload.source.path="$work/pipe"
says pipe "no regular file"
expect 3 "requests from a device" run session.json --set workload.source.path=/dev/zero
says /dev/zero "no regular file"
expect 3 "a session from a device" run /dev/zero
says /dev/zero "no regular file"
expect 3 "a preset from a device" run session.json --set backend.preset=/dev/zero.json
ln -s /dev/zero zero.json
expect 3 "a preset that leads to a device" run session.json --set backend.preset="$work/zero.json"
says zero.json "no regular file"
rm pipe

# Where a result is written, a pipe gets it and nothing that is no file is replaced by one.
mkfifo pipe
cat pipe >piped.json &
expect 0 "a result into a pipe" run session.json --json pipe
wait $!
[[ -p pipe ]] || fail "the pipe was replaced"
expect 0 "the same into a file" run session.json --json kept.json
cmp -s piped.json kept.json || fail "the pipe got something else"
if mknod null c 1 3 2>mknod.err; then
    expect 0 "results and events into a device" run session.json --json null --events null
    [[ -c null ]] || fail "the device was replaced"
else
    echo "no device of our own here: $(<mknod.err)"
fi
ln -s not-yet.json link.json
expect 0 "a result through a link to nothing yet" run session.json --json link.json
[[ -L link.json && -s not-yet.json ]] || fail "the link was replaced"
finish
