// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/trial_runner.h"

#include "app/experiment/advisor.h"
#include "app/experiment/sweep.h"
#include "app/window/trial_results.h"
#include "engine/error.h"
#include "widgets/look/formats.h"
#include "widgets/models/session_editor.h"
#include "widgets/panels/trials_page.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace batchscope::window {
namespace {

using sessions::SessionDocument;

app::SweepOptions sweepOptions(const QString& axis, int repetitions)
{
    app::SweepOptions options;
    options.axes = {app::parseSweepAxis(axis.toStdString())};
    options.repetitions = repetitions;
    options.metrics = {"output_token_throughput", "e2el_s.p99"};
    return options;
}

// The command line's words, without its option.
QString refusalText(const std::exception& error)
{
    QString text = QString::fromUtf8(error.what());
    return text.replace(QLatin1String("--vary "), QString());
}

bool isSimulated(const SessionDocument& document)
{
    return document.backend.type == sessions::BackendSpec::Type::Simulated;
}

template <typename Make>
TrialOutcome guarded(const std::stop_token& stop, Make make)
{
    TrialOutcome outcome;
    try {
        outcome = make();
    } catch (const std::exception& error) {
        outcome.cancelled = stop.stop_requested();
        outcome.error = refusalText(error);
    }
    return outcome;
}

} // namespace

TrialRunner::TrialRunner(widgets::SessionEditor& editor, widgets::TrialsPage& page, QObject* parent)
    : QObject(parent), m_editor(editor), m_page(page)
{
    m_pause.setSingleShot(true);
    m_pause.setInterval(200);
    connect(&m_pause, &QTimer::timeout, this, &TrialRunner::plan);
    connect(&page, &widgets::TrialsPage::planAsked, this, [this] { m_pause.start(); });
    connect(&page, &widgets::TrialsPage::startAsked, this, &TrialRunner::start);
    connect(&page, &widgets::TrialsPage::cancelAsked, this, &TrialRunner::cancel);
    connect(&page, &widgets::TrialsPage::useAsked, this, &TrialRunner::use);
}

TrialRunner::~TrialRunner()
{
    m_stop.request_stop();
}

void TrialRunner::openAdvice()
{
    if (!m_running) {
        m_document = m_editor.document();
        m_page.showAdvice(QString::fromStdString(m_document.name));
        plan();
    }
    Q_EMIT opened();
}

void TrialRunner::openSweep(int strategy)
{
    if (!m_running) {
        m_document = m_editor.document();
        const Strategy swept = m_document.strategies.at(static_cast<std::size_t>(strategy));
        m_document.strategies = {swept};
        m_page.showSweep(QString::fromStdString(swept.name),
                         sweptParameters(m_document, swept, app::fullRegistry()));
        plan();
    }
    Q_EMIT opened();
}

// What would be run, or why it cannot; how long it will take follows from one run that is timed.
void TrialRunner::plan()
{
    m_pause.stop();
    if (m_running) return;
    if (!isSimulated(m_document)) {
        m_page.setPlan(
            tr("So many runs need the simulator: choose a cost model under \"Model and device\" first."),
            false);
        return;
    }
    try {
        const std::size_t runs =
            m_page.isSweep()
                ? app::Sweep(m_document, sweepOptions(m_page.axis(), m_page.repetitions())).runCount()
                : app::Advisor(m_document, {}).runCount();
        m_page.setPlan(widgets::counted(static_cast<std::int64_t>(runs), tr("1 run"), tr("%1 runs")), true);
        estimate(runs);
    } catch (const std::exception& error) {
        m_page.setPlan(refusalText(error), false);
    }
}

void TrialRunner::estimate(std::size_t runs)
{
    SessionDocument one = m_document;
    one.strategies.resize(1);
    m_estimate_job.start(
        [one, stop = m_stop.get_token()]() -> double {
            const auto begin = std::chrono::steady_clock::now();
            try {
                app::SweepOptions options;
                options.repetitions = 1;
                options.threads = 1;
                app::Sweep(one, options).run(stop);
            } catch (const std::exception&) { // what cannot run is told when it is started
                return -1;
            }
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        },
        [this, runs](double seconds) {
            if (m_running || seconds < 0 || !m_page.trials().all.empty()) return;
            const auto cores = std::max(1U, std::thread::hardware_concurrency());
            const double all = seconds * static_cast<double>(runs) / cores;
            m_page.setPlan(
                tr("%1 on %2, about %3")
                    .arg(widgets::counted(static_cast<std::int64_t>(runs), tr("1 run"), tr("%1 runs")),
                         widgets::counted(cores, tr("1 core"), tr("%1 cores")),
                         all < 1 ? tr("a second") : widgets::duration(all)),
                true);
        });
}

void TrialRunner::start()
{
    if (m_running) return;
    plan();
    m_stop = {};
    m_running = true;
    const auto stop = m_stop.get_token();
    const auto progressed = [this](std::size_t done, std::size_t all) { // from any thread, one at a time
        const std::size_t step = std::max<std::size_t>(1, all / 100);
        if (done % step == 0 || done == all)
            QMetaObject::invokeMethod(
                this,
                [this, done, all] {
                    if (m_running) m_page.setProgress(static_cast<int>(done), static_cast<int>(all));
                },
                Qt::QueuedConnection);
    };
    m_page.setProgress(0, 1);
    const auto deliver = [this](TrialOutcome outcome) { finish(std::move(outcome)); };
    if (m_page.isSweep())
        m_job.start(
            [document = m_document, axis = m_page.axis(), repetitions = m_page.repetitions(), progressed,
             stop] {
                return guarded(stop, [&] {
                    app::SweepOptions options = sweepOptions(axis, repetitions);
                    options.progressed = progressed;
                    const app::Sweep sweep(document, options);
                    return outcomeOf(sweep, sweep.run(stop));
                });
            },
            deliver);
    else
        m_job.start(
            [document = m_document, progressed, stop] {
                return guarded(stop, [&] {
                    app::AdvisorOptions options;
                    options.progressed = progressed;
                    return outcomeOf(app::Advisor(document, options).run(stop));
                });
            },
            deliver);
}

void TrialRunner::cancel()
{
    m_stop.request_stop();
}

void TrialRunner::finish(TrialOutcome outcome)
{
    m_running = false;
    m_page.setProgress(0, 0);
    if (outcome.cancelled) {
        m_page.setPlan(tr("Cancelled: nothing was kept."), true);
    } else if (!outcome.error.isEmpty()) {
        m_page.setPlan(outcome.error, false);
    } else {
        m_strategies = std::move(outcome.strategies);
        m_page.setPlan(tr("%1 shown; choose a row to use it").arg(outcome.trials.all.size()), true);
        m_page.setTrials(std::move(outcome.trials));
    }
    Q_EMIT ended();
}

void TrialRunner::use(int trial)
{
    const auto at = static_cast<std::size_t>(trial);
    if (trial < 0 || at >= m_strategies.size()) return;
    m_editor.addStrategy(m_strategies[at]);
    Q_EMIT strategyAdded(QString::fromStdString(m_editor.document().strategies.back().name));
}

} // namespace batchscope::window
