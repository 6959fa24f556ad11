// SPDX-License-Identifier: GPL-3.0-or-later
// What the advisor tries: combinations that scheduling.md does not refuse, each with the orderings that can
// matter in it.
#include "app/experiment/advisor.h"

#include <array>
#include <fmt/format.h>

namespace batchscope::app {
namespace {

constexpr std::array<int, 6> k_rows{4, 8, 16, 32, 64, 128};
constexpr std::array<int, 3> k_groups{64, 256, 1024};
constexpr std::array<double, 3> k_noises{0.25, 0.5, 1.0}; // spread of the logarithm of the error's factor

struct Quality
{
    PredictorQuality kind;
    PartSpec predictor;
    std::string words;
};

const Quality& blind()
{
    static const Quality s_blind{PredictorQuality::None, {"none", {}}, "no predictor"};
    return s_blind;
}

std::vector<Quality> predicting()
{
    std::vector<Quality> all{{PredictorQuality::Oracle, {"oracle", {}}, "oracle"}};
    for (const double sigma : k_noises)
        all.push_back({PredictorQuality::Imperfect,
                       {"noisy-oracle", {{"noise", std::string("log-normal")}, {"sigma", sigma}}},
                       fmt::format("predictor, error factor {:.2f}", sigma)});
    return all;
}

class List
{
public:
    explicit List(const Limits& limits) : m_limits(limits) {}

    void add(const std::string& mode, PartSpec batching, const std::string& ordering, const Quality& quality,
             const std::string& correction = "none")
    {
        Candidate candidate;
        candidate.quality = quality.kind;
        candidate.strategy.name = fmt::format("{}, {}, {}", mode, ordering, quality.words);
        candidate.strategy.predictor = quality.predictor;
        candidate.strategy.ordering = {ordering, {}};
        candidate.strategy.batching = std::move(batching);
        candidate.strategy.correction = {correction, {}};
        candidate.strategy.limits = m_limits;
        m_all.push_back(std::move(candidate));
    }

    std::vector<Candidate> take() { return std::move(m_all); }

private:
    Limits m_limits;
    std::vector<Candidate> m_all;
};

void addGrouped(List& list, int rows, const Quality& quality)
{
    for (const int group : k_groups) {
        if (group < rows) continue;
        PartSpec batching{"grouped", {{"group", std::int64_t{group}}, {"rows", std::int64_t{rows}}}};
        list.add(fmt::format("grouped {} × {}, FCR", group, rows), batching, "sjf", quality, "fcr");
        if (rows != k_rows.front()) continue; // with VBS the bins choose the rows
        batching.params["vbs"] = std::string("table");
        batching.params["rows"] = std::int64_t{16};
        list.add(fmt::format("grouped {}, VBS, FCR", group), batching, "sjf", quality, "fcr");
    }
}

} // namespace

std::vector<Candidate> advisorCandidates(const Limits& limits)
{
    List list(limits);
    const std::vector<Quality> predictors = predicting();
    list.add("one at a time", {"none", {}}, "fcfs", blind());
    for (const Quality& quality : predictors)
        list.add("one at a time", {"none", {}}, "sjf", quality);
    for (const int rows : k_rows) {
        const PartSpec fixed{"static", {{"rows", std::int64_t{rows}}}};
        const PartSpec flowing{"continuous", {{"slots", std::int64_t{rows}}}};
        PartSpec preempting = flowing;
        preempting.params["preemption"] = std::string("recompute");
        list.add(fmt::format("static {}", rows), fixed, "fcfs", blind());
        list.add(fmt::format("continuous {}", rows), flowing, "fcfs", blind());
        for (const Quality& quality : predictors) {
            list.add(fmt::format("static {}", rows), fixed, "sjf", quality);
            addGrouped(list, rows, quality);
            list.add(fmt::format("continuous {}", rows), flowing, "sjf", quality);
            list.add(fmt::format("continuous {}, preempting", rows), preempting, "srpt", quality);
        }
    }
    return list.take();
}

} // namespace batchscope::app
