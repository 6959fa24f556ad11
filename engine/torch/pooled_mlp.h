// SPDX-License-Identifier: GPL-3.0-or-later
// The pooled-mlp length predictor: the served model reads the prompt, a small network reads its pooled final
// hidden state (the "Pooling + MLP" row of Zheng et al. 2023, Table 4). The prefill is kept for generation.
#pragma once

#include "engine/torch/length_network.h"
#include "engine/torch/prompt_states.h"
#include "engine/torch/torch_backend.h"
#include "scheduler/predictor.h"

#include <filesystem>
#include <stop_token>

namespace batchscope::engine {

class PooledMlp final : public LengthPredictor
{
public:
    // Throws EngineError(InvalidFile): broken files, or a predictor of another model (both hashes are named).
    PooledMlp(TorchModel& model, Backend& backend, const std::filesystem::path& folder, int cap);

    PredictionKind kind() const override { return PredictionKind::Tokens; }
    PredictionCall predict(std::span<const Request* const> requests) override;

private:
    void predictGroup(std::span<const Request* const> requests, const std::vector<std::size_t>& group,
                      std::vector<Prediction>& predictions);

    TorchModel& m_model;
    TorchBackend* m_keeper; // where prefills are kept; null: they are not
    PredictorManifest m_manifest;
    LengthNetwork m_network;
    PromptReader m_reader;
    int m_cap;
};

// Reads every prompt through the model, trains the network (AdamW, smoothed absolute error of log(1 +
// length)) and writes the folder. The epoch with the least validation error is kept, so judge it on prompts
// of neither part. Throws EngineError: Cancelled, Model (no or unusable examples), InvalidFile (folder cannot
// be written).
void trainPooledMlp(TorchModel& model, const PooledMlpTraining& training, const std::stop_token& stop);

} // namespace batchscope::engine
