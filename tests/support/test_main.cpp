// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_main.h"

#include <QCoreApplication>
#include <clocale>
#include <filesystem>
#include <iostream>
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

} // namespace

bool registerTest(const std::string& file, TestFactory factory)
{
    entries().push_back({std::filesystem::path(file).stem().string(), std::move(factory)});
    return true;
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
        failures += QTest::qExec(test.get(), static_cast<int>(rest.size()), rest.data());
    }
    if (ran == 0) {
        std::cerr << "no test is registered as '" << wanted << "'\n";
        return 1;
    }
    return failures == 0 ? 0 : 1;
}
