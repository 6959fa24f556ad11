// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/run_controller.h"

#include "app/cli/exit_code.h"
#include "scheduler/error.h"

#include <algorithm>
#include <new>

namespace batchscope::window {
namespace {

int exitCodeOf(RunStatus status)
{
    switch (status) {
    case RunStatus::Completed:
        return cli::Done;
    case RunStatus::Cancelled:
        return cli::Cancelled;
    default:
        return cli::Failed;
    }
}

int exitCodeOf(engine::ErrorKind kind)
{
    switch (kind) {
    case engine::ErrorKind::InvalidFile:
        return cli::InvalidFile;
    case engine::ErrorKind::Model:
        return cli::ModelProblem;
    case engine::ErrorKind::Cancelled:
        break;
    }
    return cli::Cancelled;
}

} // namespace

RunController::RunController(Runner runner, QObject* parent) : QObject(parent), m_runner(std::move(runner))
{
    m_clock.setInterval(k_frame_ms);
    m_clock.setTimerType(Qt::PreciseTimer);
    connect(&m_clock, &QTimer::timeout, this, &RunController::frame);
}

RunController::~RunController()
{
    stop();
    if (m_thread.joinable()) m_thread.join();
}

void RunController::start(const sessions::SessionDocument& document, sessions::RunStore* store)
{
    if (m_running) return;
    m_runs.clear();
    m_pump.take();
    m_control = std::make_unique<RunControl>();
    m_running = true;
    m_paused = m_stopping = false;
    m_run = 0;
    m_all_runs = static_cast<int>(document.strategies.size()) * std::max(document.repetitions, 1);
    m_load_fraction = -1;
    m_phase = tr("Starting");
    m_since.start();
    app::ExperimentOptions options;
    options.store = store;
    options.watched = true;
    options.keep_log = false; // the window keeps its own copy of what it was told
    m_thread = std::jthread(
        [this, document, options](std::stop_token stop) { work(document, options, std::move(stop)); });
    m_clock.start();
    Q_EMIT stateChanged();
}

// On the experiment's thread: whatever goes wrong becomes the last news.
void RunController::work(const sessions::SessionDocument& document, const app::ExperimentOptions& options,
                         std::stop_token stop)
{
    ExperimentFinished end;
    try {
        end.status = m_runner(document, options, m_pump, *m_control, stop).status;
        end.exit_code = exitCodeOf(end.status);
    } catch (const engine::EngineError& error) {
        end = {RunStatus::Failed, error.what(), exitCodeOf(error.kind())};
        if (error.kind() == engine::ErrorKind::Cancelled) end = {RunStatus::Cancelled, {}, cli::Cancelled};
    } catch (const sessions::DocumentError& error) {
        end = {RunStatus::Failed, error.what(), cli::InvalidFile};
    } catch (const SchedulerError& error) {
        end = {RunStatus::Failed, error.what(), cli::InvalidFile};
    } catch (const BackendError& error) {
        end = {RunStatus::Failed, error.what(), cli::ModelProblem};
    } catch (const std::bad_alloc&) {
        end = {RunStatus::Failed, "out of memory; fewer rows, a shorter cap or bf16 weights need less",
               cli::ModelProblem};
    } catch (const std::exception& error) {
        end = {RunStatus::Failed, error.what(), cli::Failed};
    }
    m_pump.finished(std::move(end));
}

void RunController::togglePause()
{
    if (!m_running || !m_control) return;
    m_paused = !m_paused;
    if (m_paused)
        m_control->pause();
    else
        m_control->resume();
    Q_EMIT stateChanged();
}

void RunController::step()
{
    if (!m_running || !m_control) return;
    if (!m_paused)
        togglePause();
    else
        m_control->step();
}

void RunController::stop()
{
    if (!m_running) return;
    m_stopping = true;
    m_phase = tr("Stopping");
    m_thread.request_stop();
    if (m_paused) togglePause(); // a paused loop must wake to see it
    Q_EMIT stateChanged();
}

void RunController::frame()
{
    for (News& news : m_pump.take())
        take(news);
    if (m_running) m_spent_s = static_cast<double>(m_since.elapsed()) / 1e3;
    Q_EMIT framed();
}

void RunController::take(News& news)
{
    if (auto* phase = std::get_if<PhaseNews>(&news)) {
        if (!m_stopping) m_phase = QString::fromStdString(phase->text);
        m_load_fraction = phase->phase == app::Phase::LoadingModel ? phase->fraction : -1;
    } else if (auto* began = std::get_if<RunBegan>(&news)) {
        m_run = began->run + 1;
        m_all_runs = began->runs;
        m_runs.add(std::make_unique<widgets::RunData>(std::move(began->record), std::move(began->requests)));
    } else if (auto* grown = std::get_if<RunGrown>(&news)) {
        if (widgets::RunData* run = m_runs.last()) {
            run->append(grown->events);
            for (const TokensGrown& tokens : grown->tokens)
                run->appendTokens(tokens.request, tokens.attempt, tokens.ids);
        }
    } else if (auto* ended = std::get_if<RunFinished>(&news)) {
        if (widgets::RunData* run = m_runs.last()) run->finish(ended->record);
        Q_EMIT runStored();
    } else if (auto* warning = std::get_if<WarningTold>(&news)) {
        Q_EMIT noticed(QString::fromStdString(warning->text), false);
    } else if (auto* finish = std::get_if<ExperimentFinished>(&news)) {
        m_thread.join();
        m_clock.stop();
        m_running = m_paused = m_stopping = false;
        m_spent_s = static_cast<double>(m_since.elapsed()) / 1e3;
        m_phase = finish->status == RunStatus::Cancelled ? tr("Cancelled")
                  : finish->error.empty()                ? tr("Done")
                                                         : tr("Failed");
        if (!finish->error.empty()) Q_EMIT noticed(QString::fromStdString(finish->error), true);
        Q_EMIT stateChanged();
        Q_EMIT finished(finish->exit_code);
    }
}

Progress RunController::progress() const
{
    Progress p;
    p.run = m_run;
    p.runs = m_all_runs;
    p.spent_s = m_spent_s;
    if (m_runs.size() == 0) {
        p.fraction = m_load_fraction;
        return p;
    }
    const widgets::RunData& now = *const_cast<widgets::RunSet&>(m_runs).last();
    p.requests =
        now.record().requests > 0 ? now.record().requests : static_cast<std::int64_t>(now.requests().size());
    p.done = now.delivered();
    const double share = p.requests > 0 ? static_cast<double>(p.done) / static_cast<double>(p.requests) : 0;
    if (p.runs > 0) p.fraction = std::min(1.0, (p.run - 1 + std::min(share, 1.0)) / p.runs);
    if (m_running && !m_paused && p.fraction > 0.02)
        p.remaining_s = p.spent_s / p.fraction * (1 - p.fraction);
    return p;
}

} // namespace batchscope::window
