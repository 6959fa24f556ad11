// SPDX-License-Identifier: GPL-3.0-or-later
// How the rows of one format are read. Included by source files only.
#pragma once

#include "engine/data/csv.h"
#include "engine/data/import.h"
#include "engine/data/trace_time.h"

#include <memory>
#include <nlohmann/json.hpp>

namespace batchscope::engine {

struct ReadRow
{
    std::vector<SourceRow> requests; // at least one
    std::string time;                // as written; empty: none
    bool clipped = false;
};

class RowReader
{
public:
    virtual ~RowReader() = default;
    // Throws EngineError whose message is the reason to skip the row.
    virtual ReadRow read(const nlohmann::json& object);
    virtual ReadRow read(const CsvRecord& record);        // a well-formed one
    virtual std::string timeColumn() const { return {}; } // empty: the format has no times
    virtual TimeUnit timeUnit() const { return TimeUnit::Seconds; }
    virtual std::vector<std::string> notes() const { return {}; }
    std::vector<std::string> unknown_columns; // noted while reading
};

// A token count of a row. Zero: skipped or clipped to 1, as the options say; below zero: skipped.
class TokenRule
{
public:
    explicit TokenRule(bool clip) : m_clip(clip) {}
    int count(std::string_view column, const nlohmann::json& value, bool& clipped) const;

private:
    bool m_clip;
};

// The formats that are CSV tables, each with its columns.
struct TableFormat
{
    const char* name;
    const char* title;
    std::vector<const char*> needed; // tells the format from the others
    const char* time;                // nullptr: none
    TimeUnit unit;                   // of the time column
    const char* prompt_tokens;       // nullptr: none
    const char* output_tokens;
    const char* predicted_tokens; // nullptr: none
    const char* id;
    const char* client;
    std::vector<const char*> unused; // known, and not read
};
const std::vector<TableFormat>& tableFormats();

std::unique_ptr<RowReader> tableReader(const TableFormat& format, std::vector<std::string> columns,
                                       const ImportOptions& options, int prediction_classes);
std::unique_ptr<RowReader> requestReader(std::vector<std::string> columns); // no columns: JSON
std::unique_ptr<RowReader> mooncakeReader(const ImportOptions& options);
std::unique_ptr<RowReader> conversationReader(const ImportOptions& options);

} // namespace batchscope::engine
