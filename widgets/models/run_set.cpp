// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/run_set.h"

namespace batchscope::widgets {

RunData& RunSet::add(std::unique_ptr<RunData> run)
{
    m_runs.push_back(std::move(run));
    Q_EMIT runAdded(size() - 1);
    return *m_runs.back();
}

void RunSet::clear()
{
    Q_EMIT cleared();
    m_runs.clear();
}

const RunData* RunSet::reference(const RunData& run) const
{
    for (const auto& other : m_runs)
        if (other.get() != &run && other->ended() && other->record().name != run.record().name &&
            other->record().workload_hash == run.record().workload_hash)
            return other.get();
    return nullptr;
}

} // namespace batchscope::widgets
