// SPDX-License-Identifier: GPL-3.0-or-later
// What tests of the torch plug-in need to be there; they skip with the reason where it is not.
#pragma once

#include "engine/model/plugin_loader.h"
#include "tests/support/model_files.h"

#include <QTest>

namespace batchscope::tests {

inline std::filesystem::path storiesFolder()
{
    return sharedData("stories260K");
}

} // namespace batchscope::tests

// In a test's initTestCase.
#define BATCHSCOPE_NEED_TORCH()                                                                              \
    if (!batchscope::engine::hasPlugin("torch"))                                                             \
    QSKIP("the torch plug-in is not built (BATCHSCOPE_TORCH=OFF)")
#define BATCHSCOPE_NEED_STORIES()                                                                            \
    BATCHSCOPE_NEED_TORCH();                                                                                 \
    if (!std::filesystem::exists(batchscope::tests::storiesFolder()))                                        \
    QSKIP(qPrintable("absent: " + QString::fromStdString(batchscope::tests::storiesFolder().string())))
