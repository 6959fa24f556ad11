// SPDX-License-Identifier: GPL-3.0-or-later
// Shows what a validator found, which a bare comparison of lists does not.
#pragma once

#include <QTest>
#include <string>
#include <vector>

namespace batchscope::tests {

inline std::string joined(const std::vector<std::string>& lines)
{
    std::string text;
    for (const std::string& line : lines)
        text += line + "\n";
    return text;
}

} // namespace batchscope::tests

#define VERIFY_NO_FAULTS(faults)                                                                             \
    do {                                                                                                     \
        const std::string shown = batchscope::tests::joined(faults);                                         \
        QVERIFY2(shown.empty(), shown.c_str());                                                              \
    } while (false)
