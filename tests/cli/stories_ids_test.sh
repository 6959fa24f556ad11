#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# generate gives the ids and logits of a public model as an independent implementation computed them.
source "$(dirname "$0")/support.sh"
cd "$work" || exit 1

stories="$SOURCE_DIR/../shared/data/stories260K"
[[ $HAS_TORCH == 1 ]] || skip "this build has no torch plug-in"
[[ -e $stories/reference.json ]] || skip "$stories is not here"
command -v python3 >/dev/null || skip "python3 reads the reference and is not here"

python3 - "$stories" <<'END'
import json, sys
for i, run in enumerate(json.load(open(sys.argv[1] + "/reference.json"))["runs"]):
    open(f"prompt{i}", "w").write(" ".join(map(str, run["prompt_ids"])))
    open(f"answer{i}", "w").write(" ".join(map(str, run["greedy_ids"])))
logits = json.load(open(sys.argv[1] + "/logits.json"))
open("logits_ids", "w").write(" ".join(map(str, logits["ids"])))
END
for prompt in prompt*; do
    n=${prompt#prompt}
    expect 0 "reference run $n" "$CLI" generate --model "$stories" --ids "$(cat "$prompt")" --print-ids \
        --max-new-tokens "$(wc -w <"answer$n")"
    [[ $out == "$(cat "answer$n")" ]] || fail "run $n: other ids than the reference"
done
expect 0 "logits" "$CLI" generate --model "$stories" --ids "$(cat logits_ids)" --max-new-tokens 1 --print-ids \
    --logits logits.json
python3 - "$stories" <<'END' || fail "other logits than the reference"
import json, sys
reference = json.load(open(sys.argv[1] + "/logits.json"))
ours = json.load(open("logits.json"))["prompts"][0]
assert ours["ids"] == reference["ids"]
worst = max(abs(a - b) for position, row in reference["logits"].items()
            for a, b in zip(ours["logits"][int(position)], row, strict=True))
print("largest difference of a logit:", worst)
sys.exit(worst > 1e-4)
END
expect 0 "a text prompt" "$CLI" generate --model "$stories" --template none --prompt "Once upon a time" --max-new-tokens 8
expect 3 "an id that does not exist" "$CLI" generate --model "$stories" --ids "1 512"
says 512 511
expect 3 "a prompt as long as the context" "$CLI" generate --model "$stories" --ids "$(seq 1 511 | xargs) 1" 
says 512
cp -r "$stories" cut && chmod -R u+w cut
truncate -s -1000 cut/model.safetensors
expect 4 "truncated weights" "$CLI" generate --model cut --ids "1"
says model.safetensors
finish
