// SPDX-License-Identifier: GPL-3.0-or-later
// Gamma, uniform and staged arrivals, exact mean rates, what is refused and how each is described.
#include "scheduler/error.h"
#include "scheduler/workload/arrivals.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace batchscope;

namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();

ArrivalSpec gammaSpec(double rate, std::optional<double> cv, std::optional<double> shape = {})
{
    ArrivalSpec spec{"gamma", rate};
    spec.cv = cv;
    spec.shape = shape;
    return spec;
}

ArrivalSpec stages(std::vector<RateStage> list, bool even = false)
{
    ArrivalSpec spec{"stages"};
    spec.stages = std::move(list);
    spec.even_gaps = even;
    return spec;
}

std::vector<double> gapsOf(const ArrivalSpec& spec, std::size_t count, std::uint64_t seed)
{
    const auto arrivals = makeArrivals(spec, count + 1, seed);
    std::vector<double> gaps;
    for (std::size_t i = 1; i < arrivals.size(); ++i)
        gaps.push_back(toSeconds(arrivals[i] - arrivals[i - 1]));
    return gaps;
}

double meanOf(const std::vector<double>& values)
{
    double sum = 0;
    for (const double value : values)
        sum += value;
    return sum / static_cast<double>(values.size());
}

double cvOf(const std::vector<double>& values)
{
    const double mean = meanOf(values);
    double squares = 0;
    for (const double value : values)
        squares += (value - mean) * (value - mean);
    return std::sqrt(squares / static_cast<double>(values.size())) / mean;
}

QString refusal(const ArrivalSpec& spec)
{
    try {
        makeArrivals(spec, 10, 1);
    } catch (const SchedulerError& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

int countBefore(const std::vector<Nanos>& arrivals, double seconds)
{
    return static_cast<int>(std::count_if(arrivals.begin(), arrivals.end(),
                                          [seconds](Nanos at) { return toSeconds(at) < seconds; }));
}

} // namespace

class ArrivalProcessesTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void gamma_gaps_have_the_mean_and_the_cv_asked_for_data();
    void gamma_gaps_have_the_mean_and_the_cv_asked_for();
    void gaps_are_never_sorted();
    void sorted_gaps_flood_and_dry_up_as_published();
    void an_infinite_shape_is_even();
    void cv_and_shape_say_the_same();
    void uniform_gaps_keep_their_bounds();
    void an_exact_mean_rate_changes_the_scale_alone();
    void stages_follow_their_rates();
    void a_ramp_gathers_pace();
    void even_stages_are_spaced_by_the_moment();
    void what_the_last_stage_leaves_goes_on_at_its_rate();
    void same_seed_gives_the_same_nanoseconds();
    void what_makes_no_sense_is_refused_data();
    void what_makes_no_sense_is_refused();
    void each_says_what_it_is();
};

// Public report W5: burstiness 0.25, 1, 4 over 2000 draws; more draws where the spread of the mean needs
// them.
void ArrivalProcessesTest::gamma_gaps_have_the_mean_and_the_cv_asked_for_data()
{
    QTest::addColumn<double>("shape");
    QTest::addColumn<double>("cv");
    QTest::newRow("bursts") << 0.25 << 2.0;
    QTest::newRow("poisson") << 1.0 << 1.0;
    QTest::newRow("regular") << 4.0 << 0.5;
}

void ArrivalProcessesTest::gamma_gaps_have_the_mean_and_the_cv_asked_for()
{
    QFETCH(double, shape);
    QFETCH(double, cv);
    const auto gaps = gapsOf(gammaSpec(5, std::nullopt, shape), 50'000, 42);
    QVERIFY2(std::abs(meanOf(gaps) - 0.2) < 0.2 * 0.03, qPrintable(QString::number(meanOf(gaps))));
    QVERIFY2(std::abs(cvOf(gaps) - cv) < cv * 0.03, qPrintable(QString::number(cvOf(gaps))));
    // With 2000 draws the mean strays by cv / sqrt(2000) on average: three times that bounds it.
    const double mean = meanOf(gapsOf(gammaSpec(5, std::nullopt, shape), 2000, 42));
    QVERIFY(std::abs(mean - 0.2) < 0.2 * std::max(0.03, 3 * cv / std::sqrt(2000.0)));
}

void ArrivalProcessesTest::gaps_are_never_sorted()
{
    for (const double shape : {0.25, 1.0, 4.0}) {
        const auto gaps = gapsOf(gammaSpec(1, std::nullopt, shape), 2000, 3);
        int rises = 0;
        for (std::size_t i = 1; i < gaps.size(); ++i)
            rises += gaps[i] > gaps[i - 1];
        QVERIFY2(rises > 900 && rises < 1100, qPrintable(QString::number(rises)));
        // The first half takes about as long as the second.
        const double first = meanOf({gaps.begin(), gaps.begin() + 1000});
        const double second = meanOf({gaps.begin() + 1000, gaps.end()});
        QVERIFY(first / second > 0.7 && first / second < 1.4);
    }
}

// papers.md, J-2: of 50 requests with sorted gaps 30 (cv 2) and 48 (cv 5) arrived in the first tenth of the
// span. These are single draws of the very distribution drawn here, not another definition: numpy's legacy
// generator and gamma method, repeated apart from this project for 20,000 sets of 50 gaps, give a mean of
// 34.2 (sd 2.4, 5 % to 95 %: 30 to 38) for cv 2 and of 45.6 (sd 1.5, 43 to 48) for cv 5; its seed 42 gives 37
// and 47. One published figure lies at the low end and one at the high end, so a shifted zero or another span
// cannot explain both; nor does the rate matter, which only scales time.
void ArrivalProcessesTest::sorted_gaps_flood_and_dry_up_as_published()
{
    constexpr int k_sets = 400;
    struct Published
    {
        double cv;
        int early;          // of 50
        double mean, error; // over many sets; five standard errors of k_sets
    };
    for (const Published& published : {Published{2, 30, 34.2, 0.6}, Published{5, 48, 45.6, 0.4}}) {
        ArrivalSpec spec = gammaSpec(0.03, published.cv);
        spec.sorted_gaps = true;
        std::vector<int> early;
        for (int seed = 1; seed <= k_sets; ++seed) {
            const auto arrivals = makeArrivals(spec, 50, static_cast<std::uint64_t>(seed));
            early.push_back(countBefore(arrivals, toSeconds(arrivals.back()) / 10));
        }
        std::sort(early.begin(), early.end());
        const double mean = std::accumulate(early.begin(), early.end(), 0.0) / k_sets;
        QVERIFY2(std::abs(mean - published.mean) < published.error, qPrintable(QString::number(mean)));
        const auto at_most = std::upper_bound(early.begin(), early.end(), published.early) - early.begin();
        const auto below = std::lower_bound(early.begin(), early.end(), published.early) - early.begin();
        QVERIFY2(at_most > k_sets / 100, qPrintable(QString::number(at_most))); // no outlier to either side
        QVERIFY2(below < k_sets - k_sets / 100, qPrintable(QString::number(below)));
    }
}

void ArrivalProcessesTest::an_infinite_shape_is_even()
{
    QCOMPARE(makeArrivals(gammaSpec(4, std::nullopt, k_infinity), 5, 9), makeArrivals({"even", 4.0}, 5, 9));
    QVERIFY(describeArrivals(gammaSpec(4, std::nullopt, k_infinity)).find("even") != std::string::npos);
}

void ArrivalProcessesTest::cv_and_shape_say_the_same()
{
    QCOMPARE(makeArrivals(gammaSpec(3, 2.0), 100, 5), makeArrivals(gammaSpec(3, std::nullopt, 0.25), 100, 5));
    QCOMPARE(describeArrivals(gammaSpec(3, 2.0)), describeArrivals(gammaSpec(3, std::nullopt, 0.25)));
    QCOMPARE(describeArrivals(gammaSpec(3, 2.0)), std::string("gamma 3/s, cv 2 (shape 0.25)"));
}

void ArrivalProcessesTest::uniform_gaps_keep_their_bounds()
{
    ArrivalSpec bounds{"uniform"};
    bounds.min_gap_s = 0.1;
    bounds.max_gap_s = 0.3;
    const auto gaps = gapsOf(bounds, 10'000, 4);
    QVERIFY(*std::min_element(gaps.begin(), gaps.end()) >= 0.1 - 1e-8);
    QVERIFY(*std::max_element(gaps.begin(), gaps.end()) <= 0.3 + 1e-8);
    QVERIFY(std::abs(meanOf(gaps) - 0.2) < 0.002);
    const auto wide = gapsOf({"uniform", 5.0}, 10'000, 4);
    QVERIFY(std::abs(meanOf(wide) - 0.2) < 0.006);
    QVERIFY(*std::max_element(wide.begin(), wide.end()) <= 0.4 + 1e-8);
    QVERIFY(std::abs(cvOf(wide) - 1 / std::sqrt(3.0)) < 0.02);
}

void ArrivalProcessesTest::an_exact_mean_rate_changes_the_scale_alone()
{
    ArrivalSpec spec{"poisson", 10.0};
    const auto drawn = makeArrivals(spec, 21, 8);
    spec.exact_mean_rate = true;
    const auto exact = makeArrivals(spec, 21, 8);
    QCOMPARE(exact.back(), 2 * k_second); // 20 gaps of 0.1 s
    QVERIFY(drawn.back() != exact.back());
    const double factor = toSeconds(exact.back()) / toSeconds(drawn.back());
    for (std::size_t i = 1; i < exact.size(); ++i)
        QVERIFY(std::abs(toSeconds(exact[i]) - factor * toSeconds(drawn[i])) < 2e-9);
    QVERIFY(describeArrivals(spec).find("rescaled") != std::string::npos);
}

void ArrivalProcessesTest::stages_follow_their_rates()
{
    const auto arrivals = makeArrivals(stages({{100, 20}, {50, 0}, {100, 60}}), 8000, 11);
    QVERIFY(std::is_sorted(arrivals.begin(), arrivals.end()));
    const int first = countBefore(arrivals, 100), pause = countBefore(arrivals, 150),
              last = countBefore(arrivals, 250);
    QVERIFY2(std::abs(first - 2000) < 140, qPrintable(QString::number(first)));
    QCOMPARE(pause, first);
    QVERIFY2(std::abs(last - pause - 6000) < 240, qPrintable(QString::number(last - pause)));
}

void ArrivalProcessesTest::a_ramp_gathers_pace()
{
    // From 0 to 80/s in 100 s: a quarter of the 4000 in the first half.
    const auto arrivals = makeArrivals(stages({{100, 0, 80.0}}), 4000, 12);
    QVERIFY2(std::abs(countBefore(arrivals, 50) - 1000) < 100,
             qPrintable(QString::number(countBefore(arrivals, 50))));
    QVERIFY(std::abs(countBefore(arrivals, 100) - 4000) < 200);
}

void ArrivalProcessesTest::even_stages_are_spaced_by_the_moment()
{
    const auto arrivals = makeArrivals(stages({{2, 1}, {10, 4}}, true), 6, 1);
    QCOMPARE(arrivals, (std::vector<Nanos>{0, 1'000'000'000, 2'000'000'000, 2'250'000'000, 2'500'000'000,
                                           2'750'000'000}));
}

void ArrivalProcessesTest::what_the_last_stage_leaves_goes_on_at_its_rate()
{
    const auto arrivals = makeArrivals(stages({{1, 2, 4.0}}, true), 8, 1);
    QCOMPARE(arrivals.back(), k_second + k_second); // 3 in the stage, 4 more at 4/s
    const QString text = refusal(stages({{1, 2}, {10, 2, 0.0}}));
    QVERIFY2(refusal(stages({{1, 2}, {1, 0}})).contains("about 2 requests"), qPrintable(text));
}

void ArrivalProcessesTest::same_seed_gives_the_same_nanoseconds()
{
    // Golden: these must not change between machines, compilers or versions.
    QCOMPARE(makeArrivals(gammaSpec(1, 2.0), 4, 42), (std::vector<Nanos>{0, 580711, 1662464476, 4579031511}));
    QCOMPARE(makeArrivals(gammaSpec(1, 0.5), 4, 42),
             (std::vector<Nanos>{0, 786239883, 1871631627, 2452053488}));
    QCOMPARE(makeArrivals({"uniform", 1.0}, 4, 42),
             (std::vector<Nanos>{0, 390998922, 2121647783, 3144633776}));
    QCOMPARE(makeArrivals(stages({{2, 1, 3.0}}), 4, 42),
             (std::vector<Nanos>{0, 1065041238, 1133939285, 1427867303}));
    QVERIFY(makeArrivals(gammaSpec(1, 2.0), 4, 42) != makeArrivals(gammaSpec(1, 2.0), 4, 43));
}

void ArrivalProcessesTest::what_makes_no_sense_is_refused_data()
{
    QTest::addColumn<int>("which");
    QTest::addColumn<QString>("said");
    int which = 0;
    for (const char* said :
         {"shape is 0", "shape is -1", "shape is nan", "cv is 0", "cv is inf", "both were given", "needs cv",
          "gaps from 2 s to 1 s", "either a rate", "needs a rate", "duration_s of stage 1", "rate of stage 2",
          "needs stages", "0 clients", "speed is 0", "exact_mean_rate"})
        QTest::newRow(said) << which++ << QString(said);
}

void ArrivalProcessesTest::what_makes_no_sense_is_refused()
{
    QFETCH(int, which);
    QFETCH(QString, said);
    ArrivalSpec upside{"uniform"}, twice{"uniform", 1.0}, loop{"closed-loop"}, still{"trace"},
        exact{"closed-loop"};
    upside.min_gap_s = 2;
    upside.max_gap_s = 1;
    twice.min_gap_s = 1;
    still.speed = 0;
    exact.clients = 1;
    exact.exact_mean_rate = true;
    const std::vector<ArrivalSpec> wrong{gammaSpec(1, std::nullopt, 0.0),
                                         gammaSpec(1, std::nullopt, -1.0),
                                         gammaSpec(1, std::nullopt, std::nan("")),
                                         gammaSpec(1, 0.0),
                                         gammaSpec(1, k_infinity),
                                         gammaSpec(1, 1.0, 1.0),
                                         gammaSpec(1, std::nullopt),
                                         upside,
                                         twice,
                                         {"uniform"},
                                         stages({{0, 1}}),
                                         stages({{1, 1}, {1, -1}}),
                                         {"stages"},
                                         loop,
                                         still,
                                         exact};
    const QString message = refusal(wrong[static_cast<std::size_t>(which)]);
    QVERIFY2(message.contains(said), qPrintable(message));
}

void ArrivalProcessesTest::each_says_what_it_is()
{
    QCOMPARE(describeArrivals({"poisson", 4.0}), std::string("poisson 4/s"));
    QCOMPARE(describeArrivals({"all-at-once", 4.0}), std::string("all-at-once"));
    QCOMPARE(describeArrivals(stages({{60, 2}, {30, 2, 8.0}})),
             std::string("stages: 60 s at 2/s, 30 s from 2/s to 8/s"));
    ArrivalSpec loop{"closed-loop"};
    loop.clients = 8;
    loop.think_s.emplace();
    QCOMPARE(describeArrivals(loop), std::string("closed loop of 8 clients, think time in s: always 1"));
    ArrivalSpec trace{"trace"};
    trace.speed = 2;
    QCOMPARE(describeArrivals(trace), std::string("trace, 2 times as fast"));
}

BATCHSCOPE_TEST(ArrivalProcessesTest)
#include "arrival_processes_test.moc"
