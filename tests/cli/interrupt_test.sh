#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Ctrl-C while a model loads, while it predicts and while it runs: exit code 5, and what is there is kept.
source "$(dirname "$0")/support.sh"
cd "$work" || exit 1
[[ $HAS_TORCH == 1 ]] || skip "this build has no torch plug-in"
command -v python3 >/dev/null || skip "python3 makes a model that takes a moment to load and is not here"

demo="$SOURCE_DIR/resources/models/demo"
# Weights of 206 MB, all zero, in a file with a hole: nothing is written, but reading it takes its time.
mkdir model
cp "$demo/tokenizer.model" "$demo/template.json" model
python3 - <<'END_OF_MODEL'
import json, os
hidden, inner, layers, vocabulary = 2048, 5632, 2, 1024
config = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": hidden,
          "intermediate_size": inner, "num_hidden_layers": layers, "num_attention_heads": 16,
          "num_key_value_heads": 16, "vocab_size": vocabulary, "max_position_embeddings": 256, "rms_norm_eps": 1e-5,
          "rope_theta": 10000.0, "hidden_act": "silu", "tie_word_embeddings": False, "bos_token_id": 1,
          "eos_token_id": 2, "torch_dtype": "bfloat16"}
json.dump(config, open("model/config.json", "w"))
shapes = {"model.embed_tokens.weight": [vocabulary, hidden], "lm_head.weight": [vocabulary, hidden],
          "model.norm.weight": [hidden]}
for i in range(layers):
    layer = f"model.layers.{i}."
    for name in ("q", "k", "v", "o"):
        shapes[f"{layer}self_attn.{name}_proj.weight"] = [hidden, hidden]
    shapes |= {f"{layer}mlp.gate_proj.weight": [inner, hidden], f"{layer}mlp.up_proj.weight": [inner, hidden],
               f"{layer}mlp.down_proj.weight": [hidden, inner], f"{layer}input_layernorm.weight": [hidden],
               f"{layer}post_attention_layernorm.weight": [hidden]}
header, end = {}, 0
for name, shape in shapes.items():
    size = 2
    for side in shape:
        size *= side
    header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [end, end + size]}
    end += size
text = json.dumps(header).encode()
with open("model/model.safetensors", "wb") as file:
    file.write(len(text).to_bytes(8, "little") + text)
    file.truncate(8 + len(text) + end)
END_OF_MODEL

awk 'BEGIN { for (i = 0; i < 8; ++i) printf "{\"prompt_tokens\": 5, \"output_tokens\": 20}\n" }' >requests.jsonl
cat >session.json <<'END_OF_SESSION'
{"schema": "batchscope.session/1", "name": "interrupted", "backend": {"type": "torch", "model": "model"},
 "workload": {"source": {"type": "file", "path": "requests.jsonl"}},
 "strategies": [{"name": "vanilla", "batching": {"type": "static", "rows": 4}, "limits": {"max_new_tokens": 32}}]}
END_OF_SESSION
cat >predicting.json <<'END_OF_SESSION'
{"schema": "batchscope.session/1", "name": "predicting", "backend": {"type": "torch", "model": "demo"},
 "workload": {"source": {"type": "demo"}},
 "strategies": [{"name": "seqsch", "predictor": {"type": "pooled-mlp"}, "ordering": {"type": "sjf"},
                 "batching": {"type": "grouped", "group": 1024, "rows": 16}}]}
END_OF_SESSION

# stopped NAME WHEN COMMAND...: Ctrl-C as soon as `WHEN` succeeds, which may ask for $pid and err.txt.
stopped() {
    local name=$1 when=$2 code=0
    shift 2
    "$@" >out.txt 2>err.txt &
    pid=$!
    for _ in $(seq 6000); do
        eval "$when" 2>/dev/null && break
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.01
    done
    kill -INT "$pid" || fail "$name: it had ended before it could be stopped"
    wait "$pid" || code=$?
    [[ $code -eq 5 ]] || fail "$name: exit code $code, expected 5: $(tail -n 3 err.txt)"
    echo "ok: $name"
}
loads='grep -q lib/batchscope/torch.so /proc/$pid/maps'

stopped "a run while its model loads" "$loads" "$CLI" run session.json --db runs.db --json result.json
grep -q '"runs": \[\]' result.json || fail "there was no run yet, but the result has one"
expect 0 "its store" "$CLI" runs --db runs.db
says "No runs yet"
stopped "generate while its model loads" "$loads" "$CLI" generate --model model --prompt hello
[[ ! -s out.txt ]] || fail "an answer was printed: $(head -c 100 out.txt)"

stopped "a run while it predicts" 'grep -q "1024 requests" err.txt && sleep 0.1' \
    "$CLI" run predicting.json --db runs.db --events events.jsonl
expect 0 "its store" "$CLI" runs --db runs.db
[[ $(grep -c cancelled <<<"$out") -eq 1 ]] || fail "expected one cancelled run: $out"
expect 0 "its log" "$CLI" export 1 --db runs.db --format jsonl --out kept.jsonl
[[ $(grep -c '"event":"arrived"' kept.jsonl) -eq 1024 ]] || fail "arrivals were lost"
tail -n 1 kept.jsonl | grep -q '"run-ended".*"cancelled"' || fail "the log does not end as cancelled"
tail -n +2 events.jsonl | cmp - kept.jsonl || fail "the store and --events differ"
finish
