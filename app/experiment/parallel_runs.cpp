// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/parallel_runs.h"

#include "engine/error.h"
#include "scheduler/error.h"
#include "scheduler/event_log.h"
#include "scheduler/loop.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <limits>
#include <mutex>
#include <thread>

namespace batchscope::app {
namespace {

class LogSink final : public EventSink
{
public:
    void append(std::vector<Event> events) override
    {
        log.insert(log.end(), std::make_move_iterator(events.begin()), std::make_move_iterator(events.end()));
    }
    EventLog log;
};

SimulatedOutcome simulateOne(const SimulatedJob& job, const Workload& workload, const std::stop_token& stop)
{
    const RunEnvironment& environment = *job.environment;
    SimulatedOutcome outcome;
    LogSink sink;
    try {
        const RunParts parts = environment.makeParts(workload, job.strategy);
        parts.clock->resume();
        RunControl control;
        LoopInputs inputs;
        inputs.workload = &workload;
        inputs.strategy = &job.strategy;
        inputs.registry = &environment.registry();
        inputs.backend = parts.backend.get();
        inputs.predictor = parts.predictor.get();
        inputs.clock = parts.clock.get();
        outcome.theory = theoreticalWait(workload, job.strategy, *parts.backend);
        runLoop(inputs, sink, control, stop);
    } catch (const SchedulerError& error) {
        outcome.refusal = error.what();
        return outcome;
    }
    const auto& ended = std::get<RunEnded>(sink.log.back().body); // always the last event
    if (ended.status == RunStatus::Completed) {
        MetricOptions options = metricOptions(job.strategy, environment.serviceAlone());
        options.part = job.part;
        outcome.metrics = computeMetrics(sink.log, options);
    } else {
        outcome.refusal = ended.message;
    }
    // Predictions that take time hold the server up: theory knows none.
    if (!outcome.metrics || outcome.metrics->predictor_time_share.value_or(0) > 0) outcome.theory.reset();
    return outcome;
}

class Pool
{
public:
    Pool(const std::vector<SimulatedJob>& jobs, const SharedWorkloads& workloads,
         const ParallelOptions& options)
        : m_jobs(jobs), m_workloads(workloads), m_options(options), m_outcomes(jobs.size()),
          m_places(workloads.count)
    {
        for (const SimulatedJob& job : jobs)
            ++m_places[job.workload].jobs_left;
    }

    std::vector<SimulatedOutcome> run()
    {
        const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
        const std::size_t asked = m_options.threads > 0 ? static_cast<std::size_t>(m_options.threads) : cores;
        {
            std::vector<std::jthread> threads;
            for (std::size_t i = 1; i < std::min(asked, m_jobs.size()); ++i)
                threads.emplace_back([this] { work(); });
            work();
        }
        if (m_error) std::rethrow_exception(m_error);
        if (m_options.stop.stop_requested())
            throw engine::EngineError(engine::ErrorKind::Cancelled, "cancelled before all runs were made");
        return std::move(m_outcomes);
    }

private:
    struct Place
    {
        std::mutex making;
        std::shared_ptr<const Workload> workload;
        std::size_t jobs_left = 0; // guarded by m_mutex
    };

    // Jobs are taken in their order, so that of several errors the first job's is the one that is told.
    void work()
    {
        for (std::size_t i = m_next++; i < m_jobs.size(); i = m_next++) {
            if (m_options.stop.stop_requested() || i > m_failed_job) return;
            try {
                m_outcomes[i] = simulateOne(m_jobs[i], *workloadOf(m_jobs[i]), m_options.stop);
            } catch (...) {
                fail(i);
                return;
            }
            finish(m_jobs[i]);
        }
    }

    std::shared_ptr<const Workload> workloadOf(const SimulatedJob& job)
    {
        Place& place = m_places[job.workload];
        const std::lock_guard lock(place.making);
        if (!place.workload)
            place.workload = std::make_shared<const Workload>(m_workloads.make(job.workload));
        return place.workload;
    }

    void finish(const SimulatedJob& job)
    {
        const std::lock_guard lock(m_mutex);
        if (--m_places[job.workload].jobs_left == 0) m_places[job.workload].workload.reset();
        ++m_done;
        if (m_options.progressed) m_options.progressed(m_done, m_jobs.size());
    }

    void fail(std::size_t job)
    {
        const std::lock_guard lock(m_mutex);
        if (job > m_failed_job) return;
        m_error = std::current_exception();
        m_failed_job = job;
    }

    const std::vector<SimulatedJob>& m_jobs;
    const SharedWorkloads& m_workloads;
    const ParallelOptions& m_options;
    std::vector<SimulatedOutcome> m_outcomes;
    std::vector<Place> m_places;
    std::atomic<std::size_t> m_next = 0;
    std::atomic<std::size_t> m_failed_job = std::numeric_limits<std::size_t>::max();
    std::mutex m_mutex;
    std::size_t m_done = 0;
    std::exception_ptr m_error; // of m_failed_job
};

} // namespace

std::vector<SimulatedOutcome> simulateAll(const std::vector<SimulatedJob>& jobs,
                                          const SharedWorkloads& workloads, const ParallelOptions& options)
{
    return Pool(jobs, workloads, options).run();
}

} // namespace batchscope::app
