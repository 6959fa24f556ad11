#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A model folder that is absent or broken ends every command with 4; the files of the person who asks end it with 3.
source "$(dirname "$0")/support.sh"
cd "$work" || exit 1

[[ $HAS_TORCH == 1 ]] || skip "this build has no torch plug-in"

demo="$SOURCE_DIR/resources/models/demo"
[[ -e $demo/model.safetensors ]] || skip "$demo is not here"
echo '{"id": "a", "prompt": "Hello", "output_tokens": 3}' >prompts.jsonl
echo '[{"instruction": "Hello"}]' >alpaca.json

# every FOLDER WORDS...: each command that reads a model answers 4 and says WORDS.
every() {
    local folder=$1
    shift
    cat >session.json <<END
{"schema": "batchscope.session/1", "name": "broken", "backend": {"type": "torch", "model": "$folder"},
 "workload": {"source": {"type": "file", "path": "prompts.jsonl"}, "lengths": {"mode": "free"}},
 "strategies": [{"name": "vanilla", "batching": {"type": "static", "rows": 2}}]}
END
    for command in "inspect $folder" "generate --model $folder --prompt hi" "run session.json --no-store" \
        "bench --model $folder --data alpaca.json --strategy vanilla --no-store" \
        "collect-lengths --model $folder --data prompts.jsonl --out lengths.jsonl" \
        "train --type pooled-mlp --model $folder --lengths many.jsonl --out predictor"; do
        # shellcheck disable=SC2086
        expect 4 "$command" "$CLI" $command
        says "$@"
    done
    [[ ! -e lengths.jsonl && ! -e predictor ]] || fail "$folder: something was written"
}
for i in $(seq 60); do echo "{\"prompt\": \"Hello $i\", \"output_tokens\": $i}"; done >many.jsonl

every nowhere nowhere config.json
mkdir empty
every empty empty config.json
cp -r "$demo" cut && chmod -R u+w cut
truncate -s -1000 cut/model.safetensors
every cut model.safetensors
cp -r "$demo" mute && chmod -R u+w mute
printf '<html></html>' >mute/tokenizer.model
every mute tokenizer.model
expect 4 "what can be read of a folder is shown" "$CLI" inspect mute
[[ $out == *parameters* && $err == *tokenizer.model* ]] || fail "expected the shape on stdout and the problem on stderr"
rm mute/tokenizer.model
every mute tokenizer.model absent
stories="$SOURCE_DIR/../shared/data/stories260K/tokenizer.model"
if [[ -e $stories ]]; then
    cp "$stories" mute/tokenizer.model
    every mute "another model's tokenizer"
fi

expect 2 "inspect of an empty name" "$CLI" inspect ""
says MODEL_DIR demo
expect 2 "a model that is an empty name" "$CLI" generate --model "" --prompt hi
expect 2 "bench of an empty name" "$CLI" bench --model "" --data alpaca.json --strategy vanilla
expect 0 "inspect of the model in the box" "$CLI" inspect demo

# What the person wrote stays an invalid file.
expect 3 "prompts that are absent" "$CLI" generate --model demo --prompts nowhere.txt
expect 3 "data that is absent" "$CLI" bench --model demo --data nowhere.json --strategy vanilla --no-store
expect 3 "lengths that are absent" "$CLI" train --type pooled-mlp --model demo --lengths nowhere.jsonl --out predictor
printf '\xFF\xFEh\0i\0' >wide.txt
expect 3 "prompts in UTF-16" "$CLI" generate --model demo --prompts wide.txt
says wide.txt UTF-16 "save it as UTF-8"

# The predictor in the box is not replaced by accident, by whatever name its model goes.
shipped=$(cat "$demo"/predictors/pooled-mlp/* | cksum)
for name in demo "$demo" "$demo/../demo"; do
    expect 2 "train for $name" "$CLI" train --type pooled-mlp --model "$name" --lengths many.jsonl --epochs 1
    says "--out"
done
[[ $(cat "$demo"/predictors/pooled-mlp/* | cksum) == "$shipped" ]] || fail "the predictor in the box was replaced"
finish
