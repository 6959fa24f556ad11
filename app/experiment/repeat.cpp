// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/repeat.h"

#include "app/experiment/experiment.h"
#include "app/experiment/seeds.h"
#include "app/experiment/simulated_jobs.h"
#include "app/experiment/simulated_session.h"
#include "sessions/error.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace batchscope::app {

using sessions::PointRun;
using sessions::PublishedFigure;
using sessions::SessionDocument;
using sessions::SessionPoint;

namespace {

// What is to be run, each once: strategies by point.
std::map<SessionPoint, std::set<std::string>> wanted(const std::vector<PublishedFigure>& figures)
{
    std::map<SessionPoint, std::set<std::string>> strategies;
    for (const PublishedFigure& figure : figures)
        for (const SessionPoint& point : figure.points)
            for (const auto& name :
                 {figure.strategy, figure.against, figure.as_published, figure.as_published_against})
                if (!name.empty()) strategies[point].insert(name);
    return strategies;
}

} // namespace

std::vector<sessions::Repeated> repeatPublished(const SessionDocument& document,
                                                const sessions::Published& published,
                                                const RepeatOptions& options)
{
    const Registry registry = fullRegistry();
    SimulatedJobs jobs(registry);
    std::vector<PointRun> runs; // by job
    for (const auto& [point, names] : wanted(published.figures)) {
        const SessionDocument changed = sessions::atPoint(document, point, registry);
        requireSimulated(changed, registry);
        for (const Strategy& strategy : changed.strategies) {
            if (!names.contains(strategy.name)) continue;
            for (int i = 0; i < published.repetitions; ++i) {
                jobs.add(changed, strategy, i);
                runs.push_back({strategy.name, point, seedOfRepetition(changed.workload.seed, i), {}});
            }
        }
    }
    const auto outcomes = jobs.run({options.threads, options.progressed, options.stop});
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        if (!outcomes[i].metrics)
            throw sessions::DocumentError(fmt::format(
                "{}: strategy '{}' could not run, so its published figures cannot be repeated: {}",
                document.file.string(), runs[i].strategy, outcomes[i].refusal));
        runs[i].metrics = *outcomes[i].metrics;
    }
    return sessions::besidePublished(published.figures, runs);
}

} // namespace batchscope::app
