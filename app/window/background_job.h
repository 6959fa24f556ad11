// SPDX-License-Identifier: GPL-3.0-or-later
// Work off the window's thread of which only the newest counts: an older job's result is dropped when it
// comes.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <memory>
#include <utility>

namespace batchscope::window {

class BackgroundJob : public QObject
{
    Q_OBJECT

public:
    explicit BackgroundJob(QObject* parent = nullptr) : QObject(parent) { m_pool.setMaxThreadCount(1); }
    ~BackgroundJob() override { m_pool.waitForDone(); }

    bool isBusy() const { return m_pending > 0; }

    // `work` runs on another thread and must not throw; `deliver` gets its result on this object's thread.
    template <typename Work, typename Deliver>
    void start(Work work, Deliver deliver)
    {
        const int mine = ++m_newest;
        ++m_pending;
        m_pool.start([this, mine, work = std::move(work), deliver = std::move(deliver)]() mutable {
            auto result = std::make_shared<decltype(work())>(work());
            QMetaObject::invokeMethod(
                this,
                [this, mine, result, deliver]() mutable {
                    --m_pending;
                    if (mine == m_newest) deliver(std::move(*result));
                },
                Qt::QueuedConnection);
        });
    }

private:
    QThreadPool m_pool;
    int m_newest = 0, m_pending = 0;
};

} // namespace batchscope::window
