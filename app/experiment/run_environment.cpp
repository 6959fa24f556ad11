// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/run_environment.h"

#include "app/experiment/model_access.h"
#include "engine/parts/pooled_mlp_part.h"
#include "engine/simulated/charged_predictor.h"
#include "engine/simulated/cost_model_file.h"
#include "engine/simulated/roofline.h"
#include "engine/simulated/simulated_backend.h"
#include "scheduler/error.h"
#include "sessions/error.h"

#include <cmath>
#include <fmt/core.h>

namespace batchscope::app {
namespace {

namespace fs = std::filesystem;

class MeasuredEnvironment final : public RunEnvironment
{
public:
    MeasuredEnvironment(engine::LanguageModel& model, fs::path folder, fs::path base)
        : m_model(model), m_folder(std::move(folder)), m_base(std::move(base)), m_registry(fullRegistry())
    {}

    RunParts makeParts(const Workload& workload, const Strategy& strategy) const override
    {
        RunParts parts;
        parts.clock = std::make_unique<WallClock>();
        parts.clock->pause();
        parts.backend = engine::torchPlugin().makeBackend(m_model, *parts.clock);
        if (strategy.predictor.type == engine::pooledMlpPart().type)
            parts.predictor = asModelProblem([&] {
                return engine::torchPlugin().makePooledMlp(
                    m_model, *parts.backend, engine::pooledMlpFolder(strategy.predictor, m_base, m_folder),
                    strategy.limits.max_new_tokens);
            });
        else
            parts.predictor = m_registry.makePredictor(strategy.predictor, {&workload, &strategy, false});
        return parts;
    }

    const Registry& registry() const override { return m_registry; }
    bool isSimulated() const override { return false; }
    MetricOptions::OfRequest serviceAlone() const override { return {}; } // nobody has calibrated one

    void describe(Provenance& provenance, sessions::Environment& environment) const override
    {
        provenance.measured = true;
        provenance.device = m_model.device();
        provenance.model = modelIdentity(m_folder, m_model.hash());
        provenance.dtype = engine::dtypeName(m_model.dtype());
        provenance.threads = m_model.threads();
        environment.threads = m_model.threads();
        environment.libraries = engine::torchPlugin().libraries();
        if (m_model.device() != "CPU") environment.gpu = m_model.device();
    }

private:
    engine::LanguageModel& m_model;
    fs::path m_folder, m_base;
    Registry m_registry;
};

class SimulatedEnvironment final : public RunEnvironment
{
public:
    explicit SimulatedEnvironment(engine::CostModel model)
        : m_model(std::move(model)), m_registry(fullRegistry())
    {}

    RunParts makeParts(const Workload& workload, const Strategy& strategy) const override
    {
        RunParts parts;
        parts.clock = std::make_unique<VirtualClock>();
        parts.backend = std::make_unique<engine::SimulatedBackend>(m_model, *parts.clock);
        parts.predictor = engine::chargePrediction(
            m_registry.makePredictor(strategy.predictor, {&workload, &strategy, true}), m_model);
        return parts;
    }

    const Registry& registry() const override { return m_registry; }
    bool isSimulated() const override { return true; }

    MetricOptions::OfRequest serviceAlone() const override
    {
        return [model = m_model](const RequestFigures& request) -> std::optional<Nanos> {
            if (!request.completed_ns || !request.end) return std::nullopt;
            const int passes = request.output_tokens + (spendsEndStep(*request.end) ? 1 : 0);
            return engine::serviceAlone(model, request.prompt_tokens, passes);
        };
    }

    void describe(Provenance& provenance, sessions::Environment&) const override
    {
        provenance.measured = false;
        provenance.cost_model = m_model.name;
    }

private:
    engine::CostModel m_model;
    Registry m_registry;
};

} // namespace

std::unique_ptr<RunEnvironment> measuredEnvironment(engine::LanguageModel& model, const fs::path& folder,
                                                    const sessions::SessionDocument& document)
{
    return std::make_unique<MeasuredEnvironment>(model, folder, document.file.parent_path());
}

namespace {

engine::CostModel modelBeforePredictions(const sessions::SessionDocument& document)
{
    const sessions::BackendSpec& backend = document.backend;
    if (backend.roofline) {
        try {
            return engine::rooflineModel(*backend.roofline);
        } catch (const SchedulerError& error) {
            throw sessions::DocumentError(
                fmt::format("{}: backend.{}", document.file.string(), error.what()));
        }
    }
    const bool is_file = backend.preset.ends_with(".json");
    return engine::loadCostModel(is_file ? document.resolvePath(backend.preset).string() : backend.preset,
                                 resourceDir() / "presets");
}

} // namespace

engine::CostModel costModelOf(const sessions::SessionDocument& document)
{
    engine::CostModel model = modelBeforePredictions(document);
    if (const auto& cost = document.backend.predictor_cost) {
        constexpr double k_nanos_per_s = 1e9;
        model.prediction_call_ns = std::llround(cost->per_call_s * k_nanos_per_s);
        model.prediction_request_ns = std::llround(cost->per_request_s * k_nanos_per_s);
        model.name +=
            fmt::format(", predictor {} s a call and {} s a request", cost->per_call_s, cost->per_request_s);
    }
    return model;
}

std::unique_ptr<RunEnvironment> simulatedEnvironment(const sessions::SessionDocument& document)
{
    return std::make_unique<SimulatedEnvironment>(costModelOf(document));
}

} // namespace batchscope::app
