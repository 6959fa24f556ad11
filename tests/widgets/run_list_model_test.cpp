// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/demo_log.h"
#include "tests/support/test_main.h"
#include "widgets/models/run_list_model.h"

#include <QAbstractItemModelTester>

using namespace batchscope;
using sessions::RunId;
using sessions::RunRecord;
using widgets::RunListModel;

namespace {

std::vector<RunRecord> records(const std::vector<RunId>& ids)
{
    std::vector<RunRecord> all;
    for (const RunId id : ids) {
        RunRecord record;
        record.id = id;
        record.name = "run " + std::to_string(id);
        record.status = RunStatus::Completed;
        all.push_back(record);
    }
    return all;
}

} // namespace

class RunListModelTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void passesTheModelTester()
    {
        RunListModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setRuns(records({3, 2, 1}));
        model.setChosen({1, 3});
        model.setRuns(records({4, 3, 2, 1}));
        model.setRuns({});
    }

    void listsTheBaselineFirstAndTheOthersOldestFirst()
    {
        RunListModel model;
        model.setRuns(records({4, 3, 2, 1}));
        model.setChosen({3, 4, 1});
        QCOMPARE(model.chosen(), (std::vector<RunId>{3, 1, 4}));
        model.setBaseline(2); // not ticked before
        QCOMPARE(model.chosen(), (std::vector<RunId>{2, 1, 3, 4}));
    }

    void keepsTicksWhenTheListGrowsAndDropsThoseOfRunsThatWent()
    {
        RunListModel model;
        model.setRuns(records({2, 1}));
        model.setChosen({1, 2});
        model.setRuns(records({3, 2, 1}));
        QCOMPARE(model.chosen(), (std::vector<RunId>{1, 2}));
        int told = 0;
        connect(&model, &RunListModel::chosenChanged, this, [&] { ++told; });
        model.setRuns(records({3, 2})); // the baseline is in the trash
        QCOMPARE(model.chosen(), (std::vector<RunId>{2}));
        QCOMPARE(model.baseline(), RunId{2});
        QCOMPARE(told, 1);
    }

    void ticksThroughTheItemsState()
    {
        RunListModel model;
        model.setRuns(records({2, 1}));
        QVERIFY(model.setData(model.index(0), Qt::Checked, Qt::CheckStateRole));
        QCOMPARE(model.chosen(), (std::vector<RunId>{2}));
        QVERIFY(model.index(0).data(RunListModel::BaselineRole).toBool());
        QVERIFY(
            model.index(0).data(RunListModel::SubtitleRole).toString().contains(QStringLiteral("baseline")));
        QVERIFY(model.setData(model.index(0), Qt::Unchecked, Qt::CheckStateRole));
        QVERIFY(model.chosen().empty());
    }

    void saysHowARunEndedThatDidNotComplete()
    {
        RunListModel model;
        auto runs = records({1});
        runs[0].status = RunStatus::Interrupted;
        model.setRuns(runs);
        QVERIFY(model.index(0)
                    .data(RunListModel::SubtitleRole)
                    .toString()
                    .contains(QStringLiteral("interrupted")));
    }
};

BATCHSCOPE_TEST(RunListModelTest)
#include "run_list_model_test.moc"
