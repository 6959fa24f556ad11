// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/random.h"
#include "tests/support/test_main.h"
#include "widgets/models/queue_model.h"

#include <QAbstractItemModelTester>
#include <QItemSelectionModel>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <algorithm>

using namespace batchscope;
using widgets::QueueModel;

namespace {

std::vector<RequestIndex> order(const QueueModel& model)
{
    std::vector<RequestIndex> all;
    for (int row = 0; row < model.rowCount(); ++row)
        all.push_back(model.index(row, 0).data(QueueModel::RequestRole).toUInt());
    return all;
}

std::vector<RequestIndex> order(const std::vector<WaitingRequest>& waiting)
{
    std::vector<RequestIndex> all;
    for (const WaitingRequest& w : waiting)
        all.push_back(w.request);
    return all;
}

WaitingRequest waitingRequest(RequestIndex index, int predicted)
{
    WaitingRequest w;
    w.request = index;
    w.arrival_ns = index * 1'000'000;
    w.predicted_tokens = predicted;
    return w;
}

} // namespace

class QueueModelTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // D10: a thousand updates under a sorted, selected view.
    void keepsSelectionAndOrderUnderAThousandUpdates();
    void showsWhatTheQueueSays();
    void movesOneRowInsteadOfLayingOutAgain();
    void neverResets();
};

void QueueModelTest::keepsSelectionAndOrderUnderAThousandUpdates()
{
    constexpr std::uint64_t seed = 20260;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    Random random(seed, 1);
    QueueModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QSortFilterProxyModel sorted;
    sorted.setSourceModel(&model);
    sorted.setSortRole(QueueModel::SortRole);
    sorted.sort(QueueModel::PredictedColumn, Qt::DescendingOrder);
    QAbstractItemModelTester sorted_tester(&sorted, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QTableView view;
    view.setModel(&sorted);
    view.setSelectionBehavior(QAbstractItemView::SelectRows);
    view.resize(300, 400);
    view.show();

    std::vector<WaitingRequest> waiting{waitingRequest(0, 40)};
    RequestIndex next = 1;
    model.update(waiting, 0);
    view.selectRow(0);
    for (int i = 0; i < 1000; ++i) {
        const auto arrivals = random.below(4);
        for (std::uint32_t a = 0; a < arrivals && waiting.size() < 90; ++a)
            waiting.push_back(waitingRequest(next++, 1 + static_cast<int>(random.below(500))));
        if (random.below(3) == 0 && waiting.size() > 20) // request 0 stays: it is the selected one
            waiting.erase(waiting.begin() + 1,
                          waiting.begin() + 1 + static_cast<std::ptrdiff_t>(random.below(8)));
        if (random.below(5) == 0)
            for (std::size_t k = waiting.size(); k > 2; --k)
                std::swap(waiting[k - 1], waiting[1 + random.below(static_cast<std::uint32_t>(k - 1))]);
        if (random.below(2) == 0)
            waiting[random.below(static_cast<std::uint32_t>(waiting.size()))].predicted_tokens =
                static_cast<int>(random.below(500));
        model.update(waiting, i * 1'000'000);
        QCOMPARE(order(model), order(waiting));
        const QModelIndexList selected = view.selectionModel()->selectedRows();
        QCOMPARE(selected.size(), 1);
        QCOMPARE(selected.front().data(QueueModel::RequestRole).toUInt(), 0U);
        for (int row = 1; i % 20 == 0 && row < sorted.rowCount(); ++row)
            QVERIFY(sorted.index(row - 1, QueueModel::PredictedColumn).data(QueueModel::SortRole).toInt() >=
                    sorted.index(row, QueueModel::PredictedColumn).data(QueueModel::SortRole).toInt());
    }
    model.clear();
    QCOMPARE(sorted.rowCount(), 0);
}

void QueueModelTest::showsWhatTheQueueSays()
{
    QueueModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    WaitingRequest up = waitingRequest(12, 89), unknown = waitingRequest(3, 0);
    up.moved = 4;
    unknown.predicted_tokens.reset();
    unknown.moved = -2;
    model.update({up, unknown}, 3'112'000'000);
    const auto text = [&](int row, int column) { return model.index(row, column).data().toString(); };
    QCOMPARE(text(0, QueueModel::RequestColumn), QStringLiteral("r12"));
    QCOMPARE(text(0, QueueModel::PredictedColumn), QStringLiteral("89"));
    QCOMPARE(text(0, QueueModel::AgeColumn), QStringLiteral("3.1 s"));
    QCOMPARE(text(0, QueueModel::MovedColumn), QStringLiteral("▲ 4"));
    QCOMPARE(text(1, QueueModel::PredictedColumn), QStringLiteral("—"));
    QCOMPARE(text(1, QueueModel::MovedColumn), QStringLiteral("▼ 2"));
}

void QueueModelTest::movesOneRowInsteadOfLayingOutAgain()
{
    QueueModel model;
    std::vector<WaitingRequest> waiting;
    for (RequestIndex i = 0; i < 50; ++i)
        waiting.push_back(waitingRequest(i, 10));
    model.update(waiting, 0);
    int moves = 0, layouts = 0;
    connect(&model, &QAbstractItemModel::rowsMoved, this, [&] { ++moves; });
    connect(&model, &QAbstractItemModel::layoutChanged, this, [&] { ++layouts; });
    std::rotate(waiting.begin() + 3, waiting.begin() + 40, waiting.begin() + 41);
    model.update(waiting, 1);
    QCOMPARE(moves, 1);
    QCOMPARE(layouts, 0);
    std::reverse(waiting.begin(), waiting.end());
    model.update(waiting, 2);
    QCOMPARE(layouts, 1);
    QCOMPARE(order(model), order(waiting));
}

void QueueModelTest::neverResets()
{
    QueueModel model;
    int resets = 0;
    connect(&model, &QAbstractItemModel::modelReset, this, [&] { ++resets; });
    model.update({waitingRequest(1, 1), waitingRequest(2, 2)}, 0);
    model.update({waitingRequest(3, 1)}, 0);
    model.clear();
    QCOMPARE(resets, 0);
}

BATCHSCOPE_TEST(QueueModelTest)
#include "queue_model_test.moc"
