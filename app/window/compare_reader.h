// SPDX-License-Identifier: GPL-3.0-or-later
// Reads stored runs and compares them, off the window's thread.
#pragma once

#include "sessions/run_store.h"
#include "widgets/panels/compare_page.h"

#include <QString>
#include <vector>

namespace batchscope::window {

struct CompareResult
{
    widgets::ComparedRuns compared;
    QString error;
};

CompareResult readComparison(const sessions::RunStore& store, const std::vector<sessions::RunId>& ids);

} // namespace batchscope::window
