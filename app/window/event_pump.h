// SPDX-License-Identifier: GPL-3.0-or-later
// From the experiment's thread to the window: facts pile up in order under a mutex and are taken all at once,
// once a frame. The loop never waits for a view.
#pragma once

#include "app/experiment/experiment.h"
#include "sessions/run_record.h"

#include <mutex>
#include <string>
#include <variant>
#include <vector>

namespace batchscope::window {

struct PhaseNews
{
    app::Phase phase = app::Phase::LoadingModel;
    std::string text;
    double fraction = -1;
};
struct RunBegan
{
    int run = 0, runs = 1;
    sessions::RunRecord record;
    std::vector<sessions::StoredRequest> requests;
};
struct TokensGrown
{
    RequestIndex request = 0;
    std::uint16_t attempt = 0;
    std::vector<TokenId> ids;
};
struct RunGrown
{
    std::vector<Event> events;
    std::vector<TokensGrown> tokens;
};
struct RunFinished
{
    sessions::RunRecord record;
};
struct WarningTold
{
    std::string text;
};
struct ExperimentFinished // the last one
{
    RunStatus status = RunStatus::Completed;
    std::string error; // empty: none
    int exit_code = 0; // as cli.md
};
using News = std::variant<PhaseNews, RunBegan, RunGrown, RunFinished, WarningTold, ExperimentFinished>;

class EventPump final : public app::ExperimentListener
{
public:
    // Experiment's thread.
    void phaseChanged(app::Phase phase, const std::string& text, double fraction) override;
    void runStarted(int run, int runs, const sessions::RunRecord& record, const Workload& workload) override;
    void eventsAppended(const std::vector<Event>& events) override;
    void tokensAppended(RequestIndex request, std::uint16_t attempt,
                        const std::vector<TokenId>& ids) override;
    void runEnded(const sessions::RunRecord& record) override;
    void warned(const std::string& text) override;
    void finished(ExperimentFinished end);

    // The window's thread: everything since the last call, in order.
    std::vector<News> take();

private:
    void put(News news);
    RunGrown& growing(); // under the mutex
    std::mutex m_mutex;
    std::vector<News> m_news;
};

} // namespace batchscope::window
