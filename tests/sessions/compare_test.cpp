// SPDX-License-Identifier: GPL-3.0-or-later
// Runs side by side: the figures, what became of them, and why.
#include "sessions/figure_text.h"
#include "sessions/report.h"
#include "sessions/text_table.h"
#include "sessions/why.h"
#include "tests/sessions/stored_samples.h"
#include "tests/support/test_main.h"

#include <fstream>
#include <iterator>

using namespace batchscope;
using namespace batchscope::sessions;
using namespace batchscope::tests;

namespace {

MetricDefinition metric(const char* unit, Better better, int decimals = 2, bool is_share = false)
{
    MetricDefinition definition;
    definition.unit = unit;
    definition.better = better;
    definition.decimals = decimals;
    definition.is_share = is_share;
    return definition;
}

QString change(const MetricDefinition& definition, std::optional<double> before, std::optional<double> now,
               int expected)
{
    int direction = 7;
    const auto text = changeText(definition, before, now, &direction);
    return QString::fromStdString(text) + (direction == expected ? "" : " (wrong direction)");
}

// Eight requests in two batches of four: in the order of arrival, and sorted.
StoredRun eightRequests(const std::string& name, const std::vector<int>& order)
{
    constexpr int k_lengths[] = {2, 50, 3, 40, 4, 45, 5, 48};
    LogBuilder builder(runOf(8, 4, Delivery::BatchEnd));
    for (RequestIndex i = 0; i < 8; ++i)
        builder.arrive(i, 0);
    StoredRun run;
    for (std::size_t begin = 0; begin < 8; begin += 4) {
        std::vector<RowSpec> rows;
        for (std::size_t i = begin; i < begin + 4; ++i) {
            const auto request = static_cast<RequestIndex>(order[i]);
            rows.push_back({request, k_lengths[order[i]]});
            run.tokens[{request, 0}] = std::vector<TokenId>(static_cast<std::size_t>(k_lengths[order[i]]), 5);
        }
        builder.batch(rows);
    }
    run.log = builder.finish();
    run.record = sampleRecord(name, 8);
    run.record.uuid = name + "-0000-4000-8000-000000000000";
    run.record.status = RunStatus::Completed;
    run.record.metrics = computeMetrics(run.log, std::nullopt);
    run.requests = storedRequests(8);
    return run;
}

StoredRun vanilla()
{
    return eightRequests("vanilla", {0, 1, 2, 3, 4, 5, 6, 7});
}

StoredRun sortedRun()
{
    StoredRun run = eightRequests("sorted", {0, 2, 4, 6, 3, 5, 7, 1});
    run.record.strategy.predictor.type = "oracle";
    run.record.strategy.ordering.type = "sjf";
    return run;
}

void compareWithFile(const std::string& found, const char* name)
{
    const std::string file = std::string(BATCHSCOPE_TEST_DATA) + "/" + name;
    std::ifstream stream(file, std::ios::binary);
    const std::string expected{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    if (found != expected) std::ofstream(std::string(name) + ".found", std::ios::binary) << found;
    QVERIFY2(found == expected,
             ("differs from " + file + "; what was made lies in " + name + ".found").c_str());
}

} // namespace

class CompareTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void changesAreSaidInWords()
    {
        QCOMPARE(change(metric("tokens/s", Better::Higher), 100, 204, 1), "2.04 × as high");
        QCOMPARE(change(metric("tokens/s", Better::Higher), 100, 90, -1), "10.0 % lower");
        QCOMPARE(change(metric("s", Better::Lower), 10, 4.3, 1), "57.0 % shorter");
        QCOMPARE(change(metric("s", Better::Lower), 10, 25, -1), "2.50 × as long");
        QCOMPARE(change(metric("", Better::Lower, 0), 200, 150, 1), "25.0 % fewer");
        QCOMPARE(change(metric("", Better::Neither, 0), 200, 300, 0), "50.0 % more");
        QCOMPARE(change(metric("%", Better::Lower, 2, true), 0.58, 0.324, 1), "−25.6 points");
        QCOMPARE(change(metric("%", Better::Higher, 2, true), 0.324, 0.58, 1), "+25.6 points");
        QCOMPARE(change(metric("s", Better::Lower), 10, 10, 0), "the same");
        QCOMPARE(change(metric("%", Better::Lower, 2, true), 0.5, 0.5002, 0), "the same");
        QCOMPARE(change(metric("", Better::Lower, 0), 0, 3, -1), "more");
        QCOMPARE(change(metric("", Better::Lower, 0), 0, 0, 0), "the same");
        QCOMPARE(change(metric("s", Better::Lower), std::nullopt, 3, 0), "");
        QCOMPARE(change(metric("s", Better::Lower), 3, std::nullopt, 0), "");
    }

    void figuresAreGroupedAndRounded()
    {
        QCOMPARE(grouped(1234567.891, 2), std::string("1,234,567.89"));
        QCOMPARE(grouped(999, 0), std::string("999"));
        QCOMPARE(grouped(-1000, 0), std::string("−1,000"));
        QCOMPARE(grouped(-0.001, 2), std::string("0.00"));
        QCOMPARE(figureText(metric("s", Better::Lower), std::nullopt), std::string("—"));
        QCOMPARE(figureText(metric("%", Better::Lower, 2, true), 0.256), std::string("25.6"));
    }

    void widthsAreThoseOfTheTerminal()
    {
        QCOMPARE(displayWidth("abc"), std::size_t(3));
        QCOMPARE(displayWidth("2.04 × —"), std::size_t(8));
        QCOMPARE(displayWidth("调度"), std::size_t(4));
        QCOMPARE(displayWidth("e\u0301"), std::size_t(1));
        QCOMPARE(displayWidth("\xff\xe4"), std::size_t(2));
        QCOMPARE(padded("×", 3, true), std::string("  ×"));
        QCOMPARE(wrapped("one two three", 7), std::string("one two\nthree"));
        TextTable table({TextTable::Align::Left, TextTable::Align::Right});
        table.addRow({"名", "n"});
        table.addRow({"a", "12"});
        QCOMPARE(table.text(), std::string("名   n\n──────\na   12\n"));
    }

    void aComparisonHoldsEveryMetricOfEveryRun()
    {
        const Comparison comparison = compareRuns({vanilla(), sortedRun()});
        QCOMPARE(comparison.rows.size(), metricDefinitions().size());
        for (const auto& row : comparison.rows)
            QCOMPARE(row.cells.size(), std::size_t(2));
        const auto steps = std::find_if(comparison.rows.begin(), comparison.rows.end(),
                                        [](const auto& row) { return row.metric == "decode_steps"; });
        // 51 + 49 passes against 6 + 51
        QCOMPARE(steps->cells[0].text, std::string("100"));
        QCOMPARE(steps->cells[1].text, std::string("57"));
        QCOMPARE(steps->cells[1].change, std::string("43.0 % fewer"));
        QCOMPARE(steps->cells[1].direction, 1);
        QVERIFY(!steps->formula.empty());
        QCOMPARE(comparison.output_agreement[1], std::optional(1.0));
        QVERIFY(comparison.differences[0].empty());
    }

    void runsOfOneNameAreToldApart()
    {
        StoredRun again = vanilla();
        again.record.repetition = 1;
        QCOMPARE(compareRuns({vanilla(), again}).names,
                 (std::vector<std::string>{"vanilla #1", "vanilla #2"}));
        StoredRun twin = vanilla();
        twin.record.id = 8;
        QCOMPARE(compareRuns({vanilla(), twin}).names,
                 (std::vector<std::string>{"vanilla (run 0)", "vanilla (run 8)"}));
    }

    void textIsAlignedAndRepeats()
    {
        const std::string text = comparisonText(compareRuns({vanilla(), sortedRun()}));
        compareWithFile(text, "comparison.txt");
    }

    void theReportIsWholeAndEscapesWhatItQuotes()
    {
        StoredRun run = sortedRun();
        const std::string report = reportMarkdown({vanilla(), run});
        compareWithFile(report, "report.md");
        run.record.name = "a|b *c*";
        const std::string escaped = reportMarkdown({vanilla(), run});
        QVERIFY(escaped.find("a\\|b \\*c\\*") != std::string::npos);
        QVERIFY(!reportMarkdown({}).empty());
        QVERIFY(!reportMarkdown({vanilla()}).empty());
    }

    void whyNamesOnlyWhatTheFiguresShow()
    {
        const auto explained = [](const StoredRun& run) {
            return QString::fromStdString(explainRuns({vanilla().record, run.record}));
        };
        const QString why = explained(sortedRun());
        QVERIFY2(why.contains("57 passes instead of 100 (43.0 % fewer)"), qPrintable(why));
        QVERIFY2(why.contains("rows that had already ended"), qPrintable(why));
        QVERIFY(!why.contains("run again") && !why.contains("Predicting") &&
                !why.contains("order can hardly"));

        StoredRun changed = sortedRun();
        changed.record.metrics->rerun_requests = 3;
        changed.record.metrics->steps.abandoned = 20;
        changed.record.metrics->predictor_time_share = 0.021;
        changed.record.metrics->useful_output_tokens = 100;
        const QString more = explained(changed);
        QVERIFY2(more.contains("3 of 8 requests outran their predicted limit"), qPrintable(more));
        QVERIFY2(more.contains("Predicting took 2.1 % of the time"), qPrintable(more));
        QVERIFY2(more.contains("did not yield the same work (100 useful tokens against 197)"),
                 qPrintable(more));

        changed.record.metrics.reset();
        QVERIFY(explained(changed).contains("sorted has no figures"));
        const QString same = explained(vanilla());
        QVERIFY2(same.contains("about as many useful tokens a second"), qPrintable(same));
        QVERIFY(!same.contains("passes instead"));

        // Nothing gained and nobody waited: that is the reason.
        StoredRun idle = vanilla();
        idle.record.metrics->queue_busy_share = 0.07;
        StoredRun other = idle;
        other.record.strategy.ordering.type = "sjf";
        const auto reason = QString::fromStdString(explainRuns({idle.record, other.record}));
        QVERIFY2(reason.contains("Its queue was empty 93.0 % of the time"), qPrintable(reason));
    }

    void interruptedRunsAreComparedByWhatTheyHave()
    {
        StoredRun run = vanilla();
        run.record.metrics.reset();
        const Comparison comparison = compareRuns({vanilla(), run});
        QVERIFY(comparison.rows[0].cells[1].value.has_value());
    }

    void aP99OfFewValuesIsMarked()
    {
        const std::string text = comparisonText(compareRuns({vanilla()}));
        QVERIFY(text.find("†") != std::string::npos);
        QVERIFY(text.find("fewer than 100 values") != std::string::npos);
    }
};

BATCHSCOPE_TEST(CompareTest)
#include "compare_test.moc"
