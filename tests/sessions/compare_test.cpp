// SPDX-License-Identifier: GPL-3.0-or-later
// Runs side by side: the figures, what became of them, and why.
#include "sessions/figure_text.h"
#include "sessions/markdown_text.h"
#include "sessions/report.h"
#include "sessions/session_document.h"
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
        QCOMPARE(wrapped("one\ntwo three", 9), std::string("one\ntwo three"));
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

    void occupancyOfOtherSlotsIsNeitherBetterNorWorse()
    {
        const auto occupancy = [](const StoredRun& other) {
            for (const auto& row : compareRuns({vanilla(), other}).rows)
                if (row.metric == "mean_occupancy") return row.cells[1];
            return ComparisonCell{};
        };
        StoredRun wide = sortedRun();
        wide.record.metrics->mean_occupancy = 0.4;
        QCOMPARE(occupancy(wide).direction, -1); // the same four slots
        std::get<RunStarted>(wide.log.front().body).slot_count = 64;
        QCOMPARE(occupancy(wide).direction, 0);
        QCOMPARE(occupancy(wide).text, std::string("40.0"));
        QCOMPARE(occupancy(wide).change, std::string("of 64 slots, not 4: no better or worse"));
    }

    void fairnessIsToldAlsoWhereItIsUnknown()
    {
        for (const auto& text : {comparisonText(compareRuns({vanilla(), sortedRun()})),
                                 reportMarkdown({vanilla(), sortedRun()})}) {
            const QString all = QString::fromStdString(text);
            for (const char* title : {"Slowdown, mean", "Fairness (Jain's index)", "Starved requests"}) {
                const auto at = all.indexOf(title);
                QVERIFY2(at >= 0, title);
                QVERIFY2(all.mid(at, all.indexOf('\n', at) - at).contains("—"), title);
            }
        }
        StoredRun fair = sortedRun();
        fair.record.metrics->slowdown = summarize({1, 2, 6});
        fair.record.metrics->jains_index = 0.659;
        fair.record.metrics->starved_requests = 2;
        const QString report = QString::fromStdString(reportMarkdown({vanilla(), fair}));
        for (const char* line : {"| Slowdown, mean | — | 3.00 |", "| Fairness (Jain's index) | — | 0.659 |",
                                 "| Starved requests | — | 2 |", "- Slowdown: (completed - arrival) /"})
            QVERIFY2(report.contains(line), line);
    }

    void everyFigureOfARunIsInItsReportWithItsFormula()
    {
        StoredRun run = sortedRun();
        RunMetrics& metrics = *run.record.metrics;
        metrics.steps.chunk = metrics.steps.abandoned = metrics.steps.stalled = 1;
        metrics.rerun_requests = metrics.failed = metrics.failed_predictions = metrics.preemptions = 1;
        metrics.goodput = metrics.rerun_ratio = metrics.rerun_token_share = metrics.predictor_time_share =
            0.5;
        metrics.prefill_padding_waste = metrics.queue_inversions = metrics.jains_index = 0.5;
        metrics.slowdown = summarize({1, 2});
        metrics.starved_requests = 1;
        metrics.prediction_error = {4, 1., 1., 0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
        metrics.kv_allocated_peak_bytes = metrics.kv_used_peak_bytes = metrics.weights_bytes = 1;
        const Summary some = summarize({1, 2});
        metrics.achieved_arrival_rate = 2;
        metrics.dispatch_lateness_s = some;
        metrics.window =
            WindowFigures{{1'000'000'000, 3'000'000'000}, 2, 40, 1.0, 20.0, some, some, some, 3, 1, 4, 50};
        const std::string report = reportMarkdown({vanilla(), run});
        for (const auto& metric : metricDefinitions()) {
            QVERIFY2(*metric.value(metrics) != 0, metric.name.c_str()); // else its row may be left out
            QVERIFY2(report.find("| " + metric.title) != std::string::npos, metric.name.c_str());
            QVERIFY2(report.find(": " + escaped(metric.formula) + "\n") != std::string::npos,
                     metric.formula.c_str());
        }
    }

    void theReportGivesACommandBackendAndWorkloadThatRepeatIt()
    {
        StoredRun a = vanilla(), b = sortedRun();
        for (StoredRun* run : {&a, &b}) {
            run->record.session_file = "my sessions/one.json";
            run->record.backend = {{"type", "torch"}, {"model", "demo"}};
            run->record.workload = {{"source", {{"type", "file"}, {"path", "mine.jsonl"}}}, {"seed", 42}};
        }
        const QString from_window = QString::fromStdString(reportMarkdown({a, b}));
        for (const char* text :
             {"    batchscope-cli run 'my sessions/one.json' --strategy vanilla --strategy sorted\n",
              "- Backend: measured on CPU, f32, 2 threads, model demo 0123456789abcdef; "
              "`{\"model\":\"demo\",\"type\":\"torch\"}`\n",
              "- Workload: demo, 8 requests, all-at-once, lengths free, seed 42, temperature 0.7, top-p 0.9, "
              "hash "
              "00112233445566ff; `{\"seed\":42",
              "its paths count from the folder of my sessions/one.json",
              "    batchscope-cli compare vanilla-0000"})
            QVERIFY2(from_window.contains(text), text);
        // What is printed is a session that this version reads, with both strategies.
        const auto begin = from_window.indexOf("```json\n") + 8;
        const auto session = from_window.mid(begin, from_window.indexOf("```", begin) - begin).toStdString();
        const auto document =
            parseSession(nlohmann::json::parse(session), Registry::withBuiltinParts(), "one.json");
        QCOMPARE(document.workload.source.path, std::string("mine.jsonl"));
        QCOMPARE(document.strategies[1], b.record.strategy);
        QCOMPARE(from_window.count("```json"), 1);

        a.record.command = b.record.command = "batchscope-cli run one.json --set workload.requests=8";
        const QString typed = QString::fromStdString(reportMarkdown({a, b}));
        QVERIFY(typed.contains("    " + QString::fromStdString(a.record.command) + "\n"));
        QVERIFY(!typed.contains("--strategy"));
        b.record.workload["seed"] = 43; // another session: told apart
        const QString two = QString::fromStdString(reportMarkdown({a, b}));
        QVERIFY(two.contains("### vanilla\n") && two.contains("### sorted\n") && two.count("```json") == 2);
    }

    void whyIsOneLineARun()
    {
        StoredRun third = sortedRun();
        third.record.name = "third";
        third.record.status = RunStatus::Cancelled;
        const QStringList lines =
            QString::fromStdString(explainRuns({vanilla().record, sortedRun().record, third.record}))
                .split('\n');
        QCOMPARE(lines.size(), 2);
        QVERIFY(lines[0].startsWith("sorted delivered") && lines[1].startsWith("third was cancelled"));
        const QString report = QString::fromStdString(reportMarkdown({vanilla(), sortedRun(), third}));
        QVERIFY(report.contains("\n- sorted delivered") && report.contains("\n- third was cancelled"));
        QVERIFY(QString::fromStdString(comparisonText(compareRuns({vanilla(), sortedRun(), third})))
                    .contains("\nthird was cancelled"));
    }

    void trueLengthsAreNotCalledAnError()
    {
        StoredRun run = sortedRun();
        run.record.metrics->prediction_error = {8, 0., 0., 1., 1., 1., 1., 1., 0.};
        const auto told = [&] { return QString::fromStdString(explainRuns({vanilla().record, run.record})); };
        QVERIFY2(told().contains("Predictions were the true lengths.") && !told().contains("off on average"),
                 qPrintable(told()));
        run.record.metrics->prediction_error.mae = 0.04; // not quite
        QVERIFY2(told().contains("tokens off on average"), qPrintable(told()));
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
