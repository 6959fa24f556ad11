// SPDX-License-Identifier: GPL-3.0-or-later
// Public report D10, from the experiment's thread to the table: while a run goes on, the queue's model
// changes on the window's thread alone, and a sorted and filtered view of it stays right.
#include "app/window/run_controller.h"
#include "tests/support/demo_runner.h"
#include "tests/support/test_main.h"
#include "widgets/panels/queue_panel.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QSortFilterProxyModel>
#include <QThread>
#include <atomic>

using namespace batchscope;
using widgets::QueueModel;

namespace {

// Requests with an even number, longest prediction first.
class EvenRequests : public QSortFilterProxyModel
{
public:
    explicit EvenRequests(QAbstractItemModel& source)
    {
        setSourceModel(&source);
        setSortRole(QueueModel::SortRole);
        sort(QueueModel::PredictedColumn, Qt::DescendingOrder);
    }
    bool isRight() const
    {
        int even = 0;
        for (int row = 0; row < sourceModel()->rowCount(); ++row)
            even += requestAt(*sourceModel(), row) % 2 == 0 ? 1 : 0;
        bool right = rowCount() == even;
        for (int row = 0; row < rowCount(); ++row) {
            right = right && requestAt(*this, row) % 2 == 0;
            if (row > 0) right = right && predictedAt(row - 1) >= predictedAt(row);
        }
        return right;
    }

protected:
    bool filterAcceptsRow(int row, const QModelIndex&) const override
    {
        return requestAt(*sourceModel(), row) % 2 == 0;
    }

private:
    static unsigned requestAt(const QAbstractItemModel& model, int row)
    {
        return model.index(row, 0).data(QueueModel::RequestRole).toUInt();
    }
    int predictedAt(int row) const
    {
        return index(row, QueueModel::PredictedColumn).data(QueueModel::SortRole).toInt();
    }
};

} // namespace

class LiveQueueTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void changesOnTheWindowsThreadAlone()
    {
        widgets::SharedSelection selection;
        widgets::QueuePanel panel(selection);
        panel.setVisible(true);
        EvenRequests even(panel.model());
        const auto failing = QAbstractItemModelTester::FailureReportingMode::QtTest;
        QAbstractItemModelTester tester(&panel.model(), failing), even_tester(&even, failing);

        std::atomic<int> changes{0}, elsewhere{0}, frames{0};
        const auto count = [&](std::atomic<int>& what) {
            ++what;
            if (QThread::currentThread() != qApp->thread()) ++elsewhere;
        };
        const auto changed = [&] { count(changes); };
        const auto* model = &panel.model();
        connect(model, &QAbstractItemModel::rowsInserted, model, changed, Qt::DirectConnection);
        connect(model, &QAbstractItemModel::rowsRemoved, model, changed, Qt::DirectConnection);
        connect(model, &QAbstractItemModel::rowsMoved, model, changed, Qt::DirectConnection);
        connect(model, &QAbstractItemModel::layoutChanged, model, changed, Qt::DirectConnection);
        connect(model, &QAbstractItemModel::dataChanged, model, changed, Qt::DirectConnection);

        window::RunController controller(tests::demoRunner(300, std::chrono::milliseconds(1)));
        const widgets::RunData* shown = nullptr;
        int wrong = 0, most_waiting = 0;
        const auto follow = [&] {
            count(frames);
            if (const auto* last = controller.runs().last(); last != shown) panel.setRun(shown = last);
            panel.refresh();
            most_waiting = std::max(most_waiting, panel.model().rowCount());
            wrong += even.isRight() ? 0 : 1;
        };
        connect(&controller, &window::RunController::framed, &panel, follow, Qt::DirectConnection);
        QSignalSpy finished(&controller, &window::RunController::finished);
        controller.start({}, nullptr);
        QVERIFY(finished.wait(60'000));
        QVERIFY(frames > 2 && changes > 10 && most_waiting > 10); // else nothing was tried
        QCOMPARE(elsewhere.load(), 0);
        QCOMPARE(wrong, 0);
    }
};

BATCHSCOPE_TEST(LiveQueueTest)
#include "live_queue_test.moc"
