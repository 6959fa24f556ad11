// SPDX-License-Identifier: GPL-3.0-or-later
// The window: wiring between document, controller, store and pages. What is shown is made in widgets/, what
// is run in app/experiment.
#pragma once

#include "app/window/background_job.h"
#include "app/window/compose_reader.h"
#include "app/window/options.h"
#include "app/window/run_controller.h"
#include "app/window/session_files.h"
#include "scheduler/registry.h"
#include "widgets/models/run_list_model.h"
#include "widgets/models/session_editor.h"

#include <QMainWindow>
#include <QTimer>
#include <memory>

class QAction;
class QActionGroup;
class QMenu;
class QStackedWidget;

namespace batchscope::widgets {
class ComparePage;
class ComposePage;
class DockPage;
class NoticeStrip;
class RunPage;
class TrialsPage;
} // namespace batchscope::widgets

namespace batchscope::window {

class Rail;
class StatusLine;
class TopBar;
class TrialRunner;

enum class PageName { Compose, Run, Compare, Trials };

class MainWindow : public QMainWindow
{
    Q_OBJECT

public:
    // `runner`: what Run does; the program gives app::Experiment, tests may give another.
    MainWindow(WindowOptions options, RunController::Runner runner, QWidget* parent = nullptr);
    ~MainWindow() override;

    void begin(); // reads the session, opens the store, then what the options ask for
    bool openSession(const std::filesystem::path& file);
    void showPage(PageName page);
    PageName page() const;

    widgets::SessionEditor& editor() { return m_editor; }
    RunController& controller() { return *m_controller; }
    widgets::RunPage& runPage() { return *m_run_page; }
    widgets::ComparePage& comparePage() { return *m_compare_page; }
    widgets::ComposePage& composePage() { return *m_compose_page; }
    widgets::NoticeStrip& notices() { return *m_notices; }
    TrialRunner& trials() { return *m_trials; } // sweeps and advice
    bool isSettled() const;                     // session read, store open, facts and comparison there
    int startFailure() const { return m_start_failure; } // exit code of what begin() could not do; 0: nothing

public Q_SLOTS:
    void run();
    void openStoredRun(qint64 id);
    void compareRuns(const std::vector<batchscope::sessions::RunId>& ids);

Q_SIGNALS:
    void settled();
    void runFinished(int exit_code);

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void buildPages();
    void connectController();
    void connectDocument();
    void connectTrials();
    void followController();
    void followFrame();
    void tell(const QString& text, bool warning);
    void checkSettled();

    void buildActions(); // main_window_actions.cpp
    void buildMenus();
    void buildViewMenu(QMenu& menu);
    void buildRecentMenu(QMenu& menu);
    void showKeys();
    void showAbout();

    void readFacts(); // main_window_session.cpp
    void followDocument();
    void takeDrop(const std::filesystem::path& file);
    void newSession();
    void openDialog();
    bool save();
    bool saveAs();
    bool saveTo(const std::filesystem::path& file);
    bool mayLeave(); // asks where the session has unsaved changes
    void keepDraft();
    void renameSession();

    void openStore(); // main_window_runs.cpp
    void storeOpened(std::unique_ptr<sessions::RunStore> store, const QString& error);
    void refreshRuns();
    void compareChosen();
    void experimentEnded(int exit_code);
    void writeReport();
    void copyTable();

    void setThemeChoice(const QString& choice); // main_window_layout.cpp
    void resetLayout();
    void restoreLayout();
    void saveLayout();

    WindowOptions m_options;
    Registry m_registry;
    widgets::SessionEditor m_editor;
    SessionFiles m_files;
    std::unique_ptr<sessions::RunStore> m_store; // before what uses it
    RunController* m_controller;
    widgets::RunListModel m_run_list;
    widgets::RunSet m_opened; // stored runs on the Run page
    BackgroundJob m_store_job, m_facts_job, m_compare_job;
    QTimer m_facts_pause, m_draft_pause;
    std::shared_ptr<const engine::Tokenizer> m_tokenizer;

    TopBar* m_top = nullptr;
    StatusLine* m_status = nullptr;
    widgets::NoticeStrip* m_notices = nullptr;
    QStackedWidget* m_pages = nullptr;
    widgets::ComposePage* m_compose_page = nullptr;
    widgets::RunPage* m_run_page = nullptr;
    widgets::ComparePage* m_compare_page = nullptr;
    widgets::TrialsPage* m_trials_page = nullptr;
    TrialRunner* m_trials = nullptr;
    QAction *m_run = nullptr, *m_pause = nullptr, *m_step = nullptr, *m_stop = nullptr;
    QAction *m_save = nullptr, *m_report = nullptr, *m_copy = nullptr, *m_live = nullptr;
    std::vector<QAction*> m_page_actions;
    bool m_store_tried = false, m_facts_read = false, m_begun = false, m_run_asked = false;
    bool m_was_settled = false;
    int m_start_failure = 0;
};

} // namespace batchscope::window
