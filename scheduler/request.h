// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked of the server: requests with their arrivals, and the frozen workload every strategy is given.
#pragma once

#include "scheduler/time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace batchscope {

using TokenId = std::int32_t;
using RequestIndex = std::uint32_t; // position in the workload: the identity of a request everywhere

struct Request
{
    RequestIndex index = 0;
    std::string id;     // a label, never compared
    std::string prompt; // the text as its author wrote it (before the chat template); may be empty
    std::vector<TokenId> prompt_ids; // what the model reads; empty only where the simulator runs counts alone
    int prompt_tokens = 0;           // = prompt_ids.size() where there are ids
    std::optional<int> output_tokens; // recorded, fixed or drawn length (the end of sequence is not counted)
    std::optional<int> predicted_tokens; // what a `recorded` predictor says
    Nanos arrival_ns = 0;                // from the run's start
    std::optional<RequestIndex>
        follows;        // a conversation's later turn: arrives think_ns after that one's completion
    Nanos think_ns = 0; // also in a closed loop: from the client's last completion to this request
    int priority = 0;
    std::string client;
    std::string prefix_group; // requests with the same one begin alike; a label, empty: shares with nobody

    bool operator==(const Request&) const = default;
};

// Free: the model decides. All others: each request runs to `output_tokens` (the end of sequence is held back
// before it and forced at it).
enum class LengthMode { Free, Replayed, Fixed, Drawn };

struct Sampling
{
    double temperature = 0.0; // <= 1e-4 means greedy
    double top_p = 1.0;
    std::uint64_t seed = 42; // one generator per request from (seed, index), advanced by token position

    bool operator==(const Sampling&) const = default;
};

struct Workload
{
    std::vector<Request> requests; // in file order; request i has index i
    LengthMode lengths = LengthMode::Free;
    Sampling sampling;
    std::uint64_t seed = 42;
    // Closed loop: so many clients, each with one request at a time; whoever gets its answer takes the next
    // request in file order and sends it think_ns later. 0: open, requests arrive at arrival_ns whatever the
    // server does.
    int closed_loop_clients = 0;
    std::string source;   // "demo", "file prompts.jsonl", ... for people
    std::string arrivals; // "all-at-once", "poisson 4/s", ... for people

    bool operator==(const Workload&) const = default;
};

// 16 hexadecimal digits over prompts, arrivals, lengths, length mode and sampling: equal hashes = same work.
std::string workloadHash(const Workload& workload);

std::string lengthModeName(LengthMode mode); // "free", "replayed", "fixed", "drawn"

} // namespace batchscope
