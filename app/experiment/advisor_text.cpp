// SPDX-License-Identifier: GPL-3.0-or-later
// The advisor's answer for a terminal and as JSON. Nothing in them depends on the day, the machine or the
// threads.
#include "app/experiment/advisor.h"
#include "sessions/figure_text.h"
#include "sessions/text_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace batchscope::app {
namespace {

using Ordered = nlohmann::ordered_json;
using sessions::TextTable;

constexpr std::size_t k_width = 110;
constexpr double k_mebibyte = 1 << 20;

std::string qualityName(PredictorQuality quality)
{
    switch (quality) {
    case PredictorQuality::None:
        return "none";
    case PredictorQuality::Imperfect:
        return "imperfect";
    case PredictorQuality::Oracle:
        return "oracle";
    }
    return "unknown";
}

std::string frontierTable(const AdvisorResult& result)
{
    TextTable table(
        {TextTable::Align::Left, TextTable::Align::Right, TextTable::Align::Right, TextTable::Align::Right});
    table.addRow({"nothing beats in all three", "tokens/s", "latency p99 s", "KV MiB"});
    for (const std::size_t place : result.frontier) {
        const Candidate& candidate = result.candidates[place];
        table.addRow({(candidate.is_own ? "yours: " : "") + candidate.strategy.name,
                      sessions::grouped(candidate.figures->tokens_per_s, 1),
                      sessions::grouped(candidate.figures->e2el_p99_s, 2),
                      sessions::grouped(static_cast<double>(candidate.figures->kv_bytes) / k_mebibyte, 1)});
    }
    return table.text();
}

Ordered candidateJson(const Candidate& candidate)
{
    Ordered json;
    json["name"] = candidate.strategy.name;
    json["own"] = candidate.is_own;
    json["predictor"] = qualityName(candidate.quality);
    json["strategy"] = Ordered(sessions::strategyToJson(candidate.strategy));
    json["on_frontier"] = candidate.is_on_frontier;
    if (candidate.figures) {
        json["output_token_throughput"] = candidate.figures->tokens_per_s;
        json["e2el_s.p99"] = candidate.figures->e2el_p99_s;
        json["kv_allocated_peak_bytes"] = candidate.figures->kv_bytes;
    } else {
        json["refused"] = candidate.refusal;
    }
    return json;
}

Ordered adviceJson(const AdvisorResult& result, const Advice& advice)
{
    const auto nameOf = [&](const std::optional<std::size_t>& place) {
        return place ? Ordered(result.candidates[*place].strategy.name) : Ordered(nullptr);
    };
    Ordered json;
    json["strategy"] = result.candidates[advice.own].strategy.name;
    json["better"] = nameOf(advice.better);
    for (const Regret& regret : advice.regrets)
        json["regret"][regret.figure] = {{"best", nameOf(regret.best)},
                                         {"against_best", regret.against_best},
                                         {"oracle", nameOf(regret.oracle)},
                                         {"against_oracle", regret.against_oracle}};
    json["words"] = advice.words;
    return json;
}

std::string wrappedLines(const std::string& text)
{
    std::string wrapped;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        wrapped += sessions::wrapped(text.substr(begin, end - begin), k_width) + "\n";
        begin = end + 1;
    }
    return wrapped;
}

} // namespace

std::string advisorText(const AdvisorResult& result)
{
    std::string text = frontierTable(result) + "\n";
    for (const Advice& advice : result.advice)
        text += wrappedLines(advice.words) + "\n";
    const auto refused = std::count_if(result.candidates.begin(), result.candidates.end(),
                                       [](const Candidate& candidate) { return !candidate.figures; });
    if (refused > 0) {
        const auto first = std::find_if(result.candidates.begin(), result.candidates.end(),
                                        [](const Candidate& candidate) { return !candidate.figures; });
        text += sessions::wrapped(fmt::format("{} of {} strategies could not run, first: {}", refused,
                                              result.candidates.size(), first->refusal),
                                  k_width) +
                "\n";
    }
    text += sessions::wrapped(
                "Predictors with an error factor are the recorded lengths times a random factor whose "
                "logarithm has that spread (0.50: two of three within a factor of 1.65). FCFS, SJF "
                "and SRPT are tried, with the limits of the session's first strategy, and without ageing, "
                "windows and "
                "token budgets.",
                k_width) +
            "\n";
    for (const auto& note : result.notes)
        text += sessions::wrapped(note, k_width) + "\n";
    return text;
}

std::string advisorJson(const AdvisorResult& result)
{
    Ordered json;
    json["schema"] = "batchscope.advice/1";
    json["session"] = result.session;
    json["seed"] = result.seed;
    json["requests"] = result.requests;
    json["notes"] = result.notes;
    json["advice"] = Ordered::array();
    for (const Advice& advice : result.advice)
        json["advice"].push_back(adviceJson(result, advice));
    json["frontier"] = Ordered::array();
    for (const std::size_t place : result.frontier)
        json["frontier"].push_back(result.candidates[place].strategy.name);
    json["candidates"] = Ordered::array();
    for (const Candidate& candidate : result.candidates)
        json["candidates"].push_back(candidateJson(candidate));
    return json.dump(2) + "\n";
}

} // namespace batchscope::app
