// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/event_json.h"

#include "sessions/event_fields.h"

#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace batchscope::sessions {

namespace {

std::string nameOf(PredictionKind kind)
{
    return predictionKindName(kind);
}
std::string nameOf(Delivery delivery)
{
    return deliveryName(delivery);
}
std::string nameOf(BatchKind kind)
{
    return batchKindName(kind);
}
std::string nameOf(RunStatus status)
{
    return runStatusName(status);
}
std::string nameOf(RowEnd end)
{
    return rowEndName(end);
}
std::string nameOf(PickRule rule)
{
    return pickRuleName(rule);
}

class JsonFields
{
public:
    explicit JsonFields(std::string& out) : m_out(out) {}

    template <class T>
    void operator()(const char* name, const T& value)
    {
        if (m_out.back() != '{') m_out += ',';
        m_out += '"';
        m_out += name;
        m_out += "\":";
        put(value);
    }

private:
    template <class T>
    void put(const T& value)
    {
        if constexpr (std::is_same_v<T, bool>) {
            m_out += value ? "true" : "false";
        } else if constexpr (std::is_enum_v<T>) {
            m_out += '"' + nameOf(value) + '"';
        } else if constexpr (std::is_same_v<T, double>) {
            m_out += jsonNumber(value);
        } else if constexpr (std::is_integral_v<T>) {
            m_out += std::to_string(value);
        } else if constexpr (std::is_same_v<T, std::string>) {
            m_out += jsonText(value);
        } else {
            m_out += '{';
            visitFields(*this, value);
            m_out += '}';
        }
    }
    template <class T>
    void put(const std::optional<T>& value)
    {
        if (value)
            put(*value);
        else
            m_out += "null";
    }
    template <class T>
    void put(const std::vector<T>& values)
    {
        putAll(values);
    }
    template <class T>
    void put(const CompactList<T>& values)
    {
        putAll(values);
    }
    template <class List>
    void putAll(const List& values)
    {
        m_out += '[';
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i > 0) m_out += ',';
            put(values[i]);
        }
        m_out += ']';
    }

    std::string& m_out;
};

} // namespace

std::string eventJson(const Event& event)
{
    std::string line =
        "{\"at_ns\":" + std::to_string(event.at_ns) + ",\"event\":\"" + eventName(event.body) + '"';
    JsonFields fields(line);
    std::visit([&](const auto& body) { visitFields(fields, body); }, event.body);
    return line + '}';
}

std::string jsonText(std::string_view text)
{
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string jsonNumber(double value)
{
    if (!std::isfinite(value)) return "null";
    std::array<char, 40> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    return {digits.data(), end};
}

std::string predictionKindName(PredictionKind kind)
{
    constexpr std::array names{"none", "tokens", "class", "rank"};
    return names.at(static_cast<std::size_t>(kind));
}

std::string deliveryName(Delivery delivery)
{
    return delivery == Delivery::BatchEnd ? "batch-end" : "streamed";
}

std::string batchKindName(BatchKind kind)
{
    constexpr std::array names{"static", "micro", "recompute", "extend", "continuous"};
    return names.at(static_cast<std::size_t>(kind));
}

} // namespace batchscope::sessions
