// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/simulated_session.h"

#include "sessions/error.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace batchscope::app {

using sessions::DocumentError;
using sessions::SessionDocument;

void requireSimulated(const SessionDocument& document, const Registry& registry)
{
    if (const auto reasons = sessions::whyNotRunnable(document, registry); !reasons.empty())
        throw DocumentError(fmt::format("{}", fmt::join(reasons, "\n")));
    if (document.backend.type != sessions::BackendSpec::Type::Simulated)
        throw DocumentError("backend.type is \"torch\", but many runs are made on the simulator only; choose "
                            "{\"type\": \"simulated\"}, or --set backend.type=simulated");
}

std::vector<std::size_t> chosenStrategies(const SessionDocument& document,
                                          const std::vector<std::string>& wanted)
{
    std::vector<std::string> names;
    for (const Strategy& strategy : document.strategies)
        names.push_back(strategy.name);
    for (const auto& name : wanted)
        if (std::find(names.begin(), names.end(), name) == names.end())
            throw DocumentError(fmt::format("no strategy of the session is called '{}'; there are: {}", name,
                                            fmt::join(names, ", ")));
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (wanted.empty() || std::find(wanted.begin(), wanted.end(), names[i]) != wanted.end())
            chosen.push_back(i);
    return chosen;
}

} // namespace batchscope::app
