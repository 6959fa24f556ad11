// SPDX-License-Identifier: GPL-3.0-or-later
// The generator: known draws (so that no machine and no change gives others), and its distributions.
#include "scheduler/portable_log.h"
#include "scheduler/random.h"
#include "tests/support/test_main.h"

#include <cmath>
#include <functional>
#include <vector>

namespace batchscope::tests {
namespace {

constexpr int k_draws = 200'000;

std::pair<double, double> momentsOf(const std::function<double()>& draw) // mean, standard deviation
{
    double sum = 0, squares = 0;
    for (int i = 0; i < k_draws; ++i) {
        const double value = draw();
        sum += value;
        squares += value * value;
    }
    const double mean = sum / k_draws;
    return {mean, std::sqrt(squares / k_draws - mean * mean)};
}

bool near(double actual, double expected, double tolerance)
{
    return std::abs(actual - expected) < tolerance;
}

} // namespace

class RandomTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void aSeedGivesTheSameDrawsEverywhere()
    {
        Random random(42);
        std::vector<std::uint32_t> draws;
        for (int i = 0; i < 4; ++i)
            draws.push_back(random.bits());
        QCOMPARE(draws, (std::vector<std::uint32_t>{1798253477U, 14297942U, 3373649736U, 2842426186U}));
        QVERIFY(Random(42, 1).bits() != Random(42, 2).bits());
        QVERIFY(Random(42).bits() != Random(43).bits());
    }
    void uniformNumbersFillTheUnitInterval()
    {
        Random random(1);
        const auto [mean, deviation] = momentsOf([&random] { return random.uniform(); });
        QVERIFY(near(mean, 0.5, 0.004) && near(deviation, std::sqrt(1.0 / 12), 0.003));
    }
    void belowIsFairAndStaysBelow()
    {
        Random random(2);
        std::vector<int> counts(7);
        for (int i = 0; i < 70'000; ++i)
            ++counts.at(random.below(7));
        for (const int count : counts)
            QVERIFY(near(count, 10'000, 500)); // five standard deviations
        QCOMPARE(random.below(1), 0U);
    }
    void exponentialNormalAndLaplaceHaveTheirMoments()
    {
        Random random(3);
        const auto exponential = momentsOf([&random] { return random.exponential(5); });
        QVERIFY(near(exponential.first, 5, 0.06) && near(exponential.second, 5, 0.1));
        const auto normal = momentsOf([&random] { return random.normal(); });
        QVERIFY(near(normal.first, 0, 0.012) && near(normal.second, 1, 0.01));
        const auto laplace = momentsOf([&random] { return random.laplace(2); });
        QVERIFY(near(laplace.first, 0, 0.035) && near(laplace.second, 2 * std::sqrt(2.0), 0.06));
    }
    void theOwnExponentialIsAsGoodAsTheLibrarys()
    {
        for (double x = -40; x <= 40; x += 0.0137)
            QVERIFY(near(portableExp(x) / std::exp(x), 1, 1e-15));
        QCOMPARE(portableExp(0), 1.0);
    }
};

BATCHSCOPE_TEST(RandomTest)

} // namespace batchscope::tests

#include "random_test.moc"
