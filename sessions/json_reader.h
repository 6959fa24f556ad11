// SPDX-License-Identifier: GPL-3.0-or-later
// Reads JSON objects strictly: a wrong type or value names file, JSON path, value found and value expected; a
// key that nothing asked for is kept and warned about.
#pragma once

#include "sessions/error.h"

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace batchscope::sessions {

struct ReadContext
{
    std::string file;                  // for messages; empty: none is named
    std::vector<std::string> warnings; // unknown keys
    std::vector<std::string> kept; // JSON pointers of keys that the values do not model: they survive a save
    std::set<std::string> known;   // paths that exist here (what --set may name)
};

// "the text \"seven\"", "3.5", "a list of 2", "nothing" (absent).
std::string describeJson(const nlohmann::json* value);
// "one of a, b, c"
std::string oneOf(const std::vector<std::string>& names);
[[noreturn]] void failAt(const ReadContext& context, const std::string& path, const nlohmann::json* found,
                         const std::string& expected);

class ObjectReader
{
public:
    // `path` as people write it ("workload.arrivals"), `pointer` as RFC 6901. Throws DocumentError unless an
    // object.
    ObjectReader(const nlohmann::json& value, std::string path, std::string pointer, ReadContext& context);

    const nlohmann::json* find(const std::string& key); // null where absent; the key counts as known
    bool isNull(const std::string& key);                // absent or null

    std::string text(const std::string& key, const std::string& otherwise);
    std::string line(const std::string& key, const std::string& otherwise); // text without control characters
    std::string choice(const std::string& key, const std::string& otherwise,
                       const std::vector<std::string>& names);
    std::optional<std::int64_t> integer(const std::string& key, std::int64_t minimum,
                                        std::int64_t maximum = std::numeric_limits<std::int64_t>::max());
    std::optional<std::uint64_t> unsignedInteger(const std::string& key);
    std::optional<double> real(const std::string& key, double minimum, bool above_minimum = false,
                               double maximum = std::numeric_limits<double>::infinity());
    void keep(const std::string& key); // known to the format, not modelled: kept without a warning
    void keepOthers();                 // likewise everything nobody asked for
    void finish();                     // what is left is unknown: kept, and warned about

    std::string pathOf(const std::string& key) const;
    std::string pointerOf(const std::string& key) const;
    ReadContext& context() { return m_context; }
    [[noreturn]] void fail(const std::string& key, const std::string& expected) const;

private:
    const nlohmann::json& m_object;
    std::string m_path;
    std::string m_pointer;
    ReadContext& m_context;
    std::set<std::string> m_known;
};

// Escapes "~" and "/" as RFC 6901 asks.
std::string pointerToken(const std::string& key);
inline constexpr int k_deepest = 64; // lists and objects within each other: copying a document recurses
// Parses text; throws DocumentError naming the file, line and column. Of a key that an object has twice the
// last value counts; `repeated` takes the paths of such keys ("strategies[0].batching.rows").
nlohmann::json parseJson(const std::string& text, const std::string& file,
                         std::vector<std::string>* repeated = nullptr);
// Whole file as bytes; throws DocumentError naming file and reason; so too where it is UTF-16.
std::string readFile(const std::string& file);

} // namespace batchscope::sessions
