// SPDX-License-Identifier: GPL-3.0-or-later
// Requests out of data sets and traces of other tools (serving.md, section 7), row by row: a file of any size
// takes the memory of one row, and a bad row costs itself only.
#pragma once

#include "engine/data/request_file.h"
#include "engine/prompt/chat_template.h"
#include "scheduler/request.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace batchscope::engine {

// What every format's row becomes.
struct SourceRow
{
    std::string id; // its label; rowLabel() where it has none; "ID/2": a conversation's second question
    std::string client, prefix_group;
    std::string prompt;              // text, where the format has one
    std::string answer;              // recorded text, for its length
    std::vector<Turn> earlier;       // of the same conversation, before `prompt`
    bool follows_previous = false;   // a later turn of the conversation whose turn the row before this one is
    std::vector<TokenId> prompt_ids; // as the file has them: fed without template
    std::optional<int> prompt_tokens, output_tokens, predicted_tokens;
    std::optional<Nanos>
        time_ns; // since the first row that has a time; negative where the file is out of order
    int priority = 0;
    bool operator==(const SourceRow&) const = default;
};

struct ImportOptions
{
    std::string format;            // a name of importFormats(); empty: recognised
    std::string time_unit;         // "s", "ms", "us", "ns"; empty: proposed
    bool clip_zero_tokens = false; // rows that say 0 tokens: 1 instead of skipped; below 0 always skipped
    bool all_turns = false;        // every question of a conversation, not only the first
};

struct ImportReport
{
    std::string format, title; // "azure", "Azure LLM inference trace"
    std::string why;           // how it was recognised
    std::int64_t rows = 0;     // = skipped + those that gave requests
    std::int64_t skipped = 0;
    std::int64_t requests = 0;                // more than rows where all turns are asked
    std::int64_t clipped = 0;                 // 0 tokens taken as 1
    std::int64_t moved = 0;                   // came earlier in time than a row before them
    std::vector<SkippedRow> skipped_rows;     // the first 100
    std::vector<std::string> unknown_columns; // names that mean nothing in this format
    std::vector<std::string> notes;           // what was assumed, for people
    std::string time_unit, time_why;          // of the times in the file; empty: it has none
    bool operator==(const ImportReport&) const = default;
};

struct ImportFormat
{
    std::string name, title;
    std::string fields; // what its rows hold
};
std::vector<ImportFormat> importFormats();

// Hands over each request in file order; `take` returns false to stop. Throws EngineError(InvalidFile) where
// the file as a whole cannot be read: absent, of no known format, without a column that its format needs.
ImportReport importRows(const std::filesystem::path& file, const ImportOptions& options,
                        const std::function<bool(SourceRow&&)>& take);

} // namespace batchscope::engine
