// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/recorded_lengths.h"

#include "engine/checkpoint/json_fields.h"
#include "engine/checkpoint/mapped_file.h"
#include "engine/data/request_file.h"
#include "engine/data/text_lines.h"
#include "engine/error.h"

#include <fmt/core.h>

namespace batchscope::engine {
namespace {

constexpr std::int64_t k_longest = 1'000'000'000;

class Lengths
{
public:
    explicit Lengths(std::string file) : m_file(std::move(file)) {}

    void add(const std::string& id, int tokens)
    {
        const auto [place, is_new] = m_lengths.emplace(id, tokens);
        if (!is_new && place->second != tokens)
            throw EngineError(
                ErrorKind::InvalidFile,
                fmt::format("{}: \"{}\" has two lengths, {} and {}; a label must name one request", m_file,
                            id, place->second, tokens));
    }

    std::map<std::string, int> take()
    {
        if (m_lengths.empty())
            throw EngineError(
                ErrorKind::InvalidFile,
                fmt::format("{}: holds no length; expected rows with \"id\" and \"output_tokens\", or a "
                            "JSON list of {{\"id\", \"L_t0.0\"}}",
                            m_file));
        return std::move(m_lengths);
    }

private:
    std::string m_file;
    std::map<std::string, int> m_lengths;
};

void addList(Lengths& lengths, std::string_view content, const std::string& file)
{
    const auto list = parseJson(content, file);
    for (std::size_t i = 0; i < list.size(); ++i) {
        const JsonFields entry(list[i], fmt::format("{}: entry {}", file, i));
        const char* key = entry.has("output_tokens") ? "output_tokens"
                          : entry.has("L_t0.0")      ? "L_t0.0"
                                                     : "L_gt";
        const std::string id = entry.label("id");
        lengths.add(id.empty() ? rowLabel(static_cast<std::int64_t>(i) + 1) : id,
                    static_cast<int>(entry.integer(key, 0, k_longest)));
    }
}

} // namespace

std::map<std::string, int> readRecordedLengths(const std::filesystem::path& file)
{
    Lengths lengths(file.string());
    if (file.extension() != ".csv") {
        const MappedFile mapped(file);
        refuseUtf16(mapped.content(), file);
        const auto content = trimmed(withoutByteOrderMark(mapped.content()));
        if (content.starts_with('[')) {
            addList(lengths, content, file.string());
            return lengths.take();
        }
    }
    RequestFile read = readRequestFile(file);
    labelRows(read);
    for (const auto& row : read.rows)
        if (row.output_tokens) lengths.add(row.id, *row.output_tokens);
    return lengths.take();
}

} // namespace batchscope::engine
