// SPDX-License-Identifier: GPL-3.0-or-later
// The window's actions, menus and shortcuts.
#include "app/experiment/environment.h"
#include "app/experiment/experiment.h"
#include "app/window/main_window.h"
#include "app/window/trial_runner.h"
#include "widgets/compose/compose_page.h"
#include "widgets/look/glyph.h"
#include "widgets/panels/compare_page.h"
#include "widgets/panels/run_page.h"

#include <QActionGroup>
#include <QDockWidget>
#include <QFileInfo>
#include <QMenuBar>
#include <QMessageBox>
#include <QSettings>

namespace batchscope::window {

using widgets::Glyph;
using widgets::Ink;

namespace {

QAction* makeAction(QObject* parent, const QString& text, const QKeySequence& keys, const QString& help)
{
    auto* action = new QAction(text, parent);
    action->setShortcut(keys);
    const QString shown = keys.toString(QKeySequence::NativeText);
    action->setToolTip(shown.isEmpty() ? help : help + QStringLiteral(" (") + shown + QLatin1Char(')'));
    return action;
}

} // namespace

void MainWindow::buildActions()
{
    m_run = makeAction(this, tr("&Run"), QKeySequence(Qt::Key_F5), tr("Run the session's strategies"));
    m_run->setIcon(widgets::glyphIcon(Glyph::Play, Ink::OnAccent));
    m_pause = // no Space: the widget that has the focus needs it
        makeAction(this, tr("&Pause"), QKeySequence(Qt::Key_F6), tr("Hold the loop between two steps"));
    m_pause->setIcon(widgets::glyphIcon(Glyph::Pause, Ink::Text));
    m_step =
        makeAction(this, tr("S&tep"), QKeySequence(Qt::Key_F10), tr("Let a paused run make one decision"));
    m_step->setIcon(widgets::glyphIcon(Glyph::Step, Ink::Text));
    m_stop = makeAction(this, tr("&Stop"), QKeySequence(QStringLiteral("Shift+F5")),
                        tr("End the run; what it has is kept"));
    m_stop->setIcon(widgets::glyphIcon(Glyph::Stop, Ink::Text));
    connect(m_run, &QAction::triggered, this, &MainWindow::run);
    connect(m_pause, &QAction::triggered, m_controller, &RunController::togglePause);
    connect(m_step, &QAction::triggered, m_controller, &RunController::step);
    connect(m_stop, &QAction::triggered, m_controller, &RunController::stop);
    auto* group = new QActionGroup(this);
    const QString titles[] = {tr("&Compose"), tr("&Run"), tr("Com&pare")};
    const QString helps[] = {tr("What is run: workload, strategies, model"), tr("A run, live or stored"),
                             tr("Runs side by side")};
    for (int i = 0; i < 3; ++i) {
        QAction* action =
            makeAction(this, titles[i], QKeySequence(QStringLiteral("Ctrl+%1").arg(i + 1)), helps[i]);
        action->setCheckable(true);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, i] { showPage(static_cast<PageName>(i)); });
        m_page_actions.push_back(action);
    }
    m_page_actions.front()->setChecked(true);
    m_save = makeAction(this, tr("&Save"), QKeySequence::Save, tr("Save the session"));
    connect(m_save, &QAction::triggered, this, &MainWindow::save);
    m_report = makeAction(this, tr("Write &report…"), {}, tr("Write the compared runs as Markdown"));
    connect(m_report, &QAction::triggered, this, &MainWindow::writeReport);
    m_copy = makeAction(this, tr("&Copy table"), QKeySequence(QStringLiteral("Ctrl+Shift+C")),
                        tr("Copy the delta table"));
    m_copy->setEnabled(false);
    connect(m_copy, &QAction::triggered, this, &MainWindow::copyTable);
    m_live = makeAction(this, tr("Back to the runs of this &session"), {}, tr("Leave the stored run"));
    connect(m_live, &QAction::triggered, this, [this] {
        m_run_page->setRuns(&m_controller->runs());
        showPage(PageName::Run);
        followController();
    });
}

void MainWindow::buildMenus()
{
    QMenu* file = menuBar()->addMenu(tr("&File"));
    file->addAction(tr("&New session"), QKeySequence::New, this, &MainWindow::newSession);
    file->addAction(tr("&Open…"), QKeySequence::Open, this, &MainWindow::openDialog);
    QMenu* recent = file->addMenu(tr("Open &recent"));
    connect(recent, &QMenu::aboutToShow, this, [this, recent] { buildRecentMenu(*recent); });
    file->addAction(tr("Open &example"), this, [this] {
        if (!mayLeave()) return;
        try {
            openSession(app::exampleSession());
        } catch (const std::exception& error) {
            tell(QString::fromUtf8(error.what()), true);
        }
    });
    file->addSeparator();
    file->addAction(m_save);
    file->addAction(tr("Save &as…"), QKeySequence(QStringLiteral("Ctrl+Shift+S")), this, &MainWindow::saveAs);
    file->addAction(m_report);
    file->addSeparator();
    file->addAction(tr("&Quit"), QKeySequence::Quit, this, &QWidget::close);
    QMenu* edit = menuBar()->addMenu(tr("&Edit"));
    QAction* undo = m_editor.undoStack().createUndoAction(this, tr("&Undo"));
    undo->setShortcut(QKeySequence::Undo);
    QAction* redo = m_editor.undoStack().createRedoAction(this, tr("&Redo"));
    redo->setShortcut(QKeySequence::Redo);
    edit->addAction(undo);
    edit->addAction(redo);
    edit->addSeparator();
    edit->addAction(m_copy);
    QMenu* session = menuBar()->addMenu(tr("&Session"));
    session->addAction(tr("Re&name…"), QKeySequence(Qt::Key_F2), this, &MainWindow::renameSession);
    session->addAction(tr("&Advise…"), m_trials, &TrialRunner::openAdvice)
        ->setToolTip(tr("Try other strategies on this workload and say what to change"));
    QMenu* run_menu = menuBar()->addMenu(tr("&Run"));
    run_menu->addActions({m_run, m_pause, m_step, m_stop});
    run_menu->addSeparator();
    run_menu->addAction(m_live);
    QMenu* view = menuBar()->addMenu(tr("&View"));
    buildViewMenu(*view);
    QMenu* help = menuBar()->addMenu(tr("&Help"));
    help->addAction(tr("&Keys"), QKeySequence(Qt::Key_F1), this, &MainWindow::showKeys);
    help->addAction(tr("&About Batchscope"), this, &MainWindow::showAbout);
}

void MainWindow::buildViewMenu(QMenu& menu)
{
    for (QAction* action : m_page_actions)
        menu.addAction(action);
    menu.addSeparator();
    QMenu* panels = menu.addMenu(tr("&Panels"));
    for (widgets::DockPage* page :
         {static_cast<widgets::DockPage*>(m_compose_page), static_cast<widgets::DockPage*>(m_run_page),
          static_cast<widgets::DockPage*>(m_compare_page)}) {
        panels->addSection(page->accessibleName());
        for (QDockWidget* dock : page->docks())
            panels->addAction(dock->toggleViewAction());
    }
    menu.addAction(tr("Reset &layout"), this, &MainWindow::resetLayout);
    menu.addSeparator();
    QMenu* theme = menu.addMenu(tr("&Theme"));
    auto* group = new QActionGroup(this);
    const QString chosen = QSettings().value(QStringLiteral("theme"), QStringLiteral("system")).toString();
    for (const auto& [name, title] :
         {std::pair{QStringLiteral("system"), tr("As the &desktop")},
          std::pair{QStringLiteral("light"), tr("&Light")}, std::pair{QStringLiteral("dark"), tr("&Dark")}}) {
        QAction* action = theme->addAction(title, this, [this, key = name] { setThemeChoice(key); });
        action->setCheckable(true);
        action->setChecked(name == chosen);
        group->addAction(action);
    }
}

void MainWindow::buildRecentMenu(QMenu& menu)
{
    menu.clear();
    const QStringList files = SessionFiles::recent();
    for (const QString& file : files) {
        QAction* action = menu.addAction(file, this, [this, file] {
            if (mayLeave()) openSession(file.toStdString());
        });
        action->setEnabled(QFileInfo::exists(file));
    }
    if (files.isEmpty()) menu.addAction(tr("None yet"))->setEnabled(false);
}

void MainWindow::showKeys()
{
    QString html = QStringLiteral("<table cellpadding=\"4\">");
    for (const QAction* action : findChildren<QAction*>()) {
        if (action->shortcut().isEmpty() || action->text().isEmpty()) continue;
        html += QStringLiteral("<tr><td><b>%1</b></td><td>%2</td></tr>")
                    .arg(action->shortcut().toString(QKeySequence::NativeText).toHtmlEscaped(),
                         QString(action->text()).remove(QLatin1Char('&')).toHtmlEscaped());
    }
    html +=
        QStringLiteral("</table><p>%1</p>")
            .arg(tr("Padding map: the wheel or + and − zoom, dragging or the arrows pan, a double click or "
                    "Home shows all again, a click keeps a request."));
    QMessageBox box(QMessageBox::NoIcon, tr("Keys"), html, QMessageBox::Close, this);
    box.exec();
}

void MainWindow::showAbout()
{
    QMessageBox::about(
        this, tr("About Batchscope"),
        tr("<b>Batchscope %1</b> (%2)<p>A workbench on which people see how batching and scheduling decide "
           "what a language model server delivers.<p>GPL-3.0-or-later. Built with Qt %3 and QCustomPlot.")
            .arg(QString::fromStdString(app::programVersion()), QString::fromStdString(app::programCommit()),
                 QLatin1String(qVersion())));
}

} // namespace batchscope::window
