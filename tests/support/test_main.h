// SPDX-License-Identifier: GPL-3.0-or-later
// Registers a test object under its file's name: `scheduler_tests metrics_test` runs
// tests/scheduler/metrics_test.cpp.
#pragma once

#include <QObject>
#include <QTest>
#include <functional>
#include <memory>
#include <string>

namespace batchscope::tests {

using TestFactory = std::function<std::unique_ptr<QObject>()>;
bool registerTest(const std::string& file, TestFactory factory);

} // namespace batchscope::tests

#define BATCHSCOPE_TEST(Type)                                                                                \
    static const bool s_registered_##Type = batchscope::tests::registerTest(                                 \
        __FILE__, []() -> std::unique_ptr<QObject> { return std::make_unique<Type>(); });
