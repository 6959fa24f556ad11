// SPDX-License-Identifier: GPL-3.0-or-later
// Runs an experiment on a thread of its own and brings what happens to the window, once a frame. Lives on the
// window's thread; the experiment itself is only touched by its thread.
#pragma once

#include "app/window/event_pump.h"
#include "widgets/models/run_set.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <functional>
#include <optional>
#include <thread>

namespace batchscope::window {

inline constexpr int k_frame_ms = 33;

struct Progress // of the whole experiment
{
    int run = 0, runs = 0; // from 1
    std::int64_t done = 0, requests = 0;
    double fraction = -1;              // 0...1 over all runs; -1: not known
    double spent_s = 0;                // since Run was pressed, pauses included
    std::optional<double> remaining_s; // at the pace so far
};

class RunController : public QObject
{
    Q_OBJECT

public:
    using Runner =
        std::function<app::ExperimentResult(const sessions::SessionDocument&, const app::ExperimentOptions&,
                                            app::ExperimentListener&, RunControl&, std::stop_token)>;
    explicit RunController(Runner runner, QObject* parent = nullptr);
    ~RunController() override; // stops and waits

    bool isRunning() const { return m_running; }
    bool isPaused() const { return m_paused; }
    widgets::RunSet& runs() { return m_runs; } // of the experiment that runs or ran last
    Progress progress() const;
    QString phase() const { return m_phase; }

public Q_SLOTS:
    void start(const batchscope::sessions::SessionDocument& document, batchscope::sessions::RunStore* store);
    void togglePause();
    void step(); // pauses first where it still runs
    void stop();

Q_SIGNALS:
    void stateChanged(); // running, paused or idle
    void framed();       // once a frame, after the runs have grown
    void noticed(const QString& text, bool warning);
    void runStored(); // a run has ended, and its record is in the store
    void finished(int exit_code);

private:
    void work(const sessions::SessionDocument& document, const app::ExperimentOptions& options,
              std::stop_token stop);
    void frame();
    void take(News& news);
    Runner m_runner;
    EventPump m_pump;
    std::unique_ptr<RunControl> m_control;
    std::jthread m_thread;
    QTimer m_clock;
    QElapsedTimer m_since;
    widgets::RunSet m_runs;
    QString m_phase;
    int m_run = 0, m_all_runs = 0;
    double m_load_fraction = -1;
    bool m_running = false, m_paused = false, m_stopping = false;
    double m_spent_s = 0;
};

} // namespace batchscope::window
