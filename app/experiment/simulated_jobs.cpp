// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/simulated_jobs.h"

#include "app/experiment/seeds.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace batchscope::app {

using sessions::SessionDocument;

void SimulatedJobs::add(const SessionDocument& document, const Strategy& strategy, int repetition)
{
    const Strategy complete = sessions::completeStrategy(strategy, m_registry);
    m_jobs.push_back({workloadOf(documentOfRepetition(document, repetition)),
                      strategyOfRepetition(complete, repetition), &environmentOf(document),
                      document.measure.part()});
}

std::size_t SimulatedJobs::workloadOf(SessionDocument seeded)
{
    const nlohmann::json json = sessions::sessionToJson(seeded);
    const auto [found, is_new] = m_numbers.try_emplace(json["workload"].dump(), m_documents.size());
    if (is_new) m_documents.push_back(std::move(seeded));
    return found->second;
}

const RunEnvironment& SimulatedJobs::environmentOf(const SessionDocument& document)
{
    auto& environment = m_environments[sessions::backendToJson(document.backend).dump()];
    if (!environment) environment = simulatedEnvironment(document);
    return *environment;
}

Workload SimulatedJobs::build(std::size_t number)
{
    const SessionDocument& document = m_documents[number];
    BuiltWorkload built;
    if (document.workload.source.type == "demo") {
        const std::lock_guard lock(m_reading);
        if (!m_access) m_access.emplace(openModelFolder(modelFolder("demo")));
        built = buildWorkload(document, m_registry, m_access->tokenizer.get(), m_access->chat_template.name,
                              m_access->chat_template.system);
    } else {
        built = buildWorkload(document, m_registry, nullptr, "none", {});
    }
    m_notes[number] = std::move(built.notes);
    if (!built.skipped.empty())
        m_notes[number].push_back(fmt::format("{} rows of {} were left out, first: {}", built.skipped.size(),
                                              built.workload.source, built.skipped.front()));
    return std::move(built.workload);
}

std::vector<SimulatedOutcome> SimulatedJobs::run(const ParallelOptions& options)
{
    m_notes.assign(m_documents.size(), {});
    return simulateAll(m_jobs, {m_documents.size(), [this](std::size_t number) { return build(number); }},
                       options);
}

std::vector<std::string> SimulatedJobs::notes() const
{
    std::vector<std::string> all;
    for (const auto& notes : m_notes)
        for (const auto& note : notes)
            if (std::find(all.begin(), all.end(), note) == all.end()) all.push_back(note);
    return all;
}

} // namespace batchscope::app
