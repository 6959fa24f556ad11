// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/repetitions.h"
#include "tests/support/demo_log.h"
#include "tests/support/test_main.h"

using namespace batchscope;
using namespace batchscope::sessions;

namespace {

// A demo run as a measurement of the demo strategies would leave it: its rate is `rate`.
RunRecord measured(const RunRecord& demo, int repetition, double rate)
{
    RunRecord record = demo;
    record.repetition = repetition;
    record.id = demo.order * 10 + repetition + 1;
    record.provenance.measured = true;
    record.provenance.device = "CPU";
    record.metrics->output_token_throughput = rate;
    return record;
}

struct Measured // two strategies, interleaved as one press of Run leaves them
{
    std::vector<StoredRun> demo = tests::demoRuns();
    std::vector<RunRecord> records;

    Measured(const std::vector<double>& first, const std::vector<double>& second)
    {
        for (std::size_t r = 0; r < std::max(first.size(), second.size()); ++r) {
            if (r < first.size()) records.push_back(measured(demo[0].record, static_cast<int>(r), first[r]));
            if (r < second.size())
                records.push_back(measured(demo[1].record, static_cast<int>(r), second[r]));
        }
    }
    RepeatedComparison compared() const
    {
        const auto groups = groupRepetitions(records);
        std::vector<StoredRun> runs;
        for (std::size_t i = 0; i < groups.size(); ++i) {
            runs.push_back(demo[i]);
            runs.back().record = groups[i].records[groups[i].middle];
        }
        return compareRepeated(groups, runs);
    }
};

// The same as simulated over seeds: every repetition has a workload of its own.
Measured overSeeds(const std::vector<double>& first, const std::vector<double>& second)
{
    Measured m(first, second);
    for (RunRecord& record : m.records) {
        record.provenance.measured = false;
        record.provenance.device.clear();
        record.provenance.cost_model = "made up";
        record.seed = 42 + static_cast<std::uint64_t>(record.repetition);
        record.workload_hash += std::to_string(record.seed);
    }
    return m;
}

std::size_t rowOf(const RepeatedComparison& compared, const std::string& metric)
{
    const auto& rows = compared.comparison.rows;
    return static_cast<std::size_t>(
        std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.metric == metric; }) -
        rows.begin());
}

constexpr const char* k_rate = "output_token_throughput";

} // namespace

class RepetitionsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void runsOfOneStrategyAndPressOfRunAreOneColumn()
    {
        const Measured m({100, 104, 96}, {200, 210, 190});
        const auto groups = groupRepetitions(m.records);
        QCOMPARE(groups.size(), std::size_t{2});
        QCOMPARE(groups[0].records.size(), std::size_t{3});
        for (int r = 0; r < 3; ++r)
            QCOMPARE(groups[1].records[static_cast<std::size_t>(r)].repetition, r);
        QCOMPARE(groups[0].middle, std::size_t{0}); // 100 of 96, 100, 104
        QCOMPARE(groups[1].middle, std::size_t{0});
    }

    void whatIsNoRepetitionStandsAlone()
    {
        const Measured m({100}, {});
        const RunRecord one = m.records.front();
        const auto apart = [&one](const std::function<void(RunRecord&)>& change) {
            RunRecord other = one;
            other.repetition = 1;
            change(other);
            return groupRepetitions({one, other}).size();
        };
        QCOMPARE(apart([](RunRecord&) {}), std::size_t{1});
        QCOMPARE(apart([](RunRecord& r) { r.experiment = "another"; }), std::size_t{2});
        QCOMPARE(apart([](RunRecord& r) { r.name = "another"; }), std::size_t{2});
        QCOMPARE(apart([](RunRecord& r) { r.status = RunStatus::Interrupted; }), std::size_t{2});
        QCOMPARE(apart([](RunRecord& r) { r.metrics.reset(); }), std::size_t{2});
        QCOMPARE(apart([](RunRecord& r) { r.workload_hash = "another"; }), std::size_t{2});
        QCOMPARE(apart([](RunRecord& r) { r.provenance.device = "cuda:0"; }), std::size_t{2});
        QCOMPARE(apart([](RunRecord& r) { r.strategy.limits.max_new_tokens = 7; }), std::size_t{2});
        QCOMPARE(apart([](RunRecord& r) { r.repetition = 0; }), std::size_t{2}); // the same one twice
    }

    void showsTheMedianAndHalfTheRange()
    {
        const RepeatedComparison c = Measured({100, 104, 96}, {200, 210, 190}).compared();
        QVERIFY(c.isRepeated());
        QCOMPARE(c.repetitions, (std::vector<std::int64_t>{3, 3}));
        const std::size_t row = rowOf(c, k_rate);
        const auto& cells = c.comparison.rows[row].cells;
        QCOMPARE(cells[0].value, std::optional(100.0));
        QCOMPARE(cells[0].text, std::string("100.00"));
        QCOMPARE(cells[1].value, std::optional(200.0));
        QCOMPARE(cells[1].change, std::string("2.00 × as high"));
        QCOMPARE(cells[1].direction, 1);
        QCOMPARE(c.spreads[row][0], std::optional(Spread{96, 100, 104, 3}));
        QCOMPARE(spreadText(*findMetric(k_rate), *c.spreads[row][0]), std::string("±4.00"));
        QCOMPARE(spreadText(*findMetric(k_rate), *c.spreads[row][1]), std::string("±10.00"));
        // What every repetition has alike has no spread to show, and its difference is no noise.
        const std::size_t steps = rowOf(c, "decode_steps");
        QVERIFY(spreadText(*findMetric("decode_steps"), *c.spreads[steps][0]).empty());
        QVERIFY(c.comparison.rows[steps].cells[1].change != k_within_noise);
        QVERIFY(c.comparison.rows[steps].cells[1].direction != 0);
    }

    void namesAColumnWithoutANumber()
    {
        const RepeatedComparison c = Measured({100, 104, 96}, {200, 190, 210}).compared();
        QCOMPARE(c.comparison.names,
                 (std::vector<std::string>{tests::vanilla().name, tests::sequenceScheduling().name}));
    }

    void overlappingRangesAreNoDifference()
    {
        const RepeatedComparison c =
            Measured({100, 110, 96}, {108, 120, 109}).compared(); // 96...110, 108...120
        const std::size_t row = rowOf(c, k_rate);
        QCOMPARE(c.comparison.rows[row].cells[1].change, std::string(k_within_noise));
        QCOMPARE(c.comparison.rows[row].cells[1].direction, 0);
    }

    void rangesThatTouchNowhereAreADifference()
    {
        const RepeatedComparison c = Measured({100, 101, 99}, {104, 102, 103}).compared();
        const auto& cell = c.comparison.rows[rowOf(c, k_rate)].cells[1];
        QCOMPARE(cell.change, std::string("3.0 % higher"));
        QCOMPARE(cell.direction, 1);
    }

    void aSingleRunInsideTheOthersRangeIsNoDifference()
    {
        QCOMPARE(Measured({100, 110, 96}, {104}).compared().comparison.rows[0].metric, std::string(k_rate));
        const auto changeOf = [](const RepeatedComparison& c) {
            return c.comparison.rows[rowOf(c, k_rate)].cells[1].change;
        };
        QCOMPARE(changeOf(Measured({100, 110, 96}, {104}).compared()), std::string(k_within_noise));
        QVERIFY(changeOf(Measured({100, 110, 96}, {130}).compared()) != k_within_noise);
        QVERIFY(changeOf(Measured({100}, {101}).compared()) != k_within_noise); // nobody knows the noise
    }

    // Easy and hard workloads differ far more than the strategies: only pairs of one workload tell.
    void pairsOverSeedsTellWhatRangesCannot()
    {
        const RepeatedComparison c =
            overSeeds({100, 200, 300, 400, 500, 600}, {110, 212, 309, 411, 513, 608}).compared();
        QVERIFY(c.varies_workload);
        const std::size_t row = rowOf(c, k_rate);
        const auto& cell = c.comparison.rows[row].cells[1];
        QVERIFY2(cell.change != k_within_noise && cell.direction == 1, cell.change.c_str());
        QVERIFY(c.paired[row][1] && c.paired[row][1]->isClear());
        QCOMPARE(c.paired[row][1]->above, std::int64_t{6});
        QCOMPARE(*c.paired[row][1]->difference.value, 10.5);
        QVERIFY(!c.paired[row][0]);
        QVERIFY(c.spreads[row][0]->interval);
        QVERIFY2(c.note().find("seeds 42 to 47") != std::string::npos, c.note().c_str());
        QVERIFY2(c.comparison.headline.find("over 6 workloads the difference is +10.5 tokens/s") !=
                     std::string::npos,
                 c.comparison.headline.c_str());
        // The runs put side by side had the same requests: no difference of workloads is told.
        for (const auto& difference : c.comparison.differences[1])
            QVERIFY2(difference.what.find("workload") == std::string::npos, difference.what.c_str());
    }

    void pairsThatGoBothWaysAreNoise()
    {
        const RepeatedComparison c =
            overSeeds({100, 200, 300, 400, 500, 600}, {130, 190, 320, 385, 525, 590}).compared();
        const auto& cell = c.comparison.rows[rowOf(c, k_rate)].cells[1];
        QCOMPARE(cell.change, std::string(k_within_noise));
        QCOMPARE(cell.direction, 0);
        QVERIFY2(c.comparison.headline.starts_with("Within noise"), c.comparison.headline.c_str());
    }

    void fewRepetitionsHaveARangeAndANote()
    {
        const RepeatedComparison c = Measured({100, 104, 96}, {200, 210, 190}).compared();
        QVERIFY(!c.spreads[rowOf(c, k_rate)][0]->interval);
        QVERIFY2(c.note().find("half their range") != std::string::npos, c.note().c_str());
        QVERIFY2(c.note().find("at least 6") != std::string::npos, c.note().c_str());
        const RepeatedComparison six =
            Measured({100, 104, 96, 99, 101, 102}, {200, 210, 190, 205, 203, 199}).compared();
        const std::size_t row = rowOf(six, k_rate);
        const auto& spread = *six.spreads[row][0];
        QVERIFY(spread.interval && spread.interval->low <= 100.5 && 100.5 <= spread.interval->high);
        QVERIFY(spreadText(*findMetric(k_rate), spread).starts_with("["));
        QVERIFY2(six.note().find("measurement of the same workload") != std::string::npos,
                 six.note().c_str());
        QVERIFY2(comparisonText(six).find("95 % bootstrap") != std::string::npos,
                 comparisonText(six).c_str());
    }

    void headlineAndTableAgreeWithAnEvenNumberToo()
    {
        const RepeatedComparison c = Measured({100, 120}, {220, 330}).compared(); // medians 110 and 275
        QCOMPARE(c.comparison.rows[rowOf(c, k_rate)].cells[1].change, std::string("2.50 × as high"));
        QVERIFY2(c.comparison.headline.find("2.50 ×") != std::string::npos, c.comparison.headline.c_str());
    }

    void withoutRepetitionsItIsThePlainComparison()
    {
        const auto runs = tests::demoRuns();
        const auto groups = groupRepetitions({runs[0].record, runs[1].record});
        const RepeatedComparison c = compareRepeated(groups, runs);
        const Comparison plain = compareRuns(runs);
        QVERIFY(!c.isRepeated());
        QCOMPARE(c.comparison.headline, plain.headline);
        QCOMPARE(c.comparison.rows.size(), plain.rows.size());
        for (std::size_t row = 0; row < plain.rows.size(); ++row)
            for (std::size_t i = 0; i < 2; ++i) {
                QCOMPARE(c.comparison.rows[row].cells[i].text, plain.rows[row].cells[i].text);
                QCOMPARE(c.comparison.rows[row].cells[i].change, plain.rows[row].cells[i].change);
                QVERIFY(!c.spreads[row][i]);
            }
    }
};

BATCHSCOPE_TEST(RepetitionsTest)
#include "repetitions_test.moc"
