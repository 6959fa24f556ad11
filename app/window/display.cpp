// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/display.h"

#include "app/cli/exit_code.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace batchscope::window {
namespace {

constexpr const char* k_remedy =
    "Run the session without a window: batchscope-cli run SESSION.json\n"
    "Or, for --screenshots, draw it off the screen: QT_QPA_PLATFORM=offscreen batchscope ...\n";

// What Qt said of the display before it gave up.
std::string& reasons()
{
    static std::string said;
    return said;
}

// Qt ends a program whose display cannot be opened by abort(): this ends it before, with what it can do
// instead.
void tellAndEnd(QtMsgType type, const QMessageLogContext&, const QString& text)
{
    if (type != QtFatalMsg) {
        if (type == QtWarningMsg || type == QtCriticalMsg) reasons() += "  " + text.toStdString() + '\n';
        return;
    }
    std::cerr << "batchscope: the display cannot be opened.\n" << reasons() << k_remedy;
    std::cerr.flush();
    std::_Exit(cli::Failed);
}

} // namespace

std::string displayFault(const std::vector<std::string>& arguments,
                         const std::function<std::string(const char*)>& variable)
{
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        if (!variable(name).empty()) return {};
    const bool named = std::any_of(arguments.begin(), arguments.end(), [](const std::string& argument) {
        return argument == "-platform" || argument == "--platform";
    });
    if (named) return {};
    return std::string(
               "batchscope: there is no display here: neither DISPLAY nor WAYLAND_DISPLAY is set.\n") +
           k_remedy;
}

std::unique_ptr<QApplication> openDisplay(int& argc, char** argv)
{
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value ? value : "");
    };
    const std::string fault = displayFault({argv, argv + argc}, variable);
    if (!fault.empty()) {
        std::cerr << fault;
        std::exit(cli::Failed);
    }
    const QtMessageHandler before = qInstallMessageHandler(tellAndEnd);
    auto application = std::make_unique<QApplication>(argc, argv);
    qInstallMessageHandler(before);
    return application;
}

} // namespace batchscope::window
