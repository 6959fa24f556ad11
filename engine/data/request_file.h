// SPDX-License-Identifier: GPL-3.0-or-later
// The request file (cli.md): one request a line, JSONL or CSV with the same column names, kept in file order.
#pragma once

#include "scheduler/request.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace batchscope::engine {

// What a row says; absent fields were not in it. At least one of the three prompt forms is there.
struct RequestRow
{
    std::string id; // a label
    std::optional<std::string> prompt;
    std::vector<TokenId> prompt_token_ids;
    std::optional<int> prompt_tokens; // a count: random ids are fed
    std::optional<int> output_tokens;
    std::optional<int> predicted_tokens;
    std::optional<Nanos> arrival_ns; // "arrival_s" in the file
    int priority = 0;
    std::string client;
    std::string prefix_group;

    bool operator==(const RequestRow&) const = default;
};

struct SkippedRow
{
    std::int64_t row = 0;  // from 1, header not counted
    std::int64_t line = 0; // of the file, from 1
    std::string reason;
    bool operator==(const SkippedRow&) const = default;
    std::string text() const; // "row 3 (line 4): \"prompt_tokens\" is -1, expected ..."
};

struct RequestFile
{
    std::vector<RequestRow> rows;             // file order
    std::vector<SkippedRow> skipped;          // rows.size() + skipped.size() = rows of the file
    std::vector<std::string> unknown_columns; // names that mean nothing here, in order of appearance
    bool operator==(const RequestFile&) const = default;
};

// "row 3": the label of a row that has none, in every file that is read or written. Rows count from 1, those
// that were skipped with them.
std::string rowLabel(std::int64_t row);
void labelRows(RequestFile& file);

// CSV (RFC 4180, header first) where the name ends in .csv, else JSONL; blank lines are no rows. Throws
// EngineError(InvalidFile) where the file as a whole cannot be read: absent, no text, no prompt column.
RequestFile readRequestFile(const std::filesystem::path& file);
// The same two formats by the same rule; what was written reads back equal. Temporary + rename.
void writeRequestFile(const std::filesystem::path& file, std::span<const RequestRow> rows);

} // namespace batchscope::engine
