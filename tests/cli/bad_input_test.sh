#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Bad input: a message that names the thing and the remedy, the exit code of cli.md, nothing lost, no crash.
source "$(dirname "$0")/support.sh"
cd "$work" || exit 1

requests 40 requests.jsonl
session requests.jsonl session.json

# Sessions
expect 3 "an absent session" "$CLI" run nowhere.json --no-store
says nowhere.json
echo '{"schema": "batchscope.session/1", "name": "x",}' >broken.json
expect 3 "a malformed session" "$CLI" run broken.json --no-store
says broken.json
sed 's/"rows": 16/"rows": "many"/' session.json >wrong_type.json
expect 3 "a wrong type" "$CLI" run wrong_type.json --no-store
says rows many
sed 's#batchscope.session/1#batchscope.session/9#' session.json >newer.json
for name in scripted vanilla; do # they stand in tables and on terminals
    for text in 'two\nlines' 'a\tb' '\u001b[31mred' '\u0000'; do
        TEXT=$text awk -v name="$name" '{ gsub("\"name\": \"" name "\"", "\"name\": \"@\""); i = index($0, "@")
            if (i) $0 = substr($0, 1, i - 1) ENVIRON["TEXT"] substr($0, i + 1); print }' session.json >named.json
        expect 3 "the name $text instead of $name" "$CLI" run named.json --no-store
        says named.json name "one line"
    done
done
expect 3 "a newer schema" "$CLI" run newer.json --no-store
says "batchscope.session/9"
expect 3 "a value that is no value" "$CLI" run session.json --no-store --set batching.rows=0
says rows
expect 3 "a key that does not exist" "$CLI" run session.json --no-store --set batching.rowz=8
says rowz rows
expect 3 "a strategy that does not exist" "$CLI" run session.json --no-store --strategy nobody
says nobody vanilla
expect 3 "an unknown preset" "$CLI" run session.json --no-store --set 'backend.preset=a-machine'
says a-machine vicuna-7b-a100
expect 3 "VBS with fcfs" "$CLI" run session.json --no-store --strategy vbs --set ordering.type=fcfs

# Requests
expect 3 "zero requests" "$CLI" run session.json --no-store --set workload.requests=0
says requests
: >empty.jsonl
session empty.jsonl empty.json
expect 3 "an empty request file" "$CLI" run empty.json --no-store
says empty.jsonl
expect 3 "more requests than there are" "$CLI" run session.json --no-store --set workload.requests=41
says 41 40
for separator in ';' '\t'; do # as spreadsheets of some countries write
    printf "prompt_tokens${separator}output_tokens\n5${separator}6\n" >separated.csv
    session separated.csv separated.json
    expect 3 "columns separated by $separator" "$CLI" run separated.json --no-store
    says separated.csv "commas"
done
session absent.jsonl absent.json
expect 3 "an absent request file" "$CLI" run absent.json --no-store
says absent.jsonl
echo '{"id": "long", "prompt_tokens": 5000, "output_tokens": 10}' >long.jsonl
session long.jsonl long.json
expect 3 "a prompt longer than the context" "$CLI" run long.json --no-store --strategy vanilla
says 5000 2048
echo '{"id": "none", "prompt_tokens": 5}' >free.jsonl
session free.jsonl free.json
expect 3 "no length to replay" "$CLI" run free.json --no-store
says output_tokens
sed 's/"replayed"/"free"/' session.json >model_decides.json
expect 3 "free lengths on the simulator" "$CLI" run model_decides.json --no-store
says fixed replayed

# Session files as editors write them
{ printf '\xEF\xBB\xBF'; cat session.json; } >marked.json
expect 0 "the byte order mark of UTF-8" "$CLI" run marked.json --no-store --strategy vanilla
[[ $err == *unknown* || $err == *Note* ]] && fail "the byte order mark was told of: $err"
for encoding in UTF-16LE:'\xFF\xFE' UTF-16BE:'\xFE\xFF'; do
    for file in session.json requests.jsonl; do
        # shellcheck disable=SC2059
        { printf "${encoding#*:}"; iconv -f UTF-8 -t "${encoding%%:*}" $file; } >"wide_$file"
    done
    expect 3 "a session in ${encoding%%:*}" "$CLI" run wide_session.json --no-store
    says wide_session.json UTF-16 "save it as UTF-8"
    session wide_requests.jsonl wide.json
    expect 3 "requests in ${encoding%%:*}" "$CLI" run wide.json --no-store
    says wide_requests.jsonl UTF-16 "save it as UTF-8"
done
sed 's/"rows": 16}/"rows": 8, "rows": 16}/' session.json >twice.json
expect 0 "a key that is given twice" "$CLI" run twice.json --no-store --strategy vanilla
says "strategies[0].batching.rows" "twice"

# Model folders
expect 4 "an absent model folder" "$CLI" inspect nowhere
says nowhere config.json
mkdir empty_model
expect 4 "an empty model folder" "$CLI" inspect empty_model
says config.json
expect 4 "a model folder that is a file" "$CLI" inspect session.json
sed -e 's/"type": "simulated", "preset": "vicuna-7b-a100"/"type": "torch", "model": "nowhere"/' session.json >no_model.json
expect 4 "a session on an absent model" "$CLI" run no_model.json --no-store
says nowhere
mkdir model
cat >model/config.json <<'END'
{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 8, "intermediate_size": 16,
 "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 2, "vocab_size": 32,
 "max_position_embeddings": 64, "rms_norm_eps": 1e-05, "hidden_act": "silu", "bos_token_id": 1, "eos_token_id": 2,
 "tie_word_embeddings": true, "torch_dtype": "float32"}
END
header='{"model.embed_tokens.weight":{"dtype":"F32","shape":[32,8],"data_offsets":[0,1024]}}'
{ printf "\\x$(printf '%02x' ${#header})\\0\\0\\0\\0\\0\\0\\0%s" "$header"; head -c 100 /dev/zero; } >model/model.safetensors
expect 4 "truncated weights" "$CLI" inspect model
says model.safetensors
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1044992\n' >model/model.safetensors
expect 4 "a Git LFS pointer instead of weights" "$CLI" inspect model
says LFS
printf '<!DOCTYPE html><html></html>' >model/model.safetensors
expect 4 "a web page instead of weights" "$CLI" inspect model
echo '{"hidden_size": "big"}' >model/config.json
expect 4 "a broken configuration" "$CLI" inspect model
says config.json

# The run store
echo "this is no database, keep it" >text.db
cp text.db before
expect 1 "a store that is no database" "$CLI" run session.json --db text.db
says text.db
cmp -s text.db before || fail "the file that is no database was changed"
expect 1 "a store that is a folder" "$CLI" run session.json --db "$work"
says "$work"
expect 1 "a store under a file" "$CLI" run session.json --db requests.jsonl/runs.db
says requests.jsonl
expect 1 "a store that does not exist" "$CLI" runs --db nowhere.db
says nowhere.db
[[ ! -e nowhere.db ]] || fail "listing runs made a store"
expect 0 "a good store" "$CLI" run session.json --db good.db --strategy vanilla
expect 1 "an unknown run" "$CLI" export 99 --db good.db
says 99
finish
