// SPDX-License-Identifier: GPL-3.0-or-later
// The window and its runs: the store, pressing Run, what is compared, stored runs opened again.
#include "app/cli/exit_code.h"
#include "app/window/compare_reader.h"
#include "app/window/main_window.h"
#include "app/window/status_line.h"
#include "sessions/report.h"
#include "widgets/compose/compose_page.h"
#include "widgets/look/notice_strip.h"
#include "widgets/models/comparison_model.h"
#include "widgets/panels/compare_page.h"
#include "widgets/panels/run_page.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>

namespace batchscope::window {

using sessions::RunId;

void MainWindow::openStore()
{
    const std::filesystem::path file =
        m_options.database.empty() ? sessions::defaultStoreFile() : m_options.database;
    struct Opened
    {
        std::unique_ptr<sessions::RunStore> store;
        QString error;
    };
    m_store_job.start(
        [file]() -> Opened {
            try {
                return {std::make_unique<sessions::RunStore>(file), {}};
            } catch (const std::exception& error) {
                return {nullptr, QString::fromUtf8(error.what())};
            }
        },
        [this](Opened opened) { storeOpened(std::move(opened.store), opened.error); });
}

void MainWindow::storeOpened(std::unique_ptr<sessions::RunStore> store, const QString& error)
{
    m_store = std::move(store);
    m_store_tried = true;
    if (!m_store) tell(tr("Runs will not be kept. %1").arg(error), true);
    refreshRuns();
    if (m_store && !m_options.compare.empty()) {
        std::vector<RunId> ids;
        try {
            for (const std::string& key : m_options.compare)
                ids.push_back(m_store->find(key).id);
            compareRuns(ids);
        } catch (const std::exception& missing) {
            m_start_failure = cli::InvalidFile;
            tell(QString::fromUtf8(missing.what()), true);
        }
    }
    checkSettled();
}

void MainWindow::refreshRuns()
{
    if (!m_store) return;
    try {
        m_run_list.setRuns(m_store->runs());
    } catch (const std::exception& error) {
        tell(QString::fromUtf8(error.what()), true);
    }
}

void MainWindow::run()
{
    if (m_controller->isRunning()) return;
    if (const QString refusal = m_compose_page->refusal(); !refusal.isEmpty()) {
        tell(refusal, true);
        showPage(PageName::Compose);
        Q_EMIT runFinished(cli::InvalidFile);
        return;
    }
    m_notices->clear();
    m_run_page->setRuns(&m_controller->runs());
    m_controller->start(m_editor.document(), m_store.get());
    showPage(PageName::Run);
}

void MainWindow::experimentEnded(int exit_code)
{
    m_run_page->refresh();
    refreshRuns();
    widgets::RunSet& runs = m_controller->runs();
    std::vector<RunId> ids;
    for (int i = 0; i < runs.size(); ++i) {
        const sessions::RunRecord& record = runs.at(i)->record();
        if (record.id != 0 && runs.at(i)->status() == RunStatus::Completed) ids.push_back(record.id);
    }
    if (ids.size() > 1) {
        m_run_list.setChosen(ids);
        m_status->tell(tr("%1 runs kept; Compare (Ctrl+3) shows them side by side").arg(ids.size()));
    } else if (exit_code == cli::Done) {
        m_status->tell(
            m_store
                ? tr("kept in %1").arg(QFileInfo(QString::fromStdString(m_store->file().string())).fileName())
                : tr("done"));
    }
    Q_EMIT runFinished(exit_code);
    checkSettled();
}

void MainWindow::compareRuns(const std::vector<RunId>& ids)
{
    m_run_list.setChosen(ids);
    showPage(PageName::Compare);
}

void MainWindow::compareChosen()
{
    const std::vector<RunId> ids = m_run_list.chosen();
    if (!m_store || ids.size() < 2) {
        m_compare_job.start([] { return 0; },
                            [this](int) {
                                m_compare_page->setCompared({});
                                checkSettled();
                            });
        return;
    }
    m_compare_job.start([store = m_store.get(), ids] { return readComparison(*store, ids); },
                        [this](CompareResult result) {
                            if (!result.error.isEmpty()) tell(result.error, true);
                            m_compare_page->setCompared(std::move(result.compared));
                            checkSettled();
                        });
}

void MainWindow::openStoredRun(qint64 id)
{
    if (!m_store || id == 0) return;
    struct Read
    {
        std::unique_ptr<widgets::RunData> run;
        QString error;
    };
    m_compare_job.start(
        [store = m_store.get(), id]() -> Read {
            try {
                return {std::make_unique<widgets::RunData>(widgets::RunData::fromStored(store->load(id))),
                        {}};
            } catch (const std::exception& error) {
                return {nullptr, QString::fromUtf8(error.what())};
            }
        },
        [this](Read read) {
            if (!read.run) return tell(read.error, true);
            m_opened.clear();
            m_opened.add(std::move(read.run));
            m_run_page->setRuns(&m_opened);
            showPage(PageName::Run);
            followController();
            checkSettled();
        });
}

void MainWindow::writeReport()
{
    if (!m_store || m_compare_page->compared().empty()) {
        tell(tr("Tick the runs the report is about in Compare first."), false);
        return;
    }
    QString file = QFileDialog::getSaveFileName(this, tr("Write a report"), QStringLiteral("report.md"),
                                                tr("Markdown (*.md)"));
    if (file.isEmpty()) return;
    if (QFileInfo(file).suffix().isEmpty()) file += QLatin1String(".md");
    try {
        std::vector<sessions::StoredRun> runs;
        for (const auto& run : m_compare_page->compared())
            runs.push_back(run->stored());
        sessions::writeFileAtomically(file.toStdString(), sessions::reportMarkdown(runs));
        m_status->tell(tr("Report written to %1").arg(QFileInfo(file).fileName()));
    } catch (const std::exception& error) {
        tell(QString::fromUtf8(error.what()), true);
    }
}

void MainWindow::copyTable()
{
    auto* mime = new QMimeData;
    mime->setText(m_compare_page->table().toTsv());
    mime->setHtml(m_compare_page->table().toHtml());
    QApplication::clipboard()->setMimeData(mime);
    m_status->tell(tr("Table copied"));
}

} // namespace batchscope::window
