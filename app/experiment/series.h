// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of one press of Run: strategies x repetitions on one frozen workload.
#pragma once

#include "app/experiment/environment.h"
#include "app/experiment/experiment.h"
#include "app/experiment/run_environment.h"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace batchscope::app {

struct Planned // a strategy of the session that is to run
{
    Strategy strategy;
    int order = 0;
};

// One press of Run: a workload, an environment, and the runs made of them.
class Series
{
public:
    Series(const sessions::SessionDocument& document, const ExperimentOptions& options,
           ExperimentListener& listener, RunControl& control, std::stop_token stop,
           const RunEnvironment& environment, const Workload& workload, std::vector<Planned> planned)
        : m_document(document), m_options(options), m_listener(listener), m_control(control),
          m_stop(std::move(stop)), m_environment(environment), m_workload(workload),
          m_planned(std::move(planned)), m_hash(workloadHash(workload)), m_experiment(makeUuid())
    {}

    ExperimentResult run();

private:
    RunStatus loop(const RunParts& parts, const Workload& workload, const Strategy& strategy, EventSink& sink,
                   RunControl& control, const std::stop_token& stop) const;
    void refuseEarly() const;
    void warmUp() const;
    sessions::RunRecord newRecord(const Planned& planned, int repetition) const;
    sessions::StoredRun runOne(const Planned& planned, int repetition, int number, int all);
    std::unique_ptr<sessions::RunWriter> beginStoring(sessions::RunRecord& record, int number);

    const sessions::SessionDocument& m_document;
    const ExperimentOptions& m_options;
    ExperimentListener& m_listener;
    RunControl& m_control;
    std::stop_token m_stop;
    const RunEnvironment& m_environment;
    const Workload& m_workload;
    std::vector<Planned> m_planned;
    std::string m_hash, m_experiment, m_store_error;
};

} // namespace batchscope::app
