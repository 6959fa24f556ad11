// SPDX-License-Identifier: GPL-3.0-or-later
// The runs that a sweep or the advisor wants: every workload and every cost model once, however many runs
// share it.
#pragma once

#include "app/experiment/experiment.h"
#include "app/experiment/model_access.h"
#include "app/experiment/parallel_runs.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace batchscope::app {

class SimulatedJobs
{
public:
    explicit SimulatedJobs(const Registry& registry) : m_registry(registry) {}

    // The strategy as a repetition of the document runs it, on the document's cost model.
    void add(const sessions::SessionDocument& document, const Strategy& strategy, int repetition);
    std::size_t count() const { return m_jobs.size(); }
    // By order of adding. Throws as simulateAll and buildWorkload do.
    std::vector<SimulatedOutcome> run(const ParallelOptions& options);
    // After run(): what was assumed for the workloads and what was left out of them, each once.
    std::vector<std::string> notes() const;

private:
    std::size_t workloadOf(sessions::SessionDocument seeded);
    const RunEnvironment& environmentOf(const sessions::SessionDocument& document);
    Workload build(std::size_t number);

    const Registry& m_registry;
    std::map<std::string, std::size_t> m_numbers;       // of the workloads, by what describes them
    std::vector<sessions::SessionDocument> m_documents; // by number
    std::vector<std::vector<std::string>> m_notes;      // by number
    std::map<std::string, std::unique_ptr<RunEnvironment>> m_environments; // by backend, as in the file
    std::vector<SimulatedJob> m_jobs;
    std::mutex m_reading; // the demo model's tokenizer is used by one thread at a time
    std::optional<ModelAccess> m_access;
};

} // namespace batchscope::app
