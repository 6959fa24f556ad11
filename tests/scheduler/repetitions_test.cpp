// SPDX-License-Identifier: GPL-3.0-or-later
// What repetitions can say: intervals that hold what they claim, pairs, and honesty about few values.
#include "scheduler/random.h"
#include "scheduler/statistics/bootstrap.h"
#include "scheduler/statistics/paired.h"
#include "tests/support/test_main.h"

namespace batchscope::tests {
namespace {

std::vector<double> drawn(std::uint64_t seed, int count, bool skewed)
{
    Random random(seed, 5);
    std::vector<double> values;
    for (int i = 0; i < count; ++i)
        values.push_back(skewed ? random.exponential(3) : 10 + random.normal());
    return values;
}

// Of 400 samples, the share whose interval holds the true value.
double coverage(int count, bool skewed, double truth, const Statistic& statistic, BootstrapMethod method)
{
    constexpr int k_samples = 400;
    int held = 0;
    for (std::uint64_t seed = 1; seed <= k_samples; ++seed) {
        const auto interval = bootstrapInterval(drawn(seed, count, skewed), statistic,
                                                {.resamples = 400, .seed = seed, .method = method});
        held += interval && interval->holds(truth) ? 1 : 0;
    }
    return static_cast<double>(held) / k_samples;
}

} // namespace

class RepetitionsTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void theSameSeedGivesTheSameInterval()
    {
        const std::vector<double> values = drawn(3, 20, true);
        const auto one = bootstrapInterval(values, meanOf, {.seed = 9});
        QVERIFY(one);
        QVERIFY(one == bootstrapInterval(values, meanOf, {.seed = 9}));
        QVERIFY(one != bootstrapInterval(values, meanOf, {.seed = 10}));
        QVERIFY(one->low <= meanOf(values) && meanOf(values) <= one->high);
    }

    void anIntervalHoldsTheTruthAboutAsOftenAsItSays()
    {
        const double of_median = coverage(25, false, 10, medianOf, BootstrapMethod::Percentile);
        QVERIFY2(of_median > 0.91 && of_median < 0.99, qPrintable(QString::number(of_median)));
        // A skewed mean: the plain interval falls short on one side, the corrected one less so.
        const double plain = coverage(30, true, 3, meanOf, BootstrapMethod::Percentile);
        const double corrected = coverage(30, true, 3, meanOf, BootstrapMethod::Bca);
        QVERIFY2(corrected > 0.9 && corrected < 0.98, qPrintable(QString::number(corrected)));
        QVERIFY2(corrected >= plain, qPrintable(QString("%1 against %2").arg(corrected).arg(plain)));
    }

    void aHigherLevelIsWider()
    {
        const std::vector<double> values = drawn(4, 30, true);
        const auto narrow = bootstrapInterval(values, meanOf, {.level = 0.5});
        const auto wide = bootstrapInterval(values, meanOf, {.level = 0.99});
        QVERIFY(wide->low < narrow->low && narrow->high < wide->high);
    }

    void equalValuesGiveAnIntervalOfNoWidth()
    {
        const std::vector<double> values(8, 4.5);
        for (const auto method : {BootstrapMethod::Percentile, BootstrapMethod::Bca})
            QVERIFY(bootstrapInterval(values, meanOf, {.method = method}) == (Interval{4.5, 4.5}));
    }

    void fewValuesSaySo()
    {
        const Estimate none = medianEstimate({});
        QVERIFY(!none.value && !none.interval && !none.note.empty());
        const std::vector<double> values{4, 1, 3, 9, 2, 8};
        const Estimate one = medianEstimate(std::span(values).first(1));
        QCOMPARE(*one.value, 4.0);
        QVERIFY(!one.interval);
        QVERIFY2(one.note.find("one repetition") != std::string::npos, one.note.c_str());
        // Below five the range is all: 1 - 2^(1-4) = 87.5 %.
        const Estimate four = medianEstimate(std::span(values).first(4));
        QVERIFY(!four.interval);
        QCOMPARE(*four.range, (Interval{1, 9}));
        QCOMPARE(*four.spread(), (Interval{1, 9}));
        QVERIFY2(four.note.find("87.5 %") != std::string::npos, four.note.c_str());
        // 1 - 2^(1-5) = 93.75 % is below 95 %, 1 - 2^(1-6) = 96.875 % is not.
        const Estimate five = medianEstimate(std::span(values).first(5));
        QVERIFY(five.interval);
        QVERIFY2(five.note.find("93.8 %") != std::string::npos, five.note.c_str());
        QVERIFY2(five.note.find("at least 6") != std::string::npos, five.note.c_str());
        const Estimate six = medianEstimate(values);
        QCOMPARE(*six.value, 3.5);
        QVERIFY(six.note.empty());
    }

    void pairsTakeTheWorkloadOut()
    {
        // Workloads differ by far more than the strategies do: side by side nothing can be seen, in pairs
        // all.
        std::vector<Repeated> baseline, other;
        Random random(8);
        for (std::uint64_t seed = 1; seed <= 12; ++seed) {
            const double workload = 100 * random.uniform();
            baseline.push_back({seed, workload});
            other.push_back({seed, workload - 1 - 0.2 * random.uniform()});
        }
        std::swap(other.front(), other.back()); // order is no matter: the seed makes the pair
        const PairedDifference paired = pairedDifference(baseline, other);
        QVERIFY(paired.isClear());
        QVERIFY(*paired.difference.value < -1 && *paired.difference.value > -1.2);
        QCOMPARE(paired.below, std::int64_t{12});
        QCOMPARE(paired.above + paired.equal + paired.unpaired, std::int64_t{0});
    }

    void whatHasNoCounterpartIsLeftOutAndCounted()
    {
        const std::vector<Repeated> baseline{{1, 10}, {2, 20}, {3, 30}};
        const std::vector<Repeated> other{{2, 21}, {3, 30}, {4, 40}};
        const std::vector<Repeated> above{{1, 12}, {2, 21}, {3, 33}};
        const PairedDifference paired = pairedDifference(baseline, other);
        QCOMPARE(paired.difference.n, std::int64_t{2});
        QCOMPARE(paired.above, std::int64_t{1});
        QCOMPARE(paired.equal, std::int64_t{1});
        QCOMPARE(paired.unpaired, std::int64_t{2});
        QVERIFY(!paired.isClear()); // two pairs prove nothing
        QVERIFY(paired.isOpen());   // 0 and 1: none may be the truth
        QVERIFY(!pairedDifference(baseline, above).isOpen());
    }
};

BATCHSCOPE_TEST(RepetitionsTest)

} // namespace batchscope::tests

#include "repetitions_test.moc"
