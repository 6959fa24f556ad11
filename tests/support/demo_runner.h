// SPDX-License-Identifier: GPL-3.0-or-later
// A runner that plays demo logs into the window as an experiment would, on the experiment's thread.
#pragma once

#include "app/window/run_controller.h"
#include "tests/support/demo_log.h"

#include <chrono>
#include <thread>

namespace batchscope::tests {

// Keeps the runs in the store where there is one. `pieces`: events are handed over in this many batches, with
// a pause between so that frames come in; the stop token is honoured between two.
inline window::RunController::Runner
demoRunner(int pieces = 6, std::chrono::milliseconds pause = std::chrono::milliseconds(2))
{
    return [pieces, pause](const sessions::SessionDocument&, const app::ExperimentOptions& options,
                           app::ExperimentListener& listener, RunControl&, const std::stop_token& stop) {
        app::ExperimentResult result;
        auto runs = demoRuns();
        const Workload workload = demoWorkload();
        listener.phaseChanged(app::Phase::LoadingModel, "Loading the model", 0.5);
        for (std::size_t r = 0; r < runs.size(); ++r) {
            sessions::StoredRun& run = runs[r];
            sessions::RunRecord starting = run.record;
            starting.id = 0;
            starting.status.reset();
            starting.metrics.reset();
            std::unique_ptr<sessions::RunWriter> writer;
            if (options.store) writer = options.store->begin(starting, run.requests);
            starting.id = writer ? writer->id() : static_cast<sessions::RunId>(r + 1);
            listener.runStarted(static_cast<int>(r), static_cast<int>(runs.size()), starting, workload);
            const auto size = run.log.size(), count = static_cast<std::size_t>(pieces);
            for (std::size_t i = 0; i < count; ++i) {
                if (stop.stop_requested()) {
                    result.status = RunStatus::Cancelled;
                    return result;
                }
                const std::vector<Event> part(run.log.begin() + static_cast<std::ptrdiff_t>(size * i / count),
                                              run.log.begin() +
                                                  static_cast<std::ptrdiff_t>(size * (i + 1) / count));
                if (writer) writer->append(part);
                listener.eventsAppended(part);
                std::this_thread::sleep_for(pause);
            }
            run.record.id = starting.id;
            if (writer) writer->finish(run.record);
            listener.runEnded(run.record);
        }
        return result;
    };
}

} // namespace batchscope::tests
