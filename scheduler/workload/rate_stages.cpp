// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/workload/rate_stages.h"

#include "scheduler/error.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace batchscope {
namespace {

double finalRate(const RateStage& stage)
{
    return stage.to_rate.value_or(stage.rate);
}

double expected(const RateStage& stage) // requests that arrive in it on average
{
    return stage.duration_s * (stage.rate + finalRate(stage)) / 2;
}

// Seconds into the stage after which `due` requests are expected; 0 <= due <= expected(stage), expected > 0.
double timeWithin(const RateStage& stage, double due)
{
    const double slope = (finalRate(stage) - stage.rate) / stage.duration_s;
    if (slope == 0) return due / stage.rate;
    // rate t + slope t^2 / 2 = due, by the root that does not cancel.
    const double root = std::sqrt(std::max(0.0, stage.rate * stage.rate + 2 * slope * due));
    return due == 0 ? 0.0 : 2 * due / (stage.rate + root);
}

void checkStages(const std::vector<RateStage>& stages)
{
    if (stages.empty())
        throw SchedulerError("arrivals: process 'stages' needs stages, a list such as [{\"duration_s\": 60, "
                             "\"rate\": 2}, {\"duration_s\": 60, \"rate\": 2, \"to_rate\": 8}]");
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const RateStage& stage = stages[i];
        const auto refuse = [&](const char* name, double found, const char* expectation) {
            throw SchedulerError(
                fmt::format("arrivals: {} of stage {} is {}, expected {}", name, i + 1, found, expectation));
        };
        const auto isRate = [](double rate) { return rate >= 0 && std::isfinite(rate); };
        if (!(stage.duration_s > 0 && std::isfinite(stage.duration_s)))
            refuse("duration_s", stage.duration_s, "a finite number of seconds above 0");
        if (!isRate(stage.rate)) refuse("rate", stage.rate, "a finite number of requests/s of at least 0");
        if (!isRate(finalRate(stage)))
            refuse("to_rate", finalRate(stage), "a finite number of requests/s of at least 0");
    }
}

// Walks through the stages as the expected number of arrivals grows.
class StageWalk
{
public:
    explicit StageWalk(const std::vector<RateStage>& stages) : m_stages(stages) {}

    // `due` never decreases from call to call.
    double timeOf(double due)
    {
        while (m_at < m_stages.size()) {
            const double here = expected(m_stages[m_at]);
            if (here > 0 && due <= m_due_before + here)
                return m_time_before + timeWithin(m_stages[m_at], due - m_due_before);
            m_due_before += here;
            m_time_before += m_stages[m_at++].duration_s;
        }
        const double rate = finalRate(m_stages.back());
        if (!(rate > 0))
            throw SchedulerError(fmt::format(
                "arrivals: the stages bring about {:.0f} requests and end at 0 requests/s, but more are to "
                "arrive; lengthen a stage, let the last one end above 0, or lower workload.requests",
                m_due_before));
        return m_time_before + (due - m_due_before) / rate;
    }

private:
    const std::vector<RateStage>& m_stages;
    std::size_t m_at = 0;
    double m_due_before = 0, m_time_before = 0;
};

std::string stageText(const RateStage& stage)
{
    return stage.to_rate ? fmt::format("{} s from {}/s to {}/s", stage.duration_s, stage.rate, *stage.to_rate)
                         : fmt::format("{} s at {}/s", stage.duration_s, stage.rate);
}

} // namespace

std::vector<double> stageTimes(const ArrivalSpec& spec, std::size_t count, Random random)
{
    checkStages(spec.stages);
    StageWalk walk(spec.stages);
    std::vector<double> times(count);
    double due = 0;
    for (std::size_t i = 0; i < count; ++i) {
        times[i] = walk.timeOf(due);
        due += spec.even_gaps ? 1.0 : random.exponential(1.0);
    }
    return times;
}

std::string describeStages(const ArrivalSpec& spec)
{
    std::vector<std::string> texts;
    for (const RateStage& stage : spec.stages)
        texts.push_back(stageText(stage));
    return fmt::format("stages{}: {}", spec.even_gaps ? ", even gaps" : "", fmt::join(texts, ", "));
}

} // namespace batchscope
