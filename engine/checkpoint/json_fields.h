// SPDX-License-Identifier: GPL-3.0-or-later
// Strict reading of JSON objects: each wrong value leaves as EngineError(InvalidFile) naming place, key,
// value found and value expected. Included by source files only (it shows nlohmann's type).
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace batchscope::engine {

// Whole text, one value. `where` is the file's name; the message gives line and column. Keys given twice are
// refused.
nlohmann::json parseJson(std::string_view text, const std::string& where);
void refuseDeep(int depth, const std::string& where); // of a parser's callback: what nests too deep to copy
std::string shownJson(const nlohmann::json& value);   // one line, at most 60 characters, for messages

class JsonFields
{
public:
    // `object` must outlive this. Throws where it is no object.
    JsonFields(const nlohmann::json& object, std::string where);

    bool has(const char* key) const; // present and not null
    const nlohmann::json& at(const char* key) const;
    [[noreturn]] void refuse(const char* key, const std::string& expected) const;

    std::int64_t integer(const char* key, std::int64_t minimum, std::int64_t maximum) const;
    double real(const char* key, double minimum, double maximum) const;
    std::string text(const char* key) const;
    bool boolean(const char* key) const;
    std::string label(const char* key) const; // a text, or a number as it is written; empty where absent

    // Absent or null: nullopt.
    std::optional<std::int64_t> optionalInteger(const char* key, std::int64_t minimum,
                                                std::int64_t maximum) const;
    std::optional<double> optionalReal(const char* key, double minimum, double maximum) const;
    std::optional<std::string> optionalText(const char* key) const;
    std::optional<bool> optionalBoolean(const char* key) const;

private:
    std::string placeOf(const char* key) const;

    const nlohmann::json& m_object;
    std::string m_where;
};

// A whole number, also when written as 12.0; nullopt for anything else.
std::optional<std::int64_t> wholeNumber(const nlohmann::json& value);

} // namespace batchscope::engine
