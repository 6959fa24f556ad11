// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps and advice behind their page: plans, runs and cancels them off the window's thread, and turns what
// they found into what the page shows.
#pragma once

#include "app/window/background_job.h"
#include "scheduler/strategy.h"
#include "sessions/session_document.h"
#include "widgets/models/trials.h"

#include <QObject>
#include <QTimer>
#include <functional>
#include <stop_token>
#include <vector>

namespace batchscope::widgets {
class SessionEditor;
class TrialsPage;
struct SweptParameter;
} // namespace batchscope::widgets

namespace batchscope::window {

struct TrialOutcome
{
    widgets::Trials trials;
    std::vector<Strategy> strategies; // of each trial
    QString error;
    bool cancelled = false;
};

class TrialRunner : public QObject
{
    Q_OBJECT

public:
    TrialRunner(widgets::SessionEditor& editor, widgets::TrialsPage& page, QObject* parent = nullptr);
    ~TrialRunner() override; // cancels what runs

    void openAdvice();
    void openSweep(int strategy); // of the session
    void start();
    void cancel();
    bool isBusy() const { return m_running; }

Q_SIGNALS:
    void opened(); // the page is to be shown
    void ended();
    void strategyAdded(const QString& name);

private:
    void plan();
    void estimate(std::size_t runs);
    void use(int trial);
    void finish(TrialOutcome outcome);
    widgets::SessionEditor& m_editor;
    widgets::TrialsPage& m_page;
    sessions::SessionDocument m_document; // as it was when the page was opened; of a sweep with one strategy
    std::vector<Strategy> m_strategies;
    std::stop_source m_stop;
    QTimer m_pause; // of typing
    bool m_running = false;
    int m_all = 0;
    BackgroundJob m_job, m_estimate_job; // last: their work ends before anything else goes
};

// What a sweep of the strategy may vary, with values around the present one.
std::vector<widgets::SweptParameter> sweptParameters(const sessions::SessionDocument& document,
                                                     const Strategy& strategy, const Registry& registry);

} // namespace batchscope::window
