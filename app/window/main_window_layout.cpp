// SPDX-License-Identifier: GPL-3.0-or-later
// What the window looks like from one start to the next: theme, size, arrangement of the panels.
#include "app/window/main_window.h"
#include "widgets/compose/compose_page.h"
#include "widgets/look/theme.h"
#include "widgets/panels/compare_page.h"
#include "widgets/panels/run_page.h"

#include <QApplication>
#include <QCloseEvent>
#include <QSettings>

namespace batchscope::window {

namespace {

constexpr int k_settings_version = 1;

QString settingKey(const char* name)
{
    return QStringLiteral("window/v%1/%2").arg(k_settings_version).arg(QLatin1String(name));
}

} // namespace

void MainWindow::setThemeChoice(const QString& choice)
{
    QSettings().setValue(QStringLiteral("theme"), choice);
    const bool dark = choice == QLatin1String("dark") ||
                      (choice == QLatin1String("system") && widgets::systemTheme() == widgets::Theme::Dark);
    widgets::applyTheme(*qApp, dark ? widgets::Theme::Dark : widgets::Theme::Light);
}

void MainWindow::resetLayout()
{
    m_compose_page->resetLayout();
    m_run_page->resetLayout();
    m_compare_page->resetLayout();
}

void MainWindow::restoreLayout()
{
    resize(1440, 900);
    if (m_options.reset_layout || !m_options.screenshots.empty()) return;
    const QSettings settings;
    restoreGeometry(settings.value(settingKey("geometry")).toByteArray());
    m_compose_page->setLayoutState(settings.value(settingKey("compose")).toByteArray());
    m_run_page->setLayoutState(settings.value(settingKey("run")).toByteArray());
    m_compare_page->setLayoutState(settings.value(settingKey("compare")).toByteArray());
}

void MainWindow::saveLayout()
{
    if (!m_options.screenshots.empty()) return;
    QSettings settings;
    settings.setValue(settingKey("geometry"), saveGeometry());
    settings.setValue(settingKey("compose"), m_compose_page->layoutState());
    settings.setValue(settingKey("run"), m_run_page->layoutState());
    settings.setValue(settingKey("compare"), m_compare_page->layoutState());
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (m_options.screenshots.empty() && !mayLeave()) {
        event->ignore();
        return;
    }
    m_draft_pause.stop();
    if (m_options.screenshots.empty()) m_files.dropDraft();
    saveLayout();
    m_controller->stop();
    event->accept();
}

} // namespace batchscope::window
