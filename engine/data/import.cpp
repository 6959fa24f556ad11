// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/import.h"

#include "engine/checkpoint/json_fields.h"
#include "engine/data/recognise.h"
#include "engine/data/row_stream.h"
#include "engine/error.h"

#include <fmt/format.h>

namespace batchscope::engine {
namespace {

using nlohmann::json;

constexpr std::size_t k_skipped_listed = 100;

// One file's way through its reader: counts, times, skipped rows.
class Import
{
public:
    Import(const std::filesystem::path& file, const ImportOptions& options,
           const std::function<bool(SourceRow&&)>& take)
        : m_options(options), m_take(take), m_recognised(recognise(file, options)), m_stream(file)
    {
        m_report.format = m_recognised.name;
        m_report.title = m_recognised.title;
        m_report.why = m_recognised.why;
    }

    ImportReport run()
    {
        if (m_stream.shape() == RowStream::Shape::CsvRecords) m_stream.next(); // the header
        while (!m_enough) {
            const auto row = m_stream.next();
            if (!row) break;
            ++m_report.rows;
            try {
                add(read(*row));
            } catch (const EngineError& error) {
                skip(row->line, error.what());
            }
        }
        m_report.unknown_columns = reader().unknown_columns;
        m_report.notes = reader().notes();
        if (m_has_unit && m_unit == TimeUnit::Date && !m_options.time_unit.empty())
            m_report.notes.push_back(fmt::format("the time unit {} is not used: \"{}\" holds dates",
                                                 m_options.time_unit, reader().timeColumn()));
        return std::move(m_report);
    }

private:
    RowReader& reader() { return *m_recognised.reader; }

    ReadRow read(const TextRow& row)
    {
        if (m_stream.shape() == RowStream::Shape::CsvRecords) {
            const CsvRecord record = csvRecord(row);
            if (!record.problem.empty()) throw EngineError(ErrorKind::InvalidFile, record.problem);
            return reader().read(record);
        }
        if (row.broke_off) throw EngineError(ErrorKind::InvalidFile, "the file breaks off inside it");
        const bool is_line = m_stream.shape() == RowStream::Shape::Lines;
        return reader().read(parseJson(row.text, is_line ? "the line" : "the row"));
    }

    void skip(std::int64_t line, const std::string& reason)
    {
        ++m_report.skipped;
        if (m_report.skipped_rows.size() < k_skipped_listed)
            m_report.skipped_rows.push_back({m_report.rows, line, reason});
    }

    std::optional<Nanos> timeOf(const std::string& text)
    {
        if (text.empty()) return std::nullopt;
        if (!m_has_unit) proposeUnit(text);
        const auto time = parseTime(text, m_unit);
        if (!time)
            throw EngineError(ErrorKind::InvalidFile,
                              fmt::format("\"{}\" is \"{}\", expected {}", reader().timeColumn(), text,
                                          m_unit == TimeUnit::Date ? "a date such as 2023-11-16 18:15:46.68"
                                                                   : "a number of " + timeUnitText(m_unit)));
        return time;
    }

    // The first readable time decides for all.
    void proposeUnit(const std::string& text)
    {
        TimeProposal proposal = proposeTimeUnit(reader().timeColumn(), text, reader().timeUnit());
        if (proposal.unit != TimeUnit::Date && !m_options.time_unit.empty())
            proposal = {*timeUnitFromName(m_options.time_unit), "as asked for"};
        if (!parseTime(text, proposal.unit)) {
            m_unit = proposal.unit; // this row's fault: it is skipped, the next one is asked again
            return;
        }
        m_has_unit = true;
        m_unit = proposal.unit;
        m_report.time_unit = timeUnitName(m_unit);
        m_report.time_why = proposal.why;
    }

    void add(ReadRow read)
    {
        const auto time = timeOf(read.time);
        if (time) {
            if (!m_first_ns) m_first_ns = time;
            Nanos since = 0;
            if (__builtin_sub_overflow(*time, *m_first_ns, &since))
                throw EngineError(ErrorKind::InvalidFile,
                                  fmt::format("\"{}\" is \"{}\", centuries away from the first row's",
                                              reader().timeColumn(), read.time));
            if (since < m_latest_ns) ++m_report.moved;
            m_latest_ns = std::max(m_latest_ns, since);
            read.requests.front().time_ns = since;
        }
        m_report.clipped += read.clipped ? 1 : 0;
        label(read.requests);
        for (SourceRow& request : read.requests) {
            ++m_report.requests;
            m_enough = !m_take(std::move(request));
            if (m_enough) return;
        }
    }

    // A row without a label goes by its number; the later questions of a conversation by theirs beside it.
    void label(std::vector<SourceRow>& requests) const
    {
        const std::string name = requests.front().id.empty() ? rowLabel(m_report.rows) : requests.front().id;
        for (std::size_t i = 0; i < requests.size(); ++i)
            requests[i].id = i == 0 ? name : fmt::format("{}/{}", name, i + 1);
    }

    const ImportOptions& m_options;
    const std::function<bool(SourceRow&&)>& m_take;
    Recognised m_recognised;
    RowStream m_stream;
    ImportReport m_report;
    bool m_enough = false;
    bool m_has_unit = false;
    TimeUnit m_unit = TimeUnit::Seconds;
    std::optional<Nanos> m_first_ns;
    Nanos m_latest_ns = 0;
};

} // namespace

ImportReport importRows(const std::filesystem::path& file, const ImportOptions& options,
                        const std::function<bool(SourceRow&&)>& take)
{
    return Import(file, options, take).run();
}

} // namespace batchscope::engine
