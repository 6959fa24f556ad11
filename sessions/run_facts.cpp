// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/run_record.h"

#include <fmt/format.h>
#include <set>

namespace batchscope::sessions {

namespace {

// The attempt of each request that was delivered: the last that ended and was not thrown away.
std::map<RequestIndex, std::uint16_t> deliveredAttempts(const EventLog& log)
{
    std::map<RequestIndex, std::uint16_t> delivered;
    std::set<std::pair<RequestIndex, std::uint16_t>> abandoned;
    for (const auto& event : log)
        if (const auto* thrown = std::get_if<AttemptAbandoned>(&event.body))
            abandoned.emplace(thrown->request, thrown->attempt);
    for (const auto& event : log) {
        const auto* row = std::get_if<RowEnded>(&event.body);
        if (!row || row->cause == RowEnd::Limit || row->cause == RowEnd::Failed ||
            row->cause == RowEnd::Cancelled)
            continue;
        if (!abandoned.contains({row->request, row->attempt})) delivered[row->request] = row->attempt;
    }
    return delivered;
}

// FNV-1a, 64 bits: tells whether two answers have the same ids; not meant against an adversary.
std::string digest(const std::vector<TokenId>& ids)
{
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const TokenId id : ids)
        for (int shift = 0; shift < 32; shift += 8) {
            hash ^= (static_cast<std::uint32_t>(id) >> shift) & 0xFFU;
            hash *= 0x100000001b3ULL;
        }
    return fmt::format("{:016x}", hash);
}

double windowOf(const Strategy& strategy)
{
    const auto found = strategy.batching.params.find("window_s");
    if (found == strategy.batching.params.end()) return 0;
    if (const auto* real = std::get_if<double>(&found->second)) return *real;
    if (const auto* whole = std::get_if<std::int64_t>(&found->second)) return static_cast<double>(*whole);
    return 0;
}

} // namespace

std::vector<StoredRequest> storedRequests(const Workload& workload)
{
    std::vector<StoredRequest> stored;
    stored.reserve(workload.requests.size());
    for (const Request& request : workload.requests)
        stored.push_back({request.index, request.id, request.prompt, request.prompt_ids,
                          request.output_tokens, request.priority, request.client});
    return stored;
}

RunFacts runFacts(const RunRecord& record, const EventLog& log, const AttemptTokens& tokens)
{
    RunFacts facts;
    facts.name = record.name;
    facts.strategy = record.strategy;
    facts.provenance = record.provenance;
    facts.workload_hash = record.workload_hash;
    facts.lengths = record.lengths;
    facts.sampling = record.sampling;
    facts.arrivals = record.arrivals;
    facts.window_s = windowOf(record.strategy);
    if (record.metrics) facts.useful_output_tokens = record.metrics->useful_output_tokens;
    for (const auto& event : log)
        if (const auto* started = std::get_if<RunStarted>(&event.body)) facts.delivery = started->delivery;
    if (tokens.empty()) return facts;
    facts.output_digests.resize(static_cast<std::size_t>(record.requests));
    for (const auto& [request, attempt] : deliveredAttempts(log)) {
        if (request >= facts.output_digests.size()) facts.output_digests.resize(request + 1);
        const auto ids = tokens.find({request, attempt});
        facts.output_digests[request] = digest(ids == tokens.end() ? std::vector<TokenId>{} : ids->second);
    }
    return facts;
}

} // namespace batchscope::sessions
