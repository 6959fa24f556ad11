// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/compare_reader.h"

namespace batchscope::window {

CompareResult readComparison(const sessions::RunStore& store, const std::vector<sessions::RunId>& ids)
{
    CompareResult result;
    try {
        std::vector<sessions::StoredRun> runs;
        for (const sessions::RunId id : ids)
            runs.push_back(store.load(id));
        if (runs.size() > 1) result.compared.comparison = sessions::compareRuns(runs);
        for (const sessions::StoredRun& run : runs)
            result.compared.runs.push_back(
                std::make_unique<widgets::RunData>(widgets::RunData::fromStored(run)));
    } catch (const std::exception& error) {
        CompareResult failed;
        failed.error = QString::fromUtf8(error.what());
        return failed;
    }
    return result;
}

} // namespace batchscope::window
