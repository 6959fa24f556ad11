// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of one press of Run: strategies x repetitions. All strategies of a repetition share one frozen
// workload; repetitions share it, too, or draw one each from seeds that count up.
#pragma once

#include "app/experiment/environment.h"
#include "app/experiment/experiment.h"
#include "app/experiment/run_environment.h"

#include <functional>
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
    // The workload of a repetition after the first, where the session varies the seed.
    using Redraw = std::function<Workload(int repetition)>;

    Series(const sessions::SessionDocument& document, const ExperimentOptions& options,
           ExperimentListener& listener, RunControl& control, std::stop_token stop,
           const RunEnvironment& environment, Workload workload, std::vector<Planned> planned, Redraw redraw)
        : m_document(document), m_options(options), m_listener(listener), m_control(control),
          m_stop(std::move(stop)), m_environment(environment), m_workload(std::move(workload)),
          m_planned(std::move(planned)), m_redraw(std::move(redraw)), m_hash(workloadHash(m_workload)),
          m_experiment(makeUuid())
    {}

    ExperimentResult run();

private:
    RunStatus loop(const RunParts& parts, const Workload& workload, const Strategy& strategy, EventSink& sink,
                   RunControl& control, const std::stop_token& stop) const;
    void refuseEarly() const;
    void warmUp() const;
    void takeWorkloadOf(int repetition);
    void tellAlike(const ExperimentResult& result, int repetitions) const;
    sessions::RunRecord newRecord(const Planned& planned, int repetition) const;
    sessions::StoredRun runOne(const Planned& planned, int repetition, int number, int all);
    std::unique_ptr<sessions::RunWriter> beginStoring(sessions::RunRecord& record, int number);

    const sessions::SessionDocument& m_document;
    const ExperimentOptions& m_options;
    ExperimentListener& m_listener;
    RunControl& m_control;
    std::stop_token m_stop;
    const RunEnvironment& m_environment;
    Workload m_workload; // of the repetition that runs
    std::vector<Planned> m_planned;
    Redraw m_redraw; // empty: every repetition has the same
    std::string m_hash, m_experiment, m_store_error;
};

} // namespace batchscope::app
