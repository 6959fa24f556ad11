// SPDX-License-Identifier: GPL-3.0-or-later
// The forward pass of a LLaMA-family model (RMSNorm, half-split rotary positions, grouped-query attention,
// SwiGLU; Touvron et al. 2023). Weights only: sequences and their caches belong to the caller.
#pragma once

#include "engine/checkpoint/model_folder.h"
#include "engine/torch/compute.h"
#include "scheduler/request.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace batchscope::engine {

class Llama
{
public:
    using Progress = std::function<void(std::int64_t done_bytes, std::int64_t all_bytes)>;

    // Takes the folder's weights into `compute`'s form, layer by layer. Throws EngineError(Cancelled) when
    // stopped.
    Llama(const ModelFolder& folder, std::unique_ptr<Compute> compute, at::ScalarType type, at::Device device,
          const Progress& progress, const std::stop_token& stop);

    const ModelConfig& config() const { return m_config; }
    at::Device device() const { return m_device; }
    std::int64_t weightBytes() const;
    KvCache makeCache() const;

    // ids: sequences.count() * sequences.width token ids, sequence by sequence (any id in the padding).
    // Writes the cache and returns the residual stream, [tokens, hidden].
    at::Tensor forward(std::span<const TokenId> ids, KvCache& cache, const Sequences& sequences) const;
    at::Tensor finalNorm(const at::Tensor& residual) const; // [n, hidden] -> [n, hidden]
    at::Tensor logits(const at::Tensor& residual) const;    // [n, hidden] -> [n, vocabulary], f32, CPU
    // Of the last token of each sequence: [sequences, hidden].
    static at::Tensor lastTokens(const at::Tensor& residual, std::int64_t width);

private:
    struct Layer
    {
        at::Tensor attention_norm, mlp_norm;       // [hidden], f32
        std::unique_ptr<Projection> qkv, output;   // [(heads + 2 kv_heads) * head_dim, hidden], [hidden, ...]
        std::unique_ptr<Projection> gate_up, down; // [2 * intermediate, hidden], [hidden, intermediate]
    };

    ModelConfig m_config;
    at::ScalarType m_type;
    at::Device m_device;
    std::unique_ptr<Compute> m_compute;
    RotaryTable m_rotary;
    at::Tensor m_embedding; // [vocabulary, hidden]
    std::vector<Layer> m_layers;
    at::Tensor m_norm;
    std::unique_ptr<Projection> m_head;
    std::int64_t m_plain_bytes = 0; // weights that are not packed
};

} // namespace batchscope::engine
