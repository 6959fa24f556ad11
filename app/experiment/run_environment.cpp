// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/run_environment.h"

#include "app/experiment/model_access.h"
#include "engine/parts/pooled_mlp_part.h"
#include "engine/simulated/charged_predictor.h"
#include "engine/simulated/simulated_backend.h"

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

std::unique_ptr<RunEnvironment> simulatedEnvironment(const sessions::SessionDocument& document)
{
    const std::string& preset = document.backend.preset;
    const bool is_file = preset.ends_with(".json");
    return std::make_unique<SimulatedEnvironment>(engine::loadCostModel(
        is_file ? document.resolvePath(preset).string() : preset, resourceDir() / "presets"));
}

} // namespace batchscope::app
