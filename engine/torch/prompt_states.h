// SPDX-License-Identifier: GPL-3.0-or-later
// What the model makes of prompts alone: each prompt's final hidden states pooled to one vector, and, where
// wanted, its prefill for generation to go on from. Training and prediction read prompts through the same
// pass.
#pragma once

#include "engine/torch/static_batch.h"
#include "engine/torch/torch_model.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace batchscope::engine {

enum class Pooling { Last, Mean, Max };        // over the prompt's tokens
Pooling poolingNamed(const std::string& name); // throws EngineError(InvalidFile) listing the names

struct PromptState
{
    std::vector<float> pooled; // [hidden]
    HeldSequence held;         // empty unless kept
};

class PromptReader
{
public:
    PromptReader(const TorchModel& model, Pooling pooling)
        : m_model(model), m_pooling(pooling), m_batch(model.llama())
    {}

    // Groups of indices into `lengths`, of like length and of a size that one pass takes: how to call read.
    static std::vector<std::vector<std::size_t>> groups(const std::vector<std::int64_t>& lengths);
    // Prompts without a promptProblem. A prompt's state does not depend on the others. Throws c10::Error.
    std::vector<PromptState> read(const std::vector<std::span<const TokenId>>& prompts, bool keep);

private:
    const TorchModel& m_model;
    Pooling m_pooling;
    StaticBatch m_batch;
};

} // namespace batchscope::engine
