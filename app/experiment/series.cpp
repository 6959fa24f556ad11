// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/series.h"

#include "app/experiment/run_sink.h"
#include "app/experiment/seeds.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace batchscope::app {
namespace {

std::int64_t nowUnixMs()
{
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

} // namespace

RunStatus Series::loop(const RunParts& parts, const Workload& workload, const Strategy& strategy,
                       EventSink& sink, RunControl& control, const std::stop_token& stop) const
{
    LoopInputs inputs;
    inputs.workload = &workload;
    inputs.strategy = &strategy;
    inputs.registry = &m_environment.registry();
    inputs.backend = parts.backend.get();
    inputs.predictor = parts.predictor.get();
    inputs.clock = parts.clock.get();
    parts.clock->resume();
    return runLoop(inputs, sink, control, stop);
}

// What the loop refuses, it refuses before its first event; a run that is stopped from the beginning shows
// that for every strategy before any has run.
void Series::refuseEarly() const
{
    std::stop_source stopped;
    stopped.request_stop();
    for (const auto& planned : m_planned) {
        NoSink nothing;
        RunControl control;
        loop(m_environment.makeParts(m_workload, planned.strategy), m_workload, planned.strategy, nothing,
             control, stopped.get_token());
    }
}

// First passes pay for pages, caches and thread start: a few short requests per strategy, unlogged.
void Series::warmUp() const
{
    constexpr std::size_t k_requests = 16;
    constexpr int k_tokens = 8;
    Workload few = m_workload;
    few.requests.resize(std::min(few.requests.size(), k_requests));
    few.lengths = LengthMode::Fixed;
    for (auto& request : few.requests) {
        request.output_tokens = k_tokens;
        request.arrival_ns = 0;
    }
    for (std::size_t i = 0; i < m_planned.size() && !m_stop.stop_requested(); ++i) {
        const Strategy& strategy = m_planned[i].strategy;
        m_listener.phaseChanged(Phase::WarmingUp, fmt::format("Warming up {}", strategy.name),
                                static_cast<double>(i) / static_cast<double>(m_planned.size()));
        NoSink nothing;
        RunControl control;
        loop(m_environment.makeParts(few, strategy), few, strategy, nothing, control, m_stop);
    }
}

sessions::RunRecord Series::newRecord(const Planned& planned, int repetition) const
{
    sessions::RunRecord record;
    record.uuid = makeUuid();
    record.session = m_document.name;
    record.name = planned.strategy.name;
    record.experiment = m_experiment;
    record.started_unix_ms = nowUnixMs();
    record.strategy = planned.strategy;
    record.environment = readEnvironment();
    m_environment.describe(record.provenance, record.environment);
    record.provenance.watched = m_options.watched;
    record.provenance.warmed_up = !m_environment.isSimulated();
    record.workload_hash = m_hash;
    record.lengths = m_workload.lengths;
    record.sampling = m_workload.sampling;
    record.source = m_workload.source;
    record.arrivals = m_workload.arrivals;
    record.command = m_options.command;
    record.session_file = m_document.file.string();
    auto session = sessions::sessionToJson(m_document);
    record.backend = std::move(session["backend"]);
    record.workload = std::move(session["workload"]);
    record.workload["seed"] = m_workload.seed; // that of the repetition
    record.measure = sessions::measureToJson(m_document.measure);
    record.seed = m_workload.seed;
    record.repetition = repetition;
    record.order = planned.order;
    record.requests = static_cast<std::int64_t>(m_workload.requests.size());
    return record;
}

// The first run's trouble with the store leaves as StoreError, before anything has run; later ones are told
// once.
std::unique_ptr<sessions::RunWriter> Series::beginStoring(sessions::RunRecord& record, int number)
{
    if (!m_options.store) return nullptr;
    try {
        auto writer = m_options.store->begin(record, sessions::storedRequests(m_workload));
        record.id = writer->id();
        return writer;
    } catch (const sessions::StoreError& error) {
        if (number == 0) throw;
        m_store_error = error.what();
        m_listener.warned(fmt::format("{}\nThe run goes on and is kept in memory.", error.what()));
        return nullptr;
    }
}

sessions::StoredRun Series::runOne(const Planned& planned, int repetition, int number, int all)
{
    sessions::RunRecord record = newRecord(planned, repetition);
    RunSink sink(m_listener, beginStoring(record, number));
    m_listener.phaseChanged(Phase::Running, fmt::format("Running {}", record.name),
                            static_cast<double>(number) / static_cast<double>(all));
    m_listener.runStarted(number, all, record, m_workload);
    try {
        const Strategy seeded =
            m_redraw ? strategyOfRepetition(planned.strategy, repetition) : planned.strategy;
        const RunParts parts = m_environment.makeParts(m_workload, seeded);
        if (m_environment.isSimulated()) {
            record.offered = offeredLoad(m_workload, seeded, *parts.backend);
            record.theory = theoreticalWait(m_workload, seeded, *parts.backend);
        }
        record.status = loop(parts, m_workload, seeded, sink, m_control, m_stop);
    } catch (const std::exception& error) { // what no event could say: the run has failed, the others go on
        record.status = RunStatus::Failed;
        record.message = error.what();
    }
    if (!sink.log().empty())
        if (const auto* ended = std::get_if<RunEnded>(&sink.log().back().body))
            record.message = ended->message;
    MetricOptions metric_options = metricOptions(planned.strategy, m_environment.serviceAlone());
    metric_options.part = m_document.measure.part();
    record.metrics = computeMetrics(sink.log(), metric_options);
    if (record.metrics->predictor_time_share.value_or(0) > 0)
        record.theory.reset(); // predictions hold the server up: theory knows none
    const MeasuredPart& part = metric_options.part;
    const bool is_part = part.warm_up.requests || part.warm_up.duration_ns || part.window;
    if (is_part && !record.metrics->window)
        m_listener.warned(
            fmt::format("measure: nothing of the run of {} is left after the warm-up and in the "
                        "window (it ended at {:.2f} s); the figures are of the whole run",
                        record.name, sink.log().empty() ? 0 : toSeconds(sink.log().back().at_ns)));
    sink.finish(record);
    if (m_store_error.empty()) m_store_error = sink.storeError();
    m_listener.runEnded(record);
    sessions::StoredRun run;
    if (m_options.keep_log)
        run = {record, sink.takeLog(), sink.takeTokens(), sessions::storedRequests(m_workload)};
    else
        run.record = record;
    return run;
}

void Series::takeWorkloadOf(int repetition)
{
    if (!m_redraw || repetition == 0) return;
    m_listener.phaseChanged(Phase::BuildingWorkload,
                            fmt::format("Drawing the workload of repetition {}", repetition + 1), -1);
    m_workload = m_redraw(repetition);
    m_hash = workloadHash(m_workload);
}

// An interval over repetitions that cannot differ would claim a certainty that nobody has.
void Series::tellAlike(const ExperimentResult& result, int repetitions) const
{
    if (!m_redraw || repetitions < 2) return;
    const auto& first = result.runs.front().record;
    const bool alike =
        std::all_of(result.runs.begin(), result.runs.end(), [&](const sessions::StoredRun& run) {
            return run.record.order != first.order || run.record.metrics == first.metrics;
        });
    if (alike)
        m_listener.warned(fmt::format(
            "repetitions: all {} came out the same, for the seed changes nothing in this workload (its rows, "
            "lengths and arrivals are fixed); take fewer rows than the source has, or random arrivals or "
            "lengths, for repetitions that tell something",
            repetitions));
}

ExperimentResult Series::run()
{
    refuseEarly();
    if (!m_environment.isSimulated()) warmUp();
    const int repetitions = std::max(1, m_options.repetitions.value_or(m_document.repetitions));
    const int all = repetitions * static_cast<int>(m_planned.size());
    ExperimentResult result;
    int number = 0;
    for (int repetition = 0; repetition < repetitions;
         ++repetition) { // interleaved: r1 of each, then r2 of each
        takeWorkloadOf(repetition);
        for (const auto& planned : m_planned) {
            if (m_stop.stop_requested()) {
                result.status = RunStatus::Cancelled;
                return result;
            }
            result.runs.push_back(runOne(planned, repetition, number++, all));
            result.store_error = m_store_error;
            const RunStatus status = *result.runs.back().record.status;
            if (status == RunStatus::Cancelled) m_listener.phaseChanged(Phase::Closing, "Cancelled", 1);
            if (status != RunStatus::Completed) result.status = status;
            if (status == RunStatus::Cancelled) return result;
        }
    }
    tellAlike(result, repetitions);
    m_listener.phaseChanged(Phase::Closing, "Done", 1);
    return result;
}

} // namespace batchscope::app
