// SPDX-License-Identifier: GPL-3.0-or-later
// What else could be done with a session's workload and cost model: modes, sizes, groups, orderings and
// predictors of several qualities, each simulated; which of them nothing beats, and how far the session's own
// strategies are from them.
#pragma once

#include "app/experiment/experiment.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace batchscope::app {

struct AdvisedFigures // what is traded against each other
{
    double tokens_per_s = 0;   // useful output tokens / makespan
    double e2el_p99_s = 0;     // end-to-end latency
    std::int64_t kv_bytes = 0; // most KV memory taken at once
    // No worse in all, better in one.
    bool dominates(const AdvisedFigures& other) const;
    bool operator==(const AdvisedFigures&) const = default;
};

// Absent where nothing was completed.
std::optional<AdvisedFigures> advisedFigures(const RunMetrics& metrics);

enum class PredictorQuality { None, Imperfect, Oracle };

struct Candidate
{
    Strategy strategy; // its name says what it is
    PredictorQuality quality = PredictorQuality::None;
    bool is_own = false;                   // the session's
    std::optional<AdvisedFigures> figures; // absent: refused, or nothing was completed
    std::string refusal;
    bool is_on_frontier = false;
};

struct Regret // of one figure of one own strategy
{
    std::string figure;                // "throughput", "p99 latency", "KV memory"
    std::optional<std::size_t> best;   // candidate; among those that need no oracle
    std::optional<std::size_t> oracle; // the best of those that know every length
    double against_best = 0;           // how much the best is better, as a share of the own figure
    double against_oracle = 0;
};

struct Advice // on one strategy of the session
{
    std::size_t own = 0;               // candidate
    std::vector<Regret> regrets;       // throughput, p99 latency, KV memory
    std::optional<std::size_t> better; // beats it in everything that counts without an oracle
    std::string words;                 // what to change and what that gives
};

struct AdvisorResult
{
    std::string session;
    std::uint64_t seed = 0;
    std::int64_t requests = 0;
    std::vector<Candidate> candidates; // the session's strategies first
    std::vector<std::size_t> frontier; // by throughput, the highest first
    std::vector<Advice> advice;        // one a strategy of the session that ran
    std::vector<std::string> notes;
};

struct AdvisorOptions
{
    std::vector<std::string> strategies; // of the session, to be judged; empty: all
    int threads = 0;                     // 0: one for each core
    std::function<void(std::size_t done, std::size_t all)> progressed;
};

class Advisor
{
public:
    // Throws DocumentError for a session that the simulator cannot run.
    Advisor(const sessions::SessionDocument& document, AdvisorOptions options);

    std::size_t runCount() const { return m_candidates.size(); }
    // The same for any number of threads. Throws as simulateAll does.
    AdvisorResult run(const std::stop_token& stop) const;

private:
    const sessions::SessionDocument m_document;
    AdvisorOptions m_options;
    Registry m_registry;
    std::vector<Candidate> m_candidates;
};

// Every strategy the advisor tries, with the limits given.
std::vector<Candidate> advisorCandidates(const Limits& limits);

std::string advisorText(const AdvisorResult& result); // frontier and advice, for a terminal
std::string advisorJson(const AdvisorResult& result);

} // namespace batchscope::app
