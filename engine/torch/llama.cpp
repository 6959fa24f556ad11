// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/llama.h"

#include "engine/error.h"
#include "engine/torch/tensor_types.h"

#include <cmath>
#include <cstring>
#include <fmt/core.h>
#include <initializer_list>
#include <string>
#include <utility>

namespace batchscope::engine {
namespace {

// Reads tensors of a folder as f32, counts what it read, and gives up when stopped.
class WeightReader
{
public:
    WeightReader(const ModelFolder& folder, const Llama::Progress& progress, const std::stop_token& stop)
        : m_folder(folder), m_progress(progress), m_stop(stop)
    {}

    at::Tensor read(const std::string& name)
    {
        if (m_stop.stop_requested())
            throw EngineError(ErrorKind::Cancelled,
                              fmt::format("Loading {} was cancelled.", m_folder.path().string()));
        const ModelFolder::Tensor& stored = m_folder.tensor(name);
        const auto bytes = stored.bytes();
        at::Tensor raw = at::empty(stored.info->shape, at::TensorOptions().dtype(toScalarType(stored.dtype)));
        std::memcpy(raw.data_ptr(), bytes.data(), bytes.size()); // mapped bytes need not be aligned
        m_done += static_cast<std::int64_t>(bytes.size());
        if (m_progress) m_progress(m_done, m_folder.weightBytes());
        return raw.to(at::kFloat);
    }
    at::Tensor stacked(std::initializer_list<std::string> names) // along the outputs
    {
        std::vector<at::Tensor> parts;
        for (const std::string& name : names)
            parts.push_back(read(name));
        return at::cat(parts, 0);
    }

private:
    const ModelFolder& m_folder;
    const Llama::Progress& m_progress;
    const std::stop_token& m_stop;
    std::int64_t m_done = 0;
};

std::int64_t bytesOf(const at::Tensor& tensor)
{
    return tensor.numel() * static_cast<std::int64_t>(tensor.element_size());
}

} // namespace

RotaryTable::RotaryTable(std::int64_t positions, std::int64_t head_dim, double theta, at::Device device)
{
    const std::int64_t half = head_dim / 2;
    cosine = at::empty({positions, half}, at::kFloat);
    sine = at::empty({positions, half}, at::kFloat);
    float* c = cosine.data_ptr<float>();
    float* s = sine.data_ptr<float>();
    for (std::int64_t position = 0; position < positions; ++position)
        for (std::int64_t i = 0; i < half; ++i) {
            const double frequency =
                std::pow(theta, -2.0 * static_cast<double>(i) / static_cast<double>(head_dim));
            const double angle = static_cast<double>(position) * frequency;
            *c++ = static_cast<float>(std::cos(angle));
            *s++ = static_cast<float>(std::sin(angle));
        }
    cosine = cosine.to(device);
    sine = sine.to(device);
}

Llama::Llama(const ModelFolder& folder, std::unique_ptr<Compute> compute, at::ScalarType type,
             at::Device device, const Progress& progress, const std::stop_token& stop)
    : m_config(folder.config()), m_type(type), m_device(device), m_compute(std::move(compute)),
      m_rotary(m_config.max_positions, m_config.head_dim, m_config.rope_theta, device)
{
    const c10::InferenceMode no_autograd;
    WeightReader reader(folder, progress, stop);
    const at::Tensor embedding = reader.read("model.embed_tokens.weight");
    m_embedding = embedding.to(device, type);
    const auto vector = [&](const std::string& name) {
        at::Tensor weight = reader.read(name).to(device);
        m_plain_bytes += bytesOf(weight);
        return weight;
    };
    for (int i = 0; i < m_config.layers; ++i) {
        const std::string layer = fmt::format("model.layers.{}.", i);
        const std::string attention = layer + "self_attn.", mlp = layer + "mlp.";
        Layer& made = m_layers.emplace_back();
        made.attention_norm = vector(layer + "input_layernorm.weight");
        made.qkv = m_compute->project(reader.stacked(
            {attention + "q_proj.weight", attention + "k_proj.weight", attention + "v_proj.weight"}));
        made.output = m_compute->project(reader.read(attention + "o_proj.weight"));
        made.mlp_norm = vector(layer + "post_attention_layernorm.weight");
        made.gate_up = m_compute->project(reader.stacked({mlp + "gate_proj.weight", mlp + "up_proj.weight"}));
        made.down = m_compute->project(reader.read(mlp + "down_proj.weight"));
    }
    m_norm = vector("model.norm.weight");
    m_head = m_compute->project(m_config.tied_embeddings ? embedding : reader.read("lm_head.weight"));
    m_plain_bytes += bytesOf(m_embedding) + bytesOf(m_rotary.cosine) + bytesOf(m_rotary.sine);
}

std::int64_t Llama::weightBytes() const
{
    return m_plain_bytes + m_compute->projectionBytes();
}

KvCache Llama::makeCache() const
{
    return KvCache(m_config, m_type, m_device, m_compute->readsPadding());
}

at::Tensor Llama::forward(std::span<const TokenId> ids, KvCache& cache, const Sequences& sequences) const
{
    const c10::InferenceMode no_autograd;
    const at::Tensor tokens =
        at::from_blob(const_cast<TokenId*>(ids.data()), {static_cast<std::int64_t>(ids.size())}, at::kInt);
    at::Tensor x = at::index_select(m_embedding, 0, tokens.to(m_device))
                       .to(m_compute->activations()); // [tokens, hidden]
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        const Layer& layer = m_layers[i];
        at::Tensor qkv = layer.qkv->product(m_compute->norm(x, layer.attention_norm, m_config.norm_eps));
        layer.output->addProduct(
            x, m_compute->attend(qkv, cache, static_cast<std::int64_t>(i), sequences, m_rotary));
        const at::Tensor gate_up =
            layer.gate_up->product(m_compute->norm(x, layer.mlp_norm, m_config.norm_eps));
        layer.down->addProduct(x, m_compute->gate(gate_up));
    }
    return x;
}

at::Tensor Llama::finalNorm(const at::Tensor& residual) const
{
    const c10::InferenceMode no_autograd;
    return m_compute->norm(residual, m_norm, m_config.norm_eps);
}

at::Tensor Llama::logits(const at::Tensor& residual) const
{
    const c10::InferenceMode no_autograd;
    return m_head->product(finalNorm(residual)).to(at::kCPU, at::kFloat);
}

at::Tensor Llama::lastTokens(const at::Tensor& residual, std::int64_t width)
{
    const c10::InferenceMode no_autograd;
    if (width == 1) return residual;
    const std::int64_t sequences = residual.size(0) / width;
    return residual.view({sequences, width, residual.size(1)}).select(1, width - 1).contiguous();
}

} // namespace batchscope::engine
