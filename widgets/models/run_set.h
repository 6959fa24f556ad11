// SPDX-License-Identifier: GPL-3.0-or-later
// The runs shown together on the Run page: those of one press of Run, or stored ones opened again.
#pragma once

#include "widgets/models/run_data.h"

#include <QObject>
#include <memory>
#include <vector>

namespace batchscope::widgets {

class RunSet : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;
    RunData& add(std::unique_ptr<RunData> run);
    void clear();
    int size() const { return static_cast<int>(m_runs.size()); }
    RunData* at(int index)
    {
        return index >= 0 && index < size() ? m_runs[static_cast<std::size_t>(index)].get() : nullptr;
    }
    RunData* last() { return at(size() - 1); }
    // The first ended run, other than `run`, of the same work by another strategy: what a share is read
    // against.
    const RunData* reference(const RunData& run) const;

Q_SIGNALS:
    void runAdded(int index);
    void cleared(); // emitted before the runs go

private:
    std::vector<std::unique_ptr<RunData>> m_runs;
};

} // namespace batchscope::widgets
