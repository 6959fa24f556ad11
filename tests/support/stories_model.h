// SPDX-License-Identifier: GPL-3.0-or-later
// The public checkpoint that tests of the engine measure themselves against, where it is present.
#pragma once

#include <filesystem>

namespace batchscope::tests {

inline std::filesystem::path storiesFolder()
{
    return std::filesystem::path(BATCHSCOPE_SOURCE_DIR).parent_path() / "shared" / "data" / "stories260K";
}

inline bool hasStories()
{
    return std::filesystem::exists(storiesFolder() / "model.safetensors");
}

} // namespace batchscope::tests

// In a test's initTestCase.
#define BATCHSCOPE_NEED_TORCH()                                                                              \
    if (!batchscope::engine::hasPlugin("torch"))                                                             \
    QSKIP("the torch plug-in is not built (BATCHSCOPE_TORCH=OFF)")
#define BATCHSCOPE_NEED_STORIES()                                                                            \
    BATCHSCOPE_NEED_TORCH();                                                                                 \
    if (!batchscope::tests::hasStories())                                                                    \
    QSKIP(qPrintable("absent: " + QString::fromStdString(batchscope::tests::storiesFolder().string())))
