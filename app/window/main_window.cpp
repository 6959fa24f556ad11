// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/main_window.h"

#include "app/cli/exit_code.h"
#include "app/experiment/experiment.h"
#include "app/window/presets.h"
#include "app/window/rail.h"
#include "app/window/status_line.h"
#include "app/window/top_bar.h"
#include "app/window/trial_runner.h"
#include "widgets/compose/compose_page.h"
#include "widgets/compose/strategies_panel.h"
#include "widgets/look/formats.h"
#include "widgets/look/notice_strip.h"
#include "widgets/panels/compare_page.h"
#include "widgets/panels/run_list_panel.h"
#include "widgets/panels/run_page.h"
#include "widgets/panels/trials_page.h"

#include <QAction>
#include <QHBoxLayout>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace batchscope::window {

using sessions::SessionDocument;

MainWindow::MainWindow(WindowOptions options, RunController::Runner runner, QWidget* parent)
    : QMainWindow(parent), m_options(std::move(options)), m_registry(app::fullRegistry()),
      m_files(sessions::defaultStoreFile().parent_path()),
      m_controller(new RunController(std::move(runner), this))
{
    setAcceptDrops(true);
    setObjectName(QStringLiteral("mainWindow"));
    buildActions();
    buildPages();
    buildMenus();
    connectController();
    connectDocument();
    connectTrials();
    restoreLayout();
    if (m_options.size) resize(*m_options.size);
    followDocument();
    followController();
}

MainWindow::~MainWindow()
{
    delete m_trials; // cancels its runs and waits for them
    m_run_page->setRuns(nullptr);
    m_editor.undoStack().disconnect(this); // a stack with changes says so once more while it goes
    delete m_controller;                   // joins the experiment's thread before the store closes
}

void MainWindow::buildPages()
{
    auto* central = new QWidget(this);
    auto* column = new QVBoxLayout(central);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_top = new TopBar(m_run, m_pause, m_step, m_stop, central);
    column->addWidget(m_top);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    auto* rail = new Rail(central);
    rail->addPage(m_page_actions[0], widgets::Glyph::Compose);
    rail->addPage(m_page_actions[1], widgets::Glyph::Run);
    rail->addPage(m_page_actions[2], widgets::Glyph::Compare);
    row->addWidget(rail);
    auto* page_column = new QVBoxLayout;
    page_column->setContentsMargins(0, 0, 0, 0);
    page_column->setSpacing(0);
    auto* notice_row = new QHBoxLayout;
    notice_row->setContentsMargins(widgets::k_gap_m, widgets::k_gap_m, widgets::k_gap_m, 0);
    m_notices = new widgets::NoticeStrip(central);
    notice_row->addWidget(m_notices);
    page_column->addLayout(notice_row);
    m_pages = new QStackedWidget(central);
    m_compose_page = new widgets::ComposePage(m_editor, m_registry, simulatorChoices(), m_pages);
    m_run_page = new widgets::RunPage(m_pages);
    m_compare_page = new widgets::ComparePage(m_run_list, m_pages);
    m_pages->addWidget(m_compose_page);
    m_pages->addWidget(m_run_page);
    m_pages->addWidget(m_compare_page);
    m_trials_page = new widgets::TrialsPage(m_pages);
    m_pages->addWidget(m_trials_page);
    m_trials = new TrialRunner(m_editor, *m_trials_page, this);
    page_column->addWidget(m_pages, 1);
    row->addLayout(page_column, 1);
    column->addLayout(row, 1);
    setCentralWidget(central);
    m_status = new StatusLine(this);
    setStatusBar(m_status);
    m_run_page->setDecoder([this](const std::vector<TokenId>& ids) {
        return m_tokenizer ? QString::fromStdString(m_tokenizer->decode(ids)) : QString();
    });
    m_run_page->setRuns(&m_controller->runs());
}

void MainWindow::connectController()
{
    connect(m_controller, &RunController::stateChanged, this, &MainWindow::followController);
    connect(m_controller, &RunController::framed, this, &MainWindow::followFrame);
    connect(m_controller, &RunController::noticed, this, &MainWindow::tell);
    connect(m_controller, &RunController::runStored, this, &MainWindow::refreshRuns);
    connect(m_controller, &RunController::finished, this, &MainWindow::experimentEnded);
    connect(&m_run_list, &widgets::RunListModel::chosenChanged, this, &MainWindow::compareChosen);
    connect(&m_compare_page->list(), &widgets::RunListPanel::openAsked, this, &MainWindow::openStoredRun);
    connect(&m_compare_page->list(), &widgets::RunListPanel::trashAsked, this, [this](qint64 id) {
        if (!m_store || id == 0) return;
        try {
            m_store->setTrashed(id, true);
            m_status->tell(tr("Run %1 is in the trash").arg(id));
        } catch (const std::exception& error) {
            tell(QString::fromUtf8(error.what()), true);
        }
        refreshRuns();
    });
    connect(m_compare_page, &widgets::ComparePage::copyAsked, this, &MainWindow::copyTable);
    connect(m_compare_page, &widgets::ComparePage::reportAsked, this, &MainWindow::writeReport);
}

void MainWindow::connectDocument()
{
    m_facts_pause.setSingleShot(true);
    m_facts_pause.setInterval(150);
    m_draft_pause.setSingleShot(true);
    m_draft_pause.setInterval(3000);
    connect(&m_facts_pause, &QTimer::timeout, this, &MainWindow::readFacts);
    connect(&m_draft_pause, &QTimer::timeout, this, &MainWindow::keepDraft);
    connect(&m_editor, &widgets::SessionEditor::documentChanged, this, &MainWindow::followDocument);
    connect(&m_editor.undoStack(), &QUndoStack::cleanChanged, this, &MainWindow::followDocument);
}

void MainWindow::connectTrials()
{
    connect(m_trials, &TrialRunner::opened, this, [this] { showPage(PageName::Trials); });
    connect(m_trials, &TrialRunner::strategyAdded, this,
            [this](const QString& name) { m_status->tell(tr("%1 was added to the session").arg(name)); });
    connect(m_trials_page, &widgets::TrialsPage::leaveAsked, this, [this] { showPage(PageName::Compose); });
    connect(&m_compose_page->strategies(), &widgets::StrategiesPanel::sweepAsked, m_trials,
            &TrialRunner::openSweep);
}

void MainWindow::begin()
{
    m_begun = true;
    openStore();
    const bool named = !m_options.session.empty();
    if (!named && m_files.hasDraft() && !m_options.run) {
        if (openSession(m_files.draftFile())) {
            SessionDocument draft = m_editor.document();
            draft.file.clear(); // it has no file of its own yet
            m_editor.setDocument(std::move(draft));
            m_editor.undoStack().resetClean();
            tell(tr("This is the session that was not saved when the program last ended. File > Open example "
                    "begins "
                    "afresh."),
                 false);
        }
    } else {
        try {
            if (!openSession(named ? m_options.session : app::exampleSession()))
                m_start_failure = cli::InvalidFile;
        } catch (const std::exception& error) {
            m_start_failure = cli::InvalidFile;
            tell(QString::fromUtf8(error.what()), true);
        }
    }
    if (!m_facts_read) readFacts();
    m_pages->setFocus(Qt::OtherFocusReason);
    m_run_asked = m_options.run && m_start_failure == 0;
    if (!m_options.compare.empty()) showPage(PageName::Compare);
}

bool MainWindow::isSettled() const
{
    return m_begun && m_store_tried && m_facts_read && !m_facts_pause.isActive() && !m_facts_job.isBusy() &&
           !m_compare_job.isBusy() && !m_controller->isRunning();
}

void MainWindow::checkSettled()
{
    if (m_run_asked && m_store_tried && m_facts_read && !m_facts_pause.isActive() && !m_facts_job.isBusy()) {
        m_run_asked = false;
        run();
    }
    if (isSettled()) Q_EMIT settled();
}

void MainWindow::showPage(PageName page)
{
    const bool is_of_compose = page == PageName::Trials; // which it is reached from
    m_page_actions[static_cast<std::size_t>(is_of_compose ? PageName::Compose : page)]->setChecked(true);
    m_pages->setCurrentIndex(static_cast<int>(page));
    if (page == PageName::Run) m_run_page->refresh();
    m_copy->setEnabled(page == PageName::Compare);
}

PageName MainWindow::page() const
{
    return static_cast<PageName>(m_pages->currentIndex());
}

void MainWindow::followFrame()
{
    if (m_pages->currentWidget() == m_run_page) m_run_page->refresh();
    followController();
}

void MainWindow::followController()
{
    const bool running = m_controller->isRunning();
    m_run->setEnabled(!running);
    m_pause->setEnabled(running);
    m_pause->setText(m_controller->isPaused() ? tr("&Resume") : tr("&Pause"));
    m_step->setEnabled(running);
    m_stop->setEnabled(running);
    m_live->setEnabled(m_run_page->runs() != &m_controller->runs() && m_controller->runs().size() > 0);
    m_status->showProgress(m_controller->progress(), m_controller->phase(), running,
                           m_controller->isPaused());
    widgets::RunSet* shown = m_run_page->runs();
    const widgets::RunData* run = shown ? shown->at(std::max(0, m_run_page->shownRun())) : nullptr;
    if (!run) {
        m_top->setProvenance({}, true);
        m_top->setMemory({});
        return;
    }
    QString provenance =
        run->record().provenance.measured
            ? tr("measured on %1").arg(QString::fromStdString(run->record().provenance.device))
            : tr("simulated");
    QStringList quirks;
    for (const std::string& quirk : run->record().strategy.compat)
        quirks.push_back(QString::fromStdString(quirk));
    if (!quirks.isEmpty())
        provenance = tr("%1, as published: %2").arg(provenance, quirks.join(QStringLiteral(", ")));
    m_top->setProvenance(provenance, run->record().provenance.measured);
    const auto& memory = run->memory();
    if (!memory) return m_top->setMemory({});
    if (const auto& metrics = run->record().metrics; metrics && run->ended())
        return m_top->setMemory(tr("KV peak %1").arg(widgets::bytes(metrics->kv_used_peak_bytes)));
    const auto& budget = run->start() ? run->start()->kv_bytes : std::nullopt;
    m_top->setMemory(
        budget ? tr("KV %1 / %2").arg(widgets::bytes(memory->kv_used_bytes), widgets::bytes(*budget))
               : tr("KV %1").arg(widgets::bytes(memory->kv_used_bytes)));
}

void MainWindow::tell(const QString& text, bool warning)
{
    m_notices->tell(text, warning);
}

} // namespace batchscope::window
