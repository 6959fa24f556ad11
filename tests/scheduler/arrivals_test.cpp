// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/error.h"
#include "scheduler/portable_log.h"
#include "scheduler/workload/arrivals.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace batchscope;

class ArrivalsTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void all_at_once_is_zero_for_everybody();
    void even_spacing_is_the_inverse_rate();
    void poisson_gaps_have_mean_and_spread_of_an_exponential();
    void same_seed_gives_the_same_nanoseconds();
    void a_shorter_workload_is_the_beginning_of_a_longer_one();
    void a_rate_that_makes_no_sense_is_refused_data();
    void a_rate_that_makes_no_sense_is_refused();
    void an_unknown_process_names_those_that_exist();
    void the_portable_logarithm_is_the_logarithm();
};

void ArrivalsTest::all_at_once_is_zero_for_everybody()
{
    QCOMPARE(makeArrivals({"all-at-once", std::nullopt}, 3, 42), (std::vector<Nanos>{0, 0, 0}));
}

void ArrivalsTest::even_spacing_is_the_inverse_rate()
{
    QCOMPARE(makeArrivals({"even", 4.0}, 4, 42),
             (std::vector<Nanos>{0, 250'000'000, 500'000'000, 750'000'000}));
    QCOMPARE(makeArrivals({"even", 3.0}, 4, 42),
             (std::vector<Nanos>{0, 333'333'333, 666'666'667, 1'000'000'000}));
}

void ArrivalsTest::poisson_gaps_have_mean_and_spread_of_an_exponential()
{
    const std::size_t n = 20000;
    const auto arrivals = makeArrivals({"poisson", 4.0}, n + 1, 7);
    double sum = 0, squares = 0;
    int above_mean = 0;
    for (std::size_t i = 1; i <= n; ++i) {
        const double gap = toSeconds(arrivals[i] - arrivals[i - 1]);
        QVERIFY(gap >= 0);
        sum += gap;
        squares += gap * gap;
        above_mean += gap > 0.25;
    }
    const double mean = sum / n;
    const double deviation = std::sqrt(squares / n - mean * mean);
    QVERIFY2(std::abs(mean - 0.25) < 0.25 * 0.03, qPrintable(QString::number(mean)));
    QVERIFY2(std::abs(deviation / mean - 1.0) < 0.03, qPrintable(QString::number(deviation / mean)));
    QVERIFY(std::abs(above_mean / double(n) - std::exp(-1.0)) < 0.015);
}

void ArrivalsTest::same_seed_gives_the_same_nanoseconds()
{
    // Golden: these must not change between machines, compilers or versions.
    const auto arrivals = makeArrivals({"poisson", 1.0}, 4, 42);
    QCOMPARE(arrivals, makeArrivals({"poisson", 1.0}, 4, 42));
    QVERIFY(arrivals != makeArrivals({"poisson", 1.0}, 4, 43));
    QCOMPARE(arrivals, (std::vector<Nanos>{0, 1632197658, 1776848436, 2447269822}));
}

void ArrivalsTest::a_shorter_workload_is_the_beginning_of_a_longer_one()
{
    const auto longer = makeArrivals({"poisson", 2.0}, 100, 5);
    const auto shorter = makeArrivals({"poisson", 2.0}, 10, 5);
    QVERIFY(std::equal(shorter.begin(), shorter.end(), longer.begin()));
}

void ArrivalsTest::a_rate_that_makes_no_sense_is_refused_data()
{
    QTest::addColumn<double>("rate");
    QTest::newRow("zero") << 0.0;
    QTest::newRow("negative") << -1.0;
    QTest::newRow("nan") << std::numeric_limits<double>::quiet_NaN();
    QTest::newRow("infinite") << std::numeric_limits<double>::infinity();
    QTest::newRow("beyond int64") << 1e-12;
}

void ArrivalsTest::a_rate_that_makes_no_sense_is_refused()
{
    QFETCH(double, rate);
    for (const char* process : {"even", "poisson"})
        QVERIFY_THROWS_EXCEPTION(SchedulerError, makeArrivals({process, rate}, 3, 1));
}

void ArrivalsTest::an_unknown_process_names_those_that_exist()
{
    try {
        makeArrivals({"weibull", 1.0}, 3, 1);
        QFAIL("accepted");
    } catch (const SchedulerError& error) {
        const QString text = error.what();
        QVERIFY(text.contains("weibull") && text.contains("poisson"));
    }
    QVERIFY_THROWS_EXCEPTION(SchedulerError, makeArrivals({"poisson", std::nullopt}, 3, 1));
}

void ArrivalsTest::the_portable_logarithm_is_the_logarithm()
{
    QCOMPARE(portableLog(1.0), 0.0);
    for (double x = 0x1p-53; x < 4.0; x *= 1.0137) {
        const double exact = std::log(x);
        QVERIFY2(std::abs(portableLog(x) - exact) <= 4e-16 * std::max(1e-3, std::abs(exact)),
                 qPrintable(QString::number(x)));
    }
}

BATCHSCOPE_TEST(ArrivalsTest)
#include "arrivals_test.moc"
