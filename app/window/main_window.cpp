// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/main_window.h"

#include "app/cli/exit_code.h"
#include "app/experiment/experiment.h"
#include "app/window/compare_reader.h"
#include "app/window/presets.h"
#include "app/window/rail.h"
#include "app/window/status_line.h"
#include "app/window/top_bar.h"
#include "widgets/compose/compose_page.h"
#include "widgets/look/formats.h"
#include "widgets/look/notice_strip.h"
#include "widgets/models/comparison_model.h"
#include "widgets/panels/compare_page.h"
#include "widgets/panels/run_list_panel.h"
#include "widgets/panels/run_page.h"

#include <QAction>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace batchscope::window {

using sessions::RunId;
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
    restoreLayout();
    if (m_options.size) resize(*m_options.size);
    followDocument();
    followController();
}

MainWindow::~MainWindow()
{
    m_run_page->setRuns(nullptr);
    delete m_controller; // joins the experiment's thread before the store closes
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
    m_compose_page = new widgets::ComposePage(m_editor, m_registry, presetNames(), m_pages);
    m_run_page = new widgets::RunPage(m_pages);
    m_compare_page = new widgets::ComparePage(m_run_list, m_pages);
    m_pages->addWidget(m_compose_page);
    m_pages->addWidget(m_run_page);
    m_pages->addWidget(m_compare_page);
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

bool MainWindow::openSession(const std::filesystem::path& file)
{
    try {
        SessionDocument document = sessions::readSession(file, m_registry);
        const std::vector<std::string> warnings = document.warnings;
        m_editor.setDocument(std::move(document));
        if (file != m_files.draftFile()) SessionFiles::remember(file);
        if (!warnings.empty())
            tell(tr("%1: %2").arg(QFileInfo(QString::fromStdString(file.string())).fileName(),
                                  QString::fromStdString(warnings.front())),
                 false);
        return true;
    } catch (const std::exception& error) {
        tell(QString::fromUtf8(error.what()), true);
        return false;
    }
}

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

void MainWindow::readFacts()
{
    m_facts_pause.stop();
    m_facts_job.start(
        [document = m_editor.document(), this] { return readComposeFacts(document, m_registry); },
        [this](ComposeFacts facts) {
            m_facts_read = true;
            if (facts.tokenizer) m_tokenizer = facts.tokenizer;
            m_compose_page->setWorkloadFacts(facts.workload);
            m_compose_page->setModelFacts(facts.model);
            followController();
            checkSettled();
        });
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

void MainWindow::followFrame()
{
    if (m_pages->currentWidget() == m_run_page) m_run_page->refresh();
    followController();
}

void MainWindow::experimentEnded(int exit_code)
{
    m_run_page->refresh();
    refreshRuns();
    widgets::RunSet& runs = m_controller->runs();
    std::vector<RunId> ids;
    for (int i = 0; i < runs.size(); ++i) {
        const sessions::RunRecord& record = runs.at(i)->record();
        if (record.id != 0 && record.repetition == 0 && runs.at(i)->status() == RunStatus::Completed)
            ids.push_back(record.id);
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

void MainWindow::showPage(PageName page)
{
    m_page_actions[static_cast<std::size_t>(page)]->setChecked(true);
    m_pages->setCurrentIndex(static_cast<int>(page));
    if (page == PageName::Run) m_run_page->refresh();
    m_copy->setEnabled(page == PageName::Compare);
}

PageName MainWindow::page() const
{
    return static_cast<PageName>(m_pages->currentIndex());
}

void MainWindow::followDocument()
{
    const SessionDocument& d = m_editor.document();
    const QString name = QString::fromStdString(d.name);
    m_top->setSession(name, QString::fromStdString(d.file.filename().string()), m_editor.isChanged());
    setWindowTitle(tr("%1[*] - Batchscope").arg(name));
    setWindowModified(m_editor.isChanged());
    const bool simulated = d.backend.type == sessions::BackendSpec::Type::Simulated;
    const QString model = d.backend.model.empty() || d.backend.model == "demo"
                              ? tr("demo")
                              : QFileInfo(QString::fromStdString(d.backend.model)).fileName();
    m_top->setModel(simulated ? QString::fromStdString(d.backend.preset)
                              : tr("%1, %2").arg(model, QString::fromStdString(d.backend.dtype)));
    const QString threads = d.backend.threads > 0
                                ? widgets::counted(d.backend.threads, tr("1 thread"), tr("%1 threads"))
                                : tr("all threads");
    m_top->setDevice(simulated
                         ? tr("virtual time")
                         : tr("%1, %2").arg(QString::fromStdString(d.backend.device).toUpper(), threads));
    m_facts_pause.start();
    if (m_editor.isChanged())
        m_draft_pause.start();
    else
        m_draft_pause.stop();
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
    m_top->setProvenance(
        run->record().provenance.measured
            ? tr("measured on %1").arg(QString::fromStdString(run->record().provenance.device))
            : tr("simulated"),
        run->record().provenance.measured);
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
