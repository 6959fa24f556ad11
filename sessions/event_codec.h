// SPDX-License-Identifier: GPL-3.0-or-later
// Event chunks and token spans as versioned binary blobs, equal on every machine. A blob that is damaged or
// from a newer version is refused by name; no content of a blob can crash the reader.
#pragma once

#include "scheduler/event_log.h"
#include "sessions/run_record.h"

#include <span>
#include <string>
#include <string_view>

namespace batchscope::sessions {

inline constexpr std::uint8_t k_chunk_version = 1;
inline constexpr std::size_t k_events_per_chunk = 4096;

std::string encodeEvents(std::span<const Event> events);
// Appends to `log`. `name` says whose blob it is ("run 3, event chunk 17"). Throws StoreError.
void decodeEvents(std::string_view blob, const std::string& name, EventLog& log);

// Ids generated since the last span, of any number of attempts.
struct TokenSpan
{
    RequestIndex request = 0;
    std::uint16_t attempt = 0;
    std::vector<TokenId> ids;
    bool operator==(const TokenSpan&) const = default;
};
std::string encodeTokens(std::span<const TokenSpan> spans);
void decodeTokens(std::string_view blob, const std::string& name, AttemptTokens& tokens);

std::string encodeIds(const std::vector<TokenId>& ids);
std::vector<TokenId> decodeIds(std::string_view blob, const std::string& name);

std::string encodeReals(std::span<const double> values);
std::vector<double> decodeReals(std::string_view blob, const std::string& name);

} // namespace batchscope::sessions
