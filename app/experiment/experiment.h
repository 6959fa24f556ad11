// SPDX-License-Identifier: GPL-3.0-or-later
// Builds and runs a session: both programs use it. No Qt, no torch headers.
#pragma once

#include "engine/data/import.h"
#include "engine/error.h"
#include "scheduler/loop.h"
#include "sessions/run_store.h"
#include "sessions/session_document.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace batchscope::engine {
class LanguageModel;
class Tokenizer;
} // namespace batchscope::engine

namespace batchscope::app {

// Where the program's data lies: $BATCHSCOPE_RESOURCES, ../share/batchscope beside the program, or the source
// tree.
std::filesystem::path resourceDir();
std::filesystem::path demoModelDir();
std::filesystem::path exampleSession(); // the first by name in sessions/examples

// Every part, those of the scheduler and the model-bound descriptors (pooled-mlp).
Registry fullRegistry();

// What a workload spec gives: requests with templated ids, arrivals and lengths set. `model` absent:
// simulator.
struct BuiltWorkload
{
    Workload workload;
    std::vector<std::string> skipped;           // rows left out, with number and reason
    std::vector<std::string> notes;             // what was assumed, for people
    std::optional<engine::ImportReport> import; // of the source's file, where it has one
};
BuiltWorkload buildWorkload(const sessions::SessionDocument& document, const Registry& registry,
                            const engine::Tokenizer* tokenizer, const std::string& template_name,
                            const std::string& system);

enum class Phase { LoadingModel, BuildingWorkload, WarmingUp, Running, Closing };

// Facts on the experiment's thread, in order. Implementations hand them over quickly (the loop waits).
class ExperimentListener
{
public:
    virtual ~ExperimentListener() = default;
    virtual void phaseChanged(Phase, const std::string& /*text*/, double /*fraction 0...1, or -1*/) {}
    virtual void runStarted(int /*run of the experiment, from 0*/, int /*runs*/, const sessions::RunRecord&,
                            const Workload&)
    {}
    virtual void eventsAppended(const std::vector<Event>&) {}
    virtual void tokensAppended(RequestIndex, std::uint16_t /*attempt*/, const std::vector<TokenId>&) {}
    virtual void runEnded(const sessions::RunRecord&) {}
    virtual void warned(const std::string&) {} // e.g. the store could not be written
};

struct ExperimentOptions
{
    std::vector<std::string> strategies; // names; empty: all
    std::optional<int> repetitions;
    std::function<void(Workload&)> prepare; // a last change before the workload is frozen
    sessions::RunStore* store = nullptr;    // absent: not kept
    bool watched = false;                   // a window is watching
    bool keep_log = true;                   // fill ExperimentResult::runs (for comparing at the end)
    std::string command; // the command line that asked for the runs; kept with them, empty: there is none
};

struct ExperimentResult
{
    RunStatus status = RunStatus::Completed;
    std::vector<sessions::StoredRun> runs;
    std::string store_error; // what the store said when it failed; `runs` is whole all the same
};

struct DecodedText
{
    std::string text;
    std::string why_not; // why there is none; empty: `text` is the ids' text
};

// Loads what the session needs (a loaded model is kept and used again while folder, dtype, device and threads
// stay), builds the workload once and runs strategies x repetitions on it, interleaved. Throws DocumentError,
// SchedulerError, EngineError, StoreError before the first run; afterwards failures end the run as failed.
class Experiment
{
public:
    Experiment();
    ~Experiment();
    ExperimentResult run(const sessions::SessionDocument& document, const ExperimentOptions& options,
                         ExperimentListener& listener, RunControl& control, std::stop_token stop);
    // Text of the ids of a run, with the tokenizer of the very model that made them: the loaded one or the
    // one in the box. No text rather than another model's. May be asked from any thread.
    DecodedText decode(const sessions::RunRecord& record, const std::vector<TokenId>& ids) const;
    void unload();

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace batchscope::app
