// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/registry.h"

#include "scheduler/batching/batching_mode.h"
#include "scheduler/error.h"
#include "scheduler/ordering/ordering.h"
#include "scheduler/predictors/recorded.h"

#include <algorithm>
#include <fmt/core.h>
#include <fmt/ranges.h>

namespace batchscope {

std::string partKindName(PartKind kind)
{
    switch (kind) {
    case PartKind::Predictor:
        return "predictor";
    case PartKind::Ordering:
        return "ordering";
    case PartKind::Batching:
        return "batching";
    case PartKind::Correction:
        return "correction";
    }
    return "part";
}

void Registry::put(Entry entry)
{
    const auto same = std::find_if(m_entries.begin(), m_entries.end(), [&entry](const auto& other) {
        return other->descriptor.kind == entry.descriptor.kind &&
               other->descriptor.type == entry.descriptor.type;
    });
    auto made = std::make_shared<const Entry>(std::move(entry));
    if (same == m_entries.end())
        m_entries.push_back(std::move(made));
    else
        *same = std::move(made);
}

void Registry::add(PartDescriptor descriptor)
{
    put({std::move(descriptor), nullptr, nullptr, nullptr});
}

void Registry::addPredictor(PartDescriptor descriptor, PredictorFactory factory)
{
    put({std::move(descriptor), std::move(factory), nullptr, nullptr});
}

void Registry::addOrdering(PartDescriptor descriptor, OrderingFactory factory)
{
    put({std::move(descriptor), nullptr, std::move(factory), nullptr});
}

void Registry::addBatching(PartDescriptor descriptor, BatchingFactory factory)
{
    put({std::move(descriptor), nullptr, nullptr, std::move(factory)});
}

const PartDescriptor* Registry::find(PartKind kind, const std::string& type) const
{
    for (const auto& entry : m_entries)
        if (entry->descriptor.kind == kind && entry->descriptor.type == type) return &entry->descriptor;
    return nullptr;
}

std::vector<const PartDescriptor*> Registry::parts(PartKind kind) const
{
    std::vector<const PartDescriptor*> found;
    for (const auto& entry : m_entries)
        if (entry->descriptor.kind == kind) found.push_back(&entry->descriptor);
    return found;
}

const Registry::Entry& Registry::entry(PartKind kind, const std::string& type) const
{
    for (const auto& entry : m_entries)
        if (entry->descriptor.kind == kind && entry->descriptor.type == type) return *entry;
    std::vector<std::string> names;
    for (const PartDescriptor* part : parts(kind))
        names.push_back(part->type);
    throw SchedulerError(fmt::format("{} '{}' is unknown here; choose one of: {}", partKindName(kind), type,
                                     fmt::join(names, ", ")));
}

const PartDescriptor& Registry::require(PartKind kind, const std::string& type) const
{
    return entry(kind, type).descriptor;
}

std::unique_ptr<LengthPredictor> Registry::makePredictor(const PartSpec& spec,
                                                         const PredictorContext& context) const
{
    const Entry& found = entry(PartKind::Predictor, spec.type);
    const bool brings = context.workload != nullptr && hasPredictions(*context.workload);
    if (context.simulated && found.descriptor.model_bound) {
        if (!brings)
            throw SchedulerError(
                fmt::format("predictor '{}' needs a loaded model and the simulator has none: give "
                            "the request file a column predicted_tokens, or choose another predictor",
                            spec.type));
        return makeRecordedPredictor(found.descriptor.produces, PredictionTime(spec, context.simulated));
    }
    if (!found.predictor) {
        if (found.descriptor.produces == PredictionKind::None && !found.descriptor.model_bound)
            return nullptr;
        throw SchedulerError(fmt::format("predictor '{}' cannot be made by this program", spec.type));
    }
    Strategy strategy = context.strategy != nullptr ? *context.strategy : Strategy{};
    strategy.predictor = spec;
    PredictorContext with_spec = context;
    with_spec.strategy = &strategy;
    return found.predictor(with_spec);
}

std::unique_ptr<Ordering> Registry::makeOrdering(const PartSpec& spec) const
{
    const Entry& found = entry(PartKind::Ordering, spec.type);
    if (!found.ordering)
        throw SchedulerError(fmt::format("ordering '{}' cannot be made by this program", spec.type));
    return found.ordering(spec, found.descriptor);
}

std::unique_ptr<BatchingMode> Registry::makeBatching(const Strategy& strategy) const
{
    const Entry& found = entry(PartKind::Batching, strategy.batching.type);
    if (!found.batching)
        throw SchedulerError(
            fmt::format("batching '{}' cannot be made by this program", strategy.batching.type));
    return found.batching(strategy, *this);
}

} // namespace batchscope
