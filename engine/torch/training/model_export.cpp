// SPDX-License-Identifier: GPL-3.0-or-later
// LlamaParameters::writeFolder: trained parameters under Hugging Face's names.
#include "engine/checkpoint/atomic_file.h"
#include "engine/checkpoint/safetensors_writer.h"
#include "engine/torch/training/llama_parameters.h"

#include <ATen/ATen.h>

#include <nlohmann/json.hpp>

namespace batchscope::engine::training {
namespace {

struct Part
{
    std::string name; // after "model." or "model.layers.N."
    std::int64_t rows = 0;
};

// The tensors that a slot holds, from its first row on.
std::vector<Part> partsOf(const std::string& kind, const LlamaShape& shape)
{
    if (kind == "qkv") {
        return {{"self_attn.q_proj", shape.width},
                {"self_attn.k_proj", shape.width},
                {"self_attn.v_proj", shape.width}};
    }
    if (kind == "gate_up") {
        return {{"mlp.gate_proj", shape.hidden}, {"mlp.up_proj", shape.hidden}};
    }
    if (kind == "out") {
        return {{"self_attn.o_proj", shape.width}};
    }
    if (kind == "down") {
        return {{"mlp.down_proj", shape.width}};
    }
    return {{kind == "norm_in" ? "input_layernorm" : "post_attention_layernorm", shape.width}};
}

TensorToWrite tensor(const std::string& name, const at::Tensor& flat, std::int64_t offset, std::int64_t rows,
                     std::int64_t columns)
{
    const std::int64_t count = columns == 0 ? rows : rows * columns;
    const at::Tensor values = flat.narrow(0, offset, count).to(at::kBFloat16).contiguous();
    TensorToWrite result{name, "BF16", {rows}, {}};
    if (columns != 0) {
        result.shape.push_back(columns);
    }
    result.bytes.assign(static_cast<const char*>(values.data_ptr()), static_cast<std::size_t>(count) * 2);
    return result;
}

std::vector<TensorToWrite> tensorsOf(const LlamaParameters& parameters, const at::Tensor& flat)
{
    std::vector<TensorToWrite> tensors;
    for (const ParameterSlot& slot : parameters.slots()) {
        const std::size_t dot = slot.name.find('.');
        if (dot == std::string::npos) {
            const std::string name = slot.name == "embedding" ? "model.embed_tokens.weight"
                                     : slot.name == "norm"    ? "model.norm.weight"
                                                              : "lm_head.weight";
            tensors.push_back(tensor(name, flat, slot.offset, slot.rows, slot.columns));
            continue;
        }
        std::int64_t offset = slot.offset;
        for (const Part& part : partsOf(slot.name.substr(dot + 1), parameters.shape())) {
            const std::string name = "model.layers." + slot.name.substr(0, dot + 1) + part.name + ".weight";
            tensors.push_back(tensor(name, flat, offset, part.rows, slot.columns));
            offset += part.rows * std::max<std::int64_t>(slot.columns, 1);
        }
    }
    return tensors;
}

nlohmann::ordered_json configOf(const LlamaShape& shape)
{
    return {{"architectures", {"LlamaForCausalLM"}},
            {"model_type", "llama"},
            {"hidden_size", shape.width},
            {"intermediate_size", shape.hidden},
            {"num_hidden_layers", shape.layers},
            {"num_attention_heads", shape.heads},
            {"num_key_value_heads", shape.heads},
            {"head_dim", shape.width / shape.heads},
            {"vocab_size", shape.vocabulary},
            {"max_position_embeddings", shape.context},
            {"rms_norm_eps", shape.norm_epsilon},
            {"rope_theta", shape.rope_base},
            {"hidden_act", "silu"},
            {"attention_bias", false},
            {"tie_word_embeddings", false},
            {"bos_token_id", 1},
            {"eos_token_id", 2},
            {"torch_dtype", "bfloat16"}};
}

} // namespace

void LlamaParameters::writeFolder(const std::filesystem::path& folder) const
{
    std::filesystem::create_directories(folder);
    writeSafetensors(folder / "model.safetensors", tensorsOf(*this, m_master));
    const nlohmann::ordered_json generation = {
        {"bos_token_id", 1}, {"eos_token_id", 2}, {"do_sample", false}};
    writeWholeFile(folder / "generation_config.json", generation.dump(2) + "\n");
    writeWholeFile(folder / "config.json", configOf(m_shape).dump(2) + "\n");
}

} // namespace batchscope::engine::training
