// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/screenshots.h"

#include "app/cli/exit_code.h"
#include "app/window/main_window.h"
#include "app/window/trial_runner.h"
#include "widgets/panels/run_page.h"

#include <QCoreApplication>
#include <QEventLoop>
#include <QPixmap>
#include <QTimer>
#include <fstream>
#include <iostream>
#include <optional>

namespace batchscope::window {
namespace {

// The request the details show in the picture: one of the last run's middle batch, in its middle row.
std::optional<RequestIndex> telling(const widgets::RunData& run)
{
    const auto& pieces = run.map().pieces();
    const auto& batches = run.map().batches();
    if (batches.empty()) return std::nullopt;
    const PaddingBatch& batch = batches[batches.size() / 2];
    for (const PaddingPiece& piece : pieces)
        if (piece.batch == batch.batch && piece.slot == batch.rows / 2) return piece.request;
    return std::nullopt;
}

} // namespace

std::string screenshotsFault(const std::filesystem::path& folder)
{
    namespace fs = std::filesystem;
    std::error_code error;
    fs::create_directories(folder, error);
    const std::string name = folder.string();
    if (error)
        return "the folder " + name + " cannot be made: " + error.message() +
               "; choose another for --screenshots";
    if (!fs::is_directory(folder, error)) return name + " is no folder; choose another for --screenshots";
    const fs::path probe = folder / ".batchscope-can-write";
    const bool written = static_cast<bool>(std::ofstream(probe) << ' ' << std::flush);
    fs::remove(probe, error);
    return written ? std::string()
                   : "nothing can be written into the folder " + name + "; choose another for --screenshots";
}

ScreenshotTaker::ScreenshotTaker(MainWindow& window, std::filesystem::path folder, bool after_run,
                                 QObject* parent)
    : QObject(parent), m_window(window), m_folder(std::move(folder)), m_wait_for_run(after_run)
{
    connect(&window, &MainWindow::runFinished, this, [this](int exit_code) {
        m_exit_code = exit_code;
        m_wait_for_run = false;
        QTimer::singleShot(0, this, &ScreenshotTaker::proceed);
    });
    connect(&window, &MainWindow::settled, this, &ScreenshotTaker::proceed);
}

void ScreenshotTaker::proceed()
{
    if (m_window.startFailure() != 0) {
        m_exit_code = m_window.startFailure();
        m_wait_for_run = false;
    }
    if (m_taken || m_wait_for_run || !m_window.isSettled()) return;
    m_taken = true;
    QTimer::singleShot(50, this, &ScreenshotTaker::take); // layouts and queued replots first
}

void ScreenshotTaker::take()
{
    if (const std::string fault = screenshotsFault(m_folder); !fault.empty()) { // it may have gone since
        std::cerr << "batchscope: " << fault << '\n';
        Q_EMIT done(cli::Failed);
        return;
    }
    bool written = true;
    m_window.showPage(PageName::Compose);
    written &= shoot(QStringLiteral("compose"));
    m_window.showPage(PageName::Run);
    widgets::RunPage& page = m_window.runPage();
    if (page.shownRun() >= 0) {
        QCoreApplication::processEvents();
        if (const auto request = telling(*page.runs()->at(page.shownRun()))) page.selection().pin(*request);
        page.refresh();
    }
    written &= shoot(QStringLiteral("run"));
    m_window.showPage(PageName::Compare);
    written &= shoot(QStringLiteral("compare"));
    written &= shootTrials();
    Q_EMIT done(m_exit_code != 0 ? m_exit_code : written ? cli::Done : cli::Failed);
}

// Advice and a sweep of the first strategy, of sessions that the simulator runs.
bool ScreenshotTaker::shootTrials()
{
    const auto& document = m_window.editor().document();
    if (document.backend.type != sessions::BackendSpec::Type::Simulated || document.strategies.empty())
        return true;
    TrialRunner& trials = m_window.trials();
    const auto shootOne = [&](const char* name) {
        trials.start();
        QEventLoop until_done;
        connect(&trials, &TrialRunner::ended, &until_done, &QEventLoop::quit);
        if (trials.isBusy()) until_done.exec();
        return shoot(QLatin1String(name));
    };
    trials.openAdvice();
    bool written = shootOne("advise");
    trials.openSweep(0);
    written &= shootOne("sweep");
    return written;
}

bool ScreenshotTaker::shoot(const QString& name)
{
    for (int i = 0; i < 4; ++i)
        QCoreApplication::processEvents(); // layout, then queued replots, then paint
    const std::filesystem::path file = m_folder / (name.toStdString() + ".png");
    if (m_window.grab().save(QString::fromStdString(file.string()))) return true;
    std::cerr << "batchscope: " << file << " cannot be written; choose another folder for --screenshots\n";
    return false;
}

} // namespace batchscope::window
