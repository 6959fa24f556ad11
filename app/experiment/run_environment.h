// SPDX-License-Identifier: GPL-3.0-or-later
// What executes a session's runs: the loaded model or the cost model, behind one face. It makes the clock,
// backend and predictor of each run.
#pragma once

#include "app/experiment/experiment.h"
#include "engine/model/torch_plugin.h"
#include "engine/simulated/cost_model.h"
#include "scheduler/metrics/metrics.h"

#include <memory>
#include <optional>

namespace batchscope::app {

// What one run needs, in the order in which it must be destroyed (predictor, backend, clock).
struct RunParts
{
    std::unique_ptr<Clock> clock;
    std::unique_ptr<Backend> backend;
    std::unique_ptr<LengthPredictor> predictor;
};

class RunEnvironment
{
public:
    virtual ~RunEnvironment() = default;
    // The clock stands still until the caller resumes it: making the parts is not the run's time.
    virtual RunParts makeParts(const Workload& workload, const Strategy& strategy) const = 0;
    virtual const Registry& registry() const = 0;
    virtual bool isSimulated() const = 0;
    // Time of a delivered request by itself, under the run's cost model; empty where there is none.
    virtual MetricOptions::OfRequest serviceAlone() const = 0;
    virtual void describe(Provenance& provenance, sessions::Environment& environment) const = 0;
};

// `model` must outlive it.
std::unique_ptr<RunEnvironment> measuredEnvironment(engine::LanguageModel& model,
                                                    const std::filesystem::path& folder,
                                                    const sessions::SessionDocument& document);
// The session's cost model: its preset or the roofline of its figures, with what it says predictions cost.
// Throws EngineError for a preset, DocumentError for figures that do not go together.
engine::CostModel costModelOf(const sessions::SessionDocument& document);
std::unique_ptr<RunEnvironment> simulatedEnvironment(const sessions::SessionDocument& document);

} // namespace batchscope::app
