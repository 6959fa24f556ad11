// SPDX-License-Identifier: GPL-3.0-or-later
// Own distributions: means and spreads over many draws, golden values, bounds.
#include "scheduler/error.h"
#include "scheduler/portable_log.h"
#include "scheduler/workload/distributions.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace batchscope;
using Kind = Distribution::Kind;

namespace {

constexpr int k_draws = 40'000;

Distribution fixed(double value)
{
    Distribution d;
    d.value = value;
    return d;
}

Distribution uniform(double minimum, double maximum)
{
    Distribution d;
    d.kind = Kind::Uniform;
    d.minimum = minimum;
    d.maximum = maximum;
    return d;
}

Distribution normal(double mean, double sd)
{
    Distribution d;
    d.kind = Kind::Normal;
    d.mean = mean;
    d.sd = sd;
    return d;
}

Distribution lognormal(double mean, double sigma)
{
    Distribution d;
    d.kind = Kind::Lognormal;
    d.mean = mean;
    d.sigma = sigma;
    return d;
}

Distribution gamma(double mean, double shape)
{
    Distribution d;
    d.kind = Kind::Gamma;
    d.mean = mean;
    d.shape = shape;
    return d;
}

Distribution zipf(double exponent, double maximum)
{
    Distribution d;
    d.kind = Kind::Zipf;
    d.exponent = exponent;
    d.maximum = maximum;
    return d;
}

// The published quantiles of recorded answer lengths at temperature 0 (papers.md 3.1, val).
Distribution alpacaQuantiles()
{
    Distribution d;
    d.kind = Kind::Quantiles;
    d.points = {{0, 1},     {0.05, 12},  {0.25, 33},  {0.5, 101}, {0.75, 174},
                {0.9, 276}, {0.95, 332}, {0.99, 484}, {1, 514}};
    return d;
}

std::vector<double> reals(const Distribution& distribution, int count = k_draws)
{
    const Draws draws(distribution, "test");
    Random random(42, 7);
    std::vector<double> drawn(static_cast<std::size_t>(count));
    for (double& each : drawn)
        each = draws.real(random);
    return drawn;
}

std::vector<int> tokens(const Distribution& distribution, int count = k_draws)
{
    const Draws draws(distribution, "test");
    Random random(42, 7);
    std::vector<int> drawn(static_cast<std::size_t>(count));
    for (int& each : drawn)
        each = draws.tokens(random);
    return drawn;
}

double meanOf(const std::vector<double>& values)
{
    double sum = 0;
    for (const double value : values)
        sum += value;
    return sum / static_cast<double>(values.size());
}

double sdOf(const std::vector<double>& values)
{
    const double mean = meanOf(values);
    double squares = 0;
    for (const double value : values)
        squares += (value - mean) * (value - mean);
    return std::sqrt(squares / static_cast<double>(values.size()));
}

bool isClose(double found, double expected, double share)
{
    return std::abs(found - expected) <= share * std::abs(expected);
}

QString refusal(const Distribution& distribution)
{
    try {
        const Draws draws(distribution, "workload.source.prompt_tokens");
    } catch (const SchedulerError& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

} // namespace

class DistributionsTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void means_and_spreads_are_those_stated();
    void gammas_have_mean_and_cv_of_their_shape_data();
    void gammas_have_mean_and_cv_of_their_shape();
    void a_lognormal_states_its_arithmetic_mean();
    void uniform_tokens_take_every_whole_number_equally_often();
    void zipf_shares_fall_by_the_power();
    void quantiles_come_back();
    void tokens_are_at_least_one();
    void same_seed_gives_the_same_values();
    void parameters_that_make_no_sense_are_refused_data();
    void parameters_that_make_no_sense_are_refused();
    void the_portable_exponential_is_the_exponential();
    void each_says_what_it_is();
};

void DistributionsTest::means_and_spreads_are_those_stated()
{
    QCOMPARE(reals(fixed(7.5), 3), (std::vector<double>{7.5, 7.5, 7.5}));
    const auto even = reals(uniform(50, 150));
    QVERIFY(isClose(meanOf(even), 100, 0.01) && isClose(sdOf(even), 100 / std::sqrt(12.0), 0.02));
    const auto bell = reals(normal(200, 30));
    QVERIFY(isClose(meanOf(bell), 200, 0.01) && isClose(sdOf(bell), 30, 0.02));
    for (const Distribution& each : {fixed(9), uniform(1, 5), normal(80, 10), lognormal(160, 0.8),
                                     gamma(3, 0.5), zipf(1.1, 100), alpacaQuantiles()})
        QVERIFY2(isClose(meanOf(reals(each)), Draws(each, "test").mean(), 0.02),
                 describeDistribution(each).c_str());
}

void DistributionsTest::gammas_have_mean_and_cv_of_their_shape_data()
{
    QTest::addColumn<double>("shape");
    for (const double shape : {0.04, 0.25, 0.5, 1.0, 1.5, 4.0, 100.0})
        QTest::newRow(QByteArray::number(shape).constData()) << shape;
}

void DistributionsTest::gammas_have_mean_and_cv_of_their_shape()
{
    QFETCH(double, shape);
    const double cv = 1 / std::sqrt(shape);
    const auto drawn = reals(gamma(2, shape), 200'000);
    QVERIFY2(isClose(meanOf(drawn), 2, 0.03), qPrintable(QString::number(meanOf(drawn))));
    const double found = sdOf(drawn) / meanOf(drawn);
    QVERIFY2(isClose(found, cv, 0.03), qPrintable(QString::number(found)));
    // A chance below its mean that grows with the cv: a normal of the same spread would have a half.
    const auto below = std::count_if(drawn.begin(), drawn.end(), [](double value) { return value < 2; });
    QVERIFY(below > 100'000);
}

void DistributionsTest::a_lognormal_states_its_arithmetic_mean()
{
    auto drawn = reals(lognormal(160, 0.8));
    QVERIFY(isClose(meanOf(drawn), 160, 0.02));
    std::sort(drawn.begin(), drawn.end());
    QVERIFY(isClose(drawn[k_draws / 2], 160 * std::exp(-0.32), 0.02)); // the median lies below it
    for (double& value : drawn)
        value = std::log(value);
    QVERIFY(isClose(sdOf(drawn), 0.8, 0.02));
}

void DistributionsTest::uniform_tokens_take_every_whole_number_equally_often()
{
    // "mean 100, a quarter to either side" means 75 to 125, both among them (public report W9).
    std::map<int, int> seen;
    for (const int drawn : tokens(uniform(75, 125), 51'000))
        ++seen[drawn];
    QCOMPARE(seen.size(), std::size_t{51});
    QCOMPARE(seen.begin()->first, 75);
    QCOMPARE(seen.rbegin()->first, 125);
    for (const auto& [value, count] : seen)
        QVERIFY2(count > 850 && count < 1150, qPrintable(QString("%1: %2").arg(value).arg(count)));
    QCOMPARE(describeDistribution(uniform(75, 125)), std::string("uniform, 75 to 125"));
}

void DistributionsTest::zipf_shares_fall_by_the_power()
{
    std::map<int, int> seen;
    for (const int drawn : tokens(zipf(1.0, 10), 100'000))
        ++seen[drawn];
    QCOMPARE(seen.size(), std::size_t{10});
    double sum = 0;
    for (int k = 1; k <= 10; ++k)
        sum += 1.0 / k;
    for (int k = 1; k <= 10; ++k)
        QVERIFY2(isClose(seen[k], 100'000 / (k * sum), 0.05), qPrintable(QString::number(k)));
}

void DistributionsTest::quantiles_come_back()
{
    auto drawn = tokens(alpacaQuantiles());
    std::sort(drawn.begin(), drawn.end());
    const auto at = [&](double share) { return drawn[static_cast<std::size_t>(share * k_draws)]; };
    QVERIFY(isClose(at(0.25), 33, 0.05) && isClose(at(0.5), 101, 0.05) && isClose(at(0.9), 276, 0.03) &&
            isClose(at(0.99), 484, 0.02));
    QVERIFY(drawn.front() >= 1 && drawn.back() <= 514);
}

void DistributionsTest::tokens_are_at_least_one()
{
    for (const Distribution& each :
         {fixed(0), uniform(0, 1), normal(0.1, 5), lognormal(0.01, 2), gamma(0.1, 0.25)}) {
        const auto drawn = tokens(each, 2000);
        QVERIFY(*std::min_element(drawn.begin(), drawn.end()) >= 1);
    }
    QCOMPARE(tokens(fixed(2.5), 1).front(), 3); // to the nearest, halves up
}

void DistributionsTest::same_seed_gives_the_same_values()
{
    // Golden: these must not change between machines, compilers or versions.
    QCOMPARE(tokens(lognormal(160, 0.8), 5), tokens(lognormal(160, 0.8), 5));
    QCOMPARE(tokens(uniform(1, 1000), 4), (std::vector<int>{414, 36, 29, 345}));
    QCOMPARE(tokens(lognormal(160, 0.8), 4), (std::vector<int>{108, 101, 588, 183}));
    QCOMPARE(tokens(gamma(100, 0.25), 4), (std::vector<int>{5, 3, 1407, 1}));
    QCOMPARE(tokens(zipf(1.1, 1000), 4), (std::vector<int>{7, 1, 1, 4}));
    QCOMPARE(tokens(alpacaQuantiles(), 4), (std::vector<int>{77, 9, 7, 59}));
    QCOMPARE(tokens(normal(100, 20), 4), (std::vector<int>{98, 97, 141, 111}));
}

void DistributionsTest::parameters_that_make_no_sense_are_refused_data()
{
    QTest::addColumn<int>("which");
    for (int i = 0; i < 10; ++i)
        QTest::newRow(QByteArray::number(i).constData()) << i;
}

void DistributionsTest::parameters_that_make_no_sense_are_refused()
{
    QFETCH(int, which);
    Distribution falling = alpacaQuantiles();
    falling.points[3].second = 2;
    Distribution open = alpacaQuantiles();
    open.points.pop_back();
    const double nan = std::nan("");
    const std::vector<Distribution> wrong{
        fixed(-1),        fixed(nan),  uniform(5, 4), normal(3, -1), lognormal(0, 1),
        lognormal(5, -1), gamma(1, 0), zipf(1, 0),    falling,       open};
    const QString message = refusal(wrong[static_cast<std::size_t>(which)]);
    QVERIFY2(message.startsWith("workload.source.prompt_tokens: ") && message.contains("expected"),
             qPrintable(message));
}

void DistributionsTest::the_portable_exponential_is_the_exponential()
{
    QCOMPARE(portableExp(0.0), 1.0);
    for (double x = -700; x <= 700; x += 0.37) {
        const double exact = std::exp(x);
        QVERIFY2(std::abs(portableExp(x) - exact) <= 5e-16 * exact, qPrintable(QString::number(x)));
    }
}

void DistributionsTest::each_says_what_it_is()
{
    QCOMPARE(describeDistribution(gamma(2, 0.25)), std::string("gamma, mean 2, cv 2 (shape 0.25)"));
    QCOMPARE(describeDistribution(lognormal(160, 0.8)), std::string("lognormal, mean 160, sigma 0.8"));
    QCOMPARE(describeDistribution(fixed(128)), std::string("always 128"));
    for (const Kind kind : distributionKinds())
        QVERIFY(distributionName(kind) != "unknown");
}

BATCHSCOPE_TEST(DistributionsTest)
#include "distributions_test.moc"
