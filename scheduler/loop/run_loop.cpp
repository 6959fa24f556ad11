// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/batching/shared_knobs.h"
#include "scheduler/error.h"
#include "scheduler/loop/admission_check.h"
#include "scheduler/loop/loop_core.h"
#include "scheduler/parts/compat.h"
#include "scheduler/predictors/recorded.h"

#include <algorithm>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <limits>

namespace batchscope {
namespace {

void checkInputs(const LoopInputs& in, const Capabilities& capabilities)
{
    const auto& requests = in.workload->requests;
    CheckContext context;
    context.simulated = !capabilities.measured;
    context.workload_has_predictions = hasPredictions(*in.workload);
    context.workload_has_lengths = std::any_of(requests.begin(), requests.end(), [](const Request& request) {
        return request.output_tokens.has_value();
    });
    std::vector<std::string> refused;
    for (const Problem& problem : checkStrategy(*in.strategy, *in.registry, context))
        if (problem.severity == Severity::Refused) refused.push_back(problem.message);
    if (!refused.empty())
        throw SchedulerError(
            fmt::format("strategy '{}' cannot run: {}", in.strategy->name, fmt::join(refused, "; ")));
    if (capabilities.measured == in.clock->isVirtual())
        throw SchedulerError(capabilities.measured ? "a measured backend needs the wall clock"
                                                   : "a simulated backend needs a virtual clock");
}

LoopSetup prepare(const LoopInputs& in, const Capabilities& capabilities, LengthPredictor* predictor)
{
    const Strategy& strategy = *in.strategy;
    const Registry& registry = *in.registry;
    LoopSetup setup;
    setup.predictor = predictor;
    setup.extent = workExtent(*in.workload, strategy.limits, kvBudget(strategy.limits, capabilities));
    setup.mode = registry.makeBatching(strategy);
    setup.mode->checkAgainst(strategy.name, setup.extent, capabilities);
    checkFits(strategy.name, setup.mode->heaviest(setup.extent), setup.extent);
    setup.ordering = registry.makeOrdering(strategy.ordering);
    setup.ageing = ageingOf(strategy.ordering, registry.require(PartKind::Ordering, strategy.ordering.type));
    setup.ageing.serves_all_by_arrival = repeatsQuirk(strategy, "J-11");
    setup.delivery = deliveryOf(strategy, registry);
    return setup;
}

void serveAll(LoopCore& core, BatchingMode& mode)
{
    core.absorb();
    while (mode.isBusy() || core.moreCanArrive() || !core.waiting().empty()) {
        if (mode.ready(core))
            mode.serve(core);
        else
            core.waitForMore(core.waiting().empty() && !mode.isBusy() ? std::numeric_limits<Nanos>::max()
                                                                      : mode.deadline(core));
        core.absorb();
    }
}

// Drops every slot; what goes wrong there is told, not hidden.
std::string resetBackend(Backend& backend)
{
    try {
        backend.reset();
        return {};
    } catch (const std::exception& error) {
        return fmt::format(" (and the backend could not be reset: {})", error.what());
    }
}

} // namespace

RunStatus runLoop(const LoopInputs& in, EventSink& sink, RunControl& control, std::stop_token stop)
{
    const Capabilities capabilities = in.backend->capabilities();
    checkRequests(*in.workload, capabilities);
    checkInputs(in, capabilities);
    std::unique_ptr<LengthPredictor> made;
    LengthPredictor* predictor = in.predictor;
    if (predictor == nullptr) {
        made = in.registry->makePredictor(in.strategy->predictor,
                                          {in.workload, in.strategy, !capabilities.measured});
        predictor = made.get();
    }
    if (predictor != nullptr && predictor->kind() == PredictionKind::None) predictor = nullptr;
    const LoopSetup setup = prepare(in, capabilities, predictor);

    LoopCore core(in, setup, sink, control, std::move(stop));
    core.emit(RunStarted{static_cast<std::uint32_t>(in.workload->requests.size()), setup.mode->slots(),
                         setup.extent.cap, setup.extent.kv.bytes, setup.delivery, capabilities.measured});
    RunEnded ended;
    try {
        serveAll(core, *setup.mode);
    } catch (const RunStopped&) {
        setup.mode->closeEarly(core, RowEnd::Cancelled);
        ended = {RunStatus::Cancelled, resetBackend(*in.backend)};
    } catch (const std::exception& error) {
        setup.mode->closeEarly(core, RowEnd::Failed);
        ended = {RunStatus::Failed, error.what() + resetBackend(*in.backend)};
    }
    core.emit(ended);
    core.flush();
    return ended.status;
}

} // namespace batchscope
