// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/import_summary.h"

#include "engine/data/trace_time.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unordered_map>

namespace batchscope::engine {
namespace {

constexpr std::size_t k_bytes_per_token = 4; // without a tokenizer; the usual rule of thumb for English
constexpr std::size_t k_skipped_shown = 10;

double atShare(const std::vector<int>& sorted, double share) // linear between neighbours
{
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

LengthFigures figuresOf(std::vector<int>& numbers)
{
    LengthFigures figures;
    figures.n = numbers.size();
    if (numbers.empty()) return figures;
    std::sort(numbers.begin(), numbers.end());
    double sum = 0, squares = 0;
    for (const int number : numbers)
        sum += number;
    figures.mean = sum / static_cast<double>(numbers.size());
    for (const int number : numbers)
        squares += (number - figures.mean) * (number - figures.mean);
    figures.sd = std::sqrt(squares / static_cast<double>(numbers.size()));
    figures.p5 = atShare(numbers, 0.05);
    figures.p25 = atShare(numbers, 0.25);
    figures.p50 = atShare(numbers, 0.5);
    figures.p75 = atShare(numbers, 0.75);
    figures.p90 = atShare(numbers, 0.9);
    figures.p95 = atShare(numbers, 0.95);
    figures.p99 = atShare(numbers, 0.99);
    figures.most = numbers.back();
    return figures;
}

int estimated(std::size_t bytes)
{
    return static_cast<int>(std::max<std::size_t>(1, (bytes + k_bytes_per_token - 1) / k_bytes_per_token));
}

// What is kept of each request while the file goes by.
class Collector
{
public:
    explicit Collector(ImportSummary& summary) : m_summary(summary) {}

    void add(const SourceRow& row)
    {
        if (const auto tokens = promptTokens(row)) m_prompt.push_back(*tokens);
        if (row.output_tokens)
            m_output.push_back(*row.output_tokens);
        else if (!row.answer.empty()) {
            m_output.push_back(estimated(row.answer.size()));
            m_summary.estimated = true;
        }
        if (row.predicted_tokens) m_predicted.push_back(*row.predicted_tokens);
        if (row.time_ns) m_times.push_back(*row.time_ns);
        if (!row.follows_previous) m_turns.push_back(0);
        ++m_turns.back();
        // Hashes, not labels: a trace may have millions of sessions.
        if (!row.client.empty()) ++m_clients[std::hash<std::string>{}(row.client)];
        if (!row.prefix_group.empty()) ++m_groups[std::hash<std::string>{}(row.prefix_group)];
    }

    void finish()
    {
        m_summary.prompt_tokens = figuresOf(m_prompt);
        m_summary.output_tokens = figuresOf(m_output);
        m_summary.predicted_tokens = figuresOf(m_predicted);
        m_summary.turns = figuresOf(m_turns);
        m_summary.clients = m_clients.size();
        m_summary.prefix_groups = m_groups.size();
        for (const auto& [hash, count] : m_groups)
            m_summary.largest_group = std::max(m_summary.largest_group, count);
        gaps();
    }

private:
    std::optional<int> promptTokens(const SourceRow& row)
    {
        if (!row.prompt_ids.empty()) return static_cast<int>(row.prompt_ids.size());
        if (row.prompt_tokens) return row.prompt_tokens;
        if (row.prompt.empty()) return std::nullopt;
        std::size_t bytes = row.prompt.size();
        for (const Turn& turn : row.earlier)
            bytes += turn.user.size() + turn.assistant.size();
        m_summary.estimated = true;
        return estimated(bytes);
    }

    void gaps()
    {
        if (m_times.size() < 2) return;
        std::sort(m_times.begin(), m_times.end());
        m_summary.span_ns = m_times.back() - m_times.front();
        const auto n = static_cast<double>(m_times.size() - 1);
        m_summary.gap_mean_s = toSeconds(m_summary.span_ns) / n;
        double squares = 0;
        for (std::size_t i = 1; i < m_times.size(); ++i) {
            const double gap = toSeconds(m_times[i] - m_times[i - 1]);
            squares += (gap - m_summary.gap_mean_s) * (gap - m_summary.gap_mean_s);
            m_summary.gap_longest_s = std::max(m_summary.gap_longest_s, gap);
        }
        if (m_summary.gap_mean_s > 0) m_summary.gap_cv = std::sqrt(squares / n) / m_summary.gap_mean_s;
    }

    ImportSummary& m_summary;
    std::vector<int> m_prompt, m_output, m_predicted, m_turns;
    std::vector<Nanos> m_times;
    std::unordered_map<std::size_t, std::size_t> m_clients, m_groups;
};

std::string line(const char* name, const std::string& text)
{
    return fmt::format("  {:<10} {}\n", name, text);
}

std::string lengthText(const LengthFigures& of)
{
    return fmt::format(
        "mean {:.1f}, sd {:.1f}; p5 {:.0f}, p25 {:.0f}, p50 {:.0f}, p75 {:.0f}, p90 {:.0f}, p95 {:.0f}, "
        "p99 {:.0f}, max {:.0f}",
        of.mean, of.sd, of.p5, of.p25, of.p50, of.p75, of.p90, of.p95, of.p99, of.most);
}

std::string timesText(const ImportSummary& summary)
{
    const ImportReport& report = summary.report;
    if (report.time_unit.empty()) return line("times", "none in this file");
    const auto unit = timeUnitFromName(report.time_unit).value_or(TimeUnit::Date);
    std::string text = line(
        "times", fmt::format("{}: {}{}; shifted so that the first request arrives at 0", timeUnitText(unit),
                             report.time_why, unit == TimeUnit::Date ? "" : " (--time-unit sets another)"));
    text += line("order",
                 fmt::format("{} row{} came earlier than a row before {}: sorted by time, ties in file "
                             "order",
                             report.moved, report.moved == 1 ? "" : "s", report.moved == 1 ? "it" : "them"));
    if (summary.span_ns > 0)
        text +=
            line("span", fmt::format("{} ({:.1f} s), {:.2f} requests/s", hoursMinutesSeconds(summary.span_ns),
                                     toSeconds(summary.span_ns), 1 / summary.gap_mean_s)) +
            line("gaps", fmt::format("mean {:.4g} s, cv {:.2f}, longest {:.4g} s", summary.gap_mean_s,
                                     summary.gap_cv, summary.gap_longest_s));
    return text;
}

} // namespace

ImportSummary summarizeImport(const std::filesystem::path& file, const ImportOptions& options)
{
    ImportSummary summary;
    Collector collector(summary);
    summary.report = importRows(file, options, [&collector](SourceRow&& row) {
        collector.add(row);
        return true;
    });
    collector.finish();
    return summary;
}

std::string importText(const ImportSummary& summary)
{
    const ImportReport& report = summary.report;
    const std::string mark = summary.estimated ? " (texts: one token estimated for every 4 bytes)" : "";
    std::string text = line("format", fmt::format("{} ({}): {}", report.format, report.title, report.why));
    text += line("rows", fmt::format("{}: {} gave {} requests, {} skipped", report.rows,
                                     report.rows - report.skipped, report.requests, report.skipped));
    if (report.clipped > 0)
        text += line("clipped", fmt::format("{} of them said 0 tokens: taken as 1", report.clipped));
    text += timesText(summary);
    if (summary.prompt_tokens.n > 0) text += line("prompt", lengthText(summary.prompt_tokens) + mark);
    if (summary.output_tokens.n > 0) text += line("output", lengthText(summary.output_tokens) + mark);
    if (summary.output_tokens.n < static_cast<std::size_t>(report.requests))
        text += line("", fmt::format("{} requests have no recorded output length",
                                     static_cast<std::size_t>(report.requests) - summary.output_tokens.n));
    if (summary.predicted_tokens.n > 0) text += line("predicted", lengthText(summary.predicted_tokens));
    if (summary.turns.most > 1)
        text += line("turns", fmt::format("{} conversations, mean {:.1f}, most {:.0f}", summary.turns.n,
                                          summary.turns.mean, summary.turns.most));
    if (summary.clients > 0) text += line("clients", fmt::format("{}", summary.clients));
    if (summary.prefix_groups > 0)
        text += line("prefixes", fmt::format("{} groups of requests that begin alike, the largest of {}",
                                             summary.prefix_groups, summary.largest_group));
    for (const auto& note : report.notes)
        text += line("note", note);
    if (!report.unknown_columns.empty())
        text += line("not read", fmt::format("{}", fmt::join(report.unknown_columns, ", ")));
    for (std::size_t i = 0; i < std::min(k_skipped_shown, report.skipped_rows.size()); ++i)
        text += line("skipped", report.skipped_rows[i].text());
    if (report.skipped > static_cast<std::int64_t>(k_skipped_shown))
        text +=
            line("", fmt::format("and {} more", report.skipped - static_cast<std::int64_t>(k_skipped_shown)));
    return text;
}

} // namespace batchscope::engine
