// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoint/model_folder.h"

#include "engine/checkpoint/content_hash.h"
#include "engine/error.h"

#include <algorithm>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

namespace batchscope::engine {
namespace {

constexpr std::size_t k_named_at_most = 4; // tensors listed in one message

[[noreturn]] void fail(const std::string& message)
{
    throw EngineError(ErrorKind::InvalidFile, message);
}

std::string listed(const std::vector<std::string>& names)
{
    const auto shown = static_cast<std::ptrdiff_t>(std::min(names.size(), k_named_at_most));
    std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
    if (names.size() > k_named_at_most) text += fmt::format(" and {} more", names.size() - k_named_at_most);
    return text;
}

// The position of the first file that holds each tensor name; a name in two files is refused.
std::map<std::string, std::size_t> tensorFiles(const std::vector<SafetensorsFile>& files)
{
    std::map<std::string, std::size_t> holder;
    for (std::size_t i = 0; i < files.size(); ++i)
        for (const TensorInfo& tensor : files[i].tensors())
            if (const auto [at, is_new] = holder.emplace(tensor.name, i); !is_new)
                fail(fmt::format("tensor \"{}\" is in both {} and {}: the folder mixes two downloads",
                                 tensor.name, files[at->second].file().string(), files[i].file().string()));
    return holder;
}

// Old checkpoints store the rotary frequencies, which follow from the configuration; a tied head may be
// stored twice.
bool isIgnored(const std::string& name, const ModelConfig& config)
{
    return name.ends_with(".rotary_emb.inv_freq") || (config.tied_embeddings && name == "lm_head.weight");
}

DType weightDType(const std::filesystem::path& file, const TensorInfo& tensor)
{
    if (tensor.dtype == "F32") return DType::F32;
    if (tensor.dtype == "BF16") return DType::BF16;
    if (tensor.dtype == "F16") return DType::F16;
    fail(fmt::format(
        "{}: tensor \"{}\" is {}, expected F32, BF16 or F16 (quantised weights are not supported)",
        file.string(), tensor.name, tensor.dtype));
}

void checkNames(const std::filesystem::path& dir, const std::map<std::string, std::size_t>& holder,
                const std::vector<ExpectedTensor>& expected, const ModelConfig& config)
{
    std::set<std::string> wanted;
    std::vector<std::string> missing;
    for (const ExpectedTensor& tensor : expected) {
        wanted.insert(tensor.name);
        if (!holder.contains(tensor.name)) missing.push_back(tensor.name);
    }
    if (!missing.empty())
        fail(fmt::format(
            "{}: {} of the {} tensors of this model are absent: {}. Incomplete download, or a config.json "
            "of another model?",
            dir.string(), missing.size(), expected.size(), listed(missing)));
    std::vector<std::string> unknown;
    for (const auto& [name, file] : holder)
        if (!wanted.contains(name) && !isIgnored(name, config)) unknown.push_back(name);
    if (!unknown.empty())
        fail(fmt::format(
            "{}: {} tensors are no part of the model that config.json describes ({} layers): {}. They "
            "are refused because leaving them out would change what the model says.",
            dir.string(), unknown.size(), config.layers, listed(unknown)));
}

DType mostBytes(const std::vector<ModelFolder::Tensor>& tensors)
{
    std::map<DType, std::uint64_t> bytes;
    for (const auto& tensor : tensors)
        bytes[tensor.dtype] += tensor.info->bytes();
    return std::max_element(bytes.begin(), bytes.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
}

} // namespace

std::vector<ExpectedTensor> expectedLlamaTensors(const ModelConfig& config)
{
    const std::int64_t hidden = config.hidden, inner = config.intermediate, vocabulary = config.vocabulary;
    const std::int64_t queries = std::int64_t{config.heads} * config.head_dim;
    const std::int64_t keys = std::int64_t{config.kv_heads} * config.head_dim;
    std::vector<ExpectedTensor> expected{{"model.embed_tokens.weight", {vocabulary, hidden}}};
    for (int layer = 0; layer < config.layers; ++layer) {
        const std::string prefix = fmt::format("model.layers.{}.", layer);
        expected.push_back({prefix + "input_layernorm.weight", {hidden}});
        expected.push_back({prefix + "self_attn.q_proj.weight", {queries, hidden}});
        expected.push_back({prefix + "self_attn.k_proj.weight", {keys, hidden}});
        expected.push_back({prefix + "self_attn.v_proj.weight", {keys, hidden}});
        expected.push_back({prefix + "self_attn.o_proj.weight", {hidden, queries}});
        expected.push_back({prefix + "post_attention_layernorm.weight", {hidden}});
        expected.push_back({prefix + "mlp.gate_proj.weight", {inner, hidden}});
        expected.push_back({prefix + "mlp.up_proj.weight", {inner, hidden}});
        expected.push_back({prefix + "mlp.down_proj.weight", {hidden, inner}});
    }
    expected.push_back({"model.norm.weight", {hidden}});
    if (!config.tied_embeddings) expected.push_back({"lm_head.weight", {vocabulary, hidden}});
    return expected;
}

ModelFolder::ModelFolder(const std::filesystem::path& model_dir)
    : m_path(model_dir), m_config(readModelConfig(model_dir))
{
    for (const auto& file : findWeightFiles(model_dir))
        m_files.emplace_back(file);
    const auto holder = tensorFiles(m_files);
    const auto expected = expectedLlamaTensors(m_config);
    checkNames(model_dir, holder, expected, m_config);
    for (const ExpectedTensor& wanted : expected) {
        const SafetensorsFile& file = m_files[holder.at(wanted.name)];
        const TensorInfo* info = file.find(wanted.name);
        if (info->shape != wanted.shape)
            fail(fmt::format("{}: tensor \"{}\" has the shape {}, expected {} from config.json. Weights and "
                             "config.json are of different models.",
                             file.file().string(), wanted.name, shapeText(info->shape),
                             shapeText(wanted.shape)));
        m_tensors.push_back({&file, info, weightDType(file.file(), *info)});
        m_parameters += info->elements;
        m_weight_bytes += static_cast<std::int64_t>(info->bytes());
    }
    m_config.stored_dtype = mostBytes(m_tensors);
}

const ModelFolder::Tensor& ModelFolder::tensor(std::string_view name) const
{
    for (const Tensor& each : m_tensors)
        if (each.info->name == name) return each;
    fail(fmt::format("{}: there is no tensor \"{}\" in this model", m_path.string(), name));
}

std::string ModelFolder::hash() const
{
    ContentHash hash;
    for (const int number :
         {m_config.hidden, m_config.intermediate, m_config.layers, m_config.heads, m_config.kv_heads,
          m_config.head_dim, m_config.vocabulary, m_config.max_positions,
          static_cast<int>(m_config.tied_embeddings), m_config.bos})
        hash.addNumber(static_cast<std::uint64_t>(number));
    hash.addReal(m_config.norm_eps);
    hash.addReal(m_config.rope_theta);
    for (const std::int32_t eos : m_config.eos)
        hash.addNumber(static_cast<std::uint64_t>(eos));
    for (const Tensor& tensor : m_tensors) {
        hash.addText(tensor.info->name);
        hash.addText(tensor.info->dtype);
        hash.addText(shapeText(tensor.info->shape));
        hash.addBytes(tensor.bytes());
    }
    return hash.hex();
}

} // namespace batchscope::engine
