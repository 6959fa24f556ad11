// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/request.h"

#include <bit>
#include <fmt/core.h>
#include <string_view>

namespace batchscope {
namespace {

constexpr double k_greedy_temperature = 1e-4; // as Sampling::temperature says

// FNV-1a over little-endian bytes: the same on every machine.
class Digest
{
public:
    void add(std::uint64_t value)
    {
        for (unsigned shift = 0; shift < 64; shift += 8)
            addByte(static_cast<std::uint8_t>(value >> shift));
    }
    void add(std::string_view text)
    {
        add(static_cast<std::uint64_t>(text.size()));
        for (const char c : text)
            addByte(static_cast<std::uint8_t>(c));
    }
    std::uint64_t value() const { return m_value; }

private:
    void addByte(std::uint8_t byte) { m_value = (m_value ^ byte) * 0x100000001B3ULL; }
    std::uint64_t m_value = 0xCBF29CE484222325ULL;
};

void addPrompt(Digest& digest, const Request& request)
{
    digest.add(static_cast<std::uint64_t>(request.prompt_tokens));
    digest.add(static_cast<std::uint64_t>(request.prompt_ids.size()));
    for (const TokenId id : request.prompt_ids)
        digest.add(static_cast<std::uint64_t>(id));
    if (request.prompt_ids.empty()) digest.add(request.prompt); // else the ids are what the model reads
}

void addSampling(Digest& digest, const Sampling& sampling)
{
    const bool greedy = sampling.temperature <= k_greedy_temperature;
    digest.add(greedy ? 0U : 1U);
    if (greedy) return; // neither top-p nor seed changes a greedy answer
    digest.add(std::bit_cast<std::uint64_t>(sampling.temperature));
    digest.add(std::bit_cast<std::uint64_t>(sampling.top_p));
    digest.add(sampling.seed);
}

} // namespace

std::string workloadHash(const Workload& workload)
{
    Digest digest;
    digest.add(static_cast<std::uint64_t>(workload.requests.size()));
    digest.add(static_cast<std::uint64_t>(workload.lengths));
    if (workload.closed_loop_clients > 0)
        digest.add(static_cast<std::uint64_t>(workload.closed_loop_clients));
    addSampling(digest, workload.sampling);
    for (const Request& request : workload.requests) {
        addPrompt(digest, request);
        digest.add(static_cast<std::uint64_t>(request.arrival_ns));
        if (request.follows) digest.add(*request.follows + std::uint64_t{1});
        if (request.think_ns != 0) digest.add(static_cast<std::uint64_t>(request.think_ns));
        // A recorded length that the model is free to ignore is a label, not work.
        const bool counts = workload.lengths != LengthMode::Free && request.output_tokens.has_value();
        digest.add(counts ? static_cast<std::uint64_t>(*request.output_tokens) + 1 : 0U);
    }
    return fmt::format("{:016x}", digest.value());
}

std::string lengthModeName(LengthMode mode)
{
    switch (mode) {
    case LengthMode::Free:
        return "free";
    case LengthMode::Replayed:
        return "replayed";
    case LengthMode::Fixed:
        return "fixed";
    case LengthMode::Drawn:
        return "drawn";
    }
    return "unknown";
}

} // namespace batchscope
