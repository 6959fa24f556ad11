// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/parts/compat.h"

#include "scheduler/ordering/ageing.h"

#include <algorithm>
#include <fmt/core.h>
#include <fmt/ranges.h>

namespace batchscope {
namespace {

bool recomputes(const Strategy& strategy)
{
    return strategy.correction.type == "fcr" && strategy.batching.type == "grouped";
}

// Whether the switch meets anything here that it could change. The workload's own (J-2, J-3) are the workload
// builder's business.
bool hasEffect(std::string_view name, const Strategy& strategy, const Registry& registry)
{
    const std::string& batching = strategy.batching.type;
    if (name.starts_with("S-")) return recomputes(strategy);
    if (name == "J-7") return batching == "continuous" || batching == "static";
    if (name == "J-9") return batching == "continuous";
    if (name == "J-10") return batching == "continuous" && strategy.ordering.type == "srpt";
    if (name == "J-11") {
        const PartDescriptor* ordering = registry.find(PartKind::Ordering, strategy.ordering.type);
        return batching != "grouped" && ordering != nullptr && ageingOf(strategy.ordering, *ordering).isOn();
    }
    return true;
}

} // namespace

const std::vector<CompatSwitch>& compatSwitches()
{
    static const std::vector<CompatSwitch> k_switches = {
        {"S-1",
         "failed rows are computed again from other requests' prompts: a row's place in the sorted group is "
         "taken for its place among the requests",
         "grouped batching with correction fcr, on the simulator"},
        {"S-4",
         "a batch's limit is the top of its bin, which may lie beyond the cap, and leaves no pass for the "
         "end "
         "of the sequence",
         "grouped batching with correction fcr"},
        {"S-5", "rows that used the whole cap count as failures and are computed again with the same cap",
         "grouped batching with correction fcr"},
        {"J-2", "drawn gaps are sorted before they are added up: a flood at first, ever longer gaps later",
         "arrivals gamma or uniform"},
        {"J-3", "Poisson arrivals are counted by the second and all placed at its beginning",
         "arrivals poisson"},
        {"J-7",
         "a batch that is not full waits its window (continuous: 10 s) even when nothing can arrive, and in "
         "continuous mode with requests of its own unfinished",
         "static batching with a window, or continuous batching"},
        {"J-9",
         "the running batch is formed anew only when its shortest member ends; free slots stay empty until "
         "then",
         "continuous batching"},
        {"J-10", "predicted work does not shrink while a request is served", "ordering srpt"},
        {"J-11",
         "the starvation guard knows true execution times, and when it fires the whole queue is served in "
         "order of arrival",
         "an ordering with ageing, outside grouped batching"}};
    return k_switches;
}

bool repeatsQuirk(const Strategy& strategy, std::string_view name)
{
    return std::find(strategy.compat.begin(), strategy.compat.end(), name) != strategy.compat.end();
}

std::vector<Problem> checkCompat(const Strategy& strategy, const Registry& registry,
                                 const CheckContext& context)
{
    const auto& known = compatSwitches();
    std::vector<Problem> problems;
    for (const std::string& name : strategy.compat) {
        const auto found = std::find_if(known.begin(), known.end(),
                                        [&name](const CompatSwitch& each) { return each.name == name; });
        if (found == known.end()) {
            std::vector<std::string> names;
            for (const CompatSwitch& each : known)
                names.emplace_back(each.name);
            problems.push_back({Severity::Refused, PartKind::Batching,
                                fmt::format("compat '{}' is unknown here: choose of {}, or leave it out",
                                            name, fmt::join(names, ", "))});
        } else if (name == "S-1" && !context.simulated) {
            problems.push_back(
                {Severity::Refused, PartKind::Batching,
                 "compat 'S-1' would give requests the answers of others, which a measured run does "
                 "not do: leave it out, or run on the simulator"});
        } else if (!hasEffect(name, strategy, registry)) {
            problems.push_back(
                {Severity::Warned, PartKind::Batching,
                 fmt::format("compat '{}' changes nothing here: it needs {}", name, found->needs)});
        }
    }
    return problems;
}

} // namespace batchscope
