// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/pooled_mlp.h"

#include <c10/util/Exception.h>
#include <chrono>
#include <fmt/core.h>
#include <new>

namespace batchscope::engine {
namespace {

PredictorManifest manifestFor(const TorchModel& model, const std::filesystem::path& folder)
{
    PredictorManifest manifest = readPredictorManifest(folder);
    if (manifest.model_hash != model.hash())
        throw EngineError(
            ErrorKind::InvalidFile,
            fmt::format("The predictor in {} was trained for the model {}; the loaded model is {}. Train one "
                        "for this model or choose its own.",
                        folder.string(), manifest.model_hash, model.hash()));
    if (manifest.input != model.config().hidden)
        throw EngineError(ErrorKind::InvalidFile,
                          fmt::format("The predictor in {} reads {} features; the model's hidden size is {}.",
                                      folder.string(), manifest.input, model.config().hidden));
    return manifest;
}

} // namespace

PooledMlp::PooledMlp(TorchModel& model, Backend& backend, const std::filesystem::path& folder, int cap)
    : m_model(model), m_keeper(dynamic_cast<TorchBackend*>(&backend)), m_manifest(manifestFor(model, folder)),
      m_network(readLengthNetwork(folder, m_manifest), networkWidths(m_manifest)),
      m_reader(model, poolingNamed(m_manifest.pooling)), m_cap(cap)
{
    if (m_keeper != nullptr && &m_keeper->model() != &model) m_keeper = nullptr;
}

void PooledMlp::predictGroup(std::span<const Request* const> requests, const std::vector<std::size_t>& group,
                             std::vector<Prediction>& predictions)
{
    std::vector<std::span<const TokenId>> prompts;
    for (const std::size_t i : group)
        prompts.emplace_back(requests[i]->prompt_ids);
    std::vector<PromptState> states = m_reader.read(prompts, m_keeper != nullptr);
    std::vector<float> features;
    for (const PromptState& state : states)
        features.insert(features.end(), state.pooled.begin(), state.pooled.end());
    const std::vector<float> outputs = m_network.apply(features);
    for (std::size_t k = 0; k < group.size(); ++k) {
        Prediction& prediction = predictions[group[k]];
        const int tokens = tokensFromOutput(outputs[k], m_manifest, m_cap);
        prediction.failed = tokens == 0;
        if (!prediction.failed) prediction.tokens = tokens;
        if (m_keeper != nullptr) prediction.held = m_keeper->keep(std::move(states[k].held));
    }
}

PredictionCall PooledMlp::predict(std::span<const Request* const> requests)
{
    const auto start = std::chrono::steady_clock::now();
    PredictionCall call;
    call.predictions.resize(requests.size());
    std::vector<std::size_t> readable;
    std::vector<std::int64_t> lengths;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        call.predictions[i].failed = !m_model.promptProblem(requests[i]->prompt_ids).empty();
        if (call.predictions[i].failed) continue;
        readable.push_back(i);
        lengths.push_back(static_cast<std::int64_t>(requests[i]->prompt_ids.size()));
    }
    for (std::vector<std::size_t> group : PromptReader::groups(lengths)) {
        for (std::size_t& i : group)
            i = readable[i];
        try {
            predictGroup(requests, group, call.predictions);
        } catch (const c10::Error&) { // the run goes on; these are counted as failed
            for (const std::size_t i : group)
                call.predictions[i].failed = true;
        } catch (const std::bad_alloc&) {
            for (const std::size_t i : group)
                call.predictions[i].failed = true;
        }
    }
    const auto elapsed = std::chrono::steady_clock::now() - start;
    call.elapsed_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count();
    return call;
}

} // namespace batchscope::engine
