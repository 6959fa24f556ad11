// SPDX-License-Identifier: GPL-3.0-or-later
// What scheduling.md refuses or warns about, as far as the parts exist.
#include "scheduler/ordering/ageing.h"
#include "scheduler/parts/compat.h"
#include "scheduler/registry.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <fmt/ranges.h>

namespace batchscope {
namespace {

class StrategyCheck
{
public:
    StrategyCheck(const Strategy& strategy, const Registry& registry, const CheckContext& context)
        : m_strategy(strategy), m_registry(registry), m_context(context)
    {}

    std::vector<Problem> run()
    {
        const PartDescriptor* predictor = checkPart(PartKind::Predictor, m_strategy.predictor);
        const PartDescriptor* ordering = checkPart(PartKind::Ordering, m_strategy.ordering);
        const PartDescriptor* batching = checkPart(PartKind::Batching, m_strategy.batching);
        const PartDescriptor* correction = checkPart(PartKind::Correction, m_strategy.correction);
        checkLimits();
        if (predictor != nullptr) checkPredictor(*predictor);
        if (m_blocked || predictor == nullptr || ordering == nullptr || batching == nullptr ||
            correction == nullptr)
            return std::move(m_problems); // combinations are judged once the parts can be read
        checkOrdering(*predictor, *ordering);
        checkVbs(*predictor, *batching);
        checkCorrection(*predictor);
        checkGroup(*batching);
        checkPreemption(*ordering, *batching);
        for (Problem& problem : checkCompat(m_strategy, m_registry, m_context))
            m_problems.push_back(std::move(problem));
        return std::move(m_problems);
    }

private:
    void refuse(PartKind part, std::string message)
    {
        m_problems.push_back({Severity::Refused, part, std::move(message)});
    }
    void warn(PartKind part, std::string message)
    {
        m_problems.push_back({Severity::Warned, part, std::move(message)});
    }
    const PartDescriptor* checkPart(PartKind kind, const PartSpec& spec);
    void checkParam(const PartDescriptor& part, const std::string& name, const ParamValue& value);
    void checkLimits();
    void checkPredictor(const PartDescriptor& predictor);
    void checkOrdering(const PartDescriptor& predictor, const PartDescriptor& ordering);
    void checkVbs(const PartDescriptor& predictor, const PartDescriptor& batching);
    void checkCorrection(const PartDescriptor& predictor);
    void checkGroup(const PartDescriptor& batching);
    void checkPreemption(const PartDescriptor& ordering, const PartDescriptor& batching);
    void checkDemote(bool preempts);
    bool usesVbs(const PartDescriptor& batching) const
    {
        return batching.type == "grouped" && textParam(m_strategy.batching, batching, "vbs") != "off";
    }
    static bool predictsLength(const PartDescriptor& predictor)
    {
        return predictor.produces == PredictionKind::Tokens || predictor.produces == PredictionKind::Class;
    }

    const Strategy& m_strategy;
    const Registry& m_registry;
    const CheckContext& m_context;
    std::vector<Problem> m_problems;
    bool m_blocked = false; // a parameter cannot be read
};

const PartDescriptor* StrategyCheck::checkPart(PartKind kind, const PartSpec& spec)
{
    const PartDescriptor* part = m_registry.find(kind, spec.type);
    if (part == nullptr) {
        std::vector<std::string> names;
        for (const PartDescriptor* each : m_registry.parts(kind))
            names.push_back(each->type);
        refuse(kind, fmt::format("{} '{}' is unknown here: choose one of {}", partKindName(kind), spec.type,
                                 fmt::join(names, ", ")));
        return nullptr;
    }
    for (const auto& [name, value] : spec.params)
        checkParam(*part, name, value);
    return part;
}

void StrategyCheck::checkParam(const PartDescriptor& part, const std::string& name, const ParamValue& value)
{
    const auto known = std::find_if(part.params.begin(), part.params.end(),
                                    [&name](const ParamDescriptor& param) { return param.name == name; });
    if (known != part.params.end()) {
        const std::string fault = paramFault(*known, value);
        if (fault.empty()) return;
        m_blocked = true;
        return refuse(part.kind, fmt::format("{} '{}': {}", partKindName(part.kind), part.type, fault));
    }
    if (std::holds_alternative<std::monostate>(value)) return; // null asks for nothing
    std::vector<std::string> names;
    for (const ParamDescriptor& param : part.params)
        names.push_back(param.name);
    warn(part.kind,
         fmt::format("{} '{}' has no parameter '{}' and does not use it; it has {}", partKindName(part.kind),
                     part.type, name,
                     names.empty() ? std::string("none") : fmt::format("{}", fmt::join(names, ", "))));
}

void StrategyCheck::checkLimits()
{
    const Limits& limits = m_strategy.limits;
    if (limits.max_new_tokens < 1 || limits.max_new_tokens > 1'048'576)
        refuse(PartKind::Batching, fmt::format("limits.max_new_tokens is {}, expected 1 to 1048576 tokens",
                                               limits.max_new_tokens));
    if (limits.kv_bytes && *limits.kv_bytes < 1)
        refuse(PartKind::Batching,
               fmt::format("limits.kv_bytes is {}, expected at least 1 byte, or null for what is free",
                           *limits.kv_bytes));
    if (m_strategy.slo)
        for (const auto& [name, bound] :
             {std::pair{"ttft_s", m_strategy.slo->ttft_s}, std::pair{"tpot_s", m_strategy.slo->tpot_s},
              std::pair{"e2el_s", m_strategy.slo->e2el_s}})
            if (bound && !(std::isfinite(*bound) && *bound > 0))
                refuse(PartKind::Batching,
                       fmt::format("slo.{} is {}, expected more than 0 s, or null", name, *bound));
}

void StrategyCheck::checkPredictor(const PartDescriptor& predictor)
{
    const bool stood_for = m_context.simulated && predictor.model_bound;
    if (stood_for && !m_context.workload_has_predictions)
        refuse(PartKind::Predictor,
               fmt::format("predictor '{}' needs a loaded model and the simulator has none: give the "
                           "request file predicted_tokens, or choose oracle, noisy-oracle, constant "
                           "or recorded",
                           predictor.type));
    if (predictor.type == "recorded" && !m_context.workload_has_predictions)
        refuse(PartKind::Predictor,
               "predictor 'recorded' reads predicted_tokens, and no request brings it: add the "
               "column to the request file, or choose another predictor");
    const bool is_oracle = predictor.type == "oracle" || predictor.type == "noisy-oracle";
    if (is_oracle && !m_context.workload_has_lengths)
        refuse(PartKind::Predictor,
               fmt::format("predictor '{}' reads recorded output lengths, and no request has one: "
                           "give output_tokens, or choose another predictor",
                           predictor.type));
    if (predictor.type == "constant" && !m_context.workload_has_lengths && !m_blocked &&
        isNullParam(m_strategy.predictor, predictor, "tokens"))
        refuse(PartKind::Predictor,
               "predictor 'constant': tokens is null and no request has a recorded length to take "
               "the median of: give tokens a number");
}

void StrategyCheck::checkOrdering(const PartDescriptor& predictor, const PartDescriptor& ordering)
{
    if (ordering.type == "rank" && predictor.produces != PredictionKind::Rank)
        refuse(PartKind::Ordering,
               fmt::format("ordering 'rank' compares scores, and predictor '{}' gives none: choose a rank "
                           "predictor, or ordering sjf",
                           predictor.type));
    if (!ordering.by_length) return;
    if (predictor.produces == PredictionKind::Rank)
        refuse(PartKind::Ordering,
               fmt::format("ordering '{}' compares lengths in tokens, and predictor '{}' gives ranks "
                           "without a unit: choose a predictor of tokens or classes",
                           ordering.type, predictor.type));
    if (predictor.produces == PredictionKind::None)
        warn(PartKind::Ordering,
             fmt::format("ordering '{}' without a predictor: every key is the cap, so requests are "
                         "served as they arrived. Choose a predictor",
                         ordering.type));
}

void StrategyCheck::checkVbs(const PartDescriptor& predictor, const PartDescriptor& batching)
{
    if (!usesVbs(batching)) return;
    if (m_strategy.ordering.type != "sjf" && m_strategy.ordering.type != "bins")
        refuse(PartKind::Batching,
               fmt::format("VBS batches short answers with short ones, and ordering '{}' does not sort "
                           "by length: choose ordering sjf, or vbs off",
                           m_strategy.ordering.type));
    if (!predictsLength(predictor))
        refuse(PartKind::Batching,
               fmt::format("VBS chooses rows by predicted length, and predictor '{}' gives no number "
                           "of tokens: choose a predictor of tokens or classes, or vbs off",
                           predictor.type));
    if (textParam(m_strategy.batching, batching, "vbs") == "memory" && m_strategy.limits.kv_bytes) {
        const std::int64_t reserve = integerParam(m_strategy.batching, batching, "reserve_bytes");
        if (reserve >= *m_strategy.limits.kv_bytes)
            refuse(PartKind::Batching,
                   fmt::format("reserve_bytes is {} and leaves nothing of limits.kv_bytes, {}: lower "
                               "the reserve",
                               reserve, *m_strategy.limits.kv_bytes));
    }
}

void StrategyCheck::checkCorrection(const PartDescriptor& predictor)
{
    const std::string& type = m_strategy.correction.type;
    if (type != "fcr" && type != "extend") return;
    if (m_strategy.batching.type != "grouped")
        refuse(
            PartKind::Correction,
            fmt::format("correction '{}' {} at the end of a group, and batching '{}' has no groups: choose "
                        "batching grouped, or correction none",
                        type, type == "fcr" ? "recomputes" : "goes on", m_strategy.batching.type));
    if (!predictsLength(predictor))
        refuse(PartKind::Correction,
               fmt::format(
                   "correction '{}' stops rows at a predicted length, and predictor '{}' gives no number of "
                   "tokens: choose a predictor of tokens or classes, or correction none",
                   type, predictor.type));
}

void StrategyCheck::checkGroup(const PartDescriptor& batching)
{
    if (batching.type != "grouped" || usesVbs(batching)) return;
    const std::int64_t group = integerParam(m_strategy.batching, batching, "group");
    const std::int64_t rows = integerParam(m_strategy.batching, batching, "rows");
    if (rows > group)
        warn(
            PartKind::Batching,
            fmt::format("rows is {} and a group has only {} requests: no batch will have more", rows, group));
}

// Who may take whose place.
void StrategyCheck::checkPreemption(const PartDescriptor& ordering, const PartDescriptor& batching)
{
    const bool continuous = batching.type == "continuous";
    const bool preempts = continuous && textParam(m_strategy.batching, batching, "preemption") != "none";
    const char* remedy = continuous ? "set batching.preemption to recompute or keep-kv"
                                    : "choose batching continuous with preemption recompute or keep-kv";
    if (ordering.type == "srpt" && !preempts)
        refuse(PartKind::Ordering,
               fmt::format("ordering 'srpt' gives a running request's place to a shorter one, and nothing is "
                           "preempted here: {}, or choose ordering sjf",
                           remedy));
    if (ordering.type == "mlfq" && !preempts)
        warn(PartKind::Ordering,
             fmt::format("ordering 'mlfq' without preemption: a request's level changes only while "
                         "it waits. To let levels take each other's place, {}",
                         remedy));
    if (ordering.type == "priority" && !preempts && booleanParam(m_strategy.ordering, ordering, "preemptive"))
        warn(PartKind::Ordering,
             fmt::format("ordering 'priority': preemptive changes nothing where nothing is preempted: {}",
                         remedy));
    if (m_strategy.correction.type == "demote") checkDemote(preempts);
    if (batching.type == "grouped" && ageingOf(m_strategy.ordering, ordering).isOn())
        warn(PartKind::Ordering,
             "ageing changes nothing in grouped mode: a group is those who arrived first, and it is "
             "served whole");
}

void StrategyCheck::checkDemote(bool preempts)
{
    if (!preempts)
        refuse(PartKind::Correction,
               "correction 'demote' gives an over-runner's place to others, and nothing is preempted "
               "here: choose batching continuous with preemption recompute or keep-kv, or "
               "correction none");
    const PartDescriptor* predictor = m_registry.find(PartKind::Predictor, m_strategy.predictor.type);
    if (predictor != nullptr && !predictsLength(*predictor))
        refuse(PartKind::Correction,
               fmt::format(
                   "correction 'demote' needs a predicted length to outgrow, and predictor '{}' gives none: "
                   "choose a predictor of tokens or classes, or correction none",
                   m_strategy.predictor.type));
}

} // namespace

std::vector<Problem> checkStrategy(const Strategy& strategy, const Registry& registry,
                                   const CheckContext& context)
{
    return StrategyCheck(strategy, registry, context).run();
}

} // namespace batchscope
