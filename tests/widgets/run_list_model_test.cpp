// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/demo_log.h"
#include "tests/support/test_main.h"
#include "widgets/models/run_list_model.h"
#include "widgets/panels/run_item_delegate.h"

#include <QAbstractItemModelTester>
#include <QDateTime>
#include <QListView>

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

    void saysOfWhatSessionARunIsAndWhen()
    {
        RunListModel model;
        auto runs = records({1});
        runs[0].session = "Sequence scheduling";
        runs[0].requests = 256;
        runs[0].started_unix_ms = QDateTime(QDate(2026, 11, 30), QTime(20, 46)).toMSecsSinceEpoch();
        runs[0].provenance.measured = true;
        runs[0].provenance.device = "CPU";
        runs[0].provenance.dtype = "f32";
        runs[0].repetition = 1;
        model.setRuns(runs);
        const QModelIndex at = model.index(0);
        QCOMPARE(at.data(RunListModel::SessionRole).toString(), QStringLiteral("Sequence scheduling"));
        QCOMPARE(at.data(RunListModel::OccasionRole).toString(),
                 QStringLiteral("30 Nov 2026 · 256 requests · CPU, f32"));
        QCOMPARE(at.data(RunListModel::SubtitleRole).toString(), QStringLiteral("20:46 · repetition 2"));
        const QString heard = at.data(Qt::AccessibleTextRole).toString();
        for (const char* part :
             {"run 1", "Sequence scheduling", "256 requests", "30 Nov 2026", "repetition 2"})
            QVERIFY2(heard.contains(QLatin1String(part)), qPrintable(heard));
    }

    void saysHowARunEndedThatDidNotComplete()
    {
        RunListModel model;
        auto runs = records({3, 2, 1});
        runs[0].status.reset();
        runs[1].status = RunStatus::Interrupted;
        model.setRuns(runs);
        const auto state = [&model](int row) {
            return model.index(row).data(RunListModel::StateRole).toString();
        };
        QCOMPARE(state(0), QStringLiteral("running"));
        QCOMPARE(state(1), QStringLiteral("interrupted"));
        QVERIFY(state(2).isEmpty());
        QVERIFY(model.index(1).data(Qt::AccessibleTextRole).toString().contains(state(1)));
        QVERIFY(model.index(1).data(Qt::ToolTipRole).toString().contains(state(1)));
    }

    void aPressOfRunHasOneHead()
    {
        RunListModel model;
        auto runs = records({4, 3, 2, 1});
        runs[0].experiment = runs[1].experiment = "second";
        runs[2].experiment = runs[3].experiment = "first";
        model.setRuns(runs);
        using widgets::RunItemDelegate;
        QVERIFY(RunItemDelegate::startsOccasion(model.index(0)) &&
                !RunItemDelegate::startsOccasion(model.index(1)));
        QVERIFY(RunItemDelegate::startsOccasion(model.index(2)) &&
                !RunItemDelegate::startsOccasion(model.index(3)));
    }

    void aTickIsWhereItIsSeenBelowAHeadToo()
    {
        RunListModel model;
        auto runs = records({2, 1});
        for (auto& run : runs) {
            run.experiment = "one";
            run.session = "A session whose name is longer than one line of the list can be";
        }
        model.setRuns(runs);
        QListView view;
        view.setModel(&model);
        view.setItemDelegate(new widgets::RunItemDelegate(&view));
        view.resize(240, 300);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const QRect first = view.visualRect(model.index(0)), second = view.visualRect(model.index(1));
        QVERIFY(first.height() >
                second.height() + 2 * view.fontMetrics().height()); // two lines and what it was
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, QPoint(first.right() - 18, first.top() + 10));
        QVERIFY(model.chosen().empty()); // that is the head
        const QRect body(first.left(), first.bottom() - second.height(), first.width(), second.height());
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {},
                          widgets::RunItemDelegate::tickRect(body).center());
        QCOMPARE(model.chosen(), (std::vector<RunId>{2}));
        view.setCurrentIndex(model.index(1));
        QTest::keyClick(&view, Qt::Key_Space);
        QCOMPARE(model.chosen(), (std::vector<RunId>{2, 1}));
    }
};

BATCHSCOPE_TEST(RunListModelTest)
#include "run_list_model_test.moc"
