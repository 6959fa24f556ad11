// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_main.h"

#include <QCoreApplication>
#include <algorithm>
#include <clocale>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <utility>
#include <vector>
#ifdef BATCHSCOPE_TEST_WIDGETS
#include <QApplication>
#endif

namespace batchscope::tests {
namespace {

struct Entry
{
    std::string name;
    TestFactory factory;
};
std::vector<Entry>& entries()
{
    static std::vector<Entry> all;
    return all;
}

// Beginnings of what the offscreen platform says of itself; no code of ours brings it about.
constexpr const char* k_harmless[] = {
    "This plugin does not support propagateSizeHints()", // a window was given a least size
    "This plugin does not support raise()",              // a window was brought to the front
};

std::mutex s_mutex;
std::vector<std::string> s_warnings;
QtMessageHandler s_handler = nullptr; // Qt Test's own

void keepWarnings(QtMsgType type, const QMessageLogContext& context, const QString& text)
{
    if (type == QtWarningMsg || type == QtCriticalMsg) {
        const std::string said = text.toStdString();
        const bool harmless = std::any_of(std::begin(k_harmless), std::end(k_harmless),
                                          [&](const char* known) { return said.starts_with(known); });
        if (harmless) return;
        const char* function = QTest::currentTestFunction();
        const std::scoped_lock lock(s_mutex);
        s_warnings.push_back((function ? std::string(function) + ": " : std::string()) + said);
    }
    if (s_handler) s_handler(type, context, text);
}

// qExec() in its three parts: Qt Test takes the messages over in the first, so the handler comes after it.
int runTest(QObject& test, std::vector<char*>& arguments)
{
    QTest::qInit(&test, static_cast<int>(arguments.size()), arguments.data());
    s_handler = qInstallMessageHandler(keepWarnings);
    const int failures = QTest::qRun();
    qInstallMessageHandler(s_handler);
    QTest::qCleanup();
    int warned = 0;
    for (const std::string& text : takeWarnings()) {
        std::cerr << "FAIL!  : a warning was printed: " << text << '\n';
        warned = 1;
    }
    return failures + warned;
}

} // namespace

bool registerTest(const std::string& file, TestFactory factory)
{
    entries().push_back({std::filesystem::path(file).stem().string(), std::move(factory)});
    return true;
}

std::vector<std::string> takeWarnings()
{
    const std::scoped_lock lock(s_mutex);
    return std::exchange(s_warnings, {});
}

} // namespace batchscope::tests

// Usage: NAME_OF_TEST_FILE [Qt Test options]; without a name every test of the room runs.
int main(int argc, char** argv)
{
    using batchscope::tests::entries;
#ifdef BATCHSCOPE_TEST_WIDGETS
    QApplication application(argc, argv);
#else
    QCoreApplication application(argc, argv);
#endif
    std::setlocale(LC_NUMERIC, "C");
    std::string wanted;
    std::vector<char*> rest{argv[0]};
    for (int i = 1; i < argc; ++i) {
        if (i == 1 && argv[i][0] != '-')
            wanted = argv[i];
        else
            rest.push_back(argv[i]);
    }
    int failures = 0, ran = 0;
    for (const auto& entry : entries()) {
        if (!wanted.empty() && entry.name != wanted) continue;
        ++ran;
        auto test = entry.factory();
        failures += batchscope::tests::runTest(*test, rest);
    }
    if (ran == 0) {
        std::cerr << "no test is registered as '" << wanted << "'\n";
        return 1;
    }
    return failures == 0 ? 0 : 1;
}
