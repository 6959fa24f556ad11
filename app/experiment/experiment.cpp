// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/experiment.h"

#include "app/experiment/environment.h"
#include "app/experiment/model_access.h"
#include "app/experiment/run_environment.h"
#include "app/experiment/run_sink.h"
#include "scheduler/error.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mutex>
#include <tuple>

namespace batchscope::app {
namespace {

using engine::EngineError;
using engine::ErrorKind;
using sessions::DocumentError;
using sessions::SessionDocument;

// What a loaded model depends on: it is used again while these stay.
using ModelKey = std::tuple<std::filesystem::path, std::string, std::string, int>;

struct Planned // a strategy of the session that is to run
{
    Strategy strategy;
    int order = 0;
};

std::vector<Planned> plannedStrategies(const SessionDocument& document,
                                       const std::vector<std::string>& wanted)
{
    if (document.strategies.empty())
        throw DocumentError(
            "strategies: the session has none; add at least one, for example {\"name\": \"vanilla\", "
            "\"batching\": {\"type\": \"static\"}}");
    std::vector<std::string> names;
    for (const auto& strategy : document.strategies)
        names.push_back(strategy.name);
    std::vector<Planned> planned;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (wanted.empty() || std::find(wanted.begin(), wanted.end(), names[i]) != wanted.end())
            planned.push_back({document.strategies[i], static_cast<int>(i)});
    for (const auto& name : wanted)
        if (std::find(names.begin(), names.end(), name) == names.end())
            throw DocumentError(fmt::format("no strategy of the session is called '{}'; there are: {}", name,
                                            fmt::join(names, ", ")));
    return planned;
}

void checkStrategies(const std::vector<Planned>& planned, const Workload& workload, const Registry& registry,
                     bool simulated, ExperimentListener& listener)
{
    const auto every = [&workload](auto has) {
        return std::all_of(workload.requests.begin(), workload.requests.end(), has);
    };
    CheckContext context;
    context.simulated = simulated;
    context.workload_has_predictions = every([](const Request& r) { return r.predicted_tokens.has_value(); });
    context.workload_has_lengths = every([](const Request& r) { return r.output_tokens.has_value(); });
    for (const auto& [strategy, order] : planned)
        for (const auto& problem : checkStrategy(strategy, registry, context)) {
            const std::string text = fmt::format("strategy '{}': {}", strategy.name, problem.message);
            if (problem.severity == Severity::Refused) throw SchedulerError(text);
            listener.warned(text);
        }
}

std::vector<sessions::StoredRequest> storedRequests(const Workload& workload)
{
    std::vector<sessions::StoredRequest> stored;
    stored.reserve(workload.requests.size());
    for (const auto& request : workload.requests)
        stored.push_back(
            {request.index, request.id, request.prompt, request.prompt_ids, request.output_tokens});
    return stored;
}

std::int64_t nowUnixMs()
{
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

} // namespace

struct Experiment::Impl
{
    std::unique_ptr<engine::LanguageModel> model;
    ModelKey key;
    ModelAccess access; // of the session's model, or of the demo model whose prompts a simulated run reads
    std::mutex access_changes; // decode() may be asked from another thread while a run replaces it

    void openAccess(const SessionDocument& document);
    engine::LanguageModel& load(const SessionDocument& document, ExperimentListener& listener,
                                std::stop_token stop);
};

// The folder's configuration and tokenizer, where the session needs them. No libtorch yet.
void Experiment::Impl::openAccess(const SessionDocument& document)
{
    const bool simulated = document.backend.type == sessions::BackendSpec::Type::Simulated;
    if (simulated && document.workload.source.type != "demo") {
        const std::lock_guard lock(access_changes);
        access = {};
        return;
    }
    const std::string& name = document.backend.model;
    const bool demo = simulated || name.empty() || name == "demo";
    const auto folder = modelFolder(demo ? "demo" : document.resolvePath(name).string());
    if (access.tokenizer && access.folder == folder) return;
    ModelAccess opened = openModelFolder(folder);
    const std::lock_guard lock(access_changes);
    access = std::move(opened);
}

engine::LanguageModel& Experiment::Impl::load(const SessionDocument& document, ExperimentListener& listener,
                                              std::stop_token stop)
{
    const ModelKey wanted{access.folder, document.backend.dtype, document.backend.device,
                          document.backend.threads};
    if (model && key == wanted) return *model;
    model.reset(); // the old one's memory first
    const std::string what = access.folder.filename().string();
    listener.phaseChanged(Phase::LoadingModel, fmt::format("Loading {}", what), 0);
    engine::LoadOptions options;
    options.model_dir = access.folder;
    options.dtype = engine::dtypeFromName(document.backend.dtype);
    options.device = document.backend.device;
    options.threads = document.backend.threads;
    options.progress = [&listener, what](std::int64_t done, std::int64_t all) {
        listener.phaseChanged(Phase::LoadingModel, fmt::format("Loading {}", what),
                              all > 0 ? static_cast<double>(done) / static_cast<double>(all) : -1);
    };
    model = engine::torchPlugin().load(options, stop);
    key = wanted;
    return *model;
}

namespace {

// One press of Run: a workload, an environment, and the runs made of them.
class Series
{
public:
    Series(const SessionDocument& document, const ExperimentOptions& options, ExperimentListener& listener,
           RunControl& control, std::stop_token stop, const RunEnvironment& environment,
           const Workload& workload, std::vector<Planned> planned)
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

    const SessionDocument& m_document;
    const ExperimentOptions& m_options;
    ExperimentListener& m_listener;
    RunControl& m_control;
    std::stop_token m_stop;
    const RunEnvironment& m_environment;
    const Workload& m_workload;
    std::vector<Planned> m_planned;
    std::string m_hash, m_experiment, m_store_error;
};

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
        auto writer = m_options.store->begin(record, storedRequests(m_workload));
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
        const RunParts parts = m_environment.makeParts(m_workload, planned.strategy);
        record.status = loop(parts, m_workload, planned.strategy, sink, m_control, m_stop);
    } catch (const std::exception& error) { // what no event could say: the run has failed, the others go on
        record.status = RunStatus::Failed;
        record.message = error.what();
    }
    if (!sink.log().empty())
        if (const auto* ended = std::get_if<RunEnded>(&sink.log().back().body))
            record.message = ended->message;
    record.metrics = computeMetrics(sink.log(), planned.strategy.slo);
    sink.finish(record);
    if (m_store_error.empty()) m_store_error = sink.storeError();
    m_listener.runEnded(record);
    sessions::StoredRun run;
    if (m_options.keep_log)
        run = {record, sink.takeLog(), sink.takeTokens(), storedRequests(m_workload)};
    else
        run.record = record;
    return run;
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
         ++repetition) // interleaved: r1 of each, then r2 of each
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
    m_listener.phaseChanged(Phase::Closing, "Done", 1);
    return result;
}

} // namespace

Experiment::Experiment() : m_impl(std::make_unique<Impl>()) {}
Experiment::~Experiment() = default;

ExperimentResult Experiment::run(const SessionDocument& document, const ExperimentOptions& options,
                                 ExperimentListener& listener, RunControl& control, std::stop_token stop)
{
    const bool simulated = document.backend.type == sessions::BackendSpec::Type::Simulated;
    const Registry registry = fullRegistry();
    const auto reasons = sessions::whyNotRunnable(document, registry);
    if (!reasons.empty()) throw DocumentError(fmt::format("{}", fmt::join(reasons, "\n")));
    for (const auto& warning : document.warnings)
        listener.warned(warning);

    listener.phaseChanged(Phase::BuildingWorkload, "Building the workload", -1);
    auto planned = plannedStrategies(document, options.strategies);
    m_impl->openAccess(document);
    const ModelAccess& access = m_impl->access;
    for (auto& [strategy, order] : planned)
        strategy = sessions::completeStrategy(strategy, registry);
    BuiltWorkload built =
        buildWorkload(document, registry, access.tokenizer.get(),
                      access.tokenizer ? access.chat_template.name : "none", access.chat_template.system);
    for (const auto& row : built.skipped)
        listener.warned(row);
    for (const auto& note : built.notes)
        listener.warned(note);
    if (options.prepare) options.prepare(built.workload);
    checkStrategies(planned, built.workload, registry, simulated, listener);

    try {
        const auto environment =
            simulated ? simulatedEnvironment(document)
                      : measuredEnvironment(m_impl->load(document, listener, stop), access.folder, document);
        return Series(document, options, listener, control, stop, *environment, built.workload,
                      std::move(planned))
            .run();
    } catch (const EngineError& error) {
        if (error.kind() != ErrorKind::Cancelled) throw;
        return {RunStatus::Cancelled, {}, {}}; // while loading: there is no run yet
    }
}

std::string Experiment::decode(const std::vector<TokenId>& ids) const
{
    const std::lock_guard lock(m_impl->access_changes);
    if (!m_impl->access
             .tokenizer) { // a stored run before any was made here: the model in the box, if it is there
        try {
            m_impl->access = openModelFolder(demoModelDir());
        } catch (const EngineError&) {
            return {};
        }
    }
    return m_impl->access.tokenizer->decode(ids);
}

void Experiment::unload()
{
    m_impl->model.reset();
}

} // namespace batchscope::app
