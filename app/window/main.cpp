// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/exit_code.h"
#include "app/experiment/experiment.h"
#include "app/window/display.h"
#include "app/window/main_window.h"
#include "app/window/options.h"
#include "app/window/screenshots.h"
#include "widgets/look/theme.h"

#include <QApplication>
#include <QSettings>
#include <QTimer>
#include <clocale>
#include <iostream>
#include <memory>

namespace {

using namespace batchscope;

widgets::Theme wantedTheme(const window::WindowOptions& options)
{
    if (options.theme) return *options.theme;
    const QString chosen = QSettings().value(QStringLiteral("theme"), QStringLiteral("system")).toString();
    if (chosen == QLatin1String("dark")) return widgets::Theme::Dark;
    if (chosen == QLatin1String("light")) return widgets::Theme::Light;
    return widgets::systemTheme();
}

} // namespace

int main(int argc, char** argv)
{
    const window::ParsedOptions parsed = window::parseOptions(argc, argv);
    if (!parsed.options) return parsed.exit_code;
    const window::WindowOptions& options = *parsed.options;
    if (!options.screenshots.empty())
        if (const std::string fault = window::screenshotsFault(options.screenshots); !fault.empty()) {
            std::cerr << "batchscope: " << fault << '\n';
            return cli::Failed;
        }
    const std::unique_ptr<QApplication> application = window::openDisplay(argc, argv);
    std::setlocale(LC_NUMERIC, "C"); // QApplication took the desktop's; files are read with a dot
    QApplication::setOrganizationName(QStringLiteral("batchscope"));
    QApplication::setApplicationName(QStringLiteral("batchscope"));
    widgets::systemTheme(); // the desktop's palette, before ours replaces it
    widgets::applyTheme(*application, wantedTheme(options));

    app::Experiment experiment; // keeps a loaded model from run to run
    window::MainWindow main_window(options, [&experiment](const auto& document, const auto& run_options,
                                                          auto& listener, auto& control, auto stop) {
        return experiment.run(document, run_options, listener, control, stop);
    });
    std::unique_ptr<window::ScreenshotTaker> taker;
    if (!options.screenshots.empty()) {
        taker = std::make_unique<window::ScreenshotTaker>(main_window, options.screenshots, options.run);
        QObject::connect(taker.get(), &window::ScreenshotTaker::done, application.get(),
                         [](int code) { QApplication::exit(code); });
    }
    main_window.show();
    QTimer::singleShot(0, &main_window, &window::MainWindow::begin);
    return QApplication::exec();
}
