// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/demo_log.h"
#include "tests/support/test_main.h"
#include "widgets/models/comparison_model.h"
#include "widgets/panels/verdict_card.h"

#include <QAbstractItemModelTester>

using namespace batchscope;
using widgets::ComparisonModel;

namespace {

sessions::RepeatedComparison compared(std::vector<sessions::StoredRun> runs)
{
    std::vector<sessions::RunRecord> records;
    for (const auto& run : runs)
        records.push_back(run.record);
    return sessions::compareRepeated(sessions::groupRepetitions(records), std::move(runs));
}

int rowOf(const ComparisonModel& model, const std::string& metric)
{
    const auto& rows = model.comparison().rows;
    for (std::size_t row = 0; row < rows.size(); ++row)
        if (rows[row].metric == metric) return static_cast<int>(row);
    return -1;
}

// Three repetitions of each demo run; `gain`: useful tokens a second of the second against the first.
sessions::RepeatedComparison repeated(double gain)
{
    const auto demo = tests::demoRuns();
    std::vector<sessions::RunRecord> records;
    for (int r = 0; r < 3; ++r)
        for (std::size_t i = 0; i < 2; ++i) {
            sessions::RunRecord record = demo[i].record;
            record.repetition = r;
            record.metrics->output_token_throughput = (i == 0 ? 100 : 100 * gain) + 5 * (r - 1);
            records.push_back(record);
        }
    const auto groups = sessions::groupRepetitions(records);
    auto runs = demo;
    for (std::size_t i = 0; i < 2; ++i)
        runs[i].record = groups[i].records[groups[i].middle];
    return sessions::compareRepeated(groups, runs);
}

} // namespace

class ComparisonModelTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void passesTheModelTester()
    {
        ComparisonModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setComparison(compared(tests::demoRuns()), {0, 1});
        model.setComparison({}, {});
    }

    void showsEveryMetricWithItsFormulaAsToolTip()
    {
        ComparisonModel model;
        model.setComparison(compared(tests::demoRuns()), {0, 1});
        QCOMPARE(model.columnCount(), 3);
        QVERIFY(model.rowCount() > 10);
        for (int row = 0; row < model.rowCount(); ++row) {
            const auto& expected = model.comparison().rows[static_cast<std::size_t>(row)];
            const MetricDefinition* metric = findMetric(expected.metric);
            QVERIFY2(metric, expected.metric.c_str());
            const QString tip = model.index(row, 0).data(Qt::ToolTipRole).toString();
            QVERIFY2(!metric->formula.empty() && tip.contains(QString::fromStdString(metric->formula)),
                     expected.metric.c_str());
            QVERIFY2(!model.index(row, 1).data().toString().isEmpty(),
                     expected.metric.c_str()); // null is "—"
        }
    }

    void showsFairnessWithItsFormulaAndAnEmDashWhereThereIsNone()
    {
        auto runs = tests::demoRuns();
        runs[1].record.metrics->slowdown = summarize({1, 2, 3});
        runs[1].record.metrics->jains_index = 0.857;
        runs[1].record.metrics->starved_requests = 2;
        runs[0].record.metrics->slowdown = {};
        runs[0].record.metrics->jains_index.reset();
        runs[0].record.metrics->starved_requests.reset();
        ComparisonModel model;
        model.setComparison(compared(runs), {0, 1});
        const std::pair<const char*, const char*> shown[] = {
            {"slowdown.mean", "2.00"}, {"jains_index", "0.857"}, {"starved_requests", "2"}};
        for (const auto& [metric, text] : shown) {
            const int row = rowOf(model, metric);
            QVERIFY2(row >= 0, metric);
            QCOMPARE(model.index(row, 1).data().toString(), QStringLiteral("—"));
            QCOMPARE(model.index(row, 2).data().toString(), QLatin1String(text));
            QVERIFY(model.index(row, 2).data(ComparisonModel::ChangeRole).toString().isEmpty());
            const QString tip = model.index(row, 2).data(Qt::ToolTipRole).toString();
            QVERIFY2(tip.contains(QString::fromStdString(findMetric(metric)->formula)), qPrintable(tip));
        }
    }

    void showsTheMedianOfRepetitionsTheirSpreadAndWhatIsNoise()
    {
        ComparisonModel model;
        model.setComparison(repeated(2), {0, 1});
        const int row = rowOf(model, "output_token_throughput");
        QCOMPARE(model.index(row, 1).data().toString(), QStringLiteral("100.00"));
        QCOMPARE(model.index(row, 1).data(ComparisonModel::SpreadRole).toString(), QStringLiteral("±5.00"));
        QCOMPARE(model.index(row, 2).data(ComparisonModel::ChangeRole).toString(),
                 QStringLiteral("▲ 2.00 × as high"));
        QVERIFY(model.index(row, 2)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(QStringLiteral("Median of 3 repetitions, from 195.00 to 205.00")));
        QVERIFY(
            model.index(row, 2).data(Qt::AccessibleTextRole).toString().contains(QStringLiteral("±5.00")));
        QCOMPARE(model.toTsv().section(QLatin1Char('\n'), row + 1, row + 1).count(QLatin1Char('\t')), 6);
        model.setComparison(repeated(1.02), {0, 1}); // 95 to 105 against 97 to 107
        const QModelIndex close = model.index(row, 2);
        QCOMPARE(close.data(ComparisonModel::ChangeRole).toString(), QStringLiteral("within noise"));
        QCOMPARE(close.data(ComparisonModel::DirectionRole).toInt(), 0);
    }

    void saysTheDirectionInWordsAndWithAnArrow()
    {
        sessions::ComparisonCell baseline{2.0, "2.0", "", 0}, more{4.0, "4.0", "2.00 × more", 1},
            less{1.0, "1.0", "50 % shorter", 1};
        QCOMPARE(widgets::changeWithArrow(more, baseline), QStringLiteral("▲ 2.00 × more"));
        QCOMPARE(widgets::changeWithArrow(less, baseline), QStringLiteral("▼ 50 % shorter"));
        QVERIFY(widgets::changeWithArrow(baseline, baseline).isEmpty());
    }

    void copiesOneLineAMetric()
    {
        ComparisonModel model;
        model.setComparison(compared(tests::demoRuns()), {0, 1});
        const QStringList lines = model.toTsv().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), model.rowCount() + 1);
        for (const QString& line : lines)
            QCOMPARE(line.count(QLatin1Char('\t')), 4); // metric, two values, two changes
        QCOMPARE(model.toHtml().count(QStringLiteral("<tr>")), model.rowCount() + 1);
    }

    void callsRunsOfOneWorkloadComparable()
    {
        auto runs = tests::demoRuns();
        QVERIFY(widgets::comparabilityOf(sessions::compareRuns(runs)).same);
        runs[1].record.provenance.cost_model = "another";
        const auto other = widgets::comparabilityOf(sessions::compareRuns(runs));
        QVERIFY(!other.same);
        QVERIFY2(other.details.contains(QStringLiteral("another")), qPrintable(other.details));
    }
};

BATCHSCOPE_TEST(ComparisonModelTest)
#include "comparison_model_test.moc"
