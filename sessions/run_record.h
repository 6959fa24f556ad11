// SPDX-License-Identifier: GPL-3.0-or-later
// A run as it is kept: what it was, how it ended, what it measured. Its events and token ids lie beside it.
#pragma once

#include "scheduler/comparability.h"
#include "scheduler/event_log.h"
#include "scheduler/metrics/metrics.h"
#include "scheduler/statistics/applied_theory.h"
#include "scheduler/statistics/hints.h"

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace batchscope::sessions {

using RunId = std::int64_t;
using AttemptTokens = std::map<std::pair<RequestIndex, std::uint16_t>, std::vector<TokenId>>;

struct Environment
{
    std::string cpu, gpu, libraries, version, commit;
    int threads = 0;
    bool operator==(const Environment&) const = default;
};

struct RunRecord
{
    RunId id = 0; // set by the store
    std::string uuid;
    std::string session;    // session name
    std::string name;       // strategy name
    std::string experiment; // uuid shared by the runs of one press of Run
    std::int64_t started_unix_ms = 0;
    std::optional<RunStatus> status; // absent while running; shown as interrupted when its process is gone
    std::string message;
    Strategy strategy;
    Provenance provenance;
    std::string workload_hash;
    LengthMode lengths = LengthMode::Free;
    Sampling sampling;
    std::string source, arrivals;
    // What repeats it: the command line that made it, the session file it was read from (either may be
    // empty), and the session's `backend` and `workload` as they were run (null in records of older stores).
    std::string command, session_file;
    nlohmann::json backend, workload;
    nlohmann::json
        measure; // the session's: which part of the run has figures of its own; null: the whole run
    // Of a simulated run: the work that was offered, and what queueing theory gives where it knows the run.
    std::optional<OfferedLoad> offered;
    std::optional<TheoreticalWait> theory;
    std::uint64_t seed = 42; // of its own workload
    int repetition = 0;      // from 0
    int order = 0;           // position of the strategy in the session: colour, marker and dash
    std::int64_t requests = 0;
    std::optional<RunMetrics> metrics;
    bool trashed = false; // kept by the store beside the record
    Environment environment;
    bool operator==(const RunRecord&) const = default;
};

struct StoredRequest // what views and exports show of a request besides its events
{
    RequestIndex index = 0;
    std::string id, prompt;
    std::vector<TokenId> prompt_ids;
    std::optional<int> recorded_output_tokens;
    int priority = 0; // smaller is more urgent
    std::string client;
    bool operator==(const StoredRequest&) const = default;
};

std::vector<StoredRequest> storedRequests(const Workload& workload);

// Digests of delivered outputs come from `tokens` and `log`.
RunFacts runFacts(const RunRecord& record, const EventLog& log, const AttemptTokens& tokens);

// Result JSON of one run: cli.md's keys, and every figure of metricDefinitions() under its name.
nlohmann::json resultJson(const RunRecord& record);
// {"schema": "batchscope.result/1", "runs": [...]}
nlohmann::json resultDocument(const std::vector<RunRecord>& records);

} // namespace batchscope::sessions
