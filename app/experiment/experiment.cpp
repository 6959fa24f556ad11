// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/experiment.h"

#include "app/experiment/model_access.h"
#include "app/experiment/run_environment.h"
#include "app/experiment/seeds.h"
#include "app/experiment/series.h"
#include "engine/checkpoint/model_folder.h"
#include "scheduler/error.h"

#include <algorithm>
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

// A model folder that is open, and how provenances name it.
struct NamedModel
{
    ModelAccess access;
    std::string identity; // once somebody asked

    // Whether it is the model of that provenance. The folder's name is looked at first: a hash reads all
    // weights.
    bool made(const std::string& provenance)
    {
        if (!access.tokenizer || !provenance.starts_with(modelIdentity(access.folder, {}))) return false;
        if (identity.empty())
            identity = modelIdentity(access.folder, engine::ModelFolder(access.folder).hash());
        return identity == provenance;
    }
};

} // namespace

struct Experiment::Impl
{
    std::unique_ptr<engine::LanguageModel> model;
    ModelKey key;
    NamedModel open;           // the session's model, or the demo model whose prompts a simulated run reads
    NamedModel in_the_box;     // for stored runs; empty until somebody asked
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
        open = {};
        return;
    }
    const std::string& name = document.backend.model;
    const bool demo = simulated || name.empty() || name == "demo";
    const auto folder = modelFolder(demo ? "demo" : document.resolvePath(name).string());
    if (open.access.tokenizer && open.access.folder == folder) return;
    ModelAccess opened = openModelFolder(folder);
    const std::lock_guard lock(access_changes);
    open = {std::move(opened), {}};
}

engine::LanguageModel& Experiment::Impl::load(const SessionDocument& document, ExperimentListener& listener,
                                              std::stop_token stop)
{
    const ModelKey wanted{open.access.folder, document.backend.dtype, document.backend.device,
                          document.backend.threads};
    if (model && key == wanted) return *model;
    model.reset(); // the old one's memory first
    const std::string what = open.access.folder.filename().string();
    listener.phaseChanged(Phase::LoadingModel, fmt::format("Loading {}", what), 0);
    engine::LoadOptions options;
    options.model_dir = open.access.folder;
    options.dtype = engine::dtypeFromName(document.backend.dtype);
    options.device = document.backend.device;
    options.threads = document.backend.threads;
    options.progress = [&listener, what](std::int64_t done, std::int64_t all) {
        listener.phaseChanged(Phase::LoadingModel, fmt::format("Loading {}", what),
                              all > 0 ? static_cast<double>(done) / static_cast<double>(all) : -1);
    };
    model = asModelProblem([&] { return engine::torchPlugin().load(options, stop); });
    key = wanted;
    return *model;
}

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
    const ModelAccess& access = m_impl->open.access;
    for (auto& [strategy, order] : planned)
        strategy = sessions::completeStrategy(strategy, registry);
    const auto build = [&](const SessionDocument& seeded) {
        BuiltWorkload made =
            buildWorkload(seeded, registry, access.tokenizer.get(),
                          access.tokenizer ? access.chat_template.name : "none", access.chat_template.system);
        if (options.prepare) options.prepare(made.workload);
        return made;
    };
    BuiltWorkload built = build(document);
    for (const auto& row : built.skipped)
        listener.warned(row);
    for (const auto& note : built.notes)
        listener.warned(note);
    checkStrategies(planned, built.workload, registry, simulated, listener);

    try {
        const auto environment =
            simulated ? simulatedEnvironment(document)
                      : measuredEnvironment(m_impl->load(document, listener, stop), access.folder, document);
        Series::Redraw redraw;
        if (document.variesSeed())
            redraw = [&](int repetition) {
                return build(documentOfRepetition(document, repetition)).workload;
            };
        return Series(document, options, listener, control, stop, *environment, std::move(built.workload),
                      std::move(planned), std::move(redraw))
            .run();
    } catch (const EngineError& error) {
        if (error.kind() != ErrorKind::Cancelled) throw;
        return {RunStatus::Cancelled, {}, {}}; // while loading: there is no run yet
    }
}

DecodedText Experiment::decode(const sessions::RunRecord& record, const std::vector<TokenId>& ids) const
{
    const std::string& made_by = record.provenance.model;
    if (!record.provenance.measured || made_by.empty())
        return {{}, "The run was simulated: no model answered, there is no text."};
    const std::lock_guard lock(m_impl->access_changes);
    NamedModel& open = m_impl->open;
    NamedModel& demo = m_impl->in_the_box; // a stored run, before or beside those of another model
    try {
        if (open.made(made_by)) return {open.access.tokenizer->decode(ids), {}};
        if (!demo.access.tokenizer) demo.access = openModelFolder(demoModelDir());
        if (demo.made(made_by)) return {demo.access.tokenizer->decode(ids), {}};
    } catch (const EngineError&) { // a folder is no longer what it was: its text cannot be trusted
    }
    return {
        {},
        fmt::format("These are token ids of the model {}, which is not open here; run a session with it to "
                    "read its answers.",
                    made_by)};
}

void Experiment::unload()
{
    m_impl->model.reset();
}

} // namespace batchscope::app
