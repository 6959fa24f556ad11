// SPDX-License-Identifier: GPL-3.0-or-later
// Registers a test object under its file's name: `scheduler_tests metrics_test` runs
// tests/scheduler/metrics_test.cpp. A warning that Qt prints while a test runs (a lost connection, a layout
// that cannot be) fails the program.
#pragma once

#include <QObject>
#include <QTest>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace batchscope::tests {

using TestFactory = std::function<std::unique_ptr<QObject>()>;
bool registerTest(const std::string& file, TestFactory factory);
std::vector<std::string>
takeWarnings(); // "testFunction: text", since the last call; what is taken is forgiven

} // namespace batchscope::tests

#define BATCHSCOPE_TEST(Type)                                                                                \
    static const bool s_registered_##Type = batchscope::tests::registerTest(                                 \
        __FILE__, []() -> std::unique_ptr<QObject> { return std::make_unique<Type>(); });
