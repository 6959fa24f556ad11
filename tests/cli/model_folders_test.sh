#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Model folders that cannot be used, met by a run: told with the file and the remedy before anything is kept, and the
# same store and session work afterwards.
source "$(dirname "$0")/support.sh"
cd "$work" || exit 1
[[ $HAS_TORCH == 1 ]] || skip "this build has no torch plug-in"

demo="$SOURCE_DIR/resources/models/demo"
awk 'BEGIN { for (i = 0; i < 6; ++i) printf "{\"prompt_tokens\": %d, \"output_tokens\": 3}\n", 4 + i }' >requests.jsonl
cat >session.json <<'END_OF_SESSION'
{"schema": "batchscope.session/1", "name": "folders", "backend": {"type": "torch", "model": "model"},
 "workload": {"source": {"type": "file", "path": "requests.jsonl"}},
 "strategies": [{"name": "vanilla", "batching": {"type": "static", "rows": 4}, "limits": {"max_new_tokens": 16}}]}
END_OF_SESSION

fresh() {
    rm -rf model
    cp -r "$demo" model
    chmod -R u+w model
}
# As inspect ends on an absent folder (bad_input_test.sh says how): run and generate end likewise on any.
code=0
"$CLI" inspect nowhere >/dev/null 2>&1 || code=$?
[[ $code -eq 3 || $code -eq 4 ]] || fail "inspect ends with $code on an absent folder"
refused() { # NAME TEXT...
    local name=$1
    shift
    expect "$code" "run on $name" "$CLI" run session.json --db runs.db
    says "$@"
    expect "$code" "generate on $name" "$CLI" generate --model model --prompt hello
    says "$@"
    [[ $out$err != *Aborted* && $out$err != *terminate* ]] || fail "$name: a crash"
}

refused "no folder" "model folder model" "does not exist" "config.json"
mkdir model
refused "an empty folder" config.json
fresh && truncate -s -1000 model/model.safetensors
refused "truncated weights" model.safetensors "1,000 bytes" "Incomplete download?"
fresh && truncate -s 3 model/model.safetensors
refused "three bytes of weights" model.safetensors "3 bytes"
fresh && rm model/model.safetensors
refused "no weights" "no weights"
fresh && printf 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 6105944\n' >model/model.safetensors
refused "a Git LFS pointer" model.safetensors "Git LFS pointer"
fresh && echo '{' >model/config.json
refused "a broken configuration" config.json
fresh && rm model/tokenizer.model
refused "no tokenizer" tokenizer.model absent
fresh && truncate -s 7000 model/tokenizer.model
refused "a truncated tokenizer" tokenizer.model "no sentencepiece model"
fresh && sed -i 's/"vocab_size": 1024/"vocab_size": 2048/' model/config.json
refused "the tokenizer of another model" "1024 pieces" "2048 tokens" "another model's tokenizer"
fresh && chmod 000 model/model.safetensors
if [[ $(id -u) -ne 0 ]]; then refused "weights without rights" model.safetensors; fi
[[ -e runs.db ]] && { expect 0 "the store" "$CLI" runs --db runs.db; says "No runs yet"; }

fresh
echo '{"prompt_tokens": 1024, "output_tokens": 3}' >>requests.jsonl
expect 3 "a prompt as long as the context" "$CLI" run session.json --db runs.db
says "1024 tokens" "at most 1023"
sed -i '$d' requests.jsonl
expect 0 "the session, once the folder is whole" "$CLI" run session.json --db runs.db
expect 0 "the store afterwards" "$CLI" runs --db runs.db
[[ $(grep -c completed <<<"$out") -eq 1 ]] || fail "expected one completed run"
finish
