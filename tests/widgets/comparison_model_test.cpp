// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/demo_log.h"
#include "tests/support/test_main.h"
#include "widgets/models/comparison_model.h"
#include "widgets/panels/compare_page.h"

#include <QAbstractItemModelTester>

using namespace batchscope;
using widgets::ComparisonModel;

class ComparisonModelTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void passesTheModelTester()
    {
        ComparisonModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setComparison(sessions::compareRuns(tests::demoRuns()), {0, 1});
        model.setComparison({}, {});
    }

    void showsEveryMetricWithItsFormulaAsToolTip()
    {
        ComparisonModel model;
        model.setComparison(sessions::compareRuns(tests::demoRuns()), {0, 1});
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
        model.setComparison(sessions::compareRuns(tests::demoRuns()), {0, 1});
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
