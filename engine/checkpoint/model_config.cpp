// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoint/model_config.h"

#include "engine/checkpoint/atomic_file.h"
#include "engine/checkpoint/file_kind.h"
#include "engine/checkpoint/json_fields.h"
#include "engine/error.h"
#include "engine/prompt/chat_template.h"

#include <algorithm>
#include <fmt/core.h>

namespace batchscope::engine {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int k_largest_size = 1 << 24; // of a dimension: beyond, the value is no model's

[[noreturn]] void fail(const std::string& message)
{
    throw EngineError(ErrorKind::InvalidFile, message);
}

json readJsonFile(const fs::path& file)
{
    return parseJson(readWholeFile(file), file.string());
}

int size(const JsonFields& fields, const char* key)
{
    return static_cast<int>(fields.integer(key, 1, k_largest_size));
}

int optionalSize(const JsonFields& fields, const char* key, int otherwise)
{
    return fields.has(key) ? size(fields, key) : otherwise;
}

void checkFolder(const fs::path& model_dir)
{
    std::error_code error;
    if (!fs::exists(model_dir, error))
        fail(fmt::format(
            "{}: there is no such model folder. Give the folder that holds config.json, the weights and "
            "tokenizer.model.",
            model_dir.string()));
    if (!fs::is_directory(model_dir, error))
        fail(fmt::format("{}: is a file ({}); a model is named by its folder.", model_dir.string(),
                         describeFile(model_dir)));
    if (!fs::exists(model_dir / "config.json", error))
        fail(fmt::format(
            "{}: is no model folder: config.json is absent. Batchscope reads the Hugging Face layout: "
            "config.json, *.safetensors, tokenizer.model.",
            model_dir.string()));
}

void checkArchitecture(const JsonFields& fields)
{
    static constexpr const char* k_expected =
        "a LLaMA-family model (\"LlamaForCausalLM\"); others are not supported";
    if (fields.has("architectures")) {
        const json& names = fields.at("architectures");
        if (!names.is_array() ||
            std::find(names.begin(), names.end(), json("LlamaForCausalLM")) == names.end())
            fields.refuse("architectures", k_expected);
    } else if (!fields.has("model_type")) {
        fields.at("architectures"); // says that it is absent
    }
    if (fields.has("model_type") && fields.at("model_type") != "llama")
        fields.refuse("model_type", "\"llama\"");
}

// What would change the numbers and is not computed here is refused, not ignored.
void refuseUnsupported(const JsonFields& fields)
{
    if (const auto activation = fields.optionalText("hidden_act"); activation && *activation != "silu")
        fields.refuse("hidden_act", "\"silu\"; other activations are not supported");
    if (fields.has("rope_scaling"))
        fields.refuse("rope_scaling", "null; scaled rotary positions are not supported yet");
    for (const char* key : {"attention_bias", "mlp_bias"})
        if (fields.optionalBoolean(key).value_or(false))
            fields.refuse(key, "false; biases are not supported");
    if (fields.has("quantization_config"))
        fields.refuse("quantization_config", "null; take the model's f32, bf16 or f16 weights");
}

void readRope(const JsonFields& fields, const std::string& where, ModelConfig& config)
{
    config.rope_theta = fields.optionalReal("rope_theta", 1, 1e12).value_or(10000.0);
    if (!fields.has("rope_parameters")) return; // transformers 5 moved them there
    const JsonFields rope(fields.at("rope_parameters"), where + ": rope_parameters");
    if (const auto type = rope.optionalText("rope_type"); type && *type != "default")
        rope.refuse("rope_type", "\"default\"; scaled rotary positions are not supported yet");
    config.rope_theta = rope.optionalReal("rope_theta", 1, 1e12).value_or(config.rope_theta);
}

DType storedDType(const JsonFields& fields)
{
    for (const char* key : {"torch_dtype", "dtype"}) {
        const auto name = fields.optionalText(key);
        if (!name) continue;
        if (*name == "float32") return DType::F32;
        if (*name == "bfloat16") return DType::BF16;
        if (*name == "float16") return DType::F16;
        fields.refuse(key, "\"float32\", \"bfloat16\" or \"float16\"");
    }
    return DType::F32;
}

void readShape(const JsonFields& fields, const std::string& where, ModelConfig& config)
{
    config.hidden = size(fields, "hidden_size");
    config.intermediate = size(fields, "intermediate_size");
    config.layers = size(fields, "num_hidden_layers");
    config.heads = size(fields, "num_attention_heads");
    config.kv_heads = optionalSize(fields, "num_key_value_heads", config.heads);
    config.vocabulary = size(fields, "vocab_size");
    config.max_positions = optionalSize(fields, "max_position_embeddings", 2048); // the library's own default
    if (config.layers > 4096) fields.refuse("num_hidden_layers", "at most 4096");
    if (config.heads % config.kv_heads != 0)
        fields.refuse("num_key_value_heads",
                      fmt::format("a divisor of num_attention_heads ({})", config.heads));
    if (!fields.has("head_dim") && config.hidden % config.heads != 0)
        fields.refuse("hidden_size", fmt::format("a multiple of num_attention_heads ({})", config.heads));
    config.head_dim = optionalSize(fields, "head_dim", config.hidden / config.heads);
    if (config.head_dim % 2 != 0)
        fail(
            fmt::format("{}: the size of a head is {}, expected an even number (rotary positions turn pairs)",
                        where, config.head_dim));
    config.norm_eps = fields.optionalReal("rms_norm_eps", 0, 1).value_or(1e-6); // the library's own default
    config.tied_embeddings = fields.optionalBoolean("tie_word_embeddings").value_or(false);
}

std::int32_t tokenId(const JsonFields& fields, const char* key, const json& value, int vocabulary)
{
    const auto id = wholeNumber(value);
    if (!id || *id < 0 || *id >= vocabulary)
        fields.refuse(key,
                      fmt::format("a token id from 0 to {} (vocab_size is {})", vocabulary - 1, vocabulary));
    return static_cast<std::int32_t>(*id);
}

void readSpecialIds(const JsonFields& fields, ModelConfig& config)
{
    if (fields.has("bos_token_id"))
        config.bos = tokenId(fields, "bos_token_id", fields.at("bos_token_id"), config.vocabulary);
    if (!fields.has("eos_token_id")) return;
    const json& eos = fields.at("eos_token_id");
    config.eos.clear();
    if (!eos.is_array()) {
        config.eos.push_back(tokenId(fields, "eos_token_id", eos, config.vocabulary));
        return;
    }
    for (const json& id : eos)
        config.eos.push_back(tokenId(fields, "eos_token_id", id, config.vocabulary));
    if (config.eos.empty()) fields.refuse("eos_token_id", "at least one token id");
}

// The folder's own chat template: {"template": "vicuna_v1.1", "system": "..."}.
void readTemplate(const fs::path& file, ModelConfig& config)
{
    const json document = readJsonFile(file);
    const JsonFields fields(document, file.string());
    config.template_name = fields.text("template");
    config.system = fields.optionalText("system").value_or("");
    const auto names = chatTemplateNames();
    if (std::find(names.begin(), names.end(), config.template_name) == names.end()) {
        std::string known;
        for (const auto& name : names)
            known += (known.empty() ? "\"" : ", \"") + name + "\"";
        fields.refuse("template", "one of " + known);
    }
}

} // namespace

std::string dtypeName(DType dtype)
{
    switch (dtype) {
    case DType::F32:
        return "f32";
    case DType::BF16:
        return "bf16";
    case DType::F16:
        return "f16";
    }
    return "f32";
}

DType dtypeFromName(const std::string& name)
{
    for (const DType dtype : {DType::F32, DType::BF16, DType::F16})
        if (name == dtypeName(dtype)) return dtype;
    fail(fmt::format("There is no dtype \"{}\"; choose f32, bf16 or f16.", name));
}

int dtypeBytes(DType dtype)
{
    return dtype == DType::F32 ? 4 : 2;
}

ModelConfig readModelConfig(const fs::path& model_dir)
{
    checkFolder(model_dir);
    const fs::path file = model_dir / "config.json";
    const json document = readJsonFile(file);
    const JsonFields fields(document, file.string());
    checkArchitecture(fields);
    refuseUnsupported(fields);

    ModelConfig config;
    readShape(fields, file.string(), config);
    readRope(fields, file.string(), config);
    readSpecialIds(fields, config);
    config.stored_dtype = storedDType(fields);

    std::error_code error;
    if (const fs::path generation = model_dir / "generation_config.json"; fs::exists(generation, error)) {
        const json overrides = readJsonFile(generation);
        readSpecialIds(JsonFields(overrides, generation.string()), config);
    }
    if (const fs::path own = model_dir / "template.json"; fs::exists(own, error)) readTemplate(own, config);
    return config;
}

} // namespace batchscope::engine
