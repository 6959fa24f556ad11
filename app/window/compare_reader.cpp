// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/compare_reader.h"

#include "app/experiment/experiment.h"

namespace batchscope::window {

CompareResult readComparison(const sessions::RunStore& store, const std::vector<sessions::RunId>& ids)
{
    CompareResult result;
    try {
        std::vector<sessions::RunRecord> records;
        for (const sessions::RunId id : ids)
            records.push_back(store.record(id));
        result.compared.published = sessions::publishedOfRuns(records, app::fullRegistry());
        const std::vector<sessions::RepeatedRun> groups = sessions::comparedGroups(records);
        std::vector<sessions::StoredRun> runs; // of repeated ones the middle alone is read whole
        for (const sessions::RepeatedRun& group : groups)
            runs.push_back(store.load(group.records[group.middle].id));
        for (const sessions::StoredRun& run : runs)
            result.compared.runs.push_back(
                std::make_unique<widgets::RunData>(widgets::RunData::fromStored(run)));
        if (runs.size() > 1) result.compared.comparison = sessions::compareRepeated(groups, std::move(runs));
    } catch (const std::exception& error) {
        CompareResult failed;
        failed.error = QString::fromUtf8(error.what());
        return failed;
    }
    return result;
}

} // namespace batchscope::window
