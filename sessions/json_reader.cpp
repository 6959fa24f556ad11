// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/json_reader.h"

#include "sessions/nearest_name.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <system_error>

namespace batchscope::sessions {

namespace {

constexpr std::size_t k_longest_quote = 60; // bytes of a value that a message repeats

// Control characters as they are escaped in JSON: a zero byte would end the message, others move the cursor.
std::string visible(const std::string& text)
{
    std::string shown;
    for (const char c : text)
        if (const auto code = static_cast<unsigned char>(c); code < 0x20 || code == 0x7F)
            shown += fmt::format("\\u{:04x}", code);
        else
            shown += c;
    return shown;
}

std::string shortened(std::string text)
{
    if (text.size() <= k_longest_quote) return text;
    std::size_t cut = k_longest_quote;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U)
        --cut; // not within a character
    return text.substr(0, cut) + "…";
}

// Follows the parser through the document: knows the path of the place it is at, and the keys of every object
// that is open. (The parser itself silently takes the last of two equal keys.)
class RepeatedKeys
{
public:
    using Event = nlohmann::json::parse_event_t;

    void take(Event event, const nlohmann::json& parsed)
    {
        switch (event) {
        case Event::object_start:
        case Event::array_start:
            m_open.push_back({event == Event::array_start, 0, {}, {}});
            break;
        case Event::object_end:
        case Event::array_end:
            m_open.pop_back();
            countElement();
            break;
        case Event::key:
            m_open.back().key = parsed.get<std::string>();
            if (!m_open.back().keys.insert(m_open.back().key).second) m_repeated.push_back(path());
            break;
        case Event::value:
            countElement();
            break;
        }
    }
    std::vector<std::string> paths() { return std::move(m_repeated); }

private:
    struct Container
    {
        bool is_array = false;
        std::size_t elements = 0; // of an array: complete ones
        std::string key;          // of an object: the last one
        std::set<std::string> keys;
    };

    void countElement()
    {
        if (!m_open.empty() && m_open.back().is_array) ++m_open.back().elements;
    }
    std::string path() const
    {
        std::string text;
        for (const Container& each : m_open)
            text += each.is_array ? fmt::format("[{}]", each.elements) : (text.empty() ? "" : ".") + each.key;
        return text;
    }

    std::vector<Container> m_open;
    std::vector<std::string> m_repeated;
};

void refuseUtf16(const std::string& content, const std::string& file)
{
    if (!content.starts_with("\xFF\xFE") && !content.starts_with("\xFE\xFF")) return;
    throw DocumentError(file +
                        ": is UTF-16 text, expected UTF-8; save it as UTF-8, for example with: iconv -f "
                        "UTF-16 -t UTF-8 FILE > NEW");
}

} // namespace

std::string describeJson(const nlohmann::json* value)
{
    if (!value) return "nothing";
    switch (value->type()) {
    case nlohmann::json::value_t::string:
        return "the text \"" + shortened(visible(value->get<std::string>())) + "\"";
    case nlohmann::json::value_t::array:
        return fmt::format("a list of {}", value->size());
    case nlohmann::json::value_t::object:
        return value->empty() ? "an empty object" : "an object with the key \"" + value->begin().key() + "\"";
    default:
        return value->dump();
    }
}

std::string oneOf(const std::vector<std::string>& names)
{
    return fmt::format("one of {}", fmt::join(names, ", "));
}

void failAt(const ReadContext& context, const std::string& path, const nlohmann::json* found,
            const std::string& expected)
{
    throw DocumentError(fmt::format("{}{}: found {}, expected {}",
                                    context.file.empty() ? std::string() : context.file + ": ",
                                    path.empty() ? "the document" : path, describeJson(found), expected));
}

ObjectReader::ObjectReader(const nlohmann::json& value, std::string path, std::string pointer,
                           ReadContext& context)
    : m_object(value), m_path(std::move(path)), m_pointer(std::move(pointer)), m_context(context)
{
    if (!value.is_object()) failAt(context, m_path, &value, "an object {…}");
}

const nlohmann::json* ObjectReader::find(const std::string& key)
{
    m_known.insert(key);
    m_context.known.insert(pathOf(key));
    const auto found = m_object.find(key);
    return found == m_object.end() ? nullptr : &*found;
}

bool ObjectReader::isNull(const std::string& key)
{
    const auto* value = find(key);
    return !value || value->is_null();
}

std::string ObjectReader::text(const std::string& key, const std::string& otherwise)
{
    const auto* value = find(key);
    if (!value) return otherwise;
    if (!value->is_string()) fail(key, "a text");
    return value->get<std::string>();
}

std::string ObjectReader::line(const std::string& key, const std::string& otherwise)
{
    const std::string value = text(key, otherwise);
    if (std::any_of(value.begin(), value.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }))
        fail(key, "one line of text, without line breaks, tabs and other control characters");
    return value;
}

std::string ObjectReader::choice(const std::string& key, const std::string& otherwise,
                                 const std::vector<std::string>& names)
{
    const std::string chosen = text(key, otherwise);
    if (std::find(names.begin(), names.end(), chosen) == names.end())
        fail(key, oneOf(names) + didYouMean(chosen, names));
    return chosen;
}

std::optional<std::int64_t> ObjectReader::integer(const std::string& key, std::int64_t minimum,
                                                  std::int64_t maximum)
{
    const auto* value = find(key);
    if (!value || value->is_null()) return std::nullopt;
    const auto expected = maximum == std::numeric_limits<std::int64_t>::max()
                              ? fmt::format("a whole number of at least {}", minimum)
                              : fmt::format("a whole number from {} to {}", minimum, maximum);
    if (!value->is_number_integer()) fail(key, expected);
    const bool beyond =
        value->is_number_unsigned() &&
        value->get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (beyond || value->get<std::int64_t>() < minimum || value->get<std::int64_t>() > maximum)
        fail(key, expected);
    return value->get<std::int64_t>();
}

std::optional<std::uint64_t> ObjectReader::unsignedInteger(const std::string& key)
{
    const auto* value = find(key);
    if (!value) return std::nullopt;
    // An assigned C++ integer may be held as signed though it is not negative.
    if (!value->is_number_integer() || (!value->is_number_unsigned() && value->get<std::int64_t>() < 0))
        fail(key, fmt::format("a whole number from 0 to {}", std::numeric_limits<std::uint64_t>::max()));
    return value->get<std::uint64_t>();
}

std::optional<double> ObjectReader::real(const std::string& key, double minimum, bool above_minimum,
                                         double maximum)
{
    const auto* value = find(key);
    if (!value || value->is_null()) return std::nullopt;
    std::string expected = fmt::format("a number {} {}", above_minimum ? "above" : "of at least", minimum);
    if (std::isfinite(maximum)) expected += fmt::format(" and at most {}", maximum);
    if (!value->is_number()) fail(key, expected);
    const double number = value->get<double>();
    const bool inside = above_minimum ? number > minimum : number >= minimum;
    if (!std::isfinite(number) || !inside || number > maximum) fail(key, expected);
    return number;
}

void ObjectReader::keep(const std::string& key)
{
    if (find(key)) m_context.kept.push_back(pointerOf(key));
}

void ObjectReader::keepOthers()
{
    for (const auto& [key, value] : m_object.items())
        if (!m_known.contains(key)) keep(key);
}

void ObjectReader::finish()
{
    const std::vector<std::string> known(m_known.begin(), m_known.end());
    for (const auto& [key, value] : m_object.items()) {
        if (m_known.contains(key)) continue;
        m_context.kept.push_back(pointerOf(key));
        m_context.warnings.push_back(pathOf(key) + ": unknown key, kept but not used" +
                                     didYouMean(key, known));
    }
}

std::string ObjectReader::pathOf(const std::string& key) const
{
    return m_path.empty() ? key : m_path + "." + key;
}

std::string ObjectReader::pointerOf(const std::string& key) const
{
    return m_pointer + "/" + pointerToken(key);
}

void ObjectReader::fail(const std::string& key, const std::string& expected) const
{
    const auto found = m_object.find(key);
    failAt(m_context, pathOf(key), found == m_object.end() ? nullptr : &*found, expected);
}

std::string pointerToken(const std::string& key)
{
    std::string token;
    for (const char c : key) {
        if (c == '~')
            token += "~0";
        else if (c == '/')
            token += "~1";
        else
            token += c;
    }
    return token;
}

nlohmann::json parseJson(const std::string& text, const std::string& file, std::vector<std::string>* repeated)
{
    if (text.find_first_not_of(" \t\r\n") == std::string::npos)
        throw DocumentError(file + ": found an empty file, expected a JSON document");
    // Copying and destroying a document recurse: a bound on its depth keeps a hostile file from ending the
    // stack.
    RepeatedKeys keys;
    const auto bounded = [&](int depth, nlohmann::json::parse_event_t event, const nlohmann::json& parsed) {
        if (depth > k_deepest)
            throw DocumentError(
                fmt::format("{}: lists and objects are nested more than {} deep", file, k_deepest));
        keys.take(event, parsed);
        return true;
    };
    try {
        auto json = nlohmann::json::parse(text, bounded);
        if (repeated) *repeated = keys.paths();
        return json;
    } catch (const nlohmann::json::exception& error) {
        // The library's own prefix ("[json.exception.parse_error.101] ") tells a reader nothing.
        std::string reason = error.what();
        if (const auto end = reason.find("] "); reason.starts_with('[') && end != std::string::npos)
            reason.erase(0, end + 2);
        throw DocumentError(file + ": not a JSON document: " + reason);
    }
}

std::string readFile(const std::string& file)
{
    std::error_code status;
    if (std::filesystem::is_directory(file, status))
        throw DocumentError(file + ": found a folder, expected a file");
    if (std::filesystem::is_character_file(file, status) || std::filesystem::is_block_file(file, status))
        throw DocumentError(file + ": is no regular file (a device), expected a session file");
    std::ifstream stream(file, std::ios::binary);
    if (!stream)
        throw DocumentError(
            file + ": cannot be opened: " + std::error_code(errno, std::generic_category()).message());
    std::string content{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    if (stream.bad()) throw DocumentError(file + ": cannot be read to its end");
    refuseUtf16(content, file);
    return content;
}

} // namespace batchscope::sessions
