// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoint/json_fields.h"

#include "engine/error.h"

#include <cmath>
#include <fmt/core.h>
#include <set>
#include <vector>

namespace batchscope::engine {
namespace {

using nlohmann::json;

// Keeps the keys of every object that is open, because nlohmann silently takes the last of two equal keys.
class DuplicateKeys
{
public:
    explicit DuplicateKeys(const std::string& where) : m_where(where) {}

    bool operator()(int depth, json::parse_event_t event, json& parsed)
    {
        refuseDeep(depth, m_where);
        if (event == json::parse_event_t::object_start) m_open.emplace_back();
        if (event == json::parse_event_t::object_end) m_open.pop_back();
        if (event == json::parse_event_t::key && !m_open.back().insert(parsed.get<std::string>()).second)
            throw EngineError(ErrorKind::InvalidFile,
                              fmt::format("{}: the key \"{}\" is given twice in one object", m_where,
                                          parsed.get<std::string>()));
        return true;
    }

private:
    std::string m_where;
    std::vector<std::set<std::string>> m_open;
};

std::string withoutExceptionName(const std::string& message)
{
    const auto end = message.find("] ");
    return end == std::string::npos ? message : message.substr(end + 2);
}

std::string rangeText(const std::string& kind, double minimum, double maximum, bool bounded)
{
    return bounded ? fmt::format("{} from {} to {}", kind, minimum, maximum)
                   : fmt::format("{} of at least {}", kind, minimum);
}

} // namespace

// Copying, writing and quoting a value recurse: without a bound a hostile file ends the stack.
void refuseDeep(int depth, const std::string& where)
{
    static constexpr int k_deepest = 64;
    if (depth > k_deepest)
        throw EngineError(
            ErrorKind::InvalidFile,
            fmt::format("{}: lists and objects are nested more than {} deep", where, k_deepest));
}

json parseJson(std::string_view text, const std::string& where)
{
    try {
        return json::parse(text.begin(), text.end(), DuplicateKeys(where));
    } catch (const json::exception& error) {
        throw EngineError(ErrorKind::InvalidFile,
                          fmt::format("{}: no valid JSON: {}", where, withoutExceptionName(error.what())));
    }
}

std::string shownJson(const json& value)
{
    static constexpr std::size_t k_longest = 60;
    std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
    if (text.size() > k_longest) text = text.substr(0, k_longest) + "...";
    return text;
}

std::optional<std::int64_t> wholeNumber(const json& value)
{
    if (value.is_number_unsigned()) {
        const auto number = value.get<std::uint64_t>();
        if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
            return std::nullopt;
        return static_cast<std::int64_t>(number);
    }
    if (value.is_number_integer()) return value.get<std::int64_t>();
    if (!value.is_number_float()) return std::nullopt;
    const double number = value.get<double>();
    if (number != std::floor(number) || std::abs(number) > 9e15) return std::nullopt;
    return static_cast<std::int64_t>(number);
}

JsonFields::JsonFields(const json& object, std::string where) : m_object(object), m_where(std::move(where))
{
    if (!m_object.is_object())
        throw EngineError(ErrorKind::InvalidFile,
                          fmt::format("{}{}expected a JSON object, found {}", m_where,
                                      m_where.empty() ? "" : ": ", shownJson(m_object)));
}

bool JsonFields::has(const char* key) const
{
    const auto found = m_object.find(key);
    return found != m_object.end() && !found->is_null();
}

const json& JsonFields::at(const char* key) const
{
    if (!m_object.contains(key))
        throw EngineError(ErrorKind::InvalidFile, fmt::format("{} is absent", placeOf(key)));
    return m_object.at(key);
}

void JsonFields::refuse(const char* key, const std::string& expected) const
{
    throw EngineError(ErrorKind::InvalidFile,
                      fmt::format("{} is {}, expected {}", placeOf(key), shownJson(at(key)), expected));
}

std::string JsonFields::placeOf(const char* key) const
{
    return m_where.empty() ? fmt::format("\"{}\"", key) : fmt::format("{}: \"{}\"", m_where, key);
}

std::int64_t JsonFields::integer(const char* key, std::int64_t minimum, std::int64_t maximum) const
{
    const auto number = wholeNumber(at(key));
    if (!number || *number < minimum || *number > maximum)
        refuse(key, maximum == std::numeric_limits<std::int64_t>::max()
                        ? fmt::format("a whole number of at least {}", minimum)
                        : fmt::format("a whole number from {} to {}", minimum, maximum));
    return *number;
}

double JsonFields::real(const char* key, double minimum, double maximum) const
{
    const json& value = at(key);
    const double number = value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
    if (!(number >= minimum && number <= maximum) || !std::isfinite(number))
        refuse(key, rangeText("a number", minimum, maximum, std::isfinite(maximum)));
    return number;
}

std::string JsonFields::text(const char* key) const
{
    if (!at(key).is_string()) refuse(key, "a text");
    return at(key).get<std::string>();
}

bool JsonFields::boolean(const char* key) const
{
    if (!at(key).is_boolean()) refuse(key, "true or false");
    return at(key).get<bool>();
}

std::string JsonFields::label(const char* key) const
{
    if (!has(key)) return {};
    return at(key).is_number() ? at(key).dump() : text(key);
}

std::optional<std::int64_t> JsonFields::optionalInteger(const char* key, std::int64_t minimum,
                                                        std::int64_t maximum) const
{
    return has(key) ? std::optional(integer(key, minimum, maximum)) : std::nullopt;
}

std::optional<double> JsonFields::optionalReal(const char* key, double minimum, double maximum) const
{
    return has(key) ? std::optional(real(key, minimum, maximum)) : std::nullopt;
}

std::optional<std::string> JsonFields::optionalText(const char* key) const
{
    return has(key) ? std::optional(text(key)) : std::nullopt;
}

std::optional<bool> JsonFields::optionalBoolean(const char* key) const
{
    return has(key) ? std::optional(boolean(key)) : std::nullopt;
}

} // namespace batchscope::engine
