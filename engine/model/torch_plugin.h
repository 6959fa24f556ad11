// SPDX-License-Identifier: GPL-3.0-or-later
// What the torch plug-in offers, in plain types: programs, tests and the other rooms see no torch.
#pragma once

#include "engine/checkpoint/model_config.h"
#include "engine/demo/training_plan.h"
#include "engine/error.h"
#include "engine/model/predictor_training.h"
#include "scheduler/backend.h"
#include "scheduler/clock.h"
#include "scheduler/predictor.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace batchscope::engine {

struct LoadOptions
{
    std::filesystem::path model_dir;
    DType dtype = DType::F32;
    std::string device = "cpu"; // "cpu", "cuda:0"
    int threads = 0;            // 0: std::thread::hardware_concurrency()
    std::function<void(std::int64_t done_bytes, std::int64_t all_bytes)> progress;
};

struct GenerateOptions
{
    int max_new_tokens = 512;
    Sampling sampling;
    std::vector<std::optional<int>> forced_lengths; // per row, or empty
    std::function<void(std::size_t row, TokenId id)> on_token;
};

struct Generated
{
    std::vector<TokenId> ids; // end of sequence excluded
    RowEnd end = RowEnd::Eos;
};

// Weights on a device. One thread at a time. Device errors and out-of-memory leave as EngineError(Model).
class LanguageModel
{
public:
    virtual ~LanguageModel() = default;
    virtual const ModelConfig& config() const = 0;
    virtual DType dtype() const = 0;
    virtual std::string device() const = 0; // "CPU", "cuda:0 NVIDIA ..."
    virtual int threads() const = 0;
    virtual std::string hash() const = 0; // 16 hex digits over config and weights
    virtual std::int64_t weightBytes() const = 0;
    virtual std::int64_t freeKvBytes() const = 0; // free on its device less a margin

    // One static batch with left padding; positions from the mask. Throws EngineError(Model) for an empty prompt or
    // one that leaves no room in the context.
    virtual std::vector<Generated> generate(const std::vector<std::vector<TokenId>>& prompts,
                                            const GenerateOptions& options, std::stop_token stop) = 0;
    // Logits after each position: [positions, vocabulary], f32.
    virtual std::vector<std::vector<float>> logits(const std::vector<TokenId>& ids) = 0;
    // Position ids that a batch of these prompt lengths is given (row by row, padded width; -1 in the padding).
    virtual std::vector<std::vector<std::int64_t>> positions(const std::vector<int>& prompt_lengths) const = 0;
};

class TorchPlugin
{
public:
    virtual ~TorchPlugin() = default;
    virtual std::string libraries() const = 0; // "libtorch 1.13.1, OpenBLAS 0.3.21, oneDNN 2.6"
    virtual std::vector<std::string> devices() const = 0; // "cpu", "cuda:0"
    // Cancel returns its memory: throws EngineError(Cancelled).
    virtual std::unique_ptr<LanguageModel> load(const LoadOptions& options, std::stop_token stop) = 0;
    // The model must outlive both. `clock` is the run's.
    virtual std::unique_ptr<Backend> makeBackend(LanguageModel& model, const Clock& clock) = 0;
    // folder: predictor.json + safetensors (pooled-mlp). Its prefill is held in `backend` for generation when that is
    // one of ours; throws EngineError(InvalidFile) where it was trained for another model (hash) or is broken.
    virtual std::unique_ptr<LengthPredictor> makePooledMlp(LanguageModel& model, Backend& backend,
                                                           const std::filesystem::path& folder, int cap) = 0;
    virtual void trainPooledMlp(LanguageModel& model, const PooledMlpTraining& training, std::stop_token stop) = 0;
    virtual void trainLlama(const TrainingPlan& plan, const TrainingSource& source, const TrainingProgress& progress,
                            std::stop_token stop) = 0;
};

// Opens the plug-in on first use. Throws EngineError(Model) naming file and remedy.
TorchPlugin& torchPlugin();

} // namespace batchscope::engine
